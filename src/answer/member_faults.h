/*
 * Members of a metadata file that give fewer rows than the table has, or none: that is no
 * answer, and said.
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

#endif
