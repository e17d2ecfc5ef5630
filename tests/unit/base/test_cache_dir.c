/*
 * Entries of a cache directory: what was put comes back, also for a run later; whatever
 * bit of a file is wrong, and wherever it is cut, the entry is as good as absent.
 */
#include "base/cache_dir.h"

#include "support/cmocka_all.h"
#include "support/temp_dir.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char folder[TEMP_DIR_SIZE];
static struct ice_alloc alloc;
static const struct ice_hash name = {.low = 1, .high = UINT64_C(0xa) << 60};
static const char file[] = "a/a0000000000000000000000000000001";

static int begin(void **state) {
    (void)state;
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    return temp_dir_make(folder) ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    return temp_dir_remove(folder);
}

static struct ice_cache_dir opened(void) {
    struct ice_cache_dir dir;
    assert_int_equal(ice_cache_dir_open(&dir, folder, NULL, 0, NULL), ICE_OK);
    return dir;
}

static enum ice_cache_answer get(const struct ice_cache_dir *dir, const char *wanted) {
    struct ice_buf found;
    ice_buf_init(&found, &alloc, SIZE_MAX);
    enum ice_cache_answer answer = ice_cache_dir_get(dir, name, &found);
    if (answer == ICE_CACHE_HIT)
        assert_true(ice_str_is(ice_buf_str(&found), wanted));
    else
        assert_int_equal(found.size, 0);
    ice_buf_release(&found);
    return answer;
}

static size_t read_entry(const struct ice_cache_dir *dir, char *out, size_t size) {
    const int fd = openat(dir->fd, file, O_RDONLY);
    assert_true(fd >= 0);
    const ssize_t n = read(fd, out, size);
    assert_true(n > 0);
    (void)close(fd);
    return (size_t)n;
}

static void write_entry(const struct ice_cache_dir *dir, const char *data, size_t size) {
    const int fd = openat(dir->fd, file, O_WRONLY | O_TRUNC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, size), size);
    (void)close(fd);
}

static void keeps_entries(void **state) {
    struct ice_cache_dir dir = opened();
    (void)state;
    assert_int_equal(get(&dir, ""), ICE_CACHE_NONE);
    assert_true(ice_cache_dir_put(&dir, name, ICE_STR("old")));
    assert_true(ice_cache_dir_put(&dir, name, ICE_STR("what is kept")));
    assert_int_equal(get(&dir, "what is kept"), ICE_CACHE_HIT);
    const uint64_t seed = dir.seed;
    ice_cache_dir_close(&dir);
    ice_cache_dir_close(&dir);
    dir = opened();
    assert_true(seed != 0 && dir.seed == seed);
    assert_int_equal(get(&dir, "what is kept"), ICE_CACHE_HIT);
    ice_cache_dir_close(&dir);
}

static void sees_every_wrong_bit_and_cut(void **state) {
    struct ice_cache_dir dir = opened();
    char whole[128], spoilt[128];
    (void)state;
    assert_true(ice_cache_dir_put(&dir, name, ICE_STR("what is kept")));
    const size_t size = read_entry(&dir, whole, sizeof(whole));
    for (size_t bit = 0; bit < 8 * size; bit++) {
        memcpy(spoilt, whole, size);
        spoilt[bit / 8] ^= (char)(1 << bit % 8);
        write_entry(&dir, spoilt, size);
        assert_int_equal(get(&dir, ""), ICE_CACHE_DAMAGED);
    }
    for (size_t cut = 0; cut < size; cut++) {
        write_entry(&dir, whole, cut);
        assert_int_equal(get(&dir, ""), ICE_CACHE_DAMAGED);
    }
    memcpy(spoilt, whole, size);
    spoilt[size] = 0;
    write_entry(&dir, spoilt, size + 1);
    assert_int_equal(get(&dir, ""), ICE_CACHE_DAMAGED);
    write_entry(&dir, whole, size);
    assert_int_equal(get(&dir, "what is kept"), ICE_CACHE_HIT);
    ice_cache_dir_close(&dir);
}

static void takes_no_entry_of_another_name(void **state) {
    struct ice_cache_dir dir = opened();
    struct ice_buf found;
    const struct ice_hash other = {.low = 2, .high = name.high};
    (void)state;
    assert_true(ice_cache_dir_put(&dir, name, ICE_STR("x")));
    assert_int_equal(
        linkat(dir.fd, file, dir.fd, "a/a0000000000000000000000000000002", 0), 0);
    ice_buf_init(&found, &alloc, SIZE_MAX);
    assert_int_equal(ice_cache_dir_get(&dir, other, &found), ICE_CACHE_DAMAGED);
    ice_buf_release(&found);
    ice_cache_dir_close(&dir);
}

/* What would block, or leads elsewhere. */
static void takes_plain_files_only(void **state) {
    struct ice_cache_dir dir = opened();
    (void)state;
    assert_true(ice_cache_dir_put(&dir, name, ICE_STR("x")));
    assert_int_equal(unlinkat(dir.fd, file, 0), 0);
    assert_int_equal(mkfifoat(dir.fd, file, 0600), 0);
    assert_int_equal(get(&dir, ""), ICE_CACHE_FAILED);
    assert_int_equal(unlinkat(dir.fd, file, 0), 0);
    assert_int_equal(symlinkat("/etc/passwd", dir.fd, file), 0);
    assert_int_equal(get(&dir, ""), ICE_CACHE_FAILED);
    ice_cache_dir_close(&dir);
}

static void makes_a_new_seed_for_a_damaged_one(void **state) {
    struct ice_cache_dir dir = opened();
    const uint64_t seed = dir.seed;
    (void)state;
    assert_true(ice_cache_dir_put(&dir, name, ICE_STR("x")));
    const int fd = openat(dir.fd, "seed", O_WRONLY);
    assert_int_equal(pwrite(fd, "?", 1, 9), 1);
    (void)close(fd);
    ice_cache_dir_close(&dir);
    dir = opened();
    assert_true(dir.seed != 0 && dir.seed != seed);
    assert_int_equal(get(&dir, ""), ICE_CACHE_DAMAGED);
    ice_cache_dir_close(&dir);
}

/* Whatever bit of the seed is wrong, and wherever it is cut. */
static void makes_a_new_seed_for_each_damage(void **state) {
    char whole[64];
    (void)state;
    for (size_t bit = 0, n_bits = 8; bit <= n_bits; bit++) {
        struct ice_cache_dir dir = opened();
        const uint64_t seed = dir.seed;
        const int fd = openat(dir.fd, "seed", O_RDWR);
        const ssize_t size = read(fd, whole, sizeof(whole));
        assert_true(size > 16);
        n_bits = 8 * (size_t)size;
        if (bit < n_bits) {
            whole[bit / 8] ^= (char)(1 << bit % 8);
            assert_int_equal(pwrite(fd, whole, (size_t)size, 0), size);
        } else {
            assert_int_equal(ftruncate(fd, size - 1), 0);
        }
        (void)close(fd);
        ice_cache_dir_close(&dir);
        dir = opened();
        assert_true(dir.seed != 0 && dir.seed != seed);
        ice_cache_dir_close(&dir);
    }
}

static void keeps_nothing_as_well(void **state) {
    struct ice_cache_dir dir = opened();
    (void)state;
    assert_true(ice_cache_dir_put(&dir, name, ICE_STR_NONE));
    assert_int_equal(get(&dir, ""), ICE_CACHE_HIT);
    ice_cache_dir_close(&dir);
}

/* No memory for the entry is no reason to think it damaged. */
static void an_entry_that_has_no_room(void **state) {
    struct ice_cache_dir dir = opened();
    struct ice_alloc small;
    struct ice_buf found;
    static char bytes[1 << 16];
    (void)state;
    assert_true(ice_cache_dir_put(&dir, name, ice_str_make(bytes, sizeof(bytes))));
    ice_alloc_init(&small, NULL, 1000);
    ice_buf_init(&found, &small, SIZE_MAX);
    assert_int_equal(ice_cache_dir_get(&dir, name, &found), ICE_CACHE_FAILED);
    ice_buf_release(&found);
    ice_buf_init(&found, &alloc, 1000);
    assert_int_equal(ice_cache_dir_get(&dir, name, &found), ICE_CACHE_FAILED);
    ice_buf_release(&found);
    ice_cache_dir_close(&dir);
}

/* What stands where a folder of entries should, and a directory that is gone. */
static void entries_that_cannot_be_put(void **state) {
    struct ice_cache_dir dir = opened();
    (void)state;
    const int fd = openat(dir.fd, "a", O_WRONLY | O_CREAT, 0600);
    assert_int_equal(close(fd), 0);
    assert_false(ice_cache_dir_put(&dir, name, ICE_STR("x")));
    assert_int_equal(get(&dir, ""), ICE_CACHE_FAILED);
    for (int i = 0; i < 16; i++) {
        assert_int_equal(ice_cache_dir_sweep(&dir), 0);
        (void)unlinkat(dir.fd, "swept", 0); /* which starts anew */
    }
    assert_int_equal(unlinkat(dir.fd, "a", 0), 0);
    assert_int_equal(unlinkat(dir.fd, "seed", 0), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_false(ice_cache_dir_put(&dir, name, ICE_STR("x")));
    assert_int_equal(get(&dir, ""), ICE_CACHE_NONE);
    assert_int_equal(ice_cache_dir_sweep(&dir), 0);
    ice_cache_dir_close(&dir);
}

static void set_age(const struct ice_cache_dir *dir, const char *which, time_t seconds) {
    const time_t then = time(NULL) - seconds;
    const struct timespec times[2] = {{.tv_sec = then}, {.tv_sec = then}};
    assert_int_equal(utimensat(dir->fd, which, times, 0), 0);
}

static size_t sweep_all(const struct ice_cache_dir *dir) {
    size_t n = 0;
    for (int i = 0; i < 16; i++) {
        n += ice_cache_dir_sweep(dir);
        assert_int_equal(ice_cache_dir_sweep(dir), 0); /* not twice in an hour */
        set_age(dir, "swept", 3700);
    }
    return n;
}

static void removes_what_is_not_used(void **state) {
    struct ice_cache_dir dir = opened();
    (void)state;
    assert_true(ice_cache_dir_put(&dir, name, ICE_STR("x")));
    set_age(&dir, file, 29 * 86400);
    assert_int_equal(sweep_all(&dir), 0);
    assert_int_equal(get(&dir, "x"), ICE_CACHE_HIT); /* that is a use */
    set_age(&dir, "a", 0);
    assert_int_equal(sweep_all(&dir), 0);
    set_age(&dir, file, 31 * 86400);
    assert_int_equal(sweep_all(&dir), 1);
    assert_int_equal(get(&dir, ""), ICE_CACHE_NONE);
    const int fd = openat(dir.fd, "a/tmp-1-2", O_WRONLY | O_CREAT, 0600);
    assert_int_equal(close(fd), 0);
    assert_int_equal(sweep_all(&dir), 0);
    set_age(&dir, "a/tmp-1-2", 2 * 86400);
    assert_int_equal(sweep_all(&dir), 1);
    ice_cache_dir_close(&dir);
}

/* A clock that went astray must not keep an entry, or the sweeping, for ever. */
static void times_of_the_future(void **state) {
    struct ice_cache_dir dir = opened();
    struct stat found;
    (void)state;
    assert_true(ice_cache_dir_put(&dir, name, ICE_STR("x")));
    set_age(&dir, file, -3 * 86400);
    assert_int_equal(get(&dir, "x"), ICE_CACHE_HIT);
    assert_int_equal(fstatat(dir.fd, file, &found, 0), 0);
    assert_true(found.st_mtime < time(NULL) + 86400);
    assert_int_equal(ice_cache_dir_sweep(&dir), 0);
    set_age(&dir, "swept", -7200);
    set_age(&dir, file, 31 * 86400);
    size_t n = 0;
    for (int i = 0; i < 16; i++) {
        n += ice_cache_dir_sweep(&dir);
        set_age(&dir, "swept", -7200);
    }
    assert_int_equal(n, 1);
    ice_cache_dir_close(&dir);
}

static void a_name_that_is_too_long(void **state) {
    static char path[5000];
    struct ice_cache_dir dir;
    struct ice_error err = {0};
    (void)state;
    memset(path, 'x', sizeof(path) - 1);
    assert_int_equal(ice_cache_dir_open(&dir, path, NULL, 0, &err), ICE_EARG);
    assert_non_null(strstr(err.message, "its name is too long"));
    const struct ice_cache_dir above = opened();
    err = (struct ice_error){0};
    (void)snprintf(path, sizeof(path), "%s/%0200d", folder, 0);
    assert_int_equal(ice_cache_dir_open(&dir, path, &above.fd, 1, &err), ICE_EARG);
    assert_non_null(strstr(err.message, "where nothing is written"));
    (void)close(above.fd);
    (void)snprintf(path, sizeof(path), "%s///", folder);
    assert_int_equal(ice_cache_dir_open(&dir, path, NULL, 0, NULL), ICE_OK);
    ice_cache_dir_close(&dir);
}

static void refuses_what_cannot_be_used(void **state) {
    char path[128];
    struct ice_cache_dir dir = opened(), other;
    struct ice_error err = {0};
    (void)state;
    (void)snprintf(path, sizeof(path), "%s/no/such", folder);
    assert_int_equal(ice_cache_dir_open(&other, path, NULL, 0, &err), ICE_EARG);
    assert_non_null(strstr(err.message, "does not exist"));
    assert_int_equal(other.fd, -1);
    (void)snprintf(path, sizeof(path), "%s/seed", folder);
    assert_int_equal(ice_cache_dir_open(&other, path, NULL, 0, NULL), ICE_EARG);
    const int roots[] = {-1, dir.fd};
    (void)snprintf(path, sizeof(path), "%s/below/", folder);
    assert_int_equal(ice_cache_dir_open(&other, path, roots, 2, NULL), ICE_EARG);
    assert_int_equal(faccessat(dir.fd, "below", F_OK, 0), -1); /* nor was it made */
    assert_int_equal(ice_cache_dir_open(&other, folder, roots, 2, NULL), ICE_EARG);
    assert_int_equal(ice_cache_dir_open(&other, path, NULL, 0, NULL), ICE_OK);
    struct stat made;
    assert_int_equal(fstat(other.fd, &made), 0);
    assert_int_equal(made.st_mode & 0777, 0700);
    ice_cache_dir_close(&other);
    ice_cache_dir_close(&dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keeps_entries, begin, end),
        cmocka_unit_test_setup_teardown(sees_every_wrong_bit_and_cut, begin, end),
        cmocka_unit_test_setup_teardown(takes_no_entry_of_another_name, begin, end),
        cmocka_unit_test_setup_teardown(takes_plain_files_only, begin, end),
        cmocka_unit_test_setup_teardown(makes_a_new_seed_for_a_damaged_one, begin, end),
        cmocka_unit_test_setup_teardown(removes_what_is_not_used, begin, end),
        cmocka_unit_test_setup_teardown(makes_a_new_seed_for_each_damage, begin, end),
        cmocka_unit_test_setup_teardown(keeps_nothing_as_well, begin, end),
        cmocka_unit_test_setup_teardown(an_entry_that_has_no_room, begin, end),
        cmocka_unit_test_setup_teardown(entries_that_cannot_be_put, begin, end),
        cmocka_unit_test_setup_teardown(times_of_the_future, begin, end),
        cmocka_unit_test_setup_teardown(a_name_that_is_too_long, begin, end),
        cmocka_unit_test_setup_teardown(refuses_what_cannot_be_used, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
