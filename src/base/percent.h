/*
 * Percent-encoding of keys and URIs (RFC 3986), taken off. Whether a key is encoded at
 * all is the caller's to know: object keys may hold a literal "%20".
 */
#ifndef ICE_BASE_PERCENT_H
#define ICE_BASE_PERCENT_H

#include "base/buf.h"

/*
 * Decode text into out, which is cleared first. A '%' without two hex digits stays as it
 * is. plus_is_blank: '+' stands for a blank, as in the encoding of forms. Statuses of
 * ice_buf_append.
 */
enum ice_status ice_percent_decode(struct ice_str text, bool plus_is_blank,
                                   struct ice_buf *out) ICE_MUST_USE;

#endif
