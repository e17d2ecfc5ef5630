/*
 * The escapes of a JSON string.
 */
#ifndef ICE_JSON_UNESCAPE_H
#define ICE_JSON_UNESCAPE_H

#include "base/buf.h"

/* What was odd on the way; indexes into the raw text, SIZE_MAX if not seen. */
struct ice_json_odd {
    size_t lone_surrogate, nul; /* the first of each */
    size_t bad;                 /* of the escape that is none: then ICE_EFORMAT */
};

/* Replace out by raw (what stands between the quotes) without its escapes. ICE_ENOMEM. */
enum ice_status ice_json_unescape(struct ice_str raw, struct ice_buf *out,
                                  struct ice_json_odd *odd) ICE_MUST_USE;

#endif
