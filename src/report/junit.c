/*
 * JUnit XML: a testsuite a table, a testcase for every rule that ran; one whose findings
 * count for the exit code fails, one that could not run is skipped and says why. What was
 * asked and could not be checked is a testcase with an error, so that a build does not
 * pass by silence. No times and no time stamps: the same input gives the same bytes.
 */
#include "report/report.h"
#include "report/text_markup.h"

#include "base/error.h"
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
    if (report->state == NULL)
        return;
    forget_cases(report->state);
    ice_free(&report->alloc, report->state, sizeof(struct junit));
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

/* Why a rule that has no finding says nothing, or NULL: it ran. */
static const char *why_blind(const struct ice_report *report,
                             const struct ice_summary *summary,
                             const struct ice_rule *rule) {
    const struct ice_options *options = report->options.judged_by;
    const unsigned of_table = ICE_NEEDS_METADATA | ICE_NEEDS_FILES | ICE_NEEDS_STORAGE |
                              ICE_NEEDS_CATALOG | ICE_NEEDS_HISTORY;
    if (report->options.of_configuration)
        return NULL;
    if ((rule->needs & of_table) != 0 && summary->n_metadata_files == 0)
        return "no metadata.json was read";
    if ((rule->needs & ICE_NEEDS_LIST) != 0 && summary->n_lists == 0)
        return "no manifest list was read";
    if ((rule->needs & ICE_NEEDS_MANIFEST) != 0 && summary->n_manifests == 0)
        return "no manifest was read";
    if ((rule->needs & ICE_NEEDS_PUFFIN) != 0 &&
        (summary->depth == NULL || strcmp(summary->depth, "puffin") != 0))
        return "Puffin files are opened with --depth puffin";
    if (ice_rule_matches("catalog.*", rule->name) && options != NULL &&
        options->n_pointers == 0 && options->catalog == NULL)
        return "no --pointer was given";
    return NULL;
}

/* The metadata file was looked at, and could not be read to its end: of the rules that
 * read it only those that say so have run. */
static bool is_of_unread_metadata(struct ice_str what, const struct ice_rule *rule) {
    return ice_str_is(what, "metadata") && (rule->needs & ICE_NEEDS_METADATA) != 0 &&
           !ice_rule_matches("json.*", rule->name) &&
           !ice_rule_matches("source.*", rule->name) &&
           !ice_rule_matches("hint.*", rule->name);
}

/* A line of what was not evaluated that covers the rule, or NULL. */
static const struct ice_not_evaluated *line_over(const struct ice_summary *summary,
                                                 const struct ice_rule *rule) {
    char glob[96];
    for (size_t i = 0; i < summary->n_not_evaluated; i++) {
        const struct ice_not_evaluated *line = &summary->not_evaluated[i];
        if (line->what.size >= sizeof(glob))
            continue;
        if (line->what.size > 0)
            memcpy(glob, line->what.data, line->what.size);
        glob[line->what.size] = '\0';
        bool is_seen = !line->asked && ice_str_is(line->what, "storage.*") &&
                       !ice_rule_needs_listing(rule);
        if ((ice_rule_matches(glob, rule->name) && !is_seen) ||
            is_of_unread_metadata(line->what, rule))
            return line;
    }
    return NULL;
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
    const struct ice_not_evaluated *line = line_over(summary, rule);
    const char *blind = line == NULL ? why_blind(report, summary, rule) : NULL;
    *out_why = line != NULL ? line->why : ice_str_from(blind);
    return line != NULL || blind != NULL ? SKIPPED : PASSED;
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

static void begin_case(struct ice_text *text, const struct ice_summary *summary,
                       struct ice_str name) {
    ice_text_put(text, "    <testcase");
    put_attribute(text, "name", name);
    put_attribute(text, "classname",
                  summary->table.size > 0 ? summary->table : ICE_STR("table"));
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

static void put_case(struct ice_report *report, const struct ice_summary *summary,
                     enum ice_rule_id id, enum outcome outcome, struct ice_str why) {
    struct ice_text *text = &report->text;
    const struct junit *junit = report->state;
    const struct rule_case *c = &junit->cases[id];
    const struct ice_rule *rule = ice_rule_of(id);
    begin_case(text, summary, ice_str_from(rule->name));
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
static void put_missed(struct ice_text *text, const struct ice_summary *summary,
                       const struct ice_not_evaluated *line, struct ice_buf *name) {
    begin_case(text, summary, ice_buf_str(name));
    ice_text_put(text, ">\n      <error");
    put_attribute(text, "message", line->why);
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
            put_missed(&report->text, summary, line, &name);
    }
    ice_buf_release(&name);
    return status;
}

static void begin_suite(struct ice_report *report, const struct ice_summary *summary) {
    struct ice_text *text = &report->text;
    uint64_t n[4] = {0}, n_errors = 0;
    struct ice_str why;
    for (size_t i = 0; i < ICE_RULE_ID_COUNT; i++)
        n[outcome_of(report, summary, (enum ice_rule_id)i, &why)]++;
    for (size_t i = 0; i < summary->n_not_evaluated; i++)
        n_errors += summary->not_evaluated[i].asked;
    ice_text_put(text, "  <testsuite");
    put_attribute(text, "name",
                  summary->table.size > 0 ? summary->table : ICE_STR("table"));
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
    begin_suite(report, summary);
    for (size_t i = 0; i < ICE_RULE_ID_COUNT; i++) {
        enum ice_rule_id id = (enum ice_rule_id)i;
        enum outcome outcome = outcome_of(report, summary, id, &why);
        if (outcome != NOT_LISTED)
            put_case(report, summary, id, outcome, why);
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
