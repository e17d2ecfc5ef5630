/*
 * A page of HTML under test, and what is put into it.
 */
#include "support/cmocka_all.h"

#include "base/compiler.h"
#include "base/str.h"
#include "report/html.h"
#include "support/failing.h"
#include "support/taken_text.h"

#include <inttypes.h>
#include <stdio.h>

static const struct ice_rule error_rule = {.name = "list.files-count.mismatch",
                                           .severity = ICE_ERROR,
                                           .spec = "manifest-lists",
                                           .message = "",
                                           .why = "rows may be skipped",
                                           .refused_by = "",
                                           .fix = "rewrite the list"};
static const struct ice_rule warn_rule = {.name = "hint.stale",
                                          .severity = ICE_WARN,
                                          .spec = "",
                                          .message = "",
                                          .why = "old readers are misled",
                                          .refused_by = "",
                                          .fix = "write <hint> & \"go\""};

/* ---- a page ---- */

struct page {
    struct text html;
    struct ice_report *report;
};

static inline void open_page(struct page *page) {
    const struct ice_report_options options = {.min_severity = ICE_WARN};
    *page = (struct page){0};
    assert_int_equal(ice_report_open(&page->report, ICE_FORMAT_HTML, &options, NULL,
                                     take_text, &page->html, NULL),
                     ICE_OK);
}

static inline void finish(struct page *page) {
    assert_int_equal(ice_report_finish(page->report), ICE_OK);
    ice_report_free(page->report);
    page->report = NULL;
}

static inline size_t count(const struct page *page, const char *part) {
    size_t n = 0;
    for (const char *at = page->html.bytes; (at = strstr(at, part)) != NULL; at++)
        n++;
    return n;
}

static inline void has(const struct page *page, const char *part) {
    if (strstr(page->html.bytes, part) == NULL)
        fail_msg("the page lacks: %s", part);
}

static inline enum ice_status
put_finding(struct ice_report *report, const struct ice_rule *rule, const char *message) {
    const struct ice_finding finding = {.rule = rule,
                                        .severity = rule->severity,
                                        .table = ICE_STR("orders"),
                                        .at = {.file = ICE_STR("metadata/m.avro"),
                                               .offset = ICE_NO_OFFSET,
                                               .block = ICE_NO_OFFSET,
                                               .record = 3},
                                        .message = ice_str_from(message)};
    return ice_report_finding(&finding, report);
}

static inline enum ice_status put_summary(struct ice_report *report, const char *name,
                                          uint64_t n_errors, uint64_t n_warnings) {
    const struct ice_summary summary = {.table = ice_str_from(name),
                                        .counts = {0, 0, n_warnings, n_errors},
                                        .has_current_snapshot = true,
                                        .current_snapshot_id = 1,
                                        .complete = true};
    return ice_report_summary(report, &summary, NULL);
}
