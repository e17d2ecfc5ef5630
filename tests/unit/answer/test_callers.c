/*
 * What callers may do and leave out: stop an answer at any row or poll, and give no
 * options, no place for an error and no function that is told of trouble.
 */
#include "icefsck.h"

#include "base/compiler.h"
#include "support/cmocka_all.h"

#include <stdint.h>
#include <string.h>

#define TABLE "fixtures/base/plain-v2"
#define BROKEN "examples/orders/orders" /* manifest lists are missing */
#define LOG "tests/story/spark/driver.log"

struct seen {
    uint64_t n_rows, stop_at_row; /* from 1; 0: never */
    uint64_t n_polls, stop_at_poll;
    uint64_t n_troubles, n_bytes;
};

static enum ice_status on_row(const struct ice_column *columns,
                              const struct ice_value *values, size_t n, void *user) {
    struct seen *seen = user;
    assert_true(columns != NULL && n > 0);
    if (values == NULL && seen->stop_at_row != 1)
        return ICE_OK;
    if (++seen->n_rows == seen->stop_at_row)
        return ICE_ECANCELLED;
    return ICE_OK;
}

static enum ice_status on_bytes(const char *data, size_t size, void *user) {
    struct seen *seen = user;
    (void)data;
    seen->n_bytes += size;
    return ICE_OK;
}

static void on_trouble(const struct ice_error *trouble, void *user) {
    struct seen *seen = user;
    (void)trouble;
    seen->n_troubles++;
}

static enum ice_status on_finding(const struct ice_finding *finding, void *user) {
    (void)finding;
    (void)user;
    return ICE_OK;
}

static enum ice_status on_summary(const struct ice_summary *summary, void *user) {
    (void)summary;
    (void)user;
    return ICE_OK;
}

static bool cancelled(void *user) {
    struct seen *seen = user;
    return ++seen->n_polls == seen->stop_at_poll;
}

/* told NULL: on_trouble is left out. */
typedef enum ice_status (*answer_fn)(const char *path, const struct ice_options *options,
                                     ice_trouble_fn told, struct seen *seen,
                                     struct ice_error *err);

#define INSPECT(what)                                                                    \
    static enum ice_status inspect_##what(                                               \
        const char *path, const struct ice_options *options, ice_trouble_fn told,        \
        struct seen *seen, struct ice_error *err) {                                      \
        return ice_inspect(path, #what, true, options, on_row, told, seen, err);         \
    }
INSPECT(history)
INSPECT(metadata_log_entries)
INSPECT(snapshots)
INSPECT(refs)
INSPECT(all_entries)
INSPECT(all_files)
INSPECT(all_manifests)
INSPECT(partitions)
INSPECT(schemas)
INSPECT(specs)
INSPECT(sort_orders)
INSPECT(properties)
INSPECT(statistics)
INSPECT(live)

static enum ice_status oracle(const char *path, const struct ice_options *options,
                              ice_trouble_fn told, struct seen *seen,
                              struct ice_error *err) {
    return ice_inspect_live_oracle(path, options, on_bytes, told, seen, err);
}

static enum ice_status list_files(const char *path, const struct ice_options *options,
                                  ice_trouble_fn told, struct seen *seen,
                                  struct ice_error *err) {
    return ice_list_files(path, options, on_row, told, seen, err);
}

static enum ice_status history(const char *path, const struct ice_options *options,
                               ice_trouble_fn told, struct seen *seen,
                               struct ice_error *err) {
    return ice_history(path, options, on_row, told, seen, err);
}

static enum ice_status rescue(const char *path, const struct ice_options *options,
                              ice_trouble_fn told, struct seen *seen,
                              struct ice_error *err) {
    return ice_rescue(path, options, on_row, NULL, told, seen, NULL, err);
}

static enum ice_status diff(const char *path, const struct ice_options *options,
                            ice_trouble_fn told, struct seen *seen,
                            struct ice_error *err) {
    const struct ice_diff_request request = {.from = "1"};
    return ice_diff(path, &request, options, on_row, told, seen, NULL, err);
}

static enum ice_status orphans(const char *path, const struct ice_options *options,
                               ice_trouble_fn told, struct seen *seen,
                               struct ice_error *err) {
    struct ice_options own = ICE_OPTIONS_INIT;
    struct ice_orphan_table table = {.path = path};
    if (options != NULL)
        own = *options;
    own.storage_local = true;
    enum ice_status status = ice_orphans(&table, 1, &own, 0, on_row, told, seen, err);
    if (status < 0 || table.error.status >= 0)
        return status;
    if (err != NULL)
        *err = table.error; /* each table has its own */
    return table.error.status;
}

static enum ice_status pointers(const char *path, const struct ice_options *options,
                                ice_trouble_fn told, struct seen *seen,
                                struct ice_error *err) {
    const char *const words[] = {path, LOG, "nosuch.json"};
    const struct ice_pointer_calls calls = {.on_row = on_row,
                                            .on_finding = on_finding,
                                            .on_summary = on_summary,
                                            .on_trouble = told,
                                            .user = seen};
    struct ice_options own = ICE_OPTIONS_INIT;
    int code = 0;
    if (options != NULL)
        own = *options;
    return ice_list_pointers(words, ICE_COUNT_OF(words), &own, &calls, &code, err);
}

static const struct {
    const char *name;
    answer_fn ask;
} answers[] = {
    {"history", inspect_history},
    {"metadata_log_entries", inspect_metadata_log_entries},
    {"snapshots", inspect_snapshots},
    {"refs", inspect_refs},
    {"all_entries", inspect_all_entries},
    {"all_files", inspect_all_files},
    {"all_manifests", inspect_all_manifests},
    {"partitions", inspect_partitions},
    {"schemas", inspect_schemas},
    {"specs", inspect_specs},
    {"sort_orders", inspect_sort_orders},
    {"properties", inspect_properties},
    {"statistics", inspect_statistics},
    {"live", inspect_live},
    {"live as oracle", oracle},
    {"files of a check", list_files},
    {"the story", history},
    {"rescue", rescue},
    {"diff", diff},
    {"orphans", orphans},
    {"pointers", pointers},
};

static struct ice_options options_for(struct seen *seen) {
    struct ice_options options = ICE_OPTIONS_INIT;
    options.cancelled = cancelled;
    options.user = seen;
    options.jobs = 1;
    options.has_now = true;
    options.now_ms = 1767225600000;
    return options;
}

static void each_row_may_be_the_last(void **state) {
    (void)state;
    for (size_t i = 0; i < ICE_COUNT_OF(answers); i++) {
        struct seen whole = {0};
        struct ice_options options = options_for(&whole);
        enum ice_status status =
            answers[i].ask(TABLE, &options, on_trouble, &whole, NULL);
        if (status != ICE_OK)
            fail_msg("%s: %s", answers[i].name, ice_status_name(status));
        for (uint64_t n = 1; n <= whole.n_rows; n++) {
            struct seen seen = {.stop_at_row = n};
            struct ice_error err = {0};
            options = options_for(&seen);
            status = answers[i].ask(TABLE, &options, on_trouble, &seen, &err);
            if (status != ICE_ECANCELLED || seen.n_rows != n)
                fail_msg("%s, row %u: %s behind row %u", answers[i].name, (unsigned)n,
                         ice_status_name(status), (unsigned)seen.n_rows);
        }
    }
}

static void each_poll_may_be_the_last(void **state) {
    (void)state;
    static const char *const paths[] = {TABLE, "fixtures/base/java-0.13-v1-inline"};
    for (size_t i = 0; i < ICE_COUNT_OF(answers) * ICE_COUNT_OF(paths); i++) {
        const char *path = paths[i % ICE_COUNT_OF(paths)];
        const char *name = answers[i / ICE_COUNT_OF(paths)].name;
        answer_fn ask = answers[i / ICE_COUNT_OF(paths)].ask;
        struct seen whole = {0};
        struct ice_options options = options_for(&whole);
        (void)ask(path, &options, on_trouble, &whole, NULL);
        for (uint64_t n = 1; n <= whole.n_polls; n++) {
            struct seen seen = {.stop_at_poll = n};
            struct ice_error err = {0};
            options = options_for(&seen);
            enum ice_status status = ask(path, &options, on_trouble, &seen, &err);
            if (status != ICE_ECANCELLED)
                fail_msg("%s of %s, poll %u of %u: %s %s", name, path, (unsigned)n,
                         (unsigned)whole.n_polls, ice_status_name(status), err.message);
        }
    }
}

/* The same rows, whoever listens; what cannot be answered is no crash either. */
static void what_may_be_left_out(void **state) {
    (void)state;
    static const char *const paths[] = {
        TABLE,
        BROKEN,
        "fixtures/base/spark-view",
        "fixtures/base/plain-v2/metadata/v3.metadata.json",
        "fixtures/base",
        "nosuch"};
    for (size_t p = 0; p < ICE_COUNT_OF(paths); p++) {
        for (size_t i = 0; i < ICE_COUNT_OF(answers); i++) {
            struct seen with = {0}, without = {0}, bare = {0};
            struct ice_options options = options_for(&with);
            struct ice_error err = {0};
            enum ice_status wanted =
                answers[i].ask(paths[p], &options, on_trouble, &with, &err);
            options = options_for(&without);
            enum ice_status got =
                answers[i].ask(paths[p], &options, NULL, &without, NULL);
            if (got != wanted || without.n_rows != with.n_rows ||
                without.n_bytes != with.n_bytes)
                fail_msg("%s of %s: %s, not %s", answers[i].name, paths[p],
                         ice_status_name(got), ice_status_name(wanted));
            assert_int_equal(answers[i].ask(paths[p], NULL, NULL, &bare, NULL), wanted);
            if (wanted < 0 && err.message[0] == '\0')
                fail_msg("%s of %s says nothing", answers[i].name, paths[p]);
        }
    }
}

static void a_diff_needs_a_state(void **state) {
    (void)state;
    static const struct ice_diff_request nothing = {0};
    static char deep[5000];
    struct seen seen = {0};
    struct ice_error err = {0};
    assert_int_equal(ice_diff(TABLE, &nothing, NULL, on_row, NULL, &seen, NULL, &err),
                     ICE_EARG);
    assert_true(err.message[0] != '\0');
    const char *const partitions[] = {"customer"};
    const struct ice_diff_request halves = {
        .from = "1", .partitions = partitions, .n_partitions = 1};
    err = (struct ice_error){0};
    assert_int_equal(ice_diff(TABLE, &halves, NULL, on_row, NULL, &seen, NULL, &err),
                     ICE_EARG);
    assert_non_null(strstr(err.message, "no partition field 'customer'"));
    memset(deep, 'd', sizeof(deep) - 1);
    memcpy(deep + sizeof(deep) - sizeof("/v3.metadata.json"), "/v3.metadata.json",
           sizeof("/v3.metadata.json"));
    const struct ice_diff_request older = {.from = deep};
    assert_true(ice_diff(deep, &older, NULL, on_row, NULL, &seen, NULL, &err) < 0);
}

static void no_table_has_no_orphans(void **state) {
    (void)state;
    struct seen seen = {0};
    struct ice_error err = {0};
    assert_int_equal(ice_orphans(NULL, 0, NULL, 0, on_row, NULL, &seen, &err), ICE_EARG);
    assert_int_equal(ice_orphans(NULL, 1, NULL, 0, on_row, NULL, &seen, &err), ICE_EARG);
    struct ice_orphan_table table = {.path = TABLE};
    assert_int_equal(ice_orphans(&table, 1, NULL, 0, on_row, NULL, &seen, &err),
                     ICE_EARG);
    assert_int_equal(seen.n_rows, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_may_be_the_last),
        cmocka_unit_test(each_poll_may_be_the_last),
        cmocka_unit_test(what_may_be_left_out),
        cmocka_unit_test(a_diff_needs_a_state),
        cmocka_unit_test(no_table_has_no_orphans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
