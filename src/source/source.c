/*
 * Sources behind their ops table: keys are checked here, before any storage is asked, and
 * what a storage answers is not trusted either.
 */
#include "source/source_state.h"

#include "base/arena.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>

enum ice_status ice_source_open_ops(struct ice_source **out,
                                    const struct ice_source_ops *ops, void *user,
                                    const struct ice_allocator *allocator,
                                    struct ice_error *err) {
    struct ice_alloc alloc;
    *out = NULL;
    if (ops->open == NULL || ops->read_at == NULL || ops->close == NULL)
        return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "a source needs open, read_at and close");
    ice_alloc_init(&alloc, allocator, UINT64_MAX);
    struct ice_source *source = ice_malloc(&alloc, sizeof(*source));
    if (source == NULL) {
        if (ops->free != NULL)
            ops->free(user);
        return ice_error_memory(err);
    }
    *source = (struct ice_source){.ops = *ops, .user = user};
    ice_alloc_init(&source->alloc, allocator, UINT64_MAX);
    *out = source;
    return ICE_OK;
}

bool ice_source_is_shared(const struct ice_source *source) {
    return source->is_shared;
}

void ice_source_free(struct ice_source *source) {
    if (source == NULL)
        return;
    if (source->ops.free != NULL)
        source->ops.free(source->user);
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, &source->alloc.base, UINT64_MAX);
    ice_free(&alloc, source, sizeof(*source));
}

/* ---- keys and faults ---- */

static bool is_bad_part(struct ice_str part) {
    return part.size == 0 || ice_str_is(part, ".") || ice_str_is(part, "..");
}

static const char *fault_of_key(struct ice_str key, uint64_t limit) {
    if (key.size > limit)
        return "it is too long";
    if (ice_str_find(key, '\0') != SIZE_MAX)
        return "it holds a NUL byte";
    for (;;) {
        size_t slash = ice_str_find(key, '/');
        if (is_bad_part(ice_str_first(key, slash)))
            return "it has a part that is empty, \".\" or \"..\"";
        if (slash == SIZE_MAX)
            return NULL;
        key = slash + 1 == key.size ? (struct ice_str){key.data, 0}
                                    : ice_str_from_index(key, slash + 1);
    }
}

static enum ice_status check_key(struct ice_str key, const struct ice_run *run,
                                 struct ice_error *err) {
    const char *fault = fault_of_key(key, run->limits.path_bytes);
    if (fault == NULL)
        return ICE_OK;
    char shown[96];
    (void)ice_escape(shown, sizeof(shown), key);
    (void)ice_error_set(err, ICE_EFORMAT, "source.path", ICE_NO_OFFSET,
                        "'%s' is no path inside the source: %s", shown, fault);
    ice_error_set_file(err, key);
    return ICE_EFORMAT;
}

/* Fill in what the storage left out of its failure. */
static enum ice_status storage_failed(enum ice_status status, struct ice_str key,
                                      uint64_t offset, struct ice_error *err) {
    if (status == ICE_ENOMEM)
        return ice_error_memory(err);
    (void)ice_error_set(err, status, NULL, offset, "%s",
                        status == ICE_ENOENT ? "no such file"
                                             : "the file cannot be read");
    if (err != NULL && err->rule == NULL && status == ICE_EIO)
        err->rule = "source.unreadable";
    ice_error_set_file(err, key);
    return status;
}

/* ---- one file ---- */

static enum ice_status open_file(struct ice_source *source, struct ice_str key,
                                 struct ice_run *run, void **out_file,
                                 struct ice_file_info *out_info, struct ice_error *err) {
    ICE_TRY(check_key(key, run, err));
    *out_info = (struct ice_file_info){.mtime_ms = INT64_MIN};
    *out_file = NULL;
    enum ice_status status = source->ops.open(source->user, key, out_file, out_info, err);
    return status < 0 ? storage_failed(status, key, ICE_NO_OFFSET, err) : ICE_OK;
}

struct reading {
    struct ice_source *source;
    struct ice_run *run;
    void *file;
    uint64_t offset;
    bool is_endless;
    size_t key_size;
    char key[]; /* for messages */
};

static enum ice_status over_limit(const struct ice_run *run, struct ice_str key,
                                  struct ice_error *err) {
    (void)ice_error_set(err, ICE_ELIMIT, "limit.file", run->limits.file_bytes,
                        "the file is larger than %" PRIu64 " bytes",
                        run->limits.file_bytes);
    ice_error_set_file(err, key);
    return ICE_ELIMIT;
}

/*
 * A source may understate the size of a file. It is asked for no more than the byte that
 * is too many; the bytes in front of that are handed out, the next read fails.
 */
static enum ice_status reading_read(void *user, void *buffer, size_t size,
                                    size_t *out_size, struct ice_error *err) {
    struct reading *reading = user;
    struct ice_str key = {reading->key, reading->key_size};
    const uint64_t limit =
        reading->is_endless ? UINT64_MAX : reading->run->limits.file_bytes;
    if (reading->offset > limit)
        return over_limit(reading->run, key, err);
    const uint64_t left = limit - reading->offset;
    const size_t most = left < size ? (size_t)left + 1 : size;
    size_t got = 0;
    enum ice_status status = reading->source->ops.read_at(
        reading->source->user, reading->file, reading->offset, buffer, most, &got, err);
    if (status < 0)
        return storage_failed(status, key, reading->offset, err);
    if (got > most)
        return ice_error_set(err, ICE_EARG, NULL, reading->offset,
                             "a source returned more bytes than asked for");
    reading->offset += got;
    if (reading->offset > limit && --got == 0)
        return over_limit(reading->run, key, err);
    *out_size = got;
    return ICE_OK;
}

static void reading_free(void *user) {
    struct reading *reading = user;
    reading->source->ops.close(reading->source->user, reading->file);
    ice_free(&reading->run->alloc, reading, sizeof(*reading) + reading->key_size);
}

static const struct ice_stream_ops reading_ops = {reading_read, reading_free};

static enum ice_status open_stream(struct ice_source *source, struct ice_str key,
                                   struct ice_run *run, bool is_endless,
                                   struct ice_stream *out, struct ice_file_info *out_info,
                                   struct ice_error *err) {
    struct ice_file_info info;
    void *file;
    *out = (struct ice_stream){0};
    ICE_TRY(open_file(source, key, run, &file, &info, err));
    if (out_info != NULL)
        *out_info = info;
    if (!is_endless && info.size > run->limits.file_bytes) {
        source->ops.close(source->user, file);
        return over_limit(run, key, err);
    }
    struct reading *reading = ice_malloc(&run->alloc, sizeof(*reading) + key.size);
    if (reading == NULL) {
        source->ops.close(source->user, file);
        return ice_error_memory(err);
    }
    *reading = (struct reading){
        .source = source, .run = run, .file = file, .is_endless = is_endless};
    reading->key_size = key.size;
    memcpy(reading->key, key.data, key.size);
    ICE_TRY(ice_stream_init(out, run, &reading_ops, reading, err));
    out->is_endless = is_endless;
    return ICE_OK;
}

enum ice_status ice_source_open_stream(struct ice_source *source, struct ice_str key,
                                       struct ice_run *run, struct ice_stream *out,
                                       struct ice_file_info *out_info,
                                       struct ice_error *err) {
    return open_stream(source, key, run, false, out, out_info, err);
}

enum ice_status ice_source_open_endless(struct ice_source *source, struct ice_str key,
                                        struct ice_run *run, struct ice_stream *out,
                                        struct ice_file_info *out_info,
                                        struct ice_error *err) {
    return open_stream(source, key, run, true, out, out_info, err);
}

enum ice_status ice_source_stat(struct ice_source *source, struct ice_str key,
                                struct ice_run *run, struct ice_file_info *out_info,
                                struct ice_error *err) {
    void *file;
    ICE_TRY(open_file(source, key, run, &file, out_info, err));
    source->ops.close(source->user, file);
    return ICE_OK;
}

/* ---- one directory ---- */

struct listing {
    struct ice_run *run;
    struct ice_arena *arena;
    struct ice_source_entry *entries;
    size_t n, capacity;
};

static enum ice_status add_entry(struct ice_str name, bool is_directory,
                                 const struct ice_file_info *info, void *context) {
    struct listing *listing = context;
    if (is_bad_part(name) || ice_str_find(name, '/') != SIZE_MAX ||
        ice_str_find(name, '\0') != SIZE_MAX)
        return ICE_OK; /* nothing that could be opened by its key */
    if (!ice_array_reserve(&listing->run->alloc, &listing->entries, listing->n,
                           &listing->capacity, sizeof(*listing->entries)))
        return ICE_ENOMEM;
    struct ice_source_entry *entry = &listing->entries[listing->n];
    *entry = (struct ice_source_entry){.is_directory = is_directory};
    if (info != NULL)
        entry->info = *info;
    else
        entry->info.mtime_ms = INT64_MIN;
    if (!ice_arena_dup(listing->arena, name, &entry->name))
        return ICE_ENOMEM;
    listing->n++;
    return ICE_OK;
}

static int by_name(const void *left, const void *right) {
    const struct ice_source_entry *a = left, *b = right;
    int order = ice_str_compare(a->name, b->name);
    return order != 0 ? order : (int)a->is_directory - (int)b->is_directory;
}

enum ice_status ice_source_list(struct ice_source *source, struct ice_str directory,
                                struct ice_run *run, struct ice_arena *arena,
                                struct ice_source_entry **out, size_t *out_n,
                                struct ice_error *err) {
    *out = NULL;
    *out_n = 0;
    if (directory.size > 0)
        ICE_TRY(check_key(directory, run, err));
    if (source->ops.list == NULL)
        return ice_error_set(err, ICE_EUNSUPPORTED, NULL, ICE_NO_OFFSET,
                             "this source cannot list directories");
    struct listing listing = {.run = run, .arena = arena};
    enum ice_status status =
        source->ops.list(source->user, directory, add_entry, &listing, err);
    if (status < 0) {
        status = storage_failed(status, directory, ICE_NO_OFFSET, err);
        goto done;
    }
    *out = ice_arena_array(arena, listing.n, sizeof(**out));
    if (*out == NULL) {
        status = ice_error_memory(err);
        goto done;
    }
    status = ICE_OK;
    *out_n = listing.n;
    if (listing.n > 0) {
        qsort(listing.entries, listing.n, sizeof(*listing.entries), by_name);
        memcpy(*out, listing.entries, listing.n * sizeof(**out));
    }
done:
    ice_array_free(&run->alloc, &listing.entries, &listing.capacity,
                   sizeof(*listing.entries));
    return status;
}
