/*
 * The directory source on a real tree: links, kinds of files, permissions, hostile keys.
 */
#include "source/source.h"

#include "base/compiler.h"
#include "base/error.h"
#include "support/cmocka_all.h"
#include "support/failing_run.h"
#include "support/temp_dir.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* The tree: base/root is the source, base/outside is not. */
static char base[TEMP_DIR_SIZE];

static char *at(const char *path) {
    static char whole[4][8192];
    static unsigned turn;
    char *out = whole[turn++ % 4];
    (void)snprintf(out, sizeof(whole[0]), "%s/%s", base, path);
    return out;
}

static void put_file(const char *path, const char *text) {
    FILE *file = fopen(at(path), "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void put_link(const char *path, const char *target) {
    assert_int_equal(symlink(target, at(path)), 0);
}

static int set_up(void **state) {
    (void)state;
    assert_true(temp_dir_make(base));
    assert_int_equal(mkdir(at("root"), 0755), 0);
    assert_int_equal(mkdir(at("root/metadata"), 0755), 0);
    assert_int_equal(mkdir(at("root/metadata/deep"), 0755), 0);
    assert_int_equal(mkdir(at("outside"), 0755), 0);
    assert_int_equal(mkdir(at("root2"), 0755), 0);
    put_file("outside/secret", "secret");
    put_file("root2/secret", "secret");
    put_file("root/metadata/v1.metadata.json", "{}");
    put_file("root/metadata/deep/a", "deep a");
    put_file("root/top", "top");
    put_file("root/%2e%2e", "percent");
    put_file("root/back\\slash", "back");
    put_file("root/caf\xc3\xa9 \xff", "bytes");

    put_link("root/l-file", "metadata/v1.metadata.json");
    put_link("root/l-dir", "metadata");
    put_link("root/l-up-inside", "metadata/../top");
    put_link("root/l-dots", "./metadata/././deep/../../top");
    put_link("root/l-through-link", "l-dir/deep/a");
    put_link("root/l-dir-slash", "metadata/");
    put_link("root/l-root", ".");
    put_link("root/metadata/deep/l-up2", "../../top");
    put_link("root/metadata/l-self-dir", "../metadata");
    put_link("root/l-absolute-in", at("root/top"));
    put_link("root/l-absolute-root", at("root"));
    put_link("root/l-absolute-out", at("outside/secret"));
    put_link("root/l-sibling", at("root2/secret"));
    put_link("root/l-out", "../outside/secret");
    put_link("root/l-out-dir", "../outside");
    put_link("root/l-out-and-in", "../root/top");
    put_link("root/l-etc", "/etc/passwd");
    put_link("root/l-dangling", "nowhere");
    put_link("root/l-loop-a", "l-loop-b");
    put_link("root/l-loop-b", "l-loop-a");
    put_link("root/l-loop-self", "l-loop-self");
    put_link("root/chain0", "top");
    for (int i = 1; i <= 9; i++) {
        char name[16], path[32], target[16];
        (void)snprintf(name, sizeof(name), "chain%d", i);
        (void)snprintf(path, sizeof(path), "root/%s", name);
        (void)snprintf(target, sizeof(target), "chain%d", i - 1);
        put_link(path, target);
    }
    assert_int_equal(mkfifo(at("root/fifo"), 0644), 0);
    put_link("root/l-fifo", "fifo");
    put_link("root/l-null", "/dev/null");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", at("root/socket"));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(close(fd), 0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    return temp_dir_remove(base);
}

struct answer {
    enum ice_status status;
    struct ice_error err;
    char text[64];
    size_t size;
    struct ice_file_info info;
};

static struct answer ask(struct ice_source *source, struct ice_str key) {
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct answer answer = {0};
    struct ice_stream stream;
    ice_error_clear(&answer.err);
    answer.status =
        ice_source_open_stream(source, key, &run, &stream, &answer.info, &answer.err);
    if (answer.status == ICE_OK) {
        struct ice_str view;
        answer.status = ice_stream_peek(&stream, sizeof(answer.text), &view, &answer.err);
        if (answer.status == ICE_OK) {
            answer.size = view.size;
            memcpy(answer.text, view.data, view.size);
        }
    }
    ice_stream_release(&stream);
    assert_int_equal(run.alloc.used, 0);
    return answer;
}

static struct ice_source *open_root(void) {
    struct ice_source *source;
    assert_int_equal(ice_source_open_dir(&source, at("root"), NULL, NULL), ICE_OK);
    return source;
}

/* text NULL: a failure with this status and rule. */
struct wish {
    struct ice_str key;
    const char *text;
    enum ice_status status;
    const char *rule;
};

#define KEY(literal)                                                                     \
    { (literal), sizeof(literal) - 1 }
#define READS(literal, text)                                                             \
    { KEY(literal), text, ICE_OK, NULL }
#define FAILS(literal, status, rule)                                                     \
    { KEY(literal), NULL, status, rule }
#define NO_PATH(literal) FAILS(literal, ICE_EFORMAT, "source.path")
#define NO_LINK(literal) FAILS(literal, ICE_EIO, "source.link")
#define NO_TYPE(literal) FAILS(literal, ICE_EIO, "source.type")
#define MISSING(literal) FAILS(literal, ICE_ENOENT, NULL)

static const struct wish wishes[] = {
    READS("top", "top"),
    READS("metadata/v1.metadata.json", "{}"),
    READS("metadata/deep/a", "deep a"),
    READS("%2e%2e", "percent"),
    READS("back\\slash", "back"),
    READS("caf\xc3\xa9 \xff", "bytes"),
    READS("l-file", "{}"),
    READS("l-dir/v1.metadata.json", "{}"),
    READS("l-dir/deep/a", "deep a"),
    READS("l-up-inside", "top"),
    READS("l-dots", "top"),
    READS("l-through-link", "deep a"),
    READS("l-dir-slash/deep/a", "deep a"),
    READS("l-root/top", "top"),
    READS("l-root/l-root/l-root/l-dir/deep/a", "deep a"),
    READS("metadata/deep/l-up2", "top"),
    READS("l-dir/deep/l-up2", "top"),
    READS("metadata/l-self-dir/l-self-dir/deep/a", "deep a"),
    READS("l-absolute-in", "top"),
    READS("l-absolute-root/metadata/deep/a", "deep a"),
    READS("chain7", "top"),
    NO_LINK("chain8"),
    NO_LINK("chain9"),
    NO_LINK("l-loop-a"),
    NO_LINK("l-loop-self"),
    NO_LINK("l-loop-a/x"),
    NO_LINK("l-absolute-out"),
    NO_LINK("l-sibling"),
    NO_LINK("l-out"),
    NO_LINK("l-out-dir/secret"),
    NO_LINK("l-out-and-in"),
    NO_LINK("l-etc"),
    NO_LINK("l-null"),
    MISSING("l-dangling"),
    MISSING("nowhere"),
    MISSING("metadata/nowhere/x"),
    MISSING("top/x"),
    MISSING("l-file/x"),
    NO_TYPE("fifo"),
    NO_TYPE("l-fifo"),
    NO_TYPE("socket"),
    NO_TYPE("metadata"),
    NO_TYPE("l-dir"),
    NO_TYPE("l-root"),
    NO_PATH(""),
    NO_PATH("."),
    NO_PATH(".."),
    NO_PATH("../outside/secret"),
    NO_PATH("metadata/../top"),
    NO_PATH("metadata/./deep/a"),
    NO_PATH("metadata/.."),
    NO_PATH("/etc/passwd"),
    NO_PATH("/top"),
    NO_PATH("metadata//deep/a"),
    NO_PATH("top/"),
    NO_PATH("top\0x"),
};

static void every_key_has_its_answer(void **state) {
    (void)state;
    struct ice_source *source = open_root();
    for (size_t i = 0; i < ICE_COUNT_OF(wishes); i++) {
        const struct wish *wish = &wishes[i];
        struct answer answer = ask(source, wish->key);
        if (answer.status != wish->status)
            print_error("'%.*s': %s %s\n", ICE_STR_FMT(wish->key),
                        ice_status_name(answer.status), answer.err.message);
        assert_int_equal(answer.status, wish->status);
        if (wish->text != NULL) {
            assert_int_equal(answer.size, strlen(wish->text));
            assert_memory_equal(answer.text, wish->text, answer.size);
            assert_int_equal(answer.info.size, answer.size);
            assert_true(answer.info.mtime_ms > 1500000000000);
            assert_true(answer.info.identity != 0);
            continue;
        }
        assert_int_equal(answer.err.status, wish->status);
        if (wish->rule == NULL)
            assert_null(answer.err.rule);
        else
            assert_string_equal(answer.err.rule, wish->rule);
        if (wish->key.size > 0 && memchr(wish->key.data, 0, wish->key.size) == NULL)
            assert_string_equal(answer.err.file, wish->key.data);
        struct ice_run run;
        struct ice_file_info info;
        ice_run_init(&run, NULL);
        assert_int_equal(ice_source_stat(source, wish->key, &run, &info, NULL),
                         wish->status);
    }
    ice_source_free(source);
}

static void long_keys_are_refused(void **state) {
    (void)state;
    static char key[5000];
    struct ice_source *source = open_root();
    memset(key, 'k', sizeof(key));
    struct answer answer = ask(source, ice_str_make(key, sizeof(key)));
    assert_int_equal(answer.status, ICE_EFORMAT);
    assert_string_equal(answer.err.rule, "source.path");
    /* one part that no file system takes, though the key is within our limit */
    answer = ask(source, ice_str_make(key, 4000));
    assert_int_equal(answer.status, ICE_EFORMAT);
    assert_string_equal(answer.err.rule, "source.path");
    for (size_t i = 1; i < sizeof(key); i += 2)
        key[i] = '/';
    answer = ask(source, ice_str_make(key, 4095));
    assert_int_equal(answer.status, ICE_ENOENT);
    answer = ask(source, ice_str_make(key, 4097));
    assert_int_equal(answer.status, ICE_EFORMAT);
    ice_source_free(source);
}

/* A link whose target goes up and down as often as its length allows: an end in sight. */
static void winding_links_come_to_an_end(void **state) {
    (void)state;
    static char target[4000];
    size_t size = 0;
    while (size + 16 < sizeof(target)) {
        memcpy(target + size, "metadata/../", 12);
        size += 12;
    }
    memcpy(target + size, "top", 4);
    put_link("root/l-winding", target);
    struct ice_source *source = open_root();
    struct answer answer = ask(source, ICE_STR("l-winding"));
    assert_true(answer.status == ICE_OK || answer.status == ICE_EIO);
    if (answer.status == ICE_EIO)
        assert_string_equal(answer.err.rule, "source.link");
    ice_source_free(source);
}

static void the_root_itself_may_be_a_link(void **state) {
    (void)state;
    put_link("link-to-root", "root");
    struct ice_source *source;
    assert_int_equal(ice_source_open_dir(&source, at("link-to-root"), NULL, NULL),
                     ICE_OK);
    assert_int_equal(ask(source, ICE_STR("l-absolute-in")).status, ICE_OK);
    assert_int_equal(ask(source, ICE_STR("l-out")).status, ICE_EIO);
    ice_source_free(source);
    struct ice_error err;
    ice_error_clear(&err);
    assert_int_equal(ice_source_open_dir(&source, at("none"), NULL, &err), ICE_ENOENT);
    assert_null(source);
    assert_int_equal(ice_source_open_dir(&source, at("root/top"), NULL, NULL),
                     ICE_ENOENT);
    static char path[PATH_MAX + 2];
    memset(path, 'p', PATH_MAX + 1);
    ice_error_clear(&err);
    assert_int_equal(ice_source_open_dir(&source, path, NULL, &err), ICE_EIO);
    assert_string_equal(err.rule, "source.unreadable");
    assert_null(source);
    ice_source_free(NULL);
}

static void listings_are_sorted_and_end(void **state) {
    (void)state;
    struct ice_source *source = open_root();
    struct ice_run run;
    struct ice_arena arena;
    struct ice_source_entry *entries;
    size_t n;
    ice_run_init(&run, NULL);
    ice_arena_init(&arena, &run.alloc);
    assert_int_equal(
        ice_source_list(source, ICE_STR("metadata"), &run, &arena, &entries, &n, NULL),
        ICE_OK);
    /* l-self-dir is a link to a directory: a walk must not follow it for ever */
    assert_int_equal(n, 2);
    assert_true(ice_str_is(entries[0].name, "deep"));
    assert_true(entries[0].is_directory);
    assert_true(ice_str_is(entries[1].name, "v1.metadata.json"));
    assert_false(entries[1].is_directory);
    assert_int_equal(entries[1].info.size, 2);

    assert_int_equal(
        ice_source_list(source, ICE_STR(""), &run, &arena, &entries, &n, NULL), ICE_OK);
    bool saw_link = false, saw_out = false, saw_fifo = false;
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            assert_true(ice_str_compare(entries[i - 1].name, entries[i].name) < 0);
        assert_int_equal(entries[i].is_directory,
                         ice_str_is(entries[i].name, "metadata"));
        if (ice_str_is(entries[i].name, "l-file")) {
            saw_link = true;
            assert_int_equal(entries[i].info.size, 2);
        }
        if (ice_str_is(entries[i].name, "l-absolute-out")) {
            saw_out = true;
            assert_int_equal(entries[i].info.size, UINT64_MAX);
        }
        saw_fifo |= ice_str_is(entries[i].name, "fifo");
        assert_false(ice_str_is(entries[i].name, "l-dir"));
    }
    assert_true(saw_link && saw_out && saw_fifo);

    struct ice_error err;
    static const struct wish bad[] = {NO_PATH(".."), MISSING("nowhere"), MISSING("top"),
                                      NO_LINK("l-out-dir"), NO_PATH("metadata/")};
    for (size_t i = 0; i < ICE_COUNT_OF(bad); i++) {
        ice_error_clear(&err);
        assert_int_equal(
            ice_source_list(source, bad[i].key, &run, &arena, &entries, &n, &err),
            bad[i].status);
        if (bad[i].rule != NULL)
            assert_string_equal(err.rule, bad[i].rule);
    }
    assert_int_equal(
        ice_source_list(source, ICE_STR("l-dir"), &run, &arena, &entries, &n, NULL),
        ICE_OK);
    assert_int_equal(n, 2);
    ice_arena_release(&arena);
    assert_int_equal(run.alloc.used, 0);
    ice_source_free(source);
}

/* root may read everything, so it looks at files as another user. */
static void give_up_rights(void) {
    if (geteuid() != 0)
        return;
    (void)setfsuid(65534);
    if (setfsuid((uid_t)-1) != 65534) {
        print_message("cannot give up the rights of root\n");
        skip();
    }
}

static void take_rights_back(void) {
    (void)setfsuid(geteuid());
}

static void no_permission_is_unreadable(void **state) {
    (void)state;
    put_file("root/closed-file", "closed");
    assert_int_equal(mkdir(at("root/closed-dir"), 0700), 0);
    put_file("root/closed-dir/x", "x");
    assert_int_equal(chmod(base, 0755), 0);
    assert_int_equal(chmod(at("root/closed-file"), 0), 0);
    assert_int_equal(chmod(at("root/closed-dir"), 0), 0);
    give_up_rights();
    struct ice_source *source = open_root();
    const struct answer file = ask(source, ICE_STR("closed-file"));
    const struct answer inside = ask(source, ICE_STR("closed-dir/x"));
    ice_source_free(source);
    take_rights_back();
    assert_int_equal(chmod(at("root/closed-dir"), 0755), 0);
    assert_int_equal(file.status, ICE_EIO);
    assert_string_equal(file.err.rule, "source.unreadable");
    assert_string_equal(file.err.message, "cannot be opened: permission denied");
    assert_int_equal(inside.status, ICE_EIO);
    assert_string_equal(inside.err.rule, "source.unreadable");
}

/* What can be listed but not looked at is listed as a file, so that opening it tells why.
 */
static void no_search_permission_is_listed(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_arena arena;
    struct ice_source_entry *entries;
    size_t n;
    assert_int_equal(mkdir(at("root/no-search"), 0755), 0);
    assert_int_equal(mkdir(at("root/no-search/d"), 0755), 0);
    assert_int_equal(chmod(base, 0755), 0);
    assert_int_equal(chmod(at("root/no-search"), 0444), 0);
    ice_run_init(&run, NULL);
    ice_arena_init(&arena, &run.alloc);
    give_up_rights();
    struct ice_source *source = open_root();
    const enum ice_status status =
        ice_source_list(source, ICE_STR("no-search"), &run, &arena, &entries, &n, NULL);
    const struct answer inside = ask(source, ICE_STR("no-search/d"));
    ice_source_free(source);
    take_rights_back();
    assert_int_equal(chmod(at("root/no-search"), 0755), 0);
    assert_int_equal(rmdir(at("root/no-search/d")), 0);
    assert_int_equal(rmdir(at("root/no-search")), 0);
    assert_int_equal(status, ICE_OK);
    assert_int_equal(n, 1);
    assert_true(ice_str_is(entries[0].name, "d"));
    assert_false(entries[0].is_directory);
    assert_int_equal(entries[0].info.size, UINT64_MAX);
    assert_true(entries[0].info.mtime_ms == INT64_MIN);
    assert_int_equal(inside.status, ICE_EIO);
    ice_arena_release(&arena);
    assert_int_equal(run.alloc.used, 0);
}

static void files_over_the_limit_are_refused(void **state) {
    (void)state;
    struct ice_source *source = open_root();
    for (uint64_t limit = 5; limit <= 6; limit++) {
        struct ice_options options = ICE_OPTIONS_INIT;
        options.limits.file_bytes = limit;
        struct ice_run run;
        struct ice_stream stream;
        struct ice_error err;
        ice_run_init(&run, &options);
        ice_error_clear(&err);
        const enum ice_status status = ice_source_open_stream(
            source, ICE_STR("metadata/deep/a"), &run, &stream, NULL, &err);
        assert_int_equal(status, limit == 5 ? ICE_ELIMIT : ICE_OK);
        if (status < 0)
            assert_string_equal(err.rule, "limit.file");
        ice_stream_release(&stream);
    }
    ice_source_free(source);
}

static void no_descriptor_is_left_open(void **state) {
    (void)state;
    const int before = dup(0);
    assert_true(before >= 0);
    assert_int_equal(close(before), 0);
    every_key_has_its_answer(NULL);
    listings_are_sorted_and_end(NULL);
    const int after = dup(0);
    assert_int_equal(close(after), 0);
    assert_int_equal(after, before);
}

static void each_allocation_can_fail(void **state) {
    (void)state;
    for (uint64_t fail_at = 1;; fail_at++) {
        struct failing failing = {.fail_at = fail_at};
        const struct ice_allocator allocator = failing_allocator(&failing);
        struct ice_run run;
        struct ice_source *source = NULL;
        struct ice_stream stream = {0};
        struct ice_arena arena;
        struct ice_source_entry *entries;
        struct ice_str view;
        size_t n;
        failing_run_init(&run, &failing);
        ice_arena_init(&arena, &run.alloc);
        enum ice_status status =
            ice_source_open_dir(&source, at("root"), &allocator, NULL);
        if (status == ICE_OK)
            status = ice_source_open_stream(source, ICE_STR("l-file"), &run, &stream,
                                            NULL, NULL);
        if (status == ICE_OK)
            status = ice_stream_peek(&stream, 1, &view, NULL);
        if (status == ICE_OK)
            status =
                ice_source_list(source, ICE_STR(""), &run, &arena, &entries, &n, NULL);
        ice_stream_release(&stream);
        ice_arena_release(&arena);
        ice_source_free(source);
        assert_int_equal(failing.used, 0);
        if (status == ICE_OK) {
            assert_true(fail_at > 6);
            break;
        }
        assert_int_equal(status, ICE_ENOMEM);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_has_its_answer),
        cmocka_unit_test(long_keys_are_refused),
        cmocka_unit_test(winding_links_come_to_an_end),
        cmocka_unit_test(the_root_itself_may_be_a_link),
        cmocka_unit_test(listings_are_sorted_and_end),
        cmocka_unit_test(no_descriptor_is_left_open),
        cmocka_unit_test(no_permission_is_unreadable),
        cmocka_unit_test(no_search_permission_is_listed),
        cmocka_unit_test(files_over_the_limit_are_refused),
        cmocka_unit_test(each_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
