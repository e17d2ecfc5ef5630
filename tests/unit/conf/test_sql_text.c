/*
 * Names in SQL: which are seen, which are not meant, and what hides one.
 */
#include "conf/sql_text.h"

#include "support/cmocka_all.h"

#include <stdio.h>

/* All names as "role parts;", a bare hyphen as !, a hole as ?, creations as +. */
static void spell(const char *sql, char *out, size_t size) {
    static const char roles[] = "TNPRU";
    struct ice_sql_reader r;
    struct ice_sql_event e;
    size_t n = 0;
    ice_sql_reader_init(&r, ice_str_from(sql));
    out[0] = '\0';
    for (ice_sql_next(&r, &e); e.kind != ICE_SQL_DONE; ice_sql_next(&r, &e)) {
        assert_true(e.name.offset + e.name.size <= strlen(sql));
        if (e.kind == ICE_SQL_CREATES)
            n += (size_t)snprintf(out + n, size - n, "+%s%s", e.says_format ? "f" : "",
                                  e.has_location ? "l" : "");
        else
            n += (size_t)snprintf(out + n, size - n, "%c", roles[e.name.role]);
        for (size_t i = 0; i < e.name.n_parts && i < ICE_SQL_PARTS; i++)
            n += (size_t)snprintf(out + n, size - n, " %.*s",
                                  ICE_STR_FMT(e.name.parts[i]));
        n += (size_t)snprintf(out + n, size - n, "%s%s;",
                              e.name.has_bare_hyphen ? "!" : "",
                              e.name.has_hole ? "?" : "");
    }
}

static void assert_names(const char *sql, const char *expected) {
    char out[512];
    spell(sql, out, sizeof(out));
    if (strcmp(out, expected) != 0)
        fail_msg("%s\n gives %s\n not   %s", sql, out, expected);
}

static void seen(void **state) {
    (void)state;
    assert_names("SELECT * FROM a.b.c x JOIN `d-e`.f ON x.g = f.h", "T a b c;T d-e f;");
    assert_names("insert into a.b values (1); MERGE INTO c.d t USING e.f s ON t.x=s.x",
                 "T a b;T c d;T e f;");
    assert_names("UPDATE a.b SET c = d.e-f; DELETE FROM g", "T a b;T g;");
    assert_names("USE CATALOG glue; SHOW TABLES IN my-cat.db; REFRESH TABLE a.b.c",
                 "U glue;N my-cat db!;R a b c;");
    assert_names("CALL cat.system.expire_snapshots(table => 'db.t')",
                 "P cat system expire_snapshots;");
    assert_names("FROM /* x.y */ a.b -- c.d\n JOIN /*+ BROADCAST(q) */ e.f",
                 "T a b;T e f;");
    assert_names("DROP TABLE IF EXISTS a.b.c; ALTER TABLE x.y ADD COLUMN z INT",
                 "T a b c;T x y;");
    assert_names("FROM\v a.b\f/* a * b / */ JOIN\rc.d", "T a b;T c d;");
    assert_names("SHOW TABLES FROM a.b; SHOW COLUMNS IN t.u FROM v", "N a b;N t u;N v;");
    assert_names("INSERT OVERWRITE TABLE a.b SELECT 1; REPLACE TABLE c.d USING iceberg",
                 "T a b;T c d;+f c d;");
    assert_names("DESC a.b; DESCRIBE EXTENDED c.d; SHOW CREATE TABLE e.f",
                 "T a b;T c d;T e f;");
    assert_names("FROM a . b JOIN c-d.e - f JOIN 1a.2", "T a;T c-d e!;T 1a 2;");
    assert_names("FROM a.b.c.d.e.f", "T a b c d;"); /* all that is kept */
    assert_names("FROM `a\\`.b, `c``d`.e", "T a\\ b;");
    assert_names("SELECT 'it\\'s FROM x', 'a''b FROM y' FROM z", "T z;");
}

static void not_meant(void **state) {
    (void)state;
    assert_names("SELECT EXTRACT(DAY FROM a.x-b.y), trim(BOTH 'x' FROM c.d-e) FROM t",
                 "T t;");
    assert_names("SELECT a IS DISTINCT FROM b.c-d.e, x IN (b.c-d) FROM t", "T t;");
    assert_names("SELECT 'FROM a.b.c', \"JOIN d-e.f\", r'\\' FROM t", "T t;");
    assert_names("SELECT 1 FROM range(10) LATERAL VIEW explode(x) y AS z", "");
    assert_names("SELECT 1 FROM (SELECT 2 FROM u) JOIN (a)", "T u;");
    assert_names("MERGE INTO t USING s ON a.b WHEN MATCHED THEN UPDATE SET x = 1",
                 "T t;T s;");
    assert_names("SELECT table FROM a.b", "T a b;");
    assert_names("from pyspark.sql.functions import *", "");
    assert_names("MERGE INTO t USING (SELECT * FROM a JOIN b USING (c)) s ON x",
                 "T t;T a;T b;");
    assert_names("SELECT x FROM t WHERE y IN (SELECT 1) AND (VIEW a)", "T t;");
    assert_names("WITH v AS (SELECT table FROM t) SELECT view FROM v", "T t;T v;");
    assert_names("SHOW x (IN a.b)", "");
    assert_names("SELECT 1 FROM (TABLE x)", "");
    assert_names("SELECT update, describe.x FROM t", "T t;");
    assert_names("SELECT 1 FROM WHERE x; INSERT INTO SELECT 1", "");
    assert_names("SHOW x (FROM a.b)", "T a b;");
    assert_names("SELECT table.x FROM a -b, c- d", "T a;");
    assert_names("WITH x AS (SELECT 1) TABLE y; SELECT 1 VIEW z; WITH a AS (b) VIEW c",
                 "");
    assert_names("CREATE TABLE a AS VIEW b; CREATE TABLE c USING x AS TABLE d",
                 "T a;+ a;T c;+f c;");
    assert_names("SELECT 1 LATERAL VIEW a.b; DROP VIEW c.d (VIEW e)", "T c d;");
    assert_names("SELECT R'x', r\"FROM y\", rx, \xc3\xa9, _a FROM t -- end", "T t;");
    assert_names("FROM $x", "T $x?;");
}

static void created(void **state) {
    (void)state;
    assert_names("CREATE TABLE IF NOT EXISTS a.b.c (location STRING) USING iceberg",
                 "T a b c;+f a b c;");
    assert_names("CREATE TABLE a.b (x INT) LOCATION 's3://b/p'", "T a b;+l a b;");
    assert_names("CREATE OR REPLACE TABLE a.b AS SELECT location FROM c.d",
                 "T a b;T c d;+ a b;");
    assert_names("CREATE TABLE a.b STORED AS PARQUET LOCATION 'x'", "T a b;+fl a b;");
    assert_names("CREATE TABLE a.b (x INT) TBLPROPERTIES ('table_type'='ICEBERG')",
                 "T a b;+f a b;");
    assert_names("CREATE TABLE a.b (x INT) ${rest}", "T a b;+f a b;");
    assert_names("CREATE VIEW a.b AS SELECT 1 FROM c", "T a b;T c;");
    assert_names("CREATE VIEW a.b AS WITH x AS (SELECT 1) TABLE y", "T a b;T y;");
    assert_names("CREATE TEMPORARY TABLE a.b (x INT); CREATE TEMP VIEW c AS TABLE d",
                 "T a b;T c;T d;");
    assert_names("CREATE TABLE a.b CLONE c.d; CREATE TABLE e ROW FORMAT DELIMITED",
                 "T a b;+f a b;T e;+f e;");
    assert_names("CREATE TABLE a WITH (x = 1); CREATE TABLE b COMMENT 'c'",
                 "T a;+f a;T b;+ b;");
    assert_names("CREATE TABLE a.b", "T a b;+ a b;");
    assert_names("CREATE TABLE (x)", "");
    assert_names("CREATE TABLE a.b(x INT); CREATE TABLE c LIKE d",
                 "T a b;+ a b;T c;+f c;");
}

static void holes(void **state) {
    (void)state;
    assert_names("SELECT * FROM ${cat}.db.t JOIN {{ ref('x') }} JOIN {a}_b.c",
                 "T ${cat} db t?;T {{ ref('x') }}?;T {a}_b c?;");
    assert_names("SELECT * FROM :t JOIN %(name)s.a JOIN $x.y",
                 "T :t?;T %(name)s a?;T $x y?;");
    assert_names("SELECT a::int, b:c.d FROM t", "T t;");
    assert_names("FROM {% if x %}a.b JOIN {# c #}d.e JOIN %s.f JOIN ?.g JOIN x%d",
                 "T {% if x %}a b?;T {# c #}d e?;T %s f?;T ? g?;T x%d?;");
    assert_names("SELECT a %d, b % c, 5 %size, x $, y : z FROM %d JOIN %(n).x",
                 "T %d?;T %(n) x?;");
    assert_names("FROM `%s`.a JOIN `a$b`.c", "T %s a?;T a$b c?;");
    assert_names("FROM `{{ a|b }}`.`c`.d JOIN `${e}`.f", "T {{ a|b }} c d?;T ${e} f?;");
    struct ice_sql_reader r;
    struct ice_sql_event e;
    ice_sql_reader_init(&r, ICE_STR("SELECT 1 FROM ${a}.b JOIN IDENTIFIER(:x) JOIN c"));
    do {
        ice_sql_next(&r, &e);
    } while (e.kind != ICE_SQL_DONE);
    assert_int_equal(r.n_skipped, 2);
}

/* Below the deepest parenthesis nothing is a name, and that is counted. */
static void deep(void **state) {
    (void)state;
    char sql[256] = "SELECT 1 ";
    memset(sql + 9, '(', 70);
    (void)snprintf(
        sql + 79, sizeof(sql) - 79, "FROM a.b JOIN c.d %s JOIN e.f",
        "))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))");
    assert_names(sql, "T e f;");
    struct ice_sql_reader r;
    struct ice_sql_event e;
    ice_sql_reader_init(&r, ice_str_from(sql));
    do {
        ice_sql_next(&r, &e);
    } while (e.kind != ICE_SQL_DONE);
    assert_int_equal(r.n_skipped, 1);
}

/* Whatever is left open ends with the text. */
static void open_ends(void **state) {
    (void)state;
    static const char *const texts[] = {
        "FROM `a",   "FROM 'a",      "FROM a.",    "FROM a.`", "/* /* */",
        "FROM {{ a", "FROM ${",      "%(",         "FROM a-",  "r'",
        "FROM",      "CREATE TABLE", "\\",         "'\\",      ":",
        "FROM .a",   "((((",         "))) FROM a", "USE"};
    char out[512];
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        spell(texts[i], out, sizeof(out));
    assert_names("FROM `a", "T a;");
    assert_names("))) FROM a.b", "T a b;");
}

static void whole(void **state) {
    (void)state;
    struct ice_sql_name name;
    assert_true(ice_sql_whole_name(ICE_STR("a.b-c.`d e`"), &name));
    assert_int_equal(name.n_parts, 3);
    assert_true(name.has_bare_hyphen);
    assert_false(ice_sql_whole_name(ICE_STR("a.b c"), &name));
    assert_false(ice_sql_whole_name(ICE_STR("/a/b"), &name));
    assert_false(ice_sql_whole_name(ICE_STR(""), &name));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seen),  cmocka_unit_test(not_meant), cmocka_unit_test(created),
        cmocka_unit_test(holes), cmocka_unit_test(open_ends), cmocka_unit_test(whole),
        cmocka_unit_test(deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
