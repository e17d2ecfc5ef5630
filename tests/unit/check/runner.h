/*
 * Runs a check over files in memory and keeps its findings as lines of text.
 */
#ifndef ICE_TEST_CHECK_RUNNER_H
#define ICE_TEST_CHECK_RUNNER_H

#include "icefsck.h"
#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct test_result {
    char findings[8192]; /* "severity rule file#pointer\n" each */
    struct ice_summary *summary;
    struct ice_error err;
    enum ice_status status;
};

static inline enum ice_status test_note(const struct ice_finding *finding, void *user) {
    struct test_result *result = user;
    size_t used = strlen(result->findings);
    (void)snprintf(result->findings + used, sizeof(result->findings) - used,
                   "%s %s %.*s%s%.*s\n", ice_severity_name(finding->severity),
                   finding->rule->name, ICE_STR_FMT(finding->at.file),
                   finding->at.pointer.size > 0 ? "#" : "",
                   ICE_STR_FMT(finding->at.pointer));
    return ICE_OK;
}

/* pairs: key, text, key, text ... NULL. */
static inline void test_check(struct test_result *result, const char *const *pairs,
                              const char *root, const struct ice_options *options) {
    struct ice_memory_file files[32];
    size_t n = 0;
    for (; pairs[2 * n] != NULL; n++) {
        assert_true(n < ICE_COUNT_OF(files));
        files[n] = (struct ice_memory_file){ice_str_from(pairs[2 * n]),
                                            ice_str_from(pairs[2 * n + 1])};
    }
    struct ice_source *source = NULL;
    *result = (struct test_result){0};
    assert_int_equal(ice_source_open_memory(&source, files, n, options->allocator, NULL),
                     ICE_OK);
    result->status = ice_check_table(source, root, options, test_note, result,
                                     &result->summary, &result->err);
    ice_source_free(source);
}

/* The findings of two globs (one may be repeated) must be these lines. */
static inline void test_expect_lines(const struct test_result *result, const char *glob,
                                     const char *other_glob, const char *expected) {
    char kept[4096] = "";
    const char *line = result->findings;
    while (*line != '\0') {
        const char *end = strchr(line, '\n');
        char rule[128];
        (void)sscanf(line, "%*s %127s", rule);
        size_t used = strlen(kept);
        if (ice_rule_matches(glob, rule) || ice_rule_matches(other_glob, rule))
            (void)snprintf(kept + used, sizeof(kept) - used, "%.*s\n", (int)(end - line),
                           line);
        line = end + 1;
    }
    if (strcmp(kept, expected) != 0)
        fail_msg("findings of %s and %s are\n%sexpected\n%s", glob, other_glob, kept,
                 expected);
}

#endif
