/*
 * The inflating filters: gzip members, zstd frames, their damage and their limits.
 */
#include "stream/stream.h"

#include "base/buf.h"
#include "base/compiler.h"
#include "support/cmocka_all.h"
#include "support/failing_run.h"
#include "support/pieces.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

enum codec { GZIP, ZSTD };

struct packed {
    char bytes[16384];
    size_t size;
};

static void add_gzip(struct packed *out, struct ice_str text) {
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)text.data;
    z.avail_in = (unsigned)text.size;
    z.next_out = (unsigned char *)out->bytes + out->size;
    z.avail_out = (unsigned)(sizeof(out->bytes) - out->size);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->size = sizeof(out->bytes) - z.avail_out;
    assert_int_equal(deflateEnd(&z), Z_OK);
}

static void add_zstd(struct packed *out, struct ice_str text) {
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert_non_null(context);
    (void)ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    const size_t size =
        ZSTD_compress2(context, out->bytes + out->size, sizeof(out->bytes) - out->size,
                       text.data, text.size);
    assert_false(ZSTD_isError(size));
    out->size += size;
    (void)ZSTD_freeCCtx(context);
}

static void add_bytes(struct packed *out, struct ice_str bytes) {
    memcpy(out->bytes + out->size, bytes.data, bytes.size);
    out->size += bytes.size;
}

struct result {
    struct ice_buf text;
    enum ice_status status;
    struct ice_error err;
    bool has_trailing;
};

static void inflate_all(struct result *result, struct ice_run *run, enum codec codec,
                        struct ice_str bytes, size_t inner_chunk, size_t outer_chunk) {
    struct pieces pieces = {.bytes = bytes, .most = inner_chunk};
    struct ice_stream inner, outer;
    ice_buf_init(&result->text, &run->alloc, SIZE_MAX);
    ice_error_clear(&result->err);
    assert_int_equal(ice_stream_init(&inner, run, &pieces_ops, &pieces, NULL), ICE_OK);
    inner.chunk = inner_chunk;
    result->status = codec == GZIP ? ice_stream_gzip(&outer, &inner, &result->err)
                                   : ice_stream_zstd(&outer, &inner, &result->err);
    outer.chunk = outer_chunk;
    while (result->status == ICE_OK) {
        struct ice_str view;
        result->status = ice_stream_peek(&outer, 1, &view, &result->err);
        if (result->status < 0 || view.size == 0)
            break;
        result->status = ice_buf_append_str(&result->text, view);
        ice_stream_consume(&outer, view.size);
    }
    result->has_trailing = ice_gzip_has_trailing(&outer);
    ice_stream_release(&outer);
    ice_stream_release(&inner);
}

/* Inflate in pieces of several sizes; all agree. */
static void expect(enum codec codec, const struct packed *packed, size_t size,
                   const char *text, const char *rule, bool has_trailing) {
    static const size_t chunks[][2] = {
        {4096, 4096}, {1, 4096}, {4096, 1}, {3, 7}, {1, 1}};
    for (size_t i = 0; i < ICE_COUNT_OF(chunks); i++) {
        struct ice_run run;
        struct result result;
        ice_run_init(&run, NULL);
        inflate_all(&result, &run, codec, ice_str_make(packed->bytes, size), chunks[i][0],
                    chunks[i][1]);
        assert_int_equal(result.status, rule ? ICE_EFORMAT : ICE_OK);
        if (rule != NULL)
            assert_string_equal(result.err.rule, rule);
        if (text != NULL)
            assert_true(ice_str_is(ice_buf_str(&result.text), text));
        assert_int_equal(result.has_trailing, has_trailing);
        ice_buf_release(&result.text);
        assert_int_equal(run.alloc.used, 0);
    }
}

static const char corrupt[] = "metadata.file.gzip.corrupt";
static const char broken_zstd[] = "json.syntax.invalid";

static void members_are_one_text(void **state) {
    (void)state;
    struct packed packed = {.size = 0};
    add_gzip(&packed, ICE_STR("one "));
    expect(GZIP, &packed, packed.size, "one ", NULL, false);
    add_gzip(&packed, ICE_STR(""));
    add_gzip(&packed, ICE_STR("two"));
    expect(GZIP, &packed, packed.size, "one two", NULL, false);
    const size_t size = packed.size;
    add_bytes(&packed, ICE_STR("\0\0\0\0\0\0\0\0\0"));
    expect(GZIP, &packed, packed.size, "one two", NULL, false);
    add_bytes(&packed, ICE_STR("x"));
    expect(GZIP, &packed, packed.size, "one two", NULL, true);
    packed.size = size;
    add_bytes(&packed, ICE_STR("\x1f"));
    expect(GZIP, &packed, packed.size, "one two", NULL, true);
    add_bytes(&packed, ICE_STR("\x8b\x01"));
    expect(GZIP, &packed, packed.size, NULL, corrupt, false);
}

static void gzip_cut_anywhere_is_corrupt(void **state) {
    (void)state;
    struct packed packed = {.size = 0};
    add_gzip(&packed, ICE_STR("some text, some text, some other text"));
    for (size_t size = 0; size < packed.size; size++)
        expect(GZIP, &packed, size, NULL, corrupt, false);
}

static void gzip_damage_is_corrupt(void **state) {
    (void)state;
    struct packed packed = {.size = 0};
    add_gzip(&packed, ICE_STR("some text, some text, some other text"));
    const size_t places[] = {
        0, 1, 2, packed.size - 8, packed.size - 5, packed.size - 4, packed.size - 1};
    for (size_t i = 0; i < ICE_COUNT_OF(places); i++) {
        struct packed damaged = packed;
        damaged.bytes[places[i]] = (char)(damaged.bytes[places[i]] ^ 0x55);
        expect(GZIP, &damaged, damaged.size, NULL, corrupt, false);
    }
}

static void zstd_frames_are_one_text(void **state) {
    (void)state;
    struct packed packed = {.size = 0};
    add_zstd(&packed, ICE_STR("one "));
    add_bytes(&packed, ICE_STR("\x51\x2a\x4d\x18\x03\0\0\0abc"));
    add_zstd(&packed, ICE_STR("two"));
    expect(ZSTD, &packed, packed.size, "one two", NULL, false);
    for (size_t size = 1; size < packed.size; size++) {
        struct ice_run run;
        struct result result;
        ice_run_init(&run, NULL);
        inflate_all(&result, &run, ZSTD, ice_str_make(packed.bytes, size), 5, 5);
        /* fine only at the end of a frame */
        if (result.status == ICE_OK)
            assert_true(ice_str_is(ice_buf_str(&result.text), "one "));
        else
            assert_string_equal(result.err.rule, broken_zstd);
        ice_buf_release(&result.text);
    }
    packed.bytes[packed.size - 1] ^= 1;
    expect(ZSTD, &packed, packed.size, NULL, broken_zstd, false);
}

/* libzstd itself refuses the second frame when it has it whole, and only then. */
static void frames_in_pieces_are_the_same_frames(void **state) {
    (void)state;
    struct packed packed = {.size = 0};
    add_zstd(&packed, ICE_STR("one"));
    /* no text in one segment: a last block, compressed, of no bytes */
    add_bytes(&packed, ICE_STR("\x28\xb5\x2f\xfd\x20\0\x05\0\0"));
    expect(ZSTD, &packed, packed.size, "one", NULL, false);
    /* the same, but it says that its text has a byte */
    packed.bytes[packed.size - 4] = 1;
    expect(ZSTD, &packed, packed.size, "one", broken_zstd, false);
}

/* libzstd counts no text of a call that meets a fault; here a block is never lost for
 * what stands behind it, whatever room there was for its text. */
static void zstd_text_in_front_of_a_fault_is_given_out(void **state) {
    (void)state;
    enum { RUN = 3000, RUNS = 3 };
    static char text[RUN * RUNS + 1];
    const struct ice_str faults[] = {
        ICE_STR("\x06\x00\x00"),      /* a block of no known type */
        ICE_STR("\x05\x60\x09\xc0"),  /* compressed, and longer than a block may be */
        ICE_STR("\x2d\x00\x00nosuch") /* compressed, of bytes that are none */
    };
    memset(text, 'a', RUN * RUNS);
    for (size_t i = 0; i < ICE_COUNT_OF(faults); i++) {
        struct packed packed = {.size = 0};
        add_bytes(&packed, ICE_STR("\x28\xb5\x2f\xfd\x00\x58"));
        for (int k = 0; k < RUNS; k++) /* a run: size << 3 | 1 << 1 */
            add_bytes(&packed, ICE_STR("\xc2\x5d\x00"
                                       "a"));
        const size_t size = packed.size;
        add_bytes(&packed, faults[i]);
        expect(ZSTD, &packed, packed.size, text, broken_zstd, false);
        packed.size = size;
        expect(ZSTD, &packed, packed.size, text, broken_zstd, false);
        add_bytes(&packed, ICE_STR("\x01\x00\x00")); /* the last, of no bytes */
        expect(ZSTD, &packed, packed.size, text, NULL, false);
    }
}

/* What libzstd reads, where it was built so, beside the format of zstd 1.0 and later. */
static void frames_from_before_zstd_1_are_none(void **state) {
    (void)state;
    const struct ice_str old = ICE_STR("\x26\xb5\x2f\xfd\0\x40\0\1a\xc0\0\0");
    struct packed packed = {.size = 0};
    add_bytes(&packed, old);
    expect(ZSTD, &packed, packed.size, "", broken_zstd, false);
    packed.size = 0;
    add_zstd(&packed, ICE_STR("one"));
    add_bytes(&packed, old);
    expect(ZSTD, &packed, packed.size, "one", broken_zstd, false);
}

/* The memory stays what it is for any file: the text is thrown away as it comes. */
static void bombs_are_stopped(void **state) {
    (void)state;
    enum { SIZE = 80 << 20 };
    char *zeros = calloc(1, SIZE);
    assert_non_null(zeros);
    struct packed packed = {.size = 0};
    add_zstd(&packed, ice_str_make(zeros, SIZE));
    free(zeros);
    struct ice_run run;
    struct ice_stream stream;
    struct ice_error err;
    uint64_t skipped;
    ice_run_init(&run, NULL);
    ice_error_clear(&err);
    ice_stream_init_memory(&stream, &run, ice_str_make(packed.bytes, packed.size));
    assert_int_equal(ice_stream_zstd(&stream, &stream, &err), ICE_OK);
    assert_int_equal(ice_stream_skip(&stream, UINT64_MAX, &skipped, &err), ICE_ELIMIT);
    assert_string_equal(err.rule, "limit.bomb");
    assert_true(skipped < SIZE);
    ice_stream_release(&stream);
    assert_true(run.alloc.peak < 16 << 20);
}

static void large_files_are_stopped(void **state) {
    (void)state;
    static char zeros[2 << 20];
    struct packed packed = {.size = 0};
    struct ice_run run;
    struct result result;
    add_gzip(&packed, ice_str_make(zeros, sizeof(zeros)));
    for (int over = 0; over <= 1; over++) {
        struct ice_options options = ICE_OPTIONS_INIT;
        options.limits.file_bytes = sizeof(zeros) - (unsigned)over;
        ice_run_init(&run, &options);
        inflate_all(&result, &run, GZIP, ice_str_make(packed.bytes, packed.size), 4096,
                    4096);
        assert_int_equal(result.status, over ? ICE_ELIMIT : ICE_OK);
        if (over)
            assert_string_equal(result.err.rule, "limit.file");
        else
            assert_int_equal(result.text.size, sizeof(zeros));
        ice_buf_release(&result.text);
        assert_int_equal(run.alloc.used, 0);
    }
}

/* Limits near the end of 64 bits bound nothing, and nothing wraps around. */
static void limits_may_be_boundless(void **state) {
    (void)state;
    struct packed packed[2] = {{.size = 0}, {.size = 0}};
    add_gzip(&packed[GZIP], ICE_STR("some text"));
    add_zstd(&packed[ZSTD], ICE_STR("some text"));
    for (int codec = GZIP; codec <= ZSTD; codec++) {
        const uint64_t ratios[] = {UINT64_MAX, UINT64_MAX / packed[codec].size};
        for (size_t i = 0; i < ICE_COUNT_OF(ratios); i++) {
            struct ice_options options = ICE_OPTIONS_INIT;
            options.limits.inflate_ratio = ratios[i];
            options.limits.zstd_window_log = UINT64_MAX;
            struct ice_run run;
            struct result result;
            ice_run_init(&run, &options);
            inflate_all(&result, &run, (enum codec)codec,
                        ice_str_make(packed[codec].bytes, packed[codec].size), 4096,
                        4096);
            assert_int_equal(result.status, ICE_OK);
            assert_true(ice_str_is(ice_buf_str(&result.text), "some text"));
            ice_buf_release(&result.text);
        }
    }
}

/* What libzstd takes as a limit, at least and at most. */
static void window_limits_are_what_the_library_takes(void **state) {
    (void)state;
    const ZSTD_bounds bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
    const struct {
        uint64_t wanted;
        int log;
    } cases[] = {
        {1, bounds.lowerBound},
        {27, 27},
        {UINT32_MAX, bounds.upperBound},
        {UINT64_MAX, bounds.upperBound},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_run run;
        ice_run_init(&run, NULL);
        run.limits.zstd_window_log = cases[i].wanted;
        assert_int_equal(ice_zstd_window_log(&run), cases[i].log);
    }
}

/* Of a text that nobody keeps, the length is no matter. */
static void endless_files_have_no_limit(void **state) {
    (void)state;
    static char zeros[100000];
    struct packed packed = {.size = 0};
    add_gzip(&packed, ice_str_make(zeros, sizeof(zeros)));
    struct ice_options options = ICE_OPTIONS_INIT;
    options.limits.file_bytes = 1000;
    for (int endless = 0; endless <= 1; endless++) {
        struct ice_run run;
        struct ice_stream stream;
        struct ice_error err;
        uint64_t skipped;
        ice_run_init(&run, &options);
        ice_error_clear(&err);
        ice_stream_init_memory(&stream, &run, ice_str_make(packed.bytes, packed.size));
        stream.is_endless = endless;
        assert_int_equal(ice_stream_gzip(&stream, &stream, &err), ICE_OK);
        const enum ice_status status =
            ice_stream_skip(&stream, UINT64_MAX, &skipped, &err);
        assert_int_equal(status, endless ? ICE_OK : ICE_ELIMIT);
        if (endless)
            assert_int_equal(skipped, sizeof(zeros));
        ice_stream_release(&stream);
    }
}

static void large_zstd_windows_are_refused(void **state) {
    (void)state;
    /* a frame header that asks for a window of 2^28 bytes, then one of 2^27 */
    for (int log = 27; log <= 28; log++) {
        struct packed packed = {.size = 0};
        add_bytes(&packed, ICE_STR("\x28\xb5\x2f\xfd\0"));
        packed.bytes[packed.size++] = (char)((log - 10) << 3);
        add_bytes(&packed, ICE_STR("\x01\0\0"));
        for (size_t chunk = 1; chunk <= 4096; chunk *= 64) {
            struct ice_run run;
            struct result result;
            ice_run_init(&run, NULL);
            inflate_all(&result, &run, ZSTD, ice_str_make(packed.bytes, packed.size),
                        chunk, 4096);
            assert_int_equal(result.status, log > 27 ? ICE_ELIMIT : ICE_OK);
            if (log > 27)
                assert_string_equal(result.err.rule, "limit.window");
            ice_buf_release(&result.text);
        }
    }
}

static void each_allocation_can_fail(void **state) {
    (void)state;
    struct packed packed[2] = {{.size = 0}, {.size = 0}};
    /* read in small pieces, so that zlib needs a window */
    const struct ice_str text = ICE_STR("some text, and some more of that text");
    add_gzip(&packed[GZIP], text);
    add_zstd(&packed[ZSTD], text);
    for (int codec = GZIP; codec <= ZSTD; codec++) {
        for (uint64_t fail_at = 1;; fail_at++) {
            struct failing failing = {.fail_at = fail_at};
            struct ice_run run;
            struct result result;
            failing_run_init(&run, &failing);
            inflate_all(&result, &run, (enum codec)codec,
                        ice_str_make(packed[codec].bytes, packed[codec].size), 100, 7);
            ice_buf_release(&result.text);
            assert_int_equal(failing.used, 0);
            if (result.status == ICE_OK) {
                assert_true(fail_at > 3);
                break;
            }
            assert_int_equal(result.status, ICE_ENOMEM);
        }
    }
}

static void a_failing_source_is_no_corruption(void **state) {
    (void)state;
    struct packed packed = {.size = 0};
    add_gzip(&packed, ICE_STR("some text"));
    const size_t member = packed.size;
    add_bytes(&packed, ICE_STR("\0\0\0\0\0\0\0\0"));
    const size_t places[] = {1, 12, member, member + 4};
    for (size_t i = 0; i < ICE_COUNT_OF(places); i++) {
        struct ice_run run;
        ice_run_init(&run, NULL);
        struct pieces pieces = {.bytes = ice_str_make(packed.bytes, packed.size),
                                .most = 1,
                                .fail_from = places[i]};
        struct ice_stream stream;
        struct ice_error err;
        uint64_t skipped;
        ice_error_clear(&err);
        assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL),
                         ICE_OK);
        stream.chunk = 4;
        /* outer and inner may be the same object */
        assert_int_equal(ice_stream_gzip(&stream, &stream, &err), ICE_OK);
        assert_int_equal(ice_stream_skip(&stream, 100, &skipped, &err), ICE_EIO);
        assert_string_equal(err.rule, "source.unreadable");
        assert_int_equal(err.offset, places[i]);
        if (places[i] >= member)
            assert_int_equal(skipped, strlen("some text"));
        ice_stream_release(&stream);
        assert_int_equal(run.alloc.used, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_one_text),
        cmocka_unit_test(gzip_cut_anywhere_is_corrupt),
        cmocka_unit_test(gzip_damage_is_corrupt),
        cmocka_unit_test(zstd_frames_are_one_text),
        cmocka_unit_test(frames_in_pieces_are_the_same_frames),
        cmocka_unit_test(zstd_text_in_front_of_a_fault_is_given_out),
        cmocka_unit_test(frames_from_before_zstd_1_are_none),
        cmocka_unit_test(bombs_are_stopped),
        cmocka_unit_test(large_files_are_stopped),
        cmocka_unit_test(limits_may_be_boundless),
        cmocka_unit_test(window_limits_are_what_the_library_takes),
        cmocka_unit_test(endless_files_have_no_limit),
        cmocka_unit_test(large_zstd_windows_are_refused),
        cmocka_unit_test(each_allocation_can_fail),
        cmocka_unit_test(a_failing_source_is_no_corruption),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
