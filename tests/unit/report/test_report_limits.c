/*
 * Ceilings of reports, descriptions of rules, and every allocation that fails.
 */
#include "parts.h"

/* Lines and findings beyond what SARIF and Markdown may hold are counted. */
static void beyond_the_ceilings(void **state) {
    (void)state;
    enum { LINES = 1001, FINDINGS = 5001, TABLES = 400 };
    static struct ice_not_evaluated lines[LINES];
    static struct ice_finding findings[FINDINGS];
    static struct ice_summary summaries[TABLES];
    static char long_name[3000];
    struct ice_summary summary = sound();
    struct input input = {.findings = findings,
                          .n_findings = FINDINGS,
                          .summaries = &summary,
                          .n_summaries = 1};
    for (size_t i = 0; i < LINES; i++)
        lines[i] = not_asked;
    for (size_t i = 0; i < FINDINGS; i++)
        findings[i] = bare();
    summary.not_evaluated = lines;
    summary.n_not_evaluated = LINES;
    check(
        ICE_FORMAT_SARIF, &input,
        PARTS(
            "only the 5000 worst of 5001 results are here",
            "\"level\":\"note\",\"message\":{\"text\":\"4 more things were not checked"));
    summary.complete = false;
    check(ICE_FORMAT_SARIF, &input,
          PARTS("\"level\":\"error\",\"message\":{\"text\":\"4 more things"));
    memset(long_name, 'x', sizeof(long_name) - 1);
    for (size_t i = 0; i < TABLES; i++) {
        summaries[i] = sound();
        summaries[i].table = ice_str_from(long_name);
        summaries[i].counts[ICE_ERROR] = 1;
    }
    input = (struct input){.summaries = summaries, .n_summaries = TABLES};
    check(ICE_FORMAT_MARKDOWN, &input,
          PARTS("tables more with findings have no section here"));
}

/* The worst fill the room of 5,000 first, the rest is theirs who come next. */
static void the_worst_results_come_first(void **state) {
    (void)state;
    enum { WARNINGS = 3000, ERRORS = 4000 };
    static struct ice_finding findings[WARNINGS + ERRORS];
    struct ice_summary summary = sound();
    const struct input input = {.findings = findings,
                                .n_findings = WARNINGS + ERRORS,
                                .summaries = &summary,
                                .n_summaries = 1};
    for (size_t i = 0; i < WARNINGS + ERRORS; i++) {
        findings[i] = bare();
        findings[i].severity = i < WARNINGS ? ICE_WARN : ICE_ERROR;
    }
    struct text text;
    assert_int_equal(write_report(ICE_FORMAT_SARIF, &input, NULL, &text), ICE_OK);
    json_t *root = json_loads(text.bytes, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    json_t *run = json_array_get(json_object_get(root, "runs"), 0);
    json_t *results = json_object_get(run, "results");
    assert_int_equal(json_array_size(results), 5000);
    for (size_t i = 0; i < 5000; i++)
        assert_string_equal(
            json_string_value(json_object_get(json_array_get(results, i), "level")),
            i < ERRORS ? "error" : "warning");
    json_decref(root);
    free(text.bytes);
}

/* How SARIF describes rules whose message is an argument alone, that no part of the
 * specification is about, that readers refuse, and that are about configuration. */
static void rules_are_described(void **state) {
    (void)state;
    static const struct {
        const char *rule, *has, *lacks;
    } cases[] = {
        {"json.truncated", "\"shortDescription\":{\"text\":\"", "{detail}"},
        {"props.gc-disabled", "\"helpUri\":\"https://iceberg.apache.org/spec/\"",
         "spec/#"},
        {"lineage.next-row-id.missing", " Readers: Iceberg Java", "{value}"},
        {"lineage.next-row-id.negative", "next-row-id is \xe2\x80\xa6, below 0",
         "{value}"},
        {"conf.glue.version",
         "\"helpUri\":\"https://iceberg.apache.org/docs/latest/spark-configuration/\"",
         "org/spec/"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_finding finding = bare();
        struct ice_summary summary = sound();
        char lacks[64];
        finding.rule = ice_rule_find(cases[i].rule);
        assert_non_null(finding.rule);
        const struct input input = ONE(finding, summary);
        (void)snprintf(lacks, sizeof(lacks), "!%s", cases[i].lacks);
        check(ICE_FORMAT_SARIF, &input, PARTS(cases[i].has, lacks));
    }
}

/* ---- memory ---- */

static void fail_each(enum ice_format format, const struct input *input) {
    enum ice_status status = ICE_ENOMEM;
    for (uint64_t k = 1; status != ICE_OK; k++) {
        struct failing failing = {.fail_at = k};
        struct ice_allocator allocator = failing_allocator(&failing);
        struct text text;
        status = write_report(format, input, &allocator, &text);
        assert_int_equal(failing.used, 0);
        if (status != ICE_OK)
            assert_int_equal(status, ICE_ENOMEM);
        free(text.bytes);
        assert_true(k < 10000);
    }
}

static void every_allocation_fails(void **state) {
    (void)state;
    struct ice_not_evaluated lines[2] = {asked, not_asked};
    struct ice_finding findings[5] = {bare(), in_block(1, 2), bare(), in_block(3, 4),
                                      bare()};
    struct ice_summary summaries[3] = {sound(), sound(), sound()};
    const struct input input = {
        .findings = findings, .n_findings = 5, .summaries = summaries, .n_summaries = 3};
    findings[0].at.line = 3;
    findings[1].at.pointer = ICE_STR("/records/1");
    findings[1].other.file = ICE_STR("s3://lake/o.avro");
    findings[2].severity = ICE_WARN;
    findings[3].more = 4;
    findings[4].at.file = ICE_STR("/a b");
    summaries[0].counts[ICE_ERROR] = 4;
    summaries[0].not_evaluated = lines;
    summaries[0].n_not_evaluated = 2;
    summaries[0].complete = false;
    summaries[1].n_known = 1;
    static const enum ice_format formats[] = {
        ICE_FORMAT_HUMAN, ICE_FORMAT_SHORT,   ICE_FORMAT_JSON,  ICE_FORMAT_NDJSON,
        ICE_FORMAT_LINES, ICE_FORMAT_SARIF,   ICE_FORMAT_JUNIT, ICE_FORMAT_GITHUB,
        ICE_FORMAT_HTML,  ICE_FORMAT_MARKDOWN};
    /* also without findings, and without a table */
    const struct input no_findings = {.summaries = summaries, .n_summaries = 3};
    const struct input nothing = {.n_summaries = 0};
    for (size_t f = 0; f < ICE_COUNT_OF(formats); f++) {
        fail_each(formats[f], &input);
        fail_each(formats[f], &no_findings);
        fail_each(formats[f], &nothing);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beyond_the_ceilings),
        cmocka_unit_test(the_worst_results_come_first),
        cmocka_unit_test(rules_are_described),
        cmocka_unit_test(every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
