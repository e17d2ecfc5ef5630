/*
 * Which of two metadata files comes of the other, by names, counters, times and
 * snapshots.
 */
#include "check/kinship.h"

#include "base/compiler.h"
#include "stream/stream.h"
#include "support/cmocka_all.h"

/* Members in front of the counters; a later one of the same name would not count. */
#define HEAD(uuid, time, current)                                                        \
    "{\"format-version\":2,\"table-uuid\":\"" uuid "\",\"last-updated-ms\":" time        \
    ",\"current-snapshot-id\":" current
#define COUNTERS(sequence, column)                                                       \
    ",\"last-sequence-number\":" sequence ",\"last-column-id\":" column
#define SNAPSHOTS(list) ",\"snapshots\":[" list "]}"
#define ROOT(id, sequence) "{\"snapshot-id\":" id ",\"sequence-number\":" sequence "}"
#define CHILD(id, parent, sequence)                                                      \
    "{\"snapshot-id\":" id ",\"parent-snapshot-id\":" parent                             \
    ",\"sequence-number\":" sequence "}"

static const char before[] = HEAD("aa", "1000", "20") COUNTERS("2", "5")
    SNAPSHOTS(ROOT("10", "1") "," CHILD("20", "10", "2"));
static const char empty[] = HEAD("aa", "1000", "-1") COUNTERS("0", "5") SNAPSHOTS("");

static void read_document(struct ice_run *run, const char *text,
                          struct ice_metadata *out) {
    const struct ice_metadata_want want = {0};
    struct ice_stream stream;
    ice_stream_init_memory(&stream, run, ice_str_from(text));
    assert_int_equal(ice_metadata_read(&stream, run, &want, NULL, NULL, out, NULL),
                     ICE_OK);
    ice_stream_release(&stream);
}

static void later_states_are_known(void **state) {
    (void)state;
    static const struct {
        const char *what, *earlier, *later;
        bool comes, is_strict_too;
    } cases[] = {
        {"an append", before,
         HEAD("aa", "2000", "30") COUNTERS("3", "5") SNAPSHOTS(
             ROOT("10", "1") "," CHILD("20", "10", "2") "," CHILD("30", "20", "3")),
         true, true},
        {"a change of the schema, for which old PyIceberg keeps the time", before,
         HEAD("aa", "1000", "20") COUNTERS("2", "6")
             SNAPSHOTS(ROOT("10", "1") "," CHILD("20", "10", "2")),
         true, false},
        {"an earlier time", before,
         HEAD("aa", "999", "20") COUNTERS("2", "5")
             SNAPSHOTS(ROOT("10", "1") "," CHILD("20", "10", "2")),
         false, false},
        {"a rollback: what was current is kept", before,
         HEAD("aa", "2000", "10") COUNTERS("2", "5")
             SNAPSHOTS(ROOT("10", "1") "," CHILD("20", "10", "2")),
         true, true},
        {"a table replaced", before,
         HEAD("aa", "2000", "30") COUNTERS("3", "7")
             SNAPSHOTS(ROOT("10", "1") "," CHILD("20", "10", "2") "," ROOT("30", "3")),
         true, true},
        {"what was current expired, and is a parent", before,
         HEAD("aa", "2000", "30") COUNTERS("3", "5") SNAPSHOTS(CHILD("30", "20", "3")),
         true, true},
        {"... and is in the log alone", before,
         HEAD("aa", "2000", "30")
             COUNTERS("3", "5") ",\"snapshot-log\":[{\"timestamp-ms\":1000,\"snapshot-"
                                "id\":20}]" SNAPSHOTS(ROOT("30", "3")),
         true, true},
        {"all in common expired", before,
         HEAD("aa", "2000", "40") COUNTERS("4", "5") SNAPSHOTS(CHILD("40", "30", "4")),
         false, false},
        {"another line from the parent", before,
         HEAD("aa", "2000", "21") COUNTERS("2", "5")
             SNAPSHOTS(ROOT("10", "1") "," CHILD("21", "10", "2")),
         false, false},
        {"another table with that snapshot", before,
         HEAD("bb", "2000", "20") COUNTERS("2", "5")
             SNAPSHOTS(ROOT("10", "1") "," CHILD("20", "10", "2")),
         false, false},
        {"a table without uuid", before,
         HEAD("", "2000", "20") COUNTERS("2", "5")
             SNAPSHOTS(ROOT("10", "1") "," CHILD("20", "10", "2")),
         true, true},
        {"a lower sequence number", before,
         HEAD("aa", "2000", "20") COUNTERS("1", "5")
             SNAPSHOTS(ROOT("10", "1") "," CHILD("20", "10", "2")),
         false, false},
        {"a lower column id", before,
         HEAD("aa", "2000", "20") COUNTERS("2", "4")
             SNAPSHOTS(ROOT("10", "1") "," CHILD("20", "10", "2")),
         false, false},
        {"a lower column id in version 1, of a table that was replaced",
         "{\"format-version\":1,\"last-column-id\":5,\"last-updated-ms\":1,"
         "\"snapshots\":[{\"snapshot-id\":10}]}",
         "{\"format-version\":1,\"last-column-id\":4,\"last-updated-ms\":2,"
         "\"snapshots\":[{\"snapshot-id\":10},{\"snapshot-id\":20}]}",
         true, true},
        {"a snapshot that is staged or on a branch is lost",
         HEAD("aa", "1000", "10") COUNTERS("2", "5")
             SNAPSHOTS(ROOT("10", "1") "," CHILD("20", "10", "2")),
         HEAD("aa", "2000", "30") COUNTERS("3", "5")
             SNAPSHOTS(ROOT("10", "1") "," CHILD("30", "10", "3")),
         false, false},
        {"the first commit", empty,
         HEAD("aa", "2000", "10") COUNTERS("1", "5") SNAPSHOTS(ROOT("10", "1")), true,
         true},
        {"the first commit, of no one knows which table", empty,
         HEAD("", "2000", "10") COUNTERS("1", "5") SNAPSHOTS(ROOT("10", "1")), false,
         false},
        {"a table that was cleared: its last snapshot counts",
         HEAD("aa", "1000", "-1") COUNTERS("1", "5") SNAPSHOTS(ROOT("10", "1")),
         HEAD("aa", "2000", "30") COUNTERS("3", "5") SNAPSHOTS(ROOT("30", "3")), false,
         false},
    };
    struct ice_run run;
    ice_run_init(&run, NULL);
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_metadata earlier = {0}, later = {0};
        read_document(&run, cases[i].earlier, &earlier);
        read_document(&run, cases[i].later, &later);
        if (ice_metadata_comes_of(&later, &earlier, false) != cases[i].comes ||
            ice_metadata_comes_of(&later, &earlier, true) != cases[i].is_strict_too)
            fail_msg("%s: judged wrongly", cases[i].what);
        ice_metadata_release(&earlier);
        ice_metadata_release(&later);
    }
}

static void one_number_twice_is_a_collision(void **state) {
    (void)state;
    static const struct {
        const char *other;
        bool collides;
    } cases[] = {
        {HEAD("aa", "1", "21") SNAPSHOTS(ROOT("10", "1") "," ROOT("21", "2")), true},
        {HEAD("aa", "1", "21") SNAPSHOTS(ROOT("10", "1") "," ROOT("21", "3")), false},
        {HEAD("aa", "1", "20") SNAPSHOTS(ROOT("10", "1") "," ROOT("20", "2")), false},
        {HEAD("aa", "1", "-1") SNAPSHOTS(""), false},
    };
    struct ice_run run;
    struct ice_metadata own = {0}, v1 = {0};
    ice_run_init(&run, NULL);
    read_document(&run, before, &own);
    read_document(&run, HEAD("aa", "1", "7") SNAPSHOTS("{\"snapshot-id\":7}"), &v1);
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_metadata other = {0};
        read_document(&run, cases[i].other, &other);
        if (ice_metadata_collides(&other, &own) != cases[i].collides)
            fail_msg("case %zu", i);
        assert_false(ice_metadata_collides(&other, &v1)); /* version 1 has no numbers */
        ice_metadata_release(&other);
    }
    ice_metadata_release(&v1);
    ice_metadata_release(&own);
}

static void names_tell_an_order(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        enum ice_number_order order;
    } cases[] = {
        {"00002-a.metadata.json", "00010-b.metadata.json", ICE_NUMBERS_LOWER},
        {"00010-b.metadata.json", "00002-a.metadata.json", ICE_NUMBERS_HIGHER},
        {"00002-a.metadata.json", "00002-b.metadata.json", ICE_NUMBERS_SAME},
        {"v9.metadata.json", "v10.metadata.json", ICE_NUMBERS_LOWER},
        {"v9.metadata.json", "v9.gz.metadata.json", ICE_NUMBERS_SAME},
        {"v3.metadata.json", "00004-a.metadata.json", ICE_NUMBERS_UNKNOWN},
        {"a.metadata.json", "00004-a.metadata.json", ICE_NUMBERS_UNKNOWN},
        {"00004-a.metadata.json", "a.metadata.json", ICE_NUMBERS_UNKNOWN},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++)
        assert_int_equal(
            ice_number_order(ice_str_from(cases[i].a), ice_str_from(cases[i].b)),
            cases[i].order);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_states_are_known),
        cmocka_unit_test(one_number_twice_is_a_collision),
        cmocka_unit_test(names_tell_an_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
