/*
 * JUnit XML: a testsuite a table, a testcase for every rule that ran; one whose findings
 * count for the exit code fails, one that could not run is skipped and says why. What was
 * asked and could not be checked is a testcase with an error, so that a build does not
 * pass by silence. No times and no time stamps: the same input gives the same bytes.
 */
#include "report/report.h"
#include "report/text_markup.h"

#include "base/error.h"
#include "base/hash.h"
#include "rule/coverage.h"
#include "rule/emit.h"

#include <inttypes.h>
#include <stdio.h>

/* What is known of a rule in the table at hand. */
struct rule_case {
    struct ice_buf first, all; /* message of the first finding; a line for each */
    uint64_t n;
    bool failed;
    enum ice_severity worst;
};

struct junit {
    struct ice_rule_state states[ICE_RULE_ID_COUNT];
    struct rule_case cases[ICE_RULE_ID_COUNT];
    struct ice_table names; /* of suites: hashes */
    struct ice_buf suite;   /* name of the one at hand */
};

enum outcome { NOT_LISTED, PASSED, FAILED, SKIPPED };

static struct junit *state_of(struct ice_report *report) {
    struct junit *junit = report->state;
    if (junit != NULL)
        return junit;
    junit = ice_calloc(&report->alloc, 1, sizeof(*junit));
    if (junit == NULL)
        return NULL;
    ice_rule_states_of(report->options.judged_by, junit->states);
    for (size_t i = 0; i < ICE_RULE_ID_COUNT; i++) {
        ice_buf_init(&junit->cases[i].first, &report->alloc, SIZE_MAX / 2);
        ice_buf_init(&junit->cases[i].all, &report->alloc, SIZE_MAX / 2);
    }
    ice_table_init(&junit->names, &report->alloc);
    ice_buf_init(&junit->suite, &report->alloc, SIZE_MAX / 2);
    report->state = junit;
    return junit;
}

static void forget_cases(struct junit *junit) {
    for (size_t i = 0; i < ICE_RULE_ID_COUNT; i++) {
        struct rule_case *c = &junit->cases[i];
        ice_buf_release(&c->first);
        ice_buf_release(&c->all);
        c->n = 0;
        c->failed = false;
        c->worst = ICE_OFF;
    }
}

static void junit_release(struct ice_report *report) {
    struct junit *junit = report->state;
    if (junit == NULL)
        return;
    forget_cases(junit);
    ice_table_release(&junit->names);
    ice_buf_release(&junit->suite);
    ice_free(&report->alloc, junit, sizeof(*junit));
    report->state = NULL;
}

/* ---- findings ---- */

static enum ice_severity fail_on(const struct ice_report *report) {
    const struct ice_options *options = report->options.judged_by;
    return options != NULL ? options->fail_on : ICE_ERROR;
}

static enum ice_status put_line(struct ice_buf *out, const struct ice_finding *finding) {
    const struct ice_location *at = &finding->at;
    ICE_TRY(ice_buf_append_str(out, at->file.size > 0 ? at->file : ICE_STR("-")));
    if (at->line > 0)
        ICE_TRY(ice_buf_printf(out, ":%" PRIu32 ":%" PRIu32, at->line, at->column));
    if (at->pointer.size > 0) {
        ICE_TRY(ice_buf_append_char(out, ' '));
        ICE_TRY(ice_buf_append_str(out, at->pointer));
    }
    ICE_TRY(ice_buf_printf(out, ": %s: ", ice_severity_name(finding->severity)));
    ICE_TRY(ice_buf_append_str(out, finding->message));
    if (finding->more > 0)
        ICE_TRY(ice_buf_printf(out, " (+%" PRIu64 " more)", finding->more));
    ICE_TRY(ice_buf_printf(out, " [%016" PRIx64 "]", finding->fingerprint));
    return ice_buf_append_char(out, '\n');
}

static enum ice_status junit_finding(struct ice_report *report,
                                     const struct ice_finding *finding) {
    struct junit *junit = state_of(report);
    enum ice_rule_id id;
    if (junit == NULL)
        return ICE_ENOMEM;
    if (!ice_rule_id_of(finding->rule->name, &id))
        return ICE_OK;
    struct rule_case *c = &junit->cases[id];
    enum ice_severity level = fail_on(report);
    if (c->n == 0)
        ICE_TRY(ice_buf_append_str(&c->first, finding->message));
    c->n += 1 + finding->more;
    c->failed = c->failed || (level != ICE_OFF && finding->severity >= level);
    if (finding->severity > c->worst)
        c->worst = finding->severity;
    return put_line(&c->all, finding);
}

/* ---- which rules ran ---- */

/* Did a rule that has no finding not run, or not to its end? Then why. */
static bool is_silent(const struct ice_report *report, const struct ice_summary *summary,
                      const struct ice_rule *rule, struct ice_str *out_why) {
    const struct ice_asked asked = ice_asked_of(report->options.judged_by);
    const struct ice_not_evaluated *line = ice_line_over(
        summary->not_evaluated, summary->n_not_evaluated, rule, ICE_COVERS_ALL);
    if (line != NULL || summary->interrupted) {
        *out_why = line != NULL ? line->why : ICE_STR("interrupted");
        return true;
    }
    if (report->options.of_configuration)
        return false;
    const char *why = ice_rule_has_nothing(rule, summary);
    if (why == NULL)
        why = ice_rule_not_asked(rule, summary, &asked);
    *out_why = ice_str_from(why);
    return why != NULL;
}

static bool is_applicable(const struct ice_report *report,
                          const struct ice_summary *summary,
                          const struct ice_rule *rule) {
    bool of_configuration = (rule->needs & ICE_NEEDS_CONF) != 0;
    if (rule->status != ICE_RULE_ACTIVE ||
        of_configuration != report->options.of_configuration)
        return false;
    return summary->format_version <= 0 || summary->format_version > 4 ||
           (rule->versions & (1u << summary->format_version)) != 0;
}

static enum outcome outcome_of(const struct ice_report *report,
                               const struct ice_summary *summary, enum ice_rule_id id,
                               struct ice_str *out_why) {
    const struct junit *junit = report->state;
    const struct ice_rule *rule = ice_rule_of(id);
    const struct ice_rule_state *state = &junit->states[id];
    if (junit->cases[id].n > 0)
        return junit->cases[id].failed ? FAILED : PASSED;
    if (!state->enabled || state->override == ICE_OFF ||
        !is_applicable(report, summary, rule))
        return NOT_LISTED;
    return is_silent(report, summary, rule, out_why) ? SKIPPED : PASSED;
}

/* ---- XML ---- */

static void put_attribute(struct ice_text *text, const char *name, struct ice_str value) {
    ice_text_put(text, " ");
    ice_text_put(text, name);
    ice_text_put(text, "=\"");
    ice_text_xml(text, value);
    ice_text_put(text, "\"");
}

static void put_number(struct ice_text *text, const char *name, uint64_t value) {
    ice_text_put(text, " ");
    ice_text_put(text, name);
    ice_text_put(text, "=\"");
    ice_text_u64(text, value);
    ice_text_put(text, "\"");
}

static bool is_name_used(const struct junit *junit, uint64_t hash) {
    size_t at = SIZE_MAX;
    uint32_t unused;
    return ice_table_next(&junit->names, hash, &at, &unused);
}

/*
 * Readers know a case by the names of its class and of itself, and of equal ones show
 * one: a table that is called as one before it is told by its path too.
 */
static enum ice_status name_suite(struct ice_report *report,
                                  const struct ice_summary *summary) {
    struct junit *junit = report->state;
    struct ice_str path = report->prefix;
    if (path.size > 1)
        path.size--; /* its last slash */
    ice_buf_clear(&junit->suite);
    ICE_TRY(ice_buf_append_str(
        &junit->suite, summary->table.size > 0 ? summary->table : ICE_STR("table")));
    uint64_t hash = ice_hash64(ice_buf_str(&junit->suite), 0);
    bool is_used = is_name_used(junit, hash);
    if (is_used && path.size > 0) {
        ICE_TRY(ice_buf_append_str(&junit->suite, ICE_STR(" (")));
        ICE_TRY(ice_buf_append_str(&junit->suite, path));
        ICE_TRY(ice_buf_append_char(&junit->suite, ')'));
    }
    return is_used ? ICE_OK : ice_table_put(&junit->names, hash, 0);
}

static void begin_case(struct ice_report *report, struct ice_str name) {
    const struct junit *junit = report->state;
    ice_text_put(&report->text, "    <testcase");
    put_attribute(&report->text, "name", name);
    put_attribute(&report->text, "classname", ice_buf_str(&junit->suite));
}

/* Lines stay lines; what is in them is escaped. */
static void put_lines(struct ice_text *text, struct ice_str lines) {
    while (lines.size > 0) {
        const char *end = memchr(lines.data, '\n', lines.size);
        size_t size = end != NULL ? (size_t)(end - lines.data) : lines.size;
        ice_text_xml(text, ice_str_first(lines, size));
        ice_text_put(text, "\n");
        lines = ice_str_from_index(lines, end != NULL ? size + 1 : size);
    }
}

static void put_advice(struct ice_text *text, const struct ice_rule *rule) {
    ice_text_xml(text, ice_str_from(rule->why));
    ice_text_put(text, "\n");
    if (rule->fix[0] == '\0')
        return;
    ice_text_put(text, "Try: ");
    ice_text_xml(text, ice_str_from(rule->fix));
    ice_text_put(text, "\n");
}

static void put_case(struct ice_report *report, enum ice_rule_id id, enum outcome outcome,
                     struct ice_str why) {
    struct ice_text *text = &report->text;
    const struct junit *junit = report->state;
    const struct rule_case *c = &junit->cases[id];
    const struct ice_rule *rule = ice_rule_of(id);
    begin_case(report, ice_str_from(rule->name));
    if (outcome == PASSED && c->n == 0) {
        ice_text_put(text, "/>\n");
    } else if (outcome == SKIPPED) {
        ice_text_put(text, "><skipped");
        put_attribute(text, "message", why);
        ice_text_put(text, "/></testcase>\n");
    } else if (outcome == FAILED) {
        ice_text_put(text, ">\n      <failure");
        put_attribute(text, "message", ice_buf_str(&c->first));
        put_attribute(text, "type", ice_str_from(ice_severity_name(c->worst)));
        ice_text_put(text, ">");
        put_lines(text, ice_buf_str(&c->all));
        put_advice(text, rule);
        ice_text_put(text, "</failure>\n    </testcase>\n");
    } else {
        ice_text_put(text, ">\n      <system-out>");
        put_lines(text, ice_buf_str(&c->all));
        put_advice(text, rule);
        ice_text_put(text, "</system-out>\n    </testcase>\n");
    }
}

/* Asked, and not checked: the build must not pass by it. */
static void put_missed(struct ice_report *report, struct ice_str name,
                       struct ice_str why) {
    struct ice_text *text = &report->text;
    begin_case(report, name);
    ice_text_put(text, ">\n      <error");
    put_attribute(text, "message", why);
    put_attribute(text, "type", ICE_STR("not checked"));
    ice_text_put(text, "/>\n    </testcase>\n");
}

static enum ice_status put_all_missed(struct ice_report *report,
                                      const struct ice_summary *summary) {
    struct ice_buf name;
    enum ice_status status = ICE_OK;
    ice_buf_init(&name, &report->alloc, SIZE_MAX / 2);
    for (size_t i = 0; i < summary->n_not_evaluated && status == ICE_OK; i++) {
        const struct ice_not_evaluated *line = &summary->not_evaluated[i];
        if (!line->asked)
            continue;
        ice_buf_clear(&name);
        status = ice_buf_append_str(&name, ICE_STR("checked: "));
        if (status == ICE_OK)
            status = ice_buf_append_str(&name, line->what);
        if (status == ICE_OK && line->file.size > 0)
            status = ice_buf_printf(&name, " ");
        if (status == ICE_OK)
            status = ice_buf_append_str(&name, line->file);
        if (status == ICE_OK && line->more > 0)
            status = ice_buf_printf(&name, " (+%" PRIu64 " more)", line->more);
        if (status == ICE_OK)
            put_missed(report, ice_buf_str(&name), line->why);
    }
    ice_buf_release(&name);
    if (summary->interrupted)
        put_missed(report, ICE_STR("checked: to the end"), ICE_STR("interrupted"));
    return status;
}

static void begin_suite(struct ice_report *report, const struct ice_summary *summary) {
    struct ice_text *text = &report->text;
    const struct junit *junit = report->state;
    uint64_t n[4] = {0}, n_errors = summary->interrupted;
    struct ice_str why;
    for (size_t i = 0; i < ICE_RULE_ID_COUNT; i++)
        n[outcome_of(report, summary, (enum ice_rule_id)i, &why)]++;
    for (size_t i = 0; i < summary->n_not_evaluated; i++)
        n_errors += summary->not_evaluated[i].asked;
    ice_text_put(text, "  <testsuite");
    put_attribute(text, "name", ice_buf_str(&junit->suite));
    put_number(text, "tests", n[PASSED] + n[FAILED] + n[SKIPPED] + n_errors);
    put_number(text, "failures", n[FAILED]);
    put_number(text, "errors", n_errors);
    put_number(text, "skipped", n[SKIPPED]);
    ice_text_put(text, ">\n");
}

static void begin_document(struct ice_report *report) {
    ice_text_put(&report->text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                "<testsuites name=\"icefsck\">\n");
}

static enum ice_status junit_summary(struct ice_report *report,
                                     const struct ice_summary *summary) {
    struct junit *junit = state_of(report);
    struct ice_str why = ICE_STR_NONE;
    if (junit == NULL)
        return ICE_ENOMEM;
    if (report->n_tables == 0)
        begin_document(report);
    ICE_TRY(name_suite(report, summary));
    begin_suite(report, summary);
    for (size_t i = 0; i < ICE_RULE_ID_COUNT; i++) {
        enum ice_rule_id id = (enum ice_rule_id)i;
        enum outcome outcome = outcome_of(report, summary, id, &why);
        if (outcome != NOT_LISTED)
            put_case(report, id, outcome, why);
    }
    ICE_TRY(put_all_missed(report, summary));
    ice_text_put(&report->text, "  </testsuite>\n");
    forget_cases(junit);
    return ice_text_finish(&report->text);
}

static enum ice_status junit_finish(struct ice_report *report) {
    if (report->n_tables == 0)
        begin_document(report);
    ice_text_put(&report->text, "</testsuites>\n");
    return ice_text_finish(&report->text);
}

const struct ice_report_ops ice_report_junit = {junit_finding, junit_summary,
                                                junit_finish, junit_release};
