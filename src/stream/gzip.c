/*
 * gzip as Java reads it: members one after another are one text. Unlike Java, bytes
 * behind the last member are told apart: zero padding is nothing, anything else is
 * remembered.
 */
#include "stream/filter.h"

#include "base/size.h"

#include <limits.h>
#include <zlib.h>

/* what a ratio may be off by at the start of a file */
enum { RATIO_SLACK = 64 * 1024 };

struct gzip {
    struct ice_filter filter;
    z_stream z;
    bool ready; /* z was initialised */
    bool in_member;
    bool ended; /* behind the last member */
    bool has_trailing;
    uint64_t n_members;
};

static void *gzip_alloc(void *user, unsigned count, unsigned size) {
    struct ice_run *run = user;
    return ice_sized_malloc(&run->alloc, (size_t)count * size);
}

static void gzip_free(void *user, void *pointer) {
    struct ice_run *run = user;
    ice_sized_free(&run->alloc, pointer);
}

static enum ice_status corrupt(struct gzip *gzip, const char *what) {
    return ice_error_set(&gzip->filter.fault, ICE_EFORMAT, "metadata.file.gzip.corrupt",
                         gzip->filter.inner.position, "gzip: %s", what);
}

/* Behind a member: is what is left zeros, or something nobody asked for? */
static enum ice_status look_behind(struct gzip *gzip) {
    struct ice_stream *inner = &gzip->filter.inner;
    gzip->ended = true;
    for (;;) {
        struct ice_str view;
        ICE_TRY(ice_stream_peek(inner, 1, &view, &gzip->filter.fault));
        if (view.size == 0)
            return ICE_OK;
        for (size_t i = 0; i < view.size; i++) {
            if (view.data[i] != 0) {
                gzip->has_trailing = true;
                return ICE_OK;
            }
        }
        ice_stream_consume(inner, view.size);
    }
}

static enum ice_status start_member(struct gzip *gzip) {
    struct ice_str view;
    ICE_TRY(ice_stream_peek(&gzip->filter.inner, 2, &view, &gzip->filter.fault));
    if (!ice_str_starts(view, ICE_STR("\x1f\x8b"))) {
        if (gzip->n_members == 0)
            return corrupt(gzip, "no gzip header");
        return look_behind(gzip);
    }
    (void)inflateReset(&gzip->z); /* refuses nothing but a state that is none */
    gzip->in_member = true;
    gzip->n_members++;
    return ICE_OK;
}

/*
 * One call of inflate over what the inner stream has. It may hold text that the last
 * buffer had no room for: that comes before the end of the data, and before a failure.
 */
static enum ice_status inflate_some(struct gzip *gzip) {
    struct ice_stream *inner = &gzip->filter.inner;
    struct ice_error *fault = &gzip->filter.fault, failure;
    struct ice_str view = {0};
    ice_error_clear(&failure);
    const enum ice_status status = ice_stream_peek(inner, 1, &view, &failure);
    const unsigned room = gzip->z.avail_out;
    const unsigned given = (unsigned)ice_size_min(view.size, UINT_MAX);
    gzip->z.next_in = (unsigned char *)(uintptr_t)view.data;
    gzip->z.avail_in = given;
    int result = inflate(&gzip->z, Z_NO_FLUSH);
    ice_stream_consume(inner, given - gzip->z.avail_in);
    if (result == Z_MEM_ERROR)
        return ice_error_memory(fault);
    if (result == Z_STREAM_END) {
        gzip->in_member = false;
        return ICE_OK;
    }
    if (result != Z_OK && result != Z_BUF_ERROR)
        return corrupt(gzip, gzip->z.msg != NULL ? gzip->z.msg : "damaged data");
    if (given > 0 || gzip->z.avail_out < room)
        return ICE_OK; /* a failure of the inner stream comes again */
    return status < 0 ? ice_error_pass(fault, status, &failure)
                      : corrupt(gzip, "the data ends inside a member");
}

static enum ice_status gzip_read(void *user, void *buffer, size_t size, size_t *out_size,
                                 struct ice_error *err) {
    struct gzip *gzip = user;
    const unsigned asked = (unsigned)ice_size_min(size, UINT_MAX);
    gzip->z.next_out = buffer;
    gzip->z.avail_out = asked;
    while (gzip->z.avail_out > 0 && !gzip->ended && gzip->filter.fault.status >= 0) {
        /* a failure is kept in the fault and told once the bytes before it are used up */
        if (gzip->in_member)
            (void)inflate_some(gzip);
        else
            (void)start_member(gzip);
        ice_filter_judge(&gzip->filter, asked - gzip->z.avail_out);
    }
    return ice_filter_finish(&gzip->filter, asked - gzip->z.avail_out, out_size, err);
}

static void gzip_release(void *user) {
    struct gzip *gzip = user;
    struct ice_run *run = gzip->filter.run;
    if (gzip->ready)
        (void)inflateEnd(&gzip->z);
    ice_stream_release(&gzip->filter.inner);
    ice_free(&run->alloc, gzip, sizeof(*gzip));
}

static const struct ice_stream_ops gzip_ops = {gzip_read, gzip_release};

enum ice_status ice_stream_gzip(struct ice_stream *outer, struct ice_stream *inner,
                                struct ice_error *err) {
    struct ice_run *run = inner->run;
    struct gzip *gzip = ice_calloc(&run->alloc, 1, sizeof(*gzip));
    if (gzip == NULL) {
        ice_stream_release(inner);
        *outer = (struct ice_stream){0};
        return ice_error_memory(err);
    }
    ice_filter_init(&gzip->filter, inner, RATIO_SLACK);
    gzip->z.zalloc = gzip_alloc;
    gzip->z.zfree = gzip_free;
    gzip->z.opaque = run;
    if (inflateInit2(&gzip->z, 15 + 16) != Z_OK) {
        gzip_release(gzip);
        *outer = (struct ice_stream){0};
        return ice_error_memory(err);
    }
    gzip->ready = true;
    return ice_stream_init(outer, run, &gzip_ops, gzip, err);
}

bool ice_gzip_has_trailing(const struct ice_stream *outer) {
    if (outer->ops != &gzip_ops)
        return false;
    const struct gzip *gzip = outer->user;
    return gzip->has_trailing;
}
