/*
 * Metadata files that the directory lacks, as listings with versions remember them.
 */
#ifndef ICE_ANSWER_OLD_METADATA_H
#define ICE_ANSWER_OLD_METADATA_H

#include "answer/table_reader.h"
#include "inputs/object_versions.h"

struct ice_old_metadata {
    struct ice_table_reader *reader;
    struct ice_object_versions versions; /* of the listings of options, but for "-" */
};

enum ice_old_kind {
    ICE_OLD_NONE,   /* no listing tells of it */
    ICE_OLD_LISTED, /* it is there in storage: the copy lacks it */
    ICE_OLD_GONE,   /* it was deleted, and an old version is kept */
};

/* Reads the listings; those that cannot be read are told. */
enum ice_status ice_old_metadata_open(struct ice_old_metadata *old,
                                      struct ice_table_reader *reader,
                                      struct ice_error *err) ICE_MUST_USE;
void ice_old_metadata_release(struct ice_old_metadata *old); /* safe on all-zero */
/* By its name. *command: what fetches an old version back, where there is one; in place
 * of what it holds. */
enum ice_status ice_old_metadata_find(const struct ice_old_metadata *old,
                                      struct ice_str name, enum ice_old_kind *out,
                                      struct ice_buf *command) ICE_MUST_USE;

/*
 * Where a metadata file of the table lies, as its catalog would name it, appended to out:
 * by the pointer, the log, or the table's location.
 */
enum ice_status ice_metadata_uri(const struct ice_table_reader *reader,
                                 struct ice_str name, struct ice_buf *out) ICE_MUST_USE;

#endif
