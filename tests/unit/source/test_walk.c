/*
 * The walk where the system is short of something.
 */
#include "source/source.h"
#include "source/walk.h"

#include "base/compiler.h"
#include "support/cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static char base[64];
static struct ice_walk_root root;

static int set_up(void **state) {
    (void)state;
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(base, sizeof(base), "%s/icefsck-XXXXXX",
                   tmp && strlen(tmp) < 40 ? tmp : "/tmp");
    assert_non_null(mkdtemp(base));
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
    char command[128];
    assert_int_equal(close(root.fd), 0);
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", base);
    return system(command);
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
        cmocka_unit_test(no_descriptor_left),
        cmocka_unit_test(reasons_are_words),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
