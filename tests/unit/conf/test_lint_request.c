/*
 * What is asked of lint_conf, what stops it, and what is more than it looks at.
 */
#include "icefsck.h"

#include "base/compiler.h"
#include "base/str.h"

#include "support/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/icefsck-lint-XXXXXX";

static int make_file(void **state) {
    (void)state;
    const int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

static void refused(void **state) {
    (void)state;
    const char *const paths[] = {path};
    const struct ice_conf_request good = {.paths = paths, .n_paths = 1};
    struct ice_conf_request request = good;
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_summary *summary = NULL;
    struct ice_error err = {0};
    assert_int_equal(ice_lint_conf(&good, NULL, NULL, NULL, NULL, &err), ICE_EARG);
    assert_int_equal(ice_lint_conf(NULL, NULL, NULL, NULL, &summary, &err), ICE_EARG);
    request.n_paths = 0;
    assert_int_equal(ice_lint_conf(&request, NULL, NULL, NULL, &summary, &err), ICE_EARG);
    options.size = 1;
    assert_int_equal(ice_lint_conf(&good, &options, NULL, NULL, &summary, &err),
                     ICE_EARG);
    request = good;
    request.platform = "yarn";
    err = (struct ice_error){0};
    assert_int_equal(ice_lint_conf(&request, NULL, NULL, NULL, &summary, &err), ICE_EARG);
    assert_non_null(strstr(err.message, "no such platform"));
    request = good;
    request.iam_profile = "glue";
    err = (struct ice_error){0};
    assert_int_equal(ice_lint_conf(&request, NULL, NULL, NULL, &summary, &err), ICE_EARG);
    assert_non_null(strstr(err.message, "no such profile"));
    assert_null(summary);
    assert_int_equal(ice_lint_conf(&good, NULL, NULL, NULL, &summary, &err), ICE_OK);
    assert_int_equal(summary->exit_code, 2); /* an empty file */
    ice_summary_free(summary);
}

/* An older caller, whose options end with their size. */
static void short_options(void **state) {
    (void)state;
    const char *const paths[] = {path};
    const struct ice_conf_request request = {.paths = paths, .n_paths = 1};
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_summary *summary = NULL;
    options.size = sizeof(size_t);
    assert_int_equal(ice_lint_conf(&request, &options, NULL, NULL, &summary, NULL),
                     ICE_OK);
    ice_summary_free(summary);
}

static bool always(void *user) {
    (void)user;
    return true;
}

static bool never(void *user) {
    (void)user;
    return false;
}

static enum ice_status refuse(const struct ice_finding *finding, void *user) {
    (void)finding;
    (void)user;
    return ICE_EIO;
}

static void stopped(void **state) {
    (void)state;
    const char *const paths[] = {path};
    const struct ice_conf_request request = {.paths = paths, .n_paths = 1};
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_summary *summary = NULL;
    options.cancelled = never;
    assert_int_equal(ice_lint_conf(&request, &options, refuse, NULL, &summary, NULL),
                     ICE_EIO);
    assert_null(summary);
    options.cancelled = always;
    assert_int_equal(ice_lint_conf(&request, &options, NULL, NULL, &summary, NULL),
                     ICE_ECANCELLED);
    assert_non_null(summary);
    assert_true(summary->interrupted);
    ice_summary_free(summary);
}

/* ---- more than is looked at ---- */

static bool is_named(const struct ice_summary *summary) {
    for (size_t i = 0; i < summary->n_not_evaluated; i++) {
        const struct ice_not_evaluated *line = &summary->not_evaluated[i];
        if (ice_str_is(line->what, "conf.*") &&
            ice_str_starts(line->why, ICE_STR("more jobs")))
            return true;
    }
    return false;
}

/* head, and n lines of the form with their numbers in it. */
static struct ice_summary *lint_lines(const char *head, const char *form, int n) {
    const char *const paths[] = {path};
    const struct ice_conf_request request = {.paths = paths, .n_paths = 1};
    struct ice_summary *summary = NULL;
    FILE *f = fopen(path, "wbe");
    assert_non_null(f);
    (void)fputs(head, f);
    for (const char *at = form; n > 0; n--) {
        for (at = form; *at != '\0'; at++) {
            if (*at == '#')
                fprintf(f, "%d", n);
            else
                (void)fputc(*at, f);
        }
    }
    assert_int_equal(fclose(f), 0);
    assert_int_equal(ice_lint_conf(&request, NULL, NULL, NULL, &summary, NULL), ICE_OK);
    return summary;
}

static void too_many(void **state) {
    (void)state;
    static const struct {
        const char *head, *form;
        int most;
    } rows[] = {
        {"", "spark.x# y\n", 5000},
        {"spark.jars \\\n", "a#.jar,b#.jar,\\\n", 2500},
        {"", "spark.sql.catalog.c# x.Y\n", 100},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(rows); i++) {
        struct ice_summary *summary =
            lint_lines(rows[i].head, rows[i].form, rows[i].most);
        assert_false(is_named(summary));
        ice_summary_free(summary);
        summary = lint_lines(rows[i].head, rows[i].form, rows[i].most + 1);
        assert_true(is_named(summary));
        assert_int_equal(summary->exit_code & 2, 2);
        ice_summary_free(summary);
    }
}

static enum ice_status keep_rule(const struct ice_finding *finding, void *user) {
    const char **rule = user;
    *rule = finding->rule->name;
    return ICE_OK;
}

/* A file that nobody wrote by hand is not taken into memory. */
static void too_long(void **state) {
    (void)state;
    enum { MOST = 64 << 20 };
    const char *const paths[] = {path};
    const struct ice_conf_request request = {.paths = paths, .n_paths = 1};
    for (int more = 0; more < 2; more++) {
        struct ice_summary *summary;
        const char *rule = NULL;
        assert_int_equal(truncate(path, 0), 0);
        assert_int_equal(truncate(path, MOST + more), 0);
        assert_int_equal(ice_lint_conf(&request, NULL, keep_rule, &rule, &summary, NULL),
                         ICE_OK);
        assert_string_equal(rule, more == 0 ? "source.unknown" : "limit.file");
        assert_int_equal(summary->exit_code & 2, 2);
        ice_summary_free(summary);
    }
}

/* ---- secrets ---- */

struct shown {
    char text[1024];
};

static enum ice_status keep_message(const struct ice_finding *finding, void *user) {
    struct shown *shown = user;
    (void)snprintf(shown->text, sizeof(shown->text), "%.*s",
                   ICE_STR_FMT(finding->message));
    return ICE_OK;
}

/* The warehouse is shown, as far as it holds nothing that a secret is. */
static void masked(void **state) {
    (void)state;
    static const struct {
        const char *secrets, *warehouse, *shown, *hidden;
    } rows[] = {
        {"", "wh/AKIAIOSFODNN7EXAMPLE", "wh/***", "AKIA"},
        {"", "wh/AKIAIOSFODNN7EXAMPLe", "AKIAIOSFODNN7EXAMPLe", NULL},
        {"", "wh/AKIAIOSFODNN7EXAMPL~", "AKIAIOSFODNN7EXAMPL~", NULL},
        {"", "wh/AKIAIOSFODNN7-XAMPLE", "AKIAIOSFODNN7-XAMPLE", NULL},
        {"spark.a.token abcdef\n", "wh/xabcdefy", "wh/x***y", "abcdef"},
        {"spark.a.token abc\n", "wh/abc", "wh/abc", NULL}, /* too short inside */
        {"spark.a.token abc\n", "abc", "***", "'abc'"},
        {"spark.a.token true\nspark.b.token FALSE\nspark.c.token 1234567\n"
         "spark.d.token\nspark.e.token *********(redacted)\n",
         "true/1234567", "true/1234567", NULL},
        {"spark.a.token 12345678\n", "wh/12345678", "wh/***", "12345678"},
        {"spark.a.token 1234x\n", "1234x", "***", "1234x"},
    };
    const char *const paths[] = {path}, *const only[] = {"conf.warehouse.not-uri"};
    const struct ice_conf_request request = {.paths = paths, .n_paths = 1};
    struct ice_options options = ICE_OPTIONS_INIT;
    options.only = only;
    options.n_only = 1;
    for (size_t i = 0; i < ICE_COUNT_OF(rows); i++) {
        struct ice_summary *summary;
        struct shown shown = {""};
        FILE *f = fopen(path, "wbe");
        assert_non_null(f);
        fprintf(f,
                "%sspark.sql.catalog.c org.apache.iceberg.spark.SparkCatalog\n"
                "spark.sql.catalog.c.type glue\nspark.sql.catalog.c.warehouse %s\n",
                rows[i].secrets, rows[i].warehouse);
        assert_int_equal(fclose(f), 0);
        assert_int_equal(
            ice_lint_conf(&request, &options, keep_message, &shown, &summary, NULL),
            ICE_OK);
        ice_summary_free(summary);
        if (strstr(shown.text, rows[i].shown) == NULL ||
            (rows[i].hidden != NULL && strstr(shown.text, rows[i].hidden) != NULL))
            fail_msg("%s with %s is shown as: %s", rows[i].warehouse, rows[i].secrets,
                     shown.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused), cmocka_unit_test(short_options),
        cmocka_unit_test(stopped), cmocka_unit_test(too_many),
        cmocka_unit_test(masked),  cmocka_unit_test(too_long),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
