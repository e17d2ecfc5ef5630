/*
 * Manifest lists: columns by id whatever their names and order, versions, faults of the
 * schema.
 */
#include "iceberg/manifest_list.h"

#include "unit/iceberg/manifest_bytes.h"

#define BIT(n) (UINT64_C(1) << (n))

static struct enc file_bytes, rows;

struct fixture {
    struct ice_run run;
    struct ice_stream stream;
    struct ice_manifest_list list;
    struct faults faults;
    struct ice_error err;
};

static enum ice_status open_list(struct fixture *f, struct ice_str bytes) {
    f->faults.n = 0;
    f->faults.text[0] = '\0';
    f->err = (struct ice_error){.offset = ICE_NO_OFFSET};
    ice_run_init(&f->run, NULL);
    ice_stream_init_memory(&f->stream, &f->run, bytes);
    return ice_manifest_list_open(&f->list, &f->run, &f->stream, note_avro_fault,
                                  &f->faults, &f->err);
}

static void close_list(struct fixture *f) {
    ice_manifest_list_release(&f->list);
    ice_stream_release(&f->stream);
    assert_int_equal(f->run.alloc.used, 0);
}

/* Memory ends at each request in turn: then that is said. */
static void open_without_memory(struct ice_str bytes) {
    bool is_done = false;
    for (uint64_t k = 0; !is_done; k++) {
        struct failing failing = {.fail_at = k + 1, .sticky = true};
        struct ice_run run;
        struct ice_stream stream;
        struct ice_manifest_list opened;
        struct faults faults = {0};
        failing_run_init(&run, &failing);
        ice_stream_init_memory(&stream, &run, bytes);
        enum ice_status status = ice_manifest_list_open(&opened, &run, &stream,
                                                        note_avro_fault, &faults, NULL);
        is_done = status == ICE_OK;
        if (!is_done)
            assert_int_equal(status, ICE_ENOMEM);
        ice_manifest_list_release(&opened);
        ice_stream_release(&stream);
        assert_int_equal(run.alloc.used, 0);
    }
}

/* A list of one schema, no rows; faults must be as expected. */
static void expect_faults(const char *schema, const char *const *keys,
                          const char *expected) {
    struct fixture f;
    put_container(&file_bytes, schema, keys, 0, NULL);
    assert_int_equal(open_list(&f, enc_str(&file_bytes)), ICE_OK);
    assert_string_equal(f.faults.text, expected);
    open_without_memory(enc_str(&file_bytes));
    close_list(&f);
}

static const char *const version_1[] = {"format-version", "1", NULL};
static const char *const version_2[] = {"format-version", "2", NULL};

#define SUMMARY                                                                          \
    RECORD("r508", FIELD("contains_null", "509", BOOLEAN) "," FIELD(                     \
                       "lower_bound", "510",                                             \
                       MAYBE(BYTES)) "," FIELD("upper_bound", "511", MAYBE(BYTES)))
/* v1 as Java 0.13 writes it: old names, another order, no contains_nan */
#define LIST_V1                                                                                    \
    RECORD(                                                                                        \
        "manifest_file",                                                                           \
        FIELD("manifest_path", "500", STRING) "," FIELD("manifest_length", "501", LONG) "," FIELD( \
            "partition_spec_id", "502",                                                            \
            INT) "," FIELD("added_snapshot_id", "503",                                             \
                           MAYBE(                                                                  \
                               LONG)) "," FIELD("added_data_files_count", "504",                   \
                                                MAYBE(                                             \
                                                    INT)) "," FIELD("partitions", "507",           \
                                                                    MAYBE(                         \
                                                                        "{\"type\":"               \
                                                                        "\"array\","               \
                                                                        "\"items\""                \
                                                                        ":" SUMMARY                \
                                                                        ",\"element"               \
                                                                        "-id\":"                   \
                                                                        "508}")) "," FIELD("x",    \
                                                                                           "9999", \
                                                                                           MAYBE(  \
                                                                                               STRING)))

static void put_v1_row(bool with_count) {
    rows.n = 0;
    put_text(&rows, "s3://b/m.avro");
    put_long(&rows, 4096);
    put_long(&rows, 3);
    put_long(&rows, 1);
    put_long(&rows, 77);
    put_long(&rows, with_count);
    if (with_count)
        put_long(&rows, 5);
    put_long(&rows, 1); /* partitions: two summaries */
    put_long(&rows, 2);
    put_byte(&rows, 1);
    put_long(&rows, 0);
    put_long(&rows, 0);
    put_byte(&rows, 0);
    put_long(&rows, 1);
    put_text(&rows, "ab");
    put_long(&rows, 1);
    put_text(&rows, "cd");
    put_long(&rows, 0);
    put_long(&rows, 1); /* the unknown column */
    put_text(&rows, "?");
}

static void columns_resolve_by_id(void **state) {
    (void)state;
    struct fixture f;
    const struct ice_manifest_file *row = NULL;
    struct ice_list_names names;
    put_v1_row(true);
    put_container(&file_bytes, LIST_V1, version_1, 1, &rows);
    assert_int_equal(open_list(&f, enc_str(&file_bytes)), ICE_OK);
    assert_string_equal(f.faults.text, "");
    assert_int_equal(f.list.written_version, 1);
    assert_int_equal(ice_manifest_list_next(&f.list, &row, &f.err), ICE_OK);
    assert_true(ice_str_is(row->manifest_path, "s3://b/m.avro"));
    assert_int_equal(row->manifest_length, 4096);
    assert_int_equal(row->partition_spec_id, 3);
    assert_int_equal(row->added_snapshot_id, 77);
    assert_int_equal(row->added_files_count, 5);
    assert_true(ice_list_has(&f.list, row, ICE_LIST_added_files_count));
    assert_false(ice_list_has(&f.list, row, ICE_LIST_sequence_number));
    assert_int_equal(row->partitions.n, 2);
    const struct ice_field_summary *summaries = row->partitions.items;
    assert_true(summaries[0].contains_null);
    assert_false(
        ice_summary_has(f.list.summary_present, &summaries[0], ICE_SUMMARY_lower_bound));
    assert_false(
        ice_summary_has(f.list.summary_present, &summaries[0], ICE_SUMMARY_contains_nan));
    assert_true(
        ice_summary_has(f.list.summary_present, &summaries[1], ICE_SUMMARY_upper_bound));
    assert_true(ice_str_is(summaries[1].lower_bound, "ab"));
    assert_true(ice_str_is(summaries[1].upper_bound, "cd"));
    ice_manifest_list_names(&f.list, &names);
    assert_true(
        ice_str_is(names.row[ICE_LIST_added_files_count], "added_data_files_count"));
    assert_true(ice_str_is(names.row[ICE_LIST_sequence_number], "sequence_number"));
    assert_true(ice_str_is(names.summary[ICE_SUMMARY_contains_nan], "contains_nan"));
    assert_int_equal(ice_manifest_list_next(&f.list, &row, &f.err), ICE_DONE);
    close_list(&f);
}

static void null_is_not_zero(void **state) {
    (void)state;
    struct fixture f;
    const struct ice_manifest_file *row = NULL;
    put_v1_row(false);
    put_container(&file_bytes, LIST_V1, NULL, 1, &rows);
    assert_int_equal(open_list(&f, enc_str(&file_bytes)), ICE_OK);
    assert_int_equal(ice_manifest_list_next(&f.list, &row, &f.err), ICE_OK);
    assert_int_equal(row->added_files_count, 0);
    assert_false(ice_list_has(&f.list, row, ICE_LIST_added_files_count));
    assert_int_equal(row->null & BIT(ICE_LIST_added_files_count),
                     BIT(ICE_LIST_added_files_count));
    close_list(&f);
}

static void expect_version(const char *schema, const char *version, int expected) {
    struct fixture f;
    const char *const keys[] = {version ? "format-version" : NULL, version, NULL};
    put_container(&file_bytes, schema, keys, 0, NULL);
    assert_int_equal(open_list(&f, enc_str(&file_bytes)), ICE_OK);
    assert_int_equal(f.list.written_version, expected);
    close_list(&f);
}

static void version_comes_from_header_or_columns(void **state) {
    (void)state;
    static const char with_least[] =
        RECORD("r", FIELD("manifest_path", "500", STRING) "," FIELD("m", "516", LONG));
    expect_version(LIST_V1, NULL, 1);
    expect_version(with_least, NULL, 2);
    expect_version(with_least, "1", 1);
    expect_version(LIST_V1, "2", 2);
    expect_version(LIST_V1, "3", 3);
    expect_version(LIST_V1, "4", 3);
    expect_version(LIST_V1, "0", 1);
    expect_version(LIST_V1, "two", 1);
}

/* the required columns of v1, and nothing else wrong */
#define PATH FIELD("manifest_path", "500", STRING)
#define LENGTH FIELD("manifest_length", "501", LONG)
#define SPEC FIELD("partition_spec_id", "502", INT)
#define ADDED FIELD("added_snapshot_id", "503", LONG)
#define AT "/header/avro.schema"

static void faults_of_the_schema(void **state) {
    (void)state;
    expect_faults(RECORD("r", PATH "," LENGTH "," SPEC "," ADDED), version_1, "");
    expect_faults(RECORD("r", PATH "," LENGTH "," SPEC), version_1,
                  "avro.field.missing " AT " added_snapshot_id 503 \n");
    expect_faults(RECORD("r", BARE("manifest_path", STRING)), version_1,
                  "avro.field-id.none " AT "  -1 \n");
    expect_faults(
        RECORD("r", PATH "," LENGTH "," SPEC "," BARE("added_snapshot_id", LONG)),
        version_1, "avro.field-id.partial " AT "/fields/3 added_snapshot_id 503 \n");
    /* an optional column without its id is lost to readers; one of the writer's own is
     * nothing to them */
    expect_faults(RECORD("r", PATH "," LENGTH "," SPEC "," ADDED
                                   "," BARE("added_files_count", INT)),
                  version_1,
                  "avro.field-id.mismatch " AT
                  "/fields/4 added_files_count 504 column\n");
    expect_faults(RECORD("r", PATH "," LENGTH "," SPEC "," ADDED
                                   "," FIELD("key_metadata", "9519", LONG)),
                  version_1,
                  "avro.field-id.mismatch " AT "/fields/4 key_metadata 519 column\n");
    expect_faults(RECORD("r", PATH "," LENGTH "," SPEC "," ADDED "," BARE("own", INT)),
                  version_1, "");
    expect_faults(
        RECORD("r", PATH "," LENGTH "," SPEC "," ADDED "," FIELD("again", "501", LONG)),
        version_1, "avro.field-id.duplicate " AT "/fields/4 again 501 manifest_length\n");
    expect_faults(
        RECORD("r", PATH "," FIELD("manifest_length", "501", STRING) "," SPEC "," ADDED),
        version_1, "avro.field.type " AT "/fields/1 manifest_length 501 string\n");
    /* int where long is due is fine, long where int is due is not */
    expect_faults(RECORD("r", PATH "," FIELD("manifest_length", "501", INT) "," FIELD(
                                  "partition_spec_id", "502", LONG) "," ADDED),
                  version_1,
                  "avro.field.type " AT "/fields/2 partition_spec_id 502 long\n");
    expect_faults(RECORD("r", PATH "," LENGTH "," SPEC "," ADDED "," FIELD(
                                  "first_row_id", "520", "[\"null\",\"int\",\"long\"]")),
                  version_1, "avro.field.union " AT "/fields/4 first_row_id 520 \n");
    expect_faults(RECORD("r", PATH "," FIELD("manifest_length", "501",
                                             MAYBE(LONG)) "," SPEC "," ADDED),
                  version_1,
                  "avro.field.nullable-required " AT "/fields/1 manifest_length 501 \n");
    expect_faults(RECORD("r", PATH "," FIELD("length", "501", LONG) "," SPEC "," ADDED),
                  version_1,
                  "avro.field.name-differs " AT "/fields/1 length 501 manifest_length\n");
    /* an optional column that is never set */
    expect_faults(RECORD("r", PATH "," LENGTH "," SPEC "," ADDED
                                   "," FIELD("key_metadata", "519", "\"null\"")),
                  version_1, "");
    expect_faults(
        RECORD("r", PATH "," LENGTH "," SPEC "," ADDED
                         "," FIELD("partitions", "507",
                                   "{\"type\":\"array\",\"items\":" SUMMARY "}")),
        version_1,
        "avro.field-id.element-missing " AT "/fields/4 partitions 507 element\n");
}

static void a_nullable_503_is_java_s_in_v1_only(void **state) {
    (void)state;
#define REST                                                                                                               \
    "," FIELD("content", "517", INT) "," FIELD("sequence_number", "515", LONG) "," FIELD(                                  \
        "min_sequence_number", "516",                                                                                      \
        LONG) "," FIELD("added_files_count", "504",                                                                        \
                        INT) "," FIELD("existing_files_count", "505",                                                      \
                                       INT) "," FIELD("deleted_files_count", "506",                                        \
                                                      INT) "," FIELD("added_rows_count",                                   \
                                                                     "512",                                                \
                                                                     LONG) "," FIELD("e"                                   \
                                                                                     "x"                                   \
                                                                                     "i"                                   \
                                                                                     "s"                                   \
                                                                                     "t"                                   \
                                                                                     "i"                                   \
                                                                                     "n"                                   \
                                                                                     "g"                                   \
                                                                                     "_"                                   \
                                                                                     "r"                                   \
                                                                                     "o"                                   \
                                                                                     "w"                                   \
                                                                                     "s"                                   \
                                                                                     "_"                                   \
                                                                                     "c"                                   \
                                                                                     "o"                                   \
                                                                                     "u"                                   \
                                                                                     "n"                                   \
                                                                                     "t",                                  \
                                                                                     "5"                                   \
                                                                                     "1"                                   \
                                                                                     "3",                                  \
                                                                                     LONG) "," FIELD("deleted_rows_count", \
                                                                                                     "514",                \
                                                                                                     LONG)
#define NULLABLE_503 FIELD("added_snapshot_id", "503", MAYBE(LONG))
    expect_faults(RECORD("r", PATH "," LENGTH "," SPEC "," NULLABLE_503), version_1, "");
    expect_faults(RECORD("r", PATH "," LENGTH "," SPEC "," NULLABLE_503 REST), version_2,
                  "avro.field.nullable-required " AT
                  "/fields/3 added_snapshot_id 503 \n");
    expect_faults(RECORD("r", PATH "," LENGTH "," SPEC "," ADDED REST), version_2, "");
}

static void faults_of_the_header(void **state) {
    (void)state;
    static const char *const twice[] = {"a/b", "1", "a/b", "1", "format-version",
                                        "1",   NULL};
    static const char *const differs[] = {"k", "1", "k", "2", "format-version",
                                          "1", NULL};
    static const char good[] = RECORD("r", PATH "," LENGTH "," SPEC "," ADDED);
    expect_faults(good, twice, "avro.header.key-duplicate(low) /header/a~1b a/b -1 \n");
    expect_faults(good, differs, "avro.header.key-duplicate /header/k k -1 \n");
}

static void without_ids_names_serve(void **state) {
    (void)state;
    struct fixture f;
    const struct ice_manifest_file *row = NULL;
    rows.n = 0;
    put_long(&rows, 9);
    put_text(&rows, "m");
    put_container(&file_bytes,
                  RECORD("r", BARE("added_data_files_count",
                                   INT) "," BARE("manifest_path", STRING)),
                  NULL, 1, &rows);
    assert_int_equal(open_list(&f, enc_str(&file_bytes)), ICE_OK);
    assert_int_equal(ice_manifest_list_next(&f.list, &row, &f.err), ICE_OK);
    assert_int_equal(row->added_files_count, 9);
    assert_true(ice_str_is(row->manifest_path, "m"));
    close_list(&f);
}

static void encrypted_lists_are_left_alone(void **state) {
    (void)state;
    struct fixture f;
    const struct ice_manifest_file *row = NULL;
    assert_int_equal(open_list(&f, ICE_STR("AGS1............")), ICE_OK);
    assert_true(f.list.encrypted);
    assert_int_equal(ice_manifest_list_next(&f.list, &row, &f.err), ICE_DONE);
    close_list(&f);
}

static void expect_failure(struct ice_str bytes, const char *rule) {
    struct fixture f;
    assert_int_equal(open_list(&f, bytes), ICE_EFORMAT);
    assert_string_equal(f.err.rule, rule);
    close_list(&f);
}

static void unreadable_lists_fail_by_rule(void **state) {
    (void)state;
    expect_failure(ICE_STR(""), "avro.truncated");
    expect_failure(ICE_STR("some text"), "avro.magic");
    put_header(&file_bytes, NULL, "null");
    expect_failure(enc_str(&file_bytes), "avro.schema.unparseable");
    put_header(&file_bytes, "\"long\"", NULL);
    expect_failure(enc_str(&file_bytes), "avro.schema.unparseable");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_resolve_by_id),
        cmocka_unit_test(null_is_not_zero),
        cmocka_unit_test(version_comes_from_header_or_columns),
        cmocka_unit_test(faults_of_the_schema),
        cmocka_unit_test(a_nullable_503_is_java_s_in_v1_only),
        cmocka_unit_test(faults_of_the_header),
        cmocka_unit_test(without_ids_names_serve),
        cmocka_unit_test(encrypted_lists_are_left_alone),
        cmocka_unit_test(unreadable_lists_fail_by_rule),
    };
    return cmocka_run_group_tests_name("manifest_list", tests, NULL, NULL);
}
