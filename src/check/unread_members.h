/*
 * Members of metadata.json that are there and could not be read: what they would have led
 * to was not looked at. Faults of the whole file are told where it is read.
 *
 * A check has rules for a null and for a member that is missing; who lists what a member
 * holds must say of such a one, too, why there is nothing to list.
 */
#ifndef ICE_CHECK_UNREAD_MEMBERS_H
#define ICE_CHECK_UNREAD_MEMBERS_H

#include "check/check.h"

/* While the file is read: does a defect take an element of a list away, its id or path,
 * or any part of it? Kept in ck->unread. */
void ice_unread_defect(struct ice_check *ck, const struct ice_defect *defect);
/* Behind that: a line of what was not evaluated, asked for, of each. */
void ice_unread_report(struct ice_check *ck);
/*
 * Of members (ICE_BIT(ICE_META_...)) the next that gives fewer elements than the file
 * should: it lost some or, if with_parts, any part of one; or it is null or missing where
 * readers want one. Its bit is taken off *members, its name put out, and why written.
 * unread: what is known of m's elements; all-zero where nobody looked. false: none is
 * left.
 */
enum { ICE_UNREAD_WHY = 96 };
bool ice_unread_next(const struct ice_metadata *m, const struct ice_unread *unread,
                     uint64_t *members, bool with_parts, const char **out_name,
                     char why[ICE_UNREAD_WHY]);
/* Are there files that the table may name in what could not be read? */
bool ice_unread_names_files(const struct ice_check *ck);

#endif
