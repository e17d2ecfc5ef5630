/*
 * Any datum as JSON, and any malformed datum as a fault: what readers get wrong in the
 * bytes of a block. Each case is read whole and in pieces.
 */
#include "avro_helper.h"

static struct enc e, body;

static void expect_body(const char *type, const char *expected) {
    static char schema[1 << 12];
    (void)snprintf(schema, sizeof(schema), RECORD_OF("%s"), type);
    put_header(&e, schema, NULL);
    put_block(&e, 1, body.data, body.n);
    expect(&e, expected);
}

static void expect_datum_n(const char *type, const void *data, size_t size,
                           const char *expected) {
    body.n = 0;
    put(&body, data, size);
    expect_body(type, expected);
}

#define EXPECT(type, literal, expected)                                                  \
    expect_datum_n(type, literal, sizeof(literal) - 1, expected)

#define MAP(values) "{\"type\":\"map\",\"values\":" values "}"
#define ARRAY(items) "{\"type\":\"array\",\"items\":" items "}"

static void test_values(void **state) {
    (void)state;
    EXPECT("\"null\"", "", "{\"x\":null}\n");
    EXPECT("\"boolean\"", "\x00", "{\"x\":false}\n");
    EXPECT("\"boolean\"", "\x01", "{\"x\":true}\n");
    EXPECT("\"int\"", "\x03", "{\"x\":-2}\n");
    EXPECT("\"long\"", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
           "{\"x\":-9223372036854775808}\n");
    EXPECT("\"float\"", "\x00\x00\xc0\x3f", "{\"x\":1.5}\n");
    EXPECT("\"float\"", "\x00\x00\xc0\x7f", "{\"x\":\"NaN\"}\n");
    EXPECT("\"double\"", "\x00\x00\x00\x00\x00\x00\xf0\xff", "{\"x\":\"-Infinity\"}\n");
    EXPECT("\"bytes\"", "\x04\x00\xff", "{\"x\":{\"hex\":\"00ff\"}}\n");
    EXPECT("\"string\"", "\x08\"\xc3\xa9\n", "{\"x\":\"\\\"\xc3\xa9\\n\"}\n");
    EXPECT("{\"type\":\"fixed\",\"name\":\"f\",\"size\":2}", "ab",
           "{\"x\":{\"hex\":\"6162\"}}\n");
    EXPECT("{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\",\"B\"]}", "\x02",
           "{\"x\":\"B\"}\n");
    EXPECT("[\"null\",\"int\"]", "\x00", "{\"x\":null}\n");
    EXPECT("[\"null\",\"int\",\"string\"]", "\x04\x02z", "{\"x\":\"z\"}\n");
    EXPECT(ARRAY("\"int\""), "\x00", "{\"x\":[]}\n");
    EXPECT(ARRAY("\"int\""), "\x04\x02\x04\x02\x06\x00", "{\"x\":[1,2,3]}\n");
    EXPECT(ARRAY("\"null\""), "\x06\x00", "{\"x\":[null,null,null]}\n");
    EXPECT(MAP("\"int\""), "\x04\x02k\x02\x04~/\x04\x00", "{\"x\":{\"k\":1,\"~/\":2}}\n");
    EXPECT(MAP(ARRAY("\"boolean\"")), "\x02\x02k\x02\x01\x00\x00",
           "{\"x\":{\"k\":[true]}}\n");
    EXPECT("{\"type\":\"record\",\"name\":\"q\",\"fields\":[{\"name\":\"a\",\"type\":"
           "\"int\"},"
           "{\"name\":\"b\",\"type\":[\"null\",\"r\"]}]}",
           "\x02\x02\x04\x00", "{\"x\":{\"a\":1,\"b\":{\"x\":{\"a\":2,\"b\":null}}}}\n");
}

/* Negative counts with their byte size are legal; a wrong size is told. */
static void test_negative_counts(void **state) {
    (void)state;
    EXPECT(ARRAY("\"long\""), "\x03\x04\x02\x04\x00", "{\"x\":[1,2]}\n");
    EXPECT(MAP("\"long\""), "\x01\x06\x02k\x04\x00", "{\"x\":{\"k\":2}}\n");
    EXPECT(ARRAY("\"long\""), "\x03\x06\x02\x04\x00",
           "!avro.block.count@+0 /records/0/x\n"); /* one too many */
    EXPECT(ARRAY("\"long\""), "\x03\x02\x02\x04\x00",
           "!avro.block.count@+0 /records/0/x\n"); /* one too few: the count cannot fit */
    body.n = 0;
    put_long(&body, -2);
    put_long(&body, 1000000000000); /* C, fastavro, Java take it */
    put(&body, "\x02\x04\x00", 3);
    expect_body(ARRAY("\"long\""), "!avro.block.count@+0 /records/0/x\n");
    EXPECT(ARRAY("\"long\""), "\x03\x01\x02\x04\x00",
           "!avro.block.count@+0 /records/0/x\n");
}

static void test_counts(void **state) {
    (void)state;
    body.n = 0;
    put_long(&body, 1LL << 40);
    put(&body, "\x02", 1);
    expect_body(ARRAY("\"long\""), "!avro.block.count@+0 /records/0/x\n");
    body.n = 0;
    put_long(&body, INT64_MIN);
    put(&body, "\x00\x00", 2);
    expect_body(ARRAY("\"long\""), "!avro.varint.range@+0 /records/0/x\n");
    static const int64_t counts[] = {1LL << 31, INT64_MAX, 65537};
    for (size_t i = 0; i < ICE_COUNT_OF(counts); i++) {
        body.n = 0;
        put_long(&body, counts[i]);
        put(&body, "\x00", 1);
        expect_body(ARRAY("\"null\""), "!limit.items@+0 /records/0/x\n");
    }
    body.n = 0;
    put_long(&body, 1LL << 40);
    put(&body, "\0\0\0", 3);
    expect_body(MAP("\"null\""), "!avro.block.count@+0 /records/0/x\n");
}

static void test_zero_items(void **state) {
    (void)state;
    const struct ice_limits limits = {.zero_size_items = 3};
    static const char schema[] = RECORD_OF("{\"type\":\"array\",\"items\":\"null\"}");
    put_header(&e, schema, NULL);
    PUT_BLOCK(&e, 1, "\x06\x00"); /* at the limit */
    PUT_BLOCK(&e, 1, "\x08\x00");
    PUT_BLOCK(&e, 1, "\x04\x04\x00"); /* two blocks of the array count together */
    PUT_BLOCK(&e, 1, "\x02\x00");
    expect_with(&e, &limits,
                "{\"x\":[null,null,null]}\n!limit.items@+20 /records/1/x\n"
                "!limit.items@+40 /records/2/x\n{\"x\":[null]}\n");
    put_header(&e, schema, NULL);
    for (int i = 0; i < 5; i++)
        PUT_BLOCK(&e, 1, "\x06\x00"); /* of the file: 3, and a byte's worth each */
    expect_with(&e, &limits,
                "{\"x\":[null,null,null]}\n{\"x\":[null,null,null]}\n"
                "{\"x\":[null,null,null]}\n!limit.items@+60 /records/3/x\n"
                "{\"x\":[null,null,null]}\n");
    put_header(&e, schema, NULL);
    PUT_BLOCK(&e, 1, "\x06\x00"); /* at the limit */
    PUT_BLOCK(&e, 1, "\x08\x00");
    PUT_BLOCK(&e, 1, "\x04\x04\x00");
    PUT_BLOCK(&e, 1, "\x02\x00");
    const struct ice_limits none = {.zero_size_items =
                                        UINT64_MAX}; /* goes around nowhere */
    expect_with(&e, &none,
                "{\"x\":[null,null,null]}\n{\"x\":[null,null,null,null]}\n"
                "{\"x\":[null,null,null,null]}\n{\"x\":[null]}\n");
}

static void test_lengths(void **state) {
    (void)state;
    static const int64_t lengths[] = {-1,        -2,        INT64_MIN, 3,
                                      1LL << 31, INT64_MAX, INT32_MAX};
    for (size_t i = 0; i < ICE_COUNT_OF(lengths); i++) {
        body.n = 0;
        put_long(&body, lengths[i]);
        put(&body, "xx", 2);
        expect_body("\"bytes\"", "!avro.length@+0 /records/0/x\n");
        expect_body("\"string\"", "!avro.length@+0 /records/0/x\n");
    }
    EXPECT(MAP("\"null\""), "\x02\x01", "!avro.length@+0 /records/0/x\n");
    EXPECT(MAP("\"null\""), "\x02\x01xxx", "!avro.length@+0 /records/0/x\n");
}

static void test_varints(void **state) {
    (void)state;
    EXPECT("\"long\"", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
           "!avro.varint.overlong@+0 /records/0/x\n");
    EXPECT("\"long\"", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
           "!avro.varint.overlong@+0 /records/0/x\n");
    body.n = 0;
    put_long(&body, 1LL << 40);
    expect_body("\"int\"", "!avro.varint.range@+0 /records/0/x\n");
    expect_body("\"long\"", "{\"x\":1099511627776}\n");
    EXPECT("\"long\"", "\x82\x00", "{\"x\":1}\nnot shortest @+0\n");
}

static void test_indices(void **state) {
    (void)state;
    EXPECT("{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\"]}", "\xc6\x01",
           "!avro.enum@+0 /records/0/x\n");
    EXPECT("{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\"]}", "\x01",
           "!avro.enum@+0 /records/0/x\n");
    EXPECT("[\"null\",\"int\"]", "\x0e", "!avro.union@+0 /records/0/x\n");
    EXPECT("[\"null\",\"int\"]", "\x04", "!avro.union@+0 /records/0/x\n");
    EXPECT("[\"null\",\"int\"]", "\x01", "!avro.union@+0 /records/0/x\n");
    EXPECT("\"boolean\"", "\x02", "!avro.boolean@+0 /records/0/x\n");
}

static void test_utf8(void **state) {
    (void)state;
    EXPECT("\"string\"", "\x02\xff", "!avro.string.not-utf8@+0 /records/0/x\n");
    EXPECT("\"string\"", "\x06\xed\xa0\x80", "!avro.string.not-utf8@+0 /records/0/x\n");
    EXPECT("\"string\"", "\x04\xc0\x80", "!avro.string.not-utf8@+0 /records/0/x\n");
    EXPECT(MAP("\"int\""), "\x02\x02\xff\x02\x00",
           "!avro.string.not-utf8@+0 /records/0/x\n");
}

/* Legal recursion, data nested deeper than the limit. */
static void test_depth(void **state) {
    (void)state;
    static const char list[] = RECORD_OF("[\"null\",\"r\"]");
    for (int depth = 63; depth <= 64; depth++) {
        body.n = 0;
        for (int i = 0; i < depth; i++)
            put_byte(&body, 2);
        put_byte(&body, 0);
        put_header(&e, list, NULL);
        put_block(&e, 1, body.data, body.n);
        static struct transcript t;
        transcribe(enc_str(&e), NULL, 0, &t);
        if (depth == 63) /* 64 records, one in the other */
            assert_non_null(strstr(t.text, "{\"x\":null}}"));
        else
            assert_non_null(strstr(t.text, "!limit.depth@+0 /records/0/x/x/x"));
    }
    body.n = 0;
    while (body.n < sizeof(body.data) - 200)
        put_byte(&body, 2);
    put_header(&e, RECORD_OF("{\"type\":\"array\",\"items\":\"r\"}"), NULL);
    put_block(&e, 1, body.data, body.n);
    static struct transcript t;
    transcribe(enc_str(&e), NULL, 0, &t);
    assert_ptr_equal(strstr(t.text, "!limit.depth@+0 /records/0/x/0/x/0"), t.text);
}

/* The pointer stays that of an ancestor when it gets too long. */
static void test_long_pointer(void **state) {
    (void)state;
    static char schema[2048], name[200], expected[256];
    memset(name, 'n', sizeof(name) - 1);
    (void)snprintf(
        schema, sizeof(schema),
        RECORD_OF("{\"type\":\"record\",\"name\":\"q\",\"fields\":[{\"name\":\"%s\","
                  "\"type\":\"boolean\"}]}"),
        name);
    put_header(&e, schema, NULL);
    PUT_BLOCK(&e, 1, "\x07");
    (void)snprintf(expected, sizeof(expected), "!avro.boolean@+0 /records/0/x\n");
    expect(&e, expected);
}

static void test_records_of_a_block(void **state) {
    (void)state;
    put_header(&e, RECORD_OF("\"boolean\""), NULL);
    PUT_BLOCK(&e, 3, "\x00\x01\x05"); /* two are good */
    PUT_BLOCK(&e, 1, "\x01");
    expect(&e,
           "{\"x\":false}\n{\"x\":true}\n!avro.boolean@+0 /records/2/x\n{\"x\":true}\n");
    put_header(&e, RECORD_OF("\"boolean\""), NULL);
    put_block_head(&e, 5, 1);
    put(&e, "\x00" SYNC, 17);
    PUT_BLOCK(&e, 1, "\x07");
    expect(&e, "{\"x\":false}\n!avro.block.count@+0\n!avro.boolean@+19 /records/5/x\n");
    put_header(&e, RECORD_OF("\"null\""), NULL);
    put_block_head(&e, 1LL << 62, 0);
    put(&e, SYNC, 16);
    expect(&e, "!avro.block.count@+0\n");
}

/* A record of 1 000 nulls and one byte: printing all rows is given up, in time. */
static void test_null_budget(void **state) {
    (void)state;
    static char schema[1 << 16];
    size_t n = (size_t)snprintf(schema, sizeof(schema),
                                "{\"type\":\"record\",\"name\":\"r\",\"fields\":[");
    for (int i = 0; i < 1000; i++)
        n += (size_t)snprintf(schema + n, sizeof(schema) - n,
                              "{\"name\":\"n%d\",\"type\":\"null\"},", i);
    (void)snprintf(schema + n, sizeof(schema) - n,
                   "{\"name\":\"b\",\"type\":\"boolean\"}]}");
    body.n = 0;
    while (body.n < 1000)
        put_byte(&body, 0);
    put_header(&e, schema, NULL);
    put_block(&e, 1000, body.data, body.n);
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct ice_stream stream;
    ice_stream_init_memory(&stream, &run, enc_str(&e));
    struct ice_avro_file file;
    assert_int_equal(ice_avro_open(&file, &run, &stream, NULL), ICE_OK);
    const struct ice_avro_schema *parsed;
    assert_int_equal(ice_avro_schema_parse(ice_str_from(schema), &run, &file.arena, NULL,
                                           &parsed, NULL, NULL),
                     ICE_OK);
    static struct transcript t;
    t.n = 0;
    struct ice_json_writer writer;
    struct ice_avro_json json;
    ice_avro_json_init(&json, &file, parsed);
    struct ice_error err = {0};
    int records = 0;
    enum ice_status status;
    do {
        ice_jw_init(&writer, write_transcript, &t, 0);
        status = ice_avro_json_next(&json, &writer, &err);
        assert_int_equal(ice_jw_finish(&writer), ICE_OK);
        t.n = 0;
        records += status == ICE_OK;
    } while (status == ICE_OK);
    assert_int_equal(status, ICE_ELIMIT);
    assert_string_equal(err.rule, "limit.items");
    assert_int_equal(records, 66); /* 65 536 and one a byte */
    assert_int_equal(ice_avro_json_next(&json, &writer, &err), ICE_DONE);
    ice_avro_release(&file);
    assert_int_equal(run.alloc.used, 0);
}

/* Each allocation fails in turn while deep data is printed. */
static void test_failing_allocation(void **state) {
    (void)state;
    static struct transcript t;
    body.n = 0;
    for (int i = 0; i < 40; i++)
        put_byte(&body, 2);
    put_byte(&body, 0);
    put_header(&e, RECORD_OF("[\"null\",\"r\"]"), "null");
    put_block(&e, 1, body.data, body.n);
    for (uint64_t nth = 0;; nth++) {
        struct failing failing = {.fail_at = nth + 1, .sticky = true};
        struct ice_run run;
        failing_run_init(&run, &failing);
        struct ice_stream stream;
        ice_stream_init_memory(&stream, &run, enc_str(&e));
        t = (struct transcript){0};
        const enum ice_status status = transcribe_run(&run, &stream, &t);
        assert_int_equal(run.alloc.used, 0);
        if (status == ICE_OK) {
            assert_true(nth > 5);
            return;
        }
        assert_int_equal(status, ICE_ENOMEM);
    }
}

static void test_escaped_pointer(void **state) {
    (void)state;
    EXPECT(MAP("\"boolean\""), "\x02\x06~/k\x02",
           "!avro.boolean@+0 /records/0/x/~0~1k\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_negative_counts),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_zero_items),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_varints),
        cmocka_unit_test(test_indices),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_long_pointer),
        cmocka_unit_test(test_records_of_a_block),
        cmocka_unit_test(test_null_budget),
        cmocka_unit_test(test_failing_allocation),
        cmocka_unit_test(test_escaped_pointer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
