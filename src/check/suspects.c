/*
 * Entries of suspects, sorted, then found in one reading of each manifest that holds
 * some.
 */
#include "check/suspects.h"

#include "base/compiler.h"
#include "base/error.h"

#include <stdlib.h>

/* One round: suspects and the entries that they name. */
struct names {
    struct ice_check *ck;
    struct ice_arena arena; /* what sides borrow */
    struct ice_suspect *suspects;
    size_t n_suspects, most;
    struct ice_suspect_side *sides; /* 2 * most */
    size_t n;
    struct ice_error *err;
};

static int compare_suspects(const void *a, const void *b) {
    const struct ice_suspect *x = a, *y = b;
    const uint32_t left[] = {x->snapshot, x->entry, x->other, x->before};
    const uint32_t right[] = {y->snapshot, y->entry, y->other, y->before};
    for (size_t i = 0; i < ICE_COUNT_OF(left); i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (int)x->rule - (int)y->rule;
}

static const struct ice_sorter_kind sorted_suspects = {sizeof(struct ice_suspect),
                                                       compare_suspects, NULL};

void ice_suspects_init(struct ice_suspects *suspects, struct ice_check *ck) {
    suspects->ck = ck;
    ice_sorter_init(&suspects->found, &ck->spill, &sorted_suspects);
}

enum ice_status ice_suspect_add(struct ice_suspects *suspects,
                                struct ice_suspect suspect) {
    if (!ice_emit_is_on(suspects->ck->emit, suspect.rule))
        return ICE_OK;
    return ice_sorter_add(&suspects->found, &suspect);
}

void ice_suspects_release(struct ice_suspects *suspects) {
    ice_sorter_release(&suspects->found);
}

/* Exact ones first: in both halves sides ascend as a manifest is read. */
static int compare_sides(const void *a, const void *b) {
    const struct ice_suspect_side *x = a, *y = b;
    if (x->manifest != y->manifest)
        return x->manifest < y->manifest ? -1 : 1;
    if ((x->row >= 0) != (y->row >= 0))
        return x->row >= 0 ? 1 : -1;
    if (x->entry != y->entry)
        return x->entry < y->entry ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static void add_side(struct names *names, uint32_t entry, int64_t row) {
    if (entry == ICE_NO_NUMBER)
        return;
    names->sides[names->n++] =
        (struct ice_suspect_side){.entry = entry,
                                  .row = row,
                                  .manifest = ice_fact_manifest(names->ck->facts, entry)};
}

static void sort_sides(struct names *names) {
    size_t kept = 0;
    qsort(names->sides, names->n, sizeof(*names->sides), compare_sides);
    for (size_t i = 0; i < names->n; i++)
        if (kept == 0 || compare_sides(&names->sides[kept - 1], &names->sides[i]) != 0)
            names->sides[kept++] = names->sides[i];
    names->n = kept;
}

static const struct ice_suspect_side *find_side(const struct names *names, uint32_t entry,
                                                int64_t row) {
    struct ice_suspect_side wanted = {.entry = entry, .row = row};
    if (entry == ICE_NO_NUMBER)
        return NULL;
    wanted.manifest = ice_fact_manifest(names->ck->facts, entry);
    return bsearch(&wanted, names->sides, names->n, sizeof(wanted), compare_sides);
}

/* ---- one manifest ---- */

static const struct ice_str *copy_names(struct ice_arena *arena,
                                        const struct ice_manifest *manifest) {
    struct ice_str *all = ice_arena_array(arena, ICE_ENTRY_COUNT, sizeof(*all));
    for (int bit = 0; all && bit < ICE_ENTRY_COUNT; bit++)
        if (!ice_arena_dup(arena,
                           ice_manifest_column_name(manifest, (enum ice_entry_bit)bit),
                           &all[bit]))
            return NULL;
    return all;
}

static bool keep(struct ice_arena *arena, const struct ice_manifest *manifest,
                 const struct ice_manifest_entry *entry,
                 const struct ice_effective *effective, struct ice_suspect_side *side) {
    const struct ice_data_file *file = &entry->file;
    side->found = true;
    side->record = manifest->rows.record;
    side->block = manifest->rows.block.index;
    side->offset = manifest->rows.block.offset;
    side->rows =
        ice_entry_has(manifest, entry, ICE_FILE_record_count) ? file->record_count : -1;
    side->has_size = ice_entry_has(manifest, entry, ICE_FILE_file_size_in_bytes);
    side->size = file->file_size_in_bytes;
    side->first_row_id = effective->first_row_id;
    side->content_offset = file->content_offset;
    side->content_size = file->content_size_in_bytes;
    return ice_arena_dup(arena, file->file_path, &side->path) &&
           (file->content == ICE_CONTENT_DATA ||
            ice_arena_dup(arena, ice_named_data_file(manifest, entry), &side->data_path));
}

static bool holds_row(const struct ice_manifest_entry *entry,
                      const struct ice_effective *effective, int64_t row) {
    return effective->has_first_row_id && row >= effective->first_row_id &&
           row - effective->first_row_id < entry->file.record_count;
}

struct reading {
    struct ice_check *ck;
    struct ice_arena *arena;
    struct ice_str file;
    struct ice_manifest manifest;
    struct ice_inherit inherit;
    struct ice_suspect_side *sides;
    size_t exact, n_exact; /* next one; sides[n_exact, n) are by row */
    size_t by_row, n;
    uint32_t base;
};

static enum ice_status match(struct reading *r, const struct ice_manifest_entry *entry) {
    struct ice_effective effective;
    uint64_t number = r->base + r->manifest.rows.record;
    ice_inherit_apply(&r->inherit, &r->manifest, entry, &effective);
    while (r->exact < r->n_exact && r->sides[r->exact].entry <= number) {
        struct ice_suspect_side *side = &r->sides[r->exact++];
        if (side->entry == number &&
            !keep(r->arena, &r->manifest, entry, &effective, side))
            return ICE_ENOMEM;
    }
    while (r->by_row < r->n && r->sides[r->by_row].entry <= number &&
           holds_row(entry, &effective, r->sides[r->by_row].row)) {
        if (!keep(r->arena, &r->manifest, entry, &effective, &r->sides[r->by_row++]))
            return ICE_ENOMEM;
    }
    return ICE_OK;
}

static enum ice_status read_sides(struct reading *r, struct ice_stream *stream,
                                  struct ice_error *fault) {
    const struct ice_manifest_entry *entry = NULL;
    enum ice_status status =
        ice_manifest_open(&r->manifest, r->ck->run, stream, NULL, NULL, fault);
    const struct ice_str *names =
        status == ICE_OK ? copy_names(r->arena, &r->manifest) : NULL;
    if (status == ICE_OK && !names)
        status = ICE_ENOMEM;
    for (size_t i = 0; status == ICE_OK && i < r->n; i++)
        r->sides[i].names = names, r->sides[i].file = r->file;
    while (status == ICE_OK && (r->exact < r->n_exact || r->by_row < r->n)) {
        status = ice_manifest_next(&r->manifest, &entry, fault);
        if (status == ICE_OK)
            status = match(r, entry);
    }
    ice_manifest_release(&r->manifest);
    return status == ICE_DONE ? ICE_OK : status;
}

/* All sides of one manifest. One that can no longer be read names none, and says so. */
static enum ice_status read_manifest(struct names *names, struct ice_suspect_side *sides,
                                     size_t n) {
    struct ice_check *ck = names->ck;
    struct ice_error *err = names->err;
    uint32_t number = sides[0].manifest;
    const struct ice_manifest_facts *facts = &ck->manifests[number];
    struct ice_place place =
        ice_place_file(ice_check_file_name(ck, facts->path), ICE_ORDER_MANIFEST + number);
    struct reading r = {.ck = ck,
                        .arena = &names->arena,
                        .file = place.at.file,
                        .sides = sides,
                        .n = n,
                        .base = ck->facts->bases[number],
                        .inherit = ice_manifest_inherit(facts)};
    struct ice_stream stream = {0};
    struct ice_file_info info;
    struct ice_error fault;
    while (r.n_exact < n && sides[r.n_exact].row < 0)
        r.n_exact++;
    r.by_row = r.n_exact;
    enum ice_status status =
        ice_check_open(ck, facts->path, &place, ICE_RULE_STORAGE_MANIFEST_MISSING,
                       ice_manifest_scope(ck, facts), "manifest", &stream, &info, err);
    if (status < 0)
        return ice_status_is_final(status) ? status : ICE_OK;
    ck->n_bytes -= info.size; /* counted in pass 3 */
    ice_error_clear(&fault);
    status = read_sides(&r, &stream, &fault);
    ice_stream_release(&stream);
    if (status < 0 && status != ICE_ENOMEM) {
        if (fault.status >= 0)
            fault.status = status;
        status = ice_check_fault(ck, &fault, &place, ice_manifest_scope(ck, facts),
                                 "manifest");
    }
    return status == ICE_ENOMEM ? ice_error_memory(err) : status;
}

/* ---- rounds ---- */

static enum ice_status report_round(struct names *names) {
    struct ice_check *ck = names->ck;
    names->n = 0;
    for (size_t i = 0; i < names->n_suspects; i++) {
        add_side(names, names->suspects[i].entry, names->suspects[i].row);
        add_side(names, names->suspects[i].other, names->suspects[i].row);
    }
    sort_sides(names);
    for (size_t first = 0, i = 1; i <= names->n; i++) {
        if (i < names->n && names->sides[i].manifest == names->sides[first].manifest)
            continue;
        ICE_TRY(read_manifest(names, names->sides + first, i - first));
        first = i;
    }
    for (size_t i = 0; i < names->n_suspects; i++) {
        const struct ice_suspect *one = &names->suspects[i];
        ice_suspect_report(ck, one, find_side(names, one->entry, one->row),
                           find_side(names, one->other, one->row));
    }
    names->n_suspects = 0;
    ice_arena_reset(&names->arena);
    return ICE_OK;
}

static enum ice_status add_suspects(const void *records, size_t n, void *user) {
    struct names *names = user;
    const struct ice_suspect *suspects = records;
    for (size_t i = 0; i < n; i++) {
        if (names->n_suspects == names->most)
            ICE_TRY(report_round(names));
        names->suspects[names->n_suspects++] = suspects[i];
    }
    return ICE_OK;
}

/* Suspects of one round: an eighth of the memory, but never few. */
static size_t most_of_round(const struct ice_alloc *alloc, uint64_t total) {
    enum { PATHS = 512, LEAST = 4096 };
    uint64_t each =
        sizeof(struct ice_suspect) + 2 * (sizeof(struct ice_suspect_side) + PATHS);
    uint64_t most = alloc->limit / 8 / each;
    most = most < LEAST ? LEAST : most;
    return (size_t)(total < most ? total : most);
}

enum ice_status ice_suspects_report(struct ice_suspects *suspects,
                                    struct ice_error *err) {
    struct ice_check *ck = suspects->ck;
    struct ice_alloc *alloc = &ck->run->alloc;
    struct names names = {.ck = ck, .err = err};
    if (suspects->found.total == 0)
        return ICE_OK;
    names.most = most_of_round(alloc, suspects->found.total);
    if (names.most < suspects->found.total) /* many: blocks of manifests need room */
        ICE_TRY(ice_sorter_flush(&suspects->found));
    ICE_TRY(ice_sorter_close(&suspects->found));
    ice_arena_init(&names.arena, alloc);
    names.suspects = ice_calloc(alloc, names.most, sizeof(*names.suspects));
    names.sides = ice_calloc(alloc, names.most, 2 * sizeof(*names.sides));
    enum ice_status status = names.suspects && names.sides ? ICE_OK : ICE_ENOMEM;
    if (status == ICE_OK)
        status = ice_sorter_read(&suspects->found, NULL, add_suspects, &names);
    if (status == ICE_OK)
        status = report_round(&names);
    ice_free(alloc, names.suspects, names.most * sizeof(*names.suspects));
    ice_free(alloc, names.sides, names.most * 2 * sizeof(*names.sides));
    ice_arena_release(&names.arena);
    return status == ICE_ENOMEM ? ice_error_memory(err) : status;
}
