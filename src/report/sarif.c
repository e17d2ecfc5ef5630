/*
 * SARIF 2.1.0: one run, the rules that were found, the worst results, and what was not
 * checked as notifications of the invocation.
 *
 * Code scanning shows no more than 5,000 results a run: those are kept by severity, then
 * in their order, and a notification says how many were left out. All is held as text
 * until the end, since errors of the last table stand before warnings of the first: at
 * most 5,000 results of each severity.
 */
#include "report/report.h"
#include "report/place_uri.h"

#include "base/error.h"
#include "rule/catalogue.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_RESULTS = 5000, MAX_NOTICES = 1000 };

struct sarif {
    struct ice_buf
        results[4];        /* by severity: JSON values, a comma and line end between */
    uint64_t n_results[4]; /* kept */
    uint64_t n_seen;       /* in all */
    enum ice_rule_id rules[ICE_RULE_ID_COUNT]; /* in the order of tool.driver.rules */
    uint16_t place_of[ICE_RULE_ID_COUNT];      /* 1 + index in it; 0: none */
    size_t n_rules;
    struct ice_buf notices;
    uint64_t n_notices, n_notices_left_out;
    struct ice_buf uri;
    uint64_t n_known, n_fixed; /* of the baseline */
    int exit_code;
    bool incomplete, interrupted;
};

static struct sarif *state_of(struct ice_report *report) {
    struct sarif *sarif = report->state;
    if (sarif != NULL)
        return sarif;
    sarif = ice_calloc(&report->alloc, 1, sizeof(*sarif));
    if (sarif == NULL)
        return NULL;
    for (size_t i = 0; i < ICE_COUNT_OF(sarif->results); i++)
        ice_buf_init(&sarif->results[i], &report->alloc, SIZE_MAX / 2);
    ice_buf_init(&sarif->notices, &report->alloc, SIZE_MAX / 2);
    ice_buf_init(&sarif->uri, &report->alloc, SIZE_MAX / 2);
    report->state = sarif;
    return sarif;
}

static void sarif_release(struct ice_report *report) {
    struct sarif *sarif = report->state;
    if (sarif == NULL)
        return;
    for (size_t i = 0; i < ICE_COUNT_OF(sarif->results); i++)
        ice_buf_release(&sarif->results[i]);
    ice_buf_release(&sarif->notices);
    ice_buf_release(&sarif->uri);
    ice_free(&report->alloc, sarif, sizeof(*sarif));
    report->state = NULL;
}

static const char *level_of(enum ice_severity severity) {
    switch (severity) {
    case ICE_ERROR:
        return "error";
    case ICE_WARN:
        return "warning";
    case ICE_INFO:
        return "note";
    case ICE_OFF:
        break;
    }
    return "none";
}

static void put_text(struct ice_json_writer *w, const char *key, const char *text) {
    ice_jw_key(w, key);
    ice_jw_text(w, text);
}

/* {"text": ...} */
static void put_message(struct ice_json_writer *w, const char *key, struct ice_str text) {
    ice_jw_key(w, key);
    ice_jw_object(w);
    ice_jw_key(w, "text");
    ice_jw_str(w, text);
    ice_jw_object_end(w);
}

static void put_known(struct ice_json_writer *w, const char *key, uint64_t value,
                      uint64_t unknown) {
    if (value == unknown)
        return;
    ice_jw_key(w, key);
    ice_jw_u64(w, value);
}

/* ---- a result ---- */

static uint16_t place_of_rule(struct sarif *sarif, const struct ice_rule *rule) {
    enum ice_rule_id id;
    if (!ice_rule_id_of(rule->name, &id))
        return 0;
    if (sarif->place_of[id] == 0) {
        sarif->rules[sarif->n_rules++] = id;
        sarif->place_of[id] = (uint16_t)sarif->n_rules;
    }
    return (uint16_t)(sarif->place_of[id] - 1);
}

static enum ice_status put_physical(struct ice_report *report, struct ice_json_writer *w,
                                    const struct ice_location *at) {
    struct sarif *sarif = report->state;
    ice_buf_clear(&sarif->uri);
    ICE_TRY(ice_place_uri(&sarif->uri, report->prefix, at->file));
    ice_jw_key(w, "physicalLocation");
    ice_jw_object(w);
    ice_jw_key(w, "artifactLocation");
    ice_jw_object(w);
    ice_jw_key(w, "uri");
    ice_jw_str(w, ice_buf_str(&sarif->uri));
    ice_jw_object_end(w);
    if (at->line > 0) { /* of JSON; an Avro file has no lines */
        ice_jw_key(w, "region");
        ice_jw_object(w);
        ice_jw_key(w, "startLine");
        ice_jw_u64(w, at->line);
        put_known(w, "startColumn", at->column, 0);
        ice_jw_object_end(w);
    }
    ice_jw_object_end(w);
    return ICE_OK;
}

static void put_table_name(struct ice_json_writer *w, struct ice_str table) {
    if (table.size == 0)
        return;
    ice_jw_key(w, "logicalLocations");
    ice_jw_array(w);
    ice_jw_object(w);
    ice_jw_key(w, "fullyQualifiedName");
    ice_jw_str(w, table);
    put_text(w, "kind", "table");
    ice_jw_object_end(w);
    ice_jw_array_end(w);
}

static enum ice_status put_locations(struct ice_report *report, struct ice_json_writer *w,
                                     const struct ice_finding *finding) {
    ice_jw_key(w, "locations");
    ice_jw_array(w);
    ice_jw_object(w);
    ICE_TRY(put_physical(report, w, &finding->at));
    put_table_name(w, finding->table);
    ice_jw_object_end(w);
    ice_jw_array_end(w);
    if (finding->other.file.size == 0)
        return ICE_OK;
    ice_jw_key(w, "relatedLocations");
    ice_jw_array(w);
    ice_jw_object(w);
    ICE_TRY(put_physical(report, w, &finding->other));
    put_message(w, "message", ICE_STR("the file that it disagrees with"));
    ice_jw_object_end(w);
    ice_jw_array_end(w);
    return ICE_OK;
}

static void put_properties(struct ice_json_writer *w, const struct ice_finding *finding) {
    const struct ice_location *at = &finding->at;
    ice_jw_key(w, "properties");
    ice_jw_object(w);
    if (at->pointer.size > 0) {
        ice_jw_key(w, "pointer");
        ice_jw_str(w, at->pointer);
    }
    put_known(w, "offset", at->offset, ICE_NO_OFFSET);
    put_known(w, "block", at->block, ICE_NO_OFFSET);
    put_known(w, "record", at->record, ICE_NO_OFFSET);
    put_known(w, "more", finding->more, 0);
    ice_jw_key(w, "args");
    ice_report_put_args(w, finding);
    ice_jw_object_end(w);
}

static enum ice_status put_result(struct ice_report *report, struct ice_json_writer *w,
                                  const struct ice_finding *finding) {
    char hex[17];
    ice_jw_object(w);
    put_text(w, "ruleId", finding->rule->name);
    ice_jw_key(w, "ruleIndex");
    ice_jw_u64(w, place_of_rule(report->state, finding->rule));
    put_text(w, "level", level_of(finding->severity));
    put_message(w, "message", finding->message);
    ICE_TRY(put_locations(report, w, finding));
    ice_jw_key(w, "occurrenceCount");
    ice_jw_u64(w, finding->more < INT64_MAX ? finding->more + 1 : INT64_MAX);
    ice_jw_key(w, "partialFingerprints");
    ice_jw_object(w);
    (void)snprintf(hex, sizeof(hex), "%016" PRIx64, finding->fingerprint);
    put_text(w, "icefsckFinding/v1", hex);
    ice_jw_object_end(w);
    put_properties(w, finding);
    ice_jw_object_end(w);
    return ICE_OK;
}

static enum ice_status sarif_finding(struct ice_report *report,
                                     const struct ice_finding *finding) {
    struct sarif *sarif = state_of(report);
    if (sarif == NULL)
        return ICE_ENOMEM;
    sarif->n_seen++;
    struct ice_buf *held = &sarif->results[finding->severity];
    if (sarif->n_results[finding->severity] == MAX_RESULTS)
        return ICE_OK;
    if (sarif->n_results[finding->severity]++ > 0)
        ICE_TRY(ice_buf_append_str(held, ICE_STR(",\n")));
    struct ice_json_writer w;
    ice_jw_init(&w, ice_report_hold, held, 0);
    ICE_TRY(put_result(report, &w, finding));
    return ice_jw_finish(&w);
}

/* ---- what was not checked ---- */

static enum ice_status add_notice(struct ice_report *report, const char *level,
                                  struct ice_str message, const struct ice_location *at,
                                  struct ice_str table) {
    struct sarif *sarif = report->state;
    struct ice_json_writer w;
    if (sarif->n_notices++ > 0)
        ICE_TRY(ice_buf_append_str(&sarif->notices, ICE_STR(",\n")));
    ice_jw_init(&w, ice_report_hold, &sarif->notices, 0);
    ice_jw_object(&w);
    put_text(&w, "level", level);
    put_message(&w, "message", message);
    if (at != NULL) {
        ice_jw_key(&w, "locations");
        ice_jw_array(&w);
        ice_jw_object(&w);
        ICE_TRY(put_physical(report, &w, at));
        put_table_name(&w, table);
        ice_jw_object_end(&w);
        ice_jw_array_end(&w);
    }
    ice_jw_object_end(&w);
    return ice_jw_finish(&w);
}

static enum ice_status add_missed(struct ice_report *report, struct ice_buf *text,
                                  struct ice_str table,
                                  const struct ice_not_evaluated *line) {
    const struct ice_location at = {.file = line->file};
    ice_buf_clear(text);
    ICE_TRY(ice_buf_append_str(text, line->asked ? ICE_STR("not checked: ")
                                                 : ICE_STR("not asked: ")));
    ICE_TRY(ice_buf_append_str(text, line->what));
    ICE_TRY(ice_buf_append_str(text, ICE_STR(": ")));
    ICE_TRY(ice_buf_append_str(text, line->why));
    if (line->more > 0)
        ICE_TRY(ice_buf_printf(text, " (+%" PRIu64 " more)", line->more));
    return add_notice(report, line->asked ? "error" : "note", ice_buf_str(text), &at,
                      table);
}

static enum ice_status sarif_summary(struct ice_report *report,
                                     const struct ice_summary *summary) {
    struct sarif *sarif = state_of(report);
    if (sarif == NULL)
        return ICE_ENOMEM;
    sarif->exit_code |= summary->exit_code;
    sarif->incomplete = sarif->incomplete || !summary->complete;
    sarif->interrupted = sarif->interrupted || summary->interrupted;
    sarif->n_known += summary->n_known;
    sarif->n_fixed += summary->n_fixed;
    struct ice_buf text;
    ice_buf_init(&text, &report->alloc, SIZE_MAX / 2);
    enum ice_status status = ICE_OK;
    for (size_t i = 0; i < summary->n_not_evaluated && status == ICE_OK; i++) {
        const struct ice_not_evaluated *line = &summary->not_evaluated[i];
        if (sarif->n_notices >= MAX_NOTICES)
            sarif->n_notices_left_out += 1 + line->more;
        else
            status = add_missed(report, &text, summary->table, line);
    }
    ice_buf_release(&text);
    return status;
}

/* ---- the end ---- */

/* A message without its arguments, as a title: "…" where one would stand. A message
 * that is one argument says nothing then: why it matters does. */
static enum ice_status title_of(const struct ice_rule *rule, struct ice_buf *out) {
    ice_buf_clear(out);
    if (rule->message[0] == '{' && strchr(rule->message, '}')[1] == '\0')
        return ice_buf_append_str(out, ice_str_from(rule->why));
    for (const char *at = rule->message; *at != '\0'; at++) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        if (end == NULL) {
            ICE_TRY(ice_buf_append_char(out, *at));
            continue;
        }
        struct ice_str inside = {at + 1, (size_t)(end - at) - 1};
        size_t bar = ice_str_rfind(inside, '|');
        ICE_TRY(ice_buf_append_str(out, bar == SIZE_MAX
                                            ? ICE_STR("\xe2\x80\xa6")
                                            : ice_str_from_index(inside, bar + 1)));
        at = end;
    }
    return ICE_OK;
}

static enum ice_status put_rule(struct ice_report *report, const struct ice_rule *rule) {
    struct ice_json_writer *w = &report->json;
    struct sarif *sarif = report->state;
    ICE_TRY(title_of(rule, &sarif->uri));
    ice_jw_object(w);
    put_text(w, "id", rule->name);
    put_message(w, "shortDescription", ice_buf_str(&sarif->uri));
    put_message(w, "fullDescription", ice_str_from(rule->why));
    ice_buf_clear(&sarif->uri);
    ICE_TRY(ice_buf_append_str(&sarif->uri, ice_str_from(rule->why)));
    if (rule->fix[0] != '\0')
        ICE_TRY(ice_buf_printf(&sarif->uri, " Try: %s.", rule->fix));
    if (rule->refused_by[0] != '\0')
        ICE_TRY(ice_buf_printf(&sarif->uri, " Readers: %s.", rule->refused_by));
    put_message(w, "help", ice_buf_str(&sarif->uri));
    ice_buf_clear(&sarif->uri);
    ICE_TRY(ice_buf_printf(&sarif->uri, "https://iceberg.apache.org/%s%s%s",
                           (rule->needs & ICE_NEEDS_CONF) != 0
                               ? "docs/latest/spark-configuration/"
                               : "spec/",
                           rule->spec[0] != '\0' ? "#" : "", rule->spec));
    ice_jw_key(w, "helpUri");
    ice_jw_str(w, ice_buf_str(&sarif->uri));
    ice_jw_key(w, "defaultConfiguration");
    ice_jw_object(w);
    put_text(w, "level", level_of(rule->severity));
    ice_jw_object_end(w);
    ice_jw_key(w, "properties");
    ice_jw_object(w);
    ice_jw_key(w, "tags");
    ice_jw_array(w);
    ice_jw_text(w, "iceberg");
    const char *group = ice_rule_group_title(rule->group);
    if (group != NULL)
        ice_jw_text(w, group);
    ice_jw_array_end(w);
    ice_jw_object_end(w);
    ice_jw_object_end(w);
    return ICE_OK;
}

static enum ice_status put_tool(struct ice_report *report) {
    struct ice_json_writer *w = &report->json;
    struct sarif *sarif = report->state;
    ice_jw_key(w, "tool");
    ice_jw_object(w);
    ice_jw_key(w, "driver");
    ice_jw_object(w);
    put_text(w, "name", "icefsck");
    put_text(w, "version", ice_version());
    put_text(w, "semanticVersion", ice_version());
    ice_jw_key(w, "rules");
    ice_jw_array(w);
    for (size_t i = 0; i < sarif->n_rules; i++)
        ICE_TRY(put_rule(report, ice_rule_of(sarif->rules[i])));
    ice_jw_array_end(w);
    ice_jw_object_end(w);
    ice_jw_object_end(w);
    return ICE_OK;
}

/* What this report itself leaves out. */
static enum ice_status say_left_out(struct ice_report *report) {
    struct sarif *sarif = report->state;
    char text[160];
    if (sarif->n_seen > MAX_RESULTS) {
        (void)snprintf(text, sizeof(text),
                       "only the %d worst of %" PRIu64
                       " results are here: the others are "
                       "in icefsck -f ndjson",
                       MAX_RESULTS, sarif->n_seen);
        ICE_TRY(add_notice(report, "warning", ice_str_from(text), NULL, ICE_STR_NONE));
    }
    if (sarif->n_known + sarif->n_fixed > 0) {
        (void)snprintf(text, sizeof(text),
                       "%" PRIu64 " findings are in the baseline and not here, %" PRIu64
                       " of it are fixed",
                       sarif->n_known, sarif->n_fixed);
        ICE_TRY(add_notice(report, "note", ice_str_from(text), NULL, ICE_STR_NONE));
    }
    if (sarif->n_notices_left_out == 0)
        return ICE_OK;
    (void)snprintf(text, sizeof(text), "%" PRIu64 " more things were not checked",
                   sarif->n_notices_left_out);
    return add_notice(report, sarif->incomplete ? "error" : "note", ice_str_from(text),
                      NULL, ICE_STR_NONE);
}

static void put_invocation(struct ice_report *report) {
    struct ice_json_writer *w = &report->json;
    const struct sarif *sarif = report->state;
    ice_jw_key(w, "invocations");
    ice_jw_array(w);
    ice_jw_object(w);
    ice_jw_key(w, "executionSuccessful");
    ice_jw_bool(w, !sarif->incomplete);
    ice_jw_key(w, "exitCode");
    ice_jw_i64(w, sarif->interrupted ? 130 : sarif->exit_code);
    ice_jw_key(w, "toolExecutionNotifications");
    ice_jw_array(w);
    if (sarif->notices.size > 0)
        ice_jw_raw(w, ice_buf_str(&sarif->notices));
    ice_jw_array_end(w);
    ice_jw_object_end(w);
    ice_jw_array_end(w);
}

/* The first n of them: none has a line end inside. */
static struct ice_str first_results(struct ice_str text, uint64_t n) {
    size_t end = 0;
    for (; n > 0 && end < text.size; n--) {
        const char *line = memchr(text.data + end, '\n', text.size - end);
        if (line == NULL)
            return text;
        end = (size_t)(line - text.data) + 1;
    }
    return ice_str_first(text, end > 2 ? end - 2 : 0); /* without its ",\n" */
}

/* The worst first. */
static void put_results(struct ice_report *report) {
    struct ice_json_writer *w = &report->json;
    const struct sarif *sarif = report->state;
    uint64_t room = MAX_RESULTS;
    ice_jw_key(w, "results");
    ice_jw_array(w);
    for (int level = ICE_ERROR; level > ICE_OFF && room > 0; level--) {
        if (sarif->n_results[level] == 0)
            continue;
        ice_jw_raw(w, first_results(ice_buf_str(&sarif->results[level]), room));
        room -= sarif->n_results[level] < room ? sarif->n_results[level] : room;
    }
    ice_jw_array_end(w);
}

static enum ice_status sarif_finish(struct ice_report *report) {
    struct ice_json_writer *w = &report->json;
    if (state_of(report) == NULL)
        return ICE_ENOMEM;
    ice_jw_object(w);
    put_text(w, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    put_text(w, "version", "2.1.0");
    ice_jw_key(w, "runs");
    ice_jw_array(w);
    ice_jw_object(w);
    ICE_TRY(put_tool(report));
    ICE_TRY(say_left_out(report));
    put_invocation(report);
    put_text(w, "columnKind", "unicodeCodePoints");
    put_results(report);
    ice_jw_object_end(w);
    ice_jw_array_end(w);
    ice_jw_object_end(w);
    ice_jw_newline(w);
    return ice_jw_finish(w);
}

const struct ice_report_ops ice_report_sarif = {sarif_finding, sarif_summary,
                                                sarif_finish, sarif_release};
