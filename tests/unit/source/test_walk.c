/*
 * The walk where the system is short of something.
 */
#include "source/source.h"
#include "source/walk.h"

#include "base/compiler.h"
#include "support/cmocka_all.h"
#include "support/temp_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static char base[TEMP_DIR_SIZE];
static struct ice_walk_root root;

static int set_up(void **state) {
    (void)state;
    assert_true(temp_dir_make(base));
    root = (struct ice_walk_root){.fd = open(base, O_RDONLY | O_DIRECTORY)};
    assert_true(root.fd >= 0);
    assert_int_equal(mkdirat(root.fd, "d", 0755), 0);
    const int fd = openat(root.fd, "d/file", O_WRONLY | O_CREAT, 0644);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    assert_int_equal(close(root.fd), 0);
    return temp_dir_remove(base);
}

static enum ice_status walk(const char *key, enum ice_walk_target target,
                            struct ice_error *err) {
    struct stat found;
    int fd = -1;
    ice_error_clear(err);
    const enum ice_status status =
        ice_walk_open(&root, ice_str_from(key), target, &fd, &found, err);
    if (status == ICE_OK)
        assert_int_equal(close(fd), 0);
    return status;
}

static void targets_are_told_apart(void **state) {
    (void)state;
    struct ice_error err;
    assert_int_equal(walk("", ICE_WALK_DIRECTORY, &err), ICE_OK);
    assert_int_equal(walk("d", ICE_WALK_DIRECTORY, &err), ICE_OK);
    assert_int_equal(walk("d/file", ICE_WALK_FILE, &err), ICE_OK);
    assert_int_equal(walk("d/file", ICE_WALK_DIRECTORY, &err), ICE_ENOENT);
    assert_int_equal(walk("d", ICE_WALK_FILE, &err), ICE_EIO);
    assert_string_equal(err.rule, "source.type");
    /* the keys of sources never have these; targets of links do */
    assert_int_equal(walk("d/../d/./file", ICE_WALK_FILE, &err), ICE_OK);
    assert_int_equal(walk("d/./../d/file", ICE_WALK_FILE, &err), ICE_OK);
    assert_int_equal(walk("d/.", ICE_WALK_DIRECTORY, &err), ICE_OK);
    assert_int_equal(walk("d/..", ICE_WALK_DIRECTORY, &err), ICE_OK);
    assert_int_equal(walk("..", ICE_WALK_DIRECTORY, &err), ICE_EIO);
    assert_string_equal(err.rule, "source.link");
    assert_int_equal(walk("./..", ICE_WALK_DIRECTORY, &err), ICE_EIO);
    assert_int_equal(walk("d/../..", ICE_WALK_DIRECTORY, &err), ICE_EIO);
    assert_int_equal(walk("nowhere/../d", ICE_WALK_DIRECTORY, &err), ICE_ENOENT);
    assert_int_equal(walk("d/file/../file", ICE_WALK_FILE, &err), ICE_ENOENT);
}

static void links_that_make_a_path_too_long(void **state) {
    (void)state;
    static char target[PATH_MAX];
    for (size_t i = 0; i + 2 < sizeof(target); i += 2)
        memcpy(target + i, "./", 3);
    struct ice_error err;
    assert_int_equal(symlinkat(target, root.fd, "long"), 0);
    assert_int_equal(walk("long/d/file", ICE_WALK_FILE, &err), ICE_OK);
    assert_int_equal(walk("long/long/long/d/file", ICE_WALK_FILE, &err), ICE_EIO);
    assert_string_equal(err.rule, "source.link");
    assert_int_equal(unlinkat(root.fd, "long", 0), 0);
}

/* Each ".." goes back to the root, and to all the steps in front of it. */
static void links_that_wind_for_ever(void **state) {
    (void)state;
    static char target[PATH_MAX];
    size_t size = 0;
    for (int i = 0; i < 1500; i++, size += 2)
        memcpy(target + size, "./", 2);
    for (int i = 0; i < 4; i++, size += 5)
        memcpy(target + size, "d/../", 5);
    memcpy(target + size, "d/file", 7);
    struct ice_error err;
    assert_int_equal(symlinkat(target, root.fd, "winding"), 0);
    assert_int_equal(walk("winding", ICE_WALK_FILE, &err), ICE_EIO);
    assert_string_equal(err.rule, "source.link");
    assert_string_equal(err.message, "too many steps on the way");
    assert_int_equal(unlinkat(root.fd, "winding", 0), 0);
}

/* Without a path of the root, no absolute link is known to lead into it. */
static void absolute_links_need_a_path(void **state) {
    (void)state;
    char target[128];
    struct ice_error err;
    (void)snprintf(target, sizeof(target), "%s/d", base);
    assert_int_equal(symlinkat(target, root.fd, "absolute"), 0);
    assert_int_equal(walk("absolute/file", ICE_WALK_FILE, &err), ICE_EIO);
    assert_string_equal(err.rule, "source.link");
    struct ice_walk_root known = {root.fd, ice_str_from(base)};
    struct stat found;
    int fd = -1;
    assert_int_equal(
        ice_walk_open(&known, ICE_STR("absolute/file"), ICE_WALK_FILE, &fd, &found, NULL),
        ICE_OK);
    assert_int_equal(close(fd), 0);
    /* below "/" is everything, and a root "/x" is not above "/xy" */
    known.path.size = strlen(base) - 1;
    assert_int_equal(
        ice_walk_open(&known, ICE_STR("absolute/file"), ICE_WALK_FILE, &fd, &found, NULL),
        ICE_EIO);
    const struct ice_walk_root all = {open("/", O_RDONLY | O_DIRECTORY), ICE_STR("/")};
    assert_true(all.fd >= 0);
    char key[160];
    (void)snprintf(key, sizeof(key), "%s/absolute/file", base + 1);
    assert_int_equal(
        ice_walk_open(&all, ice_str_from(key), ICE_WALK_FILE, &fd, &found, NULL), ICE_OK);
    assert_int_equal(close(fd), 0);
    assert_int_equal(close(all.fd), 0);
    assert_int_equal(unlinkat(root.fd, "absolute", 0), 0);
}

static void longer_keys_than_the_system_takes(void **state) {
    (void)state;
    static char key[PATH_MAX + 1];
    struct ice_error err;
    for (size_t i = 0; i < PATH_MAX; i++)
        key[i] = i % 2 ? '/' : 'k';
    assert_int_equal(walk(key, ICE_WALK_FILE, &err), ICE_EFORMAT);
    assert_string_equal(err.rule, "source.path");
    key[PATH_MAX - 1] = '\0';
    assert_int_equal(walk(key, ICE_WALK_FILE, &err), ICE_ENOENT);
}

static void no_descriptor_left(void **state) {
    (void)state;
    struct rlimit before, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = (rlim_t)root.fd + 1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    struct ice_error err;
    const enum ice_status status = walk("d/file", ICE_WALK_FILE, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(status, ICE_EIO);
    assert_string_equal(err.rule, "source.unreadable");
    assert_string_equal(err.message, "cannot be opened: too many open files");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const enum ice_status last = walk("d", ICE_WALK_DIRECTORY, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(last, ICE_EIO);
    assert_string_equal(err.rule, "source.unreadable");
    assert_int_equal(walk("d/file", ICE_WALK_FILE, &err), ICE_OK);
}

static void reasons_are_words(void **state) {
    (void)state;
    static const int codes[] = {EACCES, EPERM,   EIO,    EMFILE, ENFILE,
                                ENOENT, ENOTDIR, ESTALE, ENOMEM};
    for (size_t i = 0; i < ICE_COUNT_OF(codes); i++)
        assert_string_not_equal(ice_system_reason(codes[i]), "the system refuses");
    assert_string_equal(ice_system_reason(EXDEV), "the system refuses");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_are_told_apart),
        cmocka_unit_test(links_that_make_a_path_too_long),
        cmocka_unit_test(links_that_wind_for_ever),
        cmocka_unit_test(absolute_links_need_a_path),
        cmocka_unit_test(longer_keys_than_the_system_takes),
        cmocka_unit_test(no_descriptor_left),
        cmocka_unit_test(reasons_are_words),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
