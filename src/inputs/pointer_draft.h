/*
 * Inside of the JSON reader of pointers: entries under construction. pointer_json.c walks
 * the document, pointer_draft.c puts values where they belong.
 */
#ifndef ICE_INPUTS_POINTER_DRAFT_H
#define ICE_INPUTS_POINTER_DRAFT_H

#include "base/buf.h"
#include "inputs/pointer_places.h"
#include "inputs/pointer_read.h"
#include "json/reader.h"

/* An entry as far as it was read, of one group. */
struct ice_pointer_draft {
    struct ice_pointer entry;
    bool has_any, has_metadata_key, is_inner;
    bool marks[MARK_METADATA + 1];
    uint64_t index; /* of the element it stands in */
    struct ice_str *columns;
    size_t n_columns, cap_columns;
    bool is_dropped;
    bool is_old; /* the last column is no current one */
};

struct ice_pointer_reader {
    const struct ice_pointer_input *input;
    struct ice_arena arena; /* of one document */
    struct ice_pointer_draft drafts[ICE_POINTER_GROUPS];
    bool is_answer;   /* an export, also without an entry */
    bool is_metadata; /* a metadata.json */
    struct ice_buf pointer;
    /* the embedded metadata document of a LoadTableResult, as bytes of the input */
    uint64_t document, document_end;
};

/* A value at a place of the document, for the index-th group. */
enum ice_status ice_pointer_take(struct ice_pointer_reader *r, size_t group,
                                 struct ice_str place, const struct ice_json_event *event,
                                 struct ice_error *err);
/* The document ends: what its drafts have come to. The first kind that is sure speaks. */
enum ice_status ice_pointer_flush(struct ice_pointer_reader *r, struct ice_error *err);

#endif
