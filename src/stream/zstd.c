/*
 * zstd frames one after another, skippable ones included, as one text.
 */
#include "stream/filter.h"

#include "base/size.h"

#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_createDCtx_advanced: memory of the run */
#include <zstd.h>
#include <zstd_errors.h>

/*
 * An honest file may begin with long runs: 128 KiB of one byte are four bytes of zstd.
 * Only what goes on like that is a bomb.
 */
enum { RATIO_SLACK = 64 * 1024 * 1024 };

struct zstd {
    struct ice_filter filter;
    ZSTD_DCtx *context;
    bool in_frame;
    bool ended;
    bool has_more; /* the library may hold text that the last buffer had no room for */
    size_t step;   /* bytes of the frame that the library needs for what it does next */
    uint64_t declared, inflated; /* bytes of the frame; ZSTD_CONTENTSIZE_UNKNOWN */
};

int ice_zstd_window_log(const struct ice_run *run) {
    const ZSTD_bounds bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
    const uint64_t wanted = run->limits.zstd_window_log;
    if (wanted >= (uint64_t)bounds.upperBound)
        return bounds.upperBound;
    return (int)wanted < bounds.lowerBound ? bounds.lowerBound : (int)wanted;
}

static void *zstd_alloc(void *user, size_t size) {
    struct ice_run *run = user;
    return ice_sized_malloc(&run->alloc, size);
}

static void zstd_free(void *user, void *pointer) {
    struct ice_run *run = user;
    ice_sized_free(&run->alloc, pointer);
}

static enum ice_status fault_of(struct zstd *zstd, size_t result) {
    struct ice_error *fault = &zstd->filter.fault;
    uint64_t offset = zstd->filter.inner.position;
    ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
    if (code == ZSTD_error_memory_allocation)
        return ice_error_memory(fault);
    if (code == ZSTD_error_frameParameter_windowTooLarge)
        return ice_error_set(fault, ICE_ELIMIT, "limit.window", offset,
                             "the zstd window is larger than 2^%u bytes",
                             (unsigned)zstd->filter.run->limits.zstd_window_log);
    return ice_error_set(fault, ICE_EFORMAT, "json.syntax.invalid", offset, "zstd: %s",
                         ZSTD_getErrorString(code));
}

/*
 * Reads the size that a frame declares, and how long its header is: the library gets that
 * alone. A frame that it has whole at once it decodes by another way, which does not look
 * at the window and refuses more, so the verdict would hang on how the bytes come.
 */
static enum ice_status begin_frame(struct zstd *zstd, struct ice_str view,
                                   size_t *header_size) {
    ZSTD_frameHeader header;
    zstd->declared = ZSTD_CONTENTSIZE_UNKNOWN;
    zstd->inflated = 0;
    if (ice_is_foreign_zstd(view))
        return fault_of(zstd, (size_t)-ZSTD_error_prefix_unknown);
    if (ZSTD_getFrameHeader(&header, view.data, view.size) == 0 &&
        header.frameType == ZSTD_frame) {
        *header_size = header.headerSize;
        zstd->declared = header.frameContentSize;
    }
    return ICE_OK; /* what is wrong with a header, the library says */
}

/*
 * The library counts no text of a call in which it meets a fault. So that all text in
 * front of a fault is given out, however the bytes come and go, a call either takes what
 * it holds, without input, or gives it the header or block that is next, and no more.
 */
static enum ice_status decompress(struct zstd *zstd, ZSTD_outBuffer *out,
                                  ZSTD_inBuffer *in, size_t *out_result) {
    const size_t before = out->pos;
    const size_t result = ZSTD_decompressStream(zstd->context, out, in);
    if (ZSTD_isError(result))
        return fault_of(zstd, result);
    zstd->inflated += out->pos - before;
    zstd->has_more = out->pos == out->size;
    *out_result = result;
    return ICE_OK;
}

/*
 * Bytes to see before the next call. The library takes a block that is not compressed in
 * parts, and says less of it, and elsewhere, than of the same block as a whole.
 */
static size_t bytes_ahead(struct zstd *zstd) {
    if (!zstd->in_frame)
        return ZSTD_FRAMEHEADERSIZE_MAX;
    if (zstd->step == 0) {
        const size_t next = ZSTD_nextSrcSizeToDecompress(zstd->context);
        zstd->step =
            next > 0 ? next : 1; /* it has not ended, whatever the library says */
    }
    return ice_size_min(zstd->step, ZSTD_BLOCKSIZE_MAX);
}

/* The library does not ask if the frame ends with an empty block. */
static enum ice_status end_frame(struct zstd *zstd) {
    zstd->in_frame = false;
    return zstd->declared != ZSTD_CONTENTSIZE_UNKNOWN && zstd->declared != zstd->inflated
               ? fault_of(zstd, (size_t)-ZSTD_error_corruption_detected)
               : ICE_OK;
}

static enum ice_status inflate_some(struct zstd *zstd, ZSTD_outBuffer *out) {
    struct ice_stream *inner = &zstd->filter.inner;
    struct ice_str view;
    size_t result = 0;
    if (zstd->has_more) {
        ZSTD_inBuffer none = {"", 0, 0};
        ICE_TRY(decompress(zstd, out, &none, &result));
        return result == 0 ? end_frame(zstd) : ICE_OK;
    }
    ICE_TRY(ice_stream_peek(inner, bytes_ahead(zstd), &view, &zstd->filter.fault));
    if (view.size == 0) {
        zstd->ended = true;
        if (!zstd->in_frame)
            return ICE_OK;
        return ice_error_set(&zstd->filter.fault, ICE_EFORMAT, "json.syntax.invalid",
                             inner->position, "zstd: the data ends inside a frame");
    }
    ZSTD_inBuffer in = {view.data, view.size, 0};
    if (!zstd->in_frame) {
        ICE_TRY(begin_frame(zstd, view, &in.size));
        zstd->step = in.size;
    }
    in.size = ice_size_min(in.size, zstd->step);
    ICE_TRY(decompress(zstd, out, &in, &result));
    ice_stream_consume(inner, in.pos);
    zstd->step = in.pos < zstd->step ? zstd->step - in.pos : 0;
    zstd->in_frame = true;
    return result == 0 ? end_frame(zstd) : ICE_OK;
}

static enum ice_status zstd_read(void *user, void *buffer, size_t size, size_t *out_size,
                                 struct ice_error *err) {
    struct zstd *zstd = user;
    ZSTD_outBuffer out = {buffer, size, 0};
    while (out.pos < out.size && !zstd->ended && zstd->filter.fault.status >= 0) {
        (void)inflate_some(zstd, &out); /* a failure waits in the fault */
        ice_filter_judge(&zstd->filter, out.pos);
    }
    return ice_filter_finish(&zstd->filter, out.pos, out_size, err);
}

static void zstd_release(void *user) {
    struct zstd *zstd = user;
    struct ice_run *run = zstd->filter.run;
    if (zstd->context != NULL)
        (void)ZSTD_freeDCtx(zstd->context);
    ice_stream_release(&zstd->filter.inner);
    ice_free(&run->alloc, zstd, sizeof(*zstd));
}

static const struct ice_stream_ops zstd_ops = {zstd_read, zstd_release};

enum ice_status ice_stream_zstd(struct ice_stream *outer, struct ice_stream *inner,
                                struct ice_error *err) {
    struct ice_run *run = inner->run;
    struct zstd *zstd = ice_calloc(&run->alloc, 1, sizeof(*zstd));
    if (zstd == NULL) {
        ice_stream_release(inner);
        *outer = (struct ice_stream){0};
        return ice_error_memory(err);
    }
    ice_filter_init(&zstd->filter, inner, RATIO_SLACK);
    const ZSTD_customMem memory = {zstd_alloc, zstd_free, run};
    zstd->context = ZSTD_createDCtx_advanced(memory);
    if (zstd->context == NULL) {
        zstd_release(zstd);
        *outer = (struct ice_stream){0};
        return ice_error_memory(err);
    }
    (void)ZSTD_DCtx_setParameter(zstd->context, ZSTD_d_windowLogMax,
                                 ice_zstd_window_log(run));
    /* what bytes_ahead asks is not set before, where a file ends inside its header */
    (void)ZSTD_decompressBegin(zstd->context);
    return ice_stream_init(outer, run, &zstd_ops, zstd, err);
}
