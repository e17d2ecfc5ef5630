/*
 * What an answer lacks: of the metadata file, and of what says which one it is.
 */
#include "answer/member_faults.h"

#include "base/error.h"
#include "check/pointers.h"
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

void ice_tell_pointers(struct ice_table_reader *reader) {
    const struct ice_pointers *pointers = reader->check.pointers;
    if (pointers == NULL)
        return;
    for (size_t i = 0; i < pointers->n_faults; i++) {
        struct ice_error fault = pointers->faults[i].error;
        ice_error_set_file(&fault, pointers->faults[i].file);
        ice_table_reader_tell(reader, &fault);
    }
    const struct ice_check *ck = &reader->check;
    const bool is_used = ck->picked_by == ICE_PICKED_BY_POINTER ||
                         reader->options->metadata != NULL || ck->pointer_is_missing;
    if (!ice_pointers_are_asked(ck) || is_used || pointers->n_faults > 0)
        return;
    struct ice_error fault = {0};
    char uri[300];
    if (ck->pointer == NULL)
        (void)ice_error_set(&fault, ICE_ENOENT, NULL, ICE_NO_OFFSET,
                            "no entry of --pointer names this table");
    else
        (void)ice_error_set(&fault, ICE_ENOENT, NULL, ICE_NO_OFFSET,
                            "--pointer names %s, which no --map leads to: another "
                            "metadata file was taken",
                            ice_escape(uri, sizeof(uri), ck->pointer->metadata_location));
    ice_error_set_file(&fault, reader->given);
    ice_table_reader_tell(reader, &fault);
}

void ice_note_guess(const struct ice_table_reader *reader) {
    char name[300];
    if (ice_pointer_is_guessed(&reader->check))
        ice_check_note(
            &reader->check, 0,
            "%s was taken, which has the highest number: neither a hint nor a "
            "--pointer says that it is the current one",
            ice_escape(name, sizeof(name), ice_key_name(reader->check.metadata_key)));
}
