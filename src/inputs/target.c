/*
 * What a path argument is. Relies on the source for all access; judges nothing: what is
 * odd about names and hint is kept for pass 0.
 */
#include "inputs/target.h"
#include "inputs/text_cells.h"

#include "base/error.h"

#include "inputs/stdin.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

enum {
    PEEK_BYTES = 64 * 1024, /* what identifying looks at */
    HINT_BYTES = 4096,      /* a hint is a number; what is longer is none */
};

/* ---- metadata files of a directory ---- */

static int compare_names(const void *a, const void *b) {
    const struct ice_metadata_name *left = a, *right = b;
    if (left->version != right->version)
        return left->version < right->version ? -1 : 1;
    return ice_str_compare(left->name, right->name);
}

static size_t count_metadata_names(const struct ice_source_entry *entries, size_t n) {
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += !entries[i].is_directory && ice_is_metadata_name(entries[i].name, NULL);
    return found;
}

static enum ice_status keep_names(struct ice_target *target,
                                  const struct ice_source_entry *entries, size_t n) {
    size_t found = count_metadata_names(entries, n);
    target->names = ice_arena_array(&target->arena, found, sizeof(*target->names));
    if (target->names == NULL)
        return ICE_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        struct ice_metadata_name name = {.name = entries[i].name,
                                         .info = entries[i].info};
        if (entries[i].is_directory ||
            !ice_is_metadata_name(name.name, &name.is_gzip_name))
            continue;
        name.version = ice_metadata_name_version(name.name, &name.is_hadoop);
        name.is_temp = ice_is_uuid_name(name.name);
        target->names[target->n_names++] = name;
    }
    qsort(target->names, target->n_names, sizeof(*target->names), compare_names);
    return ICE_OK;
}

/* ---- the hint ---- */

/* Some writers put a file's name there. */
static bool names_a_file(const struct ice_target *target, struct ice_str text) {
    for (size_t i = 0; i < target->n_names; i++) {
        if (ice_is_hint_of(target->names[i].name, text))
            return true;
    }
    return false;
}

enum ice_status ice_hint_read(struct ice_source *source, struct ice_str key,
                              struct ice_run *run, struct ice_arena *arena,
                              struct ice_str *out_line, struct ice_error *err) {
    struct ice_str text = ICE_STR_NONE;
    struct ice_stream stream = {0};
    struct ice_file_info info = {0};
    enum ice_status status =
        ice_source_open_stream(source, key, run, &stream, &info, err);
    stream.chunk = HINT_BYTES; /* no window of the usual size for a number */
    if (status >= 0)
        status = ice_stream_peek_first(&stream, HINT_BYTES, &text, err);
    text = ice_text_trim(ice_str_first(text, ice_str_find(text, '\n')));
    if (status >= 0 && !ice_arena_dup(arena, text, out_line))
        status = ice_error_memory(err);
    ice_stream_release(&stream);
    return status;
}

static void parse_hint(struct ice_target *target) {
    int64_t version;
    bool is_number = ice_str_to_i64(target->hint_text, &version) && version >= 0 &&
                     version <= INT32_MAX;
    target->hint_version = is_number ? version : -1;
    target->hint_readable = is_number || names_a_file(target, target->hint_text);
}

static enum ice_status read_hint(struct ice_target *target, struct ice_run *run) {
    struct ice_str key;
    ICE_TRY(ice_key_join(&target->arena, target->metadata_dir,
                         ICE_STR("version-hint.text"), &key));
    target->hint_version = -1;
    ice_error_clear(&target->hint_fault);
    enum ice_status status = ice_hint_read(target->source, key, run, &target->arena,
                                           &target->hint_text, &target->hint_fault);
    if (status >= 0)
        parse_hint(target);
    if (status == ICE_ENOMEM || status == ICE_ECANCELLED)
        return status;
    target->has_hint = status != ICE_ENOENT;
    return ICE_OK; /* any other fault is kept in hint_fault */
}

static void note_hint_temps(struct ice_target *target,
                            const struct ice_source_entry *entries, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (entries[i].is_directory ||
            !ice_str_ends(entries[i].name, ICE_STR("-version-hint.temp")))
            continue;
        if (target->n_hint_temps++ == 0)
            target->hint_temp = entries[i].name;
    }
}

/* ---- directories ---- */

static enum ice_status take_directory(struct ice_target *target, struct ice_run *run,
                                      struct ice_str directory, struct ice_str root,
                                      const struct ice_source_entry *entries, size_t n) {
    target->metadata_dir = directory;
    target->table_root = root;
    target->kind = ICE_TARGET_TABLE;
    ICE_TRY(keep_names(target, entries, n));
    note_hint_temps(target, entries, n);
    return read_hint(target, run);
}

static enum ice_status find_in_directory(struct ice_target *target, struct ice_run *run,
                                         struct ice_str directory,
                                         struct ice_error *err) {
    struct ice_source_entry *entries = NULL, *inner = NULL;
    size_t n = 0, n_inner = 0;
    target->kind = ICE_TARGET_EMPTY;
    target->table_root = target->metadata_dir = directory;
    ICE_TRY(ice_source_list(target->source, directory, run, &target->arena, &entries, &n,
                            err));
    bool has_own = count_metadata_names(entries, n) > 0;
    struct ice_str key;
    struct ice_error fault;
    ice_error_clear(&fault);
    ICE_TRY(ice_key_join(&target->arena, directory, ICE_STR("metadata"), &key));
    /* asked for by name: a link to a directory is not among the entries */
    enum ice_status status = ice_source_list(target->source, key, run, &target->arena,
                                             &inner, &n_inner, &fault);
    if (status == ICE_OK && count_metadata_names(inner, n_inner) > 0)
        return take_directory(target, run, key, directory, inner, n_inner);
    if (status == ICE_ENOMEM || (status < 0 && status != ICE_ENOENT && !has_own))
        return ice_error_pass(err, status, &fault);
    if (!has_own)
        return ICE_OK;
    struct ice_str root = directory;
    if (ice_str_is(ice_key_name(directory), "metadata"))
        root = ice_key_parent(directory);
    return take_directory(target, run, directory, root, entries, n);
}

/* ---- lone files ---- */

static enum ice_target_kind kind_of_file(enum ice_input_kind is) {
    switch (is) {
    case ICE_INPUT_METADATA:
    case ICE_INPUT_VIEW:
        return ICE_TARGET_METADATA;
    case ICE_INPUT_MANIFEST_LIST:
        return ICE_TARGET_LIST;
    case ICE_INPUT_MANIFEST:
        return ICE_TARGET_MANIFEST;
    case ICE_INPUT_AVRO:
        return ICE_TARGET_AVRO;
    case ICE_INPUT_PARQUET:
    case ICE_INPUT_ORC:
    case ICE_INPUT_PUFFIN:
    case ICE_INPUT_SQLITE:
    case ICE_INPUT_ARCHIVE:
    case ICE_INPUT_HINT:
    case ICE_INPUT_JSON:
    case ICE_INPUT_EMPTY:
    case ICE_INPUT_UNKNOWN:
    case ICE_INPUT_ENCRYPTED:
        return ICE_TARGET_OTHER;
    }
    return ICE_TARGET_OTHER;
}

static enum ice_status take_file(struct ice_target *target, struct ice_run *run,
                                 struct ice_str key, struct ice_error *err) {
    struct ice_stream stream = {0};
    struct ice_file_info info = {0};
    struct ice_str first = ICE_STR_NONE;
    enum ice_magic magic = ICE_MAGIC_NONE;
    struct ice_error fault;
    ice_error_clear(&fault);
    target->file_key = key;
    target->metadata_dir = ice_key_parent(key);
    target->table_root = target->metadata_dir;
    if (ice_str_is(ice_key_name(target->metadata_dir), "metadata"))
        target->table_root = ice_key_parent(target->metadata_dir);
    enum ice_status status =
        ice_open_inflated(target->source, key, run, &stream, &info, &magic, &fault);
    if (status >= 0)
        status = ice_stream_peek_first(&stream, PEEK_BYTES, &first, &fault);
    if (status == ICE_ENOMEM || status == ICE_ECANCELLED) {
        ice_stream_release(&stream);
        return ice_error_set(err, status, NULL, ICE_NO_OFFSET, "%s", fault.message);
    }
    /* a file that cannot be read, or only in part, is what its name says: the check tells
     * why */
    target->is = ice_identify(ice_key_name(key), first);
    target->kind = kind_of_file(target->is);
    ice_stream_release(&stream);
    return ICE_OK;
}

/* ---- public ---- */

static enum ice_status find_key(struct ice_target *out, struct ice_run *run,
                                struct ice_source *source, struct ice_str root,
                                struct ice_error *err) {
    struct ice_file_info info = {0};
    struct ice_error file_fault;
    *out = (struct ice_target){.source = source, .hint_version = -1};
    ice_arena_init(&out->arena, &run->alloc);
    while (root.size > 0 && root.data[root.size - 1] == '/')
        root.size--;
    struct ice_str key;
    if (!ice_arena_dup(&out->arena, root, &key))
        return ice_error_memory(err);
    out->argument = key;
    if (key.size == 0)
        return find_in_directory(out, run, key, err);
    ice_error_clear(&file_fault);
    enum ice_status as_file = ice_source_stat(source, key, run, &info, &file_fault);
    if (as_file == ICE_OK)
        return take_file(out, run, key, err);
    if (as_file == ICE_ENOMEM)
        return ice_error_memory(err);
    enum ice_status as_directory = find_in_directory(out, run, key, err);
    if (as_directory == ICE_ENOENT && as_file != ICE_ENOENT) {
        ice_error_clear(err);
        return ice_error_set(err, as_file, file_fault.rule, ICE_NO_OFFSET, "%s",
                             file_fault.message);
    }
    return as_directory;
}

enum ice_status ice_target_find(struct ice_target *out, struct ice_run *run,
                                struct ice_source *source, struct ice_str root,
                                struct ice_error *err) {
    ICE_TRY(find_key(out, run, source, root, err));
    out->directory_name = ice_key_name(out->table_root);
    return ICE_OK;
}

struct ice_str ice_target_file_name(const struct ice_target *target, struct ice_str key) {
    struct ice_str root = target->table_root;
    if (root.size == 0 || !ice_str_starts(key, root))
        return key;
    return ice_str_from_index(key, root.size + 1);
}

/*
 * Cut a resolved path into the directory that becomes the source and the key in it. The
 * source stands at the table root, so that lists and manifests beside the metadata
 * directory are inside it.
 */
static void split_path(char *path, bool is_directory, struct ice_str *out_root,
                       struct ice_str *out_key) {
    struct ice_str whole = ice_str_from(path);
    struct ice_str directory = is_directory ? whole : ice_key_parent(whole);
    *out_root = directory;
    if (ice_str_is(ice_key_name(directory), "metadata"))
        *out_root = ice_key_parent(directory);
    *out_key = ice_str_from_index(whole, out_root->size);
    while (out_key->size > 0 && out_key->data[0] == '/')
        *out_key = ice_str_from_index(*out_key, 1);
}

static enum ice_status open_split(struct ice_target *out, struct ice_run *run,
                                  struct ice_str root, struct ice_str key,
                                  struct ice_error *err) {
    char directory[PATH_MAX];
    if (root.size == 0)
        root = ICE_STR("/");
    if (root.size >= sizeof(directory))
        return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET, "path is too long");
    memcpy(directory, root.data, root.size);
    directory[root.size] = '\0';
    struct ice_source *source = NULL;
    ICE_TRY(ice_source_open_dir(&source, directory, &run->alloc.base, err));
    enum ice_status status = ice_target_find(out, run, source, key, err);
    out->owns_source = true;
    if (status >= 0 && !ice_arena_dup(&out->arena, root, &out->root_path))
        return ice_error_memory(err);
    if (status >= 0 && out->directory_name.size == 0 &&
        !ice_arena_dup(&out->arena, ice_key_name(root), &out->directory_name))
        return ice_error_memory(err);
    return status;
}

enum ice_status ice_target_open(struct ice_target *out, struct ice_run *run,
                                const char *path, struct ice_error *err) {
    *out = (struct ice_target){.hint_version = -1};
    if (strcmp(path, "-") == 0) {
        struct ice_source *source = NULL;
        ICE_TRY(ice_source_open_stdin(&source, run, err));
        enum ice_status status =
            ice_target_find(out, run, source, ICE_STR(ICE_STDIN_KEY), err);
        out->owns_source = true;
        out->is_stdin = true;
        return status;
    }
    char resolved[PATH_MAX];
    if (realpath(path, resolved) == NULL) {
        int why = errno;
        bool is_absent = why == ENOENT || why == ENOTDIR;
        return ice_error_set(err, is_absent ? ICE_ENOENT : ICE_EIO,
                             is_absent ? NULL : "source.unreadable", ICE_NO_OFFSET,
                             is_absent ? "%s: give a table directory, a metadata.json, a "
                                         "manifest list or a manifest"
                                       : "%s",
                             strerror(why));
    }
    struct ice_str root, key;
    bool is_directory = ice_path_is_directory(resolved);
    split_path(resolved, is_directory, &root, &key);
    ICE_TRY(open_split(out, run, root, key, err));
    bool is_stray = is_directory && key.size > 0 && out->kind != ICE_TARGET_TABLE;
    bool is_table = out->kind == ICE_TARGET_TABLE && key.size > 0 &&
                    out->metadata_dir.size > key.size;
    if (is_stray || is_table) {
        /* a table that is itself called "metadata", or nothing: its own root then */
        ice_target_release(out);
        ICE_TRY(open_split(out, run, ice_str_from(resolved), ICE_STR_NONE, err));
    }
    return ICE_OK;
}

enum ice_status ice_target_look_in(struct ice_target *target, struct ice_run *run,
                                   struct ice_str key, struct ice_error *err) {
    struct ice_source_entry *entries = NULL;
    struct ice_error fault;
    struct ice_str own;
    size_t n = 0;
    ice_error_clear(&fault);
    if (!ice_arena_dup(&target->arena, key, &own))
        return ice_error_memory(err);
    enum ice_status status =
        ice_source_list(target->source, own, run, &target->arena, &entries, &n, &fault);
    if (status == ICE_ENOMEM)
        return ice_error_memory(err);
    if (status < 0 || count_metadata_names(entries, n) == 0)
        return ICE_OK; /* it stays what it is: that is said */
    struct ice_str root = target->table_root;
    if (take_directory(target, run, own, root, entries, n) == ICE_ENOMEM)
        return ice_error_memory(err);
    return ICE_OK;
}

enum ice_status ice_target_find_file(const struct ice_target *target, struct ice_str name,
                                     struct ice_run *run, struct ice_arena *arena,
                                     struct ice_str *out_key, struct ice_error *err) {
    struct ice_file_info info;
    *out_key = ICE_STR_NONE;
    if (name.size == 0)
        return ICE_OK;
    if (ice_key_join(arena, target->metadata_dir, name, out_key) < 0)
        return ice_error_memory(err);
    enum ice_status status = ice_source_stat(target->source, *out_key, run, &info, NULL);
    if (status < 0)
        *out_key = ICE_STR_NONE;
    return status == ICE_ENOMEM ? ice_error_memory(err) : ICE_OK;
}

enum ice_status ice_target_again(struct ice_target *out, const struct ice_target *old,
                                 struct ice_run *run, struct ice_error *err) {
    ICE_TRY(ice_target_find(out, run, old->source, old->argument, err));
    if (out->directory_name.size == 0 &&
        !ice_arena_dup(&out->arena, old->directory_name, &out->directory_name))
        return ice_error_memory(err);
    if (out->kind == ICE_TARGET_EMPTY && old->kind == ICE_TARGET_TABLE)
        return ice_target_look_in(out, run, old->metadata_dir, err);
    return ICE_OK;
}

void ice_target_replace(struct ice_target *target, struct ice_target *fresh) {
    fresh->owns_source = target->owns_source;
    target->owns_source = false;
    ice_target_release(target);
    *target = *fresh;
    *fresh = (struct ice_target){.hint_version = -1};
}

void ice_target_release(struct ice_target *target) {
    if (target->owns_source)
        ice_source_free(target->source);
    ice_arena_release(&target->arena);
    *target = (struct ice_target){.hint_version = -1};
}
