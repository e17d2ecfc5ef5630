/*
 * Rows as an Arrow C stream: who makes rows pushes them, who reads them pulls batches, so
 * a thread makes them and a short queue lies between.
 */
#include "arrow/export.h"
#include "base/arena.h"
#include "base/error.h"
#include "report/arrow_rows.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

enum { QUEUE = 2 }; /* batches that wait for the reader */

struct row_stream {
    struct ice_alloc alloc;
    ice_produce_fn produce;
    void (*release)(void *user);
    void *user;
    struct ice_str wanted; /* the comma list */
    struct ice_arena arena;
    pthread_t thread;

    /* of the thread alone */
    struct ice_picked picked;
    struct ice_arrow_batch *batch;

    /* under lock; a change is told to both sides */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct ice_column columns[ICE_ROWS_COLUMNS]; /* the picked ones */
    size_t n_columns;
    bool has_columns, has_ended;
    _Atomic bool is_cancelled; /* set under lock, read without it for each row */
    struct ArrowArray queue[QUEUE];
    size_t n_queued;
    enum ice_status status; /* of produce, once it has ended */
    struct ice_error error;

    char message[5 * sizeof(((struct ice_error *)0)->file)];
};

/* ---- the thread ---------------------------------------------------------------------
 */

static enum ice_status keep_columns(struct row_stream *s,
                                    const struct ice_column *columns, size_t n) {
    if (ice_pick(&s->picked, columns, n, s->wanted) < 0)
        return ice_error_set(&s->error, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "no column is called '%s'", s->picked.bad_column);
    for (size_t i = 0; i < s->picked.n; i++) {
        struct ice_str name;
        const struct ice_column *column = &columns[s->picked.at[i]];
        if (!ice_arena_dup(&s->arena, ice_str_from(column->name), &name))
            return ICE_ENOMEM;
        s->columns[i] = (struct ice_column){name.data, column->kind};
    }
    s->n_columns = s->picked.n;
    return ICE_OK;
}

static enum ice_status begin(struct row_stream *s, const struct ice_column *columns,
                             size_t n) {
    pthread_mutex_lock(&s->lock);
    enum ice_status status = keep_columns(s, columns, n);
    s->has_columns = status == ICE_OK;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* The batch to the reader, once there is room. */
static enum ice_status hand_over(struct row_stream *s) {
    struct ArrowArray array;
    struct ice_arrow_batch *batch = s->batch;
    s->batch = NULL;
    ICE_TRY(ice_arrow_export_batch(batch, &array));
    pthread_mutex_lock(&s->lock);
    while (s->n_queued == QUEUE && !s->is_cancelled)
        pthread_cond_wait(&s->changed, &s->lock);
    bool is_cancelled = s->is_cancelled;
    if (!is_cancelled)
        s->queue[s->n_queued++] = array;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (is_cancelled)
        array.release(&array);
    return is_cancelled ? ICE_ECANCELLED : ICE_OK;
}

static enum ice_status on_row(const struct ice_column *columns,
                              const struct ice_value *values, size_t n, void *user) {
    struct row_stream *s = user;
    if (!s->has_columns) /* written by this thread alone */
        ICE_TRY(begin(s, columns, n));
    if (values == NULL)
        return ICE_OK;
    if (s->is_cancelled)
        return ICE_ECANCELLED;
    if (s->batch == NULL) {
        s->batch = ice_picked_batch(&s->alloc.base, &s->picked, columns);
        if (s->batch == NULL)
            return ICE_ENOMEM;
    }
    ICE_TRY(ice_picked_row(&s->picked, values, s->batch));
    return ice_arrow_batch_is_full(s->batch) ? hand_over(s) : ICE_OK;
}

static void *run(void *user) {
    struct row_stream *s = user;
    struct ice_error error = {0};
    enum ice_status status = s->produce(on_row, s, s->user, &error);
    if (status >= 0 && s->batch != NULL)
        status = hand_over(s);
    ice_arrow_batch_free(s->batch);
    s->batch = NULL;
    pthread_mutex_lock(&s->lock);
    if (s->error.message[0] == '\0') /* what is set is the cause */
        s->error = error;
    s->status = status;
    s->has_ended = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- the reader ---------------------------------------------------------------------
 */

static int failure(const struct row_stream *s) {
    return s->status == ICE_ENOMEM   ? ENOMEM
           : s->status == ICE_EARG   ? EINVAL
           : s->status == ICE_ENOENT ? ENOENT
                                     : EIO;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    struct row_stream *s = stream->private_data;
    pthread_mutex_lock(&s->lock);
    while (!s->has_columns && !s->has_ended)
        pthread_cond_wait(&s->changed, &s->lock);
    int code = 0;
    if (!s->has_columns && s->status < 0)
        code = failure(s);
    else if (ice_arrow_export_schema(&s->alloc.base, s->columns, s->n_columns, out) < 0)
        code = ENOMEM;
    pthread_mutex_unlock(&s->lock);
    return code;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    struct row_stream *s = stream->private_data;
    int code = 0;
    *out = (struct ArrowArray){0}; /* released: the end of the stream */
    pthread_mutex_lock(&s->lock);
    while (s->n_queued == 0 && !s->has_ended)
        pthread_cond_wait(&s->changed, &s->lock);
    if (s->n_queued > 0) {
        *out = s->queue[0];
        s->n_queued--;
        for (size_t i = 0; i < s->n_queued; i++)
            s->queue[i] = s->queue[i + 1];
        pthread_cond_broadcast(&s->changed);
    } else if (s->status < 0) {
        code = failure(s);
    }
    pthread_mutex_unlock(&s->lock);
    return code;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    struct row_stream *s = stream->private_data;
    pthread_mutex_lock(&s->lock);
    const char *what =
        s->error.message[0] != '\0' ? s->error.message : ice_status_name(s->status);
    char file[4 * sizeof(s->error.file)];
    (void)snprintf(s->message, sizeof(s->message), "%s%s%s",
                   ice_escape(file, sizeof(file), ice_str_from(s->error.file)),
                   s->error.file[0] != '\0' ? ": " : "", what);
    pthread_mutex_unlock(&s->lock);
    return s->message;
}

static void free_stream(struct row_stream *s) {
    if (s->release != NULL)
        s->release(s->user);
    for (size_t i = 0; i < s->n_queued; i++)
        s->queue[i].release(&s->queue[i]);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    ice_arena_release(&s->arena);
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, &s->alloc.base, UINT64_MAX);
    ice_free(&alloc, s, sizeof(*s));
}

static void release_stream(struct ArrowArrayStream *stream) {
    struct row_stream *s = stream->private_data;
    pthread_mutex_lock(&s->lock);
    s->is_cancelled = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    free_stream(s);
    stream->release = NULL;
}

/* NULL when out of memory. */
static struct row_stream *new_stream(const char *columns,
                                     const struct ice_allocator *allocator) {
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, allocator, UINT64_MAX);
    struct row_stream *s = ice_calloc(&alloc, 1, sizeof(*s));
    if (s == NULL)
        return NULL;
    ice_alloc_init(&s->alloc, allocator, UINT64_MAX);
    ice_arena_init(&s->arena, &s->alloc);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    if (ice_arena_dup(&s->arena, ice_str_from(columns), &s->wanted))
        return s;
    free_stream(s);
    return NULL;
}

enum ice_status ice_arrow_stream(struct ArrowArrayStream *out, const char *columns,
                                 const struct ice_allocator *allocator,
                                 ice_produce_fn produce, void (*release)(void *user),
                                 void *user, struct ice_error *err) {
    struct row_stream *s = new_stream(columns, allocator);
    if (s == NULL) {
        if (release != NULL)
            release(user);
        return ice_error_memory(err);
    }
    s->produce = produce;
    s->release = release;
    s->user = user;
    if (pthread_create(&s->thread, NULL, run, s) != 0) {
        free_stream(s);
        return ice_error_set(err, ICE_EIO, NULL, ICE_NO_OFFSET, "no thread can be had");
    }
    *out = (struct ArrowArrayStream){
        .get_schema = get_schema,
        .get_next = get_next,
        .get_last_error = get_last_error,
        .release = release_stream,
        .private_data = s,
    };
    return ICE_OK;
}
