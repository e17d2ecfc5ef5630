/*
 * Which snapshot --snapshot names: an id, a ref, or an ISO time as in TIMESTAMP AS OF.
 */
#ifndef ICE_CHECK_PICK_SNAPSHOT_H
#define ICE_CHECK_PICK_SNAPSHOT_H

#include "iceberg/metadata.h"

/*
 * *out_index: in metadata->snapshots. ICE_EARG with a message for the user if text is
 * none of them, the snapshot is not kept, or the snapshot log says that none was current
 * at that time.
 */
enum ice_status ice_pick_snapshot(const struct ice_metadata *metadata, const char *text,
                                  size_t *out_index, struct ice_error *err);

/*
 * The snapshot that was current at a time by the snapshot log, as readers answer it: of
 * the last entry that is not later. false if there is none.
 */
bool ice_snapshot_as_of(const struct ice_metadata *metadata, int64_t time_ms,
                        int64_t *out_id);

/*
 * ms since 1970 of "2026-03-01", "2026-03-01T09:00", "2026-03-01 09:00:30.250+02:00",
 * "...Z"; without zone UTC. false if text is anything else or a date that does not exist.
 */
bool ice_time_parse(struct ice_str text, int64_t *out_ms);

#endif
