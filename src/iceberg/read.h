/*
 * The readers of parts of metadata.json over one shared object reader; inside src/iceberg
 * only.
 */
#ifndef ICE_ICEBERG_READ_H
#define ICE_ICEBERG_READ_H

#include "iceberg/metadata.h"
#include "iceberg/object.h"

/* Each is called behind the first event of its value and reads it to its end. */
enum ice_status ice_read_partition_spec(struct ice_object_reader *r,
                                        const struct ice_json_event *begin,
                                        struct ice_partition_spec *out);
enum ice_status ice_read_sort_order(struct ice_object_reader *r,
                                    struct ice_sort_order *out);
enum ice_status ice_read_schema(struct ice_object_reader *r, struct ice_schema *out);

/* Parts of ice_metadata; each restarts its arrays empty, so the last of two equal keys
 * wins. */
enum ice_status ice_read_snapshots(struct ice_object_reader *r,
                                   const struct ice_metadata_want *want,
                                   struct ice_metadata *out);
enum ice_status ice_read_refs(struct ice_object_reader *r, struct ice_metadata *out);
enum ice_status ice_read_properties(struct ice_object_reader *r,
                                    struct ice_metadata *out);
enum ice_status ice_read_snapshot_log(struct ice_object_reader *r,
                                      struct ice_metadata *out);
enum ice_status ice_read_metadata_log(struct ice_object_reader *r,
                                      struct ice_metadata *out);
/* One entry is pushed per element; earlier entries of the other kind stay. */
enum ice_status ice_read_statistics(struct ice_object_reader *r, bool is_partition,
                                    struct ice_metadata *out);
enum ice_status ice_read_encryption_keys(struct ice_object_reader *r,
                                         struct ice_metadata *out);

/* Build the lookup of snapshots by id; behind the last change of out->snapshots. */
enum ice_status ice_metadata_index_snapshots(struct ice_metadata *out);
/* The same of schemas, specs and orders; once, on tables that are initialised. */
enum ice_status ice_metadata_index_layouts(struct ice_metadata *m);

#endif
