/*
 * Numbers, heads and reach of snapshots; --snapshot.
 */
#include "check/check.h"
#include "support/cmocka_all.h"

#include <stdio.h>

static struct ice_run run;

#define SNAPSHOT(id, parent)                                                             \
    "{\"snapshot-id\":" id ",\"parent-snapshot-id\":" parent                             \
    ",\"sequence-number\":1,\"timestamp-ms\":1740000000000,\"manifest-list\":\"x\","     \
    "\"summary\":{\"operation\":\"append\"},\"schema-id\":0}"
#define TABLE(snapshots, refs)                                                           \
    "{\"format-version\":2,\"table-uuid\":\"1d7ba3ad-0d6c-4a1b-9d64-5f2f3ce2f0a1\","     \
    "\"location\":\"s3://b/t\",\"last-sequence-number\":1,\"last-updated-ms\":"          \
    "1740000000000,\"last-column-id\":1,\"schemas\":[{\"type\":\"struct\",\"schema-"     \
    "id\":0,"                                                                            \
    "\"fields\":[]}],\"current-schema-id\":0,\"partition-specs\":[{\"spec-id\":0,"       \
    "\"fields\":[]}],\"default-spec-id\":0,\"last-partition-id\":999,\"sort-orders\":"   \
    "[{\"order-id\":0,\"fields\":[]}],\"default-sort-order-id\":0,"                      \
    "\"current-snapshot-id\":3,\"snapshots\":[" snapshots "],\"refs\":{" refs "}}"
#define REF(name, id) "\"" name "\":{\"type\":\"branch\",\"snapshot-id\":" id "}"

/* Snapshots by number: "id:scope:in-scope ..." */
static void expect(const char *json, const char *snapshot, const char *expected) {
    struct ice_memory_file file = {ICE_STR("metadata/v1.metadata.json"),
                                   ice_str_from(json)};
    struct ice_source *source = NULL;
    struct ice_target target;
    struct ice_check ck;
    struct ice_options options = ICE_OPTIONS_INIT;
    char text[512] = "";
    options.snapshot = snapshot;
    ice_run_init(&run, &options);
    assert_int_equal(ice_source_open_memory(&source, &file, 1, NULL, NULL), ICE_OK);
    assert_int_equal(ice_target_find(&target, &run, source, ICE_STR(""), NULL), ICE_OK);
    assert_int_equal(ice_check_init(&ck, &run, &options, &target, NULL), ICE_OK);
    assert_int_equal(ice_check_read_metadata(&ck, NULL), ICE_OK);
    assert_true(ck.metadata_readable);
    assert_int_equal(ck.n_snapshots, ck.metadata.n_snapshots);
    for (size_t i = 0; i < ck.n_snapshots; i++) {
        const struct ice_snapshot_facts *facts = &ck.snapshots[i];
        size_t used = strlen(text);
        assert_int_equal(ck.number_of[facts->index], i);
        (void)snprintf(text + used, sizeof(text) - used, "%d:%s%s ",
                       (int)ck.metadata.snapshots[facts->index].snapshot_id,
                       ice_scope_name(ice_snapshot_scope(facts)),
                       facts->in_scope ? "" : ":out");
    }
    if (strcmp(text, expected) != 0)
        fail_msg("'%s' is not '%s'", text, expected);
    ice_check_release(&ck);
    ice_check_release(&ck);
    ice_target_release(&target);
    ice_source_free(source);
    assert_int_equal(run.alloc.used, 0);
}

static void a_line_from_its_root(void **state) {
    (void)state;
    expect(TABLE(SNAPSHOT("3", "2") "," SNAPSHOT("1", "0") "," SNAPSHOT("2", "1"), ""),
           NULL, "1:old 2:old 3:head ");
}

static void the_main_line_comes_first(void **state) {
    (void)state;
    expect(TABLE(SNAPSHOT("9", "8") "," SNAPSHOT("8", "2") "," SNAPSHOT(
                     "1", "0") "," SNAPSHOT("2", "1") "," SNAPSHOT("3", "2"),
                 REF("side", "8")),
           NULL, "1:old 2:old 3:head 8:head 9:unreachable ");
}

static void cycles_end(void **state) {
    (void)state;
    expect(TABLE(SNAPSHOT("3", "3"), ""), NULL, "3:head ");
    expect(TABLE(SNAPSHOT("3", "2") "," SNAPSHOT("2", "3"), ""), NULL, "2:old 3:head ");
    expect(TABLE(SNAPSHOT("3", "0") "," SNAPSHOT("4", "5") "," SNAPSHOT("5", "4"), ""),
           NULL, "3:head 5:unreachable 4:unreachable ");
}

static void an_id_that_stands_twice(void **state) {
    (void)state;
    expect(TABLE(SNAPSHOT("3", "0") "," SNAPSHOT("3", "0"), ""), NULL, "3:head 3:head ");
}

static void one_snapshot_is_asked_for(void **state) {
    (void)state;
#define THREE SNAPSHOT("1", "0") "," SNAPSHOT("2", "1") "," SNAPSHOT("3", "2")
    expect(TABLE(THREE, ""), "2", "1:old:out 2:old 3:head:out ");
    expect(TABLE(THREE, ""), "main", "1:old:out 2:old:out 3:head ");
    expect(TABLE(THREE, REF("audit", "1")), "audit", "1:head 2:old:out 3:head:out ");
    expect(TABLE(THREE, ""), "nobody", "1:old:out 2:old:out 3:head:out ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_from_its_root),
        cmocka_unit_test(the_main_line_comes_first),
        cmocka_unit_test(cycles_end),
        cmocka_unit_test(an_id_that_stands_twice),
        cmocka_unit_test(one_snapshot_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
