/*
 * Containers, whole and broken: what readers get wrong, and what must come of it, as far
 * as it concerns magic, header, blocks and sync markers.
 */
#include "avro_helper.h"

#include <libdeflate.h>

static struct enc e;

#define INT RECORD_OF("\"int\"")

static void test_good(void **state) {
    (void)state;
    put_header(&e, INT, NULL);
    PUT_BLOCK(&e, 2, "\x02\x04");
    PUT_BLOCK(&e, 0, ""); /* legal */
    PUT_BLOCK(&e, 1, "\x06");
    expect(&e, "{\"x\":1}\n{\"x\":2}\n{\"x\":3}\n");
    put_header(&e, INT, "null");
    expect(&e, "");
}

static void test_magic(void **state) {
    (void)state;
    static const char *const heads[] = {"Obj\2xxxxxx", "PAR1xxxx", "AGS1", "hello", "x"};
    for (size_t i = 0; i < ICE_COUNT_OF(heads); i++) {
        e.n = 0;
        put(&e, heads[i], strlen(heads[i]));
        expect(&e, "!avro.magic@0\n");
    }
}

static void test_header_cut(void **state) {
    (void)state;
    put_header(&e, INT, "null");
    const size_t size = e.n;
    for (size_t n = 0; n < size; n++) {
        char expected[64];
        e.n = n;
        (void)snprintf(expected, sizeof(expected), "!avro.truncated@%zu\n", n);
        expect(&e, expected);
    }
}

static void begin_map(int64_t count) {
    e.n = 0;
    put(&e, "Obj\1", 4);
    put_long(&e, count);
}

static void end_map(void) {
    put_long(&e, 0);
    put(&e, SYNC, 16);
}

static void test_header_map(void **state) {
    (void)state;
    begin_map(INT64_MIN);
    expect(&e, "!avro.header.malformed@4\n");
    begin_map(-1); /* with its right size */
    put_long(&e, 12 + 2 + (int64_t)strlen(INT));
    put_text(&e, "avro.schema");
    put_text(&e, INT);
    end_map();
    PUT_BLOCK(&e, 1, "\x06");
    expect(&e, "{\"x\":3}\n");
    begin_map(-1); /* and with a wrong one */
    put_long(&e, 10);
    put_text(&e, "avro.schema");
    put_text(&e, INT);
    end_map();
    expect(&e, "!avro.header.malformed@4\n");
    begin_map(-1);
    put_long(&e, -1);
    expect(&e, "!avro.header.malformed@4\n");
    begin_map(1);
    put_long(&e, -1);
    expect(&e, "!avro.length@5\n");
    begin_map(1);
    put_long(&e, INT64_MAX);
    expect(&e, "!avro.length@5\n");
    begin_map(1);
    put(&e, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
    expect(&e, "!avro.varint.overlong@5\n");
    begin_map(0);
    put(&e, SYNC, 16);
    expect(&e, "!avro.schema.unparseable\n"); /* no schema */
}

static void test_header_limits(void **state) {
    (void)state;
    const struct ice_limits limits = {.avro_header_keys = 2, .avro_header_bytes = 200};
    begin_map(1LL << 40);
    expect(&e, "!limit.header@10\n");
    put_header(&e, INT, "null");
    expect_with(&e, &limits, ""); /* at the limit */
    begin_map(3);
    expect_with(&e, &limits, "!limit.header@5\n");
    begin_map(2);
    put_text(&e, "a");
    put_text(&e, "a");
    put_text(&e, "b");
    put_text(&e, "b");
    put_long(&e, 1); /* another block of the map: one key above the limit */
    put_text(&e, "c");
    expect_with(&e, &limits, "!limit.header@14\n");
    begin_map(1);
    put_text(&e, "k");
    put_long(&e, 191); /* the value would end at byte 200, the limit */
    for (int i = 0; i < 191; i++)
        put_byte(&e, 'v');
    end_map();
    expect_with(&e, &limits, "!avro.schema.unparseable\n");
    begin_map(1);
    put_text(&e, "k");
    put_long(&e, 192);
    expect_with(&e, &limits, "!limit.header@9\n");
}

static void test_codec_names(void **state) {
    (void)state;
    put_header(&e, INT, "lz4");
    expect(&e, "!avro.codec.unsupported@0\n");
    put_header(&e, INT, "");
    expect(&e, "!avro.codec.unsupported@0\n");
    static char name[100001];
    memset(name, 'z', sizeof(name) - 1);
    put_header(&e, INT, name);
    expect(&e, "!limit.header@0\n");
}

static void test_header_stays_readable(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    put_header(&e, INT, "lz4");
    struct ice_stream stream;
    ice_stream_init_memory(&stream, &run, enc_str(&e));
    struct ice_avro_file file;
    struct ice_error err = {0};
    assert_int_equal(ice_avro_open(&file, &run, &stream, &err), ICE_EFORMAT);
    struct ice_str text;
    assert_true(ice_avro_header(&file, "avro.schema", &text));
    assert_true(ice_str_is(text, INT));
    assert_true(ice_str_is(file.codec_name, "lz4"));
    struct ice_avro_block block;
    assert_int_equal(ice_avro_next_block(&file, &block, &err), ICE_DONE);
    ice_avro_release(&file);
    ice_avro_release(&file); /* twice is fine */
    assert_int_equal(run.alloc.used, 0);
}

static void test_duplicate_keys(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    begin_map(5);
    static const char *const entries[][2] = {
        {"a", "1"}, {"b", "1"}, {"a", "1"}, {"a", "2"}, {"b", "1"}};
    for (size_t i = 0; i < ICE_COUNT_OF(entries); i++) {
        put_text(&e, entries[i][0]);
        put_text(&e, entries[i][1]);
    }
    end_map();
    struct ice_stream stream;
    ice_stream_init_memory(&stream, &run, enc_str(&e));
    struct ice_avro_file file;
    assert_int_equal(ice_avro_open(&file, &run, &stream, NULL), ICE_OK);
    static const bool duplicate[] = {false, false, true, true, true};
    static const bool differs[] = {false, false, false, true, false};
    for (size_t i = 0; i < ICE_COUNT_OF(duplicate); i++) {
        assert_int_equal(file.header[i].duplicate, duplicate[i]);
        assert_int_equal(file.header[i].differs, differs[i]);
    }
    struct ice_str value;
    assert_true(ice_avro_header(&file, "a", &value));
    assert_true(ice_str_is(value, "2")); /* the last one counts */
    assert_false(ice_avro_header(&file, "c", &value));
    ice_avro_release(&file);
}

/* Cut behind every byte of the last block: told, and the rows before it are given out. */
static void test_cut_block(void **state) {
    (void)state;
    put_header(&e, INT, NULL);
    PUT_BLOCK(&e, 1, "\x02");
    const size_t start = e.n;
    PUT_BLOCK(&e, 3, "\x04\x06\x08");
    const size_t end = e.n;
    for (size_t n = start + 1; n < end; n++) {
        e.n = n;
        expect(&e,
               n < end - 16
                   ? "{\"x\":1}\n!avro.truncated@+19\n"
                   : "{\"x\":1}\n{\"x\":2}\n{\"x\":3}\n{\"x\":4}\n!avro.truncated@+19\n");
    }
    e.n = start; /* exactly behind a block: looks whole */
    expect(&e, "{\"x\":1}\n");
}

static void test_truncated_message(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    put_header(&e, INT, NULL);
    const size_t start = e.n;
    PUT_BLOCK(&e, 3, "\x04\x06\x08");
    e.n -= 17;
    struct ice_stream stream;
    ice_stream_init_memory(&stream, &run, enc_str(&e));
    struct ice_avro_file file;
    assert_int_equal(ice_avro_open(&file, &run, &stream, NULL), ICE_OK);
    struct ice_avro_block block;
    struct ice_error err = {0};
    assert_int_equal(ice_avro_next_block(&file, &block, &err), ICE_EFORMAT);
    char expected[256];
    (void)snprintf(
        expected, sizeof(expected),
        "the file ends inside block 0, which began at byte %zu: 4 of 21 bytes are "
        "there",
        start);
    assert_string_equal(err.message, expected);
    assert_int_equal(ice_avro_next_block(&file, &block, &err), ICE_DONE);
    ice_avro_release(&file);
}

static void put_int_block(int64_t count, int64_t size) {
    put_header(&e, INT, NULL);
    PUT_BLOCK(&e, 1, "\x02");
    put_block_head(&e, count, size);
    put(&e, "\x04", 1);
    put(&e, SYNC, 16);
    PUT_BLOCK(&e, 1, "\x06");
}

/* What a count or a size of the block behind can be: each makes the place lost. */
static void test_next_block_is_none(void **state) {
    (void)state;
    static const struct {
        const char *head;
        size_t size;
    } heads[] = {
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\2", 12}, /* count: no varint */
        {"\2\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 12}, /* size: none */
        {"\1\2", 2},                                          /* count -1 */
        {"\2\1", 2},                                          /* size -1 */
        {"\2\xfe\xff\xff\xff\xff\xff\xff\xff\xff\1", 11},     /* size 2^63 - 1 */
        {"\2\x80\1", 3},                                      /* beyond the end */
    };
    for (size_t i = 0; i < ICE_COUNT_OF(heads); i++) {
        put_header(&e, INT, NULL);
        PUT_BLOCK(&e, 1, "\2");
        e.data[e.n - 1] ^= 1;
        put(&e, heads[i].head, heads[i].size);
        put(&e, "\4and so on", 10);
        static struct transcript t;
        t = (struct transcript){0};
        note(&t, "{\"x\":1}\n!avro.sync-mismatch@+0\nskipped %zu\n",
             16 + heads[i].size + 10);
        expect(&e, t.text);
    }
}

static void test_block_size(void **state) {
    (void)state;
    static const struct {
        int64_t size;
        const char *expected;
    } cases[] = {
        {-1, "{\"x\":1}\n!avro.block.size@+19\n{\"x\":3}\nskipped 1\n"},
        {INT64_MIN, "{\"x\":1}\n!avro.block.size@+19\n{\"x\":3}\nskipped 1\n"},
        {2, "{\"x\":1}\n!avro.block.size@+19\n{\"x\":3}\nskipped 1\n"},
        {1000, "{\"x\":1}\n!avro.block.size@+19\n{\"x\":3}\nskipped 1\n"},
        {1LL << 40, "{\"x\":1}\n!avro.block.size@+19\n{\"x\":3}\nskipped 1\n"},
        {INT64_MAX, "{\"x\":1}\n!avro.block.size@+19\n{\"x\":3}\nskipped 1\n"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        put_int_block(1, cases[i].size);
        expect(&e, cases[i].expected);
    }
    /* beyond the end, and no marker follows: the file was cut */
    put_header(&e, INT, NULL);
    put_block_head(&e, 1, 1000);
    put(&e, "\x04\x06", 2);
    expect(&e, "!avro.truncated@+0\n");
    put_header(&e, INT, NULL);
    put_block_head(&e, 1, 1LL << 40);
    put(&e, "\x04\x06", 2);
    expect(&e, "!avro.truncated@+0\n");
}

static void test_block_count(void **state) {
    (void)state;
    put_int_block(-5, 1);
    expect(&e, "{\"x\":1}\n!avro.block.count@+19\n{\"x\":3}\n");
    put_int_block(INT64_MIN, 1);
    expect(&e, "{\"x\":1}\n!avro.varint.range@+19\n{\"x\":3}\n");
    put_int_block(2, 1); /* more than the data */
    expect(&e, "{\"x\":1}\n{\"x\":2}\n!avro.block.count@+19\n{\"x\":3}\n");
    put_int_block(0, 1); /* less */
    expect(&e, "{\"x\":1}\n!avro.block.count@+19\n{\"x\":3}\n");
    put_header(&e, INT, NULL);
    PUT_BLOCK(&e, 1, "\x02\x04\x06");
    expect(&e, "{\"x\":1}\n!avro.block.count@+0\n");
    put_header(&e, INT, NULL);
    put(&e, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
    put(&e, SYNC, 16);
    PUT_BLOCK(&e, 1, "\x02");
    expect(&e, "!avro.varint.overlong@+0\n{\"x\":1}\nskipped 11\n");
    put_int_block(-5, 1); /* and its marker is cut, or wrong */
    e.n -= 3 + 16 + 4;
    expect(&e, "{\"x\":1}\n!avro.block.count@+19\n!avro.truncated@+19\n");
    put_int_block(-5, 1);
    e.data[e.n - 20] ^= 1;
    expect(&e, "{\"x\":1}\n!avro.block.count@+19\n!avro.sync-mismatch@+19\n{\"x\":3}\n");
}

/* A count is told with a lost block only if its bytes could hold as many records. */
static void test_declared_count(void **state) {
    (void)state;
    static const struct {
        uint64_t ratio;
        int64_t count;
        uint64_t declared;
    } cases[] = {
        {1, 100, 100},
        {1, (1 << 20) + 7, (1 << 20) + 7}, /* seven bytes, and 2^20 for nothing */
        {1, (1 << 20) + 8, 0},
        {UINT64_MAX, INT64_MAX, INT64_MAX},
        {UINT64_MAX / 7, INT64_MAX, INT64_MAX},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_options options = ICE_OPTIONS_INIT;
        options.limits.inflate_ratio = cases[i].ratio;
        struct ice_run run;
        ice_run_init(&run, &options);
        put_header(&e, INT, "snappy");
        put_block(&e, cases[i].count, "\1\0\2wrng", 7);
        struct ice_stream stream;
        struct ice_avro_file file;
        struct ice_avro_block block;
        ice_stream_init_memory(&stream, &run, enc_str(&e));
        assert_int_equal(ice_avro_open(&file, &run, &stream, NULL), ICE_OK);
        assert_int_equal(ice_avro_next_block(&file, &block, NULL), ICE_EFORMAT);
        assert_int_equal(block.count, cases[i].declared);
        assert_int_equal(block.packed_bytes, 7);
        ice_avro_release(&file);
        assert_int_equal(run.alloc.used, 0);
    }
}

static void test_sync(void **state) {
    (void)state;
    put_header(&e, INT, NULL);
    PUT_BLOCK(&e, 1, "\x02");
    PUT_BLOCK(&e, 1, "\x04");
    const size_t middle = e.n;
    PUT_BLOCK(&e, 1, "\x06");
    e.data[middle - 5] ^= 1; /* a whole block follows: nothing is skipped */
    expect(&e, "{\"x\":1}\n{\"x\":2}\n!avro.sync-mismatch@+19\n{\"x\":3}\n");
    e.data[e.n - 5] ^= 1; /* the last one too: no block is sure any more */
    expect(&e, "{\"x\":1}\n{\"x\":2}\n!avro.sync-mismatch@+19\nskipped 35\n");
}

static void test_sync_last(void **state) {
    (void)state;
    put_header(&e, INT, NULL);
    PUT_BLOCK(&e, 1, "\x02");
    e.data[e.n - 1] ^= 1;
    expect(&e, "{\"x\":1}\n!avro.sync-mismatch@+0\n");
}

static void test_bytes_between_blocks(void **state) {
    (void)state;
    put_header(&e, INT, NULL);
    PUT_BLOCK(&e, 1, "\x02");
    e.n -= 16;
    put(&e, "no marker, junk ", 16);
    put(&e, "and more of it", 14);
    put(&e, SYNC, 16);
    PUT_BLOCK(&e, 1, "\x06");
    expect(&e, "{\"x\":1}\n!avro.sync-mismatch@+0\n{\"x\":3}\nskipped 30\n");
}

static void test_two_files(void **state) {
    (void)state;
    static struct enc second;
    put_header(&e, INT, NULL);
    PUT_BLOCK(&e, 1, "\x02");
    put_header(&second, INT, NULL);
    PUT_BLOCK(&second, 1, "\x04");
    const size_t one = e.n;
    put(&e, second.data, second.n);
    char expected[128]; /* one marker for both: the second header is passed over */
    (void)snprintf(expected, sizeof(expected),
                   "{\"x\":1}\n!avro.sync-mismatch@+19\n{\"x\":2}\nskipped %zu\n",
                   one - 19 - 16);
    expect(&e, expected);
    for (size_t i = one; i + 16 <= e.n; i++) /* another marker */
        if (memcmp(e.data + i, SYNC, 16) == 0)
            e.data[i] = 'x';
    (void)snprintf(expected, sizeof(expected),
                   "{\"x\":1}\n!avro.sync-mismatch@+19\nskipped %zu\n", e.n - one);
    expect(&e, expected);
}

static void test_seam_message(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    put_header(&e, INT, NULL);
    PUT_BLOCK(&e, 1, "\x02");
    const size_t seam = e.n;
    put(&e, "Obj\1 and so on", 14);
    struct ice_stream stream;
    ice_stream_init_memory(&stream, &run, enc_str(&e));
    struct ice_avro_file file;
    assert_int_equal(ice_avro_open(&file, &run, &stream, NULL), ICE_OK);
    struct ice_avro_block block;
    struct ice_error err = {0};
    assert_int_equal(ice_avro_next_block(&file, &block, &err), ICE_OK);
    assert_int_equal(ice_avro_next_block(&file, &block, &err), ICE_EFORMAT);
    char expected[128];
    (void)snprintf(expected, sizeof(expected), "a second Avro header stands at byte %zu",
                   seam);
    assert_non_null(strstr(err.message, expected));
    ice_avro_release(&file);
}

static void test_block_limits(void **state) {
    (void)state;
    const struct ice_limits limits = {.block_packed_bytes = 4, .block_bytes = 4};
    put_header(&e, INT, NULL);
    PUT_BLOCK(&e, 4, "\x02\x04\x06\x08"); /* at the limit */
    PUT_BLOCK(&e, 5, "\x02\x04\x06\x08\x0a");
    PUT_BLOCK(&e, 1, "\x0c");
    expect_with(&e, &limits,
                "{\"x\":1}\n{\"x\":2}\n{\"x\":3}\n{\"x\":4}\n!limit.block@+22\n"
                "{\"x\":6}\n");
}

/* A block of one int record, packed by snappy: its literal form and the CRC. */
static void put_snappy_block(int byte, bool is_good) {
    const char plain = (char)byte;
    const uint32_t crc = libdeflate_crc32(0, &plain, 1) ^ (is_good ? 0 : 1);
    put_block_head(&e, 1, 7);
    put(&e, "\x01\x00", 2);
    put_byte(&e, byte);
    for (int shift = 24; shift >= 0; shift -= 8)
        put_byte(&e, (int)(crc >> shift & 0xff));
    put(&e, SYNC, 16);
}

static void begin_snappy(void) {
    put_header(&e, INT, "snappy");
    put_snappy_block(2, true);
    put_snappy_block(4, false);
}

static void test_corrupt_block(void **state) {
    (void)state;
    begin_snappy();
    const size_t middle = e.n;
    put_snappy_block(6, true);
    expect(&e, "{\"x\":1}\n!avro.codec.corrupt@+25\n{\"x\":3}\n");
    /* its marker is wrong too: one fault */
    e.data[middle - 1] ^= 1;
    expect(&e, "{\"x\":1}\n!avro.sync-mismatch@+25\n{\"x\":3}\n");
    /* and that of the last one: the place is lost */
    e.data[e.n - 1] ^= 1;
    expect(&e, "{\"x\":1}\n!avro.sync-mismatch@+25\nskipped 48\n");
    begin_snappy();
    put_snappy_block(0x80, true); /* a record that ends early: the lost one counts too */
    expect(&e,
           "{\"x\":1}\n!avro.codec.corrupt@+25\n!avro.block.count@+50 /records/2/x\n");
    begin_snappy();
    e.data[e.n - 1] ^= 1; /* the marker is wrong, and nothing stands behind it */
    expect(&e, "{\"x\":1}\n!avro.sync-mismatch@+25\nskipped 23\n");
    begin_snappy();
    e.n -= 3; /* the marker is cut */
    expect(&e, "{\"x\":1}\n!avro.codec.corrupt@+25\n!avro.truncated@+25\n");
    put_header(&e, INT, "snappy");
    PUT_BLOCK(&e, 0, ""); /* no records in no bytes: legal */
    put_snappy_block(6, true);
    expect(&e, "{\"x\":3}\n");
}

/* Over the limit and a wrong marker: both are told, and reading goes on. */
static void test_limit_and_marker(void **state) {
    (void)state;
    const struct ice_limits limits = {.block_bytes = 1};
    put_header(&e, INT, NULL);
    PUT_BLOCK(&e, 2, "\x02\x04");
    e.data[e.n - 1] ^= 1;
    PUT_BLOCK(&e, 1, "\x06");
    expect_with(&e, &limits, "!limit.block@+0\n!avro.sync-mismatch@+0\n{\"x\":3}\n");
}

/* A second file stands where the marker of the last block of the first should. */
static void test_second_file_in_block(void **state) {
    (void)state;
    static struct transcript t;
    for (int skip = 0; skip <= 16; skip += 16) {
        put_header(&e, INT, NULL);
        PUT_BLOCK(&e, 1, "\x02");
        e.n -= 16;
        put(&e, "0123456789abcdeX", (size_t)skip);
        put(&e, "Obj\1 and so on, and more", 25);
        struct ice_run run;
        ice_run_init(&run, NULL);
        struct ice_stream stream;
        ice_stream_init_memory(&stream, &run, enc_str(&e));
        struct ice_avro_file file;
        assert_int_equal(ice_avro_open(&file, &run, &stream, NULL), ICE_OK);
        struct ice_avro_block block;
        struct ice_error err = {0};
        assert_int_equal(ice_avro_next_block(&file, &block, &err), ICE_OK);
        assert_int_equal(ice_avro_next_block(&file, &block, &err), ICE_EFORMAT);
        assert_string_equal(err.rule, "avro.sync-mismatch");
        t.n = 0;
        note(&t, "a second Avro header stands at byte %llu",
             (unsigned long long)file.header_bytes + 3 + (unsigned)skip);
        assert_non_null(strstr(err.message, t.text));
        assert_int_equal(ice_avro_next_block(&file, &block, &err), ICE_DONE);
        ice_avro_release(&file);
    }
}

static void test_many_keys(void **state) {
    (void)state;
    begin_map(41);
    for (int i = 0; i < 40; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "key%d", i);
        put_text(&e, key);
        put_text(&e, "");
    }
    put_text(&e, "avro.schema");
    put_text(&e, INT);
    end_map();
    PUT_BLOCK(&e, 1, "\x02");
    expect(&e, "{\"x\":1}\n");
}

static void test_not_shortest(void **state) {
    (void)state;
    put_header(&e, INT, NULL);
    PUT_BLOCK(&e, 1, "\x02");
    PUT_BLOCK(&e, 1, "\x84\x00");
    expect(&e, "{\"x\":1}\n{\"x\":2}\nnot shortest @+19\n");
    put_header(&e, INT, NULL);
    put(&e, "\x82\x00\x02\x02" SYNC, 20); /* in the count */
    expect(&e, "{\"x\":1}\nnot shortest @+0\n");
    /* the first one is told: here in the header, as its count and as that of no more */
    e.n = 0;
    put(&e, "Obj\1\x82\x00", 6);
    put_text(&e, "avro.schema");
    put_text(&e, INT);
    put(&e, "\x80\x00" SYNC, 18);
    put(&e, "\x82\x00\x02\x02" SYNC, 20);
    PUT_BLOCK(&e, 2, "\x84\x00\x86\x00");
    static struct transcript t;
    transcribe(enc_str(&e), NULL, 7, &t);
    assert_non_null(strstr(t.text, "{\"x\":1}\n{\"x\":2}\n{\"x\":3}\nnot shortest @"));
    struct ice_run run;
    struct ice_stream stream;
    struct ice_avro_file file;
    ice_run_init(&run, NULL);
    ice_stream_init_memory(&stream, &run, enc_str(&e));
    assert_int_equal(ice_avro_open(&file, &run, &stream, NULL), ICE_OK);
    assert_true(file.varint_not_shortest);
    assert_int_equal(file.varint_not_shortest_offset, 4);
    ice_avro_release(&file);
}

/* A source that fails at any byte of e: what was told before is what is told of the whole
 * file, and the failure is no fault of the file. */
static void fail_anywhere(const struct ice_limits *limits) {
    static const struct ice_stream_ops ops = {read_pieces, NULL};
    static struct transcript t, whole;
    transcribe(enc_str(&e), limits, 0, &whole);
    for (uint64_t fail_at = 0; fail_at < e.n; fail_at++) {
        struct ice_options options = ICE_OPTIONS_INIT;
        if (limits != NULL)
            options.limits = *limits;
        struct ice_run run;
        ice_run_init(&run, &options);
        struct pieces pieces = {.left = enc_str(&e), .piece = 1, .fail_at = fail_at};
        struct ice_stream stream;
        assert_int_equal(ice_stream_init(&stream, &run, &ops, &pieces, NULL), ICE_OK);
        t = (struct transcript){0};
        assert_int_equal(transcribe_run(&run, &stream, &t), ICE_EIO);
        const char *failure =
            strstr(t.text, "[input or output error] !source.unreadable");
        assert_non_null(failure);
        assert_memory_equal(t.text, whole.text, (size_t)(failure - t.text));
        ice_stream_release(&stream);
        assert_int_equal(run.alloc.used, 0);
    }
}

static void test_read_fails(void **state) {
    (void)state;
    const struct ice_limits small = {.block_packed_bytes = 4};
    put_header(&e, INT, NULL);
    PUT_BLOCK(&e, 1, "\x02");
    fail_anywhere(NULL);
    begin_map(-1); /* the size of a map, too */
    put_long(&e, 12 + 2 + (int64_t)strlen(INT));
    put_text(&e, "avro.schema");
    put_text(&e, INT);
    end_map();
    fail_anywhere(NULL);
    /* too large: it is looked for its marker */
    put_int_block(1, 1000);
    fail_anywhere(&small);
    /* a wrong marker, with another block behind it, or with none */
    for (int wrong = 1; wrong <= 2; wrong++) {
        put_header(&e, INT, NULL);
        PUT_BLOCK(&e, 1, "\x02");
        e.data[e.n - 5] ^= 1;
        PUT_BLOCK(&e, 1, "\x04");
        if (wrong == 2)
            e.data[e.n - 5] ^= 1;
        put(&e, "junk, and more junk than one marker", 35);
        fail_anywhere(NULL);
    }
    /* a second header; a head of over 64 bits; a bad block with a bad marker */
    put_header(&e, INT, NULL);
    PUT_BLOCK(&e, 1, "\x02");
    put(&e, "Obj\1 and so on, and more of that", 33);
    fail_anywhere(NULL);
    put_header(&e, INT, NULL);
    put(&e, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01 and so on, and on", 29);
    fail_anywhere(NULL);
    for (int wrong = 1; wrong <= 2; wrong++) {
        begin_snappy();
        e.data[e.n - 1] ^= 1;
        put_snappy_block(6, true);
        if (wrong == 2)
            e.data[e.n - 1] ^= 1;
        put(&e, "junk, and more junk than one marker", 35);
        fail_anywhere(NULL);
    }
}

/* Every single bit of a file flipped: no crash, and one of the rows, or a fault. */
static void test_bit_flips(void **state) {
    (void)state;
    static struct transcript t;
    put_header(&e, INT, "null");
    PUT_BLOCK(&e, 2, "\x02\x04");
    PUT_BLOCK(&e, 1, "\x06");
    for (size_t i = 0; i < e.n * 8; i++) {
        e.data[i / 8] = (char)(e.data[i / 8] ^ (1 << i % 8));
        transcribe(enc_str(&e), NULL, 0, &t);
        assert_true(t.n > 0);
        e.data[i / 8] = (char)(e.data[i / 8] ^ (1 << i % 8));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_magic),
        cmocka_unit_test(test_header_cut),
        cmocka_unit_test(test_header_map),
        cmocka_unit_test(test_header_limits),
        cmocka_unit_test(test_codec_names),
        cmocka_unit_test(test_header_stays_readable),
        cmocka_unit_test(test_duplicate_keys),
        cmocka_unit_test(test_cut_block),
        cmocka_unit_test(test_truncated_message),
        cmocka_unit_test(test_block_size),
        cmocka_unit_test(test_block_count),
        cmocka_unit_test(test_next_block_is_none),
        cmocka_unit_test(test_declared_count),
        cmocka_unit_test(test_sync),
        cmocka_unit_test(test_sync_last),
        cmocka_unit_test(test_bytes_between_blocks),
        cmocka_unit_test(test_two_files),
        cmocka_unit_test(test_seam_message),
        cmocka_unit_test(test_block_limits),
        cmocka_unit_test(test_corrupt_block),
        cmocka_unit_test(test_limit_and_marker),
        cmocka_unit_test(test_second_file_in_block),
        cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_not_shortest),
        cmocka_unit_test(test_read_fails),
        cmocka_unit_test(test_bit_flips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
