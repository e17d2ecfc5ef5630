/*
 * Where --map leads for a pointer, and entries grouped by table.
 */
#include "inputs/catalog.h"

#include "base/str.h"
#include "support/failing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static struct ice_run run;
static struct ice_arena arena;

static int set_up(void **state) {
    (void)state;
    ice_run_init(&run, NULL);
    ice_arena_init(&arena, &run.alloc);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ice_arena_release(&arena);
    return run.alloc.used == 0 ? 0 : -1;
}

static void expect_directory(const char *uri, const char *wanted) {
    static const struct ice_map_entry maps[] = {{"s3://lake/wh", "wh"},
                                                {"s3://lake/wh/deep/", "/deep"},
                                                {"hdfs://nn:8020/t", "t"}};
    struct ice_options options = ICE_OPTIONS_INIT;
    const char *directory = NULL;
    options.maps = maps;
    options.n_maps = ICE_COUNT_OF(maps);
    assert_int_equal(ice_catalog_directory(&run, &arena, &options, ice_str_from(uri),
                                           &directory, NULL),
                     ICE_OK);
    if (wanted == NULL)
        assert_null(directory);
    else
        assert_string_equal(directory, wanted);
}

static void directories(void **state) {
    (void)state;
    expect_directory("s3://lake/wh/db/t/metadata/v1.metadata.json", "wh/db/t");
    expect_directory("s3a://lake/wh/db/t/metadata/v1.metadata.json", "wh/db/t");
    expect_directory("s3://lake/wh/metadata/v1.metadata.json", "wh");
    expect_directory("s3://lake/wh/elsewhere/m/v1.metadata.json", "wh/elsewhere/m");
    expect_directory("s3://lake/wh/deep/t/metadata/v1.metadata.json", "/deep/t");
    expect_directory("hdfs://nn:8020/t/metadata/v1.metadata.json", "t");
    expect_directory("s3://lake/wh2/t/metadata/v1.metadata.json", NULL);
    expect_directory("s3://lake/wh/../x/metadata/v1.metadata.json", NULL);
    expect_directory("gs://lake/wh/t/metadata/v1.metadata.json", NULL);
    expect_directory("s3://lake/wh/a..b/metadata/v1.metadata.json", "wh/a..b");
    expect_directory("s3://lake/wh/v1.metadata.json", "wh");
}

/* Versions are one table, its newest entry first; the order is that of the input. */
static void groups(void **state) {
    (void)state;
    static const char text[] =
        "{\"TableVersions\":["
        "{\"VersionId\":\"9\",\"Table\":{\"Name\":\"b\",\"DatabaseName\":\"db\","
        "\"Parameters\":{"
        "\"metadata_location\":\"s3://x/b/metadata/9.metadata.json\"}}},"
        "{\"VersionId\":\"1\",\"Table\":{\"Name\":\"a\",\"DatabaseName\":\"db\","
        "\"Parameters\":{"
        "\"metadata_location\":\"s3://x/a/metadata/1.metadata.json\"}}},"
        "{\"VersionId\":\"10\",\"Table\":{\"Name\":\"b\",\"DatabaseName\":\"db\","
        "\"Parameters\":{"
        "\"metadata_location\":\"s3://x/b/metadata/10.metadata.json\"}}}]}";
    char path[] = "/tmp/icefsck-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof(text) - 1), (ssize_t)sizeof(text) - 1);
    (void)close(fd);
    const char *const pointers[] = {path, "db.c=s3://x/c/metadata/1.metadata.json",
                                    "/nowhere/at/all.json"};
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_catalog *catalog;
    struct ice_catalog_table table;
    struct ice_error fault;
    options.pointers = pointers;
    options.n_pointers = ICE_COUNT_OF(pointers);
    assert_int_equal(ice_catalog_open(&catalog, &options, NULL), ICE_OK);
    static const char *const wanted[] = {"10.metadata.json", "1.metadata.json",
                                         "1.metadata.json"};
    static const char *const names[] = {"db.b", "db.a", "db.c"};
    (void)unlink(path);
    size_t order[] = {1, 0, 2}; /* the newest entry of b stands behind a's */
    for (size_t i = 0; i < 3; i++) {
        assert_true(ice_catalog_at(catalog, i, &table));
        assert_true(ice_str_is(table.name, names[order[i]]));
        assert_true(
            ice_str_ends(table.metadata_location, ice_str_from(wanted[order[i]])));
        assert_null(table.directory);
        assert_false(table.has_document);
    }
    assert_false(ice_catalog_at(catalog, 3, &table));
    assert_true(ice_catalog_fault(catalog, 0, &fault));
    assert_string_equal(fault.file, "all.json");
    assert_false(ice_catalog_fault(catalog, 1, &fault));
    ice_catalog_free(catalog);
}

/* Entries of one name and one version: the one that stands last counts. */
static void equals_and_the_nameless(void **state) {
    (void)state;
    const char *const pointers[] = {
        "t=s3://x/t/metadata/1.metadata.json", "t=s3://x/t/metadata/2.metadata.json",
        ".=s3://x/u/metadata/1.metadata.json", "t=s3://x/t/metadata/3.metadata.json"};
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_catalog *catalog;
    struct ice_catalog_table table;
    struct ice_error err = {0};
    options.pointers = pointers;
    options.n_pointers = ICE_COUNT_OF(pointers);
    assert_int_equal(ice_catalog_open(&catalog, &options, NULL), ICE_OK);
    assert_true(ice_catalog_at(catalog, 0, &table));
    assert_true(ice_str_is(table.name, "."));
    assert_true(ice_catalog_at(catalog, 1, &table));
    assert_true(ice_str_is(table.name, "t"));
    assert_true(ice_str_is(table.metadata_location, "s3://x/t/metadata/3.metadata.json"));
    assert_false(ice_catalog_at(catalog, 2, &table));
    ice_catalog_free(catalog);
    ice_catalog_free(NULL);
    options.pointer_format = "no such";
    assert_int_equal(ice_catalog_open(&catalog, &options, &err), ICE_EARG);
    assert_null(catalog);
    assert_string_equal(err.message, "there is no pointer format of that name");
    options.pointer_format = "list";
    options.n_pointers = 0;
    assert_int_equal(ice_catalog_open(&catalog, &options, NULL), ICE_OK);
    assert_non_null(strstr(ice_catalog_nothing(catalog), "the pointers show no table"));
    ice_catalog_free(catalog);
}

/* Each request for memory fails in turn: then that is said. */
static void no_memory_is_said(void **state) {
    (void)state;
    static const struct ice_map_entry maps[] = {{"s3://x/t", "here"}};
    const char *const pointers[] = {"db.t=s3://x/t/metadata/1.metadata.json",
                                    "u=s3://x/t/u/metadata/2.metadata.json"};
    bool is_done = false;
    for (uint64_t k = 1; !is_done; k++) {
        struct failing failing = {.fail_at = k};
        const struct ice_allocator allocator = failing_allocator(&failing);
        struct ice_options options = ICE_OPTIONS_INIT;
        struct ice_catalog *catalog = NULL;
        options.allocator = &allocator;
        options.pointers = pointers;
        options.n_pointers = ICE_COUNT_OF(pointers);
        options.maps = maps;
        options.n_maps = 1;
        enum ice_status status = ice_catalog_open(&catalog, &options, NULL);
        is_done = failing.n < k;
        assert_int_equal(status, is_done ? ICE_OK : ICE_ENOMEM);
        ice_catalog_free(catalog);
        assert_int_equal(failing.used, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(directories, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups, set_up, tear_down),
        cmocka_unit_test_setup_teardown(equals_and_the_nameless, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_memory_is_said, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
