/*
 * The JSON contract: ndjson (an object a line), json (one document) and lines (a table a
 * line).
 */
#include "report/report.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

static void put_optional(struct ice_json_writer *w, const char *key,
                         struct ice_str text) {
    ice_jw_key(w, key);
    if (text.size > 0)
        ice_jw_str(w, text);
    else
        ice_jw_null(w);
}

static void put_number(struct ice_json_writer *w, const char *key, uint64_t value) {
    ice_jw_key(w, key);
    ice_jw_u64(w, value);
}

/* null where unknown */
static void put_position(struct ice_json_writer *w, const char *key, uint64_t value,
                         uint64_t unknown) {
    ice_jw_key(w, key);
    if (value == unknown)
        ice_jw_null(w);
    else
        ice_jw_u64(w, value);
}

static void put_location(struct ice_json_writer *w, const struct ice_location *at) {
    put_optional(w, "file", at->file);
    put_optional(w, "pointer", at->pointer);
    put_position(w, "offset", at->offset, ICE_NO_OFFSET);
    put_position(w, "line", at->line, 0);
    put_position(w, "column", at->column, 0);
    put_position(w, "block", at->block, ICE_NO_OFFSET);
    put_position(w, "record", at->record, ICE_NO_OFFSET);
}

static void put_arg(struct ice_json_writer *w, const struct ice_arg *arg) {
    ice_jw_key(w, arg->name);
    switch (arg->kind) {
    case ICE_ARG_STR:
        ice_jw_str(w, arg->str);
        return;
    case ICE_ARG_I64:
        ice_jw_i64(w, arg->i64);
        return;
    case ICE_ARG_ID:
        ice_jw_i64_string(w, arg->i64);
        return;
    case ICE_ARG_BYTES:
        ice_jw_hex(w, arg->str);
        return;
    case ICE_ARG_BOOL:
        ice_jw_bool(w, arg->i64 != 0);
        return;
    }
}

void ice_report_put_args(struct ice_json_writer *w, const struct ice_finding *finding) {
    ice_jw_object(w);
    for (size_t i = 0; i < finding->n_args; i++)
        put_arg(w, &finding->args[i]);
    ice_jw_object_end(w);
}

static void put_finding(struct ice_json_writer *w, const struct ice_finding *finding) {
    ice_jw_object(w);
    ice_jw_key(w, "kind");
    ice_jw_text(w, "finding");
    ice_jw_key(w, "rule");
    ice_jw_text(w, finding->rule->name);
    ice_jw_key(w, "severity");
    ice_jw_text(w, ice_severity_name(finding->severity));
    ice_jw_key(w, "table");
    ice_jw_str(w, finding->table);
    put_location(w, &finding->at);
    ice_jw_key(w, "message");
    ice_jw_str(w, finding->message);
    ice_jw_key(w, "args");
    ice_report_put_args(w, finding);
    put_optional(w, "other", finding->other.file);
    put_optional(w, "other_pointer", finding->other.pointer);
    put_number(w, "more", finding->more);
    ice_jw_key(w, "fingerprint");
    char hex[17];
    (void)snprintf(hex, sizeof(hex), "%016" PRIx64, finding->fingerprint);
    ice_jw_text(w, hex);
    ice_jw_object_end(w);
}

static void put_counts(struct ice_json_writer *w, const struct ice_summary *summary) {
    ice_jw_key(w, "counts");
    ice_jw_object(w);
    put_number(w, "error", summary->counts[ICE_ERROR]);
    put_number(w, "warn", summary->counts[ICE_WARN]);
    put_number(w, "info", summary->counts[ICE_INFO]);
    ice_jw_object_end(w);
    ice_jw_key(w, "read");
    ice_jw_object(w);
    put_number(w, "metadata_files", summary->n_metadata_files);
    put_number(w, "snapshots", summary->n_snapshots);
    put_number(w, "manifest_lists", summary->n_lists);
    put_number(w, "manifests", summary->n_manifests);
    put_number(w, "entries", summary->n_entries);
    put_number(w, "bytes", summary->n_bytes);
    put_number(w, "refs", summary->n_refs);
    ice_jw_object_end(w);
    ice_jw_key(w, "scope");
    ice_jw_object(w);
    put_optional(w, "snapshots", ice_str_from(summary->scope_snapshots));
    put_optional(w, "depth", ice_str_from(summary->depth));
    ice_jw_object_end(w);
}

static void put_not_evaluated(struct ice_json_writer *w,
                              const struct ice_summary *summary) {
    ice_jw_key(w, "not_evaluated");
    ice_jw_array(w);
    for (size_t i = 0; i < summary->n_not_evaluated; i++) {
        const struct ice_not_evaluated *line = &summary->not_evaluated[i];
        ice_jw_object(w);
        ice_jw_key(w, "what");
        ice_jw_str(w, line->what);
        ice_jw_key(w, "why");
        ice_jw_str(w, line->why);
        ice_jw_key(w, "asked");
        ice_jw_bool(w, line->asked);
        put_optional(w, "file", line->file);
        put_number(w, "more", line->more);
        ice_jw_object_end(w);
    }
    ice_jw_array_end(w);
}

/* Only where one was given. */
static void put_baseline(struct ice_json_writer *w, const struct ice_summary *summary) {
    if (!summary->has_baseline)
        return;
    ice_jw_key(w, "baseline");
    ice_jw_object(w);
    put_number(w, "known", summary->n_known);
    put_number(w, "fixed", summary->n_fixed);
    ice_jw_object_end(w);
}

static void put_summary(struct ice_json_writer *w, const struct ice_summary *summary) {
    ice_jw_object(w);
    ice_jw_key(w, "kind");
    ice_jw_text(w, "summary");
    ice_jw_key(w, "table");
    ice_jw_str(w, summary->table);
    put_optional(w, "location", summary->location);
    put_optional(w, "table_uuid", summary->table_uuid);
    put_position(w, "format_version",
                 summary->format_version > 0 ? (uint64_t)summary->format_version : 0, 0);
    put_optional(w, "metadata_file", summary->metadata_file);
    put_optional(w, "picked_by", ice_str_from(summary->picked_by));
    ice_jw_key(w, "current_snapshot_id");
    if (summary->has_current_snapshot)
        ice_jw_i64_string(w, summary->current_snapshot_id);
    else
        ice_jw_null(w);
    put_counts(w, summary);
    if (summary->has_opinions) {
        ice_jw_key(w, "second_opinion");
        ice_jw_object(w);
        put_number(w, "same_blocks", summary->n_same_blocks);
        put_number(w, "same_records", summary->n_same_records);
        ice_jw_object_end(w);
    }
    put_baseline(w, summary);
    put_not_evaluated(w, summary);
    ice_jw_key(w, "complete");
    ice_jw_bool(w, summary->complete);
    ice_jw_key(w, "interrupted");
    ice_jw_bool(w, summary->interrupted);
    ice_jw_key(w, "exit");
    ice_jw_i64(w, summary->exit_code);
    ice_jw_object_end(w);
}

/* ---- ndjson ---- */

static enum ice_status ndjson_finding(struct ice_report *report,
                                      const struct ice_finding *finding) {
    put_finding(&report->json, finding);
    ice_jw_newline(&report->json);
    return report->json.status;
}

static enum ice_status ndjson_summary(struct ice_report *report,
                                      const struct ice_summary *summary) {
    put_summary(&report->json, summary);
    ice_jw_newline(&report->json);
    return ice_jw_finish(&report->json);
}

static enum ice_status ndjson_finish(struct ice_report *report) {
    return ice_jw_finish(&report->json);
}

const struct ice_report_ops ice_report_ndjson = {ndjson_finding, ndjson_summary,
                                                 ndjson_finish, NULL};

/* ---- json ---- */

enum ice_status ice_report_hold(const char *data, size_t size, void *user) {
    return ice_buf_append(user, data, size);
}

/* The summary stands in front of the findings, so these wait for it as text. */
static enum ice_status json_finding(struct ice_report *report,
                                    const struct ice_finding *finding) {
    if (report->held.size > 0)
        ICE_TRY(ice_buf_append_char(&report->held, ','));
    struct ice_json_writer w;
    ice_jw_init(&w, ice_report_hold, &report->held, 0);
    put_finding(&w, finding);
    return ice_jw_finish(&w);
}

static void json_begin(struct ice_report *report) {
    struct ice_json_writer *w = &report->json;
    ice_jw_object(w);
    ice_jw_key(w, "schema");
    ice_jw_text(w, "icefsck-report/1");
    ice_jw_key(w, "tables");
    ice_jw_array(w);
}

/* An element of "tables"; its object is left open. */
static void put_table(struct ice_report *report, const struct ice_summary *summary) {
    struct ice_json_writer *w = &report->json;
    ice_jw_object(w);
    ice_jw_key(w, "summary");
    put_summary(w, summary);
    ice_jw_key(w, "findings");
    ice_jw_array(w);
    if (report->held.size > 0)
        ice_jw_raw(w, ice_buf_str(&report->held));
    ice_jw_array_end(w);
    ice_buf_clear(&report->held);
}

static enum ice_status json_summary(struct ice_report *report,
                                    const struct ice_summary *summary) {
    if (report->n_tables == 0)
        json_begin(report);
    put_table(report, summary);
    ice_jw_object_end(&report->json);
    return ice_jw_finish(&report->json);
}

static enum ice_status json_finish(struct ice_report *report) {
    struct ice_json_writer *w = &report->json;
    if (report->n_tables == 0)
        json_begin(report);
    ice_jw_array_end(w);
    ice_jw_object_end(w);
    ice_jw_newline(w);
    return ice_jw_finish(w);
}

const struct ice_report_ops ice_report_json = {json_finding, json_summary, json_finish,
                                               NULL};

/* ---- lines ---- */

static enum ice_status lines_summary(struct ice_report *report,
                                     const struct ice_summary *summary) {
    struct ice_json_writer *w = &report->json;
    put_table(report, summary);
    if (report->options.path != NULL) {
        ice_jw_key(w, "path");
        ice_jw_text(w, report->options.path);
    }
    if (report->options.key != NULL) {
        ice_jw_key(w, "key");
        ice_jw_text(w, report->options.key);
    }
    ice_jw_object_end(w);
    ice_jw_newline(w);
    return ice_jw_finish(w);
}

const struct ice_report_ops ice_report_lines = {json_finding, lines_summary,
                                                ndjson_finish, NULL};
