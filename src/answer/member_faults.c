/*
 * What of a metadata file an answer lacks.
 */
#include "answer/member_faults.h"

#include "base/error.h"
#include "check/unread_members.h"

#include <stdio.h>

void ice_tell_members(struct ice_table_reader *reader, const struct ice_metadata *m,
                      struct ice_str file, uint64_t members, bool with_parts) {
    static const struct ice_unread not_known = {0};
    const bool is_pinned = m == &reader->check.metadata;
    const struct ice_unread *unread = is_pinned ? &reader->check.unread : &not_known;
    const char *name;
    char why[ICE_UNREAD_WHY], pointer[64];
    while (ice_unread_next(m, unread, &members, with_parts, &name, why)) {
        struct ice_error fault = {0};
        (void)ice_error_set(&fault, ICE_EFORMAT, NULL, ICE_NO_OFFSET, "%s", why);
        (void)snprintf(pointer, sizeof(pointer), "/%s", name);
        ice_error_set_file(&fault, file);
        ice_error_set_pointer(&fault, ice_str_from(pointer));
        ice_table_reader_tell(reader, &fault);
    }
}
