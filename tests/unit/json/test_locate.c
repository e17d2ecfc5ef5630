/*
 * Finding pointers in a text.
 */
#include "json/locate.h"

#include "base/compiler.h"
#include "base/run.h"
#include "support/cmocka_all.h"
#include "support/failing_run.h"
#include "support/pieces.h"

#include <stdio.h>

static void locate(struct ice_str text, struct ice_locate *items, size_t n) {
    struct ice_run run;
    ice_run_init(&run, NULL);
    for (int whole = 0; whole <= 1; whole++) {
        struct pieces pieces = {.bytes = text, .most = 3};
        struct ice_stream stream;
        if (whole)
            ice_stream_init_memory(&stream, &run, text);
        else
            assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL),
                             ICE_OK);
        stream.chunk = 3;
        assert_int_equal(ice_json_locate(&stream, &run, false, items, n, NULL), ICE_OK);
        ice_stream_release(&stream);
        assert_int_equal(run.alloc.used, 0);
    }
}

static const char text[] =
    "{\"a\":[10,\n {\"b\":\"x\"}],\n\"c~d/e\":null,\"\":{\"\":7}, \"10\" : 1 }";

static void pointers_are_found(void **state) {
    (void)state;
    static const struct {
        const char *pointer;
        bool found;
        uint64_t offset;
        uint32_t line, column;
    } expected[] = {
        {"/a/1/b", true, 16, 2, 7},    {"", true, 0, 1, 1},
        {"/a", true, 5, 1, 6},         {"/a/0", true, 6, 1, 7},
        {"/c~0d~1e", true, 31, 3, 9},  {"/", true, 39, 3, 17},
        {"//", true, 43, 3, 21},       {"/10", true, 54, 3, 32},
        {"/a/1/b", true, 16, 2, 7},    {"/a/2", false, 5, 1, 6},
        {"/a/01", false, 5, 1, 6},     {"/a/1/c/d/e", false, 11, 2, 2},
        {"/zzz", false, 0, 1, 1},      {"/a/-", false, 5, 1, 6},
        {"/a/1/b/0", false, 16, 2, 7}, {"a", true, 5, 1, 6},
    };
    struct ice_locate items[ICE_COUNT_OF(expected)];
    memset(items, 0x55, sizeof(items));
    for (size_t i = 0; i < ICE_COUNT_OF(expected); i++)
        items[i].pointer = ice_str_from(expected[i].pointer);
    locate(ICE_STR(text), items, ICE_COUNT_OF(expected));
    for (size_t i = 0; i < ICE_COUNT_OF(expected); i++) {
        assert_int_equal(items[i].found, expected[i].found);
        assert_int_equal(items[i].offset, expected[i].offset);
        assert_int_equal(items[i].line, expected[i].line);
        assert_int_equal(items[i].column, expected[i].column);
        assert_false(items[i].duplicate);
        assert_false(items[i].duplicate_differs);
    }
}

static void duplicates_are_compared(void **state) {
    (void)state;
    static const struct {
        const char *first, *second;
        bool differs;
    } pairs[] = {
        {"1", "1", false},
        {"1", "1.0", true},
        {"1", "\"1\"", true},
        {"\"a\"", "\"\\u0061\"", false},
        {"null", "false", true},
        {"true", "true", false},
        {"{\"x\":1,\"y\":[2,3]}", "{ \"y\" : [ 2, 3 ], \"x\" : 1 }", false},
        {"{\"x\":1,\"y\":2}", "{\"x\":2,\"y\":1}", true},
        {"[1,2]", "[2,1]", true},
        {"[]", "{}", true},
        {"[1,[2]]", "[[1],2]", true},
        {"[[]]", "[]", true},
        {"{\"x\":{}}", "{\"x\":[]}", true},
        {"[1,2]", "[1,2,3]", true},
        {"\"\"", "null", true},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(pairs); i++) {
        for (int nested = 0; nested <= 1; nested++) {
            char doc[256];
            (void)snprintf(doc, sizeof(doc), "[0,{\"k\":%s,\"other\":5,\"k\":%s}]",
                           pairs[i].first, pairs[i].second);
            struct ice_locate items[] = {
                {.pointer = ICE_STR("/1/k")},
                {.pointer = ICE_STR("/1/other")},
                {.pointer = nested ? ICE_STR("/1") : ICE_STR("/1/k")}};
            locate(ice_str_from(doc), items, ICE_COUNT_OF(items));
            assert_true(items[0].found);
            assert_true(items[0].duplicate);
            assert_int_equal(items[0].duplicate_differs, pairs[i].differs);
            assert_false(items[1].duplicate);
            /* the last one is the one that counts */
            assert_int_equal(items[0].offset, strlen(doc) - 2 - strlen(pairs[i].second));
        }
    }
}

/* What stood only in the first of two equal members is not there: readers use the last.
 */
static void the_last_duplicate_counts(void **state) {
    (void)state;
    struct ice_locate items[] = {{.pointer = ICE_STR("/a/b")},
                                 {.pointer = ICE_STR("/a/c")},
                                 {.pointer = ICE_STR("/l/0/x")},
                                 {.pointer = ICE_STR("/l/1/x")}};
    locate(
        ICE_STR("{\"a\":{\"b\":1,\"c\":2},\"a\":{\"c\":2},\"l\":[{\"x\":1},{\"x\":1}]}"),
        items, ICE_COUNT_OF(items));
    assert_false(items[0].found);
    assert_int_equal(items[0].offset, 23);
    assert_true(items[1].found);
    assert_false(items[1].duplicate);
    assert_int_equal(items[1].offset, 28);
    assert_true(items[2].found);
    assert_false(items[2].duplicate);
    assert_true(items[3].found);
    assert_false(items[3].duplicate);
}

/* A '~' that stands for nothing is itself; and nothing is asked: nothing is read. */
static void odd_pointers_are_steps(void **state) {
    (void)state;
    struct ice_locate items[] = {{.pointer = ICE_STR("/a~")},
                                 {.pointer = ICE_STR("/b~2")},
                                 {.pointer = ICE_STR("/c~0~1")},
                                 {.pointer = ICE_STR("/d~1")}};
    locate(ICE_STR("{\"a~\":1,\"b~2\":2,\"c~/\":3}"), items, ICE_COUNT_OF(items));
    for (size_t i = 0; i < 3; i++)
        assert_true(items[i].found);
    assert_false(items[3].found);
    struct ice_run run;
    struct ice_stream stream;
    ice_run_init(&run, NULL);
    ice_stream_init_memory(&stream, &run, ICE_STR("{"));
    assert_int_equal(ice_json_locate(&stream, &run, false, NULL, 0, NULL), ICE_OK);
    assert_int_equal(stream.position, 0);
    ice_stream_release(&stream);
    assert_int_equal(run.alloc.used, 0);
}

static void a_broken_rest_does_not_hide_what_came_before(void **state) {
    (void)state;
    struct ice_locate items[] = {{.pointer = ICE_STR("/a")},
                                 {.pointer = ICE_STR("/b/0")},
                                 {.pointer = ICE_STR("/c")}};
    locate(ICE_STR("{\"a\":1,\"b\":[2,!"), items, ICE_COUNT_OF(items));
    assert_true(items[0].found);
    assert_true(items[1].found);
    assert_false(items[2].found);
    assert_int_equal(items[2].offset, 0);
    struct ice_locate nothing = {.pointer = ICE_STR("/a")};
    locate(ICE_STR(""), &nothing, 1);
    assert_false(nothing.found);
    assert_true(nothing.offset == ICE_NO_OFFSET);
}

static void each_allocation_can_fail(void **state) {
    (void)state;
    for (uint64_t fail_at = 1;; fail_at++) {
        struct failing failing = {.fail_at = fail_at};
        struct ice_run run;
        failing_run_init(&run, &failing);
        struct ice_locate items[] = {{.pointer = ICE_STR("/a/1/b")},
                                     {.pointer = ICE_STR("/c~0d")}};
        struct pieces pieces = {.bytes = ICE_STR(text), .most = 10};
        struct ice_stream stream;
        assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL),
                         ICE_OK);
        struct ice_error err;
        ice_error_clear(&err);
        const enum ice_status status =
            ice_json_locate(&stream, &run, false, items, 2, &err);
        ice_stream_release(&stream);
        assert_int_equal(failing.used, 0);
        if (status == ICE_OK) {
            assert_true(items[0].found);
            assert_true(fail_at > 6);
            break;
        }
        assert_int_equal(status, ICE_ENOMEM);
        assert_int_equal(err.status, ICE_ENOMEM);
    }
}

static void a_failing_source_is_an_error(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct ice_locate items[] = {{.pointer = ICE_STR("/a/0")},
                                 {.pointer = ICE_STR("/10")}};
    struct pieces pieces = {.bytes = ICE_STR(text), .most = 10, .fail_from = 30};
    struct ice_stream stream;
    assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL), ICE_OK);
    struct ice_error err;
    ice_error_clear(&err);
    assert_int_equal(ice_json_locate(&stream, &run, false, items, 2, &err), ICE_EIO);
    assert_string_equal(err.rule, "source.unreadable");
    assert_true(items[0].found);
    assert_false(items[1].found);
    ice_stream_release(&stream);
}

/* What stands behind the last pointer is not read when no later key may take its place.
 */
static void unique_keys_end_the_reading_early(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct ice_locate items[] = {{.pointer = ICE_STR("/a/0")},
                                 {.pointer = ICE_STR("/a/1/b")},
                                 {.pointer = ICE_STR("/a/0")}};
    struct pieces pieces = {.bytes = ICE_STR(text), .most = 10, .fail_from = 30};
    struct ice_stream stream;
    assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL), ICE_OK);
    stream.chunk = 3;
    assert_int_equal(ice_json_locate(&stream, &run, true, items, 3, NULL), ICE_OK);
    for (size_t i = 0; i < 3; i++)
        assert_true(items[i].found);
    assert_int_equal(items[1].offset, 16);
    ice_stream_release(&stream);
    assert_int_equal(run.alloc.used, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers_are_found),
        cmocka_unit_test(duplicates_are_compared),
        cmocka_unit_test(the_last_duplicate_counts),
        cmocka_unit_test(odd_pointers_are_steps),
        cmocka_unit_test(a_broken_rest_does_not_hide_what_came_before),
        cmocka_unit_test(each_allocation_can_fail),
        cmocka_unit_test(a_failing_source_is_an_error),
        cmocka_unit_test(unique_keys_end_the_reading_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
