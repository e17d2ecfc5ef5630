/*
 * What going back loses and brings back, file by file: the live files of the state
 * against those of the current one, summed by partition.
 */
#include "answer/rescue.h"

#include "base/error.h"

enum { MOST_PARTITIONS = 1000 };

struct partition {
    struct ice_str name; /* its JSON */
    uint64_t files[2];   /* lost, coming back: data files */
    int64_t rows[2];
};

struct lost {
    struct ice_rescue *r;
    struct ice_arena arena;
    struct ice_table by_name;
    struct partition items[MOST_PARTITIONS];
    size_t n;
    uint64_t n_more; /* files of partitions beyond them */
};

/* *out NULL: one more than are told apart. */
static enum ice_status find(struct lost *lost, struct ice_str name,
                            struct partition **out) {
    uint64_t key = ice_hash64(name, lost->r->reader->run.hash_seed);
    size_t at = SIZE_MAX;
    uint32_t index;
    while (ice_table_next(&lost->by_name, key, &at, &index)) {
        if (ice_str_equal(lost->items[index].name, name)) {
            *out = &lost->items[index];
            return ICE_OK;
        }
    }
    *out = NULL;
    if (lost->n == MOST_PARTITIONS)
        return ICE_OK;
    struct partition *item = &lost->items[lost->n];
    *item = (struct partition){0};
    if (!ice_arena_dup(&lost->arena, name, &item->name) ||
        ice_table_put(&lost->by_name, key, (uint32_t)lost->n) < 0)
        return ICE_ENOMEM;
    lost->n++;
    *out = item;
    return ICE_OK;
}

/* Delete files that go away bring rows back; how many is not theirs to tell. */
static enum ice_status on_file(const struct ice_live_file *file, void *context) {
    struct lost *lost = context;
    if (file->kind != ICE_LIVE_DATA)
        return ICE_OK;
    struct partition *item;
    ICE_TRY(find(lost, file->partition, &item));
    size_t side = file->is_added ? 0 : 1;
    if (item == NULL) {
        lost->n_more++;
        return ICE_OK;
    }
    item->files[side]++;
    if (file->record_count > 0 && item->rows[side] <= INT64_MAX - file->record_count)
        item->rows[side] += file->record_count;
    return ICE_OK;
}

/* ---- JSON ---- */

static void put_sum(struct ice_json_writer *w, const char *name,
                    const struct ice_live_sum *sums) {
    uint64_t deletes = 0;
    for (int kind = ICE_LIVE_DATA + 1; kind < ICE_LIVE_KINDS; kind++)
        deletes += sums[kind].files;
    ice_jw_key(w, name);
    ice_jw_object(w);
    ice_jw_key(w, "data_files");
    ice_jw_u64(w, sums[ICE_LIVE_DATA].files);
    ice_jw_key(w, "rows");
    ice_jw_i64(w, sums[ICE_LIVE_DATA].records);
    ice_jw_key(w, "bytes");
    ice_jw_i64(w, sums[ICE_LIVE_DATA].bytes);
    ice_jw_key(w, "delete_files");
    ice_jw_u64(w, deletes);
    ice_jw_object_end(w);
}

static void put_partitions(struct ice_json_writer *w, const struct lost *lost) {
    ice_jw_key(w, "partitions");
    ice_jw_array(w);
    for (size_t i = 0; i < lost->n; i++) {
        const struct partition *item = &lost->items[i];
        ice_jw_object(w);
        ice_jw_key(w, "partition");
        ice_jw_raw(w, item->name);
        ice_jw_key(w, "lost_files");
        ice_jw_u64(w, item->files[0]);
        ice_jw_key(w, "lost_rows");
        ice_jw_i64(w, item->rows[0]);
        ice_jw_key(w, "regained_files");
        ice_jw_u64(w, item->files[1]);
        ice_jw_key(w, "regained_rows");
        ice_jw_i64(w, item->rows[1]);
        ice_jw_object_end(w);
    }
    ice_jw_array_end(w);
    if (lost->n_more > 0) {
        ice_jw_key(w, "files_of_more_partitions");
        ice_jw_u64(w, lost->n_more);
    }
}

/* Sums of what could be read alone would name as lost nothing of a lost manifest. */
static void put_unknown(struct ice_json_writer *w) {
    static const char *const keys[] = {"lost", "regained", "partitions"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        ice_jw_key(w, keys[i]);
        ice_jw_null(w);
    }
}

/* ---- the two states ---- */

static enum ice_status open_state(struct ice_rescue *r,
                                  const struct ice_rescue_state *state,
                                  struct ice_state *out) {
    const struct ice_rescue_file *file = &r->files[state->file];
    struct ice_error fault;
    ice_error_clear(&fault);
    if (file->order > 0)
        return ice_state_open_file(out, r->reader,
                                   ice_document_find(r->reader, file->name), &fault);
    return state->has_snapshot
               ? ice_state_open_id(out, r->reader, state->snapshot_id, &fault)
               : ice_state_open(out, r->reader, NULL, &fault);
}

/* A file that was cut between two blocks, or that another was copied over, reads without
 * an error, and what it held is not in the sums. */
static bool is_current_told(const struct ice_rescue *r) {
    const struct ice_rescue_file *file = &r->files[0];
    const struct ice_rescue_snapshot *current =
        file->has_snapshot ? ice_rescue_find(r, file->snapshot_id, file->list) : NULL;
    if (current == NULL)
        return true;
    for (const struct ice_rescue_fault *f = current->verdict.first; f != NULL;
         f = f->next) {
        if (strcmp(f->rule, "avro.truncated") == 0 ||
            strcmp(f->rule, "list.header.snapshot-id") == 0)
            return false;
    }
    return true;
}

static enum ice_status compare(struct ice_rescue *r, const struct ice_rescue_state *state,
                               struct lost *lost, struct ice_rescue_lost *out) {
    struct ice_state from = {0}, to = {0};
    struct ice_partition_view view = {0};
    struct ice_error fault;
    ice_error_clear(&fault);
    enum ice_status status = open_state(r, state, &from);
    if (status >= 0)
        status = ice_state_open(&to, r->reader, NULL, &fault);
    if (status >= 0)
        status =
            ice_partition_view_init(&view, &r->reader->run, r->reader->metadata, &fault);
    if (status >= 0)
        status = ice_live_change(&from, &to, &view, on_file, lost, &out->totals, &fault);
    out->is_known = status >= 0 && out->totals.is_known[0] && out->totals.is_known[1] &&
                    out->totals.n_unread[0] == 0 && out->totals.n_unread[1] == 0 &&
                    is_current_told(r);
    ice_partition_view_release(&view);
    ice_state_release(&to);
    ice_state_release(&from);
    if (status == ICE_ENOMEM)
        return ice_error_memory(r->err);
    return ice_error_pass_final(r->err, status, &fault);
}

enum ice_status ice_rescue_write_lost(struct ice_rescue *r,
                                      const struct ice_rescue_state *state,
                                      struct ice_json_writer *w,
                                      struct ice_rescue_lost *out) {
    struct ice_alloc *alloc = &r->reader->run.alloc;
    struct lost *lost = ice_calloc(alloc, 1, sizeof(*lost));
    struct ice_rescue_lost found = {0};
    if (lost == NULL)
        return ice_error_memory(r->err);
    lost->r = r;
    ice_arena_init(&lost->arena, alloc);
    ice_table_init(&lost->by_name, alloc);
    /* what of the current state is broken was told before */
    ice_trouble_fn on_trouble = r->reader->on_trouble;
    r->reader->on_trouble = NULL;
    enum ice_status status = compare(r, state, lost, &found);
    r->reader->on_trouble = on_trouble;
    if (status >= 0) {
        ice_jw_object(w);
        ice_jw_key(w, "is_exact");
        ice_jw_bool(w, found.is_known);
        if (found.is_known) {
            put_sum(w, "lost", found.totals.added);
            put_sum(w, "regained", found.totals.removed);
            put_partitions(w, lost);
        } else {
            put_unknown(w);
        }
        ice_jw_object_end(w);
    }
    ice_table_release(&lost->by_name);
    ice_arena_release(&lost->arena);
    ice_free(alloc, lost, sizeof(*lost));
    *out = found;
    return status;
}
