/*
 * Streams: look-ahead, stepping, growth, failures; kinds of files.
 */
#include "stream/stream.h"

#include "base/compiler.h"
#include "support/cmocka_all.h"
#include "support/failing_run.h"
#include "support/pieces.h"

static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";

static void memory_shows_all(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct ice_stream stream;
    struct ice_str view;
    ice_stream_init_memory(&stream, &run, ICE_STR(digits));
    assert_int_equal(ice_stream_peek(&stream, 1, &view, NULL), ICE_OK);
    assert_int_equal(view.size, 36);
    ice_stream_consume(&stream, 10);
    assert_int_equal(stream.position, 10);
    assert_int_equal(ice_stream_peek(&stream, 1000, &view, NULL), ICE_OK);
    assert_true(ice_str_is(view, digits + 10));
    ice_stream_release(&stream);
    ice_stream_release(&stream);
    ice_stream_init_memory(&stream, &run, ICE_STR_NONE);
    assert_int_equal(ice_stream_peek(&stream, 1, &view, NULL), ICE_OK);
    assert_int_equal(view.size, 0);
    ice_stream_release(&stream);
    assert_int_equal(run.alloc.used, 0);
}

/* No more than was asked for, from memory as in any pieces; less at the end. */
static void first_bytes_are_no_more(void **state) {
    (void)state;
    for (size_t most = 0; most < 50; most++) {
        struct ice_run run;
        ice_run_init(&run, NULL);
        struct pieces pieces = {.bytes = ICE_STR(digits), .most = most, .seed = 3};
        struct ice_stream stream;
        struct ice_str view;
        if (most == 0)
            ice_stream_init_memory(&stream, &run, ICE_STR(digits));
        else
            assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL),
                             ICE_OK);
        assert_int_equal(ice_stream_peek_first(&stream, 4, &view, NULL), ICE_OK);
        assert_true(ice_str_is(view, "0123"));
        ice_stream_consume(&stream, 2);
        assert_int_equal(ice_stream_peek_first(&stream, 4, &view, NULL), ICE_OK);
        assert_true(ice_str_is(view, "2345"));
        assert_int_equal(ice_stream_peek_first(&stream, 100, &view, NULL), ICE_OK);
        assert_true(ice_str_is(view, digits + 2));
        ice_stream_release(&stream);
        pieces = (struct pieces){.fail_from = 1, .at = 1};
        assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL),
                         ICE_OK);
        pieces.bytes = ICE_STR(digits);
        assert_int_equal(ice_stream_peek_first(&stream, 4, &view, NULL), ICE_EIO);
        ice_stream_release(&stream);
        assert_int_equal(run.alloc.used, 0);
    }
}

/* Any chunk, any look-ahead, any step: the same bytes in the same order. */
static void pieces_come_in_order(void **state) {
    (void)state;
    for (size_t chunk = 0; chunk < 70; chunk += chunk == 0 ? 1 : 4) {
        for (size_t least = 1; least < 60; least += 5) {
            struct ice_run run;
            ice_run_init(&run, NULL);
            struct pieces pieces = {.bytes = ICE_STR(digits), .seed = 1 + chunk * least};
            struct ice_stream stream;
            assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL),
                             ICE_OK);
            stream.chunk = chunk;
            size_t at = 0;
            for (;;) {
                struct ice_str view;
                assert_int_equal(ice_stream_peek(&stream, least, &view, NULL), ICE_OK);
                assert_int_equal(stream.position, at);
                assert_true(view.size >= least || at + view.size == sizeof(digits) - 1);
                if (view.size == 0)
                    break;
                assert_memory_equal(view.data, digits + at, view.size);
                const size_t step = view.size < 3 ? view.size : 3;
                ice_stream_consume(&stream, step);
                at += step;
            }
            assert_int_equal(at, sizeof(digits) - 1);
            ice_stream_release(&stream);
            assert_int_equal(run.alloc.used, 0);
        }
    }
}

/* A look-ahead far beyond the input takes memory for the input, not for the wish. */
static void nothing_is_allocated_before_bytes_arrive(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct pieces pieces = {.bytes = ICE_STR(digits), .most = 36};
    struct ice_stream stream;
    struct ice_str view;
    assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL), ICE_OK);
    assert_int_equal(ice_stream_peek(&stream, (size_t)1 << 40, &view, NULL), ICE_OK);
    assert_int_equal(view.size, 36);
    assert_true(run.alloc.peak <= 256 * 1024);
    ice_stream_release(&stream);
}

static void skip_stops_at_the_end(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct pieces pieces = {.bytes = ICE_STR(digits), .most = 5};
    struct ice_stream stream;
    uint64_t skipped;
    struct ice_str view;
    assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL), ICE_OK);
    stream.chunk = 5;
    assert_int_equal(ice_stream_skip(&stream, 0, &skipped, NULL), ICE_OK);
    assert_int_equal(skipped, 0);
    assert_int_equal(ice_stream_skip(&stream, 12, &skipped, NULL), ICE_OK);
    assert_int_equal(skipped, 12);
    assert_int_equal(ice_stream_peek(&stream, 1, &view, NULL), ICE_OK);
    assert_int_equal(view.data[0], 'c');
    assert_int_equal(ice_stream_skip(&stream, UINT64_MAX, &skipped, NULL), ICE_OK);
    assert_int_equal(skipped, 24);
    assert_int_equal(stream.position, 36);
    ice_stream_release(&stream);
}

static void a_failure_sticks(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct pieces pieces = {.bytes = ICE_STR(digits), .most = 10, .fail_from = 20};
    struct ice_stream stream;
    struct ice_str view;
    struct ice_error err;
    ice_error_clear(&err);
    assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL), ICE_OK);
    assert_int_equal(ice_stream_peek(&stream, 20, &view, &err), ICE_OK);
    assert_int_equal(ice_stream_peek(&stream, 21, &view, &err), ICE_EIO);
    assert_int_equal(err.offset, 20);
    pieces.fail_from = 0;
    assert_int_equal(ice_stream_peek(&stream, 21, &view, NULL), ICE_EIO);
    /* what was read before stays readable */
    assert_int_equal(ice_stream_peek(&stream, 20, &view, NULL), ICE_OK);
    assert_int_equal(view.size, 20);
    ice_stream_release(&stream);
}

static bool after_two(void *user) {
    unsigned *polls = user;
    return ++*polls > 2;
}

/* An interrupt ends the next refill, and what was read stays. */
static void an_interrupt_ends_the_reading(void **state) {
    (void)state;
    struct ice_run run;
    unsigned polls = 0;
    ice_run_init(&run, NULL);
    run.cancelled = after_two;
    run.cancelled_user = &polls;
    struct pieces pieces = {.bytes = ICE_STR(digits), .most = 4};
    struct ice_stream stream;
    struct ice_str view;
    struct ice_error err = {0};
    assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL), ICE_OK);
    assert_int_equal(ice_stream_peek(&stream, 36, &view, &err), ICE_ECANCELLED);
    assert_int_equal(err.status, ICE_ECANCELLED);
    assert_int_equal(stream.end - stream.begin, 8);
    assert_int_equal(ice_stream_peek(&stream, 36, &view, NULL), ICE_ECANCELLED);
    ice_stream_release(&stream);
}

static void each_allocation_can_fail(void **state) {
    (void)state;
    for (uint64_t fail_at = 1;; fail_at++) {
        struct failing failing = {.fail_at = fail_at};
        struct ice_run run;
        failing_run_init(&run, &failing);
        static char zeros[1000];
        struct pieces pieces = {.bytes = ice_str_make(zeros, sizeof(zeros)), .most = 100};
        struct ice_stream stream;
        struct ice_str view;
        assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL),
                         ICE_OK);
        stream.chunk = 100;
        const enum ice_status status =
            ice_stream_peek(&stream, sizeof(zeros), &view, NULL);
        if (status != ICE_OK) {
            assert_int_equal(status, ICE_ENOMEM);
            /* memory came back: the stream goes on where it was */
            failing.fail_at = 0;
            assert_int_equal(ice_stream_peek(&stream, sizeof(zeros), &view, NULL),
                             ICE_OK);
        }
        assert_int_equal(view.size, sizeof(zeros));
        ice_stream_release(&stream);
        assert_int_equal(failing.used, 0);
        if (status == ICE_OK) {
            assert_true(fail_at > 4);
            break;
        }
    }
}

static void kinds_by_first_bytes(void **state) {
    (void)state;
    char tar[300] = "metadata/";
    memcpy(tar + 257, "ustar", 5);
    const struct {
        struct ice_str bytes;
        enum ice_magic magic;
    } kinds[] = {
        {ICE_STR(""), ICE_MAGIC_NONE},
        {ICE_STR("{"), ICE_MAGIC_NONE},
        {ICE_STR("{\"a\":1}"), ICE_MAGIC_NONE},
        {ICE_STR("\x1f"), ICE_MAGIC_NONE},
        {ICE_STR("\x1f\x8b"), ICE_MAGIC_GZIP},
        {ICE_STR("\x28\xb5\x2f\xfd"), ICE_MAGIC_ZSTD},
        {ICE_STR("\x53\x2a\x4d\x18"), ICE_MAGIC_ZSTD},
        {ICE_STR("Obj\x01"), ICE_MAGIC_AVRO},
        {ICE_STR("Obj\x02"), ICE_MAGIC_AVRO},
        {ICE_STR("Object"), ICE_MAGIC_NONE},
        {ICE_STR("PAR1"), ICE_MAGIC_PARQUET},
        {ICE_STR("ORC\n"), ICE_MAGIC_ORC},
        {ICE_STR("PFA1"), ICE_MAGIC_PUFFIN},
        {ICE_STR("SQLite format 3\0"), ICE_MAGIC_SQLITE},
        {ICE_STR("PK\x03\x04"), ICE_MAGIC_ZIP},
        {ICE_STR("AGS1"), ICE_MAGIC_AGS1},
        {ICE_STR("\x89PNG\r\n\x1a\n"), ICE_MAGIC_PNG},
        {ICE_STR("\xff\xfe{\0"), ICE_MAGIC_UTF16},
        {ICE_STR("\xfe\xff\0{"), ICE_MAGIC_UTF16},
        {ICE_STR("{\0\"\0"), ICE_MAGIC_UTF16},
        {ICE_STR("\0{\0\""), ICE_MAGIC_UTF16},
        {ICE_STR("{\0\0\0"), ICE_MAGIC_NONE},
        {ICE_STR("{\0\"x"), ICE_MAGIC_NONE},
        {ICE_STR("\0\0\0{"), ICE_MAGIC_NONE},
        {ICE_STR("\0{x\""), ICE_MAGIC_NONE},
        {ICE_STR("\0{\0\0"), ICE_MAGIC_NONE},
        {ICE_STR("\0\0\0\0"), ICE_MAGIC_NONE},
        {{tar, sizeof(tar)}, ICE_MAGIC_TAR},
        {{tar, 261}, ICE_MAGIC_NONE},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(kinds); i++)
        assert_int_equal(ice_magic_of(kinds[i].bytes), kinds[i].magic);
}

/* What follows may make a tar of what was no kind yet, and nothing else. */
static void a_kind_stays_as_more_bytes_come(void **state) {
    (void)state;
    static const char *const starts[] = {
        "\x1f\x8b\x08\0",   "\x28\xb5\x2f\xfd", "\x50\x2a\x4d\x18",
        "\x5f\x2a\x4d\x18", "Obj\x01",          "PFA1",
        "\xff\xfe{\0",      "{\0\"\0",          "\0{\0\"",
    };
    char tar[300] = {0};
    memcpy(tar + 257, "ustar", 5);
    for (size_t i = 0; i < ICE_COUNT_OF(starts); i++) {
        memcpy(tar, starts[i], 4);
        const enum ice_magic magic = ice_magic_of(ice_str_make(tar, 4));
        assert_int_not_equal(magic, ICE_MAGIC_NONE);
        assert_int_equal(ice_magic_of(ice_str_make(tar, sizeof(tar))), magic);
    }
    /* so a frame to step over is none of before 1.0, whatever it holds */
    memcpy(tar, "\x50\x2a\x4d\x18", 4);
    assert_false(ice_is_foreign_zstd(ice_str_make(tar, sizeof(tar))));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_shows_all),
        cmocka_unit_test(first_bytes_are_no_more),
        cmocka_unit_test(pieces_come_in_order),
        cmocka_unit_test(nothing_is_allocated_before_bytes_arrive),
        cmocka_unit_test(skip_stops_at_the_end),
        cmocka_unit_test(a_failure_sticks),
        cmocka_unit_test(an_interrupt_ends_the_reading),
        cmocka_unit_test(each_allocation_can_fail),
        cmocka_unit_test(kinds_by_first_bytes),
        cmocka_unit_test(a_kind_stays_as_more_bytes_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
