/*
 * Lone files, and the walk of --list-files.
 */
#include "check/check.h"
#include "unit/check/runner.h"

#define SYNC "0123456789abcdef"
#define BYTES(literal)                                                                   \
    { (literal), sizeof(literal) - 1 }
#define HEADER                                                                           \
    "Obj\x01\x02\x16"                                                                    \
    "avro.schema"                                                                        \
    "\x0c"                                                                               \
    "\"long\""                                                                           \
    "\x00" SYNC
#define BLOCK "\x04\x04\x02\x04" SYNC /* 1, 2 */

struct lone_case {
    struct ice_str bytes;
    const char *findings;
    int exit_code;
};

static const struct lone_case lone_cases[] = {
    {BYTES(HEADER), "", 0},
    {BYTES(HEADER BLOCK BLOCK), "", 0},
    {BYTES(HEADER BLOCK "\x04\x04\x02"), "error avro.truncated x.avro\n", 3},
    {BYTES(HEADER "\x04\x04\x02\x04"
                  "0123456789abcdeX" BLOCK),
     "error avro.sync-mismatch x.avro\n", 3},
    {BYTES(HEADER "\x04\x03\x02\x04" SYNC BLOCK), "error avro.block.size x.avro\n", 3},
    {BYTES("Obj\x01\x02"), "error avro.truncated x.avro\n", 3},
    {BYTES(""), "error avro.truncated x.avro\n", 3},
    {BYTES("Xbj\x01"), "error avro.magic x.avro\n", 3},
};

static void lone_containers(void **state) {
    (void)state;
    for (size_t i = 0; i < ICE_COUNT_OF(lone_cases); i++) {
        struct ice_memory_file file = {ICE_STR("x.avro"), lone_cases[i].bytes};
        struct ice_options options = ICE_OPTIONS_INIT;
        struct ice_source *source = NULL;
        struct test_result result = {0};
        assert_int_equal(ice_source_open_memory(&source, &file, 1, NULL, NULL), ICE_OK);
        result.status = ice_check_table(source, "x.avro", &options, test_note, &result,
                                        &result.summary, &result.err);
        ice_source_free(source);
        assert_int_equal(result.status, ICE_OK);
        if (strcmp(result.findings, lone_cases[i].findings) != 0)
            fail_msg("case %zu:\n%s", i, result.findings);
        assert_int_equal(result.summary->exit_code, lone_cases[i].exit_code);
        assert_true(ice_str_is(result.summary->not_evaluated[0].what, "table") ||
                    result.summary->exit_code != 0);
        ice_summary_free(result.summary);
    }
}

/* ---- a file that does not end ---- */

static enum ice_status endless_open(void *user, struct ice_str key, void **out_file,
                                    struct ice_file_info *out_info,
                                    struct ice_error *err) {
    (void)key;
    (void)err;
    *out_file = user;
    *out_info = (struct ice_file_info){.size = 100};
    return ICE_OK;
}

/* The header, then the block for ever. */
static enum ice_status endless_read(void *user, void *file, uint64_t offset, void *buffer,
                                    size_t size, size_t *out_size,
                                    struct ice_error *err) {
    static const char header[] = HEADER, block[] = BLOCK;
    const size_t header_size = sizeof(header) - 1, block_size = sizeof(block) - 1;
    (void)user;
    (void)file;
    (void)err;
    for (size_t i = 0; i < size; i++) {
        uint64_t at = offset + i;
        ((char *)buffer)[i] = at < header_size
                                  ? header[at]
                                  : block[(size_t)((at - header_size) % block_size)];
    }
    *out_size = size;
    return ICE_OK;
}

static void endless_close(void *user, void *file) {
    (void)user;
    (void)file;
}

static void a_file_without_end(void **state) {
    static const struct ice_source_ops ops = {endless_open, endless_read, endless_close,
                                              NULL, NULL};
    char user = 0;
    (void)state;
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_source *source = NULL;
    struct test_result result = {0};
    options.limits.file_bytes = 1 << 20;
    assert_int_equal(ice_source_open_ops(&source, &ops, &user, NULL, NULL), ICE_OK);
    result.status = ice_check_table(source, "x.avro", &options, test_note, &result,
                                    &result.summary, &result.err);
    ice_source_free(source);
    assert_int_equal(result.status, ICE_OK);
    assert_string_equal(result.findings, "warn limit.file x.avro\n");
    assert_int_equal(result.summary->exit_code, 2);
    ice_summary_free(result.summary);
}

/* ---- files that would be read ---- */

#define TABLE                                                                            \
    "{\"format-version\":1,\"location\":\"s3://b/t\",\"last-updated-ms\":1740000000000," \
    "\"last-column-id\":1,\"schema\":{\"type\":\"struct\",\"schema-id\":0,\"fields\":[]" \
    "},"                                                                                 \
    "\"partition-spec\":[],\"current-snapshot-id\":2,\"snapshots\":["                    \
    "{\"snapshot-id\":1,\"timestamp-ms\":1740000000000,"                                 \
    "\"manifest-list\":\"s3://b/t/metadata/a.avro\"},"                                   \
    "{\"snapshot-id\":2,\"timestamp-ms\":1740000000000,"                                 \
    "\"manifest-list\":\"s3://b/t/metadata/a.avro\"},"                                   \
    "{\"snapshot-id\":3,\"timestamp-ms\":1740000000000,"                                 \
    "\"manifest-list\":\"s3://c/b.avro\"},"                                              \
    "{\"snapshot-id\":4,\"timestamp-ms\":1740000000000,\"manifests\":[\"s3://b/t/"       \
    "m.avro\"]}]}"

static enum ice_status note_file(struct ice_str uri, const char *kind, int64_t size,
                                 int here, void *user) {
    char *text = user;
    size_t used = strlen(text);
    (void)snprintf(text + used, 1024 - used, "%s %.*s %lld %d\n", kind, ICE_STR_FMT(uri),
                   (long long)size, here);
    return ICE_OK;
}

static void walk(enum ice_depth depth, const char *snapshot, const char *expected) {
    struct ice_memory_file files[] = {
        {ICE_STR("metadata/v1.metadata.json"), ICE_STR(TABLE)},
        {ICE_STR("metadata/version-hint.text"), ICE_STR("1")},
        {ICE_STR("m.avro"), ICE_STR("12345")},
    };
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_source *source = NULL;
    struct ice_target target;
    struct ice_check ck;
    struct ice_run run;
    char text[1024] = "";
    options.depth = depth;
    options.snapshot = snapshot;
    ice_run_init(&run, &options);
    assert_int_equal(ice_source_open_memory(&source, files, 3, NULL, NULL), ICE_OK);
    assert_int_equal(ice_target_find(&target, &run, source, ICE_STR(""), NULL), ICE_OK);
    assert_int_equal(ice_check_init(&ck, &run, &options, &target, NULL), ICE_OK);
    assert_int_equal(ice_check_walk_files(&ck, note_file, text, NULL), ICE_OK);
    if (strcmp(text, expected) != 0)
        fail_msg("files are\n%s", text);
    ice_check_release(&ck);
    ice_target_release(&target);
    ice_source_free(source);
    assert_int_equal(run.alloc.used, 0);
}

#define FIRST                                                                            \
    "hint s3://b/t/metadata/version-hint.text 1 1\n"                                     \
    "metadata s3://b/t/metadata/v1.metadata.json %zu 1\n"

static void files_are_walked(void **state) {
    (void)state;
    char first[256], expected[1024];
    (void)snprintf(first, sizeof(first), FIRST, sizeof(TABLE) - 1);
    walk(ICE_DEPTH_METADATA, NULL, first);
    (void)snprintf(expected, sizeof(expected), "%s%s", first,
                   "manifest-list s3://b/t/metadata/a.avro -1 0\n"
                   "manifest-list s3://c/b.avro -1 -1\n");
    walk(ICE_DEPTH_LIST, NULL, expected);
    size_t used = strlen(expected);
    (void)snprintf(expected + used, sizeof(expected) - used,
                   "manifest s3://b/t/m.avro 5 1\n");
    walk(ICE_DEPTH_MANIFEST, NULL, expected);
    (void)snprintf(expected, sizeof(expected), "%s%s", first,
                   "manifest s3://b/t/m.avro 5 1\n");
    walk(ICE_DEPTH_MANIFEST, "4", expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lone_containers),
        cmocka_unit_test(a_file_without_end),
        cmocka_unit_test(files_are_walked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
