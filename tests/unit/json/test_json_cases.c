/*
 * What is JSON and what is not: RFC 8259 case by case, each read whole and in pieces.
 */
#include "trace.h"

#include "base/compiler.h"

/* rule NULL: accepted in silence; else the rule of the fault, or of the one notice. */
struct json_case {
    struct ice_str text;
    const char *rule;
};

#define TEXT(literal)                                                                    \
    { (literal), sizeof(literal) - 1 }
#define YES(literal)                                                                     \
    { TEXT(literal), NULL }
#define NO(literal)                                                                      \
    { TEXT(literal), "json.syntax.invalid" }
#define CUT(literal)                                                                     \
    { TEXT(literal), "json.truncated" }
#define BYTES(literal)                                                                   \
    { TEXT(literal), "json.encoding.not-utf8" }
#define TRAIL(literal)                                                                   \
    { TEXT(literal), "json.trailing-data" }
#define ODD(rule, literal)                                                               \
    { TEXT(literal), rule }

static const struct json_case cases[] = {
    /* structure */
    YES("[]"),
    YES("{}"),
    YES(" [] "),
    YES("[[] \n]"),
    YES("\t\r\n {\"a\" : [ ] }\r\n"),
    YES("[[[[]]]]"),
    YES("{\"a\":{\"b\":{}}}"),
    YES("[1\n]"),
    YES("[1,null,true,false,\"\"]"),
    YES("null"),
    YES("true"),
    YES("false"),
    YES("0"),
    YES("\"\""),
    YES("-0.1e1"),
    YES("{\"a\":\"b\",\"c\":\"d\"}"),
    YES("{\"\":0}"),
    YES("{\"a\":[],\"b\":{}}"),
    NO("[1 true]"),
    NO("[a"),
    NO("[\"\": 1]"),
    NO("[,1]"),
    NO("[1,,2]"),
    NO("[1,]"),
    NO("[\"x\",,]"),
    NO("[,]"),
    NO("[,\"\"]"),
    NO("[3[4]]"),
    NO("[ \"a\", 4 \n,1,]"),
    NO("[,"),
    NO("[*]"),
    NO("[1}"),
    NO("{]"),
    NO("{,}"),
    NO("{\"a\"}"),
    NO("{\"a\" \"b\"}"),
    NO("{\"a\",1}"),
    NO("{a:1}"),
    NO("{1:1}"),
    NO("{'a':1}"),
    NO("{\"a\":1,}"),
    NO("{\"a\":1,,\"b\":2}"),
    NO("{\"a\"::1}"),
    NO("{\"a\":}"),
    NO("{\"a\":1 \"b\":2}"),
    NO("{null:null}"),
    NO("{[]:1}"),
    NO("{\"a\":/*x*/1}"),
    NO("/**/[]"),
    NO("//x\n1"),
    NO("]"),
    NO("}"),
    NO(","),
    NO(":"),
    NO("<null>"),
    NO("[<null>]"),
    NO("*"),
    NO("'a'"),
    NO("[\"a\",\n4\n,1,"
       "]"),
    NO("[\f]"),
    NO("[\v1]"),
    NO("\f[]"),
    NO("[\x01]"),
    NO("[\x7f]"),
    NO("[\0]"),
    NO("\0"),
    NO("\0\0\0\0"),
    NO("[\"a\"\0]"),
    NO("[1\0]"),
    NO("&"),
    CUT(""),
    CUT(" "),
    CUT("\n\n"),
    CUT("["),
    CUT("[1"),
    CUT("[1,"),
    CUT("[\"a"),
    CUT("[\"a\""),
    CUT("[1,\n1\n,1"),
    CUT("[{}"),
    CUT("{"),
    CUT("{\"a"),
    CUT("{\"a\""),
    CUT("{\"a\":"),
    CUT("{\"a\":1"),
    CUT("{\"a\":1,"),
    CUT("{\"a\":[1,2]"),
    CUT("[[[[1"),
    CUT("\""),
    CUT("[\"\\"),
    CUT("[\"\\u"),
    CUT("[\"\\ud834\\"),
    CUT("[\"\\\""),
    TRAIL("[]]"),
    TRAIL("[]["),
    TRAIL("{}}"),
    TRAIL("[] []"),
    TRAIL("1 2"),
    TRAIL("{}\0"),
    TRAIL("{\"a\":true} \"x\""),
    TRAIL("{\"a\":true}//"),
    TRAIL("[1],"),
    TRAIL("123\0"),
    TRAIL("null\xff"),
    TRAIL("\"a\"b"),
    TRAIL("1a"),
    TRAIL("truefalse"),
    /* words */
    NO("[nul]"),
    NO("[nULL]"),
    NO("[True]"),
    NO("[truth]"),
    NO("[fals]"),
    NO("[truee]"),
    NO("[nullx]"),
    NO("[tru\0]"),
    NO("[NaN]"),
    NO("[Infinity]"),
    NO("[-Infinity]"),
    NO("[inf]"),
    CUT("[nul"),
    CUT("[t"),
    CUT("tru"),
    CUT("f"),
    CUT("[fals"),
    /* numbers */
    YES("[123]"),
    YES("[-1]"),
    YES("[-0]"),
    YES("[0]"),
    YES("[0e+1]"),
    YES("[0e1]"),
    YES("[ 4]"),
    YES("[-0.000000000000000000000000000000000000000000000000000000000001]"),
    YES("[20e1]"),
    YES("[123e65]"),
    YES("[1E22]"),
    YES("[1E-2]"),
    YES("[1E+2]"),
    YES("[123e45]"),
    YES("[123.456e78]"),
    YES("[1e-2]"),
    YES("[1e+2]"),
    YES("[123.456789]"),
    YES("[1e99999]"),
    YES("[-1e+9999]"),
    YES("[1.5e-9999]"),
    YES("[9223372036854775808]"),
    YES("[100000000000000000000]"),
    NO("[++1234]"),
    NO("[+1]"),
    NO("[+Inf]"),
    NO("[-01]"),
    NO("[-1.0.]"),
    NO("[-2.]"),
    NO("[-NaN]"),
    NO("[.-1]"),
    NO("[.2e-3]"),
    NO("[0.1.2]"),
    NO("[0.3e+]"),
    NO("[0.3e]"),
    NO("[0.e1]"),
    NO("[0E+]"),
    NO("[0E]"),
    NO("[0e]"),
    NO("[0e+]"),
    NO("[1.0e+]"),
    NO("[1.0e-]"),
    NO("[1.0e]"),
    NO("[1 000.0]"),
    NO("[1eE2]"),
    NO("[2.e+3]"),
    NO("[2.e3]"),
    NO("[9.e+]"),
    NO("[1+2]"),
    NO("[0x1]"),
    NO("[0x42]"),
    NO("[-123foo]"),
    NO("[-foo]"),
    NO("[- 1]"),
    NO("[-012]"),
    NO("[-.123]"),
    NO("[-1x]"),
    NO("[1ea]"),
    NO("[1e1\0]"),
    NO("[.123]"),
    NO("[1.]"),
    NO("[1.2a-3]"),
    NO("[1.8011670033376514H-308]"),
    NO("[012]"),
    NO("[1e1.5]"),
    NO("[00]"),
    NO("01"),
    NO("[-]"),
    NO("[--1]"),
    NO("[1_000]"),
    CUT("-"),
    CUT("1."),
    CUT("1e"),
    CUT("1e+"),
    CUT("[-"),
    CUT("[0.1e"),
    CUT("[12"),
    /* strings */
    YES("[\"\\u0060\\u012a\\u12AB\"]"),
    YES("[\"\\uD801\\udc37\"]"),
    YES("[\"\\ud83d\\ude39\"]"),
    YES("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]"),
    YES("[\"\\\\u0000\"]"),
    YES("[\"\\\"\"]"),
    YES("[\"a/*b*/c/*d//e\"]"),
    YES("[\"\\\\a\"]"),
    YES("[\"\\\\n\"]"),
    YES("[\"\\u0012\"]"),
    YES("[\"\\uFFFF\"]"),
    YES("[\"asd \"]"),
    YES("[\"\\uDBFF\\uDFFF\"]"),
    YES("[\" \"]"),
    YES("[\"\xf4\x8f\xbf\xbf\"]"),
    YES("[\"\xef\xbf\xbf\"]"),
    YES("[\"\xe2\x80\xa8\"]"),
    YES("[\"\xe2\x80\xa9\"]"),
    YES("[\"\xcf\x80\"]"),
    YES("[\"\x7f\"]"),
    YES("[\"\xc2\x80\"]"),
    YES("[\"\xf0\x9b\xbf\xbf\"]"),
    YES("[\"\\u200B\\u2064\"]"),
    YES("{\"\\u0061\":1}"),
    YES("[\"\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\"]"),
    NO("[\"\\x00\"]"),
    NO("[\"\\a\"]"),
    NO("[\"\\v\"]"),
    NO("[\"\\'\"]"),
    NO("[\"\\0\"]"),
    NO("[\"\\u00A\"]"),
    NO("[\"\\uqqqq\"]"),
    NO("[\"\\u 123\"]"),
    NO("[\"\\U0061\"]"),
    NO("[\"\\u\"]"),
    NO("[\"\\ud800\\u1\"]"),
    NO("[\"\\ud800\\x\"]"),
    NO("[\"\\\xc3\xa9\"]"),
    NO("[\"a\0a\"]"),
    NO("[\"new\nline\"]"),
    NO("[\"\t\"]"),
    NO("[\"\x1f\"]"),
    NO("[\"\\\t\"]"),
    NO("['single']"),
    NO("[\\n]"),
    NO("[\"\\\\\\\"\\x\"]"),
    NO("[\xc3\xa9]"),
    NO("[\"\" a]"),
    NO("[\xe2\x81\xa0]"),
    NO("\\u000A\"\""),
    NO("[\"\\ud800\\u12\"]"),
    ODD("json.string.lone-surrogate", "[\"\\uDADA\"]"),
    ODD("json.string.lone-surrogate", "[\"\\ud800\"]"),
    ODD("json.string.lone-surrogate", "[\"\\uDd1ea\"]"),
    ODD("json.string.lone-surrogate", "[\"\\uD888\\u1234\"]"),
    ODD("json.string.lone-surrogate", "[\"\\uD800\\n\"]"),
    ODD("json.string.lone-surrogate", "[\"\\uDFAA\"]"),
    ODD("json.string.lone-surrogate", "[\"\\ud800abc\"]"),
    ODD("json.string.lone-surrogate", "[\"\\uDd1e\\uD834\"]"),
    ODD("json.string.lone-surrogate", "[\"\\uD800\\uD800\\udc00\"]"),
    ODD("json.string.lone-surrogate", "{\"\\uDFAA\":0}"),
    ODD("json.string.nul", "[\"\\u0000\"]"),
    ODD("json.string.nul", "{\"a\\u0000b\":1}"),
    ODD("json.key.duplicate", "{\"a\":\"b\",\"a\":\"c\"}"),
    ODD("json.key.duplicate", "{\"a\":1,\"b\":2,\"\\u0061\":1}"),
    YES("{\"a\":{\"a\":1},\"b\":{\"a\":1}}"),
    YES("[{\"a\":1},{\"a\":1}]"),
    YES("{\"a\":1,\"A\":2,\"a \":3}"),
    /* bytes */
    ODD("json.encoding.bom", "\xef\xbb\xbf{}"),
    BYTES("\xef\xbb\xbf\xff{}"),
    NO("\xef\xbb\xbf\xef\xbb\xbf{}"),
    BYTES("\xef\xbb{}"),
    BYTES("\xff"),
    BYTES("[\xff]"),
    CUT("\xef\xbb\xbf"),
    BYTES("\xe5"),
    BYTES("[\xe5"),
    BYTES("\xff\xfe[\0]\0"),
    BYTES("\xfe\xff\0[\0]"),
    BYTES("\xff\xfe"),
    BYTES("[\0\"\0a\0\"\0"),
    BYTES("\0[\0\"\0a"),
    BYTES("[\"\xff\"]"),
    BYTES("[\"\xe6\x97\xa5\xd1\x88\xfa\"]"),
    BYTES("[\"\x81\"]"),
    BYTES("[\"\xe9\"]"),
    BYTES("[\"\xc0\xaf\"]"),
    BYTES("[\"\xed\xa0\x80\"]"),
    BYTES("[\"\xf4\xbf\xbf\xbf\"]"),
    BYTES("[\"\xfc\x83\xbf\xbf\xbf\xbf\"]"),
    BYTES("[\"\xfc\x80\x80\x80\x80\x80\"]"),
    BYTES("[\"\xe0\xff\"]"),
    BYTES("[\"\xe0\x9f\xbf\"]"),
    BYTES("[\"\xf0\x8f\xbf\xbf\"]"),
    BYTES("[\"\xf5\x80\x80\x80\"]"),
    BYTES("{\"\xb9\":\"0\"}"),
    BYTES("[\"\\u0041\xff\"]"),
    BYTES("[1\xe5]"),
    BYTES("[\"\xc3\"]"),
    BYTES("{\"a\":\xf0\x9f}"),
    CUT("[\"\xe6\x97"),
    CUT("[\"\xf0\x9f\x98"),
    BYTES("[\"\xff"
          "abc"),
};

static const char *rule_of_notices(const struct trace *trace) {
    static const char *const rules[] = {
        [ICE_JSON_BOM] = "json.encoding.bom",
        [ICE_JSON_LONE_SURROGATE] = "json.string.lone-surrogate",
        [ICE_JSON_NUL] = "json.string.nul",
        [ICE_JSON_DUPLICATE_KEY] = "json.key.duplicate",
        [ICE_JSON_TRAILING_DATA] = "json.trailing-data",
    };
    for (size_t i = 0; i < ICE_COUNT_OF(rules); i++) {
        if (trace->notices & 1u << i)
            return rules[i];
    }
    return NULL;
}

static void every_case_has_its_verdict(void **state) {
    (void)state;
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_run run;
        ice_run_init(&run, NULL);
        struct trace trace;
        trace_all_ways(&trace, &run, cases[i].text);
        const char *rule = trace.status < 0 ? trace.err.rule : rule_of_notices(&trace);
        const char *expected = cases[i].rule;
        const bool same =
            rule == expected || (rule && expected && strcmp(rule, expected) == 0);
        if (!same)
            print_error("case %zu '%.*s': %s, expected %s\n%.*s", i,
                        ICE_STR_FMT(cases[i].text), rule ? rule : "accepted",
                        expected ? expected : "accepted",
                        ICE_STR_FMT(ice_buf_str(&trace.text)));
        assert_true(same);
        trace_release(&trace);
        assert_int_equal(run.alloc.used, 0);
    }
}

/* Every accepted text cut anywhere before its end is truncated, never clean and never
 * crashes. */
static void cut_texts_are_never_clean(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_str text = cases[i].text;
        if (cases[i].rule != NULL || (text.data[0] != '[' && text.data[0] != '{'))
            continue;
        while (text.size > 0 && text.data[text.size - 1] == ' ')
            text.size--;
        for (size_t size = 0; size < text.size; size++) {
            struct trace trace;
            trace_memory(&trace, &run, ice_str_first(text, size));
            assert_int_equal(trace.status, ICE_EFORMAT);
            assert_string_equal(trace.err.rule, "json.truncated");
            assert_int_equal(trace.err.offset, size);
            trace_release(&trace);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_has_its_verdict),
        cmocka_unit_test(cut_texts_are_never_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
