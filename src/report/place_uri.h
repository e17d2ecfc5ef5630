/*
 * Where a finding stands, as a URI reference: what SARIF, GitHub and JUnit call a file.
 */
#ifndef ICE_REPORT_PLACE_URI_H
#define ICE_REPORT_PLACE_URI_H

#include "base/buf.h"

/*
 * Appends a URI reference (RFC 3986) to file: a name inside the table behind prefix (with
 * its '/', or empty), a stored URI and an absolute path as they are, the latter with
 * "file://". Every byte that could end it or mean something else is percent-encoded, '%'
 * too: a key may hold a literal "%20". An empty file is the table's directory, "." at
 * least. Statuses of ice_buf_append.
 */
enum ice_status ice_place_uri(struct ice_buf *out, struct ice_str prefix,
                              struct ice_str file) ICE_MUST_USE;

/* Does the name lie inside the table, so that prefix belongs in front of it? */
bool ice_place_is_relative(struct ice_str file);

#endif
