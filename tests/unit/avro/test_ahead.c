/*
 * Blocks unpacked by helpers give, block by block and fault by fault, what reading them
 * in place gives: of a whole file, of one that is damaged or cut at any byte, of one
 * whose source or memory fails.
 */
#include "avro_helper.h"

#include "avro/ahead.h"
#include "base/pool.h"

#include <libdeflate.h>
#include <sched.h>
#include <stdatomic.h>

enum { BLOCKS = 21, RECORDS = 3 }; /* more than two helpers have slots */

static const char last_record[] = "block 20, record 2 of it";

static struct enc file;
static struct transcript alone, helped;

/* Records of a string each, deflated; block 5 holds none and takes no bytes. */
static void make_file(void) {
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
    assert_non_null(c);
    put_header(&file, RECORD_OF("\"string\""), "deflate");
    for (int i = 0; i < BLOCKS; i++) {
        static struct enc plain;
        char packed[512], text[64];
        plain.n = 0;
        for (int k = 0; k < RECORDS; k++) {
            (void)snprintf(text, sizeof(text), "block %d, record %d of it", i, k);
            put_text(&plain, text);
        }
        size_t n =
            libdeflate_deflate_compress(c, plain.data, plain.n, packed, sizeof(packed));
        assert_true(n > 0);
        put_block(&file, i == 5 ? 0 : RECORDS, packed, i == 5 ? 0 : n);
    }
    libdeflate_free_compressor(c);
}

struct reading {
    size_t piece;
    uint64_t fail_at;
    unsigned n_helpers; /* 0: none */
    size_t least;
};

static enum ice_status read_with(struct ice_run *run, struct ice_str bytes,
                                 const struct reading *how, struct transcript *t) {
    static const struct ice_stream_ops ops = {read_pieces, NULL};
    struct pieces pieces = {.left = bytes, .piece = how->piece, .fail_at = how->fail_at};
    struct ice_stream stream;
    *t = (struct transcript){0};
    if (how->n_helpers > 0 &&
        ice_ahead_open(&run->ahead, run, how->n_helpers, how->least) < 0)
        return ICE_ENOMEM;
    enum ice_status status = ice_stream_init(&stream, run, &ops, &pieces, NULL);
    if (status >= 0) {
        stream.chunk = how->piece;
        status = transcribe_run(run, &stream, t);
    }
    ice_stream_release(&stream);
    ice_ahead_free(run->ahead);
    run->ahead = NULL;
    assert_int_equal(run->alloc.used, 0);
    return status;
}

static void expect_same(struct ice_str bytes, struct reading how) {
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct reading in_place = how;
    in_place.n_helpers = 0;
    enum ice_status status = read_with(&run, bytes, &in_place, &alone);
    assert_int_equal(read_with(&run, bytes, &how, &helped), status);
    assert_string_equal(helped.text, alone.text);
}

static const struct reading usual = {64, UINT64_MAX, 2, 1};

static void whole_file(void **state) {
    (void)state;
    for (unsigned helpers = 1; helpers <= 8; helpers++) {
        for (size_t piece = 7; piece < 2000; piece *= 3)
            expect_same(enc_str(&file), (struct reading){piece, UINT64_MAX, helpers, 1});
    }
    assert_non_null(strstr(helped.text, last_record));
    /* too small to be worth a thread */
    expect_same(enc_str(&file),
                (struct reading){64, UINT64_MAX, 2, ICE_AHEAD_LEAST_PACKED});
}

static void any_byte_damaged(void **state) {
    (void)state;
    static struct enc damaged;
    for (size_t at = 0; at < file.n; at++) {
        damaged = file;
        damaged.data[at] = (char)(damaged.data[at] ^ (1 << at % 8));
        expect_same(enc_str(&damaged), usual);
    }
}

static void cut_anywhere(void **state) {
    (void)state;
    for (size_t size = 0; size < file.n; size += 3)
        expect_same(ice_str_first(enc_str(&file), size), usual);
}

static void the_source_fails(void **state) {
    (void)state;
    for (size_t at = 0; at < file.n; at += 5) {
        struct reading how = usual;
        how.fail_at = at;
        expect_same(enc_str(&file), how);
        assert_non_null(strstr(helped.text, "!source.unreadable"));
    }
}

static void *limited_realloc(void *user, void *pointer, size_t old_size,
                             size_t new_size) {
    _Atomic int64_t *left = user;
    (void)old_size;
    if (new_size == 0) {
        free(pointer);
        return NULL;
    }
    return atomic_fetch_sub(left, 1) > 0 ? realloc(pointer, new_size) : NULL;
}

/* Wherever memory ends, it ends in a fault, or without help, and nothing leaks. */
static void memory_ends(void **state) {
    (void)state;
    bool has_ended = true, was_whole = false;
    for (int64_t most = 0; most < 400 && has_ended; most++) {
        _Atomic int64_t left = most;
        const struct ice_allocator allocator = {limited_realloc, &left};
        struct ice_options options = ICE_OPTIONS_INIT;
        options.allocator = &allocator;
        struct ice_run run;
        ice_run_init(&run, &options);
        was_whole = read_with(&run, enc_str(&file), &usual, &helped) >= 0;
        has_ended = left < 0;
        if (was_whole)
            assert_non_null(strstr(helped.text, last_record));
        else if (helped.n > 0)
            assert_non_null(strstr(helped.text, "[out of memory]"));
    }
    assert_false(has_ended);
    assert_true(was_whole);
}

static void give(struct ice_ahead *ahead, uint64_t index) {
    /* an empty stored block of deflate */
    const struct ice_str packed = ICE_STR("\1\0\0\xff\xff");
    const struct ice_avro_block block = {
        .index = index, .offset = 100 + index, .packed_bytes = packed.size};
    assert_true(ice_ahead_give(ahead, &block, packed));
}

/* A thread whose job has just ended may not be free yet. */
static void hold(struct ice_ahead *ahead, enum ice_avro_codec codec) {
    while (!ice_ahead_hold(ahead, codec))
        (void)sched_yield();
}

/* One holder at a time; what it leaves in the ring is gone for the next. */
static void hold_and_let_go(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_avro_block out;
    ice_run_init(&run, NULL);
    assert_int_equal(ice_pool_open(&run.pool, &run.alloc, 2), ICE_OK);
    const uint64_t of_pool = run.alloc.used;
    assert_int_equal(ice_ahead_open(&run.ahead, &run, 1, ICE_AHEAD_LEAST_PACKED), ICE_OK);
    const uint64_t of_ahead = run.alloc.used;
    assert_false(ice_ahead_takes(run.ahead, ICE_AHEAD_LEAST_PACKED - 1));
    assert_true(ice_ahead_takes(run.ahead, ICE_AHEAD_LEAST_PACKED));
    assert_true(ice_ahead_takes(run.ahead, ICE_AHEAD_MOST_PACKED));
    assert_false(ice_ahead_takes(run.ahead, ICE_AHEAD_MOST_PACKED + 1));
    assert_false(ice_ahead_hold(run.ahead, ICE_CODEC_NULL)); /* nothing to unpack */
    assert_true(ice_ahead_hold(run.ahead, ICE_CODEC_DEFLATE));
    assert_false(ice_ahead_hold(run.ahead, ICE_CODEC_DEFLATE));
    assert_int_equal(ice_ahead_take(run.ahead, NULL, &out, NULL), ICE_DONE);
    for (uint64_t i = 0; i < 3; i++)
        give(run.ahead, i);
    assert_int_equal(ice_ahead_take(run.ahead, NULL, &out, NULL), ICE_OK);
    assert_int_equal(out.index, 0);
    assert_int_equal(out.offset, 100);
    ice_ahead_let_go(run.ahead);
    assert_true(run.alloc.used > of_ahead); /* kept for the next file of that codec */
    hold(run.ahead, ICE_CODEC_DEFLATE);
    assert_int_equal(ice_ahead_take(run.ahead, NULL, &out, NULL), ICE_DONE);
    give(run.ahead, 7);
    assert_int_equal(ice_ahead_take(run.ahead, NULL, &out, NULL), ICE_OK);
    assert_int_equal(out.index, 7);
    ice_ahead_let_go(run.ahead);
    ice_ahead_shrink(run.ahead);
    assert_int_equal(run.alloc.used, of_ahead);
    hold(run.ahead, ICE_CODEC_DEFLATE);
    give(run.ahead, 8);
    ice_ahead_let_go(run.ahead);
    hold(run.ahead, ICE_CODEC_SNAPPY);
    assert_int_equal(run.alloc.used, of_ahead); /* none of deflate's is of use */
    ice_ahead_let_go(run.ahead);
    ice_ahead_free(run.ahead);
    assert_int_equal(run.alloc.used, of_pool);
    ice_pool_free(run.pool);
    assert_int_equal(run.alloc.used, 0);
}

/* Two files open at once: the ring serves the first, the second reads in place. */
static void one_file_at_a_time(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    assert_int_equal(ice_ahead_open(&run.ahead, &run, 1, 1), ICE_OK);
    struct ice_avro_file files[2];
    struct ice_stream streams[2];
    for (int i = 0; i < 2; i++) {
        ice_stream_init_memory(&streams[i], &run, enc_str(&file));
        assert_int_equal(ice_avro_open(&files[i], &run, &streams[i], NULL), ICE_OK);
    }
    for (int block = 0; block < BLOCKS; block++) {
        struct ice_avro_block blocks[2];
        for (int i = 0; i < 2; i++)
            assert_int_equal(ice_avro_next_block(&files[i], &blocks[i], NULL), ICE_OK);
        assert_true(ice_str_equal(blocks[0].data, blocks[1].data));
        assert_int_equal(blocks[0].index, blocks[1].index);
        assert_int_equal(blocks[0].offset, blocks[1].offset);
        assert_int_equal(blocks[0].packed_bytes, blocks[1].packed_bytes);
        if (block == 1) {
            assert_non_null(files[0].ahead);
            assert_null(files[1].ahead);
        }
    }
    for (int i = 0; i < 2; i++) {
        struct ice_avro_block block;
        assert_int_equal(ice_avro_next_block(&files[i], &block, NULL), ICE_DONE);
        ice_avro_release(&files[i]);
        ice_stream_release(&streams[i]);
    }
    ice_ahead_free(run.ahead);
    assert_int_equal(run.alloc.used, 0);
}

/* Whatever a head says, the block and its fault are those of reading in place. */
static void expect_same_blocks(const struct enc *odd, const struct ice_limits *limits) {
    struct ice_run runs[2];
    struct ice_avro_file files[2];
    struct ice_stream streams[2];
    struct ice_error errors[2];
    for (int i = 0; i < 2; i++) {
        struct ice_options options = ICE_OPTIONS_INIT;
        options.limits = *limits;
        ice_run_init(&runs[i], &options);
        if (i == 1)
            assert_int_equal(ice_ahead_open(&runs[i].ahead, &runs[i], 2, 1), ICE_OK);
        ice_stream_init_memory(&streams[i], &runs[i], enc_str(odd));
        assert_int_equal(ice_avro_open(&files[i], &runs[i], &streams[i], NULL), ICE_OK);
    }
    enum ice_status status;
    do {
        struct ice_avro_block here, there;
        memset(errors, 0, sizeof(errors));
        status = ice_avro_next_block(&files[0], &here, &errors[0]);
        assert_int_equal(ice_avro_next_block(&files[1], &there, &errors[1]), status);
        assert_int_equal(there.index, here.index);
        assert_int_equal(there.count, here.count);
        assert_int_equal(there.packed_bytes, here.packed_bytes);
        assert_true(status == ICE_DONE || there.offset == here.offset);
        assert_true(ice_str_equal(there.data, here.data));
        assert_string_equal(errors[1].message, errors[0].message);
    } while (status != ICE_DONE);
    for (int i = 0; i < 2; i++) {
        ice_avro_release(&files[i]);
        ice_stream_release(&streams[i]);
        ice_ahead_free(runs[i].ahead);
        assert_int_equal(runs[i].alloc.used, 0);
    }
}

static void odd_heads(void **state) {
    (void)state;
    static const int64_t counts[] = {INT64_MIN,        -1,       0, 1, 5000,
                                     INT64_C(1) << 40, INT64_MAX};
    const struct ice_str bodies[] = {
        ICE_STR("\1\0\0\xff\xff"), /* an empty stored block of deflate */
        ICE_STR("no deflate"), ICE_STR("")};
    static struct enc odd;
    for (size_t i = 0; i < ICE_COUNT_OF(counts); i++) {
        for (size_t k = 0; k < ICE_COUNT_OF(bodies); k++) {
            odd = file;
            put_block(&odd, counts[i], bodies[k].data, bodies[k].size);
            put_block(&odd, 1, bodies[0].data, bodies[0].size);
            for (uint64_t limit = 1; limit < 300; limit *= 2)
                expect_same_blocks(&odd,
                                   &(struct ice_limits){.block_packed_bytes = limit});
        }
    }
}

/*
 * Memory for a few blocks at once, where helpers unpack more than a dozen: none is lost,
 * and one that is too large for itself is told as ever.
 */
static void memory_for_few(void **state) {
    (void)state;
    enum { MANY = 40, TEXT = 1 << 20 };
    static const char zeros[2 * TEXT];
    static char packed[8192];
    static struct enc many;
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
    assert_non_null(c);
    put_header(&many, "\"boolean\"", "deflate");
    for (int i = 0; i < MANY; i++) {
        const size_t size = i == 3 || i == 30 ? sizeof(zeros) : TEXT;
        const size_t n =
            libdeflate_deflate_compress(c, zeros, size, packed, sizeof(packed));
        assert_true(n > 0);
        put_block(&many, TEXT, packed, n);
    }
    libdeflate_free_compressor(c);
    for (uint64_t memory = 4; memory <= 64; memory *= 4) {
        const struct ice_limits limits = {.memory = memory << 20,
                                          .block_bytes = TEXT + TEXT / 2};
        expect_same_blocks(&many, &limits);
    }
}

static int make(void **state) {
    (void)state;
    make_file();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_file),      cmocka_unit_test(any_byte_damaged),
        cmocka_unit_test(cut_anywhere),    cmocka_unit_test(the_source_fails),
        cmocka_unit_test(memory_ends),     cmocka_unit_test(one_file_at_a_time),
        cmocka_unit_test(hold_and_let_go), cmocka_unit_test(odd_heads),
        cmocka_unit_test(memory_for_few),
    };
    return cmocka_run_group_tests(tests, make, NULL);
}
