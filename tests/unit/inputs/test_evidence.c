/*
 * Evidence: what lines of logs say, in every layout, and which read of a table is the
 * last.
 */
#include "evidence_told.h"

static void test_scan_in_every_layout(void **state) {
    (void)state;
#define SCAN(name)                                                                       \
    "Scanning table " name " snapshot 3928395527197996226 created at "                   \
    "2026-05-02T08:01:48.386+00:00 with filter (a IS NOT NULL)"
#define ID_CREATED "3928395527197996226 1777708908386 - []\n"
    /* log4j 1, and Spark's own layout */
    says("26/05/02 09:28:27 INFO SnapshotScan: " SCAN("demo.db.t") "\n",
         "scan 1 1777714107000 [demo.db.t] " ID_CREATED);
    /* log4j 2, logback, Flink */
    says("2026-05-02 09:28:27,123 INFO  org.apache.iceberg.SnapshotScan [] - " SCAN(
             "demo.db.t"),
         "scan 1 1777714107123 [demo.db.t] " ID_CREATED);
    says("2026-05-02 09:28:27.123 [task 0.0 in stage 1] INFO  o.a.i.SnapshotScan - " SCAN(
             "t") "\r\n",
         "scan 1 1777714107123 [t] " ID_CREATED);
    says("[2026-05-02T09:28:27.123+02:00] INFO x " SCAN("t"),
         "scan 1 1777706907123z [t] " ID_CREATED);
    /* a container's prefix has the zone, the log behind it has not */
    says("2026-05-02T09:28:27.123456789Z stderr F 26/05/02 11:28:27 INFO x: " SCAN("t"),
         "scan 1 1777714107123z [t] " ID_CREATED);
    /* no time at all; a path for a name, with blanks and the text itself in it */
    says("x\n\n" SCAN("s3://b/my snapshot 1 t"),
         "scan 3 - [s3://b/my snapshot 1 t] " ID_CREATED);
}

static void test_times_of_a_snapshot_before_1_0(void **state) {
    (void)state;
    struct ice_listing_options east = {.has_zone = true, .zone_minutes = 120};
    const char *line = "21/05/02 09:28:27 INFO BaseTableScan: Scanning table t snapshot "
                       "7 created at 2021-05-02 08:01:48.386 with filter true";
    says(line, "scan 1 1619947707000 [t] 7 1619942508386 - []\n");
    struct told told = read_bytes(ice_str_from(line), SIZE_MAX, &east);
    assert_string_equal(told.text, "scan 1 1619940507000 [t] 7 1619935308386 - []\n");
}

static void test_reports(void **state) {
    (void)state;
#define SEEN "26/05/02 09:28:29 INFO LoggingMetricsReporter: Received metrics report: "
    says(SEEN "ScanReport{tableName=demo.db.t, snapshotId=39, filter=true, schemaId=4, "
              "projectedFieldIds=[2]}\n",
         "report 1 1777714109000 [demo.db.t] 39 - 4 []\n");
    says(SEEN "CommitReport{tableName=t, snapshotId=40, sequenceNumber=2, "
              "operation=append}\n",
         "commit 1 1777714109000 [t] 40 - - []\n");
    /* over lines, cut by the next message, and cut by the end */
    says(SEEN "ScanReport{tableName=a\nb, snapshotId=39, filter=x\n, schemaId=4,\n"
              "26/05/02 09:28:30 INFO a: b\n",
         "report 1 1777714109000 [a\nb] 39 - 4 []\n");
    says(SEEN "ScanReport{tableName=t, snapshotId=39, filter=x\n"
              "26/05/02 09:28:30 INFO a: , schemaId=4,\n",
         "report 1 1777714109000 [t] 39 - - []\n");
    says(SEEN "ScanReport{tableName=t, snapshotId=39",
         "report 1 1777714109000 [t] 39 - - []\n");
    /* the same scan told twice */
    says("Scanning table t snapshot 39 created at x with filter true\n" SEEN
         "ScanReport{tableName=t, snapshotId=39, filter=true, schemaId=4}\n" SEEN
         "ScanReport{tableName=t, snapshotId=41, filter=true, schemaId=4}\n",
         "scan 1 - [t] 39 - - []\n"
         "again 2 1777714109000 [t] 39 - 4 []\n"
         "report 3 1777714109000 [t] 41 - 4 []\n");
}

static void test_metadata_files(void **state) {
    (void)state;
    says("26/05/02 09:28:27 INFO BaseMetastoreTableOperations: Refreshing table metadata "
         "from new version: s3://lake/wh/db/t/metadata/00003-a b.metadata.json\n"
         "26/05/02 09:28:27 INFO BaseMetastoreCatalog: Table loaded by catalog: c.db.t\n"
         "26/05/02 09:28:28 INFO BaseMetastoreCatalog: Table loaded by catalog: c.db.u\n"
         "26/05/02 09:28:28 INFO x: Committed snapshot 5 (MergeAppend)\n"
         "26/05/02 09:28:28 INFO x: Successfully committed to table c.db.t in 382 ms\n"
         "26/05/02 09:28:28 INFO x: Scanning empty table c.db.v\n",
         "loaded 2 1777714107000 [c.db.t] - - - "
         "[s3://lake/wh/db/t/metadata/00003-a b.metadata.json]\n"
         "loaded 3 1777714108000 [c.db.u] - - - []\n"
         "commit 4 1777714108000 [] 5 - - []\n"
         "commit 5 1777714108000 [c.db.t] - - - []\n"
         "empty 6 1777714108000 [c.db.v] - - - []\n");
}

/* Of which table it was, when the catalog does not say so, or says so much later. */
static void test_refresh_alone(void **state) {
    (void)state;
    char text[8192] =
        "Refreshing table metadata from new version: s3://b/v1.metadata.json\n"
        "Refreshing table metadata from new version: s3://b/v2.metadata.json\n";
    says(text, "refresh 1 - [] - - - [s3://b/v1.metadata.json]\n"
               "refresh 2 - [] - - - [s3://b/v2.metadata.json]\n");
    size_t size = strlen(text);
    for (size_t i = 0; i < 99; i++)
        memcpy(text + size + 2 * i, "x\n", 3);
    size = strlen(text);
    (void)snprintf(text + size, sizeof(text) - size, "Table loaded by catalog: t");
    says(text, "refresh 1 - [] - - - [s3://b/v1.metadata.json]\n"
               "loaded 102 - [t] - - - [s3://b/v2.metadata.json]\n");
    (void)snprintf(text + size, sizeof(text) - size, "x\nTable loaded by catalog: t");
    says(text, "refresh 1 - [] - - - [s3://b/v1.metadata.json]\n"
               "refresh 2 - [] - - - [s3://b/v2.metadata.json]\n"
               "loaded 103 - [t] - - - []\n");
}

static void test_metadata_tables_are_loaded_anew(void **state) {
    (void)state;
#define LOADED(uri, table)                                                               \
    "Refreshing table metadata from new version: " uri "\nTable loaded by "              \
    "catalog: " table
    says(LOADED("s3://b/db/t/metadata/2.metadata.json", "c.db.t.history"),
         "loaded 2 - [c.db.t.history] - - - []\n");
    says(LOADED("s3://b/files/t/metadata/2.metadata.json", "c.db.t.Files"),
         "loaded 2 - [c.db.t.Files] - - - []\n");
    /* a table of that name */
    says(LOADED("s3://b/history1/history/metadata/2.metadata.json", "c.db.history"),
         "loaded 2 - [c.db.history] - - - "
         "[s3://b/history1/history/metadata/2.metadata.json]\n");
    says(LOADED("s3://b/x/metadata/2.metadata.json", "t"),
         "loaded 2 - [t] - - - [s3://b/x/metadata/2.metadata.json]\n");
    says(LOADED("s3://b/x/metadata/2.metadata.json", "refs"),
         "loaded 2 - [refs] - - - []\n");
}

/* Spark draws its progress into the same line. */
static void test_progress_bar(void **state) {
    (void)state;
    says("\r[Stage 0:>        (0 + 0) / 1]\r[Stage 0:>        (0 + 1) / 1]26/05/02 "
         "09:28:27 "
         "INFO x: Committed snapshot 5 (A)\n"
         "\r                       \r26/05/02 09:28:28 INFO x: Committed snapshot 6 (A)\n"
         "[Stage 0: 26/05/02 09:28:29 INFO x: Committed snapshot 7 (A)\n",
         "commit 1 1777714107000 [] 5 - - []\n"
         "commit 2 1777714108000 [] 6 - - []\n"
         "commit 3 - [] 7 - - []\n");
}

static void test_lines_of_json(void **state) {
    (void)state;
    /* log4j 2, Spark 4, a container, and what is between them */
    says("{\"instant\":{\"epochSecond\":1777714107,\"nanoOfSecond\":5000000},\"level\":"
         "\"INFO\",\"message\":\"Scanning empty table a\\\"b\"}\n"
         "plain Committed snapshot 5 (A)\n"
         "{\"ts\":\"2026-05-02T09:28:28.001Z\",\"level\":\"INFO\",\"msg\":\"Refreshing "
         "table "
         "metadata from new version: s3:\\/\\/b\\/v1.metadata.json\"}\n"
         "{\"log\":\"26\\/05\\/02 09:28:29 INFO x: Table loaded by catalog: c.t\\n\","
         "\"stream\":\"stderr\"}\n"
         "{\"message\":\"Scanning empty table u\"\n",
         "empty 1 1777714107005z [a\"b] - - - []\n"
         "commit 2 - [] 5 - - []\n"
         "loaded 4 1777714109000 [c.t] - - - [s3://b/v1.metadata.json]\n"
         "empty 5 - [u\"] - - - []\n");
}

static void test_documents_of_json(void **state) {
    (void)state;
    /* CloudWatch: get-log-events */
    says("{\n \"events\": [\n  {\"timestamp\": 1777714107005, \"message\": \"26/05/02 "
         "09:28:27 "
         "INFO x: Scanning empty table t\"},\n"
         "  {\"message\": \"a\\nScanning empty table u\\n\", \"timestamp\": "
         "1777714107006}\n ]\n}\n\n{\"message\": \n\"Scanning empty table v\"}",
         "empty 3 1777714107005z [t] - - - []\n"
         "empty 4 1777714107006z [u] - - - []\n"
         "empty 9 - [v] - - - []\n");
    /* what a REST catalog is sent, and an access log that keeps it */
    says("{\"report-type\": \"scan-report\",\n \"table-name\": \"db.t\", "
         "\"snapshot-id\": 39, "
         "\"filter\": true,\n \"schema-id\": 4, \"metrics\": "
         "{\"total-planning-duration\": "
         "{\"count\": 1}}}",
         "report 3 - [db.t] 39 - 4 []\n");
    says("[{\"time\": \"2026-05-02T09:28:27Z\", \"body\": {\"report-type\": "
         "\"commit-report\", \"table-name\": \"t\", \"snapshot-id\": 40}}]",
         "commit 1 1777714107000z [t] 40 - - []\n");
}

/* An access log: the body of the request is at the end, or somewhere. */
static void test_reports_in_an_access_log(void **state) {
    (void)state;
#define REPORT                                                                           \
    "{\"report-type\":\"scan-report\",\"table-name\":\"c.t\",\"snapshot-id\":7,"         \
    "\"filter\":"                                                                        \
    "true,\"schema-id\":4}"
    says("POST /v1/namespaces/db/tables/t -> 200 {\"a\":1}\n"
         "POST /v1/namespaces/db/tables/t/metrics -> 204 " REPORT "\n",
         "report 2 - [c.t] 7 - 4 []\n");
    says("2026-05-02T09:28:27.005Z POST /metrics " REPORT " 204 12 ms\n",
         "report 1 1777714107005z [c.t] 7 - 4 []\n");
    says("GET / {\nPOST /metrics {\"report-type\"\nScanning empty table t\n",
         "empty 3 - [t] - - - []\n");
}

static void test_queries_of_trino(void **state) {
    (void)state;
    says("{\"queryId\": \"q\", \"queryStats\": {\"createTime\": "
         "\"2026-05-02T09:28:27Z\"},\n"
         "\"inputs\": [{\"catalogName\": \"lake\", \"schema\": \"db\", \"table\": \"t\", "
         "\"connectorInfo\": {\"snapshotId\": 39}},\n"
         "{\"connectorInfo\": {\"snapshotId\": \"40\"}, \"catalogName\": \"lake\", "
         "\"table\": \"u\"},\n"
         "{\"catalogName\": \"hive\", \"schema\": \"db\", \"table\": \"v\", "
         "\"connectorInfo\": {\"partitionIds\": []}}]}",
         "query 2 1777714107000z [lake.db.t] 39 - - []\n"
         "query 3 1777714107000z [lake.u] 40 - - []\n");
}

static void test_rows_of_metadata_tables(void **state) {
    (void)state;
    static const char expected[] =
        "session 2 1777714107005z [] - - - [s3://b/v1.metadata.json]\n"
        "session 3 1777714108000z [] 39 - - [s3://b/v2.metadata.json]\n";
    says("timestamp,file,latest_snapshot_id,latest_schema_id,latest_sequence_number\n"
         "2026-05-02T09:28:27.005Z,s3://b/v1.metadata.json,,,\n"
         "2026-05-02T09:28:28.000Z,\"s3://b/v2.metadata.json\",39,0,1\n",
         expected);
    says("timestamp\tfile\tlatest_snapshot_id\n"
         "2026-05-02 09:28:27.005 UTC\ts3://b/v1.metadata.json\tNULL\n"
         "2026-05-02 11:28:28.000 +02:00\ts3://b/v2.metadata.json\t39\n",
         expected);
    says("{\"timestamp\":\"2026-05-02T09:28:27.005Z\",\"file\":\"s3://b/"
         "v1.metadata.json\","
         "\"latest_snapshot_id\":null}\n{\"timestamp\":\"2026-05-02T09:28:28.000Z\","
         "\"file\":"
         "\"s3://b/v2.metadata.json\",\"latest_snapshot_id\":39}",
         "session 1 1777714107005z [] - - - [s3://b/v1.metadata.json]\n"
         "session 2 1777714108000z [] 39 - - [s3://b/v2.metadata.json]\n");
    /* show() */
    says("+-----------------------+--------------------+\n"
         "|made_current_at        |snapshot_id         |\n"
         "+-----------------------+--------------------+\n"
         "|2026-05-02 09:28:27.005|3928395527197996226 |\n"
         "+-----------------------+--------------------+\n",
         "session 4 1777714107005 [] 3928395527197996226 - - []\n");
    says("|           timestamp|                file| latest_snapshot_id|\n"
         "|2026-05-02 09:28:...|s3://b/v2.metadat...|                 39|\n",
         "session 2 - [] 39 - - []\n");
}

/* Texts that are near, and say nothing. */
static void test_near_misses(void **state) {
    (void)state;
    says(
        "26/05/02 09:28:27 INFO a: Scanning table t\n"
        "26/05/02 09:28:27 INFO a: Scanning table t snapshot x created at y\n"
        "26/05/02 09:28:27 INFO a: Scanning table t snapshot 9999999999999999999 created "
        "at 2026-05-02T08:01:48.386+00:00 with filter true\n"
        "26/05/02 09:28:27 INFO a: Committed snapshot null (X)\n"
        "26/05/02 09:28:27 INFO a: Successfully committed to table t\n"
        "26/05/02 09:28:27 INFO a: scanning table t snapshot 1 created at x with filter\n"
        "26/05/02 09:28:27 INFO a: ScanReport{tableName=t}\n",
        "");
}

static void test_long_line_keeps_its_head(void **state) {
    (void)state;
    size_t size = 3u << 20;
    char *bytes = malloc(size);
    static const char head[] = "Scanning table t snapshot 1 created at x with filter ";
    static const char tail[] = "\nScanning empty table u\n";
    assert_non_null(bytes);
    memset(bytes, 'S', size);
    memcpy(bytes, head, sizeof(head) - 1);
    memcpy(bytes + size - (sizeof(tail) - 1), tail, sizeof(tail) - 1);
    struct ice_listing_options options = {.has_zone = false};
    struct told told = read_bytes(ice_str_make(bytes, size), 4096, &options);
    assert_string_equal(told.text, "scan 1 - [t] 1 - - []\nempty 2 - [u] - - - []\n");
    free(bytes);
}

static void test_what_is_a_log(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        bool is_log;
    } cases[] = {
        {"Warning: x\n:: loading settings ::\n26/05/02 09:28:27 INFO SparkContext: a\n"
         "26/05/02 09:28:27 WARN SparkContext: b\n",
         true},
        {"26/05/02 09:28:27 INFO SparkContext: only one\n", false},
        {"2026-05-02 09:28:27,123 [main thread] INFO a\n2026-05-02 09:28:27,123 ERROR "
         "b\n",
         true},
        {"2026-05-02T09:28:27.123Z\tINFO\tmain\ta\n2026-05-02T09:28:27.123Z\tINFO\tb\n",
         true},
        {"Table loaded by catalog: t\n", true},
        {"2026-05-02 09:28:27       1234 INFO\n2026-05-02 09:28:27       1234 wh/WARN\n",
         false},
        {"2026-05-02 09:28:27;1234;INFO\n2026-05-02 09:28:27;1234;INFO\n", false},
        {"wh/db/t/metadata/a.json\nwh/db/t/metadata/INFO\n", false},
        {"{\"level\":\"INFO\",\"message\":\"x\"}\nx\n", true},
        {"{\"message\":\"26/05/02 09:28:27 INFO a: b\"}", true},
        {"{\"message\":\"x\"}", false},
        {"{\"message\":\"x\",\"stream\":\"stderr\"}", true},
        {"{\"message\":\"x\",\"logger\":\"a.B\"}", true},
        /* findings of our own */
        {"{\"kind\":\"finding\",\"severity\":\"error\",\"message\":\"x\"}", false},
        {"{\"TableList\": []}", false},
        {"{\"snapshot-log\": [{\"timestamp-ms\": 1, \"snapshot-id\": 2}]}", false},
        {"timestamp,file,snapshot\n1,a,2\n", false},
        {"path,size,timestamp\na/b,2,1\n", false},
        {"", false},
        {"Obj\x01Scanning table t", false},
        {"12", false},
    };
    struct ice_run run;
    ice_run_init(&run, NULL);
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        enum ice_evidence_format format =
            ice_evidence_detect(&run, ice_str_from(cases[i].bytes));
        assert_int_equal(format != ICE_EVIDENCE_FORMATS, cases[i].is_log);
    }
}

static bool is_named(const struct ice_evidence *record, void *user) {
    const char *name = user;
    return ice_evidence_names(record->table, ice_str_from(name));
}

static bool is_any(const struct ice_evidence *record, void *user) {
    (void)user;
    return record->table.size == 0;
}

static void test_last_read(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_source *source = NULL;
    struct ice_evidence found;
    char named[] = "db.t", other[] = "v";
    struct ice_str bytes =
        ICE_STR("Scanning table c.db.t snapshot 1 created at x with filter true\n"
                "Scanning table c.db.t snapshot 2 created at x with filter true\n"
                "Scanning table c.db.u snapshot 3 created at x with filter true\n"
                "Successfully committed to table c.db.t in 3 ms\n");
    struct ice_memory_file file = {ICE_STR("driver.log"), bytes};
    ice_run_init(&run, NULL);
    assert_int_equal(ice_source_open_memory(&source, &file, 1, &run.alloc.base, NULL),
                     ICE_OK);
    struct ice_evidence_log log = {
        .run = &run, .source = source, .key = ICE_STR("driver.log")};
    ice_arena_init(&log.arena, &run.alloc);
    assert_int_equal(ice_evidence_last(&log, is_named, named, &found, NULL), ICE_OK);
    assert_int_equal(found.snapshot_id, 2);
    assert_int_equal(found.line, 2);
    assert_true(ice_str_is(found.table, "c.db.t"));
    assert_int_equal(ice_evidence_last(&log, is_named, other, &found, NULL), ICE_DONE);
    assert_int_equal(log.n_records, 4);
    assert_int_equal(log.n_reads, 3);
    ice_evidence_release(&log);
}

/* Of rows the newest counts, not the last. */
static void test_last_row(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_source *source = NULL;
    struct ice_evidence found;
    char none[] = "";
    struct ice_memory_file file = {ICE_STR("rows.csv"),
                                   ICE_STR("made_current_at,snapshot_id\n"
                                           "2026-05-02 09:28:27Z,1\n"
                                           "2026-05-02 09:28:29Z,3\n"
                                           "2026-05-02 09:28:28Z,2\n")};
    ice_run_init(&run, NULL);
    assert_int_equal(ice_source_open_memory(&source, &file, 1, &run.alloc.base, NULL),
                     ICE_OK);
    struct ice_evidence_log log = {
        .run = &run, .source = source, .key = file.key, .format = ICE_EVIDENCE_ROWS};
    ice_arena_init(&log.arena, &run.alloc);
    assert_int_equal(ice_evidence_last(&log, is_any, none, &found, NULL), ICE_OK);
    assert_int_equal(found.snapshot_id, 3);
    ice_evidence_release(&log);
}

/* ---- what real sessions printed ---- */

struct session {
    size_t n_scans, n_rows;
    int64_t snapshot_id;
    bool is_one;
    char location[256];
};

static enum ice_status note(const struct ice_evidence *record, void *user) {
    struct session *session = user;
    if (ice_evidence_is_read(record)) {
        session->n_scans += record->kind == ICE_EVIDENCE_SCAN;
        session->n_rows += record->kind == ICE_EVIDENCE_SESSION;
        session->is_one =
            session->n_scans < 2 ||
            (session->is_one && session->snapshot_id == record->snapshot_id);
        session->snapshot_id = record->snapshot_id;
    }
    if (record->kind == ICE_EVIDENCE_SCAN) {
        assert_true(record->time_ms > record->created_ms && !record->has_zone);
        assert_true(ice_str_is(record->table, "lake.shop.orders"));
    }
    if (record->metadata_location.size > 0)
        (void)snprintf(session->location, sizeof(session->location), "%.*s",
                       ICE_STR_FMT(record->metadata_location));
    return ICE_OK;
}

/* A Spark session with a catalog cache: it scans twice, and the second time another
 * session is three commits ahead. tools/fixtures/stale_spark.py */
static void test_real_sessions(void **state) {
    (void)state;
    static const struct {
        const char *path;
        size_t n_scans, n_rows;
    } files[] = {
        {"fixtures/inputs/driver-iceberg-1.6.1.log", 2, 0},
        {"fixtures/inputs/driver-iceberg-1.10.0.log", 2, 0},
        {"tests/story/spark/driver.log", 2, 0},
        {"tests/story/spark/session.txt", 0, 4},
        {"tests/story/spark/session.json", 0, 3}, /* toJSON leaves nulls out */
    };
    static const struct ice_listing_options utc = {.has_zone = true};
    struct session spark = {.is_one = true};
    for (size_t i = 0; i < ICE_COUNT_OF(files); i++) {
        struct ice_run run;
        struct ice_evidence_log log;
        struct session session = {.is_one = true};
        ice_run_init(&run, NULL);
        assert_int_equal(ice_evidence_open(&log, &run, files[i].path, &utc, NULL),
                         ICE_OK);
        assert_int_equal(ice_evidence_read(&log, note, &session, NULL), ICE_OK);
        assert_int_equal(session.n_scans, files[i].n_scans);
        assert_int_equal(session.n_rows, files[i].n_rows);
        assert_true(session.is_one);
        const char *name = strstr(session.location, "/shop/orders/metadata/00003-");
        assert_non_null(name);
        if (i == 2) { /* the others of its folder are of the same session */
            spark = session;
        } else if (i > 2) {
            assert_int_equal(session.snapshot_id, spark.snapshot_id);
            assert_string_equal(session.location, spark.location);
        }
        ice_evidence_release(&log);
    }
}

/* The same session by its own log, and by what it sent to its REST catalog. */
static void test_real_rest_session(void **state) {
    (void)state;
    static const char *const paths[] = {"fixtures/inputs/driver-rest-1.12.0.log",
                                        "fixtures/inputs/rest-metrics.log"};
    static const struct ice_listing_options utc = {.has_zone = true};
    for (size_t i = 0; i < ICE_COUNT_OF(paths); i++) {
        struct ice_run run;
        struct ice_evidence_log log;
        struct told told = {.size = 0};
        ice_run_init(&run, NULL);
        assert_int_equal(ice_evidence_open(&log, &run, paths[i], &utc, NULL), ICE_OK);
        assert_int_equal(ice_evidence_read(&log, tell, &told, NULL), ICE_OK);
        /* by the log a commit, which is reported, too, and two scans likewise */
        assert_int_equal(log.n_records, i == 0 ? 6 : 3);
        assert_int_equal(log.n_reads, i == 0 ? 4 : 2);
        assert_non_null(strstr(told.text, i == 0 ? "again " : "report "));
        assert_null(strstr(told.text, i == 0 ? "report " : "again "));
        assert_non_null(strstr(told.text, "[lake.shop.visits] "));
        ice_evidence_release(&log);
    }
}

static void test_names(void **state) {
    (void)state;
    assert_true(ice_evidence_names(ICE_STR("c.db.t"), ICE_STR("t")));
    assert_true(ice_evidence_names(ICE_STR("c.db.t"), ICE_STR("db.t")));
    assert_true(ice_evidence_names(ICE_STR("c.db.t"), ICE_STR("c.db.t")));
    assert_true(ice_evidence_names(ICE_STR("s3://b/wh/t"), ICE_STR("t")));
    assert_false(ice_evidence_names(ICE_STR("c.db.xt"), ICE_STR("t")));
    assert_false(ice_evidence_names(ICE_STR("t"), ICE_STR("db.t")));
    assert_false(ice_evidence_names(ICE_STR("t"), ICE_STR_NONE));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan_in_every_layout),
        cmocka_unit_test(test_times_of_a_snapshot_before_1_0),
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_metadata_files),
        cmocka_unit_test(test_refresh_alone),
        cmocka_unit_test(test_metadata_tables_are_loaded_anew),
        cmocka_unit_test(test_progress_bar),
        cmocka_unit_test(test_lines_of_json),
        cmocka_unit_test(test_documents_of_json),
        cmocka_unit_test(test_reports_in_an_access_log),
        cmocka_unit_test(test_queries_of_trino),
        cmocka_unit_test(test_rows_of_metadata_tables),
        cmocka_unit_test(test_near_misses),
        cmocka_unit_test(test_long_line_keeps_its_head),
        cmocka_unit_test(test_what_is_a_log),
        cmocka_unit_test(test_last_read),
        cmocka_unit_test(test_last_row),
        cmocka_unit_test(test_real_sessions),
        cmocka_unit_test(test_real_rest_session),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
