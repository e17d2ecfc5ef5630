/*
 * ice_bench: the files that a check reads, read alone or unpacked alone. What a check
 * costs above that is its own.
 */
#include "answer/table_reader.h"
#include "base/error.h"
#include "base/pool.h"
#include "iceberg/blocks.h"

struct ice_bench {
    struct ice_alloc alloc; /* of the handle itself */
    struct ice_table_reader reader;
    struct ice_str *files; /* URIs of lists and manifests, in the check's arena */
    size_t n_files, capacity;
    struct ice_pool *pool; /* NULL: one thread */
    size_t n_threads;
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

static enum ice_status open_threads(struct ice_bench *bench,
                                    const struct ice_options *options,
                                    struct ice_error *err) {
    unsigned jobs = options != NULL ? options->jobs : 0;
    bench->n_threads = jobs > 0 ? jobs : ice_pool_cores();
    if (bench->n_threads > bench->n_files) /* at least one file */
        bench->n_threads = bench->n_files;
    if (bench->n_threads > 1 && ice_pool_open(&bench->pool, &bench->reader.run.alloc,
                                              (unsigned)bench->n_threads - 1) < 0)
        return ice_error_memory(err);
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
    if (status >= 0)
        status = open_threads(*out, options, err);
    if (status < 0) {
        ice_bench_free(*out);
        *out = NULL;
    }
    return status < 0 ? status : ICE_OK;
}

void ice_bench_free(struct ice_bench *bench) {
    if (bench == NULL)
        return;
    ice_pool_free(bench->pool);
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

/* What one thread reads: the next file that nobody has begun. */
struct reading {
    struct ice_bench *bench;
    _Atomic size_t *next; /* of all threads */
    enum ice_effort effort;
    struct ice_buf key;
    struct ice_work work;
    enum ice_status status; /* one that ends the run, or ICE_OK */
    struct ice_error err;
    struct ice_job job;
};

static enum ice_status read_file(struct reading *reading, struct ice_str uri) {
    struct ice_table_reader *reader = &reading->bench->reader;
    struct ice_work *work = &reading->work;
    struct ice_error *err = &reading->err;
    struct ice_source *source;
    struct ice_str key;
    struct ice_stream stream;
    struct ice_file_info info;
    struct ice_blocks_total total = {0};
    ICE_TRY(ice_mapping_resolve(&reader->check.mapping, uri, &reading->key, &source, &key,
                                err));
    ICE_TRY(ice_source_open_stream(source, key, &reader->run, &stream, &info, err));
    enum ice_status status = ICE_OK;
    switch (reading->effort) {
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

static void read_files(void *user) {
    struct reading *reading = user;
    const struct ice_bench *bench = reading->bench;
    size_t i;
    while ((i = atomic_fetch_add_explicit(reading->next, 1, memory_order_relaxed)) <
           bench->n_files) {
        enum ice_status status = read_file(reading, bench->files[i]);
        if (ice_status_is_final(status)) {
            reading->status = status;
            return;
        }
        reading->work.n_faulty += status < 0;
    }
}

static void add_work(struct ice_work *sum, const struct ice_work *work) {
    sum->n_files += work->n_files;
    sum->bytes += work->bytes;
    sum->unpacked_bytes += work->unpacked_bytes;
    sum->n_blocks += work->n_blocks;
    sum->n_records += work->n_records;
    sum->n_faulty += work->n_faulty;
}

/* The calling thread reads too: readings[0]. */
static void read_together(struct ice_bench *bench, struct reading *readings, size_t n) {
    for (size_t i = 1; i < n; i++) {
        readings[i].job = (struct ice_job){.run = read_files, .user = &readings[i]};
        ice_pool_give(bench->pool, &readings[i].job);
    }
    read_files(&readings[0]);
    for (size_t i = 1; i < n; i++)
        ice_pool_finish(bench->pool, &readings[i].job);
}

enum ice_status ice_bench_run(struct ice_bench *bench, enum ice_effort effort,
                              struct ice_work *out, struct ice_error *err) {
    struct ice_alloc *alloc = &bench->reader.run.alloc;
    size_t n = bench->n_threads;
    _Atomic size_t next = 0;
    enum ice_status status = ICE_OK;
    *out = (struct ice_work){0};
    struct reading *readings = ice_calloc(alloc, n, sizeof(*readings));
    if (readings == NULL)
        return ice_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        readings[i] = (struct reading){.bench = bench, .next = &next, .effort = effort};
        readings[i].err.offset = ICE_NO_OFFSET;
        ice_buf_init(&readings[i].key, alloc, SIZE_MAX);
    }
    read_together(bench, readings, n);
    for (size_t i = 0; i < n; i++) {
        add_work(out, &readings[i].work);
        if (readings[i].status < 0 && status == ICE_OK) {
            status = readings[i].status;
            if (err != NULL)
                *err = readings[i].err;
        }
        ice_buf_release(&readings[i].key);
    }
    ice_free(alloc, readings, n * sizeof(*readings));
    return status;
}
