/*
 * What two states would scan differently.
 *
 * Each side's list is walked first for its manifests alone; then `from` is read into a
 * bag of hashes, `to` streams past it, and where something of the bag is left, `from` is
 * read once more for the names.
 */
#include "answer/live_change.h"

#include "answer/live_set.h"
#include "base/error.h"
#include "base/size.h"

enum { FROM, TO };

struct side {
    const struct ice_state *state;
    struct ice_buf is_own; /* by row of its list, one byte: the other side lacks it */
    size_t n_rows;         /* of the list, in this walk */
    uint64_t n_list_faults;
};

struct change {
    struct side sides[2];
    struct ice_live_set manifests, files; /* of from */
    struct ice_partition_view *view;
    struct ice_run *run;
    struct ice_buf key, partition; /* scratch */
    ice_live_fn each;
    void *context;
    struct ice_live_totals *totals;
    struct ice_error *err;
    /* of the walk that is under way */
    size_t at;
    uint64_t n_own;    /* manifests to read, of both sides */
    bool is_second;    /* from once more, for the names of what is left */
    bool is_bound;     /* the view, to the manifest that is being read */
    uint64_t n_untold; /* faults of quiet walks */
    bool is_told;      /* another walk has told faults */
};

const char *ice_live_kind_name(enum ice_live_kind kind) {
    switch (kind) {
    case ICE_LIVE_DATA:
        return "data";
    case ICE_LIVE_POSITION_DELETES:
        return "position-deletes";
    case ICE_LIVE_EQUALITY_DELETES:
        return "equality-deletes";
    case ICE_LIVE_DV:
        return "dv";
    case ICE_LIVE_KINDS:
        break;
    }
    return "";
}

/* ---- files ---- */

static enum ice_live_kind kind_of(const struct ice_listed_entry *item) {
    if (item->entry->file.content == ICE_CONTENT_EQUALITY_DELETES)
        return ICE_LIVE_EQUALITY_DELETES;
    if (item->entry->file.content != ICE_CONTENT_POSITION_DELETES)
        return ICE_LIVE_DATA;
    return ice_entry_has(item->manifest, item->entry, ICE_FILE_content_offset)
               ? ICE_LIVE_DV
               : ICE_LIVE_POSITION_DELETES;
}

/* Several deletion vectors lie in one file. */
static enum ice_status hash_of(struct change *c, const struct ice_listed_entry *item,
                               struct ice_hash *out) {
    struct ice_str path = item->entry->file.file_path;
    if (kind_of(item) == ICE_LIVE_DV) {
        int64_t offset = item->entry->file.content_offset;
        ice_buf_clear(&c->key);
        ICE_TRY(ice_buf_append_str(&c->key, path));
        ICE_TRY(ice_buf_append(&c->key, &offset, sizeof(offset)));
        path = ice_buf_str(&c->key);
    }
    *out = ice_hash128(path, c->run->hash_seed);
    return ICE_OK;
}

static void add(int64_t *sum, int64_t value) {
    if (!ice_i64_add(*sum, value, sum))
        *sum = value < 0 ? INT64_MIN : INT64_MAX;
}

static enum ice_status append_text(const char *data, size_t size, void *user) {
    return ice_buf_append(user, data, size);
}

static enum ice_status partition_text(struct change *c,
                                      const struct ice_listed_entry *item,
                                      struct ice_str *out) {
    struct ice_json_writer w;
    if (!c->is_bound)
        ICE_TRY(ice_partition_view_bind(c->view, item->manifest, c->err));
    c->is_bound = true;
    ice_buf_clear(&c->partition);
    ice_jw_init(&w, append_text, &c->partition, 0);
    if (ice_cell_partition(c->view, &w, &item->entry->file.partition) < 0 ||
        ice_jw_finish(&w) < 0)
        return ice_error_memory(c->err);
    *out = ice_buf_str(&c->partition);
    return ICE_OK;
}

static enum ice_status put(struct change *c, const struct ice_listed_entry *item) {
    const struct ice_data_file *file = &item->entry->file;
    struct ice_live_file out = {.is_added = c->at == TO,
                                .kind = kind_of(item),
                                .path = file->file_path,
                                .record_count = file->record_count,
                                .file_size_in_bytes = file->file_size_in_bytes,
                                .entry = item};
    if (out.kind == ICE_LIVE_DV)
        out.file_size_in_bytes = file->content_size_in_bytes;
    struct ice_live_sum *sum =
        &(out.is_added ? c->totals->added : c->totals->removed)[out.kind];
    sum->files++;
    add(&sum->records, out.record_count);
    add(&sum->bytes, out.file_size_in_bytes);
    if (c->each == NULL)
        return ICE_OK;
    ICE_TRY(partition_text(c, item, &out.partition));
    return c->each(&out, c->context);
}

static enum ice_status on_entry(const struct ice_listed_entry *item, void *context) {
    struct change *c = context;
    struct ice_hash hash;
    if (item->entry->status == ICE_STATUS_DELETED)
        return ICE_OK;
    if (hash_of(c, item, &hash) < 0)
        return ice_error_memory(c->err);
    if (c->at == FROM && !c->is_second)
        return ice_live_set_add(&c->files, hash) < 0 ? ice_error_memory(c->err) : ICE_OK;
    bool is_known = ice_live_set_take(&c->files, hash);
    return is_known == c->is_second ? put(c, item) : ICE_OK;
}

/* ---- manifests ---- */

static enum ice_status on_fault(const char *stage, const struct ice_error *fault,
                                struct ice_str path, void *context) {
    struct change *c = context;
    (void)fault;
    (void)path;
    c->sides[c->at].n_list_faults += strcmp(stage, "manifest-list") == 0;
    if (!c->is_second)
        c->totals->n_unread[c->at]++;
    return ICE_OK;
}

/* First walk over from: which manifests there are. */
static enum ice_status keep_manifest(const struct ice_listed_manifest *listed,
                                     void *context) {
    struct change *c = context;
    struct ice_hash hash = ice_hash128(listed->path, c->run->hash_seed);
    return ice_live_set_add(&c->manifests, hash) < 0 ? ice_error_memory(c->err) : ICE_OK;
}

/* Over to: which of them from lists too. */
static enum ice_status match_manifest(const struct ice_listed_manifest *listed,
                                      void *context) {
    struct change *c = context;
    struct ice_hash hash = ice_hash128(listed->path, c->run->hash_seed);
    bool is_same = ice_live_set_take(&c->manifests, hash);
    c->totals->n_same_manifests += is_same;
    c->n_own += !is_same;
    return ice_buf_append_char(&c->sides[TO].is_own, !is_same) < 0
               ? ice_error_memory(c->err)
               : ICE_OK;
}

/* Over from again: what is left of the bag is its own. */
static enum ice_status mark_manifest(const struct ice_listed_manifest *listed,
                                     void *context) {
    struct change *c = context;
    struct ice_hash hash = ice_hash128(listed->path, c->run->hash_seed);
    bool is_own = ice_live_set_take(&c->manifests, hash);
    c->n_own += is_own;
    return ice_buf_append_char(&c->sides[FROM].is_own, is_own) < 0
               ? ice_error_memory(c->err)
               : ICE_OK;
}

static enum ice_status read_manifest(const struct ice_listed_manifest *listed,
                                     void *context) {
    struct change *c = context;
    struct side *side = &c->sides[c->at];
    size_t row = side->n_rows++;
    if (row >= side->is_own.size || !side->is_own.data[row])
        return ICE_OK;
    c->is_bound = false;
    ice_check_progress(&side->state->reader->check, "manifests", c->totals->n_read,
                       c->n_own);
    c->totals->n_read += !c->is_second;
    return ice_state_walk_manifest(side->state, listed, on_entry, on_fault, c, c->err);
}

/* Faults are told, and counted, in the one walk that is not quiet. */
static enum ice_status walk(struct change *c, size_t at, ice_listed_manifest_fn each,
                            bool is_quiet) {
    struct ice_table_reader *reader = c->sides[at].state->reader;
    ice_trouble_fn on_trouble = reader->on_trouble;
    uint64_t n_troubles = reader->n_troubles;
    c->at = at;
    c->sides[at].n_rows = 0;
    if (is_quiet)
        reader->on_trouble = NULL;
    enum ice_status status =
        ice_state_walk(c->sides[at].state, each, is_quiet ? NULL : on_fault, c, c->err);
    reader->on_trouble = on_trouble;
    if (is_quiet) {
        c->n_untold += reader->n_troubles - n_troubles;
        reader->n_troubles = n_troubles;
    } else if (reader->n_troubles > n_troubles) {
        c->is_told = true;
    }
    return status;
}

/* What only a quiet walk met was gone when the file was read again: the walks do not fit.
 */
static void tell_passing_fault(struct change *c) {
    struct ice_error fault;
    if (c->n_untold == 0 || c->is_told)
        return;
    ice_error_clear(&fault);
    (void)ice_error_set(
        &fault, ICE_EIO, "source.unreadable", ICE_NO_OFFSET,
        "a manifest list or manifest could not be read at first, but later: "
        "what is compared here may be wrong; run it again");
    ice_table_reader_tell(c->sides[TO].state->reader, &fault);
}

static bool is_described(const struct ice_state *state) {
    return !state->has_snapshot || state->snapshot != SIZE_MAX;
}

/* Only in walks that were not quiet; a list that broke off later is known in part. */
static bool is_read(const struct side *side) {
    return is_described(side->state) &&
           (side->n_list_faults == 0 || side->is_own.size > 0);
}

static enum ice_status nothing(const struct ice_listed_manifest *listed, void *context) {
    (void)listed;
    (void)context;
    return ICE_OK;
}

static enum ice_status compare_sides(struct change *c) {
    ICE_TRY(walk(c, FROM, keep_manifest, true));
    ice_live_set_sort(&c->manifests);
    ICE_TRY(walk(c, TO, match_manifest, true));
    ICE_TRY(walk(c, FROM, mark_manifest, true));
    bool can_from = is_described(c->sides[FROM].state);
    ICE_TRY(walk(c, FROM, read_manifest, false));
    c->totals->is_known[FROM] = is_read(&c->sides[FROM]);
    ice_live_set_sort(&c->files);
    if (!can_from || !c->totals->is_known[FROM]) {
        ICE_TRY(walk(c, TO, nothing, false));
        c->totals->is_known[TO] = is_read(&c->sides[TO]);
        return ICE_OK;
    }
    ICE_TRY(walk(c, TO, read_manifest, false));
    c->totals->is_known[TO] = is_read(&c->sides[TO]);
    if (!c->totals->is_known[TO] || c->files.n_taken == c->files.n)
        return ICE_OK;
    c->is_second = true;
    return walk(c, FROM, read_manifest, true);
}

static enum ice_status compare(struct change *c) {
    enum ice_status status = compare_sides(c);
    if (status >= 0)
        tell_passing_fault(c);
    return status;
}

enum ice_status ice_live_change(const struct ice_state *from, const struct ice_state *to,
                                struct ice_partition_view *view, ice_live_fn each,
                                void *context, struct ice_live_totals *out,
                                struct ice_error *err) {
    struct ice_run *run = &from->reader->run;
    struct change c = {.sides = {{.state = from}, {.state = to}},
                       .view = view,
                       .run = run,
                       .each = each,
                       .context = context,
                       .totals = out,
                       .err = err};
    *out = (struct ice_live_totals){0};
    ice_live_set_init(&c.manifests, &run->alloc);
    ice_live_set_init(&c.files, &run->alloc);
    ice_buf_init(&c.key, &run->alloc, SIZE_MAX);
    ice_buf_init(&c.partition, &run->alloc, SIZE_MAX);
    for (size_t i = 0; i < 2; i++)
        ice_buf_init(&c.sides[i].is_own, &run->alloc, SIZE_MAX);
    enum ice_status status = compare(&c);
    for (size_t i = 0; i < 2; i++)
        ice_buf_release(&c.sides[i].is_own);
    ice_buf_release(&c.partition);
    ice_buf_release(&c.key);
    ice_live_set_release(&c.files);
    ice_live_set_release(&c.manifests);
    return status;
}
