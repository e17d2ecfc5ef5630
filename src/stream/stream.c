/*
 * The window of a pull stream: refilling, growing while bytes arrive, stepping over.
 */
#include "stream/stream.h"

#include "base/error.h"
#include "base/size.h"

#include <assert.h>

enum { DEFAULT_CHUNK = 256 * 1024, LEAST_WINDOW = 64 };

enum ice_status ice_stream_init(struct ice_stream *stream, struct ice_run *run,
                                const struct ice_stream_ops *ops, void *user,
                                struct ice_error *err) {
    (void)err;
    *stream =
        (struct ice_stream){.run = run, .ops = ops, .user = user, .chunk = DEFAULT_CHUNK};
    return ICE_OK;
}

void ice_stream_init_memory(struct ice_stream *stream, struct ice_run *run,
                            struct ice_str bytes) {
    *stream = (struct ice_stream){
        .run = run, .at_end = true, .borrowed = true, .chunk = DEFAULT_CHUNK};
    /* never written to: borrowed streams are never refilled */
    stream->window = (unsigned char *)(uintptr_t)bytes.data;
    stream->end = stream->capacity = bytes.size;
}

void ice_stream_release(struct ice_stream *stream) {
    if (stream->ops != NULL && stream->ops->free != NULL)
        stream->ops->free(stream->user);
    if (!stream->borrowed && stream->window != NULL)
        ice_free(&stream->run->alloc, stream->window, stream->capacity);
    *stream = (struct ice_stream){0};
}

/* Room for at least one byte behind end; the unread bytes move to the start first. */
static enum ice_status make_room(struct ice_stream *stream, struct ice_error *err) {
    if (stream->begin > 0) {
        if (stream->end > stream->begin)
            memmove(stream->window, stream->window + stream->begin,
                    stream->end - stream->begin);
        stream->end -= stream->begin;
        stream->begin = 0;
    }
    if (stream->end < stream->capacity)
        return ICE_OK;
    size_t capacity = stream->chunk < LEAST_WINDOW ? LEAST_WINDOW : stream->chunk;
    unsigned char *window = NULL;
    if (stream->capacity == 0 || ice_size_mul(stream->capacity, 2, &capacity))
        window =
            ice_realloc(&stream->run->alloc, stream->window, stream->capacity, capacity);
    if (window == NULL)
        return ice_error_memory(err);
    stream->window = window;
    stream->capacity = capacity;
    return ICE_OK;
}

static enum ice_status refill(struct ice_stream *stream, struct ice_error *err) {
    if (stream->failed < 0)
        return ice_error_pass(err, stream->failed, &stream->fault);
    const struct ice_run *run = stream->run;
    if (run->cancelled != NULL && run->cancelled(run->cancelled_user)) {
        stream->failed = ice_error_set(&stream->fault, ICE_ECANCELLED, NULL,
                                       ICE_NO_OFFSET, "interrupted");
        return ice_error_pass(err, stream->failed, &stream->fault);
    }
    ICE_TRY(make_room(stream, err));
    size_t room = ice_size_min(stream->capacity - stream->end,
                               stream->chunk > 0 ? stream->chunk : 1);
    size_t got = 0;
    enum ice_status status = stream->ops->read(stream->user, stream->window + stream->end,
                                               room, &got, &stream->fault);
    if (status < 0) {
        stream->failed = status;
        return ice_error_pass(err, stream->failed, &stream->fault);
    }
    assert(got <= room);
    stream->end += got;
    stream->at_end = got == 0;
    return ICE_OK;
}

enum ice_status ice_stream_peek(struct ice_stream *stream, size_t least,
                                struct ice_str *out, struct ice_error *err) {
    while (stream->end - stream->begin < least && !stream->at_end)
        ICE_TRY(refill(stream, err));
    const unsigned char *first = stream->window ? stream->window + stream->begin : NULL;
    *out = ice_str_make(first, stream->end - stream->begin);
    return ICE_OK;
}

enum ice_status ice_stream_peek_first(struct ice_stream *stream, size_t size,
                                      struct ice_str *out, struct ice_error *err) {
    ICE_TRY(ice_stream_peek(stream, size, out, err));
    *out = ice_str_first(*out, size);
    return ICE_OK;
}

void ice_stream_consume(struct ice_stream *stream, size_t size) {
    assert(size <= stream->end - stream->begin);
    stream->begin += size;
    stream->position += size;
}

enum ice_status ice_stream_skip(struct ice_stream *stream, uint64_t size,
                                uint64_t *out_skipped, struct ice_error *err) {
    uint64_t skipped = 0;
    enum ice_status status = ICE_OK;
    while (skipped < size) {
        struct ice_str view;
        status = ice_stream_peek(stream, 1, &view, err);
        if (status < 0 || view.size == 0)
            break;
        uint64_t step = size - skipped;
        if (step > view.size)
            step = view.size;
        ice_stream_consume(stream, (size_t)step);
        skipped += step;
    }
    *out_skipped = skipped;
    return status;
}
