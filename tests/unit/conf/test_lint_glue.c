/*
 * Glue jobs: the one --conf string, what a shell leaves in it, versions, names, and what
 * the script beside a job sets.
 */
#include "lint_cases.h"

/* clang-format off */

#define COMMAND "Command": {"Name": "glueetl", "ScriptLocation": "s3://b/x.py"}
#define CATALOG "spark.sql.catalog.lake=org.apache.iceberg.spark.SparkCatalog --conf spark.sql.catalog.lake.type=glue"
#define JOB(...) J_EXPANDED({"GlueVersion": "5.0", COMMAND, "DefaultArguments": {"--datalake-formats": "iceberg", __VA_ARGS__}})
#define CONF(text) {{"job.json", JOB("--conf": text)}}

static const struct lint_case separators[] = {
    {.about = "a flag in front, behind blanks", "conf.glue.conf-*", CONF("  --conf spark.a=b"),
     "conf.glue.conf-leading-flag job.json --conf spark.a"},
    {.about = "... with an equals sign", "conf.glue.conf-*", CONF("--conf=spark.a=b"),
     "conf.glue.conf-leading-flag job.json --conf="},
    {.about = "another word", "conf.glue.conf-*", CONF("--configuration"), ""},
    {.about = "the flag alone", "conf.glue.conf-*", CONF("--conf"), ""},
    {.about = "only blanks", "conf.glue.conf-*", CONF("   "), ""},
    {.about = "no text", "conf.glue.conf-*", CONF(7), ""},
    {.about = "a flag that is part of a value is none", "conf.glue.conf-*",
     CONF("spark.a=x--conf spark.b --confs=c"), ""},
    {.about = "a piece without a value, and a last one", "conf.glue.conf-*",
     CONF("spark.a --conf spark.b="), ""},
    {.about = "a comma between settings", "conf.glue.conf-*", CONF("spark.a=b,spark.c=d"),
     "conf.glue.conf-separator job.json spark.c=d"},
    {.about = "a semicolon", "conf.glue.conf-*", CONF("spark.a=b;spark.c=d"),
     "conf.glue.conf-separator job.json spark.c=d"},
    {.about = "a blank, and escapes in front", "conf.glue.conf-*", CONF("spark.a=\u0062\\x spark.c=d"),
     "conf.glue.conf-separator job.json spark.c=d"},
    {.about = "names of settings in a list have no value", "conf.glue.conf-*", CONF("spark.a=x,spark.b spark.d"), ""},
    {.about = "part of a word", "conf.glue.conf-*", CONF("spark.a=xspark.b=c"), ""},
};

static const struct lint_case residue[] = {
    {.about = "quotes around all", "conf.glue.conf-shell*", CONF("\"spark.a=b"), "conf.glue.conf-shell-residue job.json \\\"spark.a"},
    {.about = "... around a value", "conf.glue.conf-shell*", CONF("spark.a='b"), "conf.glue.conf-shell-residue job.json 'b"},
    {.about = "... behind it", "conf.glue.conf-shell*", CONF("spark.a=b' --conf spark.c=d"), "conf.glue.conf-shell-residue job.json ' --conf"},
    {.about = "inside of a value", "conf.glue.conf-shell*", CONF("spark.a=b'c"), ""},
    {.about = "an escaped quote", "conf.glue.conf-shell*", CONF("spark.a=b\\\"c"), "conf.glue.conf-shell-residue job.json \\\\\\\"c"},
    {.about = "... single", "conf.glue.conf-shell*", CONF("spark.a=b\\'c"), "conf.glue.conf-shell-residue job.json \\\\'c"},
    {.about = "an escaped blank", "conf.glue.conf-shell*", CONF("spark.a=b\\ c"), "conf.glue.conf-shell-residue job.json \\\\ c"},
    {.about = "an escaped dollar", "conf.glue.conf-shell*", CONF("spark.a=b\\$c"), "conf.glue.conf-shell-residue job.json \\\\$c"},
    {.about = "a backslash of a pattern", "conf.glue.conf-shell*", CONF("spark.a=b\\d"), ""},
    {.about = "a variable", "conf.glue.conf-shell*", CONF("spark.a=$WH"), "conf.glue.conf-shell-residue job.json $WH"},
    {.about = "... in braces", "conf.glue.conf-shell*", CONF("spark.a=${wh}"), "conf.glue.conf-shell-residue job.json ${wh}"},
    {.about = "... that begins with a bar", "conf.glue.conf-shell*", CONF("spark.a=$_w"), "conf.glue.conf-shell-residue job.json $_w"},
    {.about = "a command", "conf.glue.conf-shell*", CONF("spark.a=$(w)"), "conf.glue.conf-shell-residue job.json $(w)"},
    {.about = "a dollar of a pattern", "conf.glue.conf-shell*", CONF("spark.a=x$ --conf spark.b=$1"), ""},
    {.about = "options of the JVM", "conf.glue.conf-shell*", CONF("spark.driver.extraJavaOptions='-Dx=$Y'"), ""},
};

#define VERSION(version, conf) {{"job.json", J_EXPANDED({"GlueVersion": version, COMMAND, "DefaultArguments": {"--datalake-formats": "iceberg", "--conf": conf}})}}

static const struct lint_case jobs[] = {
    {.about = "a version that a template fills in", "conf.glue.*", VERSION("${GlueVersion}", CATALOG), ""},
    {.about = "... of another kind", "conf.glue.*", VERSION("{{ version }}", CATALOG), ""},
    {.about = "no number", "conf.glue.*", VERSION("latest", CATALOG), "conf.glue.version job.json latest"},
    {.about = "before data lake formats", "conf.glue.*", VERSION("2.0", CATALOG), "conf.glue.version job.json 2.0"},
    {.about = "old, and no table bucket", "conf.glue.*", VERSION("4.0", CATALOG), ""},
    {.about = "no Iceberg: not looked at", "conf.glue.*", VERSION("1.0", "spark.sql.catalog.o=x.Y"), ""},
    {.about = "table buckets of another job", "conf.glue.version",
     {{"job.json", J_EXPANDED([7, {"GlueVersion": "4.0", "Command": {}, "DefaultArguments": {"--conf": CATALOG}}, {"GlueVersion": "5.0", "Command": {}, "DefaultArguments": {"--conf": CATALOG}}])},
      {"b.json", J_EXPANDED({"Jobs": [7, {"GlueVersion": "5.0", "Command": {}, "DefaultArguments": {"--conf": "spark.sql.catalog.lake=org.apache.iceberg.spark.SparkCatalog --conf spark.sql.catalog.lake.type=glue --conf spark.sql.catalog.lake.glue.id=123456789012:s3tablescatalog/b"}}]})}},
     ""},
    {.about = "a script of no place, another command", "conf.glue.command",
     {{"job.json", J_EXPANDED({"Command": {"Name": "pythonshell", "PythonVersion": "2.7", "ScriptLocation": ""}, "DefaultArguments": {"--conf": CATALOG}})}},
     "conf.glue.command job.json pythonshell\nconf.glue.command job.json 2.7\nconf.glue.command job.json \""},
    {.about = "no command, or half of one", "conf.glue.command",
     {{"job.json", J_EXPANDED({"Command": {}, "DefaultArguments": {"--conf": CATALOG}})}, {"b.json", J_EXPANDED({"Job": {"DefaultArguments": {"--conf": CATALOG}}})}}, ""},
    {.about = "formats that a template fills in", "conf.glue.*",
     {{"job.json", JOB("--datalake-formats": "${formats}", "--conf": CATALOG)}}, ""},
    {.about = "two of Iceberg: a module", "conf.glue.two*",
     {{"job.json", JOB("--extra-jars": "s3://b/iceberg-core-1.9.1.jar")}}, "conf.glue.two-icebergs job.json s3://b/iceberg-core"},
    {.about = "... an own build", "conf.glue.two*",
     {{"job.json", JOB("--extra-jars": "s3://b/a.jar,s3://b/my-iceberg-fat.jar")}}, "conf.glue.two-icebergs job.json s3://b/my-ice"},
    {.about = "... only a folder of that name", "conf.glue.two*",
     {{"job.json", JOB("--extra-jars": "s3://iceberg/tools.jar,s3://iceberg/")}}, ""},
    {.about = "... not named as jars are", "conf.glue.two*", {{"job.json", JOB("--extra-jars": 7)}}, ""},
    {.about = "arguments that no run overrides win", "conf.glue.*",
     {{"job.json", J_EXPANDED({"GlueVersion": "5.0", COMMAND, "DefaultArguments": {"--datalake-formats": "hudi"}, "NonOverridableArguments": {"--datalake-formats": "iceberg", "--conf": CATALOG}})}}, ""},
    {.about = "a name of a catalog, given and unknown", "conf.glue.catalog*",
     {{"job.json", JOB("--catalog_name": "lakes", "--CATALOG_NAME": "lake", "--conf": CATALOG)}},
     "conf.glue.catalog-name job.json lakes"},
    {.about = "... or open", "conf.glue.catalog*",
     {{"job.json", JOB("--catalog-name": "$name", "--catalog_name": "", "--conf": CATALOG)}}, ""},
    {.about = "... in a job that did not run", "conf.glue.catalog*",
     {{"job.json", JOB("--catalog-name": "lakes", "--conf": CATALOG)}, {"env.json", J_EXPANDED({"sparkProperties": [["spark.sql.catalog.lake", "org.apache.iceberg.spark.SparkCatalog"]]})}}, ""},
};

static const struct lint_case placeholders[] = {
    {.about = "a name to fill in", "conf.glue.placeholder", {{"job.json", JOB("--x": "a<BUCKET_1-b c>")}}, "conf.glue.placeholder job.json <BUCKET"},
    {.about = "a named group of a pattern", "conf.glue.placeholder", {{"job.json", JOB("--x": "(?<name>x)")}}, ""},
    {.about = "at the very begin", "conf.glue.placeholder", {{"job.json", JOB("--x": "<name>")}}, "conf.glue.placeholder job.json <name>"},
    {.about = "not closed, empty, a number, a comparison", "conf.glue.placeholder",
     {{"job.json", JOB("--a": "<name", "--b": "<>", "--c": "<1>", "--d": "a < b > c", "--e": "<a.b>", "--f": 7, "--g": "<\u0000a>", "--h": "<a\u0000>")}}, ""},
};

#define GLUE_ID(text) {{"x.conf", "spark.sql.catalog.lake org.apache.iceberg.spark.SparkCatalog\nspark.sql.catalog.lake.type glue\nspark.sql.catalog.lake.glue.id " text "\n"}}

static const struct lint_case ids[] = {
    {.about = "an account", "conf.glue.glue-id*", GLUE_ID("123456789012"), ""},
    {.about = "too short", "conf.glue.glue-id*", GLUE_ID("12345678901"), "conf.glue.glue-id-shape x.conf 12345678901"},
    {.about = "nothing behind the colon", "conf.glue.glue-id*", GLUE_ID("123456789012:"), "conf.glue.glue-id-shape x.conf 123456789012:"},
    {.about = "another federated catalog", "conf.glue.glue-id*", GLUE_ID("123456789012:redshift/x"), ""},
    {.about = "a bucket, bare", "conf.glue.glue-id*", GLUE_ID("123456789012:s3tablescatalog"), "conf.glue.glue-id-shape x.conf 123456789012:s3"},
    {.about = "... a slash and no name", "conf.glue.glue-id*", GLUE_ID("123456789012:s3tablescatalog/"), "conf.glue.glue-id-shape x.conf 123456789012:s3"},
    {.about = "... another byte in place of the slash", "conf.glue.glue-id*", GLUE_ID("123456789012:s3tablescatalog.x"), "conf.glue.glue-id-shape x.conf 123456789012:s3"},
    {.about = "a place to fill in, and a variable", "conf.glue.glue-id*", GLUE_ID("<account>\nspark.sql.catalog.b.glue.id $ID"), ""},
    {.about = "the bucket of the warehouse", "conf.glue.glue-id*",
     GLUE_ID("123456789012:s3tablescatalog/b\nspark.sql.catalog.lake.warehouse arn:aws:s3tables:eu-west-1:123456789012:bucket/b"), ""},
    {.about = "another bucket", "conf.glue.glue-id*",
     GLUE_ID("123456789012:s3tablescatalog/b\nspark.sql.catalog.lake.warehouse arn:aws:s3tables:eu-west-1:123456789012:bucket/c"),
     "conf.glue.glue-id-shape x.conf 123456789012:s3tablescatalog/b"},
    {.about = "another account", "conf.glue.glue-id*",
     GLUE_ID("123456789012:s3tablescatalog/b\nspark.sql.catalog.lake.warehouse arn:aws:s3tables:eu-west-1:210987654321:bucket/b"),
     "conf.glue.glue-id-shape x.conf 123456789012:s3tablescatalog/b"},
    {.about = "a warehouse that is no table bucket", "conf.glue.glue-id*",
     GLUE_ID("123456789012:s3tablescatalog/b\nspark.sql.catalog.lake.warehouse arn:aws:s3:::lake"), ""},
};

#define SCRIPT(text) {{"job.json", JOB("--conf": CATALOG, "--known": "x")}, {"load.py", text}}

static const struct lint_case scripts[] = {
    {.about = "a static setting, and others", "conf.glue.*",
     SCRIPT("spark.conf.set('spark.sql.catalog.lake.uri', x)\nspark.conf.set(key, 'a')\nspark.conf.set('spark.sql.shuffle.partitions', 9)\nspark.conf.set('spark.sql.extensions', 'x')\n"),
     "conf.glue.static-in-script load.py spark.sql.catalog.lake.uri\nconf.glue.static-in-script load.py spark.sql.ext"},
    {.about = "... where other settings and jobs are given", "conf.glue.static*",
     {{"x.conf", "spark.a b\n"}, {"job.json", J({"GlueVersion": "latest", "Command": {}, "DefaultArguments": {}})}, {"load.py", "spark.conf.set('spark.sql.catalog.lake.uri', x)\n"}},
     "conf.glue.static-in-script load.py spark.sql.catalog.lake.uri"},
    {.about = "... on a version of which catalogs may change", "conf.glue.static*",
     {{"job.json", J({"GlueVersion": "4.0", "Command": {}, "DefaultArguments": {}})}, {"load.py", "spark.conf.set('spark.sql.catalog.lake.uri', x)\n"}},
     "conf.glue.static-in-script load.py spark.sql.catalog.lake.uri"},
    {.about = "a builder, and pairs", "conf.glue.*",
     SCRIPT("SparkSession.builder.config('spark.sql.catalog.lake.uri', 'x')\nSparkConf().setAll([('spark.sql.catalog.lake.type', 'glue')])\nspark.sql('spark.sql.catalog.lake')\n"),
     "conf.glue.builder-in-script load.py spark.sql.catalog.lake.uri\nconf.glue.builder-in-script load.py spark.sql.catalog.lake.type"},
    {.about = "arguments that no job has", "conf.glue.*",
     SCRIPT("args = getResolvedOptions(sys.argv, ['JOB_NAME', 'known', 'gone', name, f'{x}', ''])\n"),
     "conf.glue.argument-unset load.py gone"},
    {.about = "... with no job to look into", "conf.glue.*",
     {{"load.py", "from awsglue.utils import x\nargs = getResolvedOptions(sys.argv, ['gone'])\n"}}, ""},
    {.about = "... that other files have", "conf.glue.argument*",
     {{"x.conf", "spark.a b\n"}, {"job.json", JOB("--there": "x")}, {"load.py", "getResolvedOptions(sys.argv, ['there', 'a_name_that_is_longer_than_any_argument_of_a_job_may_be_a_name_that_is_longer_than_any_argument_of_a_job_may_be_a_name_that_is_longer_than_any_argument_of_a_job'])\n"}}, ""},
    {.about = "a job that is begun and not ended; the first one is named", "conf.glue.*",
     SCRIPT("job = Job(g)\njob2 = Job(g)\njob.init('a', args)\n"), "conf.glue.job-lifecycle load.py Job(g)"},
    {.about = "... ended and not begun", "conf.glue.*",
     SCRIPT("job = Job(g)\njob.commit()\n"), "conf.glue.job-lifecycle load.py Job(g)"},
    {.about = "... neither", "conf.glue.*", SCRIPT("job = Job(g)\n"), "conf.glue.job-lifecycle load.py Job(g)"},
    {.about = "... both, twice", "conf.glue.*",
     SCRIPT("job = Job(g)\njob.init('a', args)\njob.commit()\njob.init('b', args)\njob.commit()\n"), ""},
    {.about = "a notebook of Databricks beside a Glue job is none of Glue", "conf.glue.*",
     {{"job.json", JOB("--conf": CATALOG)}, {"x.ipynb", J_EXPANDED({"cells": [{"cell_type": "code", "source": "job = Job(g)"}], "nbformat": 4})}}, ""},
};

/* clang-format on */

static void the_conf_string(void **state) {
    (void)state;
    lint_all(separators, ICE_COUNT_OF(separators));
    lint_all(residue, ICE_COUNT_OF(residue));
}

static void the_job(void **state) {
    (void)state;
    lint_all(jobs, ICE_COUNT_OF(jobs));
    lint_all(placeholders, ICE_COUNT_OF(placeholders));
    lint_all(ids, ICE_COUNT_OF(ids));
}

static void the_script(void **state) {
    (void)state;
    lint_all(scripts, ICE_COUNT_OF(scripts));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_conf_string),
        cmocka_unit_test(the_job),
        cmocka_unit_test(the_script),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
