/*
 * Findings and summaries with and without their optional parts, and reports of them as
 * text.
 */
#include "support/cmocka_all.h"

#include "base/compiler.h"
#include "base/str.h"
#include "icefsck.h"
#include "support/failing.h"
#include "support/taken_text.h"

#include <jansson.h>
#include <stdio.h>

static const struct ice_rule list_rule = {.name = "list.files-count.mismatch",
                                          .severity = ICE_ERROR,
                                          .spec = "",
                                          .message = "",
                                          .why = "rows may be skipped",
                                          .refused_by = "",
                                          .fix = ""};
/* of a program that has rules of its own */
static const struct ice_rule foreign_rule = {.name = "no.such.rule",
                                             .severity = ICE_WARN,
                                             .spec = "",
                                             .message = "",
                                             .why = "it is nobody's",
                                             .refused_by = "",
                                             .fix = "ask"};

#define NOWHERE                                                                          \
    { .offset = ICE_NO_OFFSET, .block = ICE_NO_OFFSET, .record = ICE_NO_OFFSET }

/* A finding without any optional part; the parts are set on it. */
static inline struct ice_finding bare(void) {
    return (struct ice_finding){.rule = &list_rule,
                                .severity = ICE_ERROR,
                                .at = NOWHERE,
                                .other = NOWHERE,
                                .message = ICE_STR("bare")};
}

static inline struct ice_finding in_block(uint64_t record, uint64_t offset) {
    struct ice_finding finding = bare();
    finding.at = (struct ice_location){
        .file = ICE_STR("m.avro"), .offset = offset, .block = 3, .record = record};
    finding.message = ICE_STR("in a block");
    return finding;
}

static inline struct ice_summary sound(void) {
    return (struct ice_summary){.table = ICE_STR("orders"), .complete = true};
}

static const struct ice_not_evaluated asked = {
    .what = {"manifest", 8}, .why = {"absent", 6}, .asked = true, .more = 2};
static const struct ice_not_evaluated not_asked = {
    .what = {"spec.*", 6}, .why = {"left out", 8}, .file = {"f", 1}, .more = 3};

/* ---- one report, as text ---- */

struct input {
    struct ice_report_options options;
    const struct ice_finding *findings;
    size_t n_findings;
    const struct ice_summary *summaries;
    size_t n_summaries;
};

static inline enum ice_status write_report(enum ice_format format,
                                           const struct input *input,
                                           const struct ice_allocator *allocator,
                                           struct text *text) {
    struct ice_report *report = NULL;
    *text = (struct text){NULL, 0};
    enum ice_status status = ice_report_open(&report, format, &input->options, allocator,
                                             take_text, text, NULL);
    for (size_t i = 0; i < input->n_findings && status == ICE_OK; i++)
        status = ice_report_finding(&input->findings[i], report);
    for (size_t i = 0; i < input->n_summaries && status == ICE_OK; i++)
        status = ice_report_summary(report, &input->summaries[i], &input->options);
    if (status == ICE_OK)
        status = ice_report_finish(report);
    ice_report_free(report);
    return status;
}

/* Has the report each of the parts, up to NULL? One that begins with '!' it must lack. */
static inline void check(enum ice_format format, const struct input *input,
                         const char *const *parts) {
    struct text text;
    assert_int_equal(write_report(format, input, NULL, &text), ICE_OK);
    for (; *parts != NULL; parts++) {
        bool is_wanted = (*parts)[0] != '!';
        if ((strstr(text.bytes, *parts + !is_wanted) != NULL) != is_wanted)
            fail_msg("format %d %s '%s':\n%s", (int)format, is_wanted ? "lacks" : "has",
                     *parts + !is_wanted, text.bytes);
    }
    free(text.bytes);
}

#define PARTS(...)                                                                       \
    (const char *const[]) {                                                              \
        __VA_ARGS__, NULL                                                                \
    }
#define ONE(finding, summary)                                                            \
    { .findings = &(finding), .n_findings = 1, .summaries = &(summary), .n_summaries = 1 }
