/*
 * Which metadata file is current, and the rules on hints.
 */
#include "unit/check/runner.h"

#define TABLE(updated)                                                                   \
    "{\"format-version\":1,\"location\":\"s3://b/wh/"                                    \
    "orders\",\"last-updated-ms\":" updated                                              \
    ",\"last-column-id\":1,\"schema\":{\"type\":\"struct\",\"schema-id\":0,\"fields\":"  \
    "[{\"id\":1,\"name\":\"a\",\"required\":false,\"type\":\"int\"}]},"                  \
    "\"partition-spec\":[]}"
#define NEW TABLE("1740000000000")
#define OLD TABLE("1730000000000")
#define M "metadata/"

struct pin_case {
    const char *const files[14];
    const char *metadata; /* --metadata */
    const char *picked;
    const char *picked_by;
    const char *findings; /* of hint.* and catalog.* */
};

static const struct pin_case cases[] = {
    {{M "v1.metadata.json", OLD, M "v2.metadata.json", NEW, M "version-hint.text", "2"},
     NULL,
     M "v2.metadata.json",
     "hint",
     ""},
    {{M "v1.metadata.json", OLD, M "v2.metadata.json", NEW},
     NULL,
     M "v2.metadata.json",
     "name",
     "info hint.missing " M "version-hint.text\n"},
    {{M "v9.metadata.json", OLD, M "v10.metadata.json", NEW, M "version-hint.text", "10"},
     NULL,
     M "v10.metadata.json",
     "hint",
     ""},
    /* behind: followed forward as Java does */
    {{M "v1.metadata.json", OLD, M "v2.metadata.json", OLD, M "v3.metadata.json", NEW,
      M "version-hint.text", "1"},
     NULL,
     M "v3.metadata.json",
     "hint",
     "warn hint.stale " M "version-hint.text\n"},
    {{M "v1.metadata.json", OLD, M "v2.metadata.json", NEW, M "version-hint.text", "1"},
     "1",
     M "v1.metadata.json",
     "argument",
     "warn hint.stale " M "version-hint.text\n"},
    /* a gap: Java stops in front of it */
    {{M "v1.metadata.json", OLD, M "v3.metadata.json", NEW, M "version-hint.text", "1"},
     NULL,
     M "v1.metadata.json",
     "hint",
     "error hint.version-gap " M "version-hint.text\n"},
    {{M "v1.metadata.json", OLD, M "v3.metadata.json", NEW, M "version-hint.text", "1"},
     "latest",
     M "v3.metadata.json",
     "argument",
     "warn hint.version-gap " M "version-hint.text\n"},
    {{M "v1.metadata.json", OLD, M "v2.metadata.json", OLD, M "v4.metadata.json", NEW,
      M "version-hint.text", "1"},
     NULL,
     M "v2.metadata.json",
     "hint",
     "warn hint.stale " M "version-hint.text\nerror hint.version-gap " M
     "version-hint.text\n"},
    /* versions that expired below the hint are no gap */
    {{M "v1.metadata.json", OLD, M "v7.metadata.json", NEW, M "version-hint.text", "7"},
     NULL,
     M "v7.metadata.json",
     "hint",
     ""},
    /* ahead, or lost */
    {{M "v1.metadata.json", OLD, M "v2.metadata.json", NEW, M "version-hint.text", "9"},
     NULL,
     M "v2.metadata.json",
     "name",
     "error hint.dangling " M "version-hint.text\n"},
    {{M "v1.metadata.json", OLD, M "v2.metadata.json", NEW, M "version-hint.text", "9"},
     "hint",
     M "v2.metadata.json",
     "name",
     "error hint.dangling " M "version-hint.text\n"},
    {{M "v1.metadata.json", OLD, M "v2.metadata.json", NEW, M "version-hint.text", "9"},
     "v2.metadata.json",
     M "v2.metadata.json",
     "argument",
     "warn hint.dangling " M "version-hint.text\n"},
    {{M "v1.metadata.json", OLD, M "version-hint.text", "abc"},
     NULL,
     M "v1.metadata.json",
     "name",
     "warn hint.unparseable " M "version-hint.text\n"},
    {{M "v1.metadata.json", OLD, M "version-hint.text", ""},
     NULL,
     M "v1.metadata.json",
     "name",
     "warn hint.unparseable " M "version-hint.text\n"},
    {{M "00001-a.metadata.json", OLD, M "00002-b.metadata.json", NEW,
      M "version-hint.text", "00001-a"},
     NULL,
     M "00002-b.metadata.json",
     "hint",
     "warn hint.stale " M "version-hint.text\nwarn hint.unparseable " M
     "version-hint.text\n"},
    /* catalog tables: numbers may repeat and skip */
    {{M "00001-a.metadata.json", OLD, M "00003-b.metadata.json", NEW},
     NULL,
     M "00003-b.metadata.json",
     "name",
     ""},
    {{M "00003-a.metadata.json", NEW, M "00003-b.metadata.json", OLD},
     NULL,
     M "00003-a.metadata.json",
     "name",
     "warn catalog.pointer.ambiguous " M "00003-a.metadata.json\n"},
    {{M "00003-a.metadata.json", NEW, M "00003-b.metadata.json", "{broken"},
     NULL,
     M "00003-a.metadata.json",
     "name",
     "warn catalog.pointer.ambiguous " M "00003-a.metadata.json\n"},
    {{M "00003-a.metadata.json", NEW, M "00003-b.metadata.json", OLD},
     "00003-b.metadata.json",
     M "00003-b.metadata.json",
     "argument",
     ""},
    {{M "v2.metadata.json", OLD, M "00003-b.metadata.json", NEW, M "version-hint.text",
      "2"},
     NULL,
     M "v2.metadata.json",
     "hint",
     "warn hint.mixed-naming " M "00003-b.metadata.json\n"},
    {{M "v2.metadata.json", OLD, M "version-hint.text", "2",
      M "12345678-1234-1234-1234-1234567890ab.metadata.json", NEW},
     NULL,
     M "v2.metadata.json",
     "hint",
     "info hint.leftover-temp " M "12345678-1234-1234-1234-1234567890ab.metadata.json\n"},
    {{M "v2.metadata.json", OLD, M "version-hint.text", "2",
      M "12345678-1234-1234-1234-1234567890ab-version-hint.temp", "2"},
     NULL,
     M "v2.metadata.json",
     "hint",
     "info hint.leftover-temp " M
     "12345678-1234-1234-1234-1234567890ab-version-hint.temp\n"},
    /* the name says gz; the bytes are judged elsewhere */
    {{M "v2.metadata.json", NEW, M "v2.gz.metadata.json", NEW, M "version-hint.text",
      "2"},
     NULL,
     M "v2.metadata.json",
     "hint",
     "warn hint.codec-ambiguous " M "v2.gz.metadata.json\n"},
    {{M "v2.metadata.json", NEW, M "v2.gz.metadata.json", OLD, M "version-hint.text",
      "2"},
     NULL,
     M "v2.metadata.json",
     "hint",
     "error hint.codec-ambiguous " M "v2.gz.metadata.json\n"},
    {{M "v2.metadata.json", NEW, M "v2.metadata.json.gz", OLD, M "v3.metadata.json", NEW,
      M "version-hint.text", "3"},
     NULL,
     M "v3.metadata.json",
     "hint",
     "warn hint.codec-ambiguous " M "v2.metadata.json.gz\n"},
    {{M "v2.metadata.json", NEW, M "v2.gz.metadata.json", OLD, M "version-hint.text",
      "2"},
     "2",
     M "v2.metadata.json",
     "argument",
     "warn hint.codec-ambiguous " M "v2.gz.metadata.json\n"},
};

static void files_are_pinned(void **state) {
    (void)state;
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_options options = ICE_OPTIONS_INIT;
        struct test_result result;
        options.metadata = cases[i].metadata;
        test_check(&result, cases[i].files, "", &options);
        if (result.status != ICE_OK)
            fail_msg("case %zu: %s", i, result.err.message);
        assert_true(ice_str_is(result.summary->metadata_file, cases[i].picked));
        assert_string_equal(result.summary->picked_by, cases[i].picked_by);
        test_expect_lines(&result, "hint.*", "catalog.*", cases[i].findings);
        ice_summary_free(result.summary);
    }
}

static void unknown_metadata_is_misuse(void **state) {
    (void)state;
    const char *const files[] = {M "v1.metadata.json", NEW, NULL};
    struct ice_options options = ICE_OPTIONS_INIT;
    struct test_result result;
    options.metadata = "v7.metadata.json";
    test_check(&result, files, "", &options);
    assert_int_equal(result.status, ICE_EARG);
    assert_null(result.summary);
    assert_non_null(strstr(result.err.message, "v1.metadata.json"));
}

static void names_and_scope_of_the_summary(void **state) {
    (void)state;
    const char *const files[] = {"dir/" M "v1.metadata.json", NEW, NULL};
    struct ice_options options = ICE_OPTIONS_INIT;
    struct test_result result;
    test_check(&result, files, "dir", &options);
    assert_int_equal(result.status, ICE_OK);
    assert_true(ice_str_is(result.summary->table, "orders"));
    assert_string_equal(result.summary->scope_snapshots, "all");
    assert_string_equal(result.summary->depth, "manifest");
    assert_true(result.summary->n_not_evaluated >= 1);
    assert_true(ice_str_is(result.summary->not_evaluated[0].what, "storage.*"));
    assert_false(result.summary->not_evaluated[0].asked);
    ice_summary_free(result.summary);
    options.table_name = "db.orders";
    options.snapshot = "main";
    test_check(&result, files, "dir", &options);
    assert_true(ice_str_is(result.summary->table, "db.orders"));
    assert_string_equal(result.summary->scope_snapshots, "main");
    assert_true(result.summary->complete); /* nothing was committed yet */
    ice_summary_free(result.summary);
    options.snapshot = "audit";
    test_check(&result, files, "dir", &options);
    assert_false(result.summary->complete);
    assert_int_equal(result.summary->exit_code & 2, 2);
    ice_summary_free(result.summary);
}

static void what_is_no_table(void **state) {
    (void)state;
    const char *const files[] = {"a/b/file.txt", "hello", "data.parquet", "PAR1", NULL};
    struct ice_options options = ICE_OPTIONS_INIT;
    struct test_result result;
    static const char *const roots[] = {"a", "a/b", "", "a/b/file.txt", "data.parquet"};
    for (size_t i = 0; i < ICE_COUNT_OF(roots); i++) {
        test_check(&result, files, roots[i], &options);
        assert_int_equal(result.status, ICE_OK);
        assert_non_null(strstr(result.findings, "warn source.unknown"));
        assert_int_equal(result.summary->exit_code, 2);
        ice_summary_free(result.summary);
    }
    test_check(&result, files, "nothing", &options);
    assert_int_equal(result.status, ICE_ENOENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_pinned),
        cmocka_unit_test(unknown_metadata_is_misuse),
        cmocka_unit_test(names_and_scope_of_the_summary),
        cmocka_unit_test(what_is_no_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
