/*
 * Whose list is it? The header of a manifest list may name another snapshot than the
 * metadata file does: readers go by the path, and take without a word what the other
 * snapshot holds. For the check and for answers, so that both say the same.
 */
#ifndef ICE_CHECK_LIST_ORIGIN_H
#define ICE_CHECK_LIST_ORIGIN_H

#include "iceberg/manifest_list.h"
#include "iceberg/metadata.h"

/* All-zero is released. metadata and snapshot are borrowed. */
struct ice_list_origin {
    const struct ice_metadata *metadata;
    const struct ice_snapshot *snapshot; /* that names the list */
    bool names_other;  /* the header names another snapshot, number and path agree */
    bool is_gone;      /* ... which the table does not keep */
    bool has_own;      /* ... a row may be of the snapshot that metadata names */
    bool has_later;    /* ... a row is of a snapshot that has it as an ancestor */
    bool no_totals;    /* ... a row of data does not say how much of it is live */
    int64_t header_id; /* with names_other */
    int64_t live_files, live_rows; /* ... of data, by the rows */
    uint8_t *passed;               /* by snapshot: no descendant of snapshot, told once */
};

/* Looks at the header of an opened list, before its rows. ICE_OK or ICE_ENOMEM. */
enum ice_status ice_list_origin_begin(struct ice_list_origin *origin,
                                      const struct ice_metadata *metadata,
                                      const struct ice_snapshot *snapshot,
                                      const struct ice_manifest_list *list) ICE_MUST_USE;
void ice_list_origin_release(struct ice_list_origin *origin); /* safe twice */

/* Of each row: who added its manifest. Nothing to do without names_other. */
void ice_list_origin_row(struct ice_list_origin *origin,
                         const struct ice_manifest_list *list,
                         const struct ice_manifest_file *row);

/* Behind the rows: why the list is proven to be the other snapshot's ("the former's list
 * was copied over the latter's, ..."), or NULL. is_whole: all rows were seen. */
const char *ice_list_origin_why(const struct ice_list_origin *origin, bool is_whole);

/* Does the header name the parent of the snapshot, or the word null as it has none?
 * *out_text: what stands there, empty without such a key. */
bool ice_list_names_parent(const struct ice_manifest_list *list,
                           const struct ice_snapshot *snapshot, struct ice_str *out_text);
/* A number of the header; *out_text: what stands there, empty without such a key. */
bool ice_list_header_integer(const struct ice_manifest_list *list, const char *key,
                             struct ice_str *out_text, int64_t *out);
/* Two snapshot ids that are one double: a tool for JSON rounded one of them. */
bool ice_list_id_is_rounded(int64_t id, int64_t other);

#endif
