/*
 * What a Python script hands to Spark, with the places of it.
 */
#include "conf/py_script.h"

#include "support/cmocka_all.h"
#include "support/failing_run.h"
#include "support/one_run.h"

#include <stdio.h>

static struct ice_arena arena;
static struct ice_py_script script;

static void read_script(const char *python) {
    ice_arena_release(&arena);
    ice_arena_init(&arena, &run.alloc);
    assert_int_equal(ice_py_script_read(&script, ice_str_from(python), &arena), ICE_OK);
}

static int stop(void **state) {
    ice_arena_release(&arena);
    return tear_down(state);
}

/* Calls as "role(arg,arg);": texts as they are, names in <>, items of lists in []. */
static void assert_calls(const char *python, const char *expected) {
    static const char roles[] = "-SBAPQOJICTWR";
    char out[512] = "";
    size_t n = 0;
    read_script(python);
    for (const struct ice_py_call *c = script.first; c != NULL; c = c->next) {
        n += (size_t)snprintf(out + n, sizeof(out) - n, "%c(", roles[c->role]);
        for (const struct ice_py_arg *a = c->first; a != NULL; a = a->next) {
            const struct ice_str text = a->is_text ? a->text.text : a->variable;
            n += (size_t)snprintf(out + n, sizeof(out) - n, "%.*s%s%s%.*s%s",
                                  ICE_STR_FMT(a->keyword), a->keyword.size > 0 ? "=" : "",
                                  a->is_item   ? "["
                                  : a->is_text ? ""
                                               : "<",
                                  ICE_STR_FMT(text),
                                  a->is_item   ? "]"
                                  : a->is_text ? ""
                                               : ">");
            n += (size_t)snprintf(out + n, sizeof(out) - n, "%s", a->next ? "," : "");
        }
        n += (size_t)snprintf(out + n, sizeof(out) - n, ");");
    }
    if (strcmp(out, expected) != 0)
        fail_msg("%s\n gives %s\n not   %s", python, out, expected);
}

static void calls(void **state) {
    (void)state;
    assert_calls("spark.conf.set(\"a\", 'b')", "S(a,b);");
    assert_calls("self.spark.conf.set('a', x)\nconf.set('c','d')", "S(a,<x>);B(c,d);");
    assert_calls("SparkSession.builder.config('a','b')\\\n .config(key='c', value='d')",
                 "B(a,b);B(key=c,value=d);");
    assert_calls("SparkConf().setAll([('a','b'),('c',d)]).set('e','f')",
                 "A();P(a,b);P(c,<d>);B(e,f);");
    assert_calls("getResolvedOptions(sys.argv, ['JOB_NAME', 'x'])",
                 "O(<sys.argv>,[JOB_NAME],[x]);");
    assert_calls(
        "job = Job(GlueContext(sc))\njob.init(args['JOB_NAME'], args)\njob.commit()",
        "J();I(<args>);C();");
    assert_calls("session.conf.set('a','b'); Spark_Session.conf.set('c','d')\n"
                 "SparkSession.conf.set('e','f'); my.conf.set('g','h')",
                 "S(a,b);S(c,d);S(e,f);B(g,h);");
    assert_calls("x().conf.set('a','b')", "B(a,b);");
    assert_calls("f(\n!x, %y)\nsql('a')", "Q(a);");
    assert_calls("sql(x()=='a', y().z='b', (c='d'))", "Q(${}a,${}b,c=d);");
    assert_calls("x = 1; x = y = 'a'; == 'b'", "");
    assert_calls(
        "setAll([('a','b'), 'c', ['d']]); setAll(x, [('e','f')]); setAll({'g':'h'})",
        "A([c]);P(a,b);A(<x>);P(e,f);A();");
    assert_calls("sql(x('a'), ['b'], {'c': 'd'}, (e))", "Q([b],<e>);");
    assert_calls("x.sql(query='a', b=['c'], d)", "Q(query=a,b=[c],<d>);");
    assert_calls("sql(a == 'b', c != 'd')", "Q(${}b,${}d);");
    assert_calls("# spark.sql('x')\ns = 'spark.sql(\"y\")'", "");
}

static void texts(void **state) {
    (void)state;
    assert_calls("spark.sql('a' \"b\" + c + r'\\n' + '\\x41\\u00e9\\q')",
                 "Q(ab${}\\nA\xc3\xa9\\q);");
    assert_calls("spark.sql(f\"x {y['a']:>{w}} {{z}}\")", "Q(x ${} {z});");
    assert_calls("spark.sql(f'''a\n'b' ''')", "Q(a\n'b' );");
    assert_calls("spark.sql('a'.format(x))", "Q(a${});");
    assert_calls("spark.sql('a' % x)", "Q(a${});");
    assert_calls("spark.sql(f(x) + 'a')", "Q(${}a);");
    assert_calls("spark.sql((\n'a'\n'b'))", "Q(ab);");
    assert_calls("spark.sql(b'a')", "Q();");
    assert_calls("sql(R'\\n' U'a' F'{x}' Rb'y' T'{z}')", "Q(\\na${}${}${});");
    assert_calls("sql(BR'a' + rt'{b}c')", "Q(${}${}c);");
    assert_calls("sql('a\\\nb' 'c\\U0001f600\\uD800\\U00110000\\x4')",
                 "Q(abc\xf0\x9f\x98\x80\\uD800\\U00110000\\x4);");
    assert_calls("sql('a\\xg1\\uDFFF\\u00e')", "Q(a\\xg1\\uDFFF\\u00e);");
    assert_calls("sql("
                 "'''a''b'c''' '' \"\"\"d\"e\"\"\")",
                 "Q(a''b'cd\"e);");
    assert_calls("sql('open\n'a')", "Q(opena);");
    assert_calls("sql(f'a{b', f'}}c}')", "Q(a${},}c});");
    assert_calls("sql(\\\r\n 'a' \\\n \t\f\r 'b')", "Q(ab);");
    assert_calls("sql(\xc3\xa9_1, 'x')", "Q(<\xc3\xa9_1>,x);");
}

static void variables(void **state) {
    (void)state;
    assert_calls("q = 'a'\nspark.sql(q)\nq = 'b'\nspark.sql(q)", "Q(a);Q(b);");
    assert_calls("q = 'a'\nq += 'b'\nspark.sql(q)", "Q(${}b);");
    assert_calls("q = 'a'\nq = f(x)\nspark.sql(q)", "Q(${});");
    assert_calls("if q == 'a': pass\nspark.sql(q)", "Q(<q>);");
    assert_calls("p = 'a'; q = 'b'; sql(q); sql(p); x = f(1; 2)\nsql(x)",
                 "Q(b);Q(a);Q(<x>);");
    assert_calls("q = 'a'\nq =\nsql(q)", "Q();");
    assert_calls("q = 'a'\nf(q='b')\nq[0] = 'c'\nsql(q)", "Q(a);");
    assert_calls("q = r = 'a'\nsql(q)", "Q(${}a);");
    assert_calls("q = 'a'\nq = 7\nsql(q, 'b')", "Q(${},b);");
}

static void places(void **state) {
    (void)state;
    const char *python = "spark.sql('a\\nbc' + x + '''d\ne''')";
    read_script(python);
    const struct ice_py_text *t = &script.first->first->text;
    assert_true(ice_str_is(t->text, "a\nbc${}d\ne"));
    for (size_t i = 0; i < t->text.size; i++) {
        const size_t offset = ice_py_text_offset(t, i);
        if (i != 1 && !(i >= 4 && i < 7))
            assert_int_equal(python[offset], t->text.data[i]);
    }
    assert_int_equal(ice_py_text_offset(t, 1), 12);
    read_script("spark.sql('')");
    assert_int_equal(ice_py_text_offset(&script.first->first->text, 0), 0);
}

static void lines(void **state) {
    (void)state;
    read_script("%pip install x\n!ls\nx = (1\n% 2)\nfrom awsglue.job import Job\n"
                "spark.readStream.load()");
    assert_true(ice_str_is(script.magics->text, "%pip install x"));
    assert_true(ice_str_is(script.magics->next->text, "!ls"));
    assert_null(script.magics->next->next);
    assert_true(script.is_glue);
    assert_int_not_equal(script.stream_offset, SIZE_MAX);
}

/* Calls below the deepest bracket are not looked at, and do no harm. */
static void deep_calls(void **state) {
    (void)state;
    static char python[1024];
    size_t n = 0;
    for (int i = 0; i < 70; i++)
        n += (size_t)snprintf(python + n, sizeof(python) - n, "f(");
    n += (size_t)snprintf(python + n, sizeof(python) - n,
                          "spark.sql('a', b.c, d='x', e == 1, [2]).g; h)");
    for (int i = 0; i < 69; i++)
        n += (size_t)snprintf(python + n, sizeof(python) - n, ")");
    (void)snprintf(python + n, sizeof(python) - n, "\nspark.sql('b')");
    assert_calls(python, "Q();Q(b);");
}

/* Only the last assignments are remembered. */
static void long_scripts(void **state) {
    (void)state;
    static char python[16384];
    size_t n = 0;
    for (int i = 0; i < 300; i++)
        n += (size_t)snprintf(python + n, sizeof(python) - n, "v%d = 'text %d'\n", i, i);
    (void)snprintf(python + n, sizeof(python) - n, "sql(v299); sql(v44); sql(v43)");
    assert_calls(python, "Q(text 299);Q(text 44);Q(<v43>);");
}

static void hostile(void **state) {
    (void)state;
    static char deep[4096];
    memset(deep, '(', sizeof(deep) - 1);
    read_script(deep);
    memset(deep, ')', 2048);
    read_script(deep);
    static const char *const all[] = {
        "'",   "'''", "f'{", "\\",     "a.sql(",    "a.sql('x", ".",    "'\\x",
        "'\\", "a=",  "=",   "sql(a=", "setAll([(", "sql('\\",  "sql(r"};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        read_script(all[i]);
}

static void no_memory(void **state) {
    (void)state;
    const struct ice_str python =
        ICE_STR("%pip install x\nq = 'a'\nspark.sql(q + f'{b}')\nx.setAll([('a', c)])");
    for (uint64_t k = 1;; k++) {
        struct failing failing = {.fail_at = k};
        struct ice_run poor;
        struct ice_arena own;
        failing_run_init(&poor, &failing);
        ice_arena_init(&own, &poor.alloc);
        const enum ice_status status = ice_py_script_read(&script, python, &own);
        ice_arena_release(&own);
        assert_int_equal(failing.used, 0);
        if (status == ICE_OK)
            break;
        assert_int_equal(status, ICE_ENOMEM);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(calls, set_up, stop),
        cmocka_unit_test_setup_teardown(texts, set_up, stop),
        cmocka_unit_test_setup_teardown(variables, set_up, stop),
        cmocka_unit_test_setup_teardown(places, set_up, stop),
        cmocka_unit_test_setup_teardown(lines, set_up, stop),
        cmocka_unit_test_setup_teardown(hostile, set_up, stop),
        cmocka_unit_test_setup_teardown(deep_calls, set_up, stop),
        cmocka_unit_test_setup_teardown(long_scripts, set_up, stop),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
