/*
 * Groups 17 and 18: the data_file of a live entry, called where the row is decoded. The
 * rules are in files of their own:
 *
 *   file_rules.c              content, path, format, sizes, offsets
 *   file_delete_rules.c       delete files: equality ids, deletion vectors
 *   partition_value_rules.c   the partition tuple against transforms and bounds
 *   column_rules.c            maps of counts; bound_rules.c: bounds
 */
#ifndef ICE_CHECK_FILE_RULES_H
#define ICE_CHECK_FILE_RULES_H

#include "check/manifest_walk.h"

enum ice_file_format {
    ICE_FORMAT_AVRO,
    ICE_FORMAT_ORC,
    ICE_FORMAT_PARQUET,
    ICE_FORMAT_PUFFIN,
    ICE_FORMAT_OTHER, /* or none */
};

/* All of both groups; walk->metrics was begun for the manifest. */
enum ice_status ice_data_file_rules(struct ice_manifest_walk *walk,
                                    const struct ice_manifest_entry *entry,
                                    const struct ice_effective *effective) ICE_MUST_USE;

void ice_file_delete_rules(const struct ice_manifest_walk *walk,
                           const struct ice_manifest_entry *entry,
                           const struct ice_effective *effective,
                           enum ice_file_format format);

/* Once a manifest; what is found out lives in its arena. */
enum ice_status ice_partition_values_open(struct ice_manifest_walk *walk) ICE_MUST_USE;
void ice_partition_value_rules(const struct ice_manifest_walk *walk,
                               const struct ice_manifest_entry *entry);

static inline bool ice_walk_has(const struct ice_manifest_walk *walk,
                                const struct ice_manifest_entry *entry,
                                enum ice_entry_bit bit) {
    return ice_entry_has(walk->manifest, entry, bit);
}

/* From version 2 on each file says what it is for. One that does not was told; what its
 * other fields should be is not known. */
static inline bool ice_knows_content(const struct ice_manifest_walk *walk,
                                     const struct ice_manifest_entry *entry) {
    return walk->version < 2 || ice_walk_has(walk, entry, ICE_FILE_content);
}

#endif
