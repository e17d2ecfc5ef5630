/*
 * Every format with each optional part of a finding and of a summary there and not there.
 */
#include "parts.h"

/* ---- findings ---- */

static void a_bare_finding(void **state) {
    (void)state;
    struct ice_finding finding = bare();
    struct ice_summary summary = sound();
    summary.counts[ICE_ERROR] = 1;
    summary.table = ICE_STR_NONE;
    const struct input input = ONE(finding, summary);
    check(ICE_FORMAT_HUMAN, &input, PARTS("list.files-count.mismatch", "bare", "!Try:"));
    check(ICE_FORMAT_SHORT, &input,
          PARTS("-: error: bare [list.files-count.mismatch]\n"));
    check(ICE_FORMAT_SARIF, &input,
          PARTS("\"occurrenceCount\":1,", "\"uri\":\".\"", "!logicalLocations",
                "!\"pointer\"", "!relatedLocations", "!region"));
    check(ICE_FORMAT_JUNIT, &input,
          PARTS("<testsuite name=\"table\"", "classname=\"table\"",
                "type=\"error\">-: error: bare [0000000000000000]\n", "failures=\"1\""));
    check(ICE_FORMAT_GITHUB, &input,
          PARTS("::error title=list.files-count.mismatch::bare%0Arows may be skipped\n"));
    check(ICE_FORMAT_MARKDOWN, &input, PARTS("bare", "!Try"));
    check(ICE_FORMAT_HTML, &input,
          PARTS("The table is broken", "Table without a name", "bare", "!Way out"));
}

static void a_finding_with_all_parts(void **state) {
    (void)state;
    struct ice_finding finding = in_block(17, 90);
    struct ice_summary summary = sound();
    summary.counts[ICE_ERROR] = 5;
    finding.table = ICE_STR("orders");
    finding.at.pointer = ICE_STR("/records/17/a");
    finding.other.file = ICE_STR("other.avro");
    finding.more = 4;
    const struct input input = ONE(finding, summary);
    check(ICE_FORMAT_HUMAN, &input, PARTS("m.avro  record 17:", "(+4 more)"));
    check(ICE_FORMAT_SHORT, &input,
          PARTS("m.avro:#3.17: error: in a block", "(+4 more)"));
    check(ICE_FORMAT_SARIF, &input,
          PARTS("\"occurrenceCount\":5,", "\"relatedLocations\"",
                "\"uri\":\"other.avro\"", "\"block\":3", "\"record\":17", "\"offset\":90",
                "\"more\":4", "\"fullyQualifiedName\":\"orders\""));
    check(ICE_FORMAT_JUNIT, &input,
          PARTS("m.avro /records/17/a: error: in a block (+4 more) ["));
    check(ICE_FORMAT_GITHUB, &input,
          PARTS("::error file=m.avro,title=list.files-count.mismatch::in a block"));
    check(ICE_FORMAT_MARKDOWN, &input, PARTS("`m.avro` record 17"));
    check(ICE_FORMAT_HTML, &input,
          PARTS("and 4\xc2\xa0"
                "equal ones like it",
                "orders is broken"));
}

static void places_inside_of_files(void **state) {
    (void)state;
    struct ice_summary summary = sound();
    struct ice_finding block = in_block(ICE_NO_OFFSET, ICE_NO_OFFSET);
    struct ice_finding byte = in_block(ICE_NO_OFFSET, 90);
    struct ice_finding record = in_block(17, ICE_NO_OFFSET);
    const struct input of_block = ONE(block, summary), of_byte = ONE(byte, summary),
                       of_record = ONE(record, summary);
    record.at.block = ICE_NO_OFFSET;
    check(ICE_FORMAT_HUMAN, &of_block, PARTS("m.avro  block 3:", "!at byte"));
    check(ICE_FORMAT_HUMAN, &of_byte, PARTS("m.avro  block 3 at byte 90:"));
    check(ICE_FORMAT_HUMAN, &of_record, PARTS("m.avro  record 17:"));
    check(ICE_FORMAT_SHORT, &of_block, PARTS("m.avro:#3.-: error"));
    check(ICE_FORMAT_SHORT, &of_record, PARTS("m.avro:#-.17: error"));
    check(ICE_FORMAT_MARKDOWN, &of_block, PARTS("in a block"));
    block.at.block = ICE_NO_OFFSET;
    block.at.offset = 7;
    check(ICE_FORMAT_HUMAN, &of_block, PARTS("m.avro  byte 7:"));
    block.at.line = 3;
    block.at.column = 0;
    check(ICE_FORMAT_SARIF, &of_block, PARTS("\"startLine\":3}"));
    check(ICE_FORMAT_JUNIT, &of_block, PARTS("m.avro:3:0: error"));
    check(ICE_FORMAT_GITHUB, &of_block, PARTS("file=m.avro,line=3,col=0,title="));
    check(ICE_FORMAT_MARKDOWN, &of_block, PARTS("in a block"));
    /* colons at which a reader of the line would stop are escaped, others stay */
    block.at.file = ICE_STR("/a:b:7");
    check(ICE_FORMAT_SHORT, &of_block, PARTS("/a:b\\x3a7:3:0: error"));
    block.at.file = ICE_STR("/a: b:");
    check(ICE_FORMAT_SHORT, &of_block, PARTS("/a\\x3a b\\x3a:3:0: error"));
}

static void a_rule_of_nobody(void **state) {
    (void)state;
    struct ice_finding finding = bare();
    struct ice_summary summary = sound();
    finding.rule = &foreign_rule;
    finding.severity = ICE_WARN;
    finding.more = UINT64_MAX;
    const struct input input = ONE(finding, summary);
    check(ICE_FORMAT_SARIF, &input,
          PARTS("\"ruleId\":\"no.such.rule\",\"ruleIndex\":0", "\"level\":\"warning\"",
                "\"occurrenceCount\":9223372036854775807,"));
    check(ICE_FORMAT_JUNIT, &input, PARTS("!no.such.rule"));
    finding.severity = ICE_INFO;
    finding.more = 0;
    check(ICE_FORMAT_GITHUB, &input,
          PARTS("::notice title=no.such.rule::", "%0ATry: ask"));
    check(ICE_FORMAT_SARIF, &input, PARTS("\"level\":\"note\""));
}

/* ---- summaries ---- */

static void an_interrupted_check(void **state) {
    (void)state;
    struct ice_finding finding = bare();
    struct ice_summary summaries[2] = {sound(), sound()};
    const struct input input = {
        .findings = &finding, .n_findings = 1, .summaries = summaries, .n_summaries = 2};
    summaries[0].interrupted = true;
    summaries[0].complete = false;
    summaries[0].counts[ICE_WARN] = 1;
    check(ICE_FORMAT_SARIF, &input,
          PARTS("\"exitCode\":130", "\"executionSuccessful\":false"));
    check(ICE_FORMAT_MARKDOWN, &input, PARTS("| `orders` | 0 | 1 | 0 | interrupted |"));
    check(ICE_FORMAT_HTML, &input,
          PARTS("The check was interrupted.",
                "1 of 2\xc2\xa0tables was not wholly checked"));
    check(ICE_FORMAT_HUMAN, &input, PARTS("interrupted"));
    summaries[1] = summaries[0];
    summaries[1].interrupted = false;
    check(ICE_FORMAT_HTML, &input, PARTS("2 of 2\xc2\xa0tables were not wholly checked"));
    check(ICE_FORMAT_MARKDOWN, &input, PARTS("| **not completely** |"));
}

static void verdicts_of_more_tables(void **state) {
    (void)state;
    struct ice_summary summaries[2] = {sound(), sound()};
    const struct input input = {.summaries = summaries, .n_summaries = 2};
    check(ICE_FORMAT_HTML, &input, PARTS("All 2\xc2\xa0tables are sound"));
    summaries[1].n_known = 1;
    check(ICE_FORMAT_HTML, &input,
          PARTS("All 2\xc2\xa0tables have nothing new", "Sound, or nothing new",
                "1\xc2\xa0"
                "finding is hidden: the baseline knows it."));
    summaries[0].n_known = 2;
    summaries[0].n_fixed = 1;
    check(ICE_FORMAT_HTML, &input,
          PARTS("hidden: the baseline knows them.", "write the baseline anew"));
    check(ICE_FORMAT_SARIF, &input,
          PARTS("3 findings are in the baseline and not here, 1 of it"));
    summaries[0].counts[ICE_WARN] = 1;
    check(ICE_FORMAT_HTML, &input,
          PARTS("All 2\xc2\xa0tables can be read, some with warnings"));
    summaries[0].counts[ICE_ERROR] = 1;
    check(ICE_FORMAT_HTML, &input, PARTS("1 of 2\xc2\xa0tables is broken"));
    summaries[1].counts[ICE_ERROR] = 1;
    check(ICE_FORMAT_HTML, &input, PARTS("2 of 2\xc2\xa0tables are broken"));
}

static void one_table_known_to_the_baseline(void **state) {
    (void)state;
    struct ice_summary summary = sound();
    const struct input input = {.summaries = &summary, .n_summaries = 1};
    check(ICE_FORMAT_HTML, &input,
          PARTS("orders is sound", "!Second opinion", "Nothing."));
    summary.n_known = 1;
    summary.has_opinions = true;
    summary.n_same_blocks = 1;
    summary.n_same_records = 20;
    check(ICE_FORMAT_HTML, &input,
          PARTS("orders has nothing new", "Nothing new was found",
                "1\xc2\xa0"
                "block with 20\xc2\xa0records read alike by both decoders"));
    summary.table = ICE_STR_NONE;
    check(ICE_FORMAT_HTML, &input, PARTS("The table has nothing new"));
}

static void what_was_not_checked(void **state) {
    (void)state;
    enum { LINES = 60 };
    static struct ice_not_evaluated lines[2 * LINES];
    struct ice_summary summary = sound();
    const struct input input = {.summaries = &summary, .n_summaries = 1};
    for (size_t i = 0; i < LINES; i++) {
        lines[i] = asked;
        lines[LINES + i] = not_asked;
    }
    lines[1].why = ICE_STR_NONE;
    summary.not_evaluated = lines;
    summary.n_not_evaluated = 2 * LINES;
    summary.complete = false;
    /* what is not shown counts its own "more": 60 lines of 3, 60 of 4 */
    check(ICE_FORMAT_HUMAN, &input, PARTS("not checked  (+150 more)"));
    check(ICE_FORMAT_MARKDOWN, &input,
          PARTS("- **not checked** (+120 more)", "- not asked (+160 more)"));
    check(ICE_FORMAT_HTML, &input, PARTS("and 270 more", "and 2 more"));
    check(ICE_FORMAT_JUNIT, &input,
          PARTS("name=\"checked: manifest (+2 more)\"", "errors=\"60\""));
    check(ICE_FORMAT_GITHUB, &input,
          PARTS("::error title=not checked::manifest: absent"));
    check(ICE_FORMAT_SARIF, &input,
          PARTS("not checked: manifest: absent (+2 more)",
                "not asked: spec.*: left out (+3 more)"));
}

/* A page of configuration says so, and sends nobody to rescue a table. */
static void configuration_is_no_table(void **state) {
    (void)state;
    struct ice_finding finding = bare();
    struct ice_summary summary = sound();
    const struct ice_not_evaluated line = {.what = {"conf.iam.*", 10}, .why = {"x", 1}};
    const struct input found = ONE(finding, summary);
    const struct input missed = {.summaries = &summary, .n_summaries = 1};
    finding.rule = ice_rule_find("conf.glue.version");
    assert_non_null(finding.rule);
    summary.counts[ICE_ERROR] = 1;
    check(ICE_FORMAT_HTML, &found,
          PARTS("tables are not found, or jobs fail", "!rescue"));
    summary.counts[ICE_ERROR] = 0;
    summary.counts[ICE_WARN] = 1;
    check(ICE_FORMAT_HTML, &found,
          PARTS("No error. But something", "!readers can use it"));
    summary.not_evaluated = &line;
    summary.n_not_evaluated = 1;
    check(ICE_FORMAT_HTML, &missed, PARTS("No error. But something"));
    summary.n_not_evaluated = 0;
    check(ICE_FORMAT_HTML, &missed, PARTS("No error: readers can use it."));
}

/* ---- JUnit: which rules ran ---- */

static void rules_that_could_not_run(void **state) {
    (void)state;
    struct ice_not_evaluated line = {.what = {"spec.*", 6}, .why = {"left out", 8}};
    struct ice_summary summary = sound();
    struct input input = {.summaries = &summary, .n_summaries = 1};
    check(ICE_FORMAT_JUNIT, &input, PARTS("no metadata.json was read"));
    summary.n_metadata_files = 1;
    check(ICE_FORMAT_JUNIT, &input,
          PARTS("no manifest list was read", "!no metadata.json was read"));
    summary.n_lists = 1;
    check(ICE_FORMAT_JUNIT, &input, PARTS("no manifest was read", "!no manifest list"));
    summary.n_manifests = 1;
    check(ICE_FORMAT_JUNIT, &input,
          PARTS("opened with --depth puffin", "!no manifest was read"));
    summary.depth = "manifest";
    check(ICE_FORMAT_JUNIT, &input, PARTS("opened with --depth puffin"));
    summary.depth = "puffin";
    check(ICE_FORMAT_JUNIT, &input, PARTS("!--depth puffin", "!left out"));
    summary.not_evaluated = &line;
    summary.n_not_evaluated = 1;
    check(ICE_FORMAT_JUNIT, &input, PARTS("skipped message=\"left out\""));
    /* words that are no glob of rules cover none */
    line.what = ICE_STR_NONE;
    check(ICE_FORMAT_JUNIT, &input, PARTS("!left out"));
    line.what = ICE_STR("a sentence that is longer than any name of a rule or any glob "
                        "of names of rules could ever be, by far");
    check(ICE_FORMAT_JUNIT, &input, PARTS("!left out"));
    struct ice_options options = {.fail_on = ICE_ERROR};
    input.options.judged_by = &options;
    check(ICE_FORMAT_JUNIT, &input, PARTS("no --pointer was given"));
    summary.format_version = 1;
    check(ICE_FORMAT_JUNIT, &input, PARTS("!name=\"lineage.next-row-id.missing"));
    summary.format_version = 5;
    check(ICE_FORMAT_JUNIT, &input, PARTS("name=\"lineage.next-row-id.missing"));
    const struct input none = {.n_summaries = 0};
    check(ICE_FORMAT_JUNIT, &none,
          PARTS("<testsuites name=\"icefsck\">\n</testsuites>\n"));
}

static void severities_that_do_not_fail(void **state) {
    (void)state;
    struct ice_finding finding = bare();
    struct ice_summary summary = sound();
    struct ice_options options = {.fail_on = ICE_OFF};
    struct input input = ONE(finding, summary);
    input.options.judged_by = &options;
    options.fail_on = ICE_OFF;
    check(ICE_FORMAT_JUNIT, &input,
          PARTS("failures=\"0\"", "<system-out>-: error: bare"));
    options.fail_on = ICE_WARN;
    check(ICE_FORMAT_JUNIT, &input, PARTS("failures=\"1\""));
    finding.severity = ICE_INFO;
    check(ICE_FORMAT_JUNIT, &input, PARTS("failures=\"0\"", "<system-out>-: info: bare"));
}

/* ---- times ---- */

static void seconds_of_a_check(void **state) {
    (void)state;
    struct ice_summary summary = sound();
    struct input input = {.options = {.times = true, .color = true},
                          .summaries = &summary,
                          .n_summaries = 1};
    check(ICE_FORMAT_HUMAN, &input, PARTS("checked in 0.0 s"));
    input.options.seconds = 12.34;
    check(ICE_FORMAT_HUMAN, &input, PARTS("checked in 12.3 s"));
    summary.n_bytes = UINT64_MAX;
    check(ICE_FORMAT_HUMAN, &input, PARTS(" read"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bare_finding),
        cmocka_unit_test(a_finding_with_all_parts),
        cmocka_unit_test(places_inside_of_files),
        cmocka_unit_test(a_rule_of_nobody),
        cmocka_unit_test(an_interrupted_check),
        cmocka_unit_test(verdicts_of_more_tables),
        cmocka_unit_test(one_table_known_to_the_baseline),
        cmocka_unit_test(what_was_not_checked),
        cmocka_unit_test(configuration_is_no_table),
        cmocka_unit_test(rules_that_could_not_run),
        cmocka_unit_test(severities_that_do_not_fail),
        cmocka_unit_test(seconds_of_a_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
