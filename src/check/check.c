/*
 * The context of a run, and the steps between passes 0 and 2: reading the pinned metadata
 * file and mapping its location onto the tree that holds it.
 */
#include "check/check.h"

#include "avro/ahead.h"
#include "base/error.h"
#include "base/pool.h"
#include "check/facts.h"
#include "check/named.h"
#include "check/pointers.h"
#include "check/stable_place.h"
#include "check/storage.h"
#include "check/unfound.h"
#include "inputs/catalog.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

enum { NOTE_BYTES = 1024 };

/* ---- context ---- */

static int64_t clock_ms(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return 0;
    return (int64_t)now.tv_sec * 1000 + (int64_t)(now.tv_nsec / 1000000);
}

/* The caller may have been built with an older, shorter struct. */
static struct ice_options complete_options(const struct ice_options *options) {
    struct ice_options all = ICE_OPTIONS_INIT;
    if (options != NULL)
        memcpy(&all, options, options->size < sizeof(all) ? options->size : sizeof(all));
    all.size = sizeof(all);
    return all;
}

/* Threads beside this one, as far as options.jobs goes; one set for all checks of a run.
 */
static enum ice_status open_helpers(struct ice_check *ck) {
    unsigned jobs = ck->options->jobs > 0 ? ck->options->jobs : ice_pool_cores();
    if (jobs < 2 || ck->run->pool != NULL)
        return ICE_OK;
    ck->owns_helpers = true;
    ICE_TRY(ice_pool_open(&ck->run->pool, &ck->run->alloc, jobs - 1));
    return ice_ahead_open(&ck->run->ahead, ck->run, jobs - 1, ICE_AHEAD_LEAST_PACKED);
}

enum ice_status ice_check_init(struct ice_check *ck, struct ice_run *run,
                               const struct ice_options *options,
                               const struct ice_target *target, struct ice_error *err) {
    *ck = (struct ice_check){.run = run, .target = target};
    ck->defaults = complete_options(options);
    ck->options = &ck->defaults;
    run->cancelled = ck->options->cancelled;
    run->cancelled_user = ck->options->user;
    ck->now_ms = ck->options->has_now ? ck->options->now_ms : clock_ms();
    ice_arena_init(&ck->arena, &run->alloc);
    ice_spill_init(&ck->spill, &run->alloc, ck->options->temp_dir,
                   ck->options->spill_records);
    ice_mapping_init(&ck->mapping, run);
    ice_pointers_init(&ck->own_pointers, run);
    ck->pointers = ck->options->catalog != NULL ? &ck->options->catalog->pointers
                                                : &ck->own_pointers;
    if (ck->options->catalog != NULL && ck->options->catalog_table > 0 &&
        ck->options->catalog_table <= ck->options->catalog->n_rows)
        ck->wanted_pointer =
            ck->options->catalog->rows[ck->options->catalog_table - 1].entry;
    ice_buf_init(&ck->opened_key, &run->alloc, SIZE_MAX);
    ice_table_init(&ck->manifests_by_path, &run->alloc);
    ice_table_init(&ck->records_by_value, &run->alloc);
    ice_error_clear(&ck->metadata_fault);
    if (open_helpers(ck) < 0)
        return ice_error_memory(err);
    ICE_TRY(ice_emit_open(&ck->emit, run, ck->options, err));
    ice_emit_set_stable(ck->emit, ice_stable_place, ck);
    return ICE_OK;
}

void ice_check_release(struct ice_check *ck) {
    if (ck->run == NULL)
        return;
    struct ice_alloc *alloc = &ck->run->alloc;
    for (size_t i = 0; i < ck->n_manifests; i++) {
        struct ice_manifest_facts *manifest = &ck->manifests[i];
        if (manifest->runs != NULL)
            ice_free(alloc, manifest->runs, manifest->cap_runs * sizeof(*manifest->runs));
    }
    ice_array_free(alloc, &ck->manifests, &ck->cap_manifests, sizeof(*ck->manifests));
    ice_table_release(&ck->manifests_by_path);
    ice_table_release(&ck->records_by_value);
    ice_array_free(alloc, &ck->records, &ck->cap_records,
                   sizeof(struct ice_list_record *));
    ice_facts_free(ck);
    ice_spill_release(&ck->spill);
    ice_named_release(ck);
    ice_storage_free(ck);
    ice_unfound_release(ck);
    ice_metadata_release(&ck->metadata);
    ice_buf_release(&ck->opened_key);
    ice_mapping_release(&ck->mapping);
    ice_pointers_release(&ck->own_pointers);
    for (size_t i = 0; i < ck->n_map_sources; i++)
        ice_source_free(ck->map_sources[i]);
    ice_arena_release(&ck->arena);
    ice_emit_free(ck->emit);
    if (ck->owns_helpers) {
        ice_ahead_free(ck->run->ahead);
        ice_pool_free(ck->run->pool);
        ck->run->ahead = NULL;
        ck->run->pool = NULL;
    }
    *ck = (struct ice_check){0};
}

const char *ice_picked_by_name(enum ice_picked_by picked_by) {
    switch (picked_by) {
    case ICE_PICKED_BY_NAME:
        break;
    case ICE_PICKED_BY_HINT:
        return "hint";
    case ICE_PICKED_BY_POINTER:
        return "pointer";
    case ICE_PICKED_BY_ARGUMENT:
        return "argument";
    }
    return "name";
}

bool ice_check_cancelled(const struct ice_check *ck) {
    return ck->options->cancelled != NULL && ck->options->cancelled(ck->options->user);
}

void ice_check_progress(const struct ice_check *ck, const char *phase, uint64_t done,
                        uint64_t total) {
    if (ck->options->on_progress == NULL)
        return;
    struct ice_progress progress = {.phase = phase,
                                    .done = done,
                                    .total = total,
                                    .bytes = ck->n_bytes,
                                    .bytes_done = ck->bytes_joined + ck->part_joined,
                                    .bytes_total = ck->bytes_to_join};
    ck->options->on_progress(&progress, ck->options->user);
}

void ice_check_note(const struct ice_check *ck, int level, const char *format, ...) {
    if (ck->options->on_note == NULL)
        return;
    char text[NOTE_BYTES];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    ck->options->on_note(level, ice_str_from(text), ck->options->user);
}

/* ---- mapping ---- */

static void note_mapping(const struct ice_check *ck, struct ice_str from,
                         struct ice_str to) {
    char uri[400], key[400];
    if (to.size == 0)
        to = ICE_STR("the table's directory");
    if (ck->options->on_note != NULL)
        ice_check_note(ck, 1, "%s stands for %s", ice_escape(key, sizeof(key), to),
                       ice_escape(uri, sizeof(uri), from));
}

/* --map TO is a local directory, or a key prefix where the caller brought the source. */
static enum ice_status add_map(struct ice_check *ck, const struct ice_map_entry *map,
                               struct ice_error *err) {
    struct ice_str from = ice_str_from(map->from), to = ice_str_from(map->to);
    note_mapping(ck, from, to);
    if (!ck->target->owns_source)
        return ice_mapping_add(&ck->mapping, from, ck->target->source, to, err);
    struct ice_source *source = NULL;
    struct ice_error fault;
    ice_error_clear(&fault);
    enum ice_status status =
        ice_source_open_dir(&source, map->to, &ck->run->alloc.base, &fault);
    if (status == ICE_ENOMEM)
        return ice_error_memory(err);
    if (status < 0) {
        char shown[200];
        return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET, "--map to '%s': %s",
                             ice_escape(shown, sizeof(shown), to), fault.message);
    }
    ck->map_sources[ck->n_map_sources++] = source;
    return ice_mapping_add(&ck->mapping, from, source, ICE_STR_NONE, err);
}

static enum ice_status add_maps(struct ice_check *ck, struct ice_error *err) {
    ck->map_sources =
        ice_arena_array(&ck->arena, ck->options->n_maps, sizeof(struct ice_source *));
    if (ck->map_sources == NULL)
        return ice_error_memory(err);
    for (size_t i = 0; i < ck->options->n_maps; i++)
        ICE_TRY(add_map(ck, &ck->options->maps[i], err));
    return ICE_OK;
}

/* In a flat copy, whose metadata files do not lie in a directory of their own, what
 * location/metadata holds lies beside them. */
enum ice_status ice_check_map_location(struct ice_check *ck, struct ice_str location,
                                       struct ice_error *err) {
    const struct ice_target *target = ck->target;
    struct ice_str inner;
    if (location.size == 0 || ck->options->n_maps > 0 || target->is_stdin)
        return ICE_OK;
    ICE_TRY(
        ice_mapping_add(&ck->mapping, location, target->source, target->table_root, err));
    note_mapping(ck, location, target->table_root);
    if (!ice_str_equal(target->metadata_dir, target->table_root))
        return ICE_OK;
    while (location.size > 0 && location.data[location.size - 1] == '/')
        location.size--;
    if (ice_key_join(&ck->arena, location, ICE_STR("metadata"), &inner) < 0)
        return ice_error_memory(err);
    return ice_mapping_add(&ck->mapping, inner, target->source, target->metadata_dir,
                           err);
}

/* ---- the table's name and root ---- */

static enum ice_status name_table(struct ice_check *ck, struct ice_error *err) {
    struct ice_str name = ice_str_from(ck->options->table_name);
    if (name.size == 0 && ck->pointer != NULL)
        ICE_TRY(ice_pointer_table_name(ck, &name, err));
    if (name.size == 0)
        name = ice_uri_base_name(ck->metadata.location);
    if (name.size == 0)
        name = ck->target->directory_name;
    if (name.size == 0)
        name = ice_key_name(ck->target->file_key);
    if (!ice_arena_dup(&ck->arena, name, &ck->table_name))
        return ice_error_memory(err);
    return ICE_OK;
}

static enum ice_status fold_root(struct ice_check *ck, struct ice_error *err) {
    struct ice_buf folded;
    ice_buf_init(&folded, &ck->run->alloc, SIZE_MAX);
    bool done = ice_uri_fold(ck->metadata.location, &folded) == ICE_OK &&
                ice_arena_dup(&ck->arena, ice_buf_str(&folded), &ck->root_uri);
    ice_buf_release(&folded);
    return done ? ICE_OK : ice_error_memory(err);
}

/* ---- a metadata file that changes while it is read ---- */

static bool stat_pinned(struct ice_check *ck, struct ice_file_info *out) {
    *out = (struct ice_file_info){.mtime_ms = INT64_MIN};
    return ice_source_stat(ck->metadata_source, ck->metadata_key, ck->run, out, NULL) ==
           ICE_OK;
}

static enum ice_status report_changed(struct ice_check *ck) {
    struct ice_error fault;
    struct ice_place place = ice_place_file(ck->metadata_file, ICE_ORDER_METADATA);
    ice_error_clear(&fault);
    (void)ice_error_set(&fault, ICE_EIO, "source.changed", ICE_NO_OFFSET,
                        "it was replaced or removed twice");
    return ice_check_fault(ck, &fault, &place, ICE_SCOPE_HEAD, "metadata");
}

/* Passes 0 and 1; once more where the pinned file was replaced or removed meanwhile. */
static enum ice_status pin_and_read(struct ice_check *ck, struct ice_error *err) {
    for (int attempt = 0;; attempt++) {
        struct ice_file_info before, after;
        ICE_TRY(ice_pass0_pin(ck, err));
        bool was_there = stat_pinned(ck, &before);
        ICE_TRY(ice_pass1_metadata(ck, err));
        bool is_there = stat_pinned(ck, &after);
        if (was_there == is_there && ice_same_file(&before, &after))
            return ICE_OK;
        if (attempt == 1)
            return report_changed(ck);
        ice_emit_reset(ck->emit);
        ice_metadata_release(&ck->metadata);
        ice_error_clear(&ck->metadata_fault);
        ck->metadata_readable = false;
        ck->version = 0;
    }
}

enum ice_status ice_check_pin_with(struct ice_check *ck, struct ice_error *err) {
    ICE_TRY(add_maps(ck, err));
    return ice_pass0_pin(ck, err);
}

enum ice_status ice_check_pin(struct ice_check *ck, struct ice_error *err) {
    ICE_TRY(ice_pointers_open(ck, err));
    return ice_check_pin_with(ck, err);
}

enum ice_status ice_check_read_metadata(struct ice_check *ck, struct ice_error *err) {
    ICE_TRY(add_maps(ck, err));
    if (ck->target->kind == ICE_TARGET_TABLE || ck->target->kind == ICE_TARGET_METADATA) {
        ice_check_progress(ck, "metadata", 0, 1);
        ICE_TRY(ice_pointers_open(ck, err));
        ICE_TRY(pin_and_read(ck, err));
        ICE_TRY(fold_root(ck, err));
        ICE_TRY(ice_check_map_location(ck, ck->metadata.location, err));
        /* 52 bytes a snapshot that metadata.json alone has no use for */
        if (ck->options->depth != ICE_DEPTH_METADATA || ck->options->snapshot != NULL)
            ICE_TRY(ice_check_number_snapshots(ck, err));
        ice_check_progress(ck, "metadata", 1, 1);
    }
    return name_table(ck, err);
}
