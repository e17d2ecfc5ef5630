/*
 * Setups as tables: files that are written down in the test, and all that ice_lint_conf
 * says of them, in its order.
 */
#ifndef ICE_TESTS_UNIT_CONF_LINT_CASES_H
#define ICE_TESTS_UNIT_CONF_LINT_CASES_H

#include "base/compiler.h"
#include "base/str.h"
#include "icefsck.h"

#include "support/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LINT_FILES = 5, LINT_TEXT = 16384 };

/* A JSON document, written without escapes. */
#define J(...) #__VA_ARGS__
/* ... in which macros count (true and false are some). */
#define J_EXPANDED(...) J(__VA_ARGS__)

struct lint_case {
    const char *about;
    const char *only; /* glob of the rules that run */
    struct {
        const char *name, *text;
    } files[LINT_FILES];
    /* a line a finding: RULE FILE TEXT, where TEXT begins the place in the file (a quote
     * there is stepped over); "" none at all */
    const char *expect;
    const char *unchecked; /* what must be named as not checked; NULL: not looked at */
    const char *platform, *profile, *region, *known;
};

struct lint_got {
    const struct lint_case *c;
    const char *left; /* of expect */
    bool differs;
    char all[LINT_TEXT];
    size_t size;
};

static inline void lint_note(struct lint_got *got, const char *text, size_t size) {
    size_t room = sizeof(got->all) - 1 - got->size;
    size = size < room ? size : room;
    memcpy(got->all + got->size, text, size);
    got->size += size;
}

/* Bytes of the file from the finding's place on. */
static inline const char *lint_place(const struct lint_case *c,
                                     const struct ice_location *at) {
    for (size_t i = 0; i < LINT_FILES && c->files[i].name != NULL; i++) {
        if (!ice_str_is(at->file, c->files[i].name))
            continue;
        assert_true(at->offset <= strlen(c->files[i].text));
        const char *text = c->files[i].text + at->offset;
        return *text == '"' ? text + 1 : text;
    }
    return "";
}

static inline enum ice_status lint_found(const struct ice_finding *finding, void *user) {
    struct lint_got *got = user;
    char head[256];
    const char *place = lint_place(got->c, &finding->at);
    int n = snprintf(head, sizeof(head), "%s %.*s ", finding->rule->name,
                     ICE_STR_FMT(finding->at.file));
    lint_note(got, head, (size_t)n);
    lint_note(got, place, strnlen(place, 32));
    lint_note(got, "\n", 1);
    const char *end = strchr(got->left, '\n');
    size_t size = end != NULL ? (size_t)(end - got->left) : strlen(got->left);
    if (size < (size_t)n || strncmp(got->left, head, (size_t)n) != 0 ||
        strncmp(place, got->left + n, size - (size_t)n) != 0)
        got->differs = true;
    got->left += end != NULL ? size + 1 : size;
    return ICE_OK;
}

static inline bool lint_is_named(const struct ice_summary *summary, const char *what) {
    for (size_t i = 0; i < summary->n_not_evaluated; i++) {
        if (ice_str_is(summary->not_evaluated[i].what, what))
            return true;
    }
    return false;
}

static inline void lint_write(const struct lint_case *c, const char **paths, size_t *n) {
    for (*n = 0; *n < LINT_FILES && c->files[*n].name != NULL; ++*n) {
        FILE *f = fopen(c->files[*n].name, "wbe");
        assert_non_null(f);
        assert_int_equal(fputs(c->files[*n].text, f) >= 0, 1);
        assert_int_equal(fclose(f), 0);
        paths[*n] = c->files[*n].name;
    }
}

/* In a directory of its own: names in messages are short then. */
static inline void lint_run(const struct lint_case *c, struct lint_got *got) {
    const char *paths[LINT_FILES];
    char directory[] = "/tmp/icefsck-lint-XXXXXX";
    struct ice_conf_request request = {.paths = paths,
                                       .iam_profile = c->profile,
                                       .region = c->region,
                                       .known_catalogs = &c->known,
                                       .n_known_catalogs = c->known != NULL,
                                       .platform = c->platform};
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_summary *summary = NULL;
    options.only = &c->only;
    options.n_only = 1;
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chdir(directory), 0);
    lint_write(c, paths, &request.n_paths);
    *got = (struct lint_got){.c = c, .left = c->expect};
    assert_int_equal(ice_lint_conf(&request, &options, lint_found, got, &summary, NULL),
                     ICE_OK);
    for (size_t i = 0; i < request.n_paths; i++)
        assert_int_equal(unlink(paths[i]), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(directory), 0);
    if (got->differs || *got->left != '\0') {
        print_error("%s\n gives\n%s not\n%s\n", c->about, got->all, c->expect);
        got->differs = true;
    }
    if (c->unchecked != NULL && !lint_is_named(summary, c->unchecked)) {
        print_error("%s: not named as not checked: %s\n", c->about, c->unchecked);
        got->differs = true;
    }
    ice_summary_free(summary);
}

static inline void lint_all(const struct lint_case *cases, size_t n) {
    static struct lint_got got;
    size_t n_bad = 0;
    for (size_t i = 0; i < n; i++) {
        lint_run(&cases[i], &got);
        n_bad += got.differs;
    }
    assert_int_equal(n_bad, 0);
}

#endif
