/*
 * Which snapshot an id, a ref or a time names, and the times that are read.
 */
#include "check/pick_snapshot.h"

#include "base/compiler.h"
#include "stream/stream.h"
#include "support/cmocka_all.h"

static const char document[] =
    "{\"format-version\":2,\"current-snapshot-id\":30,"
    "\"snapshots\":["
    "{\"snapshot-id\":10,\"timestamp-ms\":1000},"
    "{\"snapshot-id\":20,\"timestamp-ms\":2000},"
    "{\"snapshot-id\":30,\"timestamp-ms\":3000},"
    "{\"snapshot-id\":2024,\"timestamp-ms\":1500}],"
    "\"refs\":{\"audit\":{\"snapshot-id\":20,\"type\":\"branch\"},"
    "\"10\":{\"snapshot-id\":30,\"type\":\"tag\"},"
    "\"77\":{\"snapshot-id\":20,\"type\":\"tag\"},"
    "\"empty\":{\"type\":\"tag\"},"
    "\"gone\":{\"snapshot-id\":99,\"type\":\"tag\"},"
    "\"2025-01-01\":{\"snapshot-id\":10,\"type\":\"tag\"}},"
    "\"snapshot-log\":[{\"timestamp-ms\":1000,\"snapshot-id\":10},"
    "{\"timestamp-ms\":3000,\"snapshot-id\":30},"
    "{\"timestamp-ms\":2000},{\"snapshot-id\":20},"
    "{\"timestamp-ms\":86400000,\"snapshot-id\":99}]}";

static void read_document(struct ice_run *run, struct ice_metadata *out) {
    const struct ice_metadata_want want = {0};
    struct ice_stream stream;
    ice_run_init(run, NULL);
    ice_stream_init_memory(&stream, run, ICE_STR(document));
    assert_int_equal(ice_metadata_read(&stream, run, &want, NULL, NULL, out, NULL),
                     ICE_OK);
    ice_stream_release(&stream);
}

static void names_are_found(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t id; /* 0: refused */
    } cases[] = {
        {"20", 20},
        {"10", 10}, /* the snapshot, though a tag has that name */
        {"77", 20}, /* no such snapshot: the tag */
        {"2024", 2024},
        {"audit", 20},
        {"main", 30}, /* not among the refs: the current snapshot */
        {"gone", 0},
        {"nobody", 0},
        {"empty", 0}, /* a ref that names no snapshot */
        {"", 0},
        {"2025-01-01", 10}, /* the tag, not the time */
        {"1970-01-01T00:00:01Z", 10},
        {"1970-01-01T00:00:02.999", 10},
        {"1970-01-01 00:00:03", 30},
        {"1970-01-01T00:00:00.999Z", 0}, /* before the first entry */
        {"1970-01-02", 0},               /* current then, but no longer kept */
        {"99", 0},
    };
    struct ice_run run;
    struct ice_metadata metadata = {0};
    read_document(&run, &metadata);
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_error err = {0};
        size_t index = 0;
        enum ice_status status =
            ice_pick_snapshot(&metadata, cases[i].text, &index, &err);
        if (cases[i].id == 0) {
            if (status != ICE_EARG || err.message[0] == '\0')
                fail_msg("\"%s\" was taken", cases[i].text);
            continue;
        }
        if (status != ICE_OK || metadata.snapshots[index].snapshot_id != cases[i].id)
            fail_msg("\"%s\" names another snapshot", cases[i].text);
    }
    ice_metadata_release(&metadata);
}

static void times_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {
        {"1970-01-01", 0},
        {"1969-12-31", -86400000},
        {"2000-02-29", 951782400000},
        {"2026-03-01T09:00Z", 1772355600000},
        {"2026-03-01t09:00:30z", 1772355630000},
        {"2026-03-01 09:00:30.25", 1772355630250},
        {"2026-03-01T09:00:30.2509999Z", 1772355630250},
        {"2026-03-01T11:00+02:00", 1772355600000},
        {"2026-03-01T06:30-0230", 1772355600000},
        {"2026-03-01T11:00+02", 1772355600000},
        {"9999-12-31T23:59:59.999Z", 253402300799999},
        {"0001-01-01", -62135596800000},
    };
    static const char *const bad[] = {
        "",
        "2026",
        "2026-13-01",
        "2026-02-29",
        "1900-02-29",
        "2026-00-10",
        "2026-01-00",
        "2026-01-32",
        "0000-01-01",
        "2026-03-01T",
        "2026-03-01T9:00",
        "2026-03-01T24:00",
        "2026-03-01T09:60",
        "2026-03-01T09:00:60",
        "2026-03-01T09:00:30.",
        "2026-03-01T09:00+",
        "2026-03-01T09:00+19:00",
        "2026-03-01T09:00Zx",
        "2026-03-01x",
        "+2026-03-01",
        "2026-03-01T09:00:30.25+2",
        "2026/03-01",
        "2026-3-01",
        "2026-03/01",
        "2026-03-1",
        "2026-03-01T09-00",
        "2026-03-01T09:0",
        "2026-03-01T09:00:3",
        "2026-03-01T09:00:30x",
        "2026-03-01T09:00?",
        "2026-03-01T09:00+02:",
        "2026-03-01T09:00+02:6",
        "2026-03-01T09:00+02:60",
        "2026-03-01T09:00-1",
    };
    for (size_t i = 0; i < ICE_COUNT_OF(good); i++) {
        int64_t ms = -1;
        if (!ice_time_parse(ice_str_from(good[i].text), &ms) || ms != good[i].ms)
            fail_msg("%s is read as %lld", good[i].text, (long long)ms);
    }
    for (size_t i = 0; i < ICE_COUNT_OF(bad); i++) {
        int64_t ms;
        if (ice_time_parse(ice_str_from(bad[i]), &ms))
            fail_msg("%s is read", bad[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(times_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
