/*
 * What pass 2 leaves: distinct manifests, the records of lists about them, and the runs
 * of snapshots that list them.
 */
#ifndef ICE_CHECK_MANIFEST_FACTS_H
#define ICE_CHECK_MANIFEST_FACTS_H

#include "base/pack.h"
#include "check/check.h"
#include "check/row_place.h"

/* Number of the manifest with that path, put in if it is new. UINT32_MAX: out of memory.
 */
uint32_t ice_manifest_number(struct ice_check *ck, struct ice_str path);

/* snapshot (a number, not below that of earlier calls) lists the manifest. */
enum ice_status ice_manifest_listed(struct ice_check *ck, uint32_t manifest,
                                    uint32_t snapshot) ICE_MUST_USE;

/*
 * Keep a record about record->manifest, unless an equal one is kept. All of row is
 * copied; names live in the arena already. *out: the record that is kept.
 */
enum ice_status ice_manifest_add_record(struct ice_check *ck,
                                        const struct ice_list_record *record,
                                        struct ice_list_record **out) ICE_MUST_USE;

static inline bool ice_record_has(const struct ice_list_record *record,
                                  enum ice_list_bit bit) {
    return record->present >> bit & 1;
}
static inline const struct ice_field_summary *
ice_record_summary(const struct ice_list_record *record, size_t index) {
    return (const struct ice_field_summary *)record->row.partitions.items + index;
}

/* Its values, all that rules on the manifest compare, but not where it stands. */
void ice_record_pack(struct ice_pack *pack, const struct ice_list_record *record);

/* The snapshot with the largest sequence number that lists the manifest: its number.
 * false: none has one. */
bool ice_manifest_newest(const struct ice_check *ck,
                         const struct ice_manifest_facts *facts, uint32_t *out);

/* The record of the earliest snapshot whose list gives the manifest row ids, or NULL. The
 * main line comes first, and lists of before an upgrade to version 3 give none. */
const struct ice_list_record *
ice_manifest_row_ids(const struct ice_manifest_facts *facts);
/* What entries inherit: row ids by that record, the rest by the first one. All zero
 * where no list tells. */
struct ice_inherit ice_manifest_inherit(const struct ice_manifest_facts *facts);

/* Does the list of the current snapshot name it? Not known to be so where that snapshot
 * names the same list as another one. */
bool ice_manifest_is_current(const struct ice_check *ck,
                             const struct ice_manifest_facts *facts);

/* Place of a column of a kept record. */
void ice_record_place(const struct ice_check *ck, const struct ice_list_record *record,
                      enum ice_list_bit bit, struct ice_row_place *out);

#endif
