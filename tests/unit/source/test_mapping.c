/*
 * URIs: which name one object, which lie below which, and what key they become.
 */
#include "source/mapping.h"

#include "base/compiler.h"
#include "base/error.h"
#include "base/run.h"
#include "support/cmocka_all.h"
#include "support/failing_run.h"

static void schemes_are_told_from_names(void **state) {
    (void)state;
    static const struct {
        const char *uri;
        size_t size;
    } cases[] = {
        {"s3://b/k", 3}, {"file:/x", 5},     {"S3A://b", 4}, {"hdfs:///x", 5},
        {"/x:y", 0},     {"x", 0},           {"", 0},        {"c:/x", 0},
        {"00:11/x", 0},  {"a:b", 0},         {"ab:c", 0},    {":/", 0},
        {"gs:", 0},      {"a+b-c.d9:/x", 9}, {"a_b:/x", 0},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++)
        assert_int_equal(ice_uri_scheme(ice_str_from(cases[i].uri)), cases[i].size);
}

static void folding(void **state) {
    (void)state;
    static const struct {
        const char *uri, *folded;
    } cases[] = {
        {"s3://b/t/x", "s3://b/t/x"},
        {"s3a://b/t/x", "s3://b/t/x"},
        {"s3n://b/t/x", "s3://b/t/x"},
        {"S3A://b/t/X", "s3://b/t/X"},
        {"s3://B/t", "s3://B/t"},
        {"s3://b", "s3://b"},
        {"s3://b//t//x", "s3://b//t//x"},
        {"s3://b/a%20b", "s3://b/a%20b"},
        {"gs://b/t", "gs://b/t"},
        {"abfs://c@a.dfs.core.windows.net/t", "abfs://c@a.dfs.core.windows.net/t"},
        {"abfss://c@a.dfs.core.windows.net/t", "abfs://c@a.dfs.core.windows.net/t"},
        {"wasb://c@a.blob.core.windows.net/t", "abfs://c@a.blob.core.windows.net/t"},
        {"wasbs://c@a.blob.core.windows.net/t", "abfs://c@a.blob.core.windows.net/t"},
        {"file:/x/y", "/x/y"},
        {"file:///x/y", "/x/y"},
        {"file://localhost/x/y", "/x/y"},
        {"FILE:///x/y", "/x/y"},
        {"file:////x", "/x"},
        {"//x", "/x"},
        {"/x/y", "/x/y"},
        {"file://host/x", "file://host/x"},
        {"hdfs://nn:8020/x", "hdfs:///x"},
        {"hdfs:///x", "hdfs:///x"},
        {"hdfs:/x", "hdfs:///x"},
        {"x/y", "x/y"},
        {"", ""},
        {"oss://b/k", "oss://b/k"},
        {"dbfs:/x", "dbfs:///x"},
    };
    struct ice_run run;
    struct ice_buf out;
    ice_run_init(&run, NULL);
    ice_buf_init(&out, &run.alloc, SIZE_MAX);
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        ice_buf_clear(&out);
        assert_int_equal(ice_uri_fold(ice_str_from(cases[i].uri), &out), ICE_OK);
        if (!ice_str_is(ice_buf_str(&out), cases[i].folded))
            print_error("%s -> %.*s\n", cases[i].uri, ICE_STR_FMT(ice_buf_str(&out)));
        assert_true(ice_str_is(ice_buf_str(&out), cases[i].folded));
        /* folding again changes nothing */
        struct ice_buf again;
        ice_buf_init(&again, &run.alloc, SIZE_MAX);
        assert_int_equal(ice_uri_fold(ice_buf_str(&out), &again), ICE_OK);
        assert_true(ice_str_equal(ice_buf_str(&out), ice_buf_str(&again)));
        ice_buf_release(&again);
    }
    ice_buf_release(&out);
}

static void below_by_segment(void **state) {
    (void)state;
    static const struct {
        const char *a, *b, *rest; /* rest NULL: not below */
    } cases[] = {
        {"s3://b/t/x", "s3://b/t", "x"},
        {"s3://b/t/x", "s3://b/t/", "x"},
        {"s3://b/t/x/y", "s3a://b", "t/x/y"},
        {"s3://b/t2/x", "s3://b/t", NULL},
        {"s3://b/t", "s3://b/t", ""},
        {"s3://b/t/", "s3://b/t", ""},
        {"s3://b/t", "s3://b/t/", ""},
        {"s3://b2/t/x", "s3://b/t", NULL},
        {"s3://bucket/x", "s3://buck", NULL},
        {"s3://b/t//x", "s3://b/t", "x"},
        {"s3://b/T/x", "s3://b/t", NULL},
        {"gs://b/t/x", "s3://b/t", NULL},
        {"file:/w/t/x", "/w/t", "x"},
        {"/w/t/x", "file:///w/t/", "x"},
        {"/w/t/x", "/", "w/t/x"},
        {"w/t/x", "/", NULL},
        {"w/t/x", "w", "t/x"},
        {"w/t/x", "", "w/t/x"},
        {"w/t/x", "./w/t", "x"},
        {"./w/t/x", "w/t/", "x"},
        {".//w/t/x", "././w", "t/x"},
        {"w/t/x", ".", "w/t/x"},
        {"./ab:/t/x", "./ab:/t", "x"},
        {"./ab:/t/x", "ab:/t", NULL},
        {".hidden/x", "hidden", NULL},
        {"/w/t/x", "", NULL},
        {"s3://b/x", "", NULL},
        {"hdfs://nn/w/t/x", "hdfs:/w/t", "x"},
        {"/w/t/x", "hdfs:/w/t", NULL},
        {"abfss://c@a.x/t/x", "abfs://c@a.x/t", "x"},
        {"abfss://d@a.x/t/x", "abfs://c@a.x/t", NULL},
    };
    struct ice_run run;
    ice_run_init(&run, NULL);
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_str rest = ICE_STR("unset");
        const char *expected = cases[i].rest;
        const bool below = ice_uri_is_below(&run, ice_str_from(cases[i].a),
                                            ice_str_from(cases[i].b), &rest);
        if (below != (expected != NULL))
            print_error("%s below %s\n", cases[i].a, cases[i].b);
        assert_int_equal(below, expected != NULL);
        if (below)
            assert_true(ice_str_is(rest, expected));
    }
    assert_int_equal(run.alloc.peak, 0);
}

static void base_names(void **state) {
    (void)state;
    static const struct {
        const char *uri, *name;
    } cases[] = {
        {"s3://b/t/x.avro", "x.avro"}, {"x", "x"}, {"/x/", "x"}, {"", ""}, {"/", ""}};
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++)
        assert_true(
            ice_str_is(ice_uri_base_name(ice_str_from(cases[i].uri)), cases[i].name));
}

/* Sources are told apart by address alone; none is opened. */
static struct ice_source *source_at(size_t index) {
    static char places[4];
    return (struct ice_source *)(void *)&places[index];
}

static void add(struct ice_mapping *mapping, const char *from, size_t index,
                const char *prefix) {
    assert_int_equal(ice_mapping_add(mapping, ice_str_from(from), source_at(index),
                                     ice_str_from(prefix), NULL),
                     ICE_OK);
}

static void expect(const struct ice_mapping *mapping, struct ice_str uri, size_t index,
                   const char *key, const char *rule) {
    struct ice_buf scratch;
    struct ice_source *source = NULL;
    struct ice_str found;
    struct ice_error err;
    ice_buf_init(&scratch, &mapping->run->alloc, SIZE_MAX);
    ice_error_clear(&err);
    const enum ice_status status =
        ice_mapping_resolve(mapping, uri, &scratch, &source, &found, &err);
    if (rule == NULL) {
        assert_int_equal(status, ICE_OK);
        assert_ptr_equal(source, source_at(index));
        if (!ice_str_is(found, key))
            print_error("%.*s -> %.*s\n", ICE_STR_FMT(uri), ICE_STR_FMT(found));
        assert_true(ice_str_is(found, key));
    } else {
        assert_int_equal(status,
                         strcmp(rule, "source.unmapped") == 0 ? ICE_ENOENT : ICE_EFORMAT);
        assert_string_equal(err.rule, rule);
    }
    ice_buf_release(&scratch);
}

static void uris_become_keys(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_mapping mapping;
    ice_run_init(&run, NULL);
    ice_mapping_init(&mapping, &run);
    expect(&mapping, ICE_STR("s3://b/t/x"), 0, NULL, "source.unmapped");
    add(&mapping, "s3://b/wh/t", 0, "");
    add(&mapping, "s3a://b/", 1, "buckets/b/");
    add(&mapping, "s3://b/wh/t/deep", 2, "d");
    add(&mapping, "file:///local/wh/", 3, "");
    expect(&mapping, ICE_STR("s3://b/wh/t/metadata/x.avro"), 0, "metadata/x.avro", NULL);
    expect(&mapping, ICE_STR("s3n://b/wh/t/metadata//x.avro"), 0, "metadata/x.avro",
           NULL);
    expect(&mapping, ICE_STR("s3://b/wh/t"), 0, "", NULL);
    expect(&mapping, ICE_STR("s3://b/wh/t/"), 0, "", NULL);
    expect(&mapping, ICE_STR("s3://b/wh/t2/x"), 1, "buckets/b/wh/t2/x", NULL);
    expect(&mapping, ICE_STR("s3://b/wh/t/deep/x"), 2, "d/x", NULL);
    expect(&mapping, ICE_STR("s3://b/wh/t/deeper/x"), 0, "deeper/x", NULL);
    expect(&mapping, ICE_STR("s3://b/wh/t/a%20b/%2e%2e"), 0, "a%20b/%2e%2e", NULL);
    expect(&mapping, ICE_STR("s3://b/wh/t/...hidden"), 0, "...hidden", NULL);
    expect(&mapping, ICE_STR("s3://b/wh/t/back\\slash"), 0, "back\\slash", NULL);
    expect(&mapping, ICE_STR("/local/wh/x"), 3, "x", NULL);
    expect(&mapping, ICE_STR("file:/local/wh/x"), 3, "x", NULL);
    add(&mapping, "s3a://b/wh/t/deep/", 0, "again"); /* as a later option: it wins */
    expect(&mapping, ICE_STR("s3://b/wh/t/deep/x"), 0, "again/x", NULL);
    expect(&mapping, ICE_STR("s3://other/x"), 0, NULL, "source.unmapped");
    expect(&mapping, ICE_STR("/etc/passwd"), 0, NULL, "source.unmapped");
    expect(&mapping, ICE_STR("file:///etc/shadow"), 0, NULL, "source.unmapped");
    expect(&mapping, ICE_STR("relative/x"), 0, NULL, "source.unmapped");
    expect(&mapping, ICE_STR(""), 0, NULL, "source.unmapped");
    expect(&mapping, ICE_STR("s3://b/wh/t/../x"), 0, NULL, "source.path");
    expect(&mapping, ICE_STR("s3://b/wh/t/../../../etc/passwd"), 0, NULL, "source.path");
    expect(&mapping, ICE_STR("s3://b/wh/t/a/./x"), 0, NULL, "source.path");
    expect(&mapping, ICE_STR("s3://b/wh/t/a/.."), 0, NULL, "source.path");
    expect(&mapping, ICE_STR("s3://b/wh/t/a\0b"), 0, NULL, "source.path");
    static char big[5000];
    memset(big, 'k', sizeof(big));
    memcpy(big, "s3://b/wh/t/", 12);
    expect(&mapping, ice_str_make(big, sizeof(big)), 0, NULL, "source.path");
    expect(&mapping, ice_str_make(big, 4097), 0, NULL, "source.path");
    big[4096] = '\0';
    expect(&mapping, ice_str_make(big, 4096), 0, big + 12, NULL);
    /* the prefix makes the key longer than the URI */
    memcpy(big, "s3://b/xx/t/", 12);
    expect(&mapping, ice_str_make(big, 4096), 0, NULL, "source.path");
    ice_mapping_release(&mapping);
    ice_mapping_release(&mapping);
    assert_int_equal(run.alloc.used, 0);
}

static void everything_below_the_root(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_mapping mapping;
    ice_run_init(&run, NULL);
    ice_mapping_init(&mapping, &run);
    add(&mapping, "/", 0, "");
    add(&mapping, "", 1, "table");
    expect(&mapping, ICE_STR("/x/y"), 0, "x/y", NULL);
    expect(&mapping, ICE_STR("file:///x/y"), 0, "x/y", NULL);
    expect(&mapping, ICE_STR("x/y"), 1, "table/x/y", NULL);
    ice_mapping_release(&mapping);
}

/* A scheme alone stands for all of its storage. */
static void a_scheme_is_a_root_too(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_mapping mapping;
    ice_run_init(&run, NULL);
    ice_mapping_init(&mapping, &run);
    add(&mapping, "hdfs:///", 0, "cluster");
    add(&mapping, "/", 1, "");
    expect(&mapping, ICE_STR("hdfs://nn:8020/wh/x"), 0, "cluster/wh/x", NULL);
    expect(&mapping, ICE_STR("/wh/x"), 1, "wh/x", NULL);
    expect(&mapping, ICE_STR("s3://b/wh/x"), 0, NULL, "source.unmapped");
    ice_mapping_release(&mapping);
}

/* A key that its buffer may not hold is as one over the limit of paths. */
static void keys_stay_within_their_buffer(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_mapping mapping;
    struct ice_buf scratch;
    struct ice_source *source;
    struct ice_str key;
    struct ice_error err;
    ice_run_init(&run, NULL);
    ice_mapping_init(&mapping, &run);
    add(&mapping, "s3://b/t", 0, "");
    ice_buf_init(&scratch, &run.alloc, 5);
    assert_int_equal(ice_mapping_resolve(&mapping, ICE_STR("s3://b/t/ab/cd"), &scratch,
                                         &source, &key, NULL),
                     ICE_OK);
    assert_true(ice_str_is(key, "ab/cd"));
    ice_error_clear(&err);
    assert_int_equal(ice_mapping_resolve(&mapping, ICE_STR("s3://b/t/ab/cde"), &scratch,
                                         &source, &key, &err),
                     ICE_EFORMAT);
    assert_string_equal(err.rule, "source.path");
    assert_string_equal(err.message, "'s3://b/t/ab/cde' is too long");
    ice_buf_release(&scratch);
    ice_mapping_release(&mapping);
    assert_int_equal(run.alloc.used, 0);
}

static void roots_of_uris(void **state) {
    (void)state;
    static const struct {
        const char *uri, *root;
    } cases[] = {
        {"s3://b/t/x", "s3://b"}, {"s3://b", "s3://b"}, {"hdfs:///x", "hdfs://"},
        {"file:/x", ""},          {"/x/y", ""},         {"", ""},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++)
        assert_true(ice_str_is(ice_uri_root(ice_str_from(cases[i].uri)), cases[i].root));
}

static void nothing_is_inside_the_unknown(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    assert_true(ice_uri_is_inside(&run, ICE_STR("s3://b/t/x"), ICE_STR("s3a://b/t")));
    assert_false(ice_uri_is_inside(&run, ICE_STR("s3://b/u/x"), ICE_STR("s3://b/t")));
    assert_false(ice_uri_is_inside(&run, ICE_STR("x"), ICE_STR("")));
    assert_true(ice_uri_is_same(&run, ICE_STR("s3://b/t/"), ICE_STR("s3a://b/t")));
    assert_false(ice_uri_is_same(&run, ICE_STR("s3://b/t/x"), ICE_STR("s3://b/t")));
    assert_false(ice_uri_is_same(&run, ICE_STR("s3://b/u"), ICE_STR("s3://b/t")));
}

static void each_allocation_can_fail(void **state) {
    (void)state;
    for (uint64_t fail_at = 1;; fail_at++) {
        struct failing failing = {.fail_at = fail_at};
        struct ice_run run;
        struct ice_mapping mapping;
        struct ice_buf scratch;
        struct ice_source *source;
        struct ice_str key;
        failing_run_init(&run, &failing);
        ice_mapping_init(&mapping, &run);
        ice_buf_init(&scratch, &run.alloc, SIZE_MAX);
        enum ice_status status = ice_mapping_add(&mapping, ICE_STR("s3://b/t"),
                                                 source_at(0), ICE_STR("p"), NULL);
        if (status == ICE_OK)
            status = ice_mapping_resolve(&mapping, ICE_STR("s3://b/t/x"), &scratch,
                                         &source, &key, NULL);
        if (status == ICE_OK)
            assert_true(ice_str_is(key, "p/x"));
        ice_buf_release(&scratch);
        ice_mapping_release(&mapping);
        assert_int_equal(failing.used, 0);
        if (status == ICE_OK)
            break;
        assert_int_equal(status, ICE_ENOMEM);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes_are_told_from_names),
        cmocka_unit_test(folding),
        cmocka_unit_test(below_by_segment),
        cmocka_unit_test(base_names),
        cmocka_unit_test(uris_become_keys),
        cmocka_unit_test(everything_below_the_root),
        cmocka_unit_test(a_scheme_is_a_root_too),
        cmocka_unit_test(keys_stay_within_their_buffer),
        cmocka_unit_test(roots_of_uris),
        cmocka_unit_test(nothing_is_inside_the_unknown),
        cmocka_unit_test(each_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
