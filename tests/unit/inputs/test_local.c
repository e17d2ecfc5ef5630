/*
 * Local paths and standard input as targets.
 */
#include "base/error.h"
#include "inputs/stdin.h"
#include "inputs/target.h"
#include "support/cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TABLE_JSON "{\"format-version\":2,\"location\":\"s3://b/t\"}"

static char root[] = "/tmp/icefsck-test-XXXXXX";
static struct ice_run run;

static void path_of(char *out, size_t size, const char *name) {
    (void)snprintf(out, size, "%s/%s", root, name);
}

static void make_directory(const char *name) {
    char path[256];
    path_of(path, sizeof(path), name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void make_file(const char *name, const char *text) {
    char path[256];
    path_of(path, sizeof(path), name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) < 0, 0);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state) {
    (void)state;
    if (mkdtemp(root) == NULL)
        return -1;
    make_directory("orders");
    make_directory("orders/metadata");
    make_file("orders/metadata/v1.metadata.json", TABLE_JSON);
    make_directory("metadata"); /* a table of that name */
    make_directory("metadata/metadata");
    make_file("metadata/metadata/v1.metadata.json", TABLE_JSON);
    make_directory("flat");
    make_file("flat/00001-a.metadata.json", TABLE_JSON);
    make_directory("nothing");
    char link_path[256];
    path_of(link_path, sizeof(link_path), "link.json");
    if (symlink("orders/metadata/v1.metadata.json", link_path) != 0)
        return -1;
    path_of(link_path, sizeof(link_path), "linked");
    if (symlink("orders/metadata", link_path) != 0)
        return -1;
    ice_run_init(&run, NULL);
    return 0;
}

static int tear_down(void **state) {
    static const char *const names[] = {
        "orders/metadata/v1.metadata.json", "metadata/metadata/v1.metadata.json",
        "flat/00001-a.metadata.json", "link.json", "linked"};
    static const char *const directories[] = {
        "orders/metadata", "orders", "metadata/metadata", "metadata", "flat", "nothing"};
    char path[256];
    (void)state;
    for (size_t i = 0; i < ICE_COUNT_OF(names); i++) {
        path_of(path, sizeof(path), names[i]);
        (void)unlink(path);
    }
    for (size_t i = 0; i < ICE_COUNT_OF(directories); i++) {
        path_of(path, sizeof(path), directories[i]);
        (void)rmdir(path);
    }
    return rmdir(root);
}

struct path_case {
    const char *path;
    enum ice_target_kind kind;
    const char *name;         /* directory_name */
    const char *metadata_dir; /* key */
    const char *file_key;
};

static const struct path_case paths[] = {
    {"orders", ICE_TARGET_TABLE, "orders", "metadata", ""},
    {"orders/", ICE_TARGET_TABLE, "orders", "metadata", ""},
    {"orders/metadata", ICE_TARGET_TABLE, "orders", "metadata", ""},
    {"orders/metadata/../metadata/.", ICE_TARGET_TABLE, "orders", "metadata", ""},
    {"linked", ICE_TARGET_TABLE, "orders", "metadata", ""},
    {"orders/metadata/v1.metadata.json", ICE_TARGET_METADATA, "orders", "metadata",
     "metadata/v1.metadata.json"},
    {"link.json", ICE_TARGET_METADATA, "orders", "metadata", "metadata/v1.metadata.json"},
    {"metadata", ICE_TARGET_TABLE, "metadata", "metadata", ""},
    {"metadata/metadata", ICE_TARGET_TABLE, "metadata", "metadata", ""},
    {"flat", ICE_TARGET_TABLE, "flat", "", ""},
    {"flat/00001-a.metadata.json", ICE_TARGET_METADATA, "flat", "",
     "00001-a.metadata.json"},
    {"nothing", ICE_TARGET_EMPTY, "nothing", "", ""},
};

static void expect_text(struct ice_str text, const char *expected, const char *of) {
    if (!ice_str_is(text, expected))
        fail_msg("%s: '%.*s' is not '%s'", of, ICE_STR_FMT(text), expected);
}

static void paths_are_recognised(void **state) {
    (void)state;
    for (size_t i = 0; i < ICE_COUNT_OF(paths); i++) {
        struct ice_target target;
        char path[256];
        path_of(path, sizeof(path), paths[i].path);
        assert_int_equal(ice_target_open(&target, &run, path, NULL), ICE_OK);
        if (target.kind != paths[i].kind)
            fail_msg("%s: kind %d", paths[i].path, target.kind);
        expect_text(target.directory_name, paths[i].name, paths[i].path);
        expect_text(target.metadata_dir, paths[i].metadata_dir, paths[i].path);
        expect_text(target.file_key, paths[i].file_key, paths[i].path);
        assert_true(target.owns_source);
        ice_target_release(&target);
        assert_int_equal(run.alloc.used, 0);
    }
}

static void absent_paths(void **state) {
    (void)state;
    struct ice_target target;
    struct ice_error err;
    char path[256];
    ice_error_clear(&err);
    path_of(path, sizeof(path), "no/such");
    assert_int_equal(ice_target_open(&target, &run, path, &err), ICE_ENOENT);
    assert_true(err.message[0] != '\0');
    ice_target_release(&target);
}

/* Standard input is `name` while body runs. */
static void with_stdin(const char *name, void (*body)(void)) {
    char path[256];
    path_of(path, sizeof(path), name);
    int saved = dup(STDIN_FILENO), fd = open(path, O_RDONLY);
    assert_true(saved >= 0 && fd >= 0);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    body();
    assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
    (void)close(fd);
    (void)close(saved);
}

static void read_stdin(void) {
    struct ice_target target;
    struct ice_stream stream;
    struct ice_file_info info;
    struct ice_str text;
    assert_int_equal(ice_target_open(&target, &run, "-", NULL), ICE_OK);
    assert_int_equal(target.kind, ICE_TARGET_METADATA);
    assert_true(target.is_stdin);
    for (int again = 0; again < 2; again++) { /* it can be read twice */
        assert_int_equal(ice_source_open_stream(target.source, target.file_key, &run,
                                                &stream, &info, NULL),
                         ICE_OK);
        assert_int_equal(ice_stream_peek(&stream, 4096, &text, NULL), ICE_OK);
        expect_text(text, TABLE_JSON, "-");
        ice_stream_release(&stream);
    }
    ice_target_release(&target);
    assert_int_equal(run.alloc.used, 0);
}

static void read_too_much(void) {
    struct ice_target target;
    struct ice_error err;
    ice_error_clear(&err);
    uint64_t limit = run.limits.file_bytes;
    run.limits.file_bytes = sizeof(TABLE_JSON) - 2;
    assert_int_equal(ice_target_open(&target, &run, "-", &err), ICE_ELIMIT);
    assert_string_equal(err.rule, "limit.file");
    run.limits.file_bytes = limit;
    ice_target_release(&target);
    assert_int_equal(run.alloc.used, 0);
}

static void standard_input_is_spooled(void **state) {
    (void)state;
    with_stdin("flat/00001-a.metadata.json", read_stdin);
    with_stdin("flat/00001-a.metadata.json", read_too_much);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_recognised),
        cmocka_unit_test(absent_paths),
        cmocka_unit_test(standard_input_is_spooled),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
