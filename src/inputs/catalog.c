/*
 * Pointers read once, and grouped by table.
 */
#include "inputs/catalog.h"

#include "base/buf.h"
#include "base/error.h"
#include "inputs/stdin.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- where --map leads ---- */

static bool climbs(struct ice_str rest) {
    while (rest.size > 0) {
        size_t slash = ice_str_find(rest, '/');
        struct ice_str part = ice_str_first(rest, slash);
        if (ice_str_is(part, "..") || memchr(part.data, '\0', part.size) != NULL)
            return true;
        rest = slash == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(rest, slash + 1);
    }
    return false;
}

enum ice_status ice_catalog_directory(struct ice_run *run, struct ice_arena *arena,
                                      const struct ice_options *options,
                                      struct ice_str uri, const char **out,
                                      struct ice_error *err) {
    const struct ice_map_entry *best = NULL;
    struct ice_str rest, best_rest = ICE_STR_NONE, path;
    *out = NULL;
    for (size_t i = 0; i < options->n_maps; i++) {
        const struct ice_map_entry *map = &options->maps[i];
        if (ice_uri_is_below(run, uri, ice_str_from(map->from), &rest) &&
            (best == NULL || strlen(map->from) > strlen(best->from))) {
            best = map;
            best_rest = rest;
        }
    }
    if (best == NULL || climbs(best_rest))
        return ICE_OK;
    struct ice_str directory = ice_key_parent(best_rest);
    if (ice_str_is(ice_key_name(directory), "metadata"))
        directory = ice_key_parent(directory);
    struct ice_buf joined;
    ice_buf_init(&joined, &run->alloc, SIZE_MAX);
    bool done = ice_buf_append_str(&joined, ice_str_from(best->to)) >= 0 &&
                (directory.size == 0 || ice_buf_append_char(&joined, '/') >= 0) &&
                ice_buf_append_str(&joined, directory) >= 0 &&
                ice_buf_append_char(&joined, '\0') >= 0 &&
                ice_arena_dup(arena, ice_buf_str(&joined), &path);
    ice_buf_release(&joined);
    if (!done)
        return ice_error_memory(err);
    *out = path.data;
    return ICE_OK;
}

/* ---- tables ---- */

static int compare_names(const struct ice_pointer *a, const struct ice_pointer *b) {
    const struct ice_str left[] = {a->file, a->catalog, a->space, a->table};
    const struct ice_str right[] = {b->file, b->catalog, b->space, b->table};
    if (a->format != b->format)
        return a->format < b->format ? -1 : 1;
    for (size_t i = 0; i < ICE_COUNT_OF(left); i++) {
        int order = ice_str_compare(left[i], right[i]);
        if (order != 0)
            return order;
    }
    return 0;
}

/* Those of a table together, the newest first; of equals the one that stands last. */
static int by_table(const void *left, const void *right) {
    const struct ice_pointer *a = *(const struct ice_pointer *const *)left;
    const struct ice_pointer *b = *(const struct ice_pointer *const *)right;
    int order = compare_names(a, b);
    if (order != 0)
        return order;
    if (a->version != b->version)
        return a->version > b->version ? -1 : 1;
    return a > b ? -1 : a < b;
}

static int by_first_entry(const void *left, const void *right) {
    const struct ice_catalog_row *a = left, *b = right;
    return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static enum ice_status name_row(struct ice_catalog *catalog, struct ice_catalog_row *row,
                                struct ice_error *err) {
    const struct ice_pointer *entry = row->entry;
    row->name = entry->table;
    if (entry->space.size == 0 || entry->table.size == 0)
        return ICE_OK;
    struct ice_buf name;
    ice_buf_init(&name, &catalog->run.alloc, SIZE_MAX);
    bool done = ice_buf_append_str(&name, entry->space) >= 0 &&
                ice_buf_append_char(&name, '.') >= 0 &&
                ice_buf_append_str(&name, entry->table) >= 0 &&
                ice_arena_dup(&catalog->pointers.arena, ice_buf_str(&name), &row->name);
    ice_buf_release(&name);
    return done ? ICE_OK : ice_error_memory(err);
}

/* A hint, a bare location and an answer with its document have no name of their own: each
 * is a table for itself. */
static bool is_nameless(const struct ice_pointer *entry) {
    return entry->table.size == 0 || entry->document_end > 0;
}

static enum ice_status group(struct ice_catalog *catalog,
                             const struct ice_options *options, struct ice_error *err) {
    struct ice_pointers *p = &catalog->pointers;
    catalog->versions = ice_arena_array(&p->arena, p->n, sizeof(struct ice_pointer *));
    catalog->rows = ice_arena_array(&p->arena, p->n, sizeof(*catalog->rows));
    if (catalog->versions == NULL || catalog->rows == NULL)
        return ice_error_memory(err);
    for (size_t i = 0; i < p->n; i++)
        catalog->versions[i] = &p->items[i];
    if (p->n > 0)
        qsort(catalog->versions, p->n, sizeof(struct ice_pointer *), by_table);
    for (size_t i = 0; i < p->n; i++) {
        const struct ice_pointer *entry = catalog->versions[i];
        if (i > 0 && !is_nameless(entry) &&
            compare_names(catalog->versions[i - 1], entry) == 0) {
            catalog->rows[catalog->n_rows - 1].n++;
            continue;
        }
        struct ice_catalog_row *row = &catalog->rows[catalog->n_rows++];
        *row = (struct ice_catalog_row){.entry = entry, .first = i, .n = 1};
        ICE_TRY(name_row(catalog, row, err));
        struct ice_str uri = entry->metadata_location;
        if (uri.size > 0)
            ICE_TRY(ice_catalog_directory(&catalog->run, &p->arena, options, uri,
                                          &row->directory, err));
    }
    if (catalog->n_rows > 0)
        qsort(catalog->rows, catalog->n_rows, sizeof(*catalog->rows), by_first_entry);
    return ICE_OK;
}

/* ---- reading ---- */

static void note(const struct ice_options *options, const char *argument,
                 enum ice_pointer_format format, size_t n, uint64_t n_other) {
    char text[600], shown[400], others[64] = "";
    if (options->on_note == NULL)
        return;
    if (n_other > 0)
        (void)snprintf(others, sizeof(others), ", no Iceberg tables: %" PRIu64, n_other);
    (void)snprintf(text, sizeof(text), "%s: %s, tables: %zu%s",
                   ice_escape(shown, sizeof(shown), ice_str_from(argument)),
                   ice_pointer_format_words(format), n, others);
    options->on_note(1, ice_str_from(text), options->user);
}

static enum ice_status keep_input(struct ice_pointers *pointers, const char *argument,
                                  enum ice_pointer_format format, size_t n,
                                  struct ice_error *err) {
    struct ice_pointer_read_input input = {.format = format, .n = n};
    if (!ice_arena_dup(&pointers->arena, ice_str_from(argument), &input.argument) ||
        !ice_array_reserve(&pointers->run->alloc, &pointers->inputs, pointers->n_inputs,
                           &pointers->cap_inputs, sizeof(input)))
        return ice_error_memory(err);
    pointers->inputs[pointers->n_inputs++] = input;
    return ICE_OK;
}

/* Thousands of tables each look for their entry among thousands. */
static enum ice_status index_names(struct ice_pointers *pointers, struct ice_error *err) {
    ice_table_clear(&pointers->by_name);
    for (size_t i = 0; i < pointers->n && i < UINT32_MAX; i++) {
        const struct ice_str name =
            ice_uri_base_name(pointers->items[i].metadata_location);
        if (ice_table_put(&pointers->by_name, ice_hash64(name, pointers->run->hash_seed),
                          (uint32_t)i) < 0)
            return ice_error_memory(err);
    }
    return ICE_OK;
}

enum ice_status ice_pointers_read_all(struct ice_pointers *pointers,
                                      const struct ice_options *options,
                                      struct ice_error *err) {
    enum ice_pointer_format wish = ICE_POINTER_AUTO, format;
    if (options->pointer_format != NULL &&
        !ice_pointer_format_of(options->pointer_format, &wish))
        return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "there is no pointer format of that name");
    for (size_t i = 0; i < options->n_pointers; i++) {
        size_t before = pointers->n;
        uint64_t other_before = pointers->n_other;
        ICE_TRY(ice_pointers_read(pointers, options->pointers[i], wish, &format, err));
        note(options, options->pointers[i], format, pointers->n - before,
             pointers->n_other - other_before);
        ICE_TRY(keep_input(pointers, options->pointers[i], format, pointers->n - before,
                           err));
    }
    return index_names(pointers, err);
}

enum ice_status ice_catalog_open(struct ice_catalog **out,
                                 const struct ice_options *options,
                                 struct ice_error *err) {
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, options->allocator, UINT64_MAX);
    *out = NULL;
    struct ice_catalog *catalog = ice_calloc(&alloc, 1, sizeof(*catalog));
    if (catalog == NULL)
        return ice_error_memory(err);
    ice_run_init(&catalog->run, options);
    ice_pointers_init(&catalog->pointers, &catalog->run);
    enum ice_status status = ice_pointers_read_all(&catalog->pointers, options, err);
    if (status >= 0)
        status = group(catalog, options, err);
    if (status < 0) {
        ice_catalog_free(catalog);
        return status;
    }
    *out = catalog;
    return ICE_OK;
}

void ice_catalog_free(struct ice_catalog *catalog) {
    if (catalog == NULL)
        return;
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, &catalog->run.alloc.base, UINT64_MAX);
    ice_pointers_release(&catalog->pointers);
    ice_free(&alloc, catalog, sizeof(*catalog));
}

bool ice_catalog_at(const struct ice_catalog *catalog, size_t index,
                    struct ice_catalog_table *out) {
    if (index >= catalog->n_rows)
        return false;
    const struct ice_catalog_row *row = &catalog->rows[index];
    *out = (struct ice_catalog_table){
        .name = row->name,
        .metadata_location = row->entry->metadata_location,
        .directory = row->directory,
        .has_document = row->entry->document_end > 0,
    };
    return true;
}

const char *ice_pointers_nothing(const struct ice_pointers *pointers) {
    if (pointers->n_inventories > 0)
        return "the pointers list names alone: export the tables themselves, for "
               "instance "
               "with aws glue get-tables or the catalog's loadTable";
    return "the pointers show no table: another region or account, another database, or "
           "no permission to see it (Lake Formation hides what it does not grant)";
}

const char *ice_catalog_nothing(const struct ice_catalog *catalog) {
    return ice_pointers_nothing(&catalog->pointers);
}

bool ice_catalog_fault(const struct ice_catalog *catalog, size_t index,
                       struct ice_error *out) {
    if (index >= catalog->pointers.n_faults)
        return false;
    *out = catalog->pointers.faults[index].error;
    ice_error_set_file(out, catalog->pointers.faults[index].file);
    return true;
}

/* ---- metadata elsewhere in a table's directory ---- */

/* Of the directory that holds the entry's file, below the target's root, if it is. */
static enum ice_status key_inside(const struct ice_catalog_row *row, struct ice_run *run,
                                  struct ice_target *target, struct ice_str *out,
                                  bool *out_found, struct ice_error *err) {
    const struct ice_pointer *entry = row->entry;
    char resolved[PATH_MAX];
    struct ice_str path, rest;
    size_t root = target->root_path.size;
    *out_found = false;
    if (row->directory != NULL && realpath(row->directory, resolved) != NULL) {
        path = ice_str_from(resolved);
        if (ice_str_starts(path, target->root_path) && path.size > root &&
            path.data[root] == '/') {
            /* --map leads to the directory that the file lies in */
            struct ice_str key = ice_str_from_index(path, root + 1);
            *out_found = true;
            return ice_arena_dup(&target->arena, key, out) ? ICE_OK
                                                           : ice_error_memory(err);
        }
    }
    if (entry->location.size > 0 &&
        ice_uri_is_below(run, entry->metadata_location, entry->location, &rest)) {
        *out = ice_key_parent(rest);
        *out_found = true;
    }
    return ICE_OK;
}

enum ice_status ice_catalog_look_inside(const struct ice_catalog *catalog,
                                        struct ice_run *run, struct ice_target *target,
                                        struct ice_error *err) {
    struct ice_str key;
    for (size_t i = 0; target->kind == ICE_TARGET_EMPTY && target->root_path.size > 0 &&
                       i < catalog->n_rows;
         i++) {
        bool is_inside;
        ICE_TRY(key_inside(&catalog->rows[i], run, target, &key, &is_inside, err));
        if (is_inside && !climbs(key))
            ICE_TRY(ice_target_look_in(target, run, key, err));
    }
    return ICE_OK;
}

/* ---- the document inside an answer ---- */

enum ice_status ice_catalog_open_document(const struct ice_pointers *pointers,
                                          const struct ice_pointer *entry,
                                          struct ice_run *run, struct ice_target *out,
                                          struct ice_error *err) {
    struct ice_source *source = NULL;
    struct ice_stream stream = {0};
    bool is_owned = false;
    *out = (struct ice_target){.hint_version = -1};
    ice_arena_init(&out->arena, &run->alloc);
    enum ice_status status = ice_pointers_reopen(pointers, entry, run, &out->arena,
                                                 &source, &is_owned, &stream, err);
    if (status >= 0)
        status = ice_source_open_spool(&out->source, run, &stream, entry->file,
                                       entry->document, entry->document_end, err);
    ice_stream_release(&stream);
    if (is_owned)
        ice_source_free(source);
    if (status < 0)
        return status;
    out->owns_source = true;
    out->is_stdin = out->is_document = true;
    out->kind = ICE_TARGET_METADATA;
    out->is = ICE_INPUT_METADATA;
    out->argument = entry->input;
    if (!ice_arena_dup(&out->arena, entry->file, &out->file_key))
        return ice_error_memory(err);
    return ICE_OK;
}
