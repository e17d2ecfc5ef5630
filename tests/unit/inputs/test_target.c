/*
 * What a key of a source is taken for.
 */
#include "inputs/target.h"
#include "support/failing_run.h"
#include "support/one_run.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define TABLE_JSON                                                                       \
    "{\"format-version\":2,\"location\":\"s3://b/t\",\"last-updated-ms\":17}"

/* Files as key, bytes, key, bytes ... NULL. */
static struct ice_source *source_of(const char *const *pairs) {
    struct ice_memory_file files[16];
    size_t n = 0;
    for (; pairs[2 * n] != NULL; n++)
        files[n] = (struct ice_memory_file){ice_str_from(pairs[2 * n]),
                                            ice_str_from(pairs[2 * n + 1])};
    struct ice_source *source = NULL;
    assert_int_equal(ice_source_open_memory(&source, files, n, NULL, NULL), ICE_OK);
    return source;
}

static void expect_key(struct ice_str key, const char *text) {
    if (!ice_str_is(key, text))
        fail_msg("'%.*s' is not '%s'", ICE_STR_FMT(key), text);
}

static void table_directory(void **state) {
    (void)state;
    const char *const files[] = {"t/metadata/v2.metadata.json",
                                 TABLE_JSON,
                                 "t/metadata/v10.metadata.json",
                                 TABLE_JSON,
                                 "t/metadata/.v1.metadata.json.crc",
                                 "x",
                                 "t/metadata/version-hint.text",
                                 "10\nx",
                                 "t/metadata/ab-version-hint.temp",
                                 "10",
                                 "t/data/f",
                                 "",
                                 NULL};
    struct ice_source *source = source_of(files);
    static const char *const roots[] = {"t", "t/", "t/metadata"};
    for (size_t i = 0; i < ICE_COUNT_OF(roots); i++) {
        struct ice_target target;
        assert_int_equal(
            ice_target_find(&target, &run, source, ice_str_from(roots[i]), NULL), ICE_OK);
        assert_int_equal(target.kind, ICE_TARGET_TABLE);
        expect_key(target.table_root, "t");
        expect_key(target.metadata_dir, "t/metadata");
        assert_int_equal(target.n_names, 2);
        expect_key(target.names[0].name, "v2.metadata.json");
        assert_int_equal(target.names[1].version, 10);
        assert_true(target.has_hint && target.hint_readable);
        assert_int_equal(target.hint_version, 10);
        assert_int_equal(target.n_hint_temps, 1);
        ice_target_release(&target);
        ice_target_release(&target);
    }
    ice_source_free(source);
}

static void flat_directory(void **state) {
    (void)state;
    const char *const files[] = {"copy/00001-a.metadata.json", TABLE_JSON, NULL};
    struct ice_source *source = source_of(files);
    struct ice_target target;
    assert_int_equal(ice_target_find(&target, &run, source, ICE_STR("copy"), NULL),
                     ICE_OK);
    expect_key(target.table_root, "copy");
    expect_key(target.metadata_dir, "copy");
    assert_false(target.has_hint);
    ice_target_release(&target);
    assert_int_equal(ice_target_find(&target, &run, source, ICE_STR(""), NULL), ICE_OK);
    assert_int_equal(target.kind, ICE_TARGET_EMPTY);
    ice_target_release(&target);
    assert_int_equal(ice_target_find(&target, &run, source, ICE_STR("no"), NULL),
                     ICE_ENOENT);
    ice_target_release(&target);
    ice_source_free(source);
}

static void lone_files(void **state) {
    (void)state;
    const char *const files[] = {"t/metadata/a.metadata.json",
                                 "{",
                                 "x/table.json",
                                 TABLE_JSON,
                                 "x/m.avro",
                                 "nothing",
                                 "x/t.txt",
                                 "hello",
                                 NULL};
    struct ice_source *source = source_of(files);
    static const struct {
        const char *key, *root;
        enum ice_target_kind kind;
    } cases[] = {
        {"t/metadata/a.metadata.json", "t", ICE_TARGET_METADATA},
        {"x/table.json", "x", ICE_TARGET_METADATA},
        {"x/m.avro", "x", ICE_TARGET_AVRO},
        {"x/t.txt", "x", ICE_TARGET_OTHER},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_target target;
        assert_int_equal(
            ice_target_find(&target, &run, source, ice_str_from(cases[i].key), NULL),
            ICE_OK);
        assert_int_equal(target.kind, cases[i].kind);
        expect_key(target.table_root, cases[i].root);
        expect_key(target.file_key, cases[i].key);
        ice_target_release(&target);
    }
    ice_source_free(source);
}

struct hint_case {
    const char *text;
    bool is_readable;
    int64_t version;
};

static const struct hint_case hints[] = {
    {"3", true, 3},
    {" 3 \r\nmore", true, 3},
    {"0", true, 0},
    {"2147483647", true, 2147483647},
    {"2147483648", false, -1},
    {"-1", false, -1},
    {"", false, -1},
    {"abc", false, -1},
    {"3.0", false, -1},
    {"00003-a", true, -1},
    {"00003-a.metadata.json", true, -1},
    {"00003", true, 3},
    {"0000", true, 0},
    {"\0", false, -1},
};

static void hints_are_parsed(void **state) {
    (void)state;
    for (size_t i = 0; i < ICE_COUNT_OF(hints); i++) {
        const char *const files[] = {"metadata/00003-a.metadata.json", TABLE_JSON,
                                     "metadata/version-hint.text", hints[i].text, NULL};
        struct ice_source *source = source_of(files);
        struct ice_target target;
        assert_int_equal(ice_target_find(&target, &run, source, ICE_STR(""), NULL),
                         ICE_OK);
        if (!target.has_hint || target.hint_readable != hints[i].is_readable ||
            target.hint_version != hints[i].version)
            fail_msg("hint '%s': %d %d", hints[i].text, target.hint_readable,
                     (int)target.hint_version);
        ice_target_release(&target);
        ice_source_free(source);
    }
}

static void last_updated_is_peeked(void **state) {
    (void)state;
    const char *const files[] = {"a", TABLE_JSON,
                                 "b", "{\"x\":[{}],\"last-updated-ms\":5,,,",
                                 "c", "{\"x\":{\"last-updated-ms\":5}}",
                                 "d", "[]",
                                 "e", "{\"x\":",
                                 NULL};
    struct ice_source *source = source_of(files);
    int64_t ms = 0;
    assert_int_equal(ice_metadata_peek_updated(source, ICE_STR("a"), &run, &ms, NULL),
                     ICE_OK);
    assert_int_equal(ms, 17);
    assert_int_equal(ice_metadata_peek_updated(source, ICE_STR("b"), &run, &ms, NULL),
                     ICE_OK);
    assert_int_equal(ms, 5);
    assert_int_equal(ice_metadata_peek_updated(source, ICE_STR("c"), &run, &ms, NULL),
                     ICE_DONE);
    assert_int_equal(ice_metadata_peek_updated(source, ICE_STR("d"), &run, &ms, NULL),
                     ICE_DONE);
    assert_int_equal(ice_metadata_peek_updated(source, ICE_STR("e"), &run, &ms, NULL),
                     ICE_EFORMAT);
    ice_source_free(source);
}

/* A member of another type says nothing; what stands behind both is not read. */
static void identity_is_peeked(void **state) {
    (void)state;
    const char *const files[] = {
        "a", "{\"table-uuid\":5,\"location\":\"x\"}",
        "b", "[{\"location\":\"x\"}]",
        "c", "{\"location\":\"x\",\"y\":[1],\"table-uuid\":\"u\",,,",
        "d", "{\"table-uuid\":\"u\"}",
        "e", "{\"table-uuid\":",
        NULL};
    static const struct {
        const char *key, *uuid, *location;
        enum ice_status status;
    } cases[] = {
        {"a", "", "x", ICE_OK}, {"b", "", "", ICE_OK},      {"c", "u", "x", ICE_OK},
        {"d", "u", "", ICE_OK}, {"e", "", "", ICE_EFORMAT}, {"f", "", "", ICE_ENOENT},
    };
    struct ice_source *source = source_of(files);
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_arena arena;
        struct ice_str uuid, location;
        ice_arena_init(&arena, &run.alloc);
        assert_int_equal(ice_metadata_peek_identity(source, ice_str_from(cases[i].key),
                                                    &run, &arena, &uuid, &location, NULL),
                         cases[i].status);
        expect_key(uuid, cases[i].uuid);
        expect_key(location, cases[i].location);
        ice_arena_release(&arena);
    }
    ice_source_free(source);
}

static void odd_times_are_none(void **state) {
    (void)state;
    const char *const files[] = {"a", "{\"last-updated-ms\":\"5\"}",
                                 "b", "{\"last-updated-ms\":1.5}",
                                 "c", "{\"last-updated-ms\":99999999999999999999}",
                                 NULL};
    struct ice_source *source = source_of(files);
    for (size_t i = 0; i < 3; i++) {
        int64_t ms = 7;
        assert_int_equal(ice_metadata_peek_updated(source, ice_str_from(files[2 * i]),
                                                   &run, &ms, NULL),
                         ICE_DONE);
    }
    assert_int_equal(
        ice_metadata_peek_updated(source, ICE_STR("x"), &run, &(int64_t){0}, NULL),
        ICE_ENOENT);
    ice_source_free(source);
}

/* Each request for memory fails in turn: then that is said. */
static void no_memory_is_said(void **state) {
    (void)state;
    const char *const files[] = {
        "t/metadata/v2.metadata.json",
        TABLE_JSON,
        "t/metadata/v10.metadata.json",
        TABLE_JSON,
        "t/metadata/version-hint.text",
        "10",
        "t/metadata/a-version-hint.temp",
        "10",
        "t/metadata/b-version-hint.temp",
        "10",
        "x/table.json",
        "{\"table-uuid\":\"u\",\"location\":\"x\",\"last-updated-ms\":5}",
        NULL};
    struct ice_source *source = source_of(files);
    static const char *const roots[] = {"t", "t/metadata", "x/table.json", "x", "no"};
    for (size_t i = 0; i < ICE_COUNT_OF(roots); i++) {
        bool is_done = false;
        for (uint64_t k = 1; !is_done; k++) {
            struct failing failing = {.fail_at = k};
            struct ice_run short_of;
            struct ice_target target;
            struct ice_arena arena;
            struct ice_str uuid, location, key = ICE_STR("x/table.json");
            int64_t ms;
            failing_run_init(&short_of, &failing);
            ice_arena_init(&arena, &short_of.alloc);
            enum ice_status status =
                ice_target_find(&target, &short_of, source, ice_str_from(roots[i]), NULL);
            if (failing.n < k && i == 0) { /* and what is peeked at then */
                status = ice_metadata_peek_identity(source, key, &short_of, &arena, &uuid,
                                                    &location, NULL);
                if (status == ICE_OK)
                    status = ice_metadata_peek_updated(source, key, &short_of, &ms, NULL);
            }
            is_done = failing.n < k;
            if (is_done)
                assert_int_equal(status, i == 4 ? ICE_ENOENT : ICE_OK);
            else
                assert_int_equal(status, ICE_ENOMEM);
            ice_target_release(&target);
            ice_arena_release(&arena);
            assert_int_equal(failing.used, 0);
        }
    }
    ice_source_free(source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(table_directory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(flat_directory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lone_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hints_are_parsed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(last_updated_is_peeked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(identity_is_peeked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(odd_times_are_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_memory_is_said, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
