/*
 * A listing as bytes, and the objects that must come out of it.
 */
#include "inputs/listing.h"

#include "base/error.h"
#include "support/cmocka_all.h"
#include "support/failing_run.h"
#include "support/pieces.h"
#include "support/one_run.h"

#include <inttypes.h>

#define NL "\n"
/* 2026-03-01T09:00:00Z */
#define NINE "1772355600000"

/* Objects as "key size ms[ old][ deleted][ latest][ gone][ version=V][ etag=E][ by=B]",
 * each ended by a newline; "?" where it is not known. */
struct sample {
    const char *what;
    enum ice_listing_format format;
    const char *text, *objects;
    const char *partial; /* a part of why it is not whole, or NULL */
    bool has_local_times;
    uint64_t n_bad;
};

static enum ice_status print(const struct ice_listed *object, void *user) {
    struct ice_buf *out = user;
    assert_true(object->key.size > 0);
    ICE_TRY(ice_buf_append_str(out, object->key));
    if (object->has_size)
        ICE_TRY(ice_buf_printf(out, " %" PRIu64, object->size));
    else
        ICE_TRY(ice_buf_append_str(out, ICE_STR(" ?")));
    if (object->mtime_ms != INT64_MIN)
        ICE_TRY(ice_buf_printf(out, " %" PRId64, object->mtime_ms));
    else
        ICE_TRY(ice_buf_append_str(out, ICE_STR(" ?")));
    ICE_TRY(ice_buf_printf(out, "%s%s%s%s", object->is_old ? " old" : "",
                           object->is_deleted ? " deleted" : "",
                           object->is_latest ? " latest" : "",
                           object->is_gone ? " gone" : ""));
    if (object->version_id.size > 0)
        ICE_TRY(ice_buf_printf(out, " version=%.*s", ICE_STR_FMT(object->version_id)));
    if (object->etag.size > 0)
        ICE_TRY(ice_buf_printf(out, " etag=%.*s", ICE_STR_FMT(object->etag)));
    if (object->by.size > 0)
        ICE_TRY(ice_buf_printf(out, " by=%.*s", ICE_STR_FMT(object->by)));
    return ice_buf_append_char(out, '\n');
}

/* is_named: its form need not be told from its bytes. */
static inline void check_sample(const struct sample *sample, struct ice_str text,
                                bool is_named, size_t chunk) {
    struct ice_listing listing = {.run = &run, .format = sample->format};
    struct pieces pieces = {.bytes = text, .most = chunk};
    struct ice_stream stream;
    struct ice_buf out;
    enum ice_listing_format format = ice_listing_detect(&run, text);
    if (format != sample->format && !is_named)
        fail_msg("%s: taken for %s", sample->what, ice_listing_name(format));
    ice_arena_init(&listing.arena, &run.alloc);
    ice_buf_init(&out, &run.alloc, SIZE_MAX);
    assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL), ICE_OK);
    stream.chunk = chunk;
    assert_int_equal(ice_listing_read_stream(&listing, &stream, print, &out, NULL),
                     ICE_OK);
    if (!ice_str_is(ice_buf_str(&out), sample->objects))
        fail_msg("%s:\n%.*s", sample->what, ICE_STR_FMT(ice_buf_str(&out)));
    if ((sample->partial == NULL) != (listing.partial == NULL) ||
        (sample->partial != NULL && strstr(listing.partial, sample->partial) == NULL))
        fail_msg("%s: %s", sample->what,
                 listing.partial == NULL ? "whole" : listing.partial);
    if (listing.has_local_times != sample->has_local_times)
        fail_msg("%s: times %s a zone", sample->what,
                 listing.has_local_times ? "without" : "with");
    if (listing.n_bad != sample->n_bad)
        fail_msg("%s: %" PRIu64 " bad", sample->what, listing.n_bad);
    ice_stream_release(&stream);
    ice_buf_release(&out);
    ice_listing_release(&listing);
}

/* Each request for memory fails in turn: then that is said, and nothing else happens. */
static inline void fail_sample(const struct sample *sample, struct ice_str text) {
    enum ice_status status = ICE_ENOMEM;
    for (uint64_t k = 1; status != ICE_OK; k++) {
        struct failing failing = {.fail_at = k};
        struct ice_run short_of;
        failing_run_init(&short_of, &failing);
        struct ice_listing listing = {.run = &short_of, .format = sample->format};
        struct pieces pieces = {.bytes = text, .most = 7};
        struct ice_stream stream = {0};
        struct ice_buf out;
        (void)ice_listing_detect(&short_of, text); /* a guess */
        ice_arena_init(&listing.arena, &short_of.alloc);
        ice_buf_init(&out, &run.alloc, SIZE_MAX);
        status = ice_stream_init(&stream, &short_of, &pieces_ops, &pieces, NULL);
        if (status == ICE_OK)
            status = ice_listing_read_stream(&listing, &stream, print, &out, NULL);
        if (status != ICE_OK && status != ICE_ENOMEM)
            fail_msg("%s: request %" PRIu64 ": %s", sample->what, k,
                     ice_status_name(status));
        if (status == ICE_OK && !ice_str_is(ice_buf_str(&out), sample->objects))
            fail_msg("%s: request %" PRIu64 ":\n%.*s", sample->what, k,
                     ICE_STR_FMT(ice_buf_str(&out)));
        if (status == ICE_OK && failing.n >= k)
            status = ICE_ENOMEM; /* it could do without: go on */
        ice_stream_release(&stream);
        ice_buf_release(&out);
        ice_listing_release(&listing);
        assert_int_equal(failing.used, 0);
    }
}

/* Cut anywhere it is read up to there, or is said to be broken; nothing else happens. */
static inline void cut_sample(const struct sample *sample, struct ice_str text) {
    for (size_t size = 0; size < text.size; size++) {
        struct ice_listing listing = {.run = &run, .format = sample->format};
        struct ice_stream stream;
        struct ice_buf out;
        ice_arena_init(&listing.arena, &run.alloc);
        ice_buf_init(&out, &run.alloc, SIZE_MAX);
        ice_stream_init_memory(&stream, &run, ice_str_first(text, size));
        enum ice_status status =
            ice_listing_read_stream(&listing, &stream, print, &out, NULL);
        if (status != ICE_OK && status != ICE_EFORMAT)
            fail_msg("%s, %zu bytes: %s", sample->what, size, ice_status_name(status));
        ice_stream_release(&stream);
        ice_buf_release(&out);
        ice_listing_release(&listing);
    }
}
