/*
 * Manifests: nested columns by id, header keys good and bad, faults of the schema.
 */
#include "iceberg/manifest.h"

#include "unit/iceberg/manifest_bytes.h"

static struct enc file_bytes, rows;

struct fixture {
    struct ice_run run;
    struct ice_stream stream;
    struct ice_manifest manifest;
    struct faults faults;
    struct ice_error err;
};

static enum ice_status open_manifest(struct fixture *f, struct ice_str bytes) {
    f->faults.n = 0;
    f->faults.text[0] = '\0';
    f->err = (struct ice_error){.offset = ICE_NO_OFFSET};
    ice_run_init(&f->run, NULL);
    ice_stream_init_memory(&f->stream, &f->run, bytes);
    return ice_manifest_open(&f->manifest, &f->run, &f->stream, note_avro_fault,
                             &f->faults, &f->err);
}

static void close_manifest(struct fixture *f) {
    ice_manifest_release(&f->manifest);
    ice_stream_release(&f->stream);
    assert_int_equal(f->run.alloc.used, 0);
}

#define MAP(key, value, type)                                                            \
    "{\"type\":\"array\",\"logicalType\":\"map\",\"items\":" RECORD(                     \
        "k" key "_v" value, FIELD("key", key, INT) "," FIELD("value", value, type)) "}"
#define FILE_FIELDS                                                                      \
    FIELD("file_path", "100", STRING)                                                    \
    "," FIELD("file_format", "101", STRING) "," FIELD(                                   \
        "partition", "102",                                                              \
        RECORD("r102",                                                                   \
               FIELD("day", "1000",                                                      \
                     MAYBE(INT)))) "," FIELD("record_count", "103",                      \
                                             LONG) "," FIELD("file_size_in_bytes",       \
                                                             "104", LONG)
#define ENTRY(data_file)                                                                 \
    RECORD("manifest_entry",                                                             \
           FIELD("status", "0", INT) "," FIELD(                                          \
               "snapshot_id", "1", MAYBE(LONG)) "," FIELD("data_file", "2", data_file))
#define AT "/header/avro.schema"

static void nested_columns_resolve_by_id(void **state) {
    (void)state;
    struct fixture f;
    const struct ice_manifest_entry *entry = NULL;
    rows.n = 0;
    put_long(&rows, 1);
    put_long(&rows, 0);
    put_text(&rows, "p");
    put_text(&rows, "PARQUET");
    put_long(&rows, 1);
    put_long(&rows, 20000);
    put_long(&rows, 12);
    put_long(&rows, 345);
    put_long(&rows, 1);
    put_long(&rows, 2); /* column_sizes: two pairs */
    put_long(&rows, 1);
    put_long(&rows, 11);
    put_long(&rows, 2);
    put_long(&rows, 22);
    put_long(&rows, 0);
    put_container(
        &file_bytes,
        ENTRY(RECORD("r2", FILE_FIELDS
                     "," FIELD("sizes", "108", MAYBE(MAP("117", "118", LONG))))),
        NULL, 1, &rows);
    assert_int_equal(open_manifest(&f, enc_str(&file_bytes)), ICE_OK);
    assert_string_equal(f.faults.text,
                        "avro.field.name-differs " AT
                        "/fields/2/type/fields/5 sizes 108 column_sizes\n");
    assert_int_equal(f.manifest.written_version, 1);
    assert_int_equal(ice_manifest_next(&f.manifest, &entry, &f.err), ICE_OK);
    assert_int_equal(entry->status, 1);
    assert_false(ice_entry_has(&f.manifest, entry, ICE_ENTRY_snapshot_id));
    assert_false(ice_entry_has(&f.manifest, entry, ICE_ENTRY_sequence_number));
    assert_true(ice_str_is(entry->file.file_path, "p"));
    assert_int_equal(entry->file.record_count, 12);
    assert_int_equal(entry->file.file_size_in_bytes, 345);
    assert_int_equal(entry->file.partition.n, 1);
    assert_int_equal(entry->file.partition.values[0].type, ICE_AVRO_INT);
    assert_int_equal(entry->file.partition.values[0].i64, 20000);
    assert_int_equal(entry->file.column_sizes.n, 2);
    assert_int_equal(entry->file.column_sizes.keys[1], 2);
    assert_int_equal(entry->file.column_sizes.values[1], 22);
    assert_true(ice_str_is(ice_manifest_column_name(&f.manifest, ICE_FILE_column_sizes),
                           "sizes"));
    assert_true(
        ice_str_is(ice_manifest_column_name(&f.manifest, ICE_ENTRY_sequence_number),
                   "sequence_number"));
    assert_true(ice_manifest_has_column(&f.manifest, ICE_FILE_column_sizes));
    assert_false(ice_manifest_has_column(&f.manifest, ICE_FILE_content));
    assert_int_equal(ice_manifest_next(&f.manifest, &entry, &f.err), ICE_DONE);
    close_manifest(&f);
}

/* Memory ends at each request in turn: then that is said. */
static void open_without_memory(struct ice_str bytes) {
    bool is_done = false;
    for (uint64_t k = 0; !is_done; k++) {
        struct failing failing = {.fail_at = k + 1, .sticky = true};
        struct ice_run run;
        struct ice_stream stream;
        struct ice_manifest opened;
        struct faults faults = {0};
        failing_run_init(&run, &failing);
        ice_stream_init_memory(&stream, &run, bytes);
        enum ice_status status =
            ice_manifest_open(&opened, &run, &stream, note_avro_fault, &faults, NULL);
        is_done = status == ICE_OK;
        if (!is_done)
            assert_int_equal(status, ICE_ENOMEM);
        ice_manifest_release(&opened);
        ice_stream_release(&stream);
        assert_int_equal(run.alloc.used, 0);
    }
}

static void expect_faults(const char *schema, const char *version, const char *expected) {
    struct fixture f;
    const char *const keys[] = {"format-version", version, NULL};
    put_container(&file_bytes, schema, keys, 0, NULL);
    assert_int_equal(open_manifest(&f, enc_str(&file_bytes)), ICE_OK);
    assert_string_equal(f.faults.text, expected);
    open_without_memory(enc_str(&file_bytes));
    close_manifest(&f);
}

static void faults_of_the_schema(void **state) {
    (void)state;
    /* 105 of v1, 134 of v2 and 102 have rules of their own, 1 may be left out */
    expect_faults(ENTRY(RECORD("r2", FILE_FIELDS)), "1", "");
    expect_faults(ENTRY(RECORD("r2", FILE_FIELDS)), "2", "");
    expect_faults(RECORD("e", FIELD("status", "0", INT)), "2",
                  "avro.field.missing " AT " data_file 2 \n");
    expect_faults(
        RECORD("e", FIELD("status", "0", INT) "," FIELD("data_file", "2", STRING)), "2",
        "avro.field.type " AT "/fields/1 data_file 2 string\n");
    expect_faults(ENTRY(RECORD("r2", FIELD("file_path", "100", STRING))), "1",
                  "avro.field.missing " AT "/fields/2/type file_format 101 \n"
                  "avro.field.missing " AT "/fields/2/type record_count 103 \n"
                  "avro.field.missing " AT "/fields/2/type file_size_in_bytes 104 \n");
    expect_faults(
        ENTRY(RECORD(
            "r2", FILE_FIELDS
            "," FIELD("value_counts", "109",
                      "{\"type\":\"array\",\"items\":" RECORD(
                          "kv", BARE("key", INT) "," FIELD("value", "120", LONG)) "}"))),
        "1",
        "avro.field-id.element-missing " AT
        "/fields/2/type/fields/5 value_counts 109 key\n"
        "avro.map.logical-type " AT "/fields/2/type/fields/5 value_counts 109 \n");
    /* an Avro map has text keys: no use */
    expect_faults(ENTRY(RECORD("r2", FILE_FIELDS
                               "," FIELD("value_counts", "109",
                                         "{\"type\":\"map\",\"values\":\"long\"}"))),
                  "1",
                  "avro.field.type " AT "/fields/2/type/fields/5 value_counts 109 map\n");
    /* ids of the partition struct are looked at, too */
    expect_faults(
        RECORD(
            "e",
            FIELD("status", "0", INT) "," FIELD(
                "data_file", "2",
                RECORD(
                    "r2",
                    FIELD("file_path", "100", STRING) "," FIELD("file_format", "101", STRING) "," FIELD(
                        "record_count", "103",
                        LONG) "," FIELD("file_size_in_bytes", "104",
                                        LONG) "," FIELD("partition", "102",
                                                        RECORD(
                                                            "r102",
                                                            FIELD(
                                                                "a", "1000",
                                                                INT) "," FIELD("b",
                                                                               "1000",
                                                                               INT)))))),
        "2",
        "avro.field-id.duplicate " AT "/fields/1/type/fields/4/type/fields/1 b 1000 a\n");
}

/* One column more, of a type that readers can use or cannot. */
static void types_of_columns(void **state) {
    (void)state;
#define LIST_OF(items) "{\"type\":\"array\",\"items\":" items "}"
#define FIXED "{\"type\":\"fixed\",\"name\":\"f\",\"size\":4}"
#define PAIRS(key, value)                                                                \
    "{\"type\":\"array\",\"logicalType\":\"map\",\"items\":" RECORD("kv",                \
                                                                    key "," value) "}"
    static const struct {
        const char *column, *fault; /* fault: NULL if it can be used */
    } cases[] = {
        {FIELD("value_counts", "109", LIST_OF(STRING)), "value_counts 109 array"},
        {FIELD("value_counts", "109", LIST_OF(RECORD("kv", FIELD("key", "119", INT)))),
         "value_counts 109 array"},
        {FIELD("value_counts", "109",
               PAIRS(FIELD("key", "119", STRING), FIELD("value", "120", LONG))),
         "value_counts 109 array"},
        {FIELD("value_counts", "109",
               PAIRS(FIELD("key", "119", INT), FIELD("value", "120", STRING))),
         "value_counts 109 array"},
        {FIELD("value_counts", "109",
               PAIRS(FIELD("key", "119", INT), FIELD("value", "120", INT))),
         NULL},
        {FIELD("value_counts", "109", LONG), "value_counts 109 long"},
        {FIELD("lower_bounds", "125",
               PAIRS(FIELD("key", "126", INT), FIELD("value", "127", BYTES))),
         NULL},
        {FIELD("lower_bounds", "125",
               PAIRS(FIELD("key", "126", INT), FIELD("value", "127", FIXED))),
         NULL},
        {FIELD("lower_bounds", "125",
               PAIRS(FIELD("key", "126", INT), FIELD("value", "127", LONG))),
         "lower_bounds 125 array"},
        {FIELD("key_metadata", "131", BYTES), NULL},
        {FIELD("key_metadata", "131", FIXED), NULL},
        {FIELD("key_metadata", "131", STRING), "key_metadata 131 string"},
        {FIELD("key_metadata", "131", "\"null\""), NULL},
        {FIELD("sort_order_id", "140", LONG), "sort_order_id 140 long"},
        {FIELD("sort_order_id", "140", STRING), "sort_order_id 140 string"},
        {FIELD("sort_order_id", "140", BOOLEAN), "sort_order_id 140 boolean"},
        {FIELD("split_offsets", "132", STRING), "split_offsets 132 string"},
        {FIELD("split_offsets", "132", LIST_OF(STRING)), "split_offsets 132 array"},
        {FIELD("equality_ids", "135", BYTES), "equality_ids 135 bytes"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char schema[4096], expected[256] = "";
        (void)snprintf(schema, sizeof(schema), ENTRY(RECORD("r2", FILE_FIELDS ",%s")),
                       cases[i].column);
        if (cases[i].fault != NULL)
            (void)snprintf(expected, sizeof(expected),
                           "avro.field.type " AT "/fields/2/type/fields/5 %s\n",
                           cases[i].fault);
        expect_faults(schema, "1", expected);
    }
}

#define TABLE_SCHEMA                                                                     \
    "{\"type\":\"struct\",\"schema-id\":4,\"fields\":[{\"id\":1,\"name\":\"a\","         \
    "\"required\":true,\"type\":\"long\"}]}"
#define TABLE_SPEC                                                                       \
    "[{\"name\":\"day\",\"transform\":\"day\",\"source-id\":1,\"field-id\":1000}]"

static void header_keys_are_read(void **state) {
    (void)state;
    static const char *const keys[] = {"schema",
                                       TABLE_SCHEMA,
                                       "partition-spec",
                                       TABLE_SPEC,
                                       "partition-spec-id",
                                       "6",
                                       "schema-id",
                                       "4",
                                       "format-version",
                                       "3",
                                       "content",
                                       "deletes",
                                       NULL};
    struct fixture f;
    put_container(&file_bytes, ENTRY(RECORD("r2", FILE_FIELDS)), keys, 0, NULL);
    assert_int_equal(open_manifest(&f, enc_str(&file_bytes)), ICE_OK);
    assert_int_equal(f.manifest.header, 63);
    assert_int_equal(f.manifest.header_bad, 0);
    assert_int_equal(f.manifest.header_schema.schema_id, 4);
    assert_int_equal(f.manifest.header_spec.n_fields, 1);
    assert_int_equal(f.manifest.header_spec_id, 6);
    assert_int_equal(f.manifest.header_schema_id, 4);
    assert_int_equal(f.manifest.header_version, 3);
    assert_int_equal(f.manifest.written_version, 3);
    assert_true(ice_str_is(f.manifest.header_content, "deletes"));
    assert_false(f.manifest.header_spec_is_object);
    close_manifest(&f);
}

static void bad_header_values_are_marked(void **state) {
    (void)state;
    static const char *const keys[] = {"schema",
                                       "{}",
                                       "partition-spec",
                                       "[",
                                       "partition-spec-id",
                                       "one",
                                       "schema-id",
                                       "99999999999999999999",
                                       "format-version",
                                       "",
                                       NULL};
    static const char *const object[] = {
        "partition-spec", "{\"spec-id\":1,\"fields\":" TABLE_SPEC "}", NULL};
    struct fixture f;
    put_container(&file_bytes, ENTRY(RECORD("r2", FILE_FIELDS)), keys, 0, NULL);
    assert_int_equal(open_manifest(&f, enc_str(&file_bytes)), ICE_OK);
    assert_int_equal(f.manifest.header, 31);
    assert_int_equal(f.manifest.header_bad, 31);
    assert_int_equal(f.manifest.written_version, 1);
    close_manifest(&f);
    put_container(&file_bytes, ENTRY(RECORD("r2", FILE_FIELDS)), object, 0, NULL);
    assert_int_equal(open_manifest(&f, enc_str(&file_bytes)), ICE_OK);
    assert_int_equal(f.manifest.header, ICE_MHEAD_SPEC);
    assert_int_equal(f.manifest.header_bad, 0);
    assert_true(f.manifest.header_spec_is_object);
    close_manifest(&f);
}

static void other_formats_are_told(void **state) {
    (void)state;
    struct fixture f;
    const struct ice_manifest_entry *entry = NULL;
    assert_int_equal(open_manifest(&f, ICE_STR("AGS1........")), ICE_OK);
    assert_true(f.manifest.encrypted);
    assert_int_equal(ice_manifest_next(&f.manifest, &entry, &f.err), ICE_DONE);
    close_manifest(&f);
    assert_int_equal(open_manifest(&f, ICE_STR("PAR1........")), ICE_EFORMAT);
    assert_true(f.manifest.is_parquet);
    assert_string_equal(f.err.rule, "avro.magic");
    close_manifest(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_columns_resolve_by_id),
        cmocka_unit_test(faults_of_the_schema),
        cmocka_unit_test(types_of_columns),
        cmocka_unit_test(header_keys_are_read),
        cmocka_unit_test(bad_header_values_are_marked),
        cmocka_unit_test(other_formats_are_told),
    };
    return cmocka_run_group_tests_name("manifest", tests, NULL, NULL);
}
