/*
 * What manifests left, between runs (options.cache_dir). An entry is found by the URI of
 * the manifest and by what its rules see (seen.h, the records of lists about it), and
 * holds then if
 *
 *   - the file has the size, times and inode that it had, or else the same bytes, and
 *   - what its rules ask of snapshots is answered as it was: which of those that entries
 *     name are kept and count partitions; the newest snapshot that lists the manifest is
 *     no older, and the very same where an entry was above it; and records of lists stand
 *     where they stood, if anything was found there. (The scope is said of faults only,
 *     and a manifest with a fault is not kept.)
 *
 * Anything else, and anything that goes wrong, means that the manifest is read.
 */
#ifndef ICE_CHECK_UNIT_CACHE_H
#define ICE_CHECK_UNIT_CACHE_H

#include "check/unit.h"

/* Before manifests are read: ck->cache becomes NULL where it is of no use. ICE_ENOMEM. */
enum ice_status ice_cache_begin(struct ice_check *ck) ICE_MUST_USE;
void ice_cache_end(const struct ice_check *ck);

void ice_unit_store_init(struct ice_unit_store *store, struct ice_alloc *alloc);
void ice_unit_store_release(struct ice_unit_store *store); /* safe twice, all-zero */

/* Between _begin and _end. *out_is_known: the unit is as if the manifest had been read,
 * and as _begin left it otherwise. ICE_ENOMEM, or what give returned. */
enum ice_status ice_unit_cache_load(struct ice_unit *unit,
                                    bool *out_is_known) ICE_MUST_USE;
/* A closed part that is about to be given away. */
void ice_unit_store_part(struct ice_unit *unit);
/* Behind _end, of a manifest that was read. */
void ice_unit_cache_store(struct ice_unit *unit, struct ice_unit_reader *reader);

#endif
