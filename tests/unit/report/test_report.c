/*
 * Reports of findings: bytes of every format, folding, escaping, failing writes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "base/str.h"
#include "sink.h"

#include <jansson.h>

/* ICE_STR for static storage */
#define LITERAL(text)                                                                    \
    { (text), sizeof(text) - 1 }

static const struct ice_rule count_rule = {.name = "list.files-count.mismatch",
                                           .severity = ICE_ERROR,
                                           .why = "rows may be skipped",
                                           .fix = "rewrite the list"};
static const struct ice_rule hint_rule = {.name = "hint.stale",
                                          .severity = ICE_WARN,
                                          .why = "old readers are misled",
                                          .fix = ""};

static struct ice_finding make_finding(void) {
    static const struct ice_arg args[] = {
        {.name = "declared", .kind = ICE_ARG_I64, .i64 = 40},
        {.name = "id", .kind = ICE_ARG_ID, .i64 = INT64_MAX},
        {.name = "raw", .kind = ICE_ARG_BYTES, .str = {"\x01\xfe", 2}},
        {.name = "flag", .kind = ICE_ARG_BOOL, .i64 = 1},
        {.name = "word", .kind = ICE_ARG_STR, .str = {"w", 1}},
    };
    return (struct ice_finding){
        .rule = &count_rule,
        .severity = ICE_ERROR,
        .table = ICE_STR("orders"),
        .at = {.file = ICE_STR("metadata/snap-88.avro"),
               .pointer = ICE_STR("/records/17/added_files_count"),
               .offset = 5310,
               .block = 0,
               .record = 17},
        .other = {.file = ICE_STR("metadata/m0.avro"),
                  .offset = ICE_NO_OFFSET,
                  .block = ICE_NO_OFFSET,
                  .record = ICE_NO_OFFSET},
        .args = args,
        .n_args = 5,
        .message = ICE_STR("declared 40, counted 41"),
        .fingerprint = 0xabc,
    };
}

static struct ice_finding make_json_finding(void) {
    return (struct ice_finding){.rule = &hint_rule,
                                .severity = ICE_WARN,
                                .table = ICE_STR("orders"),
                                .at = {.file = ICE_STR("metadata/v1.metadata.json"),
                                       .pointer = ICE_STR("/refs/main"),
                                       .offset = 9,
                                       .line = 3,
                                       .column = 7,
                                       .block = ICE_NO_OFFSET,
                                       .record = ICE_NO_OFFSET},
                                .message = ICE_STR("old")};
}

static const struct ice_not_evaluated lines[] = {
    {.what = LITERAL("storage.*"), .why = LITERAL("no listing")},
    {.what = LITERAL("manifest"),
     .why = LITERAL("absent"),
     .file = LITERAL("metadata/m1.avro"),
     .asked = true,
     .more = 2},
};

static struct ice_summary make_summary(void) {
    return (struct ice_summary){
        .table = ICE_STR("orders"),
        .location = ICE_STR("s3://lake/orders"),
        .table_uuid = ICE_STR("u"),
        .metadata_file = ICE_STR("metadata/v1.metadata.json"),
        .picked_by = "hint",
        .format_version = 2,
        .has_current_snapshot = true,
        .current_snapshot_id = 3051729675574597004,
        .counts = {[ICE_ERROR] = 1, [ICE_WARN] = 2},
        .n_refs = 1,
        .n_metadata_files = 1,
        .n_snapshots = 41,
        .n_lists = 41,
        .n_manifests = 1204,
        .n_entries = 98113,
        .n_bytes = 37100000,
        .scope_snapshots = "all",
        .depth = "manifest",
        .not_evaluated = lines,
        .n_not_evaluated = 1,
        .complete = true,
        .exit_code = 1,
    };
}

static struct ice_report *open_report(enum ice_format format, struct sink *sink,
                                      const struct ice_report_options *options) {
    struct ice_report *report;
    memset(sink, 0, sizeof(*sink));
    assert_int_equal(
        ice_report_open(&report, format, options, NULL, sink_write, sink, NULL), ICE_OK);
    return report;
}

static void ndjson_is_the_contract(void **state) {
    (void)state;
    static struct sink sink;
    struct ice_report *report = open_report(ICE_FORMAT_NDJSON, &sink, NULL);
    struct ice_finding finding = make_finding();
    struct ice_summary summary = make_summary();
    assert_int_equal(ice_report_finding(&finding, report), ICE_OK);
    assert_int_equal(ice_report_summary(report, &summary, NULL), ICE_OK);
    assert_int_equal(ice_report_finish(report), ICE_OK);
    assert_int_equal(ice_report_finish(report), ICE_EARG);
    assert_string_equal(
        sink.text,
        "{\"kind\":\"finding\",\"rule\":\"list.files-count.mismatch\",\"severity\":"
        "\"error\","
        "\"table\":\"orders\",\"file\":\"metadata/snap-88.avro\","
        "\"pointer\":\"/records/17/added_files_count\",\"offset\":5310,\"line\":null,"
        "\"column\":null,\"block\":0,\"record\":17,\"message\":\"declared 40, counted "
        "41\","
        "\"args\":{\"declared\":40,\"id\":\"9223372036854775807\",\"raw\":\"01fe\","
        "\"flag\":true,\"word\":\"w\"},\"other\":\"metadata/"
        "m0.avro\",\"other_pointer\":null,"
        "\"more\":0,\"fingerprint\":\"0000000000000abc\"}\n"
        "{\"kind\":\"summary\",\"table\":\"orders\",\"location\":\"s3://lake/orders\","
        "\"table_uuid\":\"u\",\"format_version\":2,"
        "\"metadata_file\":\"metadata/v1.metadata.json\",\"picked_by\":\"hint\","
        "\"current_snapshot_id\":\"3051729675574597004\","
        "\"counts\":{\"error\":1,\"warn\":2,\"info\":0},"
        "\"read\":{\"metadata_files\":1,\"snapshots\":41,\"manifest_lists\":41,"
        "\"manifests\":1204,\"entries\":98113,\"bytes\":37100000,\"refs\":1},"
        "\"scope\":{\"snapshots\":\"all\",\"depth\":\"manifest\"},"
        "\"not_evaluated\":[{\"what\":\"storage.*\",\"why\":\"no "
        "listing\",\"asked\":false,"
        "\"file\":null,\"more\":0}],\"complete\":true,\"interrupted\":false,\"exit\":1}"
        "\n");
    ice_report_free(report);
}

static void json_is_one_document(void **state) {
    (void)state;
    static struct sink sink;
    struct ice_finding finding = make_finding();
    struct ice_summary summary = make_summary();
    for (size_t n_tables = 0; n_tables < 3; n_tables++) {
        struct ice_report *report = open_report(ICE_FORMAT_JSON, &sink, NULL);
        for (size_t i = 0; i < n_tables; i++) {
            assert_int_equal(ice_report_finding(&finding, report), ICE_OK);
            assert_int_equal(ice_report_finding(&finding, report), ICE_OK);
            assert_int_equal(ice_report_summary(report, &summary, NULL), ICE_OK);
        }
        assert_int_equal(ice_report_finish(report), ICE_OK);
        ice_report_free(report);
        json_t *document = json_loads(sink.text, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(document);
        json_t *tables = json_object_get(document, "tables");
        assert_string_equal(json_string_value(json_object_get(document, "schema")),
                            "icefsck-report/1");
        assert_int_equal(json_array_size(tables), n_tables);
        for (size_t i = 0; i < n_tables; i++)
            assert_int_equal(
                json_array_size(json_object_get(json_array_get(tables, i), "findings")),
                2);
        json_decref(document);
    }
}

static void short_is_as_compilers_print(void **state) {
    (void)state;
    static struct sink sink;
    struct ice_report *report = open_report(ICE_FORMAT_SHORT, &sink, NULL);
    struct ice_finding avro = make_finding(), json = make_json_finding();
    struct ice_summary summary = make_summary();
    summary.n_not_evaluated = 2;
    avro.more = 3;
    assert_int_equal(ice_report_finding(&avro, report), ICE_OK);
    assert_int_equal(ice_report_directory(report, "./t"), ICE_OK);
    assert_int_equal(ice_report_finding(&json, report), ICE_OK);
    json.at.line = 0;
    json.at.file = ICE_STR("s3://b:1: x");
    assert_int_equal(ice_report_finding(&json, report), ICE_OK);
    json.at.file = ICE_STR_NONE;
    assert_int_equal(ice_report_finding(&json, report), ICE_OK);
    assert_int_equal(ice_report_summary(report, &summary, NULL), ICE_OK);
    assert_int_equal(ice_report_finish(report), ICE_OK);
    assert_string_equal(
        sink.text,
        "metadata/snap-88.avro:#0.17: error: declared 40, counted 41 "
        "[list.files-count.mismatch] (+3 more)\n"
        "./t/metadata/v1.metadata.json:3:7: warn: old [hint.stale]\n"
        "s3://b\\x3a1\\x3a x: warn: old [hint.stale]\n"
        "-: warn: old [hint.stale]\n"
        "./t/metadata/m1.avro: note: not checked: manifest: absent (+2 more)\n");
    ice_report_free(report);
}

static void human_fits_a_screen(void **state) {
    (void)state;
    static struct sink sink;
    struct ice_report *report = open_report(ICE_FORMAT_HUMAN, &sink, NULL);
    struct ice_finding error = make_finding(), warning = make_json_finding();
    struct ice_summary summary = make_summary();
    summary.n_not_evaluated = 2;
    summary.complete = false;
    assert_int_equal(ice_report_finding(&warning, report), ICE_OK);
    error.more = 1;
    for (int i = 0; i < 5; i++)
        assert_int_equal(ice_report_finding(&error, report), ICE_OK);
    assert_int_equal(ice_report_summary(report, &summary, NULL), ICE_OK);
    assert_int_equal(ice_report_finish(report), ICE_OK);
    assert_string_equal(
        sink.text,
        "orders  s3://lake/orders   v2  ·  v1.metadata.json  ·  1 ref, 41 snapshots, "
        "1 204 manifests, 98 113 files\n"
        "  error  list.files-count.mismatch       metadata/snap-88.avro  record 17:  "
        "declared 40, counted 41\n"
        "                                         metadata/snap-88.avro  record 17:  "
        "declared 40, counted 41\n"
        "                                         metadata/snap-88.avro  record 17:  "
        "declared 40, counted 41  (+7 more)\n"
        "         ↳ rows may be skipped  Try: rewrite the list  "
        "[icefsck explain list.files-count.mismatch]\n"
        "  warn   hint.stale                      metadata/v1.metadata.json:3:7  "
        "/refs/main:  "
        "old\n"
        "         ↳ old readers are misled  [icefsck explain hint.stale]\n"
        "  not checked  manifest  metadata/m1.avro:  absent (+2 more)\n"
        "orders: 1 error, 2 warnings · 37.1 MB read · not checked: manifest "
        "metadata/m1.avro "
        "(absent) and 2 more · not asked: data files (no listing)\n");
    ice_report_free(report);
}

static void the_last_line_is_always_there(void **state) {
    (void)state;
    static struct sink sink;
    struct ice_report_options options = {.quiet = true, .times = true};
    struct ice_report *report = open_report(ICE_FORMAT_HUMAN, &sink, &options);
    struct ice_finding finding = make_finding();
    struct ice_summary summary = make_summary();
    memset(summary.counts, 0, sizeof(summary.counts));
    summary.n_bytes = 999;
    options.seconds = 0.84;
    assert_int_equal(ice_report_finding(&finding, report), ICE_OK);
    assert_int_equal(ice_report_summary(report, &summary, &options), ICE_OK);
    summary.interrupted = true;
    summary.complete = false;
    summary.counts[ICE_INFO] = 1;
    summary.n_bytes = 1000;
    assert_int_equal(ice_report_summary(report, &summary, &options), ICE_OK);
    assert_int_equal(ice_report_finish(report), ICE_OK);
    assert_string_equal(
        sink.text,
        "orders: no findings · checked in 0.8 s · 999 B read · not asked: data files (no "
        "listing)\n"
        "orders: 1 info · interrupted · checked in 0.8 s · 1.0 kB read · not asked: data "
        "files "
        "(no listing)\n"
        "2 tables: 1 info · 1 table not checked completely\n");
    ice_report_free(report);
}

static void a_hidden_reason_has_its_way_out(void **state) {
    (void)state;
    static struct sink sink;
    const struct ice_not_evaluated missed[] = {
        {.what = ICE_STR("manifest list"),
         .why = ICE_STR("source.unmapped"),
         .file = ICE_STR("a"),
         .asked = true},
        {.what = ICE_STR("manifest list"),
         .why = ICE_STR("source.unmapped"),
         .file = ICE_STR("b"),
         .asked = true},
    };
    struct ice_report *report = open_report(ICE_FORMAT_HUMAN, &sink, NULL);
    struct ice_summary summary = make_summary();
    summary.not_evaluated = missed;
    summary.n_not_evaluated = 2;
    assert_int_equal(ice_report_summary(report, &summary, NULL), ICE_OK);
    const char *first = strstr(sink.text, "[icefsck explain source.unmapped]");
    assert_non_null(first);
    assert_null(strstr(first + 1, "[icefsck explain source.unmapped]"));
    assert_non_null(
        strstr(sink.text, "not checked: manifest list a (source.unmapped) and 1 more"));
    ice_report_free(report);
}

static void colors_are_an_option(void **state) {
    (void)state;
    static struct sink sink;
    for (int color = 0; color < 2; color++) {
        struct ice_report_options options = {.color = color != 0};
        struct ice_report *report = open_report(ICE_FORMAT_HUMAN, &sink, &options);
        struct ice_finding finding = make_finding();
        struct ice_summary summary = make_summary();
        assert_int_equal(ice_report_finding(&finding, report), ICE_OK);
        assert_int_equal(ice_report_summary(report, &summary, NULL), ICE_OK);
        assert_int_equal(strchr(sink.text, '\033') != NULL, color);
        ice_report_free(report);
    }
}

static void severities_below_the_least_are_hidden(void **state) {
    (void)state;
    static struct sink sink;
    struct ice_report_options options = {.min_severity = ICE_ERROR};
    struct ice_report *report = open_report(ICE_FORMAT_NDJSON, &sink, &options);
    struct ice_finding shown = make_finding(), hidden = make_json_finding();
    assert_int_equal(ice_report_finding(&hidden, report), ICE_OK);
    assert_int_equal(ice_report_finish(report), ICE_OK);
    assert_int_equal(sink.size, 0);
    ice_report_free(report);
    report = open_report(ICE_FORMAT_NDJSON, &sink, &options);
    assert_int_equal(ice_report_finding(&shown, report), ICE_OK);
    assert_int_equal(ice_report_finish(report), ICE_OK);
    assert_int_not_equal(sink.size, 0);
    ice_report_free(report);
}

/* Everything that the table may say is hostile. */
static void poison(struct ice_finding *finding, struct ice_summary *summary,
                   struct ice_not_evaluated *line) {
    static struct ice_arg args[] = {
        {.name = "a", .kind = ICE_ARG_STR, .str = LITERAL(HOSTILE)}};
    const struct ice_str hostile = ICE_STR(HOSTILE);
    finding->table = finding->at.file = finding->at.pointer = finding->message = hostile;
    finding->other.file = hostile;
    finding->args = args;
    finding->n_args = 1;
    *line = (struct ice_not_evaluated){
        .what = hostile, .why = hostile, .file = hostile, .asked = true};
    summary->table = summary->location = summary->table_uuid = hostile;
    summary->metadata_file = hostile;
    summary->not_evaluated = line;
    summary->n_not_evaluated = 1;
}

static void hostile_text_is_shown_not_obeyed(void **state) {
    (void)state;
    static struct sink sink;
    const enum ice_format formats[] = {ICE_FORMAT_HUMAN, ICE_FORMAT_SHORT};
    for (size_t i = 0; i < 2; i++) {
        struct ice_report *report = open_report(formats[i], &sink, NULL);
        struct ice_finding finding = make_finding();
        struct ice_summary summary = make_summary();
        struct ice_not_evaluated line;
        poison(&finding, &summary, &line);
        assert_int_equal(ice_report_finding(&finding, report), ICE_OK);
        assert_int_equal(ice_report_summary(report, &summary, NULL), ICE_OK);
        assert_int_equal(ice_report_finish(report), ICE_OK);
        ice_report_free(report);
        assert_null(strpbrk(sink.text, "\033\a\t\xff"));
        assert_null(strstr(sink.text, "\xe2\x80\xae"));
        assert_null(strstr(sink.text, "\xc2\x85"));
        assert_non_null(
            strstr(sink.text, "\\x1b]0;x\\x07\\xff\\u{202e}\\u{0085}\\x0a\\x09<b>"));
    }
}

static void hostile_text_survives_in_json(void **state) {
    (void)state;
    static struct sink sink;
    struct ice_report *report = open_report(ICE_FORMAT_NDJSON, &sink, NULL);
    struct ice_finding finding = make_finding();
    struct ice_summary summary = make_summary();
    struct ice_not_evaluated line;
    poison(&finding, &summary, &line);
    assert_int_equal(ice_report_finding(&finding, report), ICE_OK);
    assert_int_equal(ice_report_summary(report, &summary, NULL), ICE_OK);
    assert_int_equal(ice_report_finish(report), ICE_OK);
    ice_report_free(report);
    size_t n_lines = 0;
    for (char *at = sink.text; *at != '\0'; n_lines++) {
        char *end = strchr(at, '\n');
        assert_non_null(end);
        *end = '\0';
        json_t *object = json_loads(at, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(object);
        assert_string_equal(json_string_value(json_object_get(object, "table")),
                            "\033]0;x\a\\xff\xe2\x80\xae\xc2\x85\n\t<b>\"'%0A::error::x");
        json_decref(object);
        at = end + 1;
    }
    assert_int_equal(n_lines, 2);
}

static void failing_writes_are_told(void **state) {
    (void)state;
    static struct sink sink;
    for (int format = ICE_FORMAT_HUMAN; format <= ICE_FORMAT_NDJSON; format++) {
        struct ice_report *report = open_report((enum ice_format)format, &sink, NULL);
        struct ice_finding finding = make_finding();
        struct ice_summary summary = make_summary();
        sink.fails = true;
        (void)ice_report_finding(&finding, report);
        assert_int_equal(ice_report_summary(report, &summary, NULL), ICE_EIO);
        assert_int_equal(ice_report_finish(report), ICE_EIO);
        ice_report_free(report);
    }
}

static void rows_formats_are_refused(void **state) {
    (void)state;
    static struct sink sink;
    struct ice_report *report;
    struct ice_error err = {0};
    assert_int_equal(
        ice_report_open(&report, ICE_FORMAT_TSV, NULL, NULL, sink_write, &sink, &err),
        ICE_EARG);
    assert_null(report);
    ice_report_free(report);
    assert_string_not_equal(err.message, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ndjson_is_the_contract),
        cmocka_unit_test(json_is_one_document),
        cmocka_unit_test(short_is_as_compilers_print),
        cmocka_unit_test(human_fits_a_screen),
        cmocka_unit_test(the_last_line_is_always_there),
        cmocka_unit_test(a_hidden_reason_has_its_way_out),
        cmocka_unit_test(colors_are_an_option),
        cmocka_unit_test(severities_below_the_least_are_hidden),
        cmocka_unit_test(hostile_text_is_shown_not_obeyed),
        cmocka_unit_test(hostile_text_survives_in_json),
        cmocka_unit_test(failing_writes_are_told),
        cmocka_unit_test(rows_formats_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
