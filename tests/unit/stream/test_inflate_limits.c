/*
 * The limits of the inflating filters.
 */
#include "base/compiler.h"
#include "support/packed.h"

#include <stdlib.h>

/* The memory stays what it is for any file: the text is thrown away as it comes. */
/* Steps over a zstd text that ends with limit.bomb; chunk 0: as the stream has it. */
static uint64_t skip_to_bomb(struct ice_run *run, const struct packed *packed,
                             size_t chunk, struct ice_error *err) {
    struct ice_stream stream;
    uint64_t skipped;
    ice_error_clear(err);
    ice_stream_init_memory(&stream, run, ice_str_make(packed->bytes, packed->size));
    assert_int_equal(ice_stream_zstd(&stream, &stream, err), ICE_OK);
    if (chunk > 0)
        stream.chunk = chunk;
    assert_int_equal(ice_stream_skip(&stream, UINT64_MAX, &skipped, err), ICE_ELIMIT);
    assert_string_equal(err->rule, "limit.bomb");
    ice_stream_release(&stream);
    return skipped;
}

static void bombs_are_stopped(void **state) {
    (void)state;
    enum { SIZE = 80 << 20 };
    char *zeros = calloc(1, SIZE);
    assert_non_null(zeros);
    struct packed packed = {.size = 0};
    add_zstd(&packed, ice_str_make(zeros, SIZE));
    free(zeros);
    struct ice_run run;
    struct ice_error err;
    ice_run_init(&run, NULL);
    assert_true(skip_to_bomb(&run, &packed, 0, &err) < SIZE);
    assert_true(run.alloc.peak < 16 << 20);
}

/* What comes behind the text that is too much does not take the verdict back. */
static void bombs_are_judged_block_by_block(void **state) {
    (void)state;
    enum { BLOCKS = 529 };
    static const size_t chunks[] = {1021, 128 * 1024, 256 * 1024, 4 << 20};
    struct packed packed = {.size = 0};
    add_bytes(&packed, ICE_STR("\x28\xb5\x2f\xfd\0\x38"));
    for (int i = 0; i < BLOCKS; i++) /* a run of 128 KiB */
        add_bytes(&packed, ICE_STR("\2\0\x10"
                                   "A"));
    add_bytes(&packed, ICE_STR("\x41\6\0")); /* the last, not compressed, of 200 bytes */
    packed.size += 200;
    for (size_t i = 0; i < ICE_COUNT_OF(chunks); i++) {
        struct ice_run run;
        struct ice_error err;
        ice_run_init(&run, NULL);
        (void)skip_to_bomb(&run, &packed, chunks[i], &err);
        assert_int_equal(err.offset, 6 + 4 * BLOCKS);
    }
}

/* The text up to the limit is there, whatever the size of the reads. */
static void large_files_are_stopped(void **state) {
    (void)state;
    static char zeros[2 << 20];
    static const size_t chunks[] = {1021, 4096, 3 << 20};
    struct packed packed[2] = {{.size = 0}, {.size = 0}};
    add_gzip(&packed[GZIP], ice_str_make(zeros, sizeof(zeros)));
    add_zstd(&packed[ZSTD], ice_str_make(zeros, sizeof(zeros)));
    for (unsigned i = 0; i < 4 * ICE_COUNT_OF(chunks); i++) {
        const enum codec codec = i & 1 ? ZSTD : GZIP;
        const bool over = i & 2;
        struct ice_options options = ICE_OPTIONS_INIT;
        struct ice_run run;
        struct result result;
        options.limits.file_bytes = sizeof(zeros) - over;
        ice_run_init(&run, &options);
        inflate_all(&result, &run, codec,
                    ice_str_make(packed[codec].bytes, packed[codec].size), 4096,
                    chunks[i / 4]);
        assert_int_equal(result.status, over ? ICE_ELIMIT : ICE_OK);
        if (over)
            assert_string_equal(result.err.rule, "limit.file");
        assert_int_equal(result.text.size, options.limits.file_bytes);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bombs_are_stopped),
        cmocka_unit_test(bombs_are_judged_block_by_block),
        cmocka_unit_test(large_files_are_stopped),
        cmocka_unit_test(limits_may_be_boundless),
        cmocka_unit_test(window_limits_are_what_the_library_takes),
        cmocka_unit_test(endless_files_have_no_limit),
        cmocka_unit_test(large_zstd_windows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
