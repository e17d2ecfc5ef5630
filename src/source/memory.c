/*
 * Files in memory, found by binary search. Directories are what keys have in front of
 * '/'.
 */

#include "base/alloc.h"
#include "base/error.h"
#include "base/size.h"
#include "source/source_state.h"

#include <stdlib.h>

struct memory {
    struct ice_alloc alloc;
    struct ice_memory_file *files; /* by key */
    size_t n;
};

static int by_key(const void *left, const void *right) {
    const struct ice_memory_file *a = left, *b = right;
    return ice_str_compare(a->key, b->key);
}

/* Index of the first file whose key is not below key. */
static size_t lower_bound(const struct memory *memory, struct ice_str key) {
    size_t low = 0, high = memory->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ice_str_compare(memory->files[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static enum ice_status memory_open(void *user, struct ice_str key, void **out_file,
                                   struct ice_file_info *out_info,
                                   struct ice_error *err) {
    (void)err;
    struct memory *memory = user;
    size_t at = lower_bound(memory, key);
    if (at == memory->n || !ice_str_equal(memory->files[at].key, key))
        return ICE_ENOENT;
    *out_file = &memory->files[at];
    *out_info = (struct ice_file_info){
        .size = memory->files[at].bytes.size, .mtime_ms = INT64_MIN, .identity = at + 1};
    return ICE_OK;
}

static enum ice_status memory_read_at(void *user, void *file, uint64_t offset,
                                      void *buffer, size_t size, size_t *out_size,
                                      struct ice_error *err) {
    (void)user;
    (void)err;
    struct ice_str bytes = ((const struct ice_memory_file *)file)->bytes;
    *out_size = 0;
    if (offset >= bytes.size)
        return ICE_OK;
    *out_size = ice_size_min(size, bytes.size - (size_t)offset);
    memcpy(buffer, bytes.data + offset, *out_size);
    return ICE_OK;
}

static void memory_close(void *user, void *file) {
    (void)user;
    (void)file;
}

/* What is left of key, which begins with directory, below it; size 0 if it is not below.
 */
static struct ice_str below(struct ice_str key, struct ice_str directory) {
    if (directory.size == 0)
        return key;
    if (key.size == directory.size || key.data[directory.size] != '/')
        return ICE_STR_NONE;
    return ice_str_from_index(key, directory.size + 1);
}

static enum ice_status memory_list(void *user, struct ice_str directory,
                                   enum ice_status (*each)(struct ice_str, bool,
                                                           const struct ice_file_info *,
                                                           void *),
                                   void *context, struct ice_error *err) {
    (void)err;
    struct memory *memory = user;
    bool found = directory.size == 0;
    struct ice_str last = ICE_STR_NONE; /* keys below one directory stand together */
    for (size_t i = lower_bound(memory, directory); i < memory->n; i++) {
        struct ice_str key = memory->files[i].key;
        if (!ice_str_starts(key, directory))
            break;
        struct ice_str rest = below(key, directory);
        if (rest.size == 0)
            continue;
        found = true;
        size_t slash = ice_str_find(rest, '/');
        struct ice_str name = ice_str_first(rest, slash);
        struct ice_file_info info = {.mtime_ms = INT64_MIN};
        if (slash != SIZE_MAX && last.data != NULL && ice_str_equal(last, name))
            continue;
        if (slash != SIZE_MAX)
            last = name;
        else
            info.size = memory->files[i].bytes.size;
        ICE_TRY(each(name, slash != SIZE_MAX, &info, context));
    }
    return found ? ICE_OK : ICE_ENOENT;
}

static void memory_free(void *user) {
    struct memory *memory = user;
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, &memory->alloc.base, UINT64_MAX);
    if (memory->files != NULL)
        ice_free(&alloc, memory->files, memory->n * sizeof(*memory->files));
    ice_free(&alloc, memory, sizeof(*memory));
}

static const struct ice_source_ops memory_ops = {
    memory_open, memory_read_at, memory_close, memory_list, memory_free,
};

enum ice_status ice_source_open_memory(struct ice_source **out,
                                       const struct ice_memory_file *files,
                                       size_t n_files,
                                       const struct ice_allocator *allocator,
                                       struct ice_error *err) {
    struct ice_alloc alloc;
    *out = NULL;
    ice_alloc_init(&alloc, allocator, UINT64_MAX);
    struct memory *memory = ice_calloc(&alloc, 1, sizeof(*memory));
    if (memory == NULL)
        return ice_error_memory(err);
    ice_alloc_init(&memory->alloc, allocator, UINT64_MAX);
    if (n_files > 0) {
        memory->files = ice_calloc(&alloc, n_files, sizeof(*files));
        if (memory->files == NULL) {
            memory_free(memory);
            return ice_error_memory(err);
        }
        memcpy(memory->files, files, n_files * sizeof(*files));
        memory->n = n_files;
        qsort(memory->files, n_files, sizeof(*files), by_key);
    }
    ICE_TRY(ice_source_open_ops(out, &memory_ops, memory, allocator, err));
    (*out)->is_shared = true;
    return ICE_OK;
}
