/*
 * Which entry of the catalogs is about the table that is checked, and where it leads.
 *
 * An entry and a directory belong together when the mapped metadata location lies in the
 * directory; without --map, when a file of that unmistakable name is there; else by the
 * location and the uuid that the newest metadata file of the directory states.
 */
#include "check/pointers.h"

#include "base/error.h"
#include "check/kinship.h"

#include <inttypes.h>
#include <stdio.h>

struct search {
    struct ice_check *ck;
    const struct ice_target *target;
    struct ice_str uuid, location; /* that the newest metadata file states */
};

/* ---- reading ---- */

enum ice_status ice_pointers_open(struct ice_check *ck, struct ice_error *err) {
    if (ck->options->catalog != NULL)
        return ICE_OK;
    return ice_pointers_read_all(&ck->own_pointers, ck->options, err);
}

bool ice_pointers_are_asked(const struct ice_check *ck) {
    return ck->options->catalog != NULL || ck->options->n_pointers > 0;
}

bool ice_pointer_is_guessed(const struct ice_check *ck) {
    return ck->target->kind == ICE_TARGET_TABLE && ck->target->n_names > 1 &&
           ck->picked_by == ICE_PICKED_BY_NAME && !ice_pointers_are_asked(ck);
}

struct ice_place ice_pointer_place(const struct ice_check *ck,
                                   const struct ice_pointer *pointer) {
    struct ice_str file = pointer->file;
    if (file.size == 0)
        file = ck->metadata_file;
    return ice_place_file(file, ICE_ORDER_POINTER);
}

enum ice_status ice_pointer_table_name(struct ice_check *ck, struct ice_str *out,
                                       struct ice_error *err) {
    const struct ice_pointer *entry = ck->pointer;
    *out = entry->table;
    if (entry->space.size == 0 || entry->table.size == 0)
        return ICE_OK;
    struct ice_buf name;
    ice_buf_init(&name, &ck->run->alloc, SIZE_MAX);
    bool done = ice_buf_append_str(&name, entry->space) >= 0 &&
                ice_buf_append_char(&name, '.') >= 0 &&
                ice_buf_append_str(&name, entry->table) >= 0 &&
                ice_arena_dup(&ck->arena, ice_buf_str(&name), out);
    ice_buf_release(&name);
    return done ? ICE_OK : ice_error_memory(err);
}

static void report_faults(struct ice_check *ck) {
    for (size_t i = 0; i < ck->pointers->n_faults; i++) {
        const struct ice_pointer_fault *fault = &ck->pointers->faults[i];
        struct ice_place place = ice_place_file(fault->file, ICE_ORDER_POINTER);
        if (fault->error.rule != NULL &&
            strcmp(fault->error.rule, "source.unknown") == 0) {
            FOUND(ck->emit, ICE_RULE_SOURCE_UNKNOWN, &place,
                  arg_text("what", "the pointer"),
                  arg_text("detail", fault->error.message));
            ice_emit_not_evaluated(ck->emit, "catalog.*", ICE_STR("source.unknown"), true,
                                   fault->file);
            continue;
        }
        (void)ice_check_fault(ck, &fault->error, &place, ICE_SCOPE_HEAD, "catalog.*");
    }
}

bool ice_pointer_is_same_name(const struct ice_pointer *a, const struct ice_pointer *b) {
    return ice_str_equal(a->catalog, b->catalog) && ice_str_equal(a->space, b->space) &&
           ice_str_equal(a->table, b->table);
}

/* v<N> files of two tables have one name. */
static bool is_beside(const struct ice_check *ck, const struct ice_pointer *entry) {
    return ice_str_equal(ice_key_parent(entry->metadata_location),
                         ice_key_parent(ck->pointer->metadata_location));
}

const struct ice_pointer *ice_other_entry(const struct ice_check *ck,
                                          bool has_same_name) {
    const struct ice_target *target = ck->target;
    const struct ice_pointers *all = ck->pointers;
    for (size_t i = 0; ck->pointer != NULL && i < target->n_names; i++) {
        struct ice_str name = target->names[i].name;
        size_t at = SIZE_MAX;
        uint32_t index;
        if (ice_str_equal(name, ice_key_name(ck->metadata_key)))
            continue;
        const uint64_t key = ice_hash64(name, all->run->hash_seed);
        while (ice_table_next(&all->by_name, key, &at, &index)) {
            const struct ice_pointer *entry = &all->items[index];
            if (ice_str_equal(ice_uri_base_name(entry->metadata_location), name) &&
                (!target->names[i].is_hadoop || is_beside(ck, entry)) &&
                entry->table.size > 0 &&
                ice_pointer_is_same_name(ck->pointer, entry) == has_same_name)
                return entry;
        }
    }
    return NULL;
}

/* ---- which entry ---- */

static enum ice_status identify(struct search *search, struct ice_error *err) {
    const struct ice_target *target = search->target;
    struct ice_error fault;
    struct ice_str key = target->file_key;
    if (target->kind == ICE_TARGET_TABLE &&
        ice_key_join(&search->ck->arena, target->metadata_dir,
                     target->names[target->n_names - 1].name, &key) < 0)
        return ice_error_memory(err);
    ice_error_clear(&fault);
    enum ice_status status = ice_metadata_peek_identity(
        target->source, key, search->ck->run, &search->ck->arena, &search->uuid,
        &search->location, &fault);
    /* pass 1 says what else is wrong with it */
    return ice_error_pass_final(err, status, &fault);
}

/* Names stand by version, then name. */
size_t ice_pointer_find_name(const struct ice_target *target, struct ice_str name) {
    bool is_hadoop;
    int64_t version = ice_metadata_name_version(name, &is_hadoop);
    size_t low = 0, high = target->n_names;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct ice_metadata_name *at = &target->names[middle];
        if (at->version != version ? at->version < version
                                   : ice_str_compare(at->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < target->n_names && ice_str_equal(target->names[low].name, name)
               ? low
               : SIZE_MAX;
}

/* Does the directory of a mapped file show the very files of the target? */
static enum ice_status is_same_directory(const struct search *search,
                                         struct ice_source *source, struct ice_str key,
                                         bool *out, struct ice_error *err) {
    const struct ice_target *target = search->target;
    const struct ice_metadata_name *first = target->names;
    struct ice_str parent = ice_key_parent(key), beside;
    struct ice_file_info info;
    *out = source == target->source && ice_str_equal(parent, target->metadata_dir);
    if (*out || target->n_names == 0 || first->info.identity == 0)
        return ICE_OK;
    if (ice_key_join(&search->ck->arena, parent, first->name, &beside) < 0)
        return ice_error_memory(err);
    enum ice_status status =
        ice_source_stat(source, beside, search->ck->run, &info, NULL);
    if (status == ICE_ENOMEM)
        return ice_error_memory(err);
    *out = status == ICE_OK && info.identity == first->info.identity;
    return ICE_OK;
}

/* Where --map leads. *out_source NULL: nowhere. */
static enum ice_status resolve(const struct search *search, struct ice_str uri,
                               struct ice_source **out_source, struct ice_str *out_key,
                               struct ice_error *err) {
    struct ice_buf scratch;
    struct ice_str key;
    struct ice_check *ck = search->ck;
    *out_source = NULL;
    ice_buf_init(&scratch, &ck->run->alloc, SIZE_MAX);
    enum ice_status status =
        ice_mapping_resolve(&ck->mapping, uri, &scratch, out_source, &key, NULL);
    if (status >= 0 && !ice_arena_dup(&ck->arena, key, out_key))
        status = ICE_ENOMEM;
    else if (status < 0)
        *out_source = NULL;
    ice_buf_release(&scratch);
    return status == ICE_ENOMEM ? ice_error_memory(err) : ICE_OK;
}

static bool is_same(const struct ice_check *ck, struct ice_str a, struct ice_str b) {
    return b.size > 0 && ice_uri_is_same(ck->run, a, b);
}

/* What the user names, or the only entry that says of no place. */
static bool is_lonely(const struct ice_check *ck, const struct ice_pointer *entry) {
    return ck->pointers->n == 1 &&
           (entry->metadata_location.size == 0 || entry->format == ICE_POINTER_HINT ||
            entry->format == ICE_POINTER_ARGUMENT);
}

static bool is_same_uuid(const struct search *search, const struct ice_pointer *entry) {
    return ice_is_same_uuid(search->uuid, entry->table_uuid);
}

/* Is the file of this name here, and a name that no other table's file has? */
static bool is_here_by_name(const struct ice_target *target, struct ice_str name) {
    size_t index = ice_pointer_find_name(target, name);
    if (target->kind == ICE_TARGET_METADATA)
        return ice_str_equal(name, ice_key_name(target->file_key));
    return index != SIZE_MAX && !target->names[index].is_hadoop;
}

static enum ice_status rate(const struct search *search, const struct ice_pointer *entry,
                            enum ice_pointer_match *out, struct ice_error *err) {
    struct ice_check *ck = search->ck;
    struct ice_str uri = entry->metadata_location, key;
    struct ice_source *source = NULL;
    bool is_here = false;
    *out = ICE_MATCH_NO;
    if (uri.size > 0 && ck->options->n_maps > 0) {
        ICE_TRY(resolve(search, uri, &source, &key, err));
        if (source != NULL)
            ICE_TRY(is_same_directory(search, source, key, &is_here, err));
    }
    bool is_mapped = source != NULL; /* then the map alone says where it is */
    if (is_here ||
        (!is_mapped && is_here_by_name(search->target, ice_uri_base_name(uri))))
        *out = ICE_MATCH_FILE;
    else if (is_same_uuid(search, entry))
        *out = ICE_MATCH_UUID;
    else if (!is_mapped && (ice_uri_is_inside(ck->run, uri, search->location) ||
                            is_same(ck, entry->location, search->location)))
        *out = ICE_MATCH_LOCATION;
    else if (is_lonely(ck, entry))
        *out = ICE_MATCH_LONELY;
    return ICE_OK;
}

/* The surest; of equals what the command line says, then the highest version. */
static bool is_better(const struct ice_pointer *a, enum ice_pointer_match a_match,
                      const struct ice_pointer *b, enum ice_pointer_match b_match) {
    if (b == NULL || a_match != b_match)
        return b == NULL || a_match > b_match;
    bool a_says = a->format == ICE_POINTER_ARGUMENT;
    bool b_says = b->format == ICE_POINTER_ARGUMENT;
    return a_says != b_says ? a_says : a->version > b->version;
}

/* Entries of one table in one input: the versions that a catalog has kept. */
static bool is_same_entry(const struct ice_pointer *a, const struct ice_pointer *b) {
    return a->format == b->format && ice_str_equal(a->file, b->file) &&
           ice_pointer_is_same_name(a, b);
}

/* What is found so far. */
struct choice {
    const struct ice_pointer *entry;
    enum ice_pointer_match match;
};

/* Of entries that are as good, the first counts. */
static enum ice_status consider(const struct search *search,
                                const struct ice_pointer *entry, struct choice *out,
                                struct ice_error *err) {
    enum ice_pointer_match match;
    ICE_TRY(rate(search, entry, &match, err));
    if (match == ICE_MATCH_NO)
        return ICE_OK;
    const bool is_first = entry < out->entry;
    if (is_better(entry, match, out->entry, out->match) ||
        (is_first && !is_better(out->entry, out->match, entry, match)))
        *out = (struct choice){entry, match};
    return ICE_OK;
}

/* The entries whose file has one of the names that are here. Without --map no entry is a
 * surer match than one of these. */
static enum ice_status consider_names(const struct search *search, struct choice *out,
                                      struct ice_error *err) {
    const struct ice_pointers *all = search->ck->pointers;
    const struct ice_target *target = search->target;
    const bool is_file = target->kind == ICE_TARGET_METADATA;
    for (size_t i = 0; i < (is_file ? 1 : target->n_names); i++) {
        if (!is_file && target->names[i].is_hadoop)
            continue;
        const struct ice_str name =
            is_file ? ice_key_name(target->file_key) : target->names[i].name;
        const uint64_t key = ice_hash64(name, all->run->hash_seed);
        size_t at = SIZE_MAX;
        uint32_t index;
        while (ice_table_next(&all->by_name, key, &at, &index))
            ICE_TRY(consider(search, &all->items[index], out, err));
    }
    return ICE_OK;
}

static enum ice_status choose(const struct search *search, const struct ice_pointer **out,
                              struct ice_error *err) {
    const struct ice_pointers *all = search->ck->pointers;
    struct choice choice = {NULL, ICE_MATCH_NO};
    *out = search->ck->wanted_pointer;
    if (*out != NULL || search->ck->answers_pointers)
        return ICE_OK;
    if (search->ck->options->n_maps == 0)
        ICE_TRY(consider_names(search, &choice, err));
    const bool is_sure = choice.match == ICE_MATCH_FILE;
    for (size_t i = 0; !is_sure && i < all->n; i++)
        ICE_TRY(consider(search, &all->items[i], &choice, err));
    *out = choice.entry;
    for (size_t i = 0; *out != NULL && i < all->n; i++) {
        if (all->items[i].version > (*out)->version &&
            is_same_entry(*out, &all->items[i]))
            *out = &all->items[i]; /* an older version was in the directory, too */
    }
    return ICE_OK;
}

/* ---- where it leads ---- */

/* The tree stands for the location: is the URI in the directory of the metadata files? */
static bool is_here_by_location(const struct search *search, struct ice_str uri) {
    const struct ice_check *ck = search->ck;
    struct ice_str directory = ice_key_parent(uri), rest;
    if (ice_uri_base_name(directory).size == 0)
        return false;
    if (is_same(ck, ice_key_parent(directory), search->location) ||
        is_same(ck, directory, search->location))
        return true;
    return search->location.size > 0 &&
           ice_uri_is_below(ck->run, directory, search->location, &rest) &&
           ice_str_equal(
               rest, ice_target_file_name(search->target, search->target->metadata_dir));
}

/* A hint has no location, only a version: pass 0 finds the file. */
static enum ice_status follow(const struct search *search, struct ice_pointed_at *out,
                              struct ice_error *err) {
    const struct ice_check *ck = search->ck;
    const struct ice_target *target = search->target;
    struct ice_str uri = ck->pointer->metadata_location;
    struct ice_file_info info;
    bool is_here = false;
    out->name = ice_uri_base_name(uri);
    ICE_TRY(resolve(search, uri, &out->source, &out->key, err));
    if (out->source != NULL)
        ICE_TRY(is_same_directory(search, out->source, out->key, &is_here, err));
    else if (ck->options->n_maps == 0)
        is_here = is_here_by_location(search, uri);
    out->index = ice_pointer_find_name(target, out->name);
    bool is_unmistakable = out->index != SIZE_MAX && !target->names[out->index].is_hadoop;
    if (out->index != SIZE_MAX && (is_here || is_unmistakable))
        out->kind = ICE_POINTED_HERE;
    else if (is_here)
        out->kind = ICE_POINTED_MISSING;
    else if (out->source == NULL)
        out->kind = ICE_POINTED_UNMAPPED;
    else if (ice_source_stat(out->source, out->key, ck->run, &info, NULL) == ICE_ENOENT)
        out->kind = ICE_POINTED_MISSING;
    else
        out->kind = ICE_POINTED_ELSEWHERE;
    return ICE_OK;
}

/* Is it the v<N> file of a hint, or the one that it names? A plain one before a packed.
 */
static bool is_hinted(const struct ice_pointer *hint,
                      const struct ice_metadata_name *name) {
    return (name->is_hadoop && name->version == hint->version && hint->version >= 0) ||
           ice_is_hint_of(name->name, hint->metadata_location);
}

static enum ice_status follow_hint(const struct search *search,
                                   struct ice_pointed_at *out, struct ice_error *err) {
    const struct ice_target *target = search->target;
    const struct ice_pointer *hint = search->ck->pointer;
    char name[48];
    for (size_t i = 0; i < target->n_names; i++) {
        if (is_hinted(hint, &target->names[i]) &&
            (out->index == SIZE_MAX || !target->names[i].is_gzip_name))
            out->index = i;
    }
    out->kind = out->index != SIZE_MAX ? ICE_POINTED_HERE : ICE_POINTED_MISSING;
    out->name = hint->metadata_location;
    (void)snprintf(name, sizeof(name), "v%" PRId64 ".metadata.json", hint->version);
    if (out->name.size == 0 &&
        !ice_arena_dup(&search->ck->arena, ice_str_from(name), &out->name))
        return ice_error_memory(err);
    return ICE_OK;
}

void ice_report_absent_pointer(struct ice_check *ck) {
    struct ice_place place = ice_pointer_place(ck, ck->pointer);
    FOUND(ck->emit, ICE_RULE_CATALOG_POINTER_ABSENT, &place,
          arg_str("table", ck->pointer->table));
    ice_emit_not_evaluated(ck->emit, "catalog.*", ICE_STR("catalog.pointer.absent"), true,
                           place.at.file);
}

static void report_no_entry(struct ice_check *ck) {
    if (ck->pointers->n > 0 || ck->pointers->n_faults == 0)
        ice_emit_not_evaluated(ck->emit, "catalog.*",
                               ck->pointers->n > 0
                                   ? ICE_STR("no entry of --pointer names this table")
                                   : ice_str_from(ice_pointers_nothing(ck->pointers)),
                               true, ICE_STR_NONE);
}

enum ice_status ice_find_pointer(struct ice_check *ck, struct ice_pointed_at *out,
                                 struct ice_error *err) {
    struct search search = {.ck = ck, .target = ck->target};
    *out = (struct ice_pointed_at){.kind = ICE_POINTED_NONE, .index = SIZE_MAX};
    ck->pointer = NULL;
    if (!ice_pointers_are_asked(ck))
        return ICE_OK;
    if (!ck->answers_pointers)
        report_faults(ck);
    ICE_TRY(identify(&search, err));
    ICE_TRY(choose(&search, &ck->pointer, err));
    if (ck->pointer == NULL) {
        if (!ck->answers_pointers)
            report_no_entry(ck);
        return ICE_OK;
    }
    if (ck->pointer->format == ICE_POINTER_HINT)
        return follow_hint(&search, out, err);
    if (ck->pointer->metadata_location.size == 0) {
        ice_report_absent_pointer(ck);
        return ICE_OK;
    }
    return follow(&search, out, err);
}

enum ice_status ice_rate_pointers(struct ice_check *ck, enum ice_pointer_match *out,
                                  struct ice_error *err) {
    struct search search = {.ck = ck, .target = ck->target};
    ICE_TRY(identify(&search, err));
    for (size_t i = 0; i < ck->pointers->n; i++)
        ICE_TRY(rate(&search, &ck->pointers->items[i], &out[i], err));
    return ICE_OK;
}
