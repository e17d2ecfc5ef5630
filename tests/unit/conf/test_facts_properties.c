/*
 * What is read of a properties file, against what Java 17 reads of the same bytes (all
 * rows were given to java.util.Properties), behind Spark's trimming of values.
 */
#include "conf/setup.h"

#include "support/cmocka_all.h"

enum { MOST = 256 };

static const struct {
    const char *text, *pairs; /* "key>value|" for each */
} rows[] = {
    {"a=\\u0067lue", "a>glue|"},
    {"a=\\t\\n\\r\\fz", "a>\n\r\fz|"}, /* Spark trims the tabulator */
    {"a=z\\t\\n\\r\\f", "a>z\t\n\r|"},
    {"a=\\b\\q\\\"", "a>bq\"|"},
    {"a=\\u005cu0041", "a>\\u0041|"},
    {"a=\\U0041", "a>U0041|"},
    {"a=\\u00e9\\u20ac", "a>\xc3\xa9\xe2\x82\xac|"},
    {"a=\\u00E9\xc3\xa9", "a>\xc3\xa9\xc3\xa9|"},
    {"a=\\ud83d\\ude00", "a>\xf0\x9f\x98\x80|"},
    {"a=\\ud83d\\\n  \\ude00", "a>\xf0\x9f\x98\x80|"},
    /* half a pair: Java keeps it, and no byte of UTF-8 can */
    {"a=\\ud83d", "a>\xef\xbf\xbd|"},
    {"a=x\\ude00y", "a>x\xef\xbf\xbdy|"},
    {"a=\\ud83dx", "a>\xef\xbf\xbdx|"},
    {"a=\\ud83d\\n.", "a>\xef\xbf\xbd\n.|"},
    {"a=\\ud83d\\ud83d\\ude00", "a>\xef\xbf\xbd\xf0\x9f\x98\x80|"},
    {"a\\ud83d=\\ude00", "a\xef\xbf\xbd>\xef\xbf\xbd|"},
    {"a=\\udbff\\udfff\\uffff", "a>\xf4\x8f\xbf\xbf\xef\xbf\xbf|"},
    /* lines */
    {"a=x\\", "a>x|"},
    {"a=x\\\n  y", "a>xy|"},
    {"a=x\\\r  y", "a>xy|"},
    {"a=x\\\r\n\t\f y", "a>xy|"},
    {"a=1\rb=2\r\n\rc=3\n", "a>1|b>2|c>3|"},
    {"a=x\\\n\n#c\nb=1", "a>x|b>1|"},
    {"a=x\\\n#c\nb=1", "a>x#c|b>1|"},
    {"#c\\\nb=1", "b>1|"},
    {"  ! c\rb=1", "b>1|"},
    {"a=x\\\\\nb=1", "a>x\\|b>1|"},
    {"a=x\\\\\\\nb=1", "a>x\\b=1|"},
    {"a=x  \\\n \\\n  y", "a>x  y|"},
    {"\\\nb=1", "b>1|"},
    {"a=x\n  \\\n b=1", "a>x|b>1|"},
    {"a=\\u00\\\n  41", "a>A|"},
    {"\xef\xbb\xbf"
     "a=1",
     "a>1|"},
    /* keys and separators */
    {"k\\u003dv=w", "k=v>w|"},
    {"k\\tv w", "k\tv>w|"},
    {"\\ a=b", " a>b|"},
    {"a\\ = b", "a >b|"},
    {"a\fb", "a>b|"},
    {"a\\\n=b", "a>b|"},
    {"a \\\n = b", "a>b|"},
    {"a==b", "a>=b|"},
    {"a : = b", "a>= b|"},
    {"a = \\u0020x\\u0000\\ ", "a>x|"},
    {"\\u0061=1", "a>1|"},
    {"a", "a>|"},
    {"=b", ">b|"},
    {"", ""},
    {"\\", ">|"},
};

static void append(char *out, size_t *at, struct ice_str text, char behind) {
    assert_true(text.size < MOST - *at - 1);
    if (text.size > 0)
        memcpy(out + *at, text.data, text.size);
    *at += text.size;
    out[(*at)++] = behind;
}

static void read_as_java(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ice_run run;
        struct ice_arena arena;
        struct ice_conf_input input = {.bytes = ice_str_from(rows[i].text)};
        char found[MOST] = "";
        size_t n = 0;
        ice_run_init(&run, NULL);
        ice_arena_init(&arena, &run.alloc);
        struct ice_conf conf = {.run = &run, .arena = &arena};
        assert_int_equal(ice_conf_facts_properties(&conf, &input), ICE_OK);
        const struct ice_conf_session *session = conf.declared;
        for (size_t k = 0; k < session->n_pairs; k++) {
            append(found, &n, session->pairs[k].key, '>');
            append(found, &n, session->pairs[k].value, '|');
        }
        if (!ice_str_is(ice_str_make(found, n), rows[i].pairs))
            fail_msg("%s: gives %s", rows[i].text, found);
        ice_conf_release(&conf);
        ice_arena_release(&arena);
    }
}

/* A NUL is a character as any other. */
static void embedded_nul(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_arena arena;
    struct ice_conf_input input = {.bytes = ICE_STR("a=x\\u0000y\nb=1\0002")};
    ice_run_init(&run, NULL);
    ice_arena_init(&arena, &run.alloc);
    struct ice_conf conf = {.run = &run, .arena = &arena};
    assert_int_equal(ice_conf_facts_properties(&conf, &input), ICE_OK);
    const struct ice_conf_session *session = conf.declared;
    assert_int_equal(session->n_pairs, 2);
    assert_true(ice_str_equal(session->pairs[0].value, ice_str_make("x\0y", 3)));
    assert_true(ice_str_equal(session->pairs[1].value, ice_str_make("1\0002", 3)));
    ice_conf_release(&conf);
    ice_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_as_java),
        cmocka_unit_test(embedded_nul),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
