/*
 * Dump: JSON by its tokens, Avro as header and records, and what a break leaves behind.
 */
#include "iceberg/dump.h"

#include "base/buf.h"
#include "support/cmocka_all.h"
#include "support/failing_run.h"

#include <jansson.h>

struct output {
    struct ice_run run;
    struct ice_buf text;
    unsigned n_troubles;
    struct ice_error trouble; /* the last one */
};

static enum ice_status collect(const char *data, size_t size, void *user) {
    struct output *out = user;
    return ice_buf_append(&out->text, data, size);
}

static void note(const struct ice_error *trouble, void *user) {
    struct output *out = user;
    out->n_troubles++;
    out->trouble = *trouble;
}

/* Each request for memory fails in turn: then that is said, or told as a trouble. */
static void dump_without_memory(struct ice_str bytes) {
    bool is_done = false;
    for (uint64_t k = 1; !is_done; k++) {
        struct failing failing = {.fail_at = k};
        struct ice_stream stream;
        struct output out = {0};
        struct ice_run run;
        ice_run_init(&out.run, NULL);
        ice_buf_init(&out.text, &out.run.alloc, SIZE_MAX);
        failing_run_init(&run, &failing);
        ice_stream_init_memory(&stream, &run, bytes);
        enum ice_status status =
            ice_dump_stream(&stream, &run, collect, note, &out, NULL);
        is_done = failing.n < k;
        if (!is_done)
            assert_int_equal(status, ICE_ENOMEM);
        ice_stream_release(&stream);
        ice_buf_release(&out.text);
        assert_int_equal(failing.used, 0);
    }
}

static enum ice_status dump(struct output *out, struct ice_str bytes,
                            struct ice_error *err) {
    struct ice_stream stream;
    dump_without_memory(bytes);
    *out = (struct output){0};
    ice_run_init(&out->run, NULL);
    ice_buf_init(&out->text, &out->run.alloc, SIZE_MAX);
    ice_stream_init_memory(&stream, &out->run, bytes);
    enum ice_status status = ice_dump_stream(&stream, &out->run, collect, note, out, err);
    ice_stream_release(&stream);
    return status;
}

static void expect_text(struct output *out, const char *expected) {
    assert_int_equal(ice_buf_append_char(&out->text, '\0'), ICE_OK);
    assert_string_equal(out->text.data, expected);
    ice_buf_release(&out->text);
}

/* ---- JSON ---------------------------------------------------------------------------
 */

static void json_keeps_its_tokens(void **state) {
    (void)state;
    struct output out;
    struct ice_str text =
        ICE_STR("\xef\xbb\xbf {\"n\":1.50e+3,\"big\":123456789012345678901234567890,"
                "\"s\":\"\\u00e9\\ud800\\/\",\"s\":[],\"o\":{},\"l\":[true,null]} ");
    assert_int_equal(dump(&out, text, NULL), ICE_OK);
    assert_int_equal(out.n_troubles, 0);
    expect_text(&out, "{\n  \"n\": 1.50e+3,\n  \"big\": 123456789012345678901234567890,\n"
                      "  \"s\": \"\\u00e9\\ud800\\/\",\n  \"s\": [],\n  \"o\": {},\n"
                      "  \"l\": [\n    true,\n    null\n  ]\n}\n");
}

static void bare_value_is_a_document(void **state) {
    (void)state;
    struct output out;
    assert_int_equal(dump(&out, ICE_STR("12\n"), NULL), ICE_OK);
    expect_text(&out, "12\n");
}

static void cut_json_is_closed(void **state) {
    (void)state;
    struct output out;
    assert_int_equal(dump(&out, ICE_STR("{\"a\":[1,{\"b\":"), NULL), ICE_OK);
    assert_int_equal(out.n_troubles, 1);
    assert_string_equal(out.trouble.rule, "json.truncated");
    expect_text(&out, "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ]\n}\n");
}

static void nothing_readable_is_an_error(void **state) {
    (void)state;
    static const struct {
        struct ice_str bytes;
        enum ice_status status;
    } cases[] = {
        {{"", 0}, ICE_EFORMAT},
        {{"hello", 5}, ICE_EFORMAT},
        {{"PAR1abcd", 8}, ICE_EUNSUPPORTED},
        {{"AGS1abcd", 8}, ICE_EUNSUPPORTED},
        {{"\x1f\x8b\x08", 3}, ICE_EUNSUPPORTED},
        {{"\x28\xb5\x2f\xfd", 4}, ICE_EUNSUPPORTED},
        {{"ORCabcde", 8}, ICE_EUNSUPPORTED},
        {{"PFA1abcd", 8}, ICE_EUNSUPPORTED},
        {{"SQLite format 3\0", 16}, ICE_EUNSUPPORTED},
        {{"PK\x03\x04", 4}, ICE_EUNSUPPORTED},
        {{"\x89PNG\r\n\x1a\n", 8}, ICE_EUNSUPPORTED},
        {{"\xff\xfe{\0", 4}, ICE_EUNSUPPORTED},
        {{"Obj\1", 4}, ICE_EFORMAT},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct output out;
        struct ice_error err = {0};
        assert_int_equal(dump(&out, cases[i].bytes, &err), cases[i].status);
        assert_int_equal(err.status, cases[i].status);
        assert_true(err.message[0] != '\0');
        assert_int_equal(out.text.size, 0);
        ice_buf_release(&out.text);
        /* an error that stands already is kept, and none need be given */
        assert_int_equal(dump(&out, cases[i].bytes, NULL), cases[i].status);
        ice_buf_release(&out.text);
        struct ice_error first = {.status = ICE_EIO, .message = "before"};
        assert_int_equal(dump(&out, cases[i].bytes, &first), cases[i].status);
        assert_string_equal(first.message, "before");
        ice_buf_release(&out.text);
    }
}

static enum ice_status take_nothing(const char *data, size_t size, void *user) {
    (void)data;
    (void)user;
    return size > 0 ? ICE_EIO : ICE_OK;
}

/* No one listens to troubles, and where the output fails nothing more is said. */
static void nobody_listens(void **state) {
    (void)state;
    struct output out = {0};
    struct ice_stream stream;
    struct ice_error err = {0};
    ice_run_init(&out.run, NULL);
    ice_buf_init(&out.text, &out.run.alloc, SIZE_MAX);
    ice_stream_init_memory(&stream, &out.run, ICE_STR("{\"a\":[1"));
    assert_int_equal(ice_dump_stream(&stream, &out.run, collect, NULL, &out, &err),
                     ICE_OK);
    ice_stream_release(&stream);
    expect_text(&out, "{\n  \"a\": [\n    1\n  ]\n}\n");
    ice_stream_init_memory(&stream, &out.run, ICE_STR("{\"a\":[1"));
    assert_int_equal(ice_dump_stream(&stream, &out.run, take_nothing, note, &out, &err),
                     ICE_EIO);
    ice_stream_release(&stream);
}

/* ---- Avro ---------------------------------------------------------------------------
 */

#define SCHEMA                                                                           \
    "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"a\",\"type\":\"long\"}" \
    "]}"
static const char sync_marker[] = "0123456789abcdef";

static void add(struct ice_buf *file, const void *data, size_t size) {
    assert_int_equal(ice_buf_append(file, data, size), ICE_OK);
}

static void add_long(struct ice_buf *file, int64_t value) {
    uint64_t bits = ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
    for (; bits > 127; bits >>= 7) {
        char byte = (char)((bits & 127) | 128);
        add(file, &byte, 1);
    }
    char last = (char)bits;
    add(file, &last, 1);
}

static void add_text(struct ice_buf *file, const char *text) {
    add_long(file, (int64_t)strlen(text));
    add(file, text, strlen(text));
}

/* A header of keys and values up to NULL. */
static void begin_with(struct ice_buf *file, struct ice_run *run,
                       const char *const *header) {
    size_t n = 0;
    while (header[2 * n] != NULL)
        n++;
    ice_run_init(run, NULL);
    ice_buf_init(file, &run->alloc, SIZE_MAX);
    add(file, "Obj\1", 4);
    add_long(file, (int64_t)n);
    for (size_t i = 0; i < 2 * n; i++)
        add_text(file, header[i]);
    add_long(file, 0);
    add(file, sync_marker, 16);
}

static void begin_file(struct ice_buf *file, struct ice_run *run, const char *spec) {
    const char *const header[] = {
        "avro.schema", SCHEMA, "partition-spec", spec, "snapshot-id", "7", NULL};
    begin_with(file, run, header);
}

/* Two records a block, the values n and n + 1, below 32. */
static void add_block(struct ice_buf *file, int64_t n) {
    add_long(file, 2);
    add_long(file, 2);
    add_long(file, n);
    add_long(file, n + 1);
    add(file, sync_marker, 16);
}

static json_t *load(struct output *out) {
    json_t *root =
        json_loadb(out->text.data, out->text.size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    ice_buf_release(&out->text);
    return root;
}

static void header_values_are_json_where_they_hold_json(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_buf file;
    struct output out;
    begin_file(&file, &run, "[{\"field-id\": 1000}]");
    add_block(&file, 4);
    assert_int_equal(dump(&out, ice_buf_str(&file), NULL), ICE_OK);
    json_t *root = load(&out);
    json_t *header = json_object_get(root, "header");
    json_t *spec = json_object_get(header, "partition-spec");
    json_t *schema = json_object_get(header, "avro.schema");
    json_t *records = json_object_get(root, "records");
    assert_int_equal(
        json_integer_value(json_object_get(json_array_get(spec, 0), "field-id")), 1000);
    assert_int_equal(json_array_size(json_object_get(schema, "fields")), 1);
    assert_string_equal(json_string_value(json_object_get(header, "snapshot-id")), "7");
    assert_int_equal(json_array_size(records), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(records, 1), "a")),
                     5);
    json_decref(root);
    ice_buf_release(&file);
}

static void broken_header_json_stays_text(void **state) {
    (void)state;
    static const char *const specs[] = {"[{]", "[] x", ""};
    for (size_t i = 0; i < 3; i++) {
        struct ice_run run;
        struct ice_buf file;
        struct output out;
        begin_file(&file, &run, specs[i]);
        assert_int_equal(dump(&out, ice_buf_str(&file), NULL), ICE_OK);
        json_t *root = load(&out);
        json_t *header = json_object_get(root, "header");
        assert_string_equal(json_string_value(json_object_get(header, "partition-spec")),
                            specs[i]);
        assert_int_equal(json_array_size(json_object_get(root, "records")), 0);
        json_decref(root);
        ice_buf_release(&file);
    }
}

/* Of two entries with one key the later one is shown: keys of JSON are unique. */
static void the_later_entry_is_shown(void **state) {
    (void)state;
    static const char *const header[] = {"avro.schema", SCHEMA, "a", "1", "b",
                                         "2",           "a",    "3", NULL};
    struct ice_run run;
    struct ice_buf file;
    struct output out;
    begin_with(&file, &run, header);
    assert_int_equal(dump(&out, ice_buf_str(&file), NULL), ICE_OK);
    json_t *root = load(&out);
    json_t *values = json_object_get(root, "header");
    assert_int_equal(json_object_size(values), 3);
    assert_string_equal(json_string_value(json_object_get(values, "a")), "3");
    assert_string_equal(json_string_value(json_object_get(values, "b")), "2");
    json_decref(root);
    ice_buf_release(&file);
}

/* What keeps records from being read is told; the header is shown all the same. */
static void records_that_cannot_be_read(void **state) {
    (void)state;
    static const struct {
        const char *header[7];
        const char *rule;
    } cases[] = {
        {{"avro.schema", SCHEMA, "avro.codec", "lzma2", NULL}, "avro.codec.unsupported"},
        {{"avro.schema", "{\"type\":\"record\"}", NULL}, "avro.schema.invalid"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct ice_run run;
        struct ice_buf file;
        struct output out;
        begin_with(&file, &run, cases[i].header);
        assert_int_equal(dump(&out, ice_buf_str(&file), NULL), ICE_OK);
        assert_int_equal(out.n_troubles, 1);
        assert_string_equal(out.trouble.rule, cases[i].rule);
        json_t *root = load(&out);
        assert_non_null(json_object_get(json_object_get(root, "header"), "avro.schema"));
        assert_int_equal(json_array_size(json_object_get(root, "records")), 0);
        json_decref(root);
        ice_buf_release(&file);
    }
}

/* More lost records than nulls are written for. */
static void many_lost_records_are_told(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_buf file;
    struct output out;
    begin_file(&file, &run, "[]");
    add_long(&file, 50000000); /* declares many, holds one */
    add_long(&file, 1);
    add_long(&file, 9);
    add(&file, sync_marker, 16);
    add_block(&file, 20);
    assert_int_equal(dump(&out, ice_buf_str(&file), NULL), ICE_OK);
    assert_non_null(strstr(out.trouble.message, "49999999 records were lost here"));
    json_t *root = load(&out);
    assert_int_equal(json_array_size(json_object_get(root, "records")), 3);
    json_decref(root);
    ice_buf_release(&file);
}

/* The pointers of findings behind a lost block must still hit their records. */
static void lost_records_leave_null(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_buf file;
    struct output out;
    begin_file(&file, &run, "[]");
    add_block(&file, 0);
    add_long(&file, 3); /* declares three records, holds one */
    add_long(&file, 1);
    add_long(&file, 9);
    add(&file, sync_marker, 16);
    add_block(&file, 20);
    assert_int_equal(dump(&out, ice_buf_str(&file), NULL), ICE_OK);
    assert_true(out.n_troubles > 0);
    json_t *root = load(&out);
    json_t *records = json_object_get(root, "records");
    json_t *last = json_array_get(records, 6);
    assert_int_equal(json_array_size(records), 7);
    assert_true(json_is_null(json_array_get(records, 4)));
    assert_int_equal(json_integer_value(json_object_get(last, "a")), 21);
    json_decref(root);
    ice_buf_release(&file);
}

static void cut_block_ends_the_records(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_buf file;
    struct output out;
    begin_file(&file, &run, "[]");
    add_block(&file, 0);
    add_block(&file, 2);
    file.size -= 17;
    assert_int_equal(dump(&out, ice_buf_str(&file), NULL), ICE_OK);
    assert_int_equal(out.n_troubles, 1);
    assert_string_equal(out.trouble.rule, "avro.truncated");
    json_t *root = load(&out);
    assert_int_equal(json_array_size(json_object_get(root, "records")), 2);
    json_decref(root);
    ice_buf_release(&file);
}

static enum ice_status refuse(const char *data, size_t size, void *user) {
    (void)data;
    (void)size;
    (void)user;
    return ICE_EIO;
}

static void failing_output_ends_the_dump(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_stream stream;
    ice_run_init(&run, NULL);
    ice_stream_init_memory(&stream, &run, ICE_STR("[1,2]"));
    assert_int_equal(ice_dump_stream(&stream, &run, refuse, NULL, NULL, NULL), ICE_EIO);
    ice_stream_release(&stream);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_keeps_its_tokens),
        cmocka_unit_test(bare_value_is_a_document),
        cmocka_unit_test(cut_json_is_closed),
        cmocka_unit_test(nothing_readable_is_an_error),
        cmocka_unit_test(header_values_are_json_where_they_hold_json),
        cmocka_unit_test(broken_header_json_stays_text),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(the_later_entry_is_shown),
        cmocka_unit_test(records_that_cannot_be_read),
        cmocka_unit_test(many_lost_records_are_told),
        cmocka_unit_test(lost_records_leave_null),
        cmocka_unit_test(cut_block_ends_the_records),
        cmocka_unit_test(failing_output_ends_the_dump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
