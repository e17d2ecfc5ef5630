/*
 * Sources that fail, change and lie elsewhere while a table is checked.
 */
#include "unit/check/runner.h"

#include "base/error.h"

#define TABLE(list)                                                                      \
    "{\"format-version\":1,\"location\":\"s3://b/wh/orders\",\"last-updated-ms\":"       \
    "1740000000000,\"last-column-id\":1,\"schema\":{\"type\":\"struct\",\"schema-id\":"  \
    "0,"                                                                                 \
    "\"fields\":[{\"id\":1,\"name\":\"a\",\"required\":false,\"type\":\"int\"}]},"       \
    "\"partition-spec\":[],\"current-snapshot-id\":1,\"snapshots\":[{\"snapshot-id\":1," \
    "\"timestamp-ms\":1740000000000,\"manifest-list\":\"" list "\"}]}"
#define M "metadata/"

enum what_happens { NOTHING, UNREADABLE, GROWS_ONCE, GROWS, VANISHES, SPECIAL };

/* One file that goes wrong, named by its key, beside others that do not. */
struct odd_source {
    const char *const *pairs;
    const char *odd;
    enum what_happens what;
    unsigned opens; /* of the odd file */
};

static const char *text_of(const struct odd_source *source, struct ice_str key) {
    for (size_t i = 0; source->pairs[i] != NULL; i += 2) {
        if (ice_str_is(key, source->pairs[i]))
            return source->pairs[i + 1];
    }
    return NULL;
}

static enum ice_status odd_open(void *user, struct ice_str key, void **out_file,
                                struct ice_file_info *out_info, struct ice_error *err) {
    struct odd_source *source = user;
    const char *text = text_of(source, key);
    if (text == NULL)
        return ICE_ENOENT;
    bool is_odd = ice_str_is(key, source->odd);
    uint64_t extra = 0;
    if (is_odd && source->what == VANISHES && source->opens >= 1)
        return ICE_ENOENT;
    if (is_odd && source->what == SPECIAL)
        return ice_error_set(err, ICE_EIO, "source.type", ICE_NO_OFFSET, "it is a pipe");
    if (is_odd && source->what == GROWS)
        extra = source->opens;
    if (is_odd && source->what == GROWS_ONCE)
        extra = source->opens > 1 ? 1 : 0;
    if (is_odd)
        source->opens++;
    *out_file = (void *)(uintptr_t)text;
    *out_info = (struct ice_file_info){.size = strlen(text) + extra};
    return ICE_OK;
}

static enum ice_status odd_read(void *user, void *file, uint64_t offset, void *buffer,
                                size_t size, size_t *out_size, struct ice_error *err) {
    const struct odd_source *source = user;
    const char *text = file;
    (void)err;
    if (source->what == UNREADABLE && text == text_of(source, ice_str_from(source->odd)))
        return ICE_EIO;
    size_t left = strlen(text) > offset ? strlen(text) - (size_t)offset : 0;
    *out_size = size < left ? size : left;
    memcpy(buffer, text + (left > 0 ? offset : 0), *out_size);
    return ICE_OK;
}

static void odd_close(void *user, void *file) {
    (void)user;
    (void)file;
}

typedef enum ice_status (*each_fn)(struct ice_str, bool, const struct ice_file_info *,
                                   void *);

static enum ice_status odd_list(void *user, struct ice_str directory, each_fn each,
                                void *context, struct ice_error *err) {
    const struct odd_source *source = user;
    struct ice_file_info info = {0};
    (void)err;
    if (directory.size == 0)
        return each(ICE_STR("metadata"), true, &info, context);
    for (size_t i = 0; source->pairs[i] != NULL; i += 2) {
        struct ice_str name = ice_str_from(source->pairs[i] + sizeof(M) - 1);
        if (each(name, false, &info, context) < 0)
            return ICE_ENOMEM;
    }
    return ICE_OK;
}

static const struct ice_source_ops odd_ops = {odd_open, odd_read, odd_close, odd_list,
                                              NULL};

static void check_odd(struct odd_source *user, struct test_result *result) {
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_source *source = NULL;
    *result = (struct test_result){0};
    assert_int_equal(ice_source_open_ops(&source, &odd_ops, user, NULL, NULL), ICE_OK);
    result->status = ice_check_table(source, "", &options, test_note, result,
                                     &result->summary, &result->err);
    ice_source_free(source);
    if (result->status != ICE_OK)
        fail_msg("%s", result->err.message);
}

static const char *const files[] = {M "v1.metadata.json",
                                    TABLE("s3://b/wh/orders/metadata/a.avro"),
                                    M "version-hint.text",
                                    "1",
                                    M "a.avro",
                                    "Obj\x01nonsense",
                                    NULL};

struct odd_case {
    const char *odd;
    enum what_happens what;
    const char *findings; /* of source.* */
    int bits;             /* of the exit code */
};

static const struct odd_case cases[] = {
    {M "none", NOTHING, "", 3},
    {M "v1.metadata.json", UNREADABLE, "warn source.unreadable " M "v1.metadata.json\n",
     2},
    {M "version-hint.text", UNREADABLE, "warn source.unreadable " M "version-hint.text\n",
     3},
    {M "a.avro", UNREADABLE, "warn source.unreadable " M "a.avro\n", 2},
    {M "a.avro", SPECIAL, "warn source.type " M "a.avro\n", 2},
    {M "a.avro", GROWS, "warn source.changed " M "a.avro\n", 2},
    {M "a.avro", VANISHES, "warn source.changed " M "a.avro\n", 2},
    {M "v1.metadata.json", GROWS, "warn source.changed " M "v1.metadata.json\n", 3},
    {M "v1.metadata.json", GROWS_ONCE, "", 3},
    {M "v1.metadata.json", VANISHES, "warn source.changed " M "v1.metadata.json\n", 2},
};

static void faults_of_sources(void **state) {
    (void)state;
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct odd_source source = {
            .pairs = files, .odd = cases[i].odd, .what = cases[i].what};
        struct test_result result;
        check_odd(&source, &result);
        test_expect_lines(&result, "source.*", "source.*", cases[i].findings);
        if (result.summary->exit_code != cases[i].bits)
            fail_msg("case %zu: exit %d\n%s", i, result.summary->exit_code,
                     result.findings);
        ice_summary_free(result.summary);
    }
}

static void files_that_are_elsewhere(void **state) {
    (void)state;
    static const struct {
        const char *list, *findings;
    } lists[] = {
        {TABLE("s3://other/a.avro"),
         "info source.unmapped " M "v1.metadata.json#/snapshots/0/manifest-list\n"},
        {TABLE("s3://b/wh/orders2/a.avro"),
         "info source.unmapped " M "v1.metadata.json#/snapshots/0/manifest-list\n"},
        {TABLE("s3://b/wh/orders/../a.avro"),
         "warn source.path s3://b/wh/orders/../a.avro\n"},
        {TABLE("s3a://b/wh/orders//metadata/a.avro"),
         "error storage.manifest-list.missing " M
         "v1.metadata.json#/snapshots/0/manifest-list\n"},
        {TABLE("metadata/a.avro"),
         "info source.unmapped " M "v1.metadata.json#/snapshots/0/manifest-list\n"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(lists); i++) {
        const char *const pairs[] = {M "v1.metadata.json", lists[i].list,
                                     M "version-hint.text", "1", NULL};
        struct ice_options options = ICE_OPTIONS_INIT;
        struct test_result result;
        test_check(&result, pairs, "", &options);
        assert_int_equal(result.status, ICE_OK);
        test_expect_lines(&result, "source.*", "storage.*", lists[i].findings);
        assert_int_equal(result.summary->exit_code & 2, 2);
        ice_summary_free(result.summary);
    }
}

static void maps_are_taken_at_their_word(void **state) {
    (void)state;
    static const struct ice_map_entry maps[] = {{"s3://b/wh/orders", "copy"}};
    const char *const pairs[] = {"t/" M "v1.metadata.json",
                                 TABLE("s3://b/wh/orders/metadata/a.avro"),
                                 "copy/" M "a.avro", "Xbj", NULL};
    struct ice_options options = ICE_OPTIONS_INIT;
    struct test_result result;
    options.maps = maps;
    options.n_maps = 1;
    test_check(&result, pairs, "t", &options);
    assert_int_equal(result.status, ICE_OK);
    test_expect_lines(&result, "avro.magic", "storage.*",
                      "error avro.magic " M "a.avro\n");
    ice_summary_free(result.summary);
}

static bool cancel(void *user) {
    unsigned *left = user;
    return (*left)-- == 0;
}

/* Whenever it is interrupted, the report so far is valid and says so. */
static void interruption_keeps_a_report(void **state) {
    (void)state;
    for (unsigned after = 0; after < 4; after++) {
        unsigned left = after;
        struct ice_options options = ICE_OPTIONS_INIT;
        struct test_result result;
        options.cancelled = cancel;
        options.user = &left;
        test_check(&result, files, "", &options);
        if (result.status == ICE_OK) {
            assert_false(result.summary->interrupted);
        } else {
            assert_int_equal(result.status, ICE_ECANCELLED);
            assert_true(result.summary->interrupted);
            assert_false(result.summary->complete);
        }
        ice_summary_free(result.summary);
    }
}

/* Whatever the limit: the whole report, one that names the limit, or a plain refusal. */
static void a_limit_of_memory_is_a_finding(void **state) {
    (void)state;
    struct ice_options options = ICE_OPTIONS_INIT;
    struct test_result whole, result;
    unsigned n_refused = 0, n_named = 0, n_whole = 0;
    test_check(&whole, files, "", &options);
    for (uint64_t limit = 2 << 10; limit < 800 << 10; limit += 4 << 10) {
        options.limits.memory = limit;
        test_check(&result, files, "", &options);
        if (result.status == ICE_ELIMIT) {
            assert_string_equal(result.err.rule, "limit.memory");
            n_refused++;
            continue;
        }
        assert_int_equal(result.status, ICE_OK);
        assert_int_equal(result.summary->exit_code & 2, 2);
        bool is_named = strstr(result.findings, "warn limit.memory") != NULL;
        if (!is_named)
            assert_string_equal(result.findings, whole.findings);
        n_named += is_named;
        n_whole += !is_named;
        ice_summary_free(result.summary);
    }
    assert_true(n_refused > 0 && n_named > 0 && n_whole > 0);
    ice_summary_free(whole.summary);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_sources),
        cmocka_unit_test(files_that_are_elsewhere),
        cmocka_unit_test(maps_are_taken_at_their_word),
        cmocka_unit_test(interruption_keeps_a_report),
        cmocka_unit_test(a_limit_of_memory_is_a_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
