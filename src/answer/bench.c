/*
 * ice_bench: the files that a check reads, read alone or unpacked alone. What a check
 * costs above that is its own.
 */
#include "answer/table_reader.h"
#include "base/error.h"
#include "iceberg/blocks.h"

struct ice_bench {
    struct ice_alloc alloc; /* of the handle itself */
    struct ice_table_reader reader;
    struct ice_str *files; /* URIs of lists and manifests, in the check's arena */
    size_t n_files, capacity;
};

static enum ice_status take_file(struct ice_str uri, const char *kind, int64_t size,
                                 int here, void *user) {
    struct ice_bench *bench = user;
    (void)size;
    if (here != 1 || strncmp(kind, "manifest", strlen("manifest")) != 0)
        return ICE_OK;
    if (!ice_array_reserve(&bench->reader.run.alloc, &bench->files, bench->n_files,
                           &bench->capacity, sizeof(*bench->files)) ||
        !ice_arena_dup(&bench->reader.check.arena, uri, &bench->files[bench->n_files]))
        return ICE_ENOMEM;
    bench->n_files++;
    return ICE_OK;
}

static enum ice_status find_files(struct ice_bench *bench, const char *path,
                                  const struct ice_options *options,
                                  struct ice_error *err) {
    struct ice_check *ck = &bench->reader.check;
    ICE_TRY(ice_table_reader_find(&bench->reader, path, options, NULL, NULL, err));
    ICE_TRY(ice_check_walk_files(ck, take_file, bench, err));
    if (bench->n_files == 0) {
        (void)ice_error_set(err, ICE_ENOENT, NULL, ICE_NO_OFFSET,
                            "there is no manifest list or manifest to read");
        ice_error_set_file(err, bench->reader.given);
        return ICE_ENOENT;
    }
    return ICE_OK;
}

enum ice_status ice_bench_open(struct ice_bench **out, const char *path,
                               const struct ice_options *options, struct ice_error *err) {
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, options != NULL ? options->allocator : NULL, UINT64_MAX);
    *out = ice_calloc(&alloc, 1, sizeof(**out));
    if (*out == NULL)
        return ice_error_memory(err);
    (*out)->alloc = alloc;
    enum ice_status status = find_files(*out, path, options, err);
    if (status < 0) {
        ice_bench_free(*out);
        *out = NULL;
    }
    return status < 0 ? status : ICE_OK;
}

void ice_bench_free(struct ice_bench *bench) {
    if (bench == NULL)
        return;
    ice_array_free(&bench->reader.run.alloc, &bench->files, &bench->capacity,
                   sizeof(*bench->files));
    ice_table_reader_release(&bench->reader);
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, &bench->alloc.base, UINT64_MAX);
    ice_free(&alloc, bench, sizeof(*bench));
}

/* ---- one reading ------------------------------------------------------------------- */

static enum ice_status read_bytes(struct ice_stream *stream, struct ice_error *err) {
    for (;;) {
        struct ice_str view;
        ICE_TRY(ice_stream_peek(stream, 1, &view, err));
        if (view.size == 0)
            return ICE_OK;
        ice_stream_consume(stream, view.size);
    }
}

static enum ice_status read_file(struct ice_bench *bench, struct ice_str uri,
                                 enum ice_effort effort, struct ice_work *work,
                                 struct ice_error *err) {
    struct ice_table_reader *reader = &bench->reader;
    struct ice_source *source;
    struct ice_str key;
    struct ice_stream stream;
    struct ice_file_info info;
    struct ice_blocks_total total = {0};
    ICE_TRY(ice_mapping_resolve(&reader->check.mapping, uri, &reader->key, &source, &key,
                                err));
    ICE_TRY(ice_source_open_stream(source, key, &reader->run, &stream, &info, err));
    enum ice_status status = ICE_OK;
    switch (effort) {
    case ICE_EFFORT_READ:
        status = read_bytes(&stream, err);
        break;
    case ICE_EFFORT_INFLATE:
        status = ice_blocks_unpack(&reader->run, &stream, &total, err);
        break;
    }
    ice_stream_release(&stream);
    work->n_files++;
    work->bytes += info.size;
    work->unpacked_bytes += total.bytes;
    work->n_blocks += total.blocks;
    work->n_records += total.records;
    return status;
}

enum ice_status ice_bench_run(struct ice_bench *bench, enum ice_effort effort,
                              struct ice_work *out, struct ice_error *err) {
    *out = (struct ice_work){0};
    for (size_t i = 0; i < bench->n_files; i++) {
        enum ice_status status = read_file(bench, bench->files[i], effort, out, err);
        if (ice_status_is_final(status))
            return status;
        out->n_faulty += status < 0;
    }
    return ICE_OK;
}
