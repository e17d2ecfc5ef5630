/*
 * The JSON reader beyond its grammar: places, pointers, notices, limits, failures.
 */
#include "trace.h"

#include "base/compiler.h"
#include "support/failing_run.h"

#include <time.h>

/* ---- places of faults ---- */

struct place {
    const char *text, *rule;
    uint64_t offset;
    uint32_t line, column;
    const char *pointer;
};

static const struct place places[] = {
    {"", "json.truncated", 0, 1, 1, ""},
    {" \n ", "json.truncated", 3, 2, 2, ""},
    {"{\"a\":[1,2,x]}", "json.syntax.invalid", 10, 1, 11, "/a/2"},
    {"{\"a\":\n [1,\n  2 3]}", "json.syntax.invalid", 15, 3, 5, "/a/1"},
    {"{\"a\":1,\n\"b\":[{\"c/d~\":tru}]}", "json.syntax.invalid", 24, 2, 17,
     "/b/0/c~1d~0"},
    {"{\"a\":1,\r\n}", "json.syntax.invalid", 9, 2, 1, "/a"},
    {"[\"a\\q\"]", "json.syntax.invalid", 3, 1, 4, "/0"},
    {"[\"ab\ncd\"]", "json.syntax.invalid", 4, 1, 5, "/0"},
    {"[1,\"ab\xff\"]", "json.encoding.not-utf8", 6, 1, 7, "/1"},
    {"[1.5.2]", "json.syntax.invalid", 4, 1, 5, "/0"},
    {"[1,2", "json.truncated", 4, 1, 5, "/1"},
    {"[1,\"ab", "json.truncated", 6, 1, 7, "/1"},
    {"{\"k\" 1}", "json.syntax.invalid", 5, 1, 6, "/k"},
    {"\n\n\n{\"k\":\"\\ud800\\ug\"}", "json.syntax.invalid", 15, 4, 13, "/k"},
};

static void faults_have_their_place(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    for (size_t i = 0; i < ICE_COUNT_OF(places); i++) {
        struct trace trace;
        trace_all_ways(&trace, &run, ice_str_from(places[i].text));
        assert_int_equal(trace.status, ICE_EFORMAT);
        assert_string_equal(trace.err.rule, places[i].rule);
        assert_int_equal(trace.err.offset, places[i].offset);
        assert_int_equal(trace.err.line, places[i].line);
        assert_int_equal(trace.err.column, places[i].column);
        assert_string_equal(trace.err.pointer, places[i].pointer);
        trace_release(&trace);
    }
}

static void events_have_their_place_and_pointer(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct trace trace;
    trace_all_ways(&trace, &run,
                   ICE_STR("{\"a\":[10,\n {\"b\":\"x\\ty\"}],\n\"c~d/e\":null,\"\":{}}"));
    assert_int_equal(trace.status, ICE_DONE);
    const char *expected = "0 @0 1:1 depth 1 =\n"
                           "4 @1 1:2 depth 1 /a=a\n"
                           "2 @5 1:6 depth 2 /a=\n"
                           "6 @6 1:7 depth 2 /a/0=10\n"
                           "0 @11 2:2 depth 3 /a/1=\n"
                           "4 @12 2:3 depth 3 /a/1/b=b\n"
                           "5 @16 2:7 depth 3 /a/1/b=x\ty\n"
                           "1 @22 2:13 depth 2 /a/1=\n"
                           "3 @23 2:14 depth 1 /a=\n"
                           "4 @26 3:1 depth 1 /c~0d~1e=c~d/e\n"
                           "9 @34 3:9 depth 1 /c~0d~1e=\n"
                           "4 @39 3:14 depth 1 /=\n"
                           "0 @42 3:17 depth 2 /=\n"
                           "1 @43 3:18 depth 1 /=\n"
                           "1 @44 3:19 depth 0 =\n"
                           "done - @18446744073709551615 0:0 : \n";
    assert_int_equal(trace.text.size, strlen(expected));
    assert_memory_equal(trace.text.data, expected, trace.text.size);
    trace_release(&trace);
}

static void strings_are_unescaped(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct ice_stream stream;
    struct ice_json json;
    struct ice_json_event event;
    ice_stream_init_memory(
        &stream, &run,
        ICE_STR("\"\\\"\\\\\\/"
                "\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\ud83d\\ude00\\u0000\\udc00"
                "z\""));
    assert_int_equal(ice_json_init(&json, &stream, &run, NULL, NULL, NULL), ICE_OK);
    assert_int_equal(ice_json_next(&json, &event, NULL), ICE_OK);
    static const char expected[] =
        "\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\0\xed\xb0\x80z";
    assert_int_equal(event.text.size, sizeof(expected) - 1);
    assert_memory_equal(event.text.data, expected, sizeof(expected) - 1);
    ice_json_release(&json);
    ice_stream_release(&stream);
}

static void repeated(struct ice_buf *out, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        assert_int_equal(ice_buf_append(out, text, strlen(text)), ICE_OK);
}

/* ---- notices ---- */

static void notices_name_the_place(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct trace trace;
    trace_all_ways(
        &trace, &run,
        ICE_STR("\xef\xbb\xbf{\"a\":[\"x\\ud800\\u0000\"],\"a\":1,\"b\\u0000\":2} !"));
    assert_int_equal(trace.status, ICE_DONE);
    assert_int_equal(trace.n_notices, 6);
    struct ice_str text = ice_buf_str(&trace.text);
    const char *const expected[] = {
        "notice 0 @0 \n",    "notice 1 @11 /a/0\n", "notice 2 @17 /a/0\n",
        "notice 3 @26 /a\n", "notice 2 @34 /b",     "notice 4 @45 \n",
    };
    for (size_t i = 0; i < ICE_COUNT_OF(expected); i++)
        assert_non_null(memmem(text.data, text.size, expected[i], strlen(expected[i])));
    trace_release(&trace);
}

static enum ice_status stop(enum ice_json_notice notice, uint64_t offset,
                            struct ice_str pointer, void *user) {
    (void)offset;
    (void)pointer;
    const enum ice_json_notice *at = user;
    return notice == *at ? ICE_ECANCELLED : ICE_OK;
}

static void a_notice_can_stop_the_reading(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    static struct {
        const char *text;
        enum ice_json_notice notice;
        int n_events; /* before the notice */
        uint64_t offset;
    } cases[] = {
        {"{\"a\":1,\"a\":2}", ICE_JSON_DUPLICATE_KEY, 3, 7},
        {"\xef\xbb\xbf[]", ICE_JSON_BOM, 0, 0},
        {"[\"a\\ud800\"]", ICE_JSON_LONE_SURROGATE, 1, 3},
        {"[\"\\u0000\\u0000\"]", ICE_JSON_NUL, 1, 2},
        {"{\"\\ud800\\ue000\":1}", ICE_JSON_LONE_SURROGATE, 1, 2},
        {"[] x", ICE_JSON_TRAILING_DATA, 2, 3},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_stream stream;
        struct ice_json json;
        struct ice_json_event event;
        struct ice_error err;
        ice_error_clear(&err);
        ice_stream_init_memory(&stream, &run, ice_str_from(cases[i].text));
        assert_int_equal(
            ice_json_init(&json, &stream, &run, stop, &cases[i].notice, NULL), ICE_OK);
        for (int k = 0; k < cases[i].n_events; k++)
            assert_int_equal(ice_json_next(&json, &event, &err), ICE_OK);
        assert_int_equal(ice_json_next(&json, &event, &err), ICE_ECANCELLED);
        assert_int_equal(err.offset, cases[i].offset);
        assert_int_equal(ice_json_next(&json, &event, NULL), ICE_ECANCELLED);
        ice_json_release(&json);
        ice_stream_release(&stream);
        assert_int_equal(run.alloc.used, 0);
    }
}

/* n different keys, then each again: n notices, whatever holds the hashes. */
static void duplicates_are_found_in_objects_of_any_size(void **state) {
    (void)state;
    static const unsigned sizes[] = {1, 2, 31, 32, 33, 34, 63, 64, 65, 1000};
    for (size_t i = 0; i < ICE_COUNT_OF(sizes); i++) {
        struct ice_run run;
        ice_run_init(&run, NULL);
        struct ice_buf text;
        ice_buf_init(&text, &run.alloc, SIZE_MAX);
        assert_int_equal(ice_buf_append_str(&text, ICE_STR("[{\"x\":0}, {")), ICE_OK);
        for (unsigned k = 0; k < 2 * sizes[i]; k++)
            assert_int_equal(ice_buf_printf(&text, "%s\"key-%u\":{\"key-1\":[]}",
                                            k ? "," : "", k % sizes[i]),
                             ICE_OK);
        assert_int_equal(ice_buf_append_str(&text, ICE_STR("},{\"x\":0,\"key-0\":1}]")),
                         ICE_OK);
        struct trace trace;
        trace_memory(&trace, &run, ice_buf_str(&text));
        assert_int_equal(trace.status, ICE_DONE);
        assert_int_equal(trace.n_notices, sizes[i]);
        trace_release(&trace);
        ice_buf_release(&text);
        assert_int_equal(run.alloc.used, 0);
    }
}

/* ---- objects alike ---- */

static uint32_t draw(uint64_t *state, uint32_t below) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

enum { MOST_KEYS = 48 };

/* One key in one of its spellings; a few are longer than what a shape holds. */
static void add_key(struct ice_buf *out, uint32_t key, uint64_t *random) {
    assert_int_equal(ice_buf_append_char(out, '"'), ICE_OK);
    for (uint32_t i = 0; key % 16 == 5 && i < 40 * (key / 8); i++)
        assert_int_equal(ice_buf_append_str(out, ICE_STR("-long-")), ICE_OK);
    const bool escaped = draw(random, 40) == 0;
    assert_int_equal(ice_buf_printf(out, "%s%u\"%s", escaped ? "\\u006b" : "k", key,
                                    draw(random, 10) == 0 ? " :" : ":"),
                     ICE_OK);
}

/* An object with some keys of a pool, mostly in their order. Returns its duplicates. */
static unsigned add_object(struct ice_buf *out, uint32_t n_keys, uint64_t *random) {
    bool seen[MOST_KEYS] = {false};
    unsigned duplicates = 0;
    const char *between = "{";
    for (uint32_t i = 0; i < n_keys; i++) {
        if (draw(random, 12) == 0)
            continue;
        const uint32_t key = draw(random, 25) == 0 ? draw(random, n_keys) : i;
        duplicates += seen[key];
        seen[key] = true;
        assert_int_equal(ice_buf_append_str(out, ice_str_from(between)), ICE_OK);
        add_key(out, key, random);
        between = ",";
        assert_int_equal(ice_buf_printf(out, "%d", (int)draw(random, 2000) - 1000),
                         ICE_OK);
    }
    assert_int_equal(
        ice_buf_append_str(out, ice_str_from(between[0] == '{' ? "{}" : "}")), ICE_OK);
    return duplicates;
}

/* Whatever an object shares with the one before it, it is read as if alone. */
static void objects_alike_are_read_like_any_other(void **state) {
    (void)state;
    uint64_t random = 20260101;
    for (uint32_t round = 0; round < 60; round++) {
        struct ice_run run;
        ice_run_init(&run, NULL);
        struct ice_buf text;
        ice_buf_init(&text, &run.alloc, SIZE_MAX);
        const uint32_t n_keys = 1 + draw(&random, MOST_KEYS);
        unsigned duplicates = 0;
        repeated(&text, "[", 1);
        for (uint32_t i = 0; i < 12; i++) {
            repeated(&text, i > 0 ? ",\n" : "", 1);
            duplicates += add_object(&text, n_keys, &random);
        }
        repeated(&text, "]", 1);
        struct trace trace;
        trace_all_ways(&trace, &run, ice_buf_str(&text));
        assert_int_equal(trace.status, ICE_DONE);
        assert_int_equal(trace.n_notices, duplicates);
        trace_release(&trace);
        ice_buf_release(&text);
        assert_int_equal(run.alloc.used, 0);
    }
}

/* A key that an object lacks may stand in the wrong place of the next, and twice. */
static void a_shape_holds_no_key_twice(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct trace trace;
    trace_all_ways(&trace, &run,
                   ICE_STR("[{},{\"a\":1,\"b\":2,\"c\":3},{\"a\":1,\"c\":2,\"b\":3},"
                           "{\"a\":1,\"b\":2,\"c\":3,\"b\":4},"
                           "{\"a\":1,\"b\":2,\"c\":3,\"b\":4}]"));
    assert_int_equal(trace.status, ICE_DONE);
    assert_int_equal(trace.n_notices, 2);
    struct ice_str all = ice_buf_str(&trace.text);
    static const char expected[] = "notice 3 @89 /4/b\n";
    assert_non_null(memmem(all.data, all.size, expected, sizeof(expected) - 1));
    trace_release(&trace);
}

/* Time grows with the keys, not with their square: a quarter of a million takes no
 * minute. */
static void many_keys_are_linear(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct ice_buf text;
    ice_buf_init(&text, &run.alloc, SIZE_MAX);
    assert_int_equal(ice_buf_append_char(&text, '{'), ICE_OK);
    for (unsigned k = 0; k < 250000; k++)
        assert_int_equal(ice_buf_printf(&text, "%s\"%u\":0", k ? "," : "", k), ICE_OK);
    assert_int_equal(ice_buf_append_char(&text, '}'), ICE_OK);
    struct ice_stream stream;
    struct ice_json json;
    struct ice_json_event event;
    struct trace trace = {.n_notices = 0};
    ice_stream_init_memory(&stream, &run, ice_buf_str(&text));
    assert_int_equal(ice_json_init(&json, &stream, &run, trace_notice, &trace, NULL),
                     ICE_OK);
    const clock_t start = clock();
    while (ice_json_next(&json, &event, NULL) == ICE_OK)
        ;
    assert_true((clock() - start) / CLOCKS_PER_SEC < 5);
    assert_int_equal(trace.n_notices, 0);
    ice_json_release(&json);
    ice_stream_release(&stream);
    ice_buf_release(&text);
}

/* ---- limits ---- */

static struct ice_run run_with(struct ice_limits limits) {
    struct ice_options options = ICE_OPTIONS_INIT;
    options.limits = limits;
    struct ice_run run;
    ice_run_init(&run, &options);
    return run;
}

static void expect_limit(struct ice_run *run, struct ice_str text, const char *rule,
                         uint64_t offset) {
    struct trace trace;
    trace_all_ways(&trace, run, text);
    if (rule == NULL) {
        assert_int_equal(trace.status, ICE_DONE);
    } else {
        assert_int_equal(trace.status, ICE_ELIMIT);
        assert_string_equal(trace.err.rule, rule);
        assert_int_equal(trace.err.offset, offset);
    }
    trace_release(&trace);
}

static void limits_hold_at_n_and_one_above(void **state) {
    (void)state;
    struct ice_run run = run_with((struct ice_limits){.json_depth = 3,
                                                      .json_string_bytes = 5,
                                                      .json_key_bytes = 4,
                                                      .json_number_bytes = 6});
    expect_limit(&run, ICE_STR("[[[]]]"), NULL, 0);
    expect_limit(&run, ICE_STR("[[[[]]]]"), "limit.depth", 3);
    expect_limit(&run, ICE_STR("{\"a\":[{}]}"), NULL, 0);
    expect_limit(&run, ICE_STR("{\"a\":[{\"a\":{}}]}"), "limit.depth", 11);
    expect_limit(&run, ICE_STR("[\"12345\",[[]],[[]]]"), NULL, 0);
    expect_limit(&run, ICE_STR("[\"123456\"]"), "limit.token", 1);
    expect_limit(&run,
                 ICE_STR("[\"12345"
                         "\\n\"]"),
                 "limit.token", 1);
    expect_limit(&run, ICE_STR("[\"123456"), "limit.token", 1);
    expect_limit(&run, ICE_STR("{\"1234\":1}"), NULL, 0);
    expect_limit(&run, ICE_STR("{\"12345\":1}"), "limit.token", 1);
    expect_limit(&run, ICE_STR("[123456]"), NULL, 0);
    expect_limit(&run, ICE_STR("[1234567]"), "limit.token", 1);
    expect_limit(&run, ICE_STR("-1.2e+5"), "limit.token", 0);
    expect_limit(&run, ICE_STR("[1234567"), "limit.token", 1);
}

static void default_limits_hold(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct ice_buf text;
    struct trace trace;
    ice_buf_init(&text, &run.alloc, SIZE_MAX);
    repeated(&text, "[", 128);
    repeated(&text, "]", 128);
    trace_memory(&trace, &run, ice_buf_str(&text));
    assert_int_equal(trace.status, ICE_DONE);
    trace_release(&trace);
    static const char *const openers[] = {"[", "{\"a\":"};
    for (size_t i = 0; i < ICE_COUNT_OF(openers); i++) {
        ice_buf_clear(&text);
        repeated(&text, openers[i], 1000000);
        const clock_t start = clock();
        trace_pieces(&trace, &run, ice_buf_str(&text), 256 * 1024, 256 * 1024, 1);
        assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 0.5);
        assert_int_equal(trace.status, ICE_ELIMIT);
        assert_string_equal(trace.err.rule, "limit.depth");
        trace_release(&trace);
    }
    ice_buf_clear(&text);
    repeated(&text, "9", 1000000);
    trace_memory(&trace, &run, ice_buf_str(&text));
    assert_string_equal(trace.err.rule, "limit.token");
    trace_release(&trace);
    ice_buf_release(&text);
}

/* A string longer than the window: the window grows with it, and no further than its
 * limit. */
static void long_strings_stay_within_their_limit(void **state) {
    (void)state;
    struct ice_run run = run_with((struct ice_limits){.json_string_bytes = 1u << 20});
    struct ice_buf text;
    ice_buf_init(&text, &run.alloc, SIZE_MAX);
    for (int over = 0; over <= 1; over++) {
        ice_buf_clear(&text);
        repeated(&text, "[1,\"", 1);
        while (text.size < 4 + (1u << 20) + (size_t)over)
            repeated(&text, "x", 1);
        repeated(&text, "\"]", 1);
        struct trace trace;
        const uint64_t before = run.alloc.used;
        trace_pieces(&trace, &run, ice_buf_str(&text), 64 * 1024, 1000, 1);
        assert_int_equal(trace.status, over ? ICE_ELIMIT : ICE_DONE);
        trace_release(&trace);
        assert_true(run.alloc.peak < before + 8u * (1u << 20));
    }
    ice_buf_release(&text);
}

/* ---- skip and raw ---- */

static void raw_values_keep_their_bytes(void **state) {
    (void)state;
    static const char text[] =
        "{ \"a\" : { \"b\" : [1,2.50 , {\"c\\u0041\":\"\\n\"}] } , \"d\": "
        "-0.10,\"e\":\"x\\ty\", \"f\":[ ]}";
    static const char *const expected[] = {
        "{ \"b\" : [1,2.50 , {\"c\\u0041\":\"\\n\"}] }", "-0.10", "\"x\\ty\"", "[ ]"};
    for (size_t chunk = 1; chunk < 12; chunk++) {
        struct ice_run run;
        ice_run_init(&run, NULL);
        struct pieces pieces = {.bytes = ice_str_from(text), .most = chunk};
        struct ice_stream stream;
        struct ice_json json;
        struct ice_json_event event;
        struct ice_buf raw;
        ice_buf_init(&raw, &run.alloc, SIZE_MAX);
        assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL),
                         ICE_OK);
        stream.chunk = chunk;
        assert_int_equal(ice_json_init(&json, &stream, &run, NULL, NULL, NULL), ICE_OK);
        assert_int_equal(ice_json_next(&json, &event, NULL), ICE_OK);
        for (size_t i = 0; i < ICE_COUNT_OF(expected); i++) {
            assert_int_equal(ice_json_next(&json, &event, NULL), ICE_OK);
            assert_int_equal(event.kind, ICE_JSON_KEY);
            assert_int_equal(ice_json_next(&json, &event, NULL), ICE_OK);
            ice_buf_clear(&raw);
            assert_int_equal(ice_json_raw(&json, &event, &raw, NULL), ICE_OK);
            assert_int_equal(raw.size, strlen(expected[i]));
            assert_memory_equal(raw.data, expected[i], raw.size);
        }
        assert_int_equal(ice_json_next(&json, &event, NULL), ICE_OK);
        assert_int_equal(event.kind, ICE_JSON_OBJECT_END);
        assert_int_equal(ice_json_next(&json, &event, NULL), ICE_DONE);
        ice_buf_release(&raw);
        ice_json_release(&json);
        ice_stream_release(&stream);
        assert_int_equal(run.alloc.used, 0);
    }
}

static void raw_stops_at_the_ceiling_of_its_buffer(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct ice_stream stream;
    struct ice_json json;
    struct ice_json_event event;
    struct ice_error err;
    struct ice_buf raw;
    ice_buf_init(&raw, &run.alloc, 4);
    ice_error_clear(&err);
    ice_stream_init_memory(&stream, &run, ICE_STR("[1, 2, 3]"));
    assert_int_equal(ice_json_init(&json, &stream, &run, NULL, NULL, &err), ICE_OK);
    assert_int_equal(ice_json_next(&json, &event, &err), ICE_OK);
    assert_int_equal(ice_json_raw(&json, &event, &raw, &err), ICE_ELIMIT);
    assert_string_equal(err.rule, "limit.token");
    ice_json_release(&json);
    ice_stream_release(&stream);
    /* as it is met while more bytes come, and likewise where no memory is left */
    for (int limited = 0; limited <= 1; limited++) {
        struct failing failing = {.fail_at = 0};
        struct ice_run poor;
        struct pieces pieces = {.bytes = ICE_STR("[1, 2, 3]"), .most = 1};
        failing_run_init(&poor, &failing);
        ice_buf_release(&raw);
        ice_buf_init(&raw, &poor.alloc, limited ? 4 : SIZE_MAX);
        assert_int_equal(ice_stream_init(&stream, &poor, &pieces_ops, &pieces, NULL),
                         ICE_OK);
        ice_error_clear(&err);
        assert_int_equal(ice_json_init(&json, &stream, &poor, NULL, NULL, &err), ICE_OK);
        assert_int_equal(ice_json_next(&json, &event, &err), ICE_OK);
        failing.fail_at = limited ? 0 : failing.n + 1;
        assert_int_equal(ice_json_raw(&json, &event, &raw, &err),
                         limited ? ICE_ELIMIT : ICE_ENOMEM);
        assert_int_equal(err.status, limited ? ICE_ELIMIT : ICE_ENOMEM);
        ice_buf_release(&raw);
        ice_json_release(&json);
        ice_stream_release(&stream);
        assert_int_equal(failing.used, 0);
    }
}

/* What is wrong inside of the value is told as anywhere else. */
static void raw_of_a_broken_value_is_a_fault(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_stream stream;
    struct ice_json json;
    struct ice_json_event event;
    struct ice_error err;
    struct ice_buf raw;
    ice_run_init(&run, NULL);
    ice_buf_init(&raw, &run.alloc, SIZE_MAX);
    ice_error_clear(&err);
    ice_stream_init_memory(&stream, &run, ICE_STR("[[1, x]]"));
    assert_int_equal(ice_json_init(&json, &stream, &run, NULL, NULL, NULL), ICE_OK);
    assert_int_equal(ice_json_next(&json, &event, NULL), ICE_OK);
    assert_int_equal(ice_json_next(&json, &event, NULL), ICE_OK);
    assert_int_equal(ice_json_raw(&json, &event, &raw, &err), ICE_EFORMAT);
    assert_int_equal(err.offset, 5);
    assert_int_equal(ice_json_next(&json, &event, NULL), ICE_EFORMAT);
    ice_buf_release(&raw);
    ice_json_release(&json);
    ice_stream_release(&stream);
    assert_int_equal(run.alloc.used, 0);
}

static void skip_goes_behind_the_value(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct ice_stream stream;
    struct ice_json json;
    struct ice_json_event event;
    ice_stream_init_memory(&stream, &run, ICE_STR("[{\"a\":[[],{}]},7,[8]]"));
    assert_int_equal(ice_json_init(&json, &stream, &run, NULL, NULL, NULL), ICE_OK);
    assert_int_equal(ice_json_next(&json, &event, NULL), ICE_OK);
    assert_int_equal(ice_json_next(&json, &event, NULL), ICE_OK);
    assert_int_equal(ice_json_skip(&json, &event, NULL), ICE_OK);
    assert_int_equal(ice_json_next(&json, &event, NULL), ICE_OK);
    assert_true(ice_str_is(event.text, "7"));
    assert_int_equal(ice_json_skip(&json, &event, NULL), ICE_OK);
    assert_int_equal(ice_json_next(&json, &event, NULL), ICE_OK);
    assert_int_equal(event.kind, ICE_JSON_ARRAY);
    ice_json_release(&json);
    ice_stream_release(&stream);
}

/* Documents one after another: a reader leaves the stream behind what it has read. */
static void the_stream_stands_behind_the_value(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct pieces pieces = {.bytes = ICE_STR("{\"a\":1}\n[2]\n3 "), .most = 4};
    struct ice_stream stream;
    assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL), ICE_OK);
    static const uint64_t behind[] = {7, 11, 13};
    for (size_t i = 0; i < ICE_COUNT_OF(behind); i++) {
        struct ice_json json;
        struct ice_json_event event;
        assert_int_equal(ice_json_init(&json, &stream, &run, NULL, NULL, NULL), ICE_OK);
        do
            assert_int_equal(ice_json_next(&json, &event, NULL), ICE_OK);
        while (ice_json_depth(&json) > 0);
        ice_json_release(&json);
        assert_int_equal(stream.position, behind[i]);
    }
    ice_stream_release(&stream);
}

/* ---- failures ---- */

static const char torture[] =
    "\xef\xbb\xbf{\"one\":[1,2,{\"x\\u0000\":\"\\ud800\"}],\"one\":2,"
    "\"k0\":0,\"k1\":0,\"k2\":0,\"k3\":0,\"k4\":0,\"k5\":0,\"k6\":0,\"k7\":0,\"k8\":0,"
    "\"k9\":0,"
    "\"l0\":0,\"l1\":0,\"l2\":0,\"l3\":0,\"l4\":0,\"l5\":0,\"l6\":0,\"l7\":0,\"l8\":0,"
    "\"l9\":0,"
    "\"m0\":0,\"m1\":0,\"m2\":0,\"m3\":0,\"m4\":0,\"m5\":0,\"m6\":0,\"m7\":0,\"m8\":0,"
    "\"m9\":0,"
    "\"n0\":0,\"n1\":0,\"n2\":0,\"n3\":0,\"k0\":[[[[[[[[[[[[1]]]]]]]]]]]],"
    "\"o0\":0,\"o1\":0,\"o2\":0,\"o3\":0,\"o4\":0,\"o5\":0,\"o6\":0,\"o7\":0,\"o8\":0,"
    "\"o9\":0,"
    "\"p0\":0,\"p1\":0,\"p2\":0,\"p3\":0,\"p4\":0,\"p5\":0,\"p6\":0,\"p7\":0,\"p8\":0,"
    "\"p9\":0,"
    "\"q0\":0,\"q1\":0,\"q2\":0,\"q3\":0,\"q4\":0,\"q5\":0,\"q6\":0,\"q7\":0,\"q8\":0,"
    "\"r\":[{\"a\":1,\"b\":2},{\"a\":1,\"b\":2},{\"a\":1,\"b\":2,\"c\":3,\"d\":4}]} tail";

/* Broken where a place is to be told, far down and behind names with escapes. */
static const char *const broken[] = {
    "{\"some/thing\":[0,{\"a name of forty bytes, as some are found\":[1,!]}]}",
    "{\"some~thing\":[0,{\"a name of forty bytes, as some are found\":tru]}",
    "{\"some/thing\":[0,{\"a name of forty bytes, as some are found\":\"\\u00\"}]}",
    "{\"some/thing\":[0,{\"a name of forty bytes, as some are found\":12345",
};

static enum ice_status count_notice(enum ice_json_notice notice, uint64_t offset,
                                    struct ice_str pointer, void *user) {
    (void)notice;
    (void)offset;
    (void)pointer;
    ++*(unsigned *)user;
    return ICE_OK;
}

static enum ice_status read_all(struct ice_run *run, struct pieces *pieces,
                                unsigned *n_notices, struct ice_error *err) {
    struct ice_stream stream;
    struct ice_json json;
    struct ice_json_event event;
    ice_error_clear(err);
    enum ice_status status = ice_stream_init(&stream, run, &pieces_ops, pieces, err);
    assert_int_equal(status, ICE_OK);
    stream.chunk = 64;
    status = ice_json_init(&json, &stream, run, count_notice, n_notices, err);
    while (status == ICE_OK)
        status = ice_json_next(&json, &event, err);
    ice_json_release(&json);
    ice_stream_release(&stream);
    return status;
}

static void each_allocation_can_fail(void **state) {
    (void)state;
    for (int sticky = 0; sticky <= 1; sticky++) {
        uint64_t fail_at = 1;
        for (;; fail_at++) {
            struct failing failing = {.fail_at = fail_at, .sticky = sticky};
            struct ice_run run;
            failing_run_init(&run, &failing);
            struct pieces pieces = {.bytes = ICE_STR(torture), .most = 64};
            struct ice_error err;
            unsigned n_notices = 0;
            enum ice_status status = read_all(&run, &pieces, &n_notices, &err);
            assert_int_equal(failing.used, 0);
            assert_int_equal(run.alloc.used, 0);
            if (status == ICE_DONE) {
                assert_int_equal(n_notices, 6);
                break;
            }
            assert_int_equal(status, ICE_ENOMEM);
            assert_int_equal(err.status, ICE_ENOMEM);
        }
        assert_true(fail_at > 8);
    }
}

/* A fault is told as it is, or that there is no memory to say its place. */
static void each_allocation_can_fail_on_the_way_to_a_fault(void **state) {
    (void)state;
    for (size_t i = 0; i < ICE_COUNT_OF(broken); i++) {
        struct ice_error whole;
        uint64_t n = 0;
        for (uint64_t fail_at = 0; fail_at == 0 || fail_at <= n; fail_at++) {
            struct failing failing = {.fail_at = fail_at};
            struct ice_run run;
            struct ice_error err;
            unsigned n_notices = 0;
            failing_run_init(&run, &failing);
            struct pieces pieces = {.bytes = ice_str_from(broken[i]), .most = 64};
            const enum ice_status status = read_all(&run, &pieces, &n_notices, &err);
            assert_int_equal(failing.used, 0);
            if (fail_at == 0) {
                assert_int_equal(status, ICE_EFORMAT);
                assert_true(strlen(err.pointer) > 40);
                whole = err;
                n = failing.n;
            } else if (err.status == ICE_EFORMAT) {
                assert_int_equal(status, ICE_EFORMAT);
                assert_string_equal(err.message, whole.message);
                assert_string_equal(err.pointer, whole.pointer);
            } else {
                assert_int_equal(err.status, ICE_ENOMEM);
                assert_int_equal(status, ICE_ENOMEM);
            }
        }
        assert_true(n > 4);
    }
}

/* The verdict needs no listener. */
static void a_fault_needs_no_error(void **state) {
    (void)state;
    for (size_t i = 0; i < ICE_COUNT_OF(broken); i++) {
        struct ice_run run;
        struct ice_stream stream;
        struct ice_json json;
        struct ice_json_event event;
        struct ice_error err = {.status = ICE_EIO};
        for (int turn = 0; turn < 2; turn++) {
            enum ice_status status;
            ice_run_init(&run, NULL);
            ice_stream_init_memory(&stream, &run, ice_str_from(broken[i]));
            assert_int_equal(ice_json_init(&json, &stream, &run, NULL, NULL, NULL),
                             ICE_OK);
            do
                status = ice_json_next(&json, &event, turn ? &err : NULL);
            while (status == ICE_OK);
            assert_int_equal(status, ICE_EFORMAT);
            assert_int_equal(err.status, ICE_EIO); /* an earlier one stays */
            assert_string_equal(err.pointer, "");
            ice_json_release(&json);
            ice_stream_release(&stream);
        }
    }
}

static void each_read_can_fail(void **state) {
    (void)state;
    for (size_t i = 0; i < ICE_COUNT_OF(broken); i++) {
        const size_t size = strlen(broken[i]);
        for (size_t from = 1; from <= size; from++) {
            struct ice_run run;
            struct ice_error err;
            unsigned n_notices = 0;
            ice_run_init(&run, NULL);
            struct pieces pieces = {
                .bytes = ice_str_from(broken[i]), .most = 1, .fail_from = from};
            const enum ice_status status = read_all(&run, &pieces, &n_notices, &err);
            assert_int_equal(err.status, status);
            /* the fault, where all that it rests on was read: the four bytes of the
               longest code point, or a token */
            if (status == ICE_EFORMAT)
                assert_true(from > 50 && from >= err.offset);
            else
                assert_int_equal(status, ICE_EIO);
            assert_int_equal(run.alloc.used, 0);
        }
    }
    for (size_t from = 1; from < sizeof(torture) - 1; from++) {
        struct ice_run run;
        ice_run_init(&run, NULL);
        struct pieces pieces = {.bytes = ICE_STR(torture), .most = 5, .fail_from = from};
        struct ice_error err;
        unsigned n_notices = 0;
        enum ice_status status = read_all(&run, &pieces, &n_notices, &err);
        /* behind the root and its first trailing byte nobody reads on */
        if (status != ICE_DONE) {
            assert_int_equal(status, ICE_EIO);
            assert_string_equal(err.rule, "source.unreadable");
        } else {
            assert_true(from + 5 >= sizeof(torture) - 5);
        }
        assert_int_equal(run.alloc.used, 0);
    }
}

static void release_is_safe_twice_and_on_zero(void **state) {
    (void)state;
    struct ice_json json = {0};
    ice_json_release(&json);
    ice_json_release(&json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_have_their_place),
        cmocka_unit_test(events_have_their_place_and_pointer),
        cmocka_unit_test(strings_are_unescaped),
        cmocka_unit_test(notices_name_the_place),
        cmocka_unit_test(a_notice_can_stop_the_reading),
        cmocka_unit_test(duplicates_are_found_in_objects_of_any_size),
        cmocka_unit_test(objects_alike_are_read_like_any_other),
        cmocka_unit_test(a_shape_holds_no_key_twice),
        cmocka_unit_test(many_keys_are_linear),
        cmocka_unit_test(limits_hold_at_n_and_one_above),
        cmocka_unit_test(default_limits_hold),
        cmocka_unit_test(long_strings_stay_within_their_limit),
        cmocka_unit_test(raw_values_keep_their_bytes),
        cmocka_unit_test(raw_stops_at_the_ceiling_of_its_buffer),
        cmocka_unit_test(raw_of_a_broken_value_is_a_fault),
        cmocka_unit_test(skip_goes_behind_the_value),
        cmocka_unit_test(the_stream_stands_behind_the_value),
        cmocka_unit_test(each_allocation_can_fail),
        cmocka_unit_test(each_allocation_can_fail_on_the_way_to_a_fault),
        cmocka_unit_test(a_fault_needs_no_error),
        cmocka_unit_test(each_read_can_fail),
        cmocka_unit_test(release_is_safe_twice_and_on_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
