/*
 * Commands that start Spark: where one begins and ends, and what several share.
 */
#include "lint_cases.h"

/* clang-format off */

#define LAKE "--conf spark.sql.catalog.lake=org.apache.iceberg.spark.SparkCatalog "
#define TYPE(name) "--conf spark.sql.catalog.lake.type=" name " "
#define RUNTIME(version) "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:" version
#define DEFINED "spark.sql.catalog.lake org.apache.iceberg.spark.SparkCatalog\n"
#define TWO(between) {{"run.sh", "spark-submit " LAKE TYPE("rest") "a.py" between "spark-submit " LAKE TYPE("hive") "b.py\n"}}
#define ONE_OF_TWO "conf.catalog.key-duplicate run.sh spark.sql.catalog.lake.type=rest"

static const struct lint_case ends[] = {
    {.about = "a line ends a command", "conf.catalog.*", TWO("\n"), ""},
    {.about = "... with a carriage return", "conf.catalog.*", TWO(" \r\n"), ""},
    {.about = "... behind a comment", "conf.catalog.*", TWO(" # don't\n"), ""},
    {.about = "a semicolon", "conf.catalog.*", TWO("; "), ""},
    {.about = "... by itself", "conf.catalog.*", TWO(" ; "), ""},
    {.about = "and", "conf.catalog.*", TWO(" && "), ""},
    {.about = "... the path of a program", "conf.catalog.*", TWO(" || exec \"$SPARK_HOME\"/bin/"), ""},
    {.about = "a joined line does not", "conf.catalog.*", TWO(" \\\n "), ONE_OF_TWO},
    {.about = "a name among the words of a command is a value", "conf.catalog.*", TWO(" "), ONE_OF_TWO},
    {.about = "a mark in quotes does not", "conf.catalog.*", TWO(" 'a;b' \"c&d\" \\\n"), ONE_OF_TWO},
    {.about = "a line that begins with an option goes on", "conf.catalog.*",
     {{"job.yaml", "run: >\n  spark-submit\n  " LAKE "\n  " TYPE("rest") "\n  " TYPE("hive") "\n"}},
     "conf.catalog.key-duplicate job.yaml spark.sql.catalog.lake.type=rest"},
    {.about = "another key of the text does not", "conf.catalog.*",
     {{"job.yaml", "- one: spark-submit\n  " LAKE TYPE("rest") "\n- two: spark-submit\n  " LAKE TYPE("hive") "\n"}}, ""},
    {.about = "a value in the next line", "conf.catalog.*",
     {{"job.yaml", "run: spark-submit --conf\n spark.sql.catalog.lake=org.apache.iceberg.spark.SparkCatalog --conf\n spark.sql.catalog.lake.type=lost"}},
     "conf.catalog.type-unknown job.yaml lost"},
};

static const struct lint_case shared[] = {
    {.about = "what a file says holds for each command, and is told once", "conf.catalog.*",
     {{"x.conf", DEFINED "spark.sql.catalog.lake.type lost\n"}, {"run.sh", "spark-submit --conf spark.a=b a.py\nspark-submit --conf spark.a=c b.py\n"}},
     "conf.catalog.type-unknown x.conf lost"},
    {.about = "... whichever file comes first", "conf.catalog.*",
     {{"run.sh", "spark-submit " TYPE("rest") "a.py\nspark-submit " TYPE("hive") "b.py\n"}, {"x.conf", DEFINED}}, ""},
    {.about = "a command wins over the file", "conf.catalog.*",
     {{"run.sh", "spark-submit " TYPE("rest") "a.py\n"}, {"x.conf", DEFINED "spark.sql.catalog.lake.type lost\n"}}, ""},
    {.about = "... where it says so itself", "conf.catalog.*",
     {{"run.sh", "spark-submit " TYPE("rest") "a.py\nspark-submit --conf spark.a=b b.py\n"}, {"x.conf", DEFINED "spark.sql.catalog.lake.type lost\n"}},
     "conf.catalog.type-unknown x.conf lost"},
    {.about = "a script wins over its command", "conf.catalog.*",
     {{"etl.py", "SparkSession.builder.config('spark.sql.catalog.lake.type', 'lost').getOrCreate()\n"}, {"run.sh", "spark-submit " LAKE TYPE("rest") "etl.py\n"}},
     "conf.catalog.type-unknown etl.py lost"},
    {.about = "options in an array are of all commands", "conf.catalog.*",
     {{"run.sh", "ARGS=(" LAKE "\n --conf spark.b=c )\nspark-submit ${ARGS[@]} " TYPE("rest") "\nspark-submit ${ARGS[@]} " TYPE("lost") "\n"}},
     "conf.catalog.type-unknown run.sh lost"},
    {.about = "... of commands that have no other", "conf.catalog.*",
     {{"run.sh", "ARGS=( " LAKE TYPE("lost") ")\nspark-submit ${ARGS[@]} a.py\n"}}, "conf.catalog.type-unknown run.sh lost"},
    {.about = "two libraries of one command", "conf.jar.two-versions",
     {{"run.sh", "spark-submit --packages " RUNTIME("1.9.1") " a.py\nspark-submit --packages " RUNTIME("1.8.1") " --jars /x/iceberg-spark-runtime-3.5_2.12-1.9.1.jar b.py\n"}},
     "conf.jar.two-versions run.sh org.apache.iceberg:iceberg-spark"},
    {.about = "status of a library, told once", "conf.jar.*",
     {{"status.json", J({"library_statuses": [{"library": {"maven": {"coordinates": "org.apache.iceberg:iceberg-aws-bundle:1.9.1"}}, "status": "FAILED"}]})},
      {"run.sh", "spark-submit --conf spark.a=b a.py\nspark-submit --conf spark.a=c b.py\n"}},
     "conf.jar.not-installed status.json org.apache.iceberg"},
    {.about = "which of several commands ran is not known", "conf.catalog.not-effective",
     {{"env.json", J({"sparkProperties": [["spark.sql.catalog.lake", "x.Y"]], "classpathEntries": []})}, {"run.sh", "spark-submit " LAKE "a.py\nspark-submit " LAKE "b.py\n"}},
     "", "conf.catalog.not-effective"},
    {.about = "... of one it is", "conf.catalog.not-effective",
     {{"env.json", J({"sparkProperties": [["spark.sql.catalog.lake", "x.Y"]], "classpathEntries": []})}, {"run.sh", "echo spark-submit\nspark-submit " LAKE "a.py\npip install pyspark\n"}},
     "conf.catalog.not-effective run.sh spark.sql.catalog.lake="},
};

#define LOST TYPE("lost")
#define IS_LOST "conf.catalog.type-unknown run.sh lost"
#define SAFE TYPE("rest")
/* A script in front of a command that takes $OPTS, and what is said; NULL: it is not known. */
#define HELD(text, expect) {.about = text, "conf.catalog.*", {{"run.sh", text "\nspark-submit " LAKE "$OPTS a.py\n"}}, expect}
#define NOT_HELD(text) {.about = text, "conf.catalog.*", {{"run.sh", text "\nspark-submit " LAKE "$OPTS a.py\n"}}, "", .unchecked = "conf.*"}
#define TOLD(command, expect) {.about = command, "conf.catalog.*", {{"run.sh", command "\n"}}, expect, .unchecked = NULL}
#define NOT_TOLD(command) {.about = command, "conf.catalog.*", {{"run.sh", command "\n"}}, "", .unchecked = "conf.*"}

static const struct lint_case variables[] = {
    HELD("OPTS=\"" LOST "\"", IS_LOST),
    HELD("OPTS='" LOST "'", IS_LOST),
    HELD("export OPTS=\"--conf spark.a=b \\\n  " LOST "\"", IS_LOST),
    HELD("OPTS=\"" SAFE "\"", ""),
    HELD("OPTS=\"--conf spark.a=b\"; OPTS=\"$OPTS " LOST "\"", IS_LOST),
    HELD("OPTS=\"--conf spark.a=b\"\nOPTS+=\" " LOST "\"", IS_LOST),
    HELD("OPTS=\"" LOST "\"\nOPTS=\"" SAFE "\"", ""),
    HELD("T=lost\nOPTS=\"--conf spark.sql.catalog.lake.type=$T\"", IS_LOST),
    HELD("if true; then OPTS=\"" SAFE "\"; fi\nOPTS=\"" LOST "\"", IS_LOST),
    HELD("f() {\n  OPTS=x\n}\nOPTS=\"" LOST "\"", IS_LOST),
    NOT_HELD("if true; then\n  OPTS=\"" LOST "\"\nfi"),
    NOT_HELD("OPTS=\"" LOST "\"\nif true; then\n  OPTS=\"" SAFE "\"\nfi"),
    NOT_HELD("OPTS=\"" LOST "\"\n[ -n \"$X\" ] && OPTS=\"" SAFE "\""),
    NOT_HELD("OPTS=\"" LOST "\"\ncase $1 in\n  a) OPTS=\"" SAFE "\" ;;\nesac"),
    NOT_HELD("OPTS=\"" LOST "\"\nfor x in a b; do OPTS=\"$OPTS --conf spark.a=$x\"; done"),
    NOT_HELD("OPTS=\"" LOST "\"\nsource ./env.sh"),
    NOT_HELD("OPTS=\"" LOST "\"\nread -r OPTS"),
    NOT_HELD("OPTS=\"" LOST "\"\nunset OPTS"),
    NOT_HELD("OPTS=\"$BASE " LOST "\""),
    NOT_HELD("OPTS=${OPTS:-\"" LOST "\"}"),
    NOT_HELD("OPTS=$(cat options)"),
    NOT_HELD("f() {\n  OPTS=\"" LOST "\"\n}"),
    NOT_HELD(""),
    {.about = "a place is in the file", "conf.catalog.*", {{"run.sh", "K=spark.sql.catalog.lake; S=.t; Y=ype\nspark-submit " LAKE "--conf $K$S$Y=lost"}}, IS_LOST},
    {.about = "an array", "conf.catalog.*", {{"run.sh", "A=(" LAKE "\n # a comment\n)\nA+=(" LOST ")\nspark-submit \"${A[@]}\" a.py\n"}}, IS_LOST},
    {.about = "... of another command", "conf.catalog.*", {{"run.sh", "A=(" LAKE LOST ")\nspark-submit \"${A[@]}\" a.py\nspark-submit --conf spark.a=b b.py\n"}}, IS_LOST},
    {.about = "... that no command takes holds for all", "conf.catalog.*", {{"run.sh", "A=(" LOST ")\nspark-submit " LAKE " a.py\nrun \"${A[@]}\"\n"}}, IS_LOST},
    {.about = "... grown in a branch", "conf.catalog.*", {{"run.sh", "A=(" LAKE LOST ")\nif x; then A+=(" SAFE "); fi\nspark-submit \"${A[@]}\" a.py\n"}}, "", .unchecked = "conf.*"},
    {.about = "in a function, set there", "conf.catalog.*", {{"run.sh", "main() {\n  local A=(" LAKE LOST ")\n  spark-submit \"${A[@]}\" a.py\n}\nmain\n"}}, IS_LOST},
    {.about = "in a function, set before and never again", "conf.catalog.*", {{"run.sh", "A=(" LAKE LOST ")\nmain() {\n  spark-submit \"${A[@]}\" a.py\n}\nmain\n"}}, IS_LOST},
    {.about = "in a function, set again behind it", "conf.catalog.*", {{"run.sh", "A=(" LAKE LOST ")\nmain() {\n  spark-submit \"${A[@]}\" a.py\n}\nA=(" LAKE SAFE ")\nmain\n"}}, "", .unchecked = "conf.*"},
    TOLD("spark-submit " LAKE LOST "\"$JOB\" \"$@\"", IS_LOST),
    TOLD("spark-submit " LAKE LOST "$JOB", IS_LOST),
    TOLD("JOB=$1; spark-submit " LAKE LOST "\"$JOB\" $ARGS", IS_LOST),
    TOLD("spark-submit " LAKE LOST "--master $MASTER a.py $(date)", IS_LOST),
    NOT_TOLD("spark-submit " LAKE LOST "\"$@\""),
    NOT_TOLD("spark-submit " LAKE LOST "$OPTS $JOB"),
    NOT_TOLD("spark-submit " LAKE LOST "$(cat my options) a.py"),
    NOT_TOLD("spark-submit " LAKE LOST "`cat options` a.py"),
    NOT_TOLD("spark-submit " LAKE LOST "${OPTS:---conf spark.a=b} a.py"),
    NOT_TOLD("spark-submit " LAKE LOST "--conf \"$CONF\" a.py"),
    NOT_TOLD("spark-submit " LAKE LOST "--properties-file x.conf a.py"),
    NOT_TOLD("JOB=$1; spark-submit " LAKE LOST "$JOB $ARGS"),
    NOT_TOLD("spark-sql " LAKE LOST "$OPTS"),
    {.about = "nothing is lacking where options are not known", "conf.*", {{"run.sh", "spark-submit $OPTS " LAKE "a.py\n"}}, "", .unchecked = "conf.*"},
    {.about = "... and no catalog of a query", "conf.sql.*", {{"run.sh", "spark-submit $OPTS a.py\n"}, {"a.sql", "SELECT * FROM lake.db.t\n"}}, "", .unchecked = "conf.*"},
    {.about = "one of several commands", "conf.catalog.*", {{"run.sh", "spark-submit $OPTS " LAKE LOST "a.py\nspark-submit " LAKE LOST "b.py\n"}}, IS_LOST, .unchecked = "settings of one of several commands"},
    {.about = "what arrived is known", "conf.catalog.not-effective",
     {{"env.json", J({"sparkProperties": [["spark.sql.catalog.lake", "x.Y"]], "classpathEntries": []})}, {"run.sh", "spark-submit $OPTS " LAKE "a.py\n"}},
     "conf.catalog.not-effective run.sh spark.sql.catalog.lake="},
};

/* clang-format on */

static void where_commands_end(void **state) {
    (void)state;
    lint_all(ends, ICE_COUNT_OF(ends));
}

static void what_they_share(void **state) {
    (void)state;
    lint_all(shared, ICE_COUNT_OF(shared));
}

static void what_variables_hold(void **state) {
    (void)state;
    lint_all(variables, ICE_COUNT_OF(variables));
}

/* Each doubles the one before: an end is put to it, and nothing is held to be known. */
static void variables_that_grow(void **state) {
    (void)state;
    static char text[16384];
    int size = snprintf(text, sizeof(text), "A0='" LOST "'\n");
    for (int i = 1; i < 60; i++)
        size += snprintf(text + size, sizeof(text) - (size_t)size, "A%d=\"$A%d$A%d\"\n",
                         i, i - 1, i - 1);
    (void)snprintf(text + size, sizeof(text) - (size_t)size,
                   "spark-submit " LAKE "$A59 a.py\n");
    const struct lint_case c = {"variables that grow",
                                "conf.catalog.*",
                                {{"run.sh", text}},
                                "",
                                .unchecked = "conf.*"};
    lint_all(&c, 1);
}

/* Commands, the file that they share, and whether all of them were looked at. */
static void too_many(void **state) {
    (void)state;
    static const struct {
        int commands, settings;
        bool is_whole;
    } rows[] = {{200, 0, true}, {201, 0, false}, {100, 200, true}, {101, 200, false}};
    for (size_t i = 0; i < ICE_COUNT_OF(rows); i++) {
        char directory[] = "/tmp/icefsck-lint-XXXXXX";
        const char *const paths[] = {"run.sh", "x.conf"};
        const struct ice_conf_request request = {.paths = paths, .n_paths = 2};
        struct ice_summary *summary = NULL;
        assert_non_null(mkdtemp(directory));
        assert_int_equal(chdir(directory), 0);
        FILE *run = fopen(paths[0], "wbe"), *conf = fopen(paths[1], "wbe");
        assert_non_null(run);
        assert_non_null(conf);
        for (int k = 0; k < rows[i].commands; k++)
            fprintf(run, "spark-submit --conf spark.a=%d\n", k);
        fprintf(conf, "%s", rows[i].settings == 0 ? "spark." : "");
        for (int k = 0; k < rows[i].settings; k++)
            fprintf(conf, "spark.x%d y\n", k);
        assert_int_equal(fclose(run), 0);
        assert_int_equal(fclose(conf), 0);
        assert_int_equal(ice_lint_conf(&request, NULL, NULL, NULL, &summary, NULL),
                         ICE_OK);
        assert_int_equal(lint_is_named(summary, "conf.*"), !rows[i].is_whole);
        assert_int_equal(summary->exit_code & 2, rows[i].is_whole ? 0 : 2);
        ice_summary_free(summary);
        assert_int_equal(unlink(paths[0]), 0);
        assert_int_equal(unlink(paths[1]), 0);
        assert_int_equal(chdir("/"), 0);
        assert_int_equal(rmdir(directory), 0);
    }
}

/* A kind is told from the first 64 KiB: a command behind them is none of them. */
static void kinds_by_their_start(void **state) {
    (void)state;
    enum { FIRST = 64 * 1024 };
    static const char command[] = "spark-submit " LAKE "a.py\n";
    static char text[FIRST + sizeof(command)];
    for (int is_behind = 0; is_behind <= 1; is_behind++) {
        const size_t size = is_behind ? FIRST : FIRST / 2;
        memset(text, '\n', size);
        memcpy(text + size, command, sizeof(command));
        const struct lint_case c = {
            is_behind ? "behind the start" : "in the start",
            "source.unknown",
            {{"run.sh", text}},
            is_behind ? "source.unknown run.sh \n" : "",
            .unchecked = NULL,
        };
        lint_all(&c, 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_commands_end),
        cmocka_unit_test(what_they_share),
        cmocka_unit_test(what_variables_hold),
        cmocka_unit_test(variables_that_grow),
        cmocka_unit_test(too_many),
        cmocka_unit_test(kinds_by_their_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
