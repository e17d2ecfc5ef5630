/*
 * Members of a metadata file that give fewer rows than the table has, or none: that is no
 * answer, and said. So is what would have told which metadata file is the current one.
 */
#ifndef ICE_ANSWER_MEMBER_FAULTS_H
#define ICE_ANSWER_MEMBER_FAULTS_H

#include "answer/table_reader.h"

/*
 * Tell of each of members (ICE_BIT(ICE_META_...)) of m what could not be read, is null,
 * or is missing; with_parts: also of a part of an element. file: m's, for messages. Of a
 * file that the reader has not pinned, elements that could not be read are not known.
 */
void ice_tell_members(struct ice_table_reader *reader, const struct ice_metadata *m,
                      struct ice_str file, uint64_t members, bool with_parts);

/* Inputs of --pointer that could not be read, or that do not name the table. */
void ice_tell_pointers(struct ice_table_reader *reader);
/* Say, as a note, that no one says which metadata file is the current one. */
void ice_note_guess(const struct ice_table_reader *reader);

#endif
