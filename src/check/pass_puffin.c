/*
 * With --depth puffin: Puffin files that live deletion vectors and statistics entries
 * name, as far as they are here. Each is read once.
 *
 * reads          manifests with position deletes once more, then the Puffin files
 * checks         group 28
 * leaves behind  nothing; frees the facts
 */
#include "base/error.h"
#include "check/facts.h"
#include "check/puffin_rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct asking {
    struct ice_check *ck;
    struct ice_arena arena; /* paths and names of asks */
    struct ice_puffin_ask *items;
    size_t n, capacity;
    uint64_t n_absent, n_unmapped; /* files, with the first of them */
    struct ice_str absent, unmapped;
};

static enum ice_status add(struct asking *a, struct ice_puffin_ask ask) {
    if (!ice_array_reserve(&a->ck->run->alloc, &a->items, a->n, &a->capacity,
                           sizeof(*a->items)))
        return ICE_ENOMEM;
    a->items[a->n++] = ask;
    return ICE_OK;
}

/* Vectors of one Puffin file mostly follow each other. */
static bool keep_path(struct asking *a, struct ice_str path, struct ice_str *out) {
    if (a->n > 0 && ice_str_equal(a->items[a->n - 1].path, path)) {
        *out = a->items[a->n - 1].path;
        return true;
    }
    return ice_arena_dup(&a->arena, path, out);
}

/* ---- who asks ---- */

static enum ice_status add_statistics(struct asking *a) {
    const struct ice_metadata *m = &a->ck->metadata;
    for (size_t i = 0; i < m->n_statistics; i++) {
        const struct ice_statistics *one = &m->statistics[i];
        if (!one->is_partition && one->has_path) /* partition statistics are data files */
            ICE_TRY(
                add(a, (struct ice_puffin_ask){.path = one->path, .statistics = one}));
    }
    return ICE_OK;
}

static bool is_vector(const struct ice_manifest *manifest,
                      const struct ice_manifest_entry *entry) {
    const struct ice_data_file *file = &entry->file;
    return entry->status != ICE_STATUS_DELETED &&
           file->content == ICE_CONTENT_POSITION_DELETES && file->file_path.size > 0 &&
           ice_entry_has(manifest, entry, ICE_FILE_file_format) &&
           ice_str_equal_nocase(file->file_format, ICE_STR("puffin")) &&
           ice_entry_has(manifest, entry, ICE_FILE_content_offset) &&
           ice_entry_has(manifest, entry, ICE_FILE_content_size_in_bytes);
}

static enum ice_status add_vector(struct asking *a, const struct ice_manifest *manifest,
                                  const struct ice_manifest_entry *entry, uint32_t number,
                                  const struct ice_str *names) {
    const struct ice_data_file *file = &entry->file;
    struct ice_puffin_ask ask = {
        .manifest = number,
        .record = manifest->rows.record,
        .block = manifest->rows.block.index,
        .block_offset = manifest->rows.block.offset,
        .names = names,
        .offset = file->content_offset,
        .size = file->content_size_in_bytes,
        .cardinality = file->record_count,
        .has_cardinality = ice_entry_has(manifest, entry, ICE_FILE_record_count),
        .data_rows = -1};
    if (!keep_path(a, file->file_path, &ask.path))
        return ICE_ENOMEM;
    if (ice_entry_has(manifest, entry, ICE_FILE_referenced_data_file) &&
        file->referenced_data_file.size > 0) {
        if (!ice_arena_dup(&a->arena, file->referenced_data_file, &ask.data_file))
            return ICE_ENOMEM;
        if (a->ck->facts)
            ICE_TRY(ice_fact_rows(a->ck->facts, ask.data_file, &ask.data_rows));
    }
    return add(a, ask);
}

static const struct ice_str *copy_names(struct asking *a,
                                        const struct ice_manifest *manifest) {
    struct ice_str *all = ice_arena_array(&a->arena, ICE_ENTRY_COUNT, sizeof(*all));
    for (int bit = 0; all && bit < ICE_ENTRY_COUNT; bit++)
        if (!ice_arena_dup(&a->arena,
                           ice_manifest_column_name(manifest, (enum ice_entry_bit)bit),
                           &all[bit]))
            return NULL;
    return all;
}

/* What cannot be read was said in pass 3. */
static enum ice_status read_entries(struct asking *a, struct ice_stream *stream,
                                    uint32_t number) {
    struct ice_manifest manifest;
    struct ice_error fault;
    const struct ice_manifest_entry *entry = NULL;
    const struct ice_str *names = NULL;
    ice_error_clear(&fault);
    enum ice_status status =
        ice_manifest_open(&manifest, a->ck->run, stream, NULL, NULL, &fault);
    while (status >= 0 && !manifest.encrypted) {
        ice_error_clear(&fault);
        status = ice_manifest_next(&manifest, &entry, &fault);
        if (status == ICE_DONE)
            break;
        if (status == ICE_EFORMAT || status == ICE_ELIMIT) {
            status = ICE_OK; /* the rest of the block; the reader goes on behind it */
            continue;
        }
        if (status < 0 || !is_vector(&manifest, entry))
            continue;
        if (names == NULL && (names = copy_names(a, &manifest)) == NULL)
            status = ICE_ENOMEM;
        else
            status = add_vector(a, &manifest, entry, number, names);
    }
    ice_manifest_release(&manifest);
    return status == ICE_ENOMEM || status == ICE_ECANCELLED ? status : ICE_OK;
}

static enum ice_status add_manifest(struct asking *a, uint32_t number,
                                    struct ice_error *err) {
    struct ice_check *ck = a->ck;
    const struct ice_manifest_facts *facts = &ck->manifests[number];
    struct ice_stream stream = {0};
    bool is_mapped;
    uint64_t counted = ck->n_bytes;
    enum ice_status status = ice_check_open_present(
        ck, facts->path, ICE_ORDER_MANIFEST + number, ice_manifest_scope(ck, facts),
        "manifest", &stream, &is_mapped, err);
    ck->n_bytes = counted; /* in pass 3 */
    if (status < 0)
        return ice_status_is_final(status) ? status : ICE_OK;
    status = read_entries(a, &stream, number);
    ice_stream_release(&stream);
    return status == ICE_ENOMEM ? ice_error_memory(err) : status;
}

static enum ice_status add_vectors(struct asking *a, struct ice_error *err) {
    const struct ice_check *ck = a->ck;
    for (size_t i = 0; ck->version >= 3 && i < ck->n_manifests; i++) {
        const struct ice_manifest_facts *facts = &ck->manifests[i];
        bool was_read = facts->state == ICE_READ_WHOLE || facts->state == ICE_READ_PARTLY;
        if (was_read && facts->totals.has_contents[ICE_CONTENT_POSITION_DELETES])
            ICE_TRY(add_manifest(a, (uint32_t)i, err));
    }
    return ICE_OK;
}

/* ---- each file once, each vector once ---- */

static int compare_numbers(int64_t a, int64_t b) {
    return a < b ? -1 : a > b;
}

/* Of equal ones, which several manifests list. */
static int compare_vectors(const struct ice_puffin_ask *a,
                           const struct ice_puffin_ask *b) {
    int order = ice_str_compare(a->path, b->path);
    if (order == 0)
        order = (a->statistics == NULL) - (b->statistics == NULL);
    if (order == 0)
        order = compare_numbers(a->offset, b->offset);
    if (order == 0)
        order = compare_numbers(a->size, b->size);
    if (order == 0)
        order = compare_numbers(a->cardinality, b->cardinality);
    return order != 0 ? order : ice_str_compare(a->data_file, b->data_file);
}

static int compare_asks(const void *a, const void *b) {
    const struct ice_puffin_ask *x = a, *y = b;
    int order = compare_vectors(x, y);
    if (order != 0)
        return order;
    if (x->statistics != y->statistics)
        return ice_str_compare(x->statistics->pointer, y->statistics->pointer);
    if (x->manifest != y->manifest)
        return x->manifest < y->manifest ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

static void sort_asks(struct asking *a) {
    size_t kept = 0;
    if (a->n > 0)
        qsort(a->items, a->n, sizeof(*a->items), compare_asks);
    for (size_t i = 0; i < a->n; i++)
        if (kept == 0 || a->items[i].statistics != NULL ||
            compare_vectors(&a->items[kept - 1], &a->items[i]) != 0)
            a->items[kept++] = a->items[i];
    a->n = kept;
}

/* ---- one file ---- */

static void note_absent(struct asking *a, struct ice_str path, bool is_mapped) {
    uint64_t *count = is_mapped ? &a->n_absent : &a->n_unmapped;
    if ((*count)++ == 0)
        *(is_mapped ? &a->absent : &a->unmapped) = path;
}

static enum ice_status read_file(struct asking *a, const struct ice_puffin_ask *asks,
                                 size_t n, uint64_t order, struct ice_error *err) {
    struct ice_check *ck = a->ck;
    const struct ice_limits *limits = &ck->run->limits;
    uint64_t most = limits->file_bytes < limits->block_packed_bytes
                        ? limits->file_bytes
                        : limits->block_packed_bytes;
    struct ice_place place = ice_place_file(ice_check_file_name(ck, asks->path), order);
    struct ice_stream stream = {0};
    struct ice_puffin puffin = {0};
    struct ice_error fault;
    bool is_mapped = false;
    enum ice_status status = ice_check_open_present(
        ck, asks->path, order, ICE_SCOPE_HEAD, "Puffin file", &stream, &is_mapped, err);
    if (status == ICE_ENOENT)
        note_absent(a, asks->path, is_mapped);
    if (status < 0)
        return ice_status_is_final(status) ? status : ICE_OK;
    ice_error_clear(&fault);
    status = ice_puffin_read(&puffin, ck->run, &stream, most, &fault);
    ice_stream_release(&stream);
    if (status == ICE_OK)
        status = ice_puffin_rules(ck, &puffin, asks, n, order);
    else if (!ice_status_is_final(status))
        status = ice_check_fault(ck, &fault, &place, ICE_SCOPE_HEAD, "Puffin file");
    ice_puffin_release(&puffin);
    return status == ICE_ENOMEM ? ice_error_memory(err) : status;
}

static void tell(struct asking *a, uint64_t n, struct ice_str first, const char *why) {
    char text[120];
    if (n == 0)
        return;
    (void)snprintf(text, sizeof(text), "%" PRIu64 " Puffin file%s %s", n,
                   n == 1 ? "" : "s", why);
    ice_emit_not_evaluated(a->ck->emit, "puffin.*", ice_str_from(text), true,
                           ice_check_file_name(a->ck, first));
}

static enum ice_status read_files(struct asking *a, struct ice_error *err) {
    size_t first = 0;
    for (size_t i = 1; i <= a->n; i++) {
        if (i < a->n && ice_str_equal(a->items[i].path, a->items[first].path))
            continue;
        ice_check_progress(a->ck, "puffin", first, a->n);
        ICE_TRY(
            read_file(a, a->items + first, i - first, ICE_ORDER_GROUPS + 1 + first, err));
        first = i;
    }
    tell(a, a->n_absent, a->absent, "not in the copy that was checked");
    tell(a, a->n_unmapped, a->unmapped, "covered by no --map or root");
    return ICE_OK;
}

enum ice_status ice_pass_puffin(struct ice_check *ck, struct ice_error *err) {
    struct asking a = {.ck = ck};
    ice_arena_init(&a.arena, &ck->run->alloc);
    enum ice_status status = add_statistics(&a);
    if (status == ICE_ENOMEM)
        status = ice_error_memory(err);
    if (status >= 0)
        status = add_vectors(&a, err);
    ice_facts_free(ck);
    sort_asks(&a);
    if (status >= 0)
        status = read_files(&a, err);
    ice_array_free(&ck->run->alloc, &a.items, &a.capacity, sizeof(*a.items));
    ice_arena_release(&a.arena);
    return status;
}
