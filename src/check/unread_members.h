/*
 * Members of metadata.json that are there and could not be read: what they would have led
 * to was not looked at. Faults of the whole file are told where it is read.
 */
#ifndef ICE_CHECK_UNREAD_MEMBERS_H
#define ICE_CHECK_UNREAD_MEMBERS_H

#include "check/check.h"

/* While the file is read: does a defect take an element of a list away, or its id or
 * path? Kept in ck->unread. */
void ice_unread_defect(struct ice_check *ck, const struct ice_defect *defect);
/* Behind that: a line of what was not evaluated, asked for, of each. */
void ice_unread_report(struct ice_check *ck);
/* Are there files that the table may name in what could not be read? */
bool ice_unread_names_files(const struct ice_check *ck);

#endif
