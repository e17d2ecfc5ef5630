/*
 * The reports of -o in batch, fed from the lines: what a child found, or an earlier run,
 * reaches them by the one text that all of them write. Formats are those of check.
 */
#include "cli/batch.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static struct ice_str text_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    return (struct ice_str){text, text != NULL ? json_string_length(value) : 0};
}

/* Lives as long as the line. */
static const char *word_of(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static uint64_t number_of(const json_t *object, const char *key, uint64_t without) {
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? (uint64_t)json_integer_value(value) : without;
}

static enum ice_severity severity_of(const json_t *object) {
    enum ice_severity severity = ICE_INFO;
    const char *word = word_of(object, "severity");
    return word != NULL && cli_severity(word, &severity) ? severity : ICE_INFO;
}

static struct ice_location location_of(const json_t *object) {
    return (struct ice_location){
        .file = text_of(object, "file"),
        .pointer = text_of(object, "pointer"),
        .offset = number_of(object, "offset", ICE_NO_OFFSET),
        .line = (uint32_t)number_of(object, "line", 0),
        .column = (uint32_t)number_of(object, "column", 0),
        .block = number_of(object, "block", ICE_NO_OFFSET),
        .record = number_of(object, "record", ICE_NO_OFFSET),
    };
}

/* An id, and binary, are strings by now: what reports show of them is the same. */
static struct ice_arg arg_of(const char *name, const json_t *value) {
    struct ice_arg arg = {.name = name, .kind = ICE_ARG_STR};
    if (json_is_integer(value)) {
        arg.kind = ICE_ARG_I64;
        arg.i64 = json_integer_value(value);
    } else if (json_is_boolean(value)) {
        arg.kind = ICE_ARG_BOOL;
        arg.i64 = json_is_true(value);
    } else if (json_is_string(value)) {
        arg.str = (struct ice_str){json_string_value(value), json_string_length(value)};
    }
    return arg;
}

static size_t args_of(json_t *object, struct ice_arg **out) {
    json_t *args = json_object_get(object, "args"), *value = NULL;
    const char *name = NULL;
    size_t n = 0;
    *out = cli_alloc(json_object_size(args) + 1, sizeof(**out));
    json_object_foreach(args, name, value)(*out)[n++] = arg_of(name, value);
    return n;
}

static enum ice_status put_finding(struct cli_findings *findings, json_t *object) {
    struct ice_arg *args;
    const char *rule = word_of(object, "rule"), *hash = word_of(object, "fingerprint");
    struct ice_finding finding = {
        .rule = rule != NULL ? ice_rule_find(rule) : NULL,
        .severity = severity_of(object),
        .table = text_of(object, "table"),
        .at = location_of(object),
        .other = {.file = text_of(object, "other"),
                  .pointer = text_of(object, "other_pointer"),
                  .offset = ICE_NO_OFFSET,
                  .block = ICE_NO_OFFSET,
                  .record = ICE_NO_OFFSET},
        .message = text_of(object, "message"),
        .more = number_of(object, "more", 0),
        .fingerprint = hash != NULL ? strtoull(hash, NULL, 16) : 0,
    };
    if (finding.rule == NULL)
        return ICE_EFORMAT;
    finding.n_args = args_of(object, &args);
    finding.args = args;
    enum ice_status status = cli_findings_one(&finding, findings);
    cli_free(args);
    return status;
}

static struct ice_not_evaluated *missed_of(const json_t *lines, size_t *out_n) {
    *out_n = json_array_size(lines);
    struct ice_not_evaluated *missed = cli_alloc(*out_n + 1, sizeof(*missed));
    for (size_t i = 0; i < *out_n; i++) {
        const json_t *line = json_array_get(lines, i);
        missed[i] = (struct ice_not_evaluated){
            .what = text_of(line, "what"),
            .why = text_of(line, "why"),
            .file = text_of(line, "file"),
            .asked = json_is_true(json_object_get(line, "asked")),
            .more = number_of(line, "more", 0),
        };
    }
    return missed;
}

static void read_counts(const json_t *object, struct ice_summary *out) {
    const json_t *counts = json_object_get(object, "counts");
    const json_t *read = json_object_get(object, "read");
    const json_t *scope = json_object_get(object, "scope");
    for (int level = ICE_INFO; level <= ICE_ERROR; level++)
        out->counts[level] =
            number_of(counts, ice_severity_name((enum ice_severity)level), 0);
    out->n_metadata_files = number_of(read, "metadata_files", 0);
    out->n_snapshots = number_of(read, "snapshots", 0);
    out->n_lists = number_of(read, "manifest_lists", 0);
    out->n_manifests = number_of(read, "manifests", 0);
    out->n_entries = number_of(read, "entries", 0);
    out->n_bytes = number_of(read, "bytes", 0);
    out->n_refs = number_of(read, "refs", 0);
    out->scope_snapshots = word_of(scope, "snapshots");
    out->depth = word_of(scope, "depth");
}

static struct ice_summary summary_of(const json_t *object) {
    const char *snapshot = word_of(object, "current_snapshot_id");
    struct ice_summary out = {
        .table = text_of(object, "table"),
        .location = text_of(object, "location"),
        .table_uuid = text_of(object, "table_uuid"),
        .metadata_file = text_of(object, "metadata_file"),
        .picked_by = word_of(object, "picked_by"),
        .format_version = (int)number_of(object, "format_version", 0),
        .has_current_snapshot = snapshot != NULL,
        .current_snapshot_id = snapshot != NULL ? strtoll(snapshot, NULL, 10) : 0,
        .complete = json_is_true(json_object_get(object, "complete")),
        .interrupted = json_is_true(json_object_get(object, "interrupted")),
        .exit_code = (int)number_of(object, "exit", 0),
    };
    const json_t *baseline = json_object_get(object, "baseline");
    out.has_baseline = baseline != NULL;
    out.n_known = number_of(baseline, "known", 0);
    out.n_fixed = number_of(baseline, "fixed", 0);
    read_counts(object, &out);
    return out;
}

static enum ice_status put_table(struct cli_findings *findings, json_t *line,
                                 const struct cli_history *history) {
    json_t *lines = json_object_get(line, "findings");
    const json_t *object = json_object_get(line, "summary");
    enum ice_status status = json_is_object(object) ? ICE_OK : ICE_EFORMAT;
    findings->path = word_of(line, "path");
    findings->key = word_of(line, "key");
    cli_findings_directory(findings, cli_directory_of(findings->path));
    for (size_t i = 0; i < json_array_size(lines) && status == ICE_OK; i++)
        status = put_finding(findings, json_array_get(lines, i));
    if (status >= 0)
        status = cli_findings_history(findings, history);
    if (status < 0)
        return status;
    struct ice_summary summary = summary_of(object);
    struct ice_not_evaluated *missed =
        missed_of(json_object_get(object, "not_evaluated"), &summary.n_not_evaluated);
    summary.not_evaluated = missed;
    status = cli_findings_summary(findings, &summary);
    cli_free(missed);
    return status;
}

enum ice_status cli_findings_line(struct cli_findings *findings, const char *text,
                                  size_t size, const struct cli_history *history) {
    json_error_t error;
    json_t *line = json_loadb(text, size, JSON_ALLOW_NUL, &error);
    if (line == NULL) /* it is ours, or was read before: only memory can lack */
        cli_out_of_memory();
    size_t before = cli_mark();
    enum ice_status status = put_table(findings, line, history);
    cli_free_between(before, cli_mark());
    json_decref(line);
    return status;
}
