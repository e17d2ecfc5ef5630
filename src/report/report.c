/*
 * Opening, dispatch and freeing of reports.
 */
#include "report/report.h"

#include "base/error.h"

static const struct ice_report_ops *ops_of(enum ice_format format) {
    switch (format) {
    case ICE_FORMAT_HUMAN:
        return &ice_report_human;
    case ICE_FORMAT_SHORT:
        return &ice_report_short;
    case ICE_FORMAT_JSON:
        return &ice_report_json;
    case ICE_FORMAT_NDJSON:
        return &ice_report_ndjson;
    case ICE_FORMAT_LINES:
        return &ice_report_lines;
    case ICE_FORMAT_HTML:
        return &ice_report_html;
    case ICE_FORMAT_SARIF:
        return &ice_report_sarif;
    case ICE_FORMAT_JUNIT:
        return &ice_report_junit;
    case ICE_FORMAT_GITHUB:
        return &ice_report_github;
    case ICE_FORMAT_MARKDOWN:
        return &ice_report_markdown;
    case ICE_FORMAT_TABLE:
    case ICE_FORMAT_TSV:
    case ICE_FORMAT_GRAPH:
    case ICE_FORMAT_ARROW:
        return NULL;
    }
    return NULL;
}

enum ice_status ice_report_open(struct ice_report **out, enum ice_format format,
                                const struct ice_report_options *options,
                                const struct ice_allocator *allocator, ice_write_fn write,
                                void *user, struct ice_error *err) {
    *out = NULL;
    const struct ice_report_ops *ops = ops_of(format);
    if (ops == NULL || write == NULL)
        return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "no report of findings has this format");
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, allocator, UINT64_MAX);
    struct ice_report *report = ice_calloc(&alloc, 1, sizeof(*report));
    if (report == NULL)
        return ice_error_memory(err);
    ice_alloc_init(&report->alloc, allocator, UINT64_MAX);
    report->ops = ops;
    if (options != NULL)
        report->options = *options;
    report->write = write;
    report->user = user;
    ice_text_init(&report->text, write, user);
    ice_jw_init(&report->json, write, user, 0);
    ice_arena_init(&report->arena, &report->alloc);
    ice_buf_init(&report->held, &report->alloc, SIZE_MAX / 2);
    ice_buf_init(&report->prefix_text, &report->alloc, SIZE_MAX / 2);
    *out = report;
    return ICE_OK;
}

void ice_report_free(struct ice_report *report) {
    if (report == NULL)
        return;
    if (report->ops->release != NULL)
        report->ops->release(report);
    ice_array_free(&report->alloc, &report->folds, &report->cap_folds,
                   sizeof(*report->folds));
    ice_arena_release(&report->arena);
    ice_buf_release(&report->held);
    ice_buf_release(&report->prefix_text);
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, &report->alloc.base, UINT64_MAX);
    ice_free(&alloc, report, sizeof(*report));
}

enum ice_status ice_report_directory(struct ice_report *report, const char *directory) {
    ice_buf_clear(&report->prefix_text);
    struct ice_str text = ice_str_from(directory);
    ICE_TRY(ice_buf_append_str(&report->prefix_text, text));
    if (text.size > 0 && text.data[text.size - 1] != '/')
        ICE_TRY(ice_buf_append_char(&report->prefix_text, '/'));
    report->prefix = ice_buf_str(&report->prefix_text);
    return ICE_OK;
}

enum ice_status ice_report_finding(const struct ice_finding *finding, void *user) {
    struct ice_report *report = user;
    if (finding->severity < report->options.min_severity || finding->is_known)
        return ICE_OK;
    return report->ops->finding(report, finding);
}

enum ice_status ice_report_summary(struct ice_report *report,
                                   const struct ice_summary *summary,
                                   const struct ice_report_options *options) {
    if (options != NULL) {
        report->options.seconds = options->seconds;
        report->options.path = options->path;
        report->options.key = options->key;
    }
    enum ice_status status = report->ops->summary(report, summary);
    report->n_tables++;
    bool found = false;
    for (size_t i = 0; i < ICE_COUNT_OF(report->counts); i++) {
        report->counts[i] += summary->counts[i];
        found = found || (i >= ICE_WARN && summary->counts[i] > 0);
    }
    report->n_tables_found += found;
    report->n_tables_incomplete += !summary->complete;
    return status;
}

enum ice_status ice_report_finish(struct ice_report *report) {
    if (report->finished)
        return ICE_EARG;
    report->finished = true;
    return report->ops->finish(report);
}
