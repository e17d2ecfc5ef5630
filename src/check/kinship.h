/*
 * Is one metadata file a later state of another, by what it knows of the other's
 * snapshots? For where metadata logs do not tell: they are trimmed to a length, and old
 * writers keep none, or copy one that no longer grows.
 */
#ifndef ICE_CHECK_KINSHIP_H
#define ICE_CHECK_KINSHIP_H

#include "iceberg/metadata.h"
#include "inputs/target.h"

/* Order of two files by the numbers in their names. */
enum ice_number_order {
    ICE_NUMBERS_UNKNOWN, /* one has none, or they are numbered in two ways */
    ICE_NUMBERS_SAME,
    ICE_NUMBERS_LOWER, /* a before b */
    ICE_NUMBERS_HIGHER,
};
enum ice_number_order ice_number_order(struct ice_str a, struct ice_str b);

/* Both are known and the same, in whatever spelling: case, hyphens, braces, urn:uuid:. */
bool ice_is_same_uuid(struct ice_str a, struct ice_str b);
/* Both are known, and differ. */
bool ice_is_other_uuid(struct ice_str a, struct ice_str b);
/* Two documents that both have a uuid, and not the same. */
bool ice_is_other_table(const struct ice_metadata *a, const struct ice_metadata *b);
/* ... that both have one, and the same. */
bool ice_is_same_table(const struct ice_metadata *a, const struct ice_metadata *b);

/* The current snapshot; of a state without one, the last that it keeps. false: none. */
bool ice_metadata_tip(const struct ice_metadata *m, int64_t *out);
/* Does a document name a snapshot: as one that it keeps, as a parent, in its log? */
bool ice_metadata_knows(const struct ice_metadata *m, int64_t snapshot_id);

/*
 * later, written after earlier by its name, comes of it: it knows earlier's tip and the
 * last snapshot that earlier keeps, current or not (a rollback, a branch or a replaced
 * table leaves them in the list), and nothing that only grows is lower. Its time is not
 * before earlier's; is_strict: it is after it, as where names do not tell the order.
 * false: it does not, or that is not known.
 */
bool ice_metadata_comes_of(const struct ice_metadata *later,
                           const struct ice_metadata *earlier, bool is_strict);
/* later has a lower format version or counter than earlier: what only grows. */
bool ice_metadata_goes_back(const struct ice_metadata *later,
                            const struct ice_metadata *earlier);
/* Both gave one sequence number to two snapshots: two writers built on one state. */
bool ice_metadata_collides(const struct ice_metadata *a, const struct ice_metadata *b);

#endif
