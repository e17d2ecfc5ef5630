/*
 * Entries of a cache whose checksum is right and whose bytes are not: what is refused as
 * damaged leaves the report as it was, and nothing that is taken harms the run.
 */
#include "unit/check/runner.h"

#include "base/cache_dir.h"
#include "base/hash.h"
#include "support/temp_dir.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_ENTRIES = 16, PATH_BYTES = 256 };

struct run {
    struct test_result result;
    unsigned n_hits, n_damaged;
};

static void on_note(int level, struct ice_str text, void *user) {
    struct run *run = user;
    char line[512];
    (void)level;
    (void)snprintf(line, sizeof(line), "%.*s", ICE_STR_FMT(text));
    run->n_hits += strstr(line, ": hit") != NULL;
    run->n_damaged += strstr(line, "the entry is damaged") != NULL;
}

static enum ice_status on_finding(const struct ice_finding *finding, void *user) {
    return test_note(finding, &((struct run *)user)->result);
}

static void check(struct run *run, const char *table, const char *cache) {
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_source *source = NULL;
    *run = (struct run){0};
    options.cache_dir = cache;
    options.on_note = on_note;
    options.user = run;
    options.has_now = true;
    options.now_ms = INT64_C(1767225600000);
    assert_int_equal(ice_source_open_dir(&source, table, NULL, NULL), ICE_OK);
    run->result.status = ice_check_table(source, "", &options, on_finding, run,
                                         &run->result.summary, &run->result.err);
    assert_int_equal(run->result.status, ICE_OK);
    ice_summary_free(run->result.summary);
    ice_source_free(source);
}

/* Names of all entries, from those of their files. */
static size_t list_entries(const char *cache, struct ice_hash *names) {
    size_t n = 0;
    for (char digit = '0'; digit <= 'f'; digit = digit == '9' ? 'a' : (char)(digit + 1)) {
        char path[PATH_BYTES + 8];
        (void)snprintf(path, sizeof(path), "%s/%c", cache, digit);
        DIR *folder = opendir(path);
        const struct dirent *entry;
        while (folder != NULL && (entry = readdir(folder)) != NULL) {
            struct ice_hash name;
            if (strlen(entry->d_name) != 32 || n == MOST_ENTRIES)
                continue;
            assert_int_equal(
                sscanf(entry->d_name, "%16" SCNx64 "%16" SCNx64, &name.high, &name.low),
                2);
            names[n++] = name;
        }
        if (folder != NULL)
            (void)closedir(folder);
    }
    return n;
}

struct totals {
    unsigned n_tried, n_refused;
};

/* Text stands for itself; of numbers and flags some are sampled, of slow builds fewer. */
static bool is_tried(const struct ice_buf *entry, size_t i) {
    const unsigned char c = (unsigned char)entry->data[i];
    const size_t every = getenv("ICEFSCK_SANITIZED") != NULL ? 17 : 5;
    return (c < ' ' || c > '~') && (i < 128 || i % every == 0);
}

/* Bytes of the entry become others, one at a time. */
static void spoil_entry(const struct ice_cache_dir *dir, struct ice_hash name,
                        const char *table, const char *cache, const struct run *good,
                        struct totals *totals) {
    static const unsigned char masks[] = {0x01, 0x80, 0xff};
    struct ice_alloc alloc;
    struct ice_buf entry;
    struct run now;
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    ice_buf_init(&entry, &alloc, SIZE_MAX);
    assert_int_equal(ice_cache_dir_get(dir, name, &entry), ICE_CACHE_HIT);
    for (size_t i = 0; i < entry.size; i++) {
        const char kept = entry.data[i];
        if (!is_tried(&entry, i))
            continue;
        entry.data[i] = (char)(unsigned char)(kept ^ masks[i % sizeof(masks)]);
        assert_true(ice_cache_dir_put(dir, name, ice_buf_str(&entry)));
        check(&now, table, cache);
        totals->n_tried++;
        totals->n_refused += now.n_damaged > 0;
        if (now.n_damaged > 0)
            assert_string_equal(now.result.findings, good->result.findings);
        entry.data[i] = kept;
    }
    for (size_t size = 0; size < entry.size; size += 1 + size / 4) {
        assert_true(
            ice_cache_dir_put(dir, name, ice_str_first(ice_buf_str(&entry), size)));
        check(&now, table, cache);
        assert_int_equal(now.n_damaged, 1);
        assert_string_equal(now.result.findings, good->result.findings);
    }
    assert_true(ice_cache_dir_put(dir, name, ice_buf_str(&entry)));
    ice_buf_release(&entry);
}

static void spoil_table(const char *table) {
    char base[TEMP_DIR_SIZE], cache[PATH_BYTES];
    struct ice_hash names[MOST_ENTRIES];
    struct ice_cache_dir dir;
    struct run good;
    struct totals totals = {0};
    assert_true(temp_dir_make(base));
    (void)snprintf(cache, sizeof(cache), "%s/cache", base);
    check(&good, table, cache);
    assert_int_equal(good.n_hits, 0);
    check(&good, table, cache);
    assert_true(good.n_hits > 0);
    const size_t n = list_entries(cache, names);
    assert_int_equal(n, good.n_hits);
    assert_int_equal(ice_cache_dir_open(&dir, cache, NULL, 0, NULL), ICE_OK);
    for (size_t i = 0; i < n; i++)
        spoil_entry(&dir, names[i], table, cache, &good, &totals);
    ice_cache_dir_close(&dir);
    assert_true(totals.n_refused > totals.n_tried / 20);
    print_message("%s: %zu entries, %u changes, %u refused\n", table, n, totals.n_tried,
                  totals.n_refused);
    assert_int_equal(temp_dir_remove(base), 0);
}

static void test_wrong_bytes(void **state) {
    (void)state;
    spoil_table("fixtures/base/plain-v2");
    spoil_table("fixtures/base/java-v3-dv");
}

/* What a manifest left for the questions over several of them comes back, too. */
static void test_lost_partitions(void **state) {
    char base[TEMP_DIR_SIZE], cache[PATH_BYTES];
    struct run cold, warm;
    (void)state;
    assert_true(temp_dir_make(base));
    (void)snprintf(cache, sizeof(cache), "%s/cache", base);
    check(&cold, "fixtures/base/java-v2-dropped-source", cache);
    check(&warm, "fixtures/base/java-v2-dropped-source", cache);
    assert_int_equal(warm.n_hits, 3);
    assert_non_null(strstr(cold.result.findings, "manifest.partition.values-lost"));
    assert_string_equal(warm.result.findings, cold.result.findings);
    assert_int_equal(temp_dir_remove(base), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrong_bytes),
                                       cmocka_unit_test(test_lost_partitions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
