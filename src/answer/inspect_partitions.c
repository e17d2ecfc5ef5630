/*
 * Table partitions: the live files of a snapshot, grouped by partition value. Memory
 * grows with the number of partitions, about 120 bytes and the JSON of its value each.
 */
#include "answer/inspect.h"

#include "answer/cells.h"
#include "base/error.h"
#include "base/size.h"

const struct ice_column ice_columns_partitions[] = {
    {"partition", ICE_VALUE_JSON},
    {"spec_id", ICE_VALUE_I64},
    {"record_count", ICE_VALUE_I64},
    {"file_count", ICE_VALUE_I64},
    {"total_data_file_size_in_bytes", ICE_VALUE_I64},
    {"position_delete_record_count", ICE_VALUE_I64},
    {"position_delete_file_count", ICE_VALUE_I64},
    {"equality_delete_record_count", ICE_VALUE_I64},
    {"equality_delete_file_count", ICE_VALUE_I64},
    {"last_updated_at", ICE_VALUE_TIME},
    {"last_updated_snapshot_id", ICE_VALUE_I64},
    {NULL, ICE_VALUE_NULL},
};

struct partition {
    struct ice_str json;
    int32_t spec_id;              /* of the last file, as Iceberg has it */
    int64_t records[3], files[3]; /* by content */
    int64_t data_bytes;
    bool has_update;
    int64_t updated_ms, updated_id;
};

struct partitions_query {
    struct ice_inspection *in;
    struct ice_partition_view view;
    struct ice_arena arena; /* the JSON of partitions */
    struct ice_table by_json;
    struct partition *items;
    size_t n, capacity;
    struct ice_buf key;
    bool is_bound;
    struct ice_error *err;
};

static enum ice_status append_key(const char *data, size_t size, void *user) {
    struct ice_buf *key = user;
    return ice_buf_append(key, data, size);
}

static enum ice_status add_partition(struct partitions_query *q, uint64_t hash,
                                     struct partition **out) {
    struct ice_alloc *alloc = &q->in->reader->run.alloc;
    if (!ice_array_reserve(alloc, &q->items, q->n, &q->capacity, sizeof(*q->items)))
        return ice_error_memory(q->err);
    *out = &q->items[q->n];
    **out = (struct partition){0};
    if (q->n >= UINT32_MAX)
        return ice_error_set(q->err, ICE_ELIMIT, NULL, ICE_NO_OFFSET,
                             "too many partitions");
    if (!ice_arena_dup(&q->arena, ice_buf_str(&q->key), &(*out)->json) ||
        ice_table_put(&q->by_json, hash, (uint32_t)q->n) < 0)
        return ice_error_memory(q->err);
    q->n++;
    return ICE_OK;
}

/* The partition of an entry; its JSON is the key, since equal values print equally. */
static enum ice_status find_partition(struct partitions_query *q,
                                      const struct ice_tuple *tuple,
                                      struct partition **out) {
    struct ice_json_writer w;
    ice_buf_clear(&q->key);
    ice_jw_init(&w, append_key, &q->key, 0);
    if (ice_cell_partition(&q->view, &w, tuple) < 0 || ice_jw_finish(&w) < 0)
        return ice_error_memory(q->err);
    uint64_t hash = ice_hash64(ice_buf_str(&q->key), q->in->reader->run.hash_seed);
    size_t at = SIZE_MAX;
    uint32_t index;
    while (ice_table_next(&q->by_json, hash, &at, &index)) {
        if (ice_str_equal(q->items[index].json, ice_buf_str(&q->key))) {
            *out = &q->items[index];
            return ICE_OK;
        }
    }
    return add_partition(q, hash, out);
}

/* Sums of hostile counts stay at the end of the range instead of wrapping. */
static void add(int64_t *sum, int64_t value) {
    if (!ice_i64_add(*sum, value, sum))
        *sum = value < 0 ? INT64_MIN : INT64_MAX;
}

static void count_file(struct partition *p, const struct ice_metadata *m,
                       const struct ice_listed_entry *item) {
    const struct ice_data_file *file = &item->entry->file;
    size_t content = file->content == ICE_CONTENT_POSITION_DELETES   ? 1
                     : file->content == ICE_CONTENT_EQUALITY_DELETES ? 2
                                                                     : 0;
    p->spec_id = item->spec_id;
    add(&p->records[content], file->record_count);
    p->files[content]++;
    if (content == 0)
        add(&p->data_bytes, file->file_size_in_bytes);
    size_t at = item->effective.has_snapshot_id
                    ? ice_metadata_find_snapshot(m, item->effective.snapshot_id)
                    : SIZE_MAX;
    if (at == SIZE_MAX || !ice_snapshot_has(&m->snapshots[at], ICE_SNAP_timestamp_ms))
        return;
    if (p->has_update && m->snapshots[at].timestamp_ms <= p->updated_ms)
        return;
    p->has_update = true;
    p->updated_ms = m->snapshots[at].timestamp_ms;
    p->updated_id = m->snapshots[at].snapshot_id;
}

static enum ice_status on_entry(const struct ice_listed_entry *item, void *context) {
    struct partitions_query *q = context;
    struct partition *partition;
    if (item->entry->status == ICE_STATUS_DELETED)
        return ICE_OK;
    if (!q->is_bound)
        ICE_TRY(ice_partition_view_bind(&q->view, item->manifest, q->err));
    q->is_bound = true;
    ICE_TRY(find_partition(q, &item->entry->file.partition, &partition));
    count_file(partition, q->in->reader->metadata, item);
    return ICE_OK;
}

static enum ice_status on_manifest(const struct ice_listed_manifest *listed,
                                   void *context) {
    struct partitions_query *q = context;
    q->is_bound = false;
    return ice_walk_manifest(q->in->reader, listed, on_entry, NULL, q, q->err);
}

static enum ice_status partition_row(struct partitions_query *q,
                                     const struct partition *p) {
    struct ice_row *row = &q->in->row;
    ice_row_begin(row);
    ice_jw_raw(ice_row_json(row), p->json);
    ice_row_json_end(row);
    ice_row_i64(row, p->spec_id);
    ice_row_i64(row, p->records[0]);
    ice_row_i64(row, p->files[0]);
    ice_row_i64(row, p->data_bytes);
    for (size_t content = 1; content < 3; content++) {
        ice_row_i64(row, p->records[content]);
        ice_row_i64(row, p->files[content]);
    }
    ice_row_time_if(row, p->has_update, p->updated_ms);
    ice_row_i64_if(row, p->has_update, p->updated_id);
    return ice_row_send(row, q->err);
}

enum ice_status ice_inspect_partitions(struct ice_inspection *in, struct ice_error *err) {
    struct ice_run *run = &in->reader->run;
    struct partitions_query q = {.in = in, .err = err};
    size_t snapshot;
    ICE_TRY(ice_table_reader_snapshot(in->reader, &snapshot, err));
    if (snapshot == SIZE_MAX)
        return ICE_OK;
    ice_arena_init(&q.arena, &run->alloc);
    ice_table_init(&q.by_json, &run->alloc);
    ice_buf_init(&q.key, &run->alloc, SIZE_MAX);
    enum ice_status status =
        ice_partition_view_init(&q.view, run, in->reader->metadata, err);
    if (status >= 0)
        status = ice_walk_snapshot(in->reader, snapshot, on_manifest, NULL, &q, err);
    for (size_t i = 0; status == ICE_OK && i < q.n; i++)
        status = partition_row(&q, &q.items[i]);
    ice_partition_view_release(&q.view);
    ice_buf_release(&q.key);
    ice_table_release(&q.by_json);
    ice_array_free(&run->alloc, &q.items, &q.capacity, sizeof(*q.items));
    ice_arena_release(&q.arena);
    return status;
}
