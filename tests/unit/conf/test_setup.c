/*
 * What an input is taken for, and where things stand in it.
 */
#include "conf/setup.h"

#include "support/cmocka_all.h"

static const struct {
    const char *name, *text;
    enum ice_conf_kind kind;
} texts[] = {
    {"spark-defaults.conf", "# a\n! b\n\n  spark.master local\n", ICE_CONF_PROPERTIES},
    {"-", "\xef\xbb\xbfspark.master=local", ICE_CONF_PROPERTIES},
    {"x", "# only a comment\n", ICE_CONF_UNKNOWN},
    {"x", "master=local\nspark.a=b\n", ICE_CONF_UNKNOWN},
    {"x", "sparky.a=b\n", ICE_CONF_UNKNOWN},
    {"run.sh", "#!/bin/sh\nexec /opt/spark/bin/spark-submit --conf a=b x.py\n",
     ICE_CONF_SUBMIT},
    {"x", "spark-sql -e 'select 1'", ICE_CONF_SUBMIT},
    {"x", "# spark-submit x\necho\n", ICE_CONF_UNKNOWN},
    {"x", "spark-submitted yesterday\n", ICE_CONF_UNKNOWN},
    {"etl.py", "spark.conf.set('a', 'b')", ICE_CONF_PYTHON},
    {"-", "# Databricks notebook source\nspark.sql('x')", ICE_CONF_PYTHON},
    {"-", "# a\nspark.sql('x')\n", ICE_CONF_UNKNOWN},
    {"t.sql", "SELECT 1", ICE_CONF_SQL},
    {"log", "{\"Event\":\"SparkListenerLogStart\"}\n", ICE_CONF_EVENT_LOG},
    {"log", "{ \"Event\" : \"SparkListenerLogStart\"}\n", ICE_CONF_EVENT_LOG},
    {"x", "{\"Event\":\"Other\"}", ICE_CONF_UNKNOWN},
    {"x", "", ICE_CONF_UNKNOWN},
};

static void recognised_text(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_int_equal(
            ice_conf_recognise(ice_str_from(texts[i].name), ice_str_from(texts[i].text)),
            texts[i].kind);
}

static const struct {
    const char *text;
    enum ice_conf_kind kind;
} documents[] = {
    {"{\"Job\":{\"Command\":{}}}", ICE_CONF_GLUE_JOB},
    {"{\"Jobs\":[]}", ICE_CONF_GLUE_JOB},
    {"{\"Jobs\":{}}", ICE_CONF_UNKNOWN},
    {"{\"Command\":{},\"DefaultArguments\":{}}", ICE_CONF_GLUE_JOB},
    {"{\"DefaultArguments\":{}}", ICE_CONF_UNKNOWN},
    {"{\"spark_version\":\"x\",\"spark_conf\":{}}", ICE_CONF_CLUSTER},
    {"{\"spark_version\":\"x\"}", ICE_CONF_UNKNOWN},
    {"{\"settings\":{\"job_clusters\":[]}}", ICE_CONF_CLUSTER},
    {"{\"settings\":{\"tasks\":[]}}", ICE_CONF_CLUSTER},
    {"{\"library_statuses\":[]}", ICE_CONF_LIBRARIES},
    {"[{\"library\":{\"jar\":\"x\"},\"status\":\"FAILED\"}]", ICE_CONF_LIBRARIES},
    {"[{\"cluster_id\":\"x\",\"library_statuses\":[]}]", ICE_CONF_LIBRARIES},
    {"{\"library\":{\"jar\":\"x\"},\"status\":\"FAILED\"}", ICE_CONF_UNKNOWN},
    {"[{\"library\":\"x\",\"status\":\"FAILED\"}]", ICE_CONF_UNKNOWN},
    {"[{\"library\":{\"jar\":\"x\"}}]", ICE_CONF_UNKNOWN},
    {"{\"sparkProperties\":[]}", ICE_CONF_ENVIRONMENT},
    {"{\"Version\":\"2012-10-17\",\"Statement\":[]}", ICE_CONF_POLICY},
    {"{\"PolicyVersion\":{\"Document\":{}}}", ICE_CONF_POLICY},
    {"{\"PolicyInJson\":\"{}\"}", ICE_CONF_POLICY},
    {"{\"AttachedPolicies\":[]}", ICE_CONF_POLICY},
    {"[{\"PolicyDocument\":{}}]", ICE_CONF_POLICY},
    {"{\"cells\":[],\"nbformat\":4}", ICE_CONF_NOTEBOOK},
    {"{\"format-version\":2,\"location\":\"x\"}", ICE_CONF_METADATA},
    {"{}", ICE_CONF_UNKNOWN},
    {"[]", ICE_CONF_UNKNOWN},
    {"null", ICE_CONF_UNKNOWN},
};

static void recognised_json(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_arena arena;
    ice_run_init(&run, NULL);
    ice_arena_init(&arena, &run.alloc);
    for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
        struct ice_conf_node *root;
        assert_int_equal(ice_conf_tree_read(ice_str_from(documents[i].text), &arena, &run,
                                            &root, NULL),
                         ICE_OK);
        assert_int_equal(ice_conf_recognise_json(ICE_STR("x.json"), root),
                         documents[i].kind);
    }
    ice_arena_release(&arena);
}

/* Each byte of the unescaped text stands where it says. */
static void offsets_behind_escapes(void **state) {
    (void)state;
    static const char text[] = "{\"k\": \"a\\\"b\\u00e9c\\ud83d\\ude00d\\u003de\xc3\xa9"
                               "f\"}";
    static const char wanted[] = "abcdef";
    struct ice_run run;
    struct ice_arena arena;
    struct ice_conf_node *root;
    ice_run_init(&run, NULL);
    ice_arena_init(&arena, &run.alloc);
    struct ice_str bytes = ice_str_from(text);
    assert_int_equal(ice_conf_tree_read(bytes, &arena, &run, &root, NULL), ICE_OK);
    const struct ice_conf_node *node = ice_conf_member(root, "k");
    for (size_t i = 0; i < sizeof(wanted) - 1; i++) {
        size_t index = ice_str_find(node->text, wanted[i]);
        uint64_t at = ice_conf_text_offset(bytes, node, index);
        assert_int_equal(text[at], wanted[i]);
    }
    ice_arena_release(&arena);
    /* what is no string stands where it begins */
    static const char number[] = "{\"k\": 12, \"l\": \"\\ud83d\\ude00\\u0800\\t\"}";
    bytes = ice_str_from(number);
    assert_int_equal(ice_conf_tree_read(bytes, &arena, &run, &root, NULL), ICE_OK);
    assert_int_equal(ice_conf_text_offset(bytes, ice_conf_member(root, "k"), 1), 6);
    /* in the midst of a character: at its begin */
    node = ice_conf_member(root, "l");
    assert_int_equal(ice_conf_text_offset(bytes, node, 2), node->offset + 1);
    assert_int_equal(ice_conf_text_offset(bytes, node, 4), node->offset + 13);
    assert_int_equal(ice_conf_text_offset(bytes, node, 7), node->offset + 19);
    assert_int_equal(ice_conf_text_offset(bytes, node, 8), node->offset + 21);
    assert_true(ice_str_is(ice_conf_node_text(ice_conf_path(root, "k")), "12"));
    ice_arena_release(&arena);
    bytes = ice_str_from(text);
    assert_int_equal(ice_conf_tree_read(bytes, &arena, &run, &root, NULL), ICE_OK);
    node = ice_conf_member(root, "k");
    /* behind the end: the closing quote, never beyond */
    assert_int_equal(text[ice_conf_text_offset(bytes, node, 1000)], '"');
    ice_arena_release(&arena);
}

static void paths_and_pointers(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_arena arena;
    struct ice_conf_node *root;
    struct ice_str pointer;
    ice_run_init(&run, NULL);
    ice_arena_init(&arena, &run.alloc);
    assert_int_equal(ice_conf_tree_read(
                         ICE_STR("{\"a\":{\"b\":[1,{\"c/d\":true}],\"b2\":1,\"b2\":2}}"),
                         &arena, &run, &root, NULL),
                     ICE_OK);
    const struct ice_conf_node *list = ice_conf_path(root, "a.b");
    assert_true(ice_conf_is(list, ICE_JSON_ARRAY));
    assert_null(ice_conf_path(root, "a.x.y"));
    assert_null(ice_conf_path(root, "a.b.c"));
    assert_true(ice_str_is(ice_conf_node_text(ice_conf_path(root, "a.b2")), "2"));
    const struct ice_conf_node *leaf = list->last->first;
    assert_true(ice_str_is(ice_conf_node_text(leaf), "true"));
    assert_true(ice_conf_pointer(leaf, &arena, &run, &pointer));
    assert_true(ice_str_is(pointer, "/a/b/1/c~1d"));
    size_t n = 0;
    for (const struct ice_conf_node *at = root; at != NULL; at = ice_conf_walk(root, at))
        n++;
    assert_int_equal(n, 8);
    assert_int_equal(ice_conf_tree_read(ICE_STR("{\"a\":"), &arena, &run, &root, NULL),
                     ICE_EFORMAT);
    ice_arena_release(&arena);
}

static void secret_keys(void **state) {
    (void)state;
    static const char *const secret[] = {"spark.sql.catalog.x.s3.secret-access-key",
                                         "JDBC.PASSWORD",
                                         "a.token",
                                         "credential",
                                         "s3.access-key-id",
                                         "my_private_key",
                                         "fs.s3a.access.key"};
    static const char *const open[] = {"warehouse", "uri", "cache-enabled", "", "access"};
    for (size_t i = 0; i < sizeof(secret) / sizeof(secret[0]); i++)
        assert_true(ice_conf_is_secret_key(ice_str_from(secret[i])));
    for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++)
        assert_false(ice_conf_is_secret_key(ice_str_from(open[i])));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recognised_text),
        cmocka_unit_test(recognised_json),
        cmocka_unit_test(offsets_behind_escapes),
        cmocka_unit_test(paths_and_pointers),
        cmocka_unit_test(secret_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
