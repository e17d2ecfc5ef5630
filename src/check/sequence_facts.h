/*
 * Does a file keep its data sequence number? What pass 3 notes of every live entry for
 * that, 32 bytes each, and the walk of pass 4 over equal keys.
 */
#ifndef ICE_CHECK_SEQUENCE_FACTS_H
#define ICE_CHECK_SEQUENCE_FACTS_H

#include "check/check.h"

/* Where the rule is on and the table has sequence numbers. */
enum ice_status ice_sequence_facts_open(struct ice_check *ck) ICE_MUST_USE;
void ice_sequence_facts_free(struct ice_check *ck);

/*
 * A live entry with a known number. added: id of the snapshot that added the file. Past
 * three quarters of the memory limit all facts are dropped and the rule counts as not
 * evaluated.
 */
enum ice_status ice_sequence_facts_add(struct ice_check *ck, struct ice_str path,
                                       int64_t added, uint32_t manifest, uint64_t entry,
                                       int64_t sequence_number) ICE_MUST_USE;

/* Pass 4: manifest.entry.sequence-number.changed. */
enum ice_status ice_sequence_facts_check(struct ice_check *ck,
                                         struct ice_error *err) ICE_MUST_USE;

#endif
