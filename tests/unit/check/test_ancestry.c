/*
 * Who is an ancestor of whom, against a plain walk up the parents.
 */
#include "check/ancestry.h"

#include "support/cmocka_all.h"

#include <stdio.h>

enum { MAX_SNAPSHOTS = 40 };

/* parent by index, -1: none, -2: not listed */
struct forest {
    int parent[MAX_SNAPSHOTS];
    int n;
};

static char json[1 << 14];

static void write_json(const struct forest *forest) {
    size_t used = (size_t)snprintf(
        json, sizeof(json),
        "{\"format-version\":2,\"table-uuid\":\"1d7ba3ad-0d6c-4a1b-9d64-5f2f3ce2f0a1\","
        "\"location\":\"s3://b/t\",\"last-sequence-number\":1,"
        "\"last-updated-ms\":1740000000000,\"last-column-id\":1,"
        "\"schemas\":[{\"type\":\"struct\",\"schema-id\":0,\"fields\":[]}],"
        "\"current-schema-id\":0,\"partition-specs\":[{\"spec-id\":0,\"fields\":[]}],"
        "\"default-spec-id\":0,\"last-partition-id\":999,"
        "\"sort-orders\":[{\"order-id\":0,\"fields\":[]}],\"default-sort-order-id\":0,"
        "\"current-snapshot-id\":100,\"snapshots\":[");
    for (int i = 0; i < forest->n; i++) {
        char parent[48] = "";
        if (forest->parent[i] != -1)
            (void)snprintf(parent, sizeof(parent), "\"parent-snapshot-id\":%d,",
                           forest->parent[i] == -2 ? 999 : 100 + forest->parent[i]);
        used += (size_t)snprintf(json + used, sizeof(json) - used,
                                 "%s{\"snapshot-id\":%d,%s\"timestamp-ms\":1740000000000,"
                                 "\"sequence-number\":1,\"manifest-list\":\"x\"}",
                                 i ? "," : "", 100 + i, parent);
    }
    (void)snprintf(json + used, sizeof(json) - used, "]}");
}

/* By walking up; *out_first: the snapshot without a parent where the walk ended, or -1.
 */
static bool walks_to(const struct forest *forest, int from, int to, int *out_first) {
    bool found = false;
    *out_first = -1;
    int at = from;
    for (int steps = 0; at >= 0 && steps <= forest->n; steps++) {
        found = found || at == to;
        if (forest->parent[at] == -1)
            *out_first = at;
        at = forest->parent[at];
    }
    return found;
}

static void expect_forest(const struct forest *forest) {
    write_json(forest);
    struct ice_memory_file file = {ICE_STR("metadata/v1.metadata.json"),
                                   ice_str_from(json)};
    struct ice_source *source = NULL;
    struct ice_run run;
    struct ice_target target;
    struct ice_check ck;
    struct ice_options options = ICE_OPTIONS_INIT;
    ice_run_init(&run, &options);
    assert_int_equal(ice_source_open_memory(&source, &file, 1, NULL, NULL), ICE_OK);
    assert_int_equal(ice_target_find(&target, &run, source, ICE_STR(""), NULL), ICE_OK);
    assert_int_equal(ice_check_init(&ck, &run, &options, &target, NULL), ICE_OK);
    assert_int_equal(ice_check_read_metadata(&ck, NULL), ICE_OK);
    assert_int_equal(ck.n_snapshots, forest->n);
    assert_int_equal(ice_ancestry_find(&ck), ICE_OK);
    for (int a = 0; a < forest->n; a++) {
        for (int b = 0; b < forest->n; b++) {
            int first;
            bool expected = walks_to(forest, b, a, &first);
            /* before lists are read only the first of all is known to have no parent */
            bool whole = first >= 0 && ck.number_of[first] == 0;
            assert_int_equal(ice_is_ancestor(&ck, ck.number_of[a], ck.number_of[b]),
                             expected);
            assert_int_equal(ck.snapshots[ck.number_of[b]].chain_whole, whole);
        }
    }
    uint32_t number = 0;
    assert_true(ice_snapshot_number(&ck, 100, &number));
    assert_int_equal(number, ck.number_of[0]);
    assert_false(ice_snapshot_number(&ck, 999, &number));
    ice_check_release(&ck);
    ice_target_release(&target);
    ice_source_free(source);
}

static void lines_and_branches(void **state) {
    (void)state;
    expect_forest(&(struct forest){{-1}, 1});
    expect_forest(&(struct forest){{-1, 0, 1, 2}, 4});
    expect_forest(&(struct forest){{1, 2, 3, -1}, 4}); /* children stand first */
    expect_forest(&(struct forest){{-1, 0, 0, 1, 2, 1}, 6});
    expect_forest(&(struct forest){{-1, 0, -1, 2, 3, -2, 5}, 7});
}

static void random_forests(void **state) {
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 200; round++) {
        struct forest forest = {.n = 1 + round % MAX_SNAPSHOTS};
        for (int i = 0; i < forest.n; i++) {
            seed = seed * 1664525u + 1013904223u;
            forest.parent[i] = (int)(seed >> 16) % (i + 2) - 2;
        }
        expect_forest(&forest);
    }
}

/* A snapshot on or behind a cycle has no whole chain; nothing hangs. */
static void cycles_end(void **state) {
    (void)state;
    static const struct forest cycle = {{1, 2, 0, 1}, 4};
    write_json(&cycle);
    struct ice_memory_file file = {ICE_STR("metadata/v1.metadata.json"),
                                   ice_str_from(json)};
    struct ice_source *source = NULL;
    struct ice_run run;
    struct ice_target target;
    struct ice_check ck;
    struct ice_options options = ICE_OPTIONS_INIT;
    ice_run_init(&run, &options);
    assert_int_equal(ice_source_open_memory(&source, &file, 1, NULL, NULL), ICE_OK);
    assert_int_equal(ice_target_find(&target, &run, source, ICE_STR(""), NULL), ICE_OK);
    assert_int_equal(ice_check_init(&ck, &run, &options, &target, NULL), ICE_OK);
    assert_int_equal(ice_check_read_metadata(&ck, NULL), ICE_OK);
    assert_int_equal(ice_ancestry_find(&ck), ICE_OK);
    for (size_t i = 0; i < ck.n_snapshots; i++)
        assert_false(ck.snapshots[i].chain_whole);
    ice_check_release(&ck);
    ice_target_release(&target);
    ice_source_free(source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_branches),
        cmocka_unit_test(random_forests),
        cmocka_unit_test(cycles_end),
    };
    return cmocka_run_group_tests_name("ancestry", tests, NULL, NULL);
}
