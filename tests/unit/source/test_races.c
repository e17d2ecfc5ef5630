/*
 * A directory that changes, or fails, between two calls of one walk or listing. The
 * calls of the C library are wrapped here: a hook runs behind the real call and changes
 * the tree, or its answer.
 */
#include "source/source_state.h"
#include "source/walk.h"

#include "base/compiler.h"
#include "support/cmocka_all.h"
#include "support/temp_dir.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The next definition of the name, once. */
#define FIND(real, name)                                                                 \
    do {                                                                                 \
        if ((real) == NULL) {                                                            \
            void *const found_ = dlsym(RTLD_NEXT, name);                                 \
            memcpy(&(real), &found_, sizeof(found_));                                    \
        }                                                                                \
    } while (0)

/* MemorySanitizer stands in front of these calls too, and does not see the real ones. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define WRITTEN(memory, size) __msan_unpoison((memory), (size))
#endif
#endif
#ifndef WRITTEN
#define WRITTEN(memory, size) ((void)(memory))
#endif

/* What happens behind the next call; once. */
static void (*behind_fstatat)(void);
static void (*behind_fstat)(struct stat *found);
static int n_interrupts;      /* reads that a signal ends */
static bool no_stream;        /* fdopendir has no memory */
static int entries_left = -1; /* readdir fails behind as many; -1: never */

int fstatat(int directory, const char *path, struct stat *out, int flags) {
    static int (*real)(int, const char *, struct stat *, int);
    FIND(real, "fstatat");
    const int result = real(directory, path, out, flags);
    WRITTEN(out, sizeof(*out));
    void (*const hook)(void) = behind_fstatat;
    behind_fstatat = NULL;
    if (hook != NULL)
        hook();
    return result;
}

int fstat(int fd, struct stat *out) {
    static int (*real)(int, struct stat *);
    FIND(real, "fstat");
    const int result = real(fd, out);
    WRITTEN(out, sizeof(*out));
    void (*const hook)(struct stat *) = behind_fstat;
    behind_fstat = NULL;
    if (hook != NULL)
        hook(out);
    return result;
}

ssize_t pread(int fd, void *buffer, size_t size, off_t offset) {
    static ssize_t (*real)(int, void *, size_t, off_t);
    FIND(real, "pread");
    if (n_interrupts > 0) {
        n_interrupts--;
        errno = EINTR;
        return -1;
    }
    const ssize_t n = real(fd, buffer, size, offset);
    WRITTEN(buffer, size);
    return n;
}

DIR *fdopendir(int fd) {
    static DIR *(*real)(int);
    FIND(real, "fdopendir");
    if (!no_stream)
        return real(fd);
    errno = ENOMEM;
    return NULL;
}

struct dirent *readdir(DIR *stream) {
    static struct dirent *(*real)(DIR *);
    FIND(real, "readdir");
    if (entries_left != 0) {
        struct dirent *const entry = real(stream);
        entries_left -= entries_left > 0;
        if (entry != NULL)
            WRITTEN(entry, entry->d_reclen);
        return entry;
    }
    entries_left = -1;
    errno = EIO;
    return NULL;
}

/* ---- the tree: base/file, base/link -> file, base/d ---- */

static char base[TEMP_DIR_SIZE];
static int root_fd;
static struct ice_source *source;
static struct ice_run run;

static int set_up(void **state) {
    (void)state;
    assert_true(temp_dir_make(base));
    root_fd = open(base, O_RDONLY | O_DIRECTORY);
    assert_true(root_fd >= 0);
    assert_int_equal(ice_source_open_dir(&source, base, NULL, NULL), ICE_OK);
    ice_run_init(&run, NULL);
    const int fd = openat(root_fd, "file", O_WRONLY | O_CREAT, 0644);
    assert_int_equal(write(fd, "text", 4), 4);
    assert_int_equal(close(fd), 0);
    assert_int_equal(symlinkat("file", root_fd, "link"), 0);
    assert_int_equal(mkdirat(root_fd, "d", 0755), 0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ice_source_free(source);
    assert_int_equal(run.alloc.used, 0);
    assert_int_equal(close(root_fd), 0);
    return temp_dir_remove(base);
}

static enum ice_status stat_of(const char *key, struct ice_file_info *info,
                               struct ice_error *err) {
    ice_error_clear(err);
    return ice_source_stat(source, ice_str_from(key), &run, info, err);
}

static void expect_fault(const char *key, enum ice_status status, const char *rule,
                         const char *message) {
    struct ice_file_info info;
    struct ice_error err;
    const int before = dup(root_fd);
    assert_int_equal(close(before), 0);
    assert_int_equal(stat_of(key, &info, &err), status);
    assert_null(behind_fstatat);
    assert_null(behind_fstat);
    if (rule == NULL)
        assert_null(err.rule);
    else
        assert_string_equal(err.rule, rule);
    assert_string_equal(err.message, message);
    const int after = dup(root_fd);
    assert_int_equal(close(after), 0);
    assert_int_equal(after, before); /* no descriptor is left open */
}

/* ---- what may happen meanwhile ---- */

static void file_becomes_a_link(void) {
    assert_int_equal(renameat(root_fd, "file", root_fd, "away"), 0);
    assert_int_equal(symlinkat("away", root_fd, "file"), 0);
}

static void file_becomes_a_directory(void) {
    assert_int_equal(renameat(root_fd, "file", root_fd, "away"), 0);
    assert_int_equal(mkdirat(root_fd, "file", 0755), 0);
}

static void file_vanishes(void) {
    assert_int_equal(renameat(root_fd, "file", root_fd, "away"), 0);
}

static void link_becomes_a_file(void) {
    assert_int_equal(unlinkat(root_fd, "link", 0), 0);
    assert_int_equal(linkat(root_fd, "file", root_fd, "link", 0), 0);
}

static void link_vanishes(void) {
    assert_int_equal(unlinkat(root_fd, "link", 0), 0);
}

static void a_file_that_is_replaced_is_not_followed(void **state) {
    (void)state;
    struct ice_file_info info;
    struct ice_error err;
    behind_fstatat = file_becomes_a_link;
    expect_fault("file", ICE_EIO, "source.link", "a link that changes while it is read");
    assert_int_equal(stat_of("file", &info, &err),
                     ICE_OK); /* a link like any other now */
    assert_int_equal(info.size, 4);
}

static void a_file_that_becomes_a_directory_is_none(void **state) {
    (void)state;
    behind_fstatat = file_becomes_a_directory;
    expect_fault("file", ICE_EIO, "source.type", "not a regular file");
}

static void a_file_that_vanishes_is_missing(void **state) {
    (void)state;
    behind_fstatat = file_vanishes;
    expect_fault("file", ICE_ENOENT, NULL, "no such file");
}

static void a_link_that_is_replaced_is_told(void **state) {
    (void)state;
    behind_fstatat = link_becomes_a_file;
    expect_fault("link", ICE_EIO, "source.link", "a link that changes while it is read");
    struct ice_file_info info;
    struct ice_error err;
    assert_int_equal(stat_of("link", &info, &err), ICE_OK);
}

static void a_link_that_vanishes_is_missing(void **state) {
    (void)state;
    behind_fstatat = link_vanishes;
    expect_fault("link", ICE_ENOENT, NULL, "no such file");
}

/* ---- odd times ---- */

static void ends_of_time(struct stat *found) {
    found->st_mtim.tv_sec = INT64_MAX;
    found->st_ctim.tv_sec = -1;
    found->st_size = -1;
}

static void end_of_milliseconds(struct stat *found) {
    found->st_mtim = (struct timespec){INT64_MAX / 1000, 999999999};
}

static void times_that_cannot_be_said_are_unknown(void **state) {
    (void)state;
    struct ice_file_info info;
    struct ice_error err;
    behind_fstat = ends_of_time;
    assert_int_equal(stat_of("file", &info, &err), ICE_OK);
    assert_true(info.mtime_ms == INT64_MIN);
    assert_int_equal(info.changed_ns, 0);
    assert_int_equal(info.size, 0);
    behind_fstat = end_of_milliseconds;
    assert_int_equal(stat_of("file", &info, &err), ICE_OK);
    assert_true(info.mtime_ms == INT64_MIN);
    assert_int_equal(info.size, 4);
    assert_true(info.changed_ns > 0);
}

/* ---- reads ---- */

static void a_read_goes_on_behind_a_signal(void **state) {
    (void)state;
    struct ice_stream stream;
    struct ice_str view;
    assert_int_equal(
        ice_source_open_stream(source, ICE_STR("file"), &run, &stream, NULL, NULL),
        ICE_OK);
    n_interrupts = 3;
    assert_int_equal(ice_stream_peek(&stream, 4, &view, NULL), ICE_OK);
    assert_int_equal(n_interrupts, 0);
    assert_true(ice_str_is(view, "text"));
    ice_stream_release(&stream);
}

/* Beyond what the system can count there is no byte. */
static void far_offsets_are_behind_the_end(void **state) {
    (void)state;
    static const uint64_t offsets[] = {4, INT64_MAX - (1 << 30), INT64_MAX, UINT64_MAX};
    void *file;
    struct ice_file_info info;
    assert_int_equal(source->ops.open(source->user, ICE_STR("file"), &file, &info, NULL),
                     ICE_OK);
    for (size_t i = 0; i < ICE_COUNT_OF(offsets); i++) {
        char buffer[8];
        size_t size = 7;
        assert_int_equal(source->ops.read_at(source->user, file, offsets[i], buffer,
                                             sizeof(buffer), &size, NULL),
                         ICE_OK);
        assert_int_equal(size, 0);
    }
    source->ops.close(source->user, file);
}

/* The first bytes of this process are mapped nowhere. */
static void a_failing_read_is_unreadable(void **state) {
    (void)state;
    struct ice_source *proc;
    struct ice_stream stream;
    struct ice_str view;
    struct ice_error err;
    ice_error_clear(&err);
    assert_int_equal(ice_source_open_dir(&proc, "/proc/self", NULL, NULL), ICE_OK);
    assert_int_equal(
        ice_source_open_stream(proc, ICE_STR("mem"), &run, &stream, NULL, &err), ICE_OK);
    assert_int_equal(ice_stream_peek(&stream, 1, &view, &err), ICE_EIO);
    assert_string_equal(err.rule, "source.unreadable");
    assert_string_equal(err.message, "cannot be read: input/output error");
    assert_string_equal(err.file, "mem");
    assert_int_equal(err.offset, 0);
    ice_stream_release(&stream);
    ice_source_free(proc);
}

/* ---- listings ---- */

static enum ice_status list(struct ice_error *err, size_t *out_n) {
    struct ice_arena arena;
    struct ice_source_entry *entries;
    ice_error_clear(err);
    ice_arena_init(&arena, &run.alloc);
    const enum ice_status status =
        ice_source_list(source, ICE_STR(""), &run, &arena, &entries, out_n, err);
    ice_arena_release(&arena);
    return status;
}

static void a_listing_is_whole_or_fails(void **state) {
    (void)state;
    struct ice_error err;
    size_t n;
    assert_int_equal(list(&err, &n), ICE_OK);
    assert_int_equal(n, 3);
    for (int left = 0; left < 5; left++) {
        entries_left = left;
        assert_int_equal(list(&err, &n), ICE_EIO);
        assert_string_equal(err.rule, "source.unreadable");
        assert_int_equal(n, 0);
    }
    no_stream = true;
    assert_int_equal(list(&err, &n), ICE_ENOMEM);
    no_stream = false;
    assert_int_equal(list(&err, &n), ICE_OK);
    assert_int_equal(n, 3);
}

static unsigned n_seen;

/* Take all others away while the first one is looked at. */
static enum ice_status clear_away(struct ice_str name, bool is_directory,
                                  const struct ice_file_info *info, void *context) {
    static const char *const names[] = {"file", "link", "d"};
    (void)is_directory;
    (void)info;
    (void)context;
    n_seen++;
    for (size_t i = 0; i < ICE_COUNT_OF(names); i++)
        if (!ice_str_is(name, names[i]))
            assert_int_equal(unlinkat(root_fd, names[i], i == 2 ? AT_REMOVEDIR : 0), 0);
    return ICE_OK;
}

static void what_vanishes_meanwhile_is_not_listed(void **state) {
    (void)state;
    n_seen = 0;
    assert_int_equal(source->ops.list(source->user, ICE_STR(""), clear_away, NULL, NULL),
                     ICE_OK);
    assert_int_equal(n_seen, 1);
}

/* ---- the root ---- */

/* A root without a name any more: what is open stays so, but no absolute link is inside.
 */
static void a_root_that_is_gone_has_no_path(void **state) {
    (void)state;
    char path[64];
    struct ice_source *gone;
    struct ice_error err;
    const int fd = openat(root_fd, "d", O_RDONLY | O_DIRECTORY);
    assert_true(fd >= 0);
    assert_int_equal(unlinkat(root_fd, "d", AT_REMOVEDIR), 0);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    ice_error_clear(&err);
    assert_int_equal(ice_source_open_dir(&gone, path, NULL, &err), ICE_OK);
    struct ice_file_info info;
    assert_int_equal(ice_source_stat(gone, ICE_STR("x"), &run, &info, &err), ICE_ENOENT);
    assert_true(ice_source_directory(gone) >= 0);
    ice_source_free(gone);
    assert_int_equal(close(fd), 0);
}

#define RACE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        RACE(a_file_that_is_replaced_is_not_followed),
        RACE(a_file_that_becomes_a_directory_is_none),
        RACE(a_file_that_vanishes_is_missing),
        RACE(a_link_that_is_replaced_is_told),
        RACE(a_link_that_vanishes_is_missing),
        RACE(times_that_cannot_be_said_are_unknown),
        RACE(a_read_goes_on_behind_a_signal),
        RACE(far_offsets_are_behind_the_end),
        RACE(a_failing_read_is_unreadable),
        RACE(a_listing_is_whole_or_fails),
        RACE(what_vanishes_meanwhile_is_not_listed),
        RACE(a_root_that_is_gone_has_no_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
