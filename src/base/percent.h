/*
 * Percent-encoding of keys and URIs (RFC 3986), put on and taken off, and schemes.
 * Whether a key is encoded at all is the caller's to know: object keys may hold a literal
 * "%20".
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

/*
 * Append the path with every byte encoded that could end it, or mean something else, in a
 * URI: '%' too. '/' stays.
 */
enum ice_status ice_percent_encode(struct ice_buf *out, struct ice_str path) ICE_MUST_USE;

/* Length of "scheme:" (with the colon) at the start, 0 if there is none. */
size_t ice_uri_scheme(struct ice_str uri);

#endif
