/*
 * The inflating filters: gzip members, zstd frames and their damage.
 */
#include "base/compiler.h"
#include "support/failing_run.h"
#include "support/packed.h"

/* Inflate in pieces of several sizes; all agree, also on the words and place of a fault.
 */
static void expect(enum codec codec, const struct packed *packed, size_t size,
                   const char *text, const char *rule, bool has_trailing) {
    static const size_t chunks[][2] = {{4096, 4096}, {1, 4096}, {4096, 1},
                                       {3, 7},       {1, 1},    {13, 1021}};
    struct ice_run run;
    struct result first, result;
    ice_run_init(&run, NULL);
    for (size_t i = 0; i < ICE_COUNT_OF(chunks); i++) {
        inflate_all(&result, &run, codec, ice_str_make(packed->bytes, size), chunks[i][0],
                    chunks[i][1]);
        if (i == 0)
            first = result;
        assert_int_equal(result.status, rule ? ICE_EFORMAT : ICE_OK);
        if (rule != NULL)
            assert_string_equal(result.err.rule, rule);
        if (text != NULL)
            assert_true(ice_str_is(ice_buf_str(&result.text), text));
        assert_int_equal(result.has_trailing, has_trailing);
        assert_true(ice_str_equal(ice_buf_str(&result.text), ice_buf_str(&first.text)));
        assert_string_equal(result.err.message, first.err.message);
        assert_int_equal(result.err.offset, first.err.offset);
        if (i > 0)
            ice_buf_release(&result.text);
    }
    ice_buf_release(&first.text);
    assert_int_equal(run.alloc.used, 0);
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

/* Given a block in parts, libzstd says other than of the block as a whole. */
static void blocks_in_parts_are_the_same_blocks(void **state) {
    (void)state;
    const struct {
        struct ice_str bytes;
        const char *text, *rule;
    } cases[] = {
        /* a last block, not compressed, and nothing behind it */
        {ICE_STR("\x28\xb5\x2f\xfd\0\0\x29\0\0hello"), "hello", NULL},
        /* the same, cut */
        {ICE_STR("\x28\xb5\x2f\xfd\0\0\x29\0\0hell"), "hell", broken_zstd},
        /* a last block, not compressed, in a frame that says it has more text */
        {ICE_STR("\x28\xb5\x2f\xfd\x20\x37\x29\0\0hello"), "", broken_zstd},
        /* compressed, and damaged: the fault is where the block begins */
        {ICE_STR("\x28\xb5\x2f\xfd\0\0\x54\0\0\x14\0\x61\6\x54\0\2\x18\x20\x12"), "",
         broken_zstd},
        /* "xy" at the end of the window, then what refers beyond it */
        {ICE_STR(
             "\x28\xb5\x2f\xfd\0\0\2\x20\0A\2\x20\0B\2\2\0C\x10\0\0xy\2\x20\0D\x45\0\0"
             "\0\1\x54\0\x0a\0\4\4"),
         NULL, broken_zstd},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct packed packed = {.size = 0};
        add_bytes(&packed, cases[i].bytes);
        expect(ZSTD, &packed, packed.size, cases[i].text, cases[i].rule, false);
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

/* The text in front of what cannot be read: its length. */
static uint64_t text_before_failure(struct ice_str bytes, size_t fail_from,
                                    size_t chunk) {
    struct ice_run run;
    struct ice_stream stream;
    struct ice_error err;
    uint64_t skipped;
    struct pieces pieces = {.bytes = bytes, .most = fail_from, .fail_from = fail_from};
    ice_run_init(&run, NULL);
    ice_error_clear(&err);
    assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL), ICE_OK);
    assert_int_equal(ice_stream_gzip(&stream, &stream, &err), ICE_OK);
    stream.chunk = chunk;
    assert_int_equal(ice_stream_skip(&stream, UINT64_MAX, &skipped, &err), ICE_EIO);
    assert_string_equal(err.rule, "source.unreadable");
    assert_int_equal(err.offset, fail_from);
    ice_stream_release(&stream);
    assert_int_equal(run.alloc.used, 0);
    return skipped;
}

/* zlib may hold text that the buffer had no room for. */
static void text_in_front_of_a_failure_is_given_out(void **state) {
    (void)state;
    char text[1000];
    struct packed packed = {.size = 0};
    memset(text, 'a', sizeof(text));
    add_gzip(&packed, ice_str_make(text, sizeof(text)));
    const struct ice_str bytes = ice_str_make(packed.bytes, packed.size);
    uint64_t most = 0;
    for (size_t at = 1; at < packed.size; at++) {
        most = text_before_failure(bytes, at, 4096);
        for (size_t chunk = 1; chunk < 1000; chunk *= 7)
            assert_int_equal(text_before_failure(bytes, at, chunk), most);
    }
    assert_int_equal(most, sizeof(text));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_one_text),
        cmocka_unit_test(gzip_cut_anywhere_is_corrupt),
        cmocka_unit_test(gzip_damage_is_corrupt),
        cmocka_unit_test(zstd_frames_are_one_text),
        cmocka_unit_test(frames_in_pieces_are_the_same_frames),
        cmocka_unit_test(zstd_text_in_front_of_a_fault_is_given_out),
        cmocka_unit_test(blocks_in_parts_are_the_same_blocks),
        cmocka_unit_test(frames_from_before_zstd_1_are_none),
        cmocka_unit_test(each_allocation_can_fail),
        cmocka_unit_test(a_failing_source_is_no_corruption),
        cmocka_unit_test(text_in_front_of_a_failure_is_given_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
