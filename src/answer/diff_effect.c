/*
 * What a full scan of each state would read differently: files, records, bytes, and the
 * same by partition. About 100 bytes and its JSON a partition that changed.
 */
#include "answer/diff.h"

#include "base/error.h"
#include "base/size.h"
#include "check/storage.h"
#include "json/reader.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

struct partition {
    struct ice_str json;
    bool is_wanted; /* --partition */
    int64_t numbers[ICE_DIFF_NUMBERS];
};

struct effect {
    struct ice_diff *d;
    struct ice_partition_view view;
    struct ice_arena arena; /* the JSON of partitions */
    struct ice_table by_json;
    struct partition *items;
    size_t n, capacity;
    struct ice_live_totals wanted; /* of the partitions that are wanted */
    bool keeps_names;              /* for the files that are gone */
    struct ice_buf name;
};

static void add(int64_t *sum, int64_t value) {
    if (!ice_i64_add(*sum, value, sum))
        *sum = value < 0 ? INT64_MIN : INT64_MAX;
}

/* ---- a tuple as a person names it: dt=2026-02-28/bucket=3 ---- */

static struct ice_str value_text(const struct ice_json_event *event) {
    switch (event->kind) {
    case ICE_JSON_NULL:
        return ICE_STR("null");
    case ICE_JSON_TRUE:
        return ICE_STR("true");
    case ICE_JSON_FALSE:
        return ICE_STR("false");
    case ICE_JSON_STRING:
    case ICE_JSON_NUMBER:
    case ICE_JSON_KEY:
        return event->text;
    case ICE_JSON_OBJECT:
    case ICE_JSON_OBJECT_END:
    case ICE_JSON_ARRAY:
    case ICE_JSON_ARRAY_END:
        break;
    }
    return ICE_STR_NONE;
}

/* Call each for the members of a flat object. */
typedef enum ice_status (*member_fn)(struct ice_str name, struct ice_str value,
                                     void *context);

static enum ice_status walk_members(struct effect *e, struct ice_str text, member_fn each,
                                    void *context) {
    struct ice_run *run = &e->d->reader->run;
    struct ice_json json = {0};
    struct ice_stream stream = {0};
    struct ice_json_event event;
    struct ice_buf name;
    ice_buf_init(&name, &run->alloc, SIZE_MAX);
    ice_stream_init_memory(&stream, run, text);
    enum ice_status status = ice_json_init(&json, &stream, run, NULL, NULL, e->d->err);
    while (status == ICE_OK &&
           (status = ice_json_next(&json, &event, e->d->err)) == ICE_OK) {
        if (event.kind == ICE_JSON_OBJECT || event.kind == ICE_JSON_OBJECT_END)
            continue;
        if (event.kind != ICE_JSON_KEY) {
            status = each(ice_buf_str(&name), value_text(&event), context);
            continue;
        }
        ice_buf_clear(&name);
        status = ice_buf_append_str(&name, event.text);
    }
    ice_buf_release(&name);
    ice_json_release(&json);
    ice_stream_release(&stream);
    return status == ICE_DONE ? ICE_OK : status;
}

static enum ice_status append_member(struct ice_str name, struct ice_str value,
                                     void *context) {
    struct ice_buf *out = context;
    if (out->size > 0)
        ICE_TRY(ice_buf_append_char(out, '/'));
    ICE_TRY(ice_buf_append_str(out, name));
    ICE_TRY(ice_buf_append_char(out, '='));
    return ice_buf_append_str(out, value);
}

/* ---- --partition ---- */

struct match {
    const struct ice_diff_request *ask;
    size_t n; /* of the request that the tuple fulfils */
};

static enum ice_status match_member(struct ice_str name, struct ice_str value,
                                    void *context) {
    struct match *match = context;
    for (size_t i = 0; i < match->ask->n_partitions; i++) {
        struct ice_str wanted = ice_str_from(match->ask->partitions[i]);
        size_t equals = ice_str_find(wanted, '=');
        match->n += ice_str_equal(ice_str_first(wanted, equals), name) &&
                    ice_str_equal(ice_str_from_index(wanted, equals + 1), value);
    }
    return ICE_OK;
}

static bool has_column(const struct effect *e, struct ice_str name) {
    for (size_t i = 0; i < e->view.n; i++)
        if (ice_str_equal(e->view.columns[i].name, name))
            return true;
    return false;
}

static enum ice_status judge_request(const struct effect *e) {
    const struct ice_diff_request *ask = e->d->ask;
    char name[80], first[80];
    for (size_t i = 0; i < ask->n_partitions; i++) {
        struct ice_str text = ice_str_from(ask->partitions[i]);
        size_t equals = ice_str_find(text, '=');
        struct ice_str wanted = ice_str_first(text, equals);
        if (equals != SIZE_MAX && has_column(e, wanted))
            continue;
        (void)ice_escape(name, sizeof(name), wanted);
        if (e->view.n == 0)
            return ice_error_set(e->d->err, ICE_EARG, NULL, ICE_NO_OFFSET,
                                 "the table is not partitioned: there is no '%s'", name);
        return ice_error_set(e->d->err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "no partition field '%s' with a value behind '=': there is "
                             "%s (inspect specs)",
                             name,
                             ice_escape(first, sizeof(first), e->view.columns[0].name));
    }
    return ICE_OK;
}

/* ---- gathering ---- */

static enum ice_status new_partition(struct effect *e, struct ice_str json, uint64_t hash,
                                     struct partition **out) {
    struct match match = {.ask = e->d->ask};
    if (!ice_array_reserve(&e->d->reader->run.alloc, &e->items, e->n, &e->capacity,
                           sizeof(*e->items)))
        return ice_error_memory(e->d->err);
    if (e->n >= UINT32_MAX)
        return ice_error_set(e->d->err, ICE_ELIMIT, NULL, ICE_NO_OFFSET,
                             "too many partitions");
    *out = &e->items[e->n];
    **out = (struct partition){0};
    if (!ice_arena_dup(&e->arena, json, &(*out)->json) ||
        ice_table_put(&e->by_json, hash, (uint32_t)e->n) < 0)
        return ice_error_memory(e->d->err);
    e->n++;
    if (match.ask->n_partitions > 0)
        ICE_TRY(walk_members(e, json, match_member, &match));
    (*out)->is_wanted = match.n >= match.ask->n_partitions;
    return ICE_OK;
}

/* Its JSON is the key, since equal values print equally. */
static enum ice_status find_partition(struct effect *e, struct ice_str json,
                                      struct partition **out) {
    uint64_t hash = ice_hash64(json, e->d->reader->run.hash_seed);
    size_t at = SIZE_MAX;
    uint32_t index;
    while (ice_table_next(&e->by_json, hash, &at, &index)) {
        if (ice_str_equal(e->items[index].json, json)) {
            *out = &e->items[index];
            return ICE_OK;
        }
    }
    return new_partition(e, json, hash, out);
}

/* As findings on storage name it. */
static enum ice_status keep_name(struct effect *e, struct ice_str path) {
    const struct ice_table_reader *reader = e->d->reader;
    struct ice_str name = ice_storage_name(&reader->check, path);
    if (ice_live_set_add(&e->d->removed, ice_hash128(name, reader->run.hash_seed)) < 0)
        return ice_error_memory(e->d->err);
    return ICE_OK;
}

static enum ice_status on_file(const struct ice_live_file *file, void *context) {
    struct effect *e = context;
    struct partition *p = NULL;
    if (e->keeps_names && !file->is_added)
        ICE_TRY(keep_name(e, file->path));
    ICE_TRY(find_partition(e, file->partition, &p));
    assert(p != NULL);
    if (!p->is_wanted)
        return ICE_OK;
    struct ice_live_sum *sum =
        &(file->is_added ? e->wanted.added : e->wanted.removed)[file->kind];
    sum->files++;
    add(&sum->records, file->record_count);
    add(&sum->bytes, file->file_size_in_bytes);
    size_t side = file->is_added ? 0 : 1; /* numbers stand in pairs: added, removed */
    add(&p->numbers[ICE_DIFF_BYTES_ADDED + side], file->file_size_in_bytes);
    if (file->kind != ICE_LIVE_DATA) {
        add(&p->numbers[ICE_DIFF_DELETES_ADDED + side], 1);
        return ICE_OK;
    }
    add(&p->numbers[ICE_DIFF_FILES_ADDED + side], 1);
    add(&p->numbers[ICE_DIFF_RECORDS_ADDED + side], file->record_count);
    return ICE_OK;
}

/* ---- rows of effect ---- */

static int64_t narrow(uint64_t count) {
    return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

static void set(struct ice_diff_row *row, enum ice_diff_number number, int64_t value) {
    row->has_numbers |= 1u << number;
    row->numbers[number] = value;
}

static enum ice_status kind_row(struct effect *e, enum ice_live_kind kind, bool is_same) {
    const struct ice_live_sum *in = &e->wanted.added[kind],
                              *out = &e->wanted.removed[kind];
    struct ice_diff_row row = {.section = "effect",
                               .name = ice_str_from(ice_live_kind_name(kind))};
    if (in->files + out->files > 0)
        e->d->differs = true;
    else if (kind != ICE_LIVE_DATA)
        return ICE_OK;
    if (is_same)
        row.detail = e->d->ask->n_partitions > 0
                         ? ICE_STR("a scan of this partition reads the same files")
                         : ICE_STR("a full scan reads the same files");
    set(&row, ICE_DIFF_FILES_ADDED, narrow(in->files));
    set(&row, ICE_DIFF_FILES_REMOVED, narrow(out->files));
    set(&row, ICE_DIFF_RECORDS_ADDED, in->records);
    set(&row, ICE_DIFF_RECORDS_REMOVED, out->records);
    set(&row, ICE_DIFF_BYTES_ADDED, in->bytes);
    set(&row, ICE_DIFF_BYTES_REMOVED, out->bytes);
    return ice_diff_put(e->d, &row);
}

/* The files are not known: what the commits between say of themselves. */
static enum ice_status sums_row(struct effect *e) {
    struct ice_diff_row row = {
        .section = "effect",
        .name = ICE_STR("by-summaries"),
        .detail =
            ICE_STR("sums of what the missed commits say of themselves: not the net "
                    "effect where one took back what another added")};
    if (!e->d->has_sums || e->d->ask->n_partitions > 0)
        return ICE_OK;
    for (unsigned i = 0; i < ICE_DIFF_NUMBERS; i++)
        set(&row, (enum ice_diff_number)i, e->d->sums[i]);
    return ice_diff_put(e->d, &row);
}

static enum ice_status not_known(struct effect *e, const char *name,
                                 const struct ice_state *state) {
    if (ice_state_snapshot(state) == NULL)
        return ice_diff_unknown(e->d, state->document.file,
                                "what \"%s\" reads is not known: no metadata file here "
                                "describes snapshot %" PRId64,
                                name, state->snapshot_id);
    return ice_diff_unknown(
        e->d, state->document.file,
        "what \"%s\" reads is not known: the manifest list of snapshot "
        "%" PRId64 " was not read",
        name, state->snapshot_id);
}

static enum ice_status in_part(struct effect *e, const char *name, uint64_t n,
                               const char *wrong) {
    return n == 0
               ? ICE_OK
               : ice_diff_unknown(e->d, ICE_STR_NONE,
                                  "%" PRIu64 " %s of \"%s\" %s not read whole: "
                                  "files may be counted as %s that are not",
                                  n, n == 1 ? "list or manifest" : "lists or manifests",
                                  name, n == 1 ? "was" : "were", wrong);
}

/* ---- rows of partitions ---- */

/* How much of it changed: the most first. */
static uint64_t weight(const struct partition *p) {
    int64_t sum = 0;
    for (size_t i = ICE_DIFF_RECORDS_ADDED; i <= ICE_DIFF_RECORDS_REMOVED; i++)
        add(&sum, p->numbers[i]);
    return sum < 0 ? 0 : (uint64_t)sum;
}

static int compare(const void *left, const void *right) {
    const struct partition *a = left, *b = right;
    if (weight(a) != weight(b))
        return weight(a) > weight(b) ? -1 : 1;
    return ice_str_compare(a->json, b->json);
}

static enum ice_status partition_row(struct effect *e, const struct partition *p) {
    struct ice_diff_row row = {.section = "partitions", .partition = p->json};
    ice_buf_clear(&e->name);
    if (walk_members(e, p->json, append_member, &e->name) < 0)
        return ice_error_memory(e->d->err);
    row.name = ice_buf_str(&e->name);
    for (unsigned i = 0; i < ICE_DIFF_NUMBERS; i++)
        set(&row, (enum ice_diff_number)i, p->numbers[i]);
    return ice_diff_put(e->d, &row);
}

static enum ice_status partition_rows(struct effect *e) {
    if (e->n > 1)
        qsort(e->items, e->n, sizeof(*e->items), compare);
    for (size_t i = 0; i < e->n; i++)
        if (e->items[i].is_wanted && !ice_str_is(e->items[i].json, "{}"))
            ICE_TRY(partition_row(e, &e->items[i]));
    return ICE_OK;
}

/* ---- all ---- */

static enum ice_status answer(struct effect *e) {
    struct ice_diff *d = e->d;
    struct ice_live_totals totals;
    ICE_TRY(judge_request(e));
    ICE_TRY(ice_live_change(&d->from, &d->to, &e->view, on_file, e, &totals, d->err));
    d->to_is_unread = (!totals.is_known[1] && ice_state_snapshot(&d->to) != NULL) ||
                      totals.n_unread[1] > 0;
    if (!totals.is_known[0] || !totals.is_known[1]) {
        ICE_TRY(sums_row(e));
        if (!totals.is_known[0])
            ICE_TRY(not_known(e, "from", &d->from));
        return totals.is_known[1] ? ICE_OK : not_known(e, "to", &d->to);
    }
    uint64_t n_files = 0;
    for (unsigned kind = 0; kind < ICE_LIVE_KINDS; kind++)
        n_files += e->wanted.added[kind].files + e->wanted.removed[kind].files;
    d->has_removed = e->keeps_names && totals.n_unread[0] == 0 && totals.n_unread[1] == 0;
    ice_live_set_sort(&d->removed);
    for (unsigned kind = 0; kind < ICE_LIVE_KINDS; kind++)
        ICE_TRY(kind_row(e, (enum ice_live_kind)kind,
                         n_files + totals.n_unread[0] + totals.n_unread[1] == 0));
    ICE_TRY(partition_rows(e));
    ICE_TRY(in_part(e, "from", totals.n_unread[0], "added"));
    return in_part(e, "to", totals.n_unread[1], "removed");
}

enum ice_status ice_diff_effect(struct ice_diff *d) {
    struct ice_run *run = &d->reader->run;
    struct effect e = {.d = d};
    /* of the later document: it has the specs of the earlier one too */
    const struct ice_metadata *a = d->from.document.metadata,
                              *b = d->to.document.metadata;
    e.keeps_names = ice_storage_is_asked(&d->reader->check) &&
                    ice_str_equal(a->location, d->reader->metadata->location);
    ice_arena_init(&e.arena, &run->alloc);
    ice_table_init(&e.by_json, &run->alloc);
    ice_buf_init(&e.name, &run->alloc, SIZE_MAX);
    enum ice_status status =
        ice_partition_view_init(&e.view, run, a->n_specs > b->n_specs ? a : b, d->err);
    if (status >= 0)
        status = answer(&e);
    ice_partition_view_release(&e.view);
    ice_buf_release(&e.name);
    ice_table_release(&e.by_json);
    ice_array_free(&run->alloc, &e.items, &e.capacity, sizeof(*e.items));
    ice_arena_release(&e.arena);
    return status;
}
