/*
 * Text of a finding: the template of its rule with the arguments put in.
 */
#ifndef ICE_RULE_MESSAGE_H
#define ICE_RULE_MESSAGE_H

#include "icefsck.h"
#include "base/buf.h"

/*
 * Append template to out, each {name} replaced by the argument of that name: text as it
 * is, numbers in decimal, bytes in hex. A name without argument stays as written. For
 * {name|one|many} stand the first words if the argument is the number 1, else the second.
 */
enum ice_status ice_message_fill(struct ice_buf *out, const char *template,
                                 const struct ice_arg *args, size_t n_args) ICE_MUST_USE;

/* Is there an argument for every {name} of template? */
bool ice_message_has_all(const char *template, const struct ice_arg *args, size_t n_args);

#endif
