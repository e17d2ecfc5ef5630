/*
 * States of a table: which metadata file, and which snapshot of it. Several may be open
 * at once beside the table reader that found them.
 *
 *   document.c    metadata files of the table's directory
 *   state.c       a word of the user's to a state
 *   state_time.c  which state was current at a time, and by whose word
 */
#ifndef ICE_ANSWER_STATE_H
#define ICE_ANSWER_STATE_H

#include "answer/table_reader.h"

/* A metadata file that was read. All-zero is closed. Does not move while it is open. */
struct ice_document {
    size_t name;         /* index of the target's names; SIZE_MAX: not of its directory */
    struct ice_str file; /* for messages, relative to the table root; the reader's */
    const struct ice_metadata *metadata;
    struct ice_metadata own; /* empty where the reader itself has read the file */
};

/*
 * Read a metadata file of the reader's directory, whole, summaries as the reader has
 * them; the one that the reader has pinned is not read again. What it cannot read is the
 * status, *err says why and names the file; nothing is told to on_trouble. A document
 * that is no table (a view) is ICE_EFORMAT.
 */
enum ice_status ice_document_open(struct ice_document *out,
                                  struct ice_table_reader *reader, size_t name,
                                  struct ice_error *err) ICE_MUST_USE;
/* The one that the reader has pinned and read. Nothing to fail. */
void ice_document_current(struct ice_document *out, struct ice_table_reader *reader);
void ice_document_release(struct ice_document *document); /* safe twice and on all-zero */
/* Index of a metadata file by its name, or SIZE_MAX. */
size_t ice_document_find(const struct ice_table_reader *reader, struct ice_str name);

struct ice_state {
    struct ice_table_reader *given;
    struct ice_table_reader *reader; /* finds its files: given, or one of its own where
                                        the word was a path */
    struct ice_options own_options;  /* of such a reader */
    struct ice_document document;
    bool has_snapshot; /* false: the table had none then */
    int64_t snapshot_id;
    size_t snapshot; /* in document.metadata->snapshots; SIZE_MAX with has_snapshot: it is
                        known by its id only, no metadata file here describes it */
    struct ice_buf evidence; /* one sentence: why this is the state that was meant */
};

/*
 * The state that a word names; word NULL: what the reader has pinned. In this order: a
 * metadata file of the directory by its name or as `vN`; a ref; an id of a snapshot; a
 * version N; an ISO time, see below; a path of a metadata file or table, which may be of
 * another directory or table. A snapshot that the pinned file no longer keeps is looked
 * for in the other metadata files, the newest first. ICE_EARG: it names none of them, and
 * *err says what there is. Other statuses as of ice_document_open.
 */
enum ice_status ice_state_open(struct ice_state *out, struct ice_table_reader *reader,
                               const char *word, struct ice_error *err) ICE_MUST_USE;
/* A metadata file of the reader's directory and its current snapshot. */
enum ice_status ice_state_open_file(struct ice_state *out,
                                    struct ice_table_reader *reader, size_t name,
                                    struct ice_error *err) ICE_MUST_USE;
/* A snapshot by its id, wherever it is described. */
enum ice_status ice_state_open_id(struct ice_state *out, struct ice_table_reader *reader,
                                  int64_t snapshot_id,
                                  struct ice_error *err) ICE_MUST_USE;
void ice_state_release(struct ice_state *state); /* safe twice and on all-zero */

/* The snapshot of a state, NULL if it has none or none is described. */
static inline const struct ice_snapshot *ice_state_snapshot(const struct ice_state *s) {
    return s->has_snapshot && s->snapshot != SIZE_MAX
               ? &s->document.metadata->snapshots[s->snapshot]
               : NULL;
}

/*
 * ice_walk_snapshot and ice_walk_manifest over the files of a state. Without a snapshot
 * that is described there is nothing to walk.
 */
enum ice_status ice_state_walk(const struct ice_state *state, ice_listed_manifest_fn each,
                               ice_stage_fn on_fault, void *context,
                               struct ice_error *err) ICE_MUST_USE;
enum ice_status ice_state_walk_manifest(const struct ice_state *state,
                                        const struct ice_listed_manifest *listed,
                                        ice_entry_fn each, ice_stage_fn on_fault,
                                        void *context,
                                        struct ice_error *err) ICE_MUST_USE;

#endif
