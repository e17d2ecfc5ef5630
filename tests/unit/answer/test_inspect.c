/*
 * Answers over a shipped table: who is refused, who may stop them, and that each failing
 * allocation ends them cleanly. What the rows hold is compared in
 * tests/oracle/answer_rows.py.
 */
#include "icefsck.h"

#include "base/compiler.h"
#include "base/str.h"
#include "support/cmocka_all.h"
#include "support/failing.h"

#define TABLE "fixtures/base/plain-v2"
#define LIST TABLE "/metadata/snap-3.avro"
#define MANIFEST TABLE "/metadata/m3.avro"

struct seen {
    unsigned n_rows, stop_after; /* 0: never */
    unsigned n_troubles;
    size_t n_bytes;
};

static enum ice_status count_row(const struct ice_column *columns,
                                 const struct ice_value *values, size_t n, void *user) {
    struct seen *seen = user;
    assert_true(n > 0);
    if (values == NULL)
        return ICE_OK; /* it only tells the columns */
    for (size_t i = 0; i < n; i++)
        assert_true(values[i].kind == ICE_VALUE_NULL ||
                    values[i].kind == columns[i].kind);
    seen->n_rows++;
    return seen->n_rows == seen->stop_after ? ICE_ECANCELLED : ICE_OK;
}

static enum ice_status count_bytes(const char *data, size_t size, void *user) {
    struct seen *seen = user;
    (void)data;
    seen->n_bytes += size;
    return ICE_OK;
}

static void count_trouble(const struct ice_error *trouble, void *user) {
    struct seen *seen = user;
    assert_true(trouble->status < 0);
    seen->n_troubles++;
}

static enum ice_status inspect(const char *path, const char *what,
                               const struct ice_options *options, struct seen *seen,
                               struct ice_error *err) {
    *err = (struct ice_error){0};
    return ice_inspect(path, what, false, options, count_row, count_trouble, seen, err);
}

static void every_table_answers(void **state) {
    (void)state;
    static const struct {
        const char *what;
        unsigned n_rows;
    } expected[] = {
        {"history", 3},        {"metadata_log_entries", 3},
        {"snapshots", 3},      {"refs", 3},
        {"entries", 7},        {"files", 6},
        {"data_files", 5},     {"delete_files", 1},
        {"manifests", 3},      {"partitions", 4},
        {"all_data_files", 8}, {"all_delete_files", 1},
        {"all_files", 9},      {"all_manifests", 6},
        {"all_entries", 10},   {"live", 13},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(expected); i++) {
        struct seen seen = {0};
        struct ice_error err;
        assert_int_equal(inspect(TABLE, expected[i].what, NULL, &seen, &err), ICE_OK);
        if (seen.n_rows != expected[i].n_rows || seen.n_troubles != 0)
            fail_msg("%s has %u rows", expected[i].what, seen.n_rows);
    }
    for (size_t i = 0; ice_inspect_names()[i] != NULL; i++) {
        struct seen seen = {0};
        struct ice_error err;
        assert_int_equal(inspect(TABLE, ice_inspect_names()[i], NULL, &seen, &err),
                         ICE_OK);
        assert_true(seen.n_rows > 0);
    }
}

static void wrong_questions_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *path, *what;
        enum ice_status status;
    } cases[] = {
        {TABLE, "file", ICE_EARG},
        {TABLE, "", ICE_EARG},
        {LIST, "files", ICE_EARG},
        {LIST, "history", ICE_EARG},
        {MANIFEST, "manifests", ICE_EARG},
        {"fixtures", "files", ICE_ENOENT},
        {TABLE "/nowhere", "files", ICE_ENOENT},
        {TABLE "/PROVENANCE", "files", ICE_EFORMAT},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct seen seen = {0};
        struct ice_error err;
        enum ice_status status = inspect(cases[i].path, cases[i].what, NULL, &seen, &err);
        if (status != cases[i].status || err.status != status || err.message[0] == '\0')
            fail_msg("%s %s: %s", cases[i].path, cases[i].what, ice_status_name(status));
        assert_int_equal(seen.n_rows, 0);
    }
}

static void lone_files_answer_what_they_hold(void **state) {
    (void)state;
    struct seen seen = {0};
    struct ice_error err;
    assert_int_equal(inspect(LIST, "manifests", NULL, &seen, &err), ICE_OK);
    assert_int_equal(seen.n_rows, 3);
    seen.n_rows = 0;
    assert_int_equal(inspect(MANIFEST, "entries", NULL, &seen, &err), ICE_OK);
    assert_int_equal(seen.n_rows, 4);
    seen.n_rows = 0;
    assert_int_equal(inspect(MANIFEST, "files", NULL, &seen, &err), ICE_OK);
    assert_int_equal(seen.n_rows, 3);
}

static void snapshot_narrows(void **state) {
    (void)state;
    static const struct {
        const char *snapshot, *what;
        unsigned n_rows;
    } cases[] = {
        {"101", "files", 2},
        {"v1.0", "files", 2},
        {"audit", "files", 5},
        {"main", "files", 6},
        {"2025-03-01T00:00:00Z", "files", 2},
        {"102", "all_files", 5},
        {"102", "live", 5},
        {"102", "all_manifests", 2},
        {"101", "partitions", 1},
        {"101", "snapshots", 3},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_options options = ICE_OPTIONS_INIT;
        struct seen seen = {0};
        struct ice_error err;
        options.snapshot = cases[i].snapshot;
        assert_int_equal(inspect(TABLE, cases[i].what, &options, &seen, &err), ICE_OK);
        if (seen.n_rows != cases[i].n_rows)
            fail_msg("%s of %s: %u rows", cases[i].what, cases[i].snapshot, seen.n_rows);
    }
    struct ice_options options = ICE_OPTIONS_INIT;
    struct seen seen = {0};
    struct ice_error err;
    options.snapshot = "nobody";
    assert_int_equal(inspect(TABLE, "files", &options, &seen, &err), ICE_EARG);
}

static bool say_yes(void *user) {
    (void)user;
    return true;
}

static void callers_may_stop(void **state) {
    (void)state;
    static const char *const tables[] = {"files", "partitions", "entries", "snapshots",
                                         "live"};
    struct ice_error err;
    for (size_t i = 0; i < ICE_COUNT_OF(tables); i++) {
        struct seen seen = {.stop_after = 2};
        assert_int_equal(inspect(TABLE, tables[i], NULL, &seen, &err), ICE_ECANCELLED);
        assert_int_equal(seen.n_rows, 2);
        assert_int_equal(seen.n_troubles, 0);
    }
    struct ice_options options = ICE_OPTIONS_INIT;
    struct seen seen = {0};
    options.cancelled = say_yes;
    assert_int_equal(inspect(TABLE, "files", &options, &seen, &err), ICE_ECANCELLED);
    assert_int_equal(seen.n_rows, 0);
}

/* ---- every allocation fails once ----------------------------------------------------
 */

typedef enum ice_status (*answer_fn)(const struct ice_options *options,
                                     struct seen *seen);

static enum ice_status answer_files(const struct ice_options *options,
                                    struct seen *seen) {
    return ice_inspect(TABLE, "entries", true, options, count_row, count_trouble, seen,
                       NULL);
}
static enum ice_status answer_partitions(const struct ice_options *options,
                                         struct seen *seen) {
    return ice_inspect(TABLE, "partitions", false, options, count_row, count_trouble,
                       seen, NULL);
}
static enum ice_status answer_manifests(const struct ice_options *options,
                                        struct seen *seen) {
    return ice_inspect(TABLE, "all_manifests", false, options, count_row, count_trouble,
                       seen, NULL);
}
static enum ice_status answer_schemas(const struct ice_options *options,
                                      struct seen *seen) {
    return ice_inspect(TABLE, "schemas", false, options, count_row, count_trouble, seen,
                       NULL);
}
static enum ice_status answer_live(const struct ice_options *options, struct seen *seen) {
    return ice_inspect_live_oracle(TABLE, options, count_bytes, count_trouble, seen,
                                   NULL);
}
static enum ice_status answer_dump(const struct ice_options *options, struct seen *seen) {
    return ice_dump(MANIFEST, options, count_bytes, count_trouble, seen, NULL);
}
static enum ice_status answer_list(const struct ice_options *options, struct seen *seen) {
    return ice_list_files(TABLE, options, count_row, count_trouble, seen, NULL);
}

/* A word that leads over the other metadata files to a snapshot; storage is asked. */
static enum ice_status answer_diff(const struct ice_options *options, struct seen *seen) {
    const char *const partitions[] = {"customer=acme"};
    const struct ice_diff_request request = {
        .from = "2025-03-01", .to = "audit", .partitions = partitions, .n_partitions = 1};
    struct ice_options own = *options;
    own.storage_local = true;
    return ice_diff(TABLE, &request, &own, count_row, count_trouble, seen, NULL, NULL);
}

static enum ice_status answer_diff_log(const struct ice_options *options,
                                       struct seen *seen) {
    const struct ice_diff_request request = {.from = "tests/story/spark/driver.log"};
    return ice_diff("tests/story/spark/orders", &request, options, count_row,
                    count_trouble, seen, NULL, NULL);
}

static enum ice_status answer_history(const struct ice_options *options,
                                      struct seen *seen) {
    return ice_history(TABLE, options, count_row, count_trouble, seen, NULL);
}

/* All of it: statements, exact losses, advice. */
static enum ice_status answer_rescue(const struct ice_options *options,
                                     struct seen *seen) {
    struct ice_rescue_result result;
    enum ice_status status = ice_rescue(TABLE, options, count_row, count_bytes,
                                        count_trouble, seen, &result, NULL);
    return status == ICE_OK && !result.is_current ? ICE_EARG : status;
}

static enum ice_status answer_bench(const struct ice_options *options,
                                    struct seen *seen) {
    struct ice_bench *bench = NULL;
    struct ice_work work = {0};
    struct ice_options own = *options;
    own.jobs = 1;
    enum ice_status status = ice_bench_open(&bench, TABLE, &own, NULL);
    if (status >= 0)
        status = ice_bench_run(bench, ICE_EFFORT_INFLATE, &work, NULL);
    ice_bench_free(bench);
    seen->n_rows = (unsigned)work.n_records;
    seen->n_troubles = (unsigned)work.n_faulty;
    return status;
}

static enum ice_status answer_failing(answer_fn answer, struct failing *failing,
                                      struct seen *seen) {
    const struct ice_allocator allocator = failing_allocator(failing);
    struct ice_options options = ICE_OPTIONS_INIT;
    options.allocator = &allocator;
    options.hash_seed = 1;
    options.depth = ICE_DEPTH_PUFFIN;
    return answer(&options, seen);
}

/* Out of memory is said, or nothing was lost by it. */
static void fail_each_request(answer_fn answer) {
    struct failing never = {0};
    struct seen whole = {0};
    assert_int_equal(answer_failing(answer, &never, &whole), ICE_OK);
    assert_true(whole.n_rows > 0 || whole.n_bytes > 0);
    assert_true(never.n < 20000);
    /* where each object is asked for by itself, one in so many: torture.failing-sites
     * lets a request fail at every chain of calls */
    const uint64_t step = 1 + never.n / 500;
    for (uint64_t k = 1; k <= never.n; k += step) {
        struct failing failing = {.fail_at = k};
        struct seen seen = {0};
        enum ice_status status = answer_failing(answer, &failing, &seen);
        if (failing.used != 0)
            fail_msg("leaks behind request %u", (unsigned)k);
        if (status == ICE_ENOMEM)
            continue;
        if (status != ICE_OK || seen.n_rows != whole.n_rows ||
            seen.n_bytes != whole.n_bytes || seen.n_troubles != 0)
            fail_msg("request %u: %s, %u rows", (unsigned)k, ice_status_name(status),
                     seen.n_rows);
    }
}

static void each_failing_allocation_ends_cleanly(void **state) {
    (void)state;
    static const answer_fn answers[] = {
        answer_files,    answer_partitions, answer_manifests, answer_schemas,
        answer_live,     answer_dump,       answer_list,      answer_diff,
        answer_diff_log, answer_history,    answer_rescue,    answer_bench};
    for (size_t i = 0; i < ICE_COUNT_OF(answers); i++)
        fail_each_request(answers[i]);
}

static void the_current_file_is_named(void **state) {
    (void)state;
    char name[64];
    struct ice_options options = ICE_OPTIONS_INIT;
    assert_int_equal(ice_current_file(TABLE, &options, name, sizeof(name), NULL), ICE_OK);
    assert_string_equal(name, "metadata/v3.metadata.json");
    assert_int_equal(ice_current_file(TABLE, NULL, name, 26, NULL), ICE_OK);
    assert_int_equal(ice_current_file(TABLE, NULL, name, 25, NULL), ICE_ELIMIT);
    options.metadata = "1";
    assert_int_equal(ice_current_file(TABLE, &options, name, sizeof(name), NULL), ICE_OK);
    assert_string_equal(name, "metadata/v1.metadata.json");
    assert_int_equal(ice_current_file(LIST, NULL, name, sizeof(name), NULL), ICE_OK);
    assert_string_equal(name, "");
    assert_int_equal(ice_current_file("nosuch", NULL, name, sizeof(name), NULL),
                     ICE_ENOENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_answers),
        cmocka_unit_test(wrong_questions_are_refused),
        cmocka_unit_test(lone_files_answer_what_they_hold),
        cmocka_unit_test(snapshot_narrows),
        cmocka_unit_test(the_current_file_is_named),
        cmocka_unit_test(callers_may_stop),
        cmocka_unit_test(each_failing_allocation_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
