/*
 * Scripts, notebooks and SQL beside the settings of their session.
 */
#include "lint_cases.h"

/* clang-format off */

#define SETTINGS "spark.sql.catalog.lake org.apache.iceberg.spark.SparkCatalog\nspark.sql.catalog.lake.type glue\n"
#define SESSION "spark.sql.catalog.spark_catalog org.apache.iceberg.spark.SparkSessionCatalog\nspark.sql.catalog.spark_catalog.type hive\n"
#define REST "spark.sql.catalog.lake org.apache.iceberg.spark.SparkCatalog\nspark.sql.catalog.lake.type rest\nspark.sql.defaultCatalog lake\n"
#define SQL(settings, text) {{"x.conf", settings}, {"q.sql", text}}
#define PY(settings, text) {{"x.conf", settings}, {"q.py", text}}

static const struct lint_case names[] = {
    {.about = "a catalog that nobody knows", "conf.sql.catalog*", SQL(SETTINGS, "SELECT 1 FROM lakes.a.b"), "conf.sql.catalog-unknown q.sql lakes.a.b"},
    {.about = "... known to the caller", "conf.sql.catalog*", SQL(SETTINGS, "SELECT 1 FROM lakes.a.b"), "", .known = "lakes=federated"},
    {.about = "... another is known", "conf.sql.catalog*", SQL(SETTINGS, "SELECT 1 FROM lakes.a.b"), "conf.sql.catalog-unknown q.sql lakes.a.b", .known = "lake2"},
    {.about = "two parts name no catalog", "conf.sql.catalog*", SQL(SETTINGS, "SELECT 1 FROM lakes.a"), ""},
    {.about = "a template decides", "conf.sql.catalog*", SQL(SETTINGS, "SELECT 1 FROM ${c}.a.b"), "", "conf.sql.* for some names"},
    {.about = "metadata tables, branches, tags and times", "conf.sql.catalog*",
     SQL(SETTINGS, "FROM a.b.files JOIN a.b.branch_x JOIN a.b.tag_y JOIN a.b.snapshot_id_1 JOIN a.b.at_timestamp_1"), ""},
    {.about = "... a procedure of that name", "conf.sql.catalog*", SQL(SETTINGS, "CALL lakes.system.files()"), "conf.sql.catalog-unknown q.sql lakes.system"},
    {.about = "a namespace, and USE", "conf.sql.catalog*", SQL(SETTINGS, "SHOW TABLES IN a.b.c; USE a.b.c"), ""},
    {.about = "behind USE nothing is known", "conf.sql.catalog*", SQL(SETTINGS, "USE lake; SELECT 1 FROM a.b.c"), "", "conf.sql.* for some names"},
    {.about = "namespaces of REST may nest", "conf.sql.catalog*", SQL(REST, "SELECT 1 FROM a.b.c"), "", "conf.sql.* for some names"},
    {.about = "a default that is a metastore, or is not there", "conf.sql.catalog*",
     SQL("spark.sql.catalog.m org.apache.iceberg.spark.SparkCatalog\nspark.sql.catalog.m.type hive\nspark.sql.defaultCatalog m\n", "FROM a.b.c"), "conf.sql.catalog-unknown q.sql a.b.c"},
    {.about = "no settings, no catalogs to know", "conf.sql.catalog*", {{"q.sql", "SELECT 1 FROM a.b.c"}}, ""},
    {.about = "a script that configures it", "conf.sql.catalog*",
     PY(SETTINGS, "spark.conf.set('spark.sql.catalog.a.type', 'x')\nspark.conf.set('spark.sql.catalog.a.uri', 'x')\nspark.sql('FROM a.b.c')"), ""},
    {.about = "... under a name that it makes", "conf.sql.catalog*",
     PY(SETTINGS, "spark.conf.set(f'spark.sql.catalog.{c}.type', 'x')\nspark.sql('FROM a.b.c')"), ""},
    {.about = "... others by builder and pairs", "conf.sql.catalog*",
     PY(SETTINGS, "B.config('spark.sql.catalog.a', 'x')\nC().setAll([('spark.sql.catalog.b', 'x'), (k, 'v')])\nspark.sql('FROM c.d.e')\nspark.sql('FROM a.b.c JOIN b.c.d')"),
     "conf.sql.catalog-unknown q.py c.d.e"},
    {.about = "a default that is not set, said once", "conf.catalog.default*", SQL(SETTINGS, "FROM a.b JOIN c.d"), "conf.catalog.default-unset q.sql a.b"},
    {.about = "... the session's own is Iceberg's", "conf.catalog.default*", SQL(SESSION, "FROM a.b"), ""},
    {.about = "... of the session by name, one part, a namespace", "conf.catalog.default*", SQL(SETTINGS, "FROM spark_catalog.b JOIN a; SHOW TABLES IN x.y; REFRESH TABLE u.v"), ""},
    {.about = "... a catalog of somebody else", "conf.catalog.default*", SQL("spark.sql.catalog.d x.Y\n", "FROM a.b"), ""},
    {.about = "... what ran had one", "conf.catalog.default*",
     {{"x.conf", "spark.sql.catalog.lake org.apache.iceberg.spark.SparkCatalog\n"}, {"env.json", J({"sparkProperties": [["spark.sql.catalog.lake", "org.apache.iceberg.spark.SparkCatalog"], ["spark.sql.defaultCatalog", "lake"]]})}, {"q.sql", "FROM a.b"}}, ""},
    {.about = "hyphens: one part, a template, two parts", "conf.sql.hyphen*", SQL(SETTINGS, "FROM a-b JOIN ${x}-y.z JOIN c-d.e"), "conf.sql.hyphen-unquoted q.sql c-d.e"},
    {.about = "refresh: of the session's, of another, of one that is none", "conf.sql.refresh*",
     SQL(SESSION, "REFRESH TABLE a.b; REFRESH TABLE lake.a.b; REFRESH TABLE ${x}"), "conf.sql.refresh-session-catalog q.sql a.b"},
};

static const struct lint_case created[] = {
    {.about = "where nothing of Iceberg is configured", "conf.sql.*", SQL("spark.sql.catalog.d x.Y\n", "CREATE TABLE d.a.b (x INT) LOCATION 's3://b/'"), ""},
    {.about = "... in the session's catalog", "conf.sql.*", SQL("spark.sql.catalog.d x.Y\n", "CREATE TABLE a.b (x INT) LOCATION 's3://b/'"), "conf.sql.using-missing q.sql a.b"},
    {.about = "no settings at all", "conf.sql.*", {{"q.sql", "CREATE TABLE a.b (x INT)"}}, ""},
    {.about = "a catalog of Iceberg that is the session's", "conf.sql.*", SQL(SESSION, "CREATE TABLE spark_catalog.a.b (x INT)"), "conf.sql.using-missing q.sql spark_catalog.a.b"},
    {.about = "both, in a cell of a notebook", "conf.sql.*",
     {{"x.conf", SETTINGS}, {"n.ipynb", J({"cells": [{"cell_type": "code", "source": "%%sql\nCREATE TABLE lake.a.b (x INT) LOCATION 's3://b/'"}], "nbformat": 4})}},
     "conf.sql.using-missing n.ipynb lake.a.b\nconf.sql.location-clause n.ipynb LOCATION"},
    {.about = "a format is said", "conf.sql.*", SQL(SETTINGS, "CREATE TABLE lake.a.b (x INT) USING iceberg"), ""},
    {.about = "a view that reads a table", "conf.sql.*", SQL(SETTINGS, "CREATE VIEW lake.a.v AS TABLE lake.a.b"), ""},
    {.about = "a name that is filled in", "conf.sql.*", SQL(SETTINGS, "CREATE TABLE ${c}.a.b (x INT) LOCATION 'x'"), ""},
};

static const struct lint_case calls[] = {
    {.about = "a setting behind the use; another in front", "conf.sql.late*",
     PY(SETTINGS, "spark.conf.set('spark.sql.catalog.a.type', 'x')\nspark.sql('FROM lake.a.b JOIN c')\nspark.conf.set('spark.sql.catalog.lake.uri', 'x')\nspark.conf.set('spark.sql.catalog.o.uri', 'x')\nspark.conf.set('x', 'y')\nspark.conf.set(k, 'y')"),
     "conf.sql.late-catalog-set q.py spark.sql.catalog.lake.uri"},
    {.about = "jars, set too late", "conf.jar.set*", PY(SETTINGS, "spark.conf.set('spark.jars.packages', 'x')\nB.config('spark.jars', 'x')"), "conf.jar.set-too-late q.py spark.jars.packages"},
    {.about = "tables of calls: not whole, not text, of others", "conf.sql.*",
     PY(SETTINGS, "spark.table(x)\nspark.table()\nspark.table('a b')\nrich.table('x')\nd.writeTo('lakes.a.b')\nd.writeTo(f'{x}.a.b')\nspark.table('lakes.a.b')"), "conf.sql.catalog-unknown q.py lakes.a.b"},
    {.about = "lists in place of text", "conf.sql.*", PY(SETTINGS, "spark.sql(['FROM x.y.z'])\nspark.table(['lakes.a.b'])"), ""},
    {.about = "a stream over a cache", "conf.sql.stream*", PY(SETTINGS, "spark.table('lake.a.b')\nspark.readStream.load()"), "conf.sql.streaming-no-refresh q.py readStream"},
    {.about = "... refreshed by a call", "conf.sql.stream*", PY(SETTINGS, "spark.table('lake.a.b')\nspark.readStream.load()\nspark.catalog.refreshTable('lake.a.b')"), ""},
    {.about = "... or by SQL of a name that is made up", "conf.sql.stream*", PY(SETTINGS, "spark.table('lake.a.b')\nspark.readStream.load()\nspark.sql(f'REFRESH TABLE {t}')"), ""},
    {.about = "... no cache", "conf.sql.stream*", PY("spark.sql.catalog.lake org.apache.iceberg.spark.SparkCatalog\nspark.sql.catalog.lake.cache-enabled false\n", "spark.table('lake.a.b')\nspark.readStream.load()"), ""},
    {.about = "... one that never ends", "conf.sql.stream*", PY("spark.sql.catalog.lake org.apache.iceberg.spark.SparkCatalog\nspark.sql.catalog.lake.cache.expiration-interval-ms -1\n", "spark.table('lake.a.b')\nspark.readStream.load()"), "conf.sql.streaming-no-refresh q.py readStream"},
    {.about = "... of somebody else", "conf.sql.stream*", PY("spark.sql.catalog.lake x.Y\n", "spark.table('lake.a.b')\nspark.readStream.load()"), ""},
};

static const struct lint_case built[] = {
    {.about = "a session that a script builds", "conf.catalog.*",
     {{"q.py", "S.builder.config('spark.sql.catalog.lake', 'org.apache.iceberg.spark.SparkCatalog').config('spark.sql.catalog.lake.type', t).config('x', 'y').config('spark.alone').config(k, 'v').config(key='spark.k')\nspark.sql('spark.x')"}}, ""},
    {.about = "... by pairs", "conf.catalog.*",
     {{"q.py", "C().setAll([('spark.sql.catalog.lake.type', 'hive'), ('a', 'b')])\n"}}, "conf.catalog.not-defined q.py spark.sql.catalog.lake.type"},
    {.about = "... half of it elsewhere", "conf.catalog.*",
     {{"q.py", "C().setAll([('spark.sql.catalog.lake.type', 'hive')])\nspark.conf.set('spark.sql.catalog.lake.uri', 'x')\n"}}, ""},
    {.about = "... other settings at run time change nothing", "conf.catalog.*",
     {{"q.py", "C().setAll([('spark.sql.catalog.lake.type', 'hive')])\nspark.conf.set('spark.sql.x', 'x')\n"}}, "conf.catalog.not-defined q.py spark.sql.catalog.lake.type"},
    {.about = "... under a name that it makes", "conf.catalog.*",
     {{"q.py", "C().setAll([(f'spark.sql.catalog.{c}.type', 'hive')])\n"}}, ""},
    {.about = "... of Glue: configured by its job", "conf.catalog.*",
     {{"q.py", "import awsglue\nC().setAll([('spark.sql.catalog.lake.type', 'hive')])\n"}}, ""},
    {.about = "... beside a cluster", "conf.catalog.*",
     {{"c.json", J({"spark_version": "15.4.x-scala2.12", "spark_conf": {}})}, {"q.py", "C().setAll([('spark.sql.catalog.lake.type', 'hive')])\n"}}, ""},
};

#define NOTEBOOK(...) {{"n.ipynb", J({"cells": [__VA_ARGS__], "nbformat": 4})}}
#define CODE(...) {"cell_type": "code", "source": __VA_ARGS__}

static const struct lint_case cells[] = {
    {.about = "pip in a shell cell, line by line", "conf.jar.pip*",
     {{"q.py", "# Databricks notebook source\nx = 1\n\n# COMMAND ----------\n# MAGIC %sh\n# MAGIC ls\n# MAGIC\n# MAGIC pip3 install 'x.jar'\n# MAGIC pip install iceberg-spark-runtime-3.5_2.12\n# MAGIC echo a.jar"}},
     "conf.jar.pip-install q.py pip3 install\nconf.jar.pip-install q.py pip install iceberg"},
    {.about = "... a magic of a Python cell", "conf.jar.pip*",
     NOTEBOOK(CODE(["%pip install org.apache.iceberg:iceberg-aws-bundle:1.9.1\n", 7, "!ls\n", ""])), "conf.jar.pip-install n.ipynb %pip install"},
    {.about = "... packages of Python, and quotes", "conf.jar.pip*", NOTEBOOK(CODE("%pip install \"pyiceberg[glue]\" 'x' \t y")), ""},
    {.about = "cells of other languages, and none", "conf.jar.*",
     NOTEBOOK({"cell_type": "markdown", "source": "pip install a.jar"}, {"cell_type": "code"}, CODE([]), CODE([7]), CODE(""), CODE("%md pip install a.jar"), CODE("  %%bash"), 7), ""},
    {.about = "a notebook without cells", "conf.jar.*", {{"n.ipynb", J({"cells": {}, "nbformat": 4})}}, ""},
    {.about = "SQL cells: places behind escapes, in order and not", "conf.sql.hyphen*",
     {{"x.conf", SETTINGS}, {"n.ipynb", J({"cells": [{"cell_type": "code", "source": ["%%sql\n", "SELECT '\u00e9\"' FROM a-b.c JOIN d-e.f\n", "JOIN g-h.i"]}, {"cell_type": "code", "source": "%sql"}], "nbformat": 4})}},
     "conf.sql.hyphen-unquoted n.ipynb a-b.c\nconf.sql.hyphen-unquoted n.ipynb d-e.f\nconf.sql.hyphen-unquoted n.ipynb g-h.i"},
    {.about = "a title alone, and a border at the end", "conf.jar.*", {{"q.py", "# Databricks notebook source\n# COMMAND ----------"}}, ""},
    {.about = "a cell of marks only", "conf.jar.*", {{"q.py", "# Databricks notebook source\n# MAGIC"}}, ""},
};

/* clang-format on */

static void names_of_tables(void **state) {
    (void)state;
    lint_all(names, ICE_COUNT_OF(names));
    lint_all(created, ICE_COUNT_OF(created));
}

static void calls_in_their_order(void **state) {
    (void)state;
    lint_all(calls, ICE_COUNT_OF(calls));
    lint_all(built, ICE_COUNT_OF(built));
}

static void cells_of_notebooks(void **state) {
    (void)state;
    lint_all(cells, ICE_COUNT_OF(cells));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_tables),
        cmocka_unit_test(calls_in_their_order),
        cmocka_unit_test(cells_of_notebooks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
