/*
 * Evidence of odd shapes: times and levels in front of messages, members of other types,
 * rows of tables that were cut. What says nothing certain is passed over.
 */
#include "evidence_told.h"

#define FIRST "2026-05-02 09:28:27"

/* What stands in front of a message, and the time that is taken from it. */
static void test_times_in_front(void **state) {
    (void)state;
    static const struct {
        const char *front, *time;
    } cases[] = {
        {FIRST " ", "1777714107000"},
        {FIRST ".5 ", "1777714107500"},
        {"2026/05/02 09:28:27 ", "1777714107000"},
        {FIRST "+02:00 ", "1777706907000z"},
        {FIRST "-0700 ", "1777739307000z"},
        {FIRST "+07 ", "1777714107000"},
        {FIRST "+x ", "1777714107000"},
        {FIRST "+02x00 ", "1777714107000"},
        {FIRST "+02:x ", "1777714107000"},
        {"[" FIRST "] ", "1777714107000"},
        {"26-05-02 09:28:27 ", "-"},
        {"2026:05:02 09:28:27 ", "-"},
        {"2026-x5-02 09:28:27 ", "-"},
        {"2026-05x02 09:28:27 ", "-"},
        {"2026-05-x2 09:28:27 ", "-"},
        {"2026-05-02_09:28:27 ", "-"},
        {"2026-05-02 x9:28:27 ", "-"},
        {"2026-05-02 09x28:27 ", "-"},
        {"2026-05-02T09:28:27", "1777714107000"},
        {"2 ", "-"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        char text[200], expected[200];
        (void)snprintf(text, sizeof(text), "%sScanning empty table t", cases[i].front);
        (void)snprintf(expected, sizeof(expected), "empty 1 %s [t] - - - []\n",
                       cases[i].time);
        says(text, expected);
    }
}

static void test_ends_of_lines_and_marks(void **state) {
    (void)state;
    says("\xef\xbb\xbfScanning empty table t\r\n", "empty 1 - [t] - - - []\n");
    says("\xef\xbb\xbf{\"message\":\"Scanning empty table t\"}\n",
         "empty 1 - [t] - - - []\n");
    says("{\"message\":\"a\\r\\nScanning empty table t\\r\\n\",\"x\":\n1}",
         "empty 2 - [t] - - - []\n");
    static const char nul[] = "2026-05-02 09:28:27\0 Scanning empty table t";
    struct ice_listing_options options = {.has_zone = false};
    struct told told = read_bytes(ice_str_make(nul, sizeof(nul) - 1), SIZE_MAX, &options);
    assert_string_equal(told.text, "empty 1 1777714107000 [t] - - - []\n");
}

#define REPORTED "Received metrics report: ScanReport{tableName="

static void test_reports_that_go_on(void **state) {
    (void)state;
    char text[4096] = REPORTED "t, snapshotId=39, filter=x\n";
    /* too many lines, the schema behind them */
    for (int i = 0; i < 20; i++)
        memcpy(text + strlen(text), "y\n", 3);
    memcpy(text + strlen(text), ", schemaId=4\n", 14);
    says(text, "report 1 - [t] 39 - - []\n");
    /* another message, or another line of a log, ends it */
    says(REPORTED "t, snapshotId=39, filter=x\nScanning empty table u\n",
         "report 1 - [t] 39 - - []\nempty 2 - [u] - - - []\n");
    /* without a number it says nothing */
    says(REPORTED "t, snapshotId=x, filter=y, schemaId=4\nScanning empty table u\n",
         "empty 2 - [u] - - - []\n");
    says("Scanning empty table u\n" REPORTED "t\n, snapshotId=-5, schemaId=x\n",
         "empty 1 - [u] - - - []\nreport 2 - [t\n] -5 - - []\n");
    /* the same scan of another table is another one */
    says("Scanning table t snapshot 39 created at x with filter true\n" REPORTED
         "u, snapshotId=39, schemaId=4}\n"
         "CommitReport{tableName=t, snapshotId=39}\n",
         "scan 1 - [t] 39 - - []\nreport 2 - [u] 39 - 4 []\ncommit 3 - [t] 39 - - []\n");
}

/* Longer than what is kept of a report. */
static void test_reports_too_long(void **state) {
    (void)state;
    enum { LONG = 70000 };
    static char text[LONG + 200];
    struct ice_listing_options options = {.has_zone = false};
    size_t n =
        (size_t)snprintf(text, sizeof(text), "%st, snapshotId=39, filter=", REPORTED);
    memset(text + n, 'x', LONG);
    (void)snprintf(text + n + LONG, sizeof(text) - n - LONG, "\n, schemaId=4}\n");
    struct told told = read_bytes(ice_str_from(text), 4096, &options);
    assert_string_equal(told.text, "report 1 - [t] 39 - - []\n");
    text[n + 10] = '\n'; /* short at first */
    told = read_bytes(ice_str_from(text), 4096, &options);
    assert_string_equal(told.text, "report 1 - [t] 39 - - []\n");
}

static void test_metadata_tables_by_their_place(void **state) {
    (void)state;
#define LOADED(uri, table)                                                               \
    "Refreshing table metadata from new version: " uri "\nTable loaded by "              \
    "catalog: " table
    says(LOADED("refs/metadata/2.json", "c.refs"), "loaded 2 - [c.refs] - - - []\n");
    says(LOADED("s3://b/xrefs/metadata/2.json", "c.refs"),
         "loaded 2 - [c.refs] - - - []\n");
    says(LOADED("s3://b/refs/x/2.json", "c.refs"), "loaded 2 - [c.refs] - - - []\n");
    says(LOADED("s3://b/refs/refs/metadata/2.json", "c.refs"),
         "loaded 2 - [c.refs] - - - [s3://b/refs/refs/metadata/2.json]\n");
    says("Table loaded by catalog: c.refs\n", "loaded 1 - [c.refs] - - - []\n");
}

static void test_members_of_other_types(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"{\"message\":5,\"x\":\"y\"}\n{\"message\":\"Scanning empty table t\"}",
         "empty 2 - [t] - - - []\n"},
        {"{\"time\":\"soon\",\"message\":\"Scanning empty table t\"}",
         "empty 1 - [t] - - - []\n"},
        {"{\"time\":1777714107005,\"message\":\"Scanning empty table t\"}",
         "empty 1 1777714107005z [t] - - - []\n"},
        {"{\"instant\":{\"epochSecond\":9999999999999,\"nanoOfSecond\":5000000},"
         "\"message\":\"Scanning empty table t\"}",
         "empty 1 5z [t] - - - []\n"},
        {"{\"instant\":{\"epochSecond\":-9999999999999,\"nanoOfSecond\":1000000000},"
         "\"message\":\"Scanning empty table t\"}",
         "empty 1 - [t] - - - []\n"},
        {"{\"instant\":{\"epochSecond\":true,\"nanoOfSecond\":-1},"
         "\"message\":\"Scanning empty table t\"}",
         "empty 1 - [t] - - - []\n"},
        {"{\"instant\":{\"epochSecond\":\"1\",\"nanoOfSecond\":false},"
         "\"message\":\"Scanning empty table t\"}",
         "empty 1 - [t] - - - []\n"},
        /* a time of its own stands above the instant */
        {"{\"time\":\"2026-05-02T09:28:27Z\",\"instant\":{\"epochSecond\":1,"
         "\"nanoOfSecond\":0},\"message\":\"Scanning empty table t\"}",
         "empty 1 1777714107000z [t] - - - []\n"},
        {"{\"level\":\"LOUD\",\"logger\":4,\"stream\":\"stdin\","
         "\"message\":\"Scanning empty table t\"}",
         "empty 1 - [t] - - - []\n"},
        {"{\"report-type\":\"scan-report\",\"table-name\":4,\"snapshot-id\":39}\n"
         "{\"report-type\":\"scan-report\",\"table-name\":\"t\",\"snapshot-id\":null,"
         "\"schema-id\":\"x\"}",
         "report 2 - [t] - - - []\n"},
        {"{\"report-type\":5,\"table-name\":\"t\"}\n"
         "{\"report-type\":\"other\",\"table-name\":\"t\"}\n"
         "{\"report-type\":\"commit-report\",\"table-name\":\"t\",\"schema-id\":4}",
         "commit 3 - [t] - - - []\n"},
        {"{\"latest_snapshot_id\":1,\"file\":5}\n"
         "{\"latest_snapshot_id\":true,\"file\":\"s3://b/1.json\"}",
         "session 2 - [] - - - [s3://b/1.json]\n"},
        {"{\"made_current_at\":\"2026-05-02T09:28:27Z\",\"snapshot_id\":39}\n"
         "{\"made_current_at\":\"2026-05-02T09:28:27Z\",\"snapshot_id\":null}",
         "session 1 1777714107000z [] 39 - - []\n"},
        /* Trino: no catalog, no table, a snapshot elsewhere */
        {"[{\"catalogName\":5,\"schema\":\"db\",\"table\":\"t\","
         "\"connectorInfo\":{\"snapshotId\":39}},"
         "{\"catalogName\":\"c\",\"schema\":5,\"table\":\"t\","
         "\"connectorInfo\":{\"snapshotId\":40}},"
         "{\"catalogName\":\"c\",\"schema\":\"db\",\"table\":5,"
         "\"connectorInfo\":{\"snapshotId\":41}},"
         "{\"table\":\"u\",\"connectorInfo\":{\"snapshotId\":false}},"
         "{\"table\":\"v\",\"snapshotId\":42},"
         "{\"connectorInfo\":{\"table\":\"w\",\"snapshotId\":43}}]",
         "query 1 - [db.t] 39 - - []\nquery 1 - [c.t] 40 - - []\n"
         "query 1 - [v] 42 - - []\n"},
        /* deeper than it is looked into */
        {"[[[[[[[[[[[[[[[[{\"message\":\"Scanning empty table a\"}]]]]]]]]]]]]]]],"
         "{\"message\":\"Scanning empty table t\"}]",
         "empty 1 - [t] - - - []\n"},
        {"{\"message\":\"Scanning empty table t\"},\n,\t{\"message\":\n\"Scanning empty "
         "table u\"}\n\"Scanning empty table v\"",
         "empty 1 - [t] - - - []\nempty 3 - [u] - - - []\n"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++)
        says(cases[i].text, cases[i].expected);
}

static void test_rows_of_odd_tables(void **state) {
    (void)state;
    says("\nmade_current_at,snapshot_id\n\n" FIRST ",39\nnull,\\N\n,x\n" FIRST "\n"
         "soon,40\n",
         "session 4 1777714107000 [] 39 - - []\nsession 8 - [] 40 - - []\n");
    says("timestamp,file,latest_snapshot_id\n" FIRST "Z,\\N,NULL\n" FIRST
         "Z,s3://b/1.json,NULL\n",
         "session 3 1777714107000z [] - - - [s3://b/1.json]\n");
    says("+--+\n\n|made_current_at|snapshot_id|\n", "");
}

static void test_tables_that_are_none(void **state) {
    (void)state;
    static const char *const texts[] = {
        "timestamp,latest_snapshot_id\n1,2\n",
        "timestamp,file,snapshot_id\n1,a,2\n",
        "file,latest_snapshot_id\n1,2\n",
        "made_current_at,x\n1,2\n",
        "+--+\n+--+\n+--+\n+--+\n+--+\n+--+\n+--+",
        "\n\n\n",
        "2026-05-02 09:28:27 a b c d e f g h INFO\n2026-05-02 09:28:27 [x\n",
        "2026-05-02 09:28:27 123 INFO\n2026-05-02 09:28:27 123 INFO\n",
        "2026-05-02 09:28:27\n2026-05-02 09:28:27 : \n",
    };
    struct ice_run run;
    ice_run_init(&run, NULL);
    for (size_t i = 0; i < ICE_COUNT_OF(texts); i++) {
        if (ice_evidence_detect(&run, ice_str_from(texts[i])) != ICE_EVIDENCE_FORMATS)
            fail_msg("'%s' is taken for evidence", texts[i]);
    }
    assert_int_equal(run.alloc.used, 0);
    assert_int_equal(
        ice_evidence_detect(&run, ICE_STR(FIRST " INFO: a\n" FIRST " [x y] WARN: b\n")),
        ICE_EVIDENCE_LOG);
}

static void test_words(void **state) {
    (void)state;
    assert_string_equal(ice_evidence_what(ICE_EVIDENCE_LOG),
                        "log of a reader, line by line");
    assert_non_null(strstr(ice_evidence_what(ICE_EVIDENCE_JSON), "as JSON"));
    assert_non_null(strstr(ice_evidence_what(ICE_EVIDENCE_ROWS), "metadata table"));
    assert_string_equal(ice_evidence_what(ICE_EVIDENCE_FORMATS), "unknown");
    struct ice_evidence_log log = {0};
    ice_evidence_release(&log); /* of none: nothing to give back */
    assert_null(log.run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times_in_front),
        cmocka_unit_test(test_ends_of_lines_and_marks),
        cmocka_unit_test(test_reports_that_go_on),
        cmocka_unit_test(test_reports_too_long),
        cmocka_unit_test(test_metadata_tables_by_their_place),
        cmocka_unit_test(test_members_of_other_types),
        cmocka_unit_test(test_rows_of_odd_tables),
        cmocka_unit_test(test_tables_that_are_none),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
