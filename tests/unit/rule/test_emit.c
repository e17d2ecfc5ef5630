/*
 * Severity resolution, caps, order, messages, not-evaluated lines and delivery.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "rule/emit.h"
#include "rule/message.h"

#include <stdio.h>
#include <stdlib.h>

struct seen {
    size_t n;
    const char *rule[64];
    enum ice_severity severity[64];
    uint64_t more[64], offset[64], fingerprint[64];
    char message[64][64], file[64][64];
    size_t stop_at;
};

static enum ice_status note(const struct ice_finding *finding, void *user) {
    struct seen *seen = user;
    if (seen->stop_at != 0 && seen->n + 1 == seen->stop_at)
        return ICE_ECANCELLED;
    size_t i = seen->n++;
    assert_true(i < 64);
    seen->rule[i] = finding->rule->name;
    seen->severity[i] = finding->severity;
    seen->more[i] = finding->more;
    seen->offset[i] = finding->at.offset;
    seen->fingerprint[i] = finding->fingerprint;
    (void)snprintf(seen->message[i], 64, "%.*s", ICE_STR_FMT(finding->message));
    (void)snprintf(seen->file[i], 64, "%.*s", ICE_STR_FMT(finding->at.file));
    return ICE_OK;
}

struct fixture {
    struct ice_run run;
    struct ice_options options;
    struct ice_emit *emit;
    struct seen seen;
    struct ice_summary summary;
};

static void start(struct fixture *f) {
    f->options.hash_seed = 1;
    ice_run_init(&f->run, &f->options);
    assert_int_equal(ice_emit_open(&f->emit, &f->run, &f->options, NULL), ICE_OK);
}

static enum ice_status deliver(struct fixture *f) {
    return ice_emit_deliver(f->emit, ICE_STR("t"), ICE_STR("uuid"), note, &f->seen,
                            &f->summary, NULL);
}

static void stop(struct fixture *f) {
    ice_emit_free(f->emit);
    assert_int_equal(f->run.alloc.used, 0);
}

static struct ice_place at(const char *file, uint64_t order, uint64_t offset) {
    struct ice_place place = ice_place_file(ice_str_from(file), order);
    place.at.offset = offset;
    return place;
}

static void order_is_file_offset_rule(void **state) {
    (void)state;
    struct fixture f = {.options = ICE_OPTIONS_INIT};
    start(&f);
    struct ice_place late = at("b", ICE_ORDER_MANIFEST, 5);
    struct ice_place early = at("a", ICE_ORDER_METADATA, 9);
    struct ice_place earlier = at("a", ICE_ORDER_METADATA, 7);
    struct ice_place whole = at("a", ICE_ORDER_METADATA, ICE_NO_OFFSET);
    struct ice_place row = at("a", ICE_ORDER_METADATA, 1);
    row.at.record = 0;
    FOUND(f.emit, ICE_RULE_ALPHA_TWO, &late, ARG_NONE);
    FOUND(f.emit, ICE_RULE_BETA_ONE, &row, ARG_NONE);
    FOUND(f.emit, ICE_RULE_BETA_ONE, &early, ARG_NONE);
    FOUND(f.emit, ICE_RULE_ALPHA_ONE, &early, ARG_NONE);
    FOUND(f.emit, ICE_RULE_BETA_ONE, &earlier, ARG_NONE);
    FOUND(f.emit, ICE_RULE_BETA_ONE, &whole, ARG_NONE);
    assert_int_equal(deliver(&f), ICE_OK);
    assert_int_equal(f.seen.n, 6);
    const uint64_t offsets[] = {ICE_NO_OFFSET, 7, 9, 9, 1, 5};
    for (size_t i = 0; i < 6; i++)
        assert_true(f.seen.offset[i] == offsets[i]);
    assert_string_equal(f.seen.rule[2], "alpha.one");
    assert_string_equal(f.seen.rule[3], "beta.one");
    assert_string_equal(f.seen.file[5], "b");
    stop(&f);
}

static void messages_are_filled(void **state) {
    (void)state;
    struct fixture f = {.options = ICE_OPTIONS_INIT};
    start(&f);
    struct ice_place place = at("a", 0, 1);
    FOUND(f.emit, ICE_RULE_GAMMA_ONE, &place, arg_text("field", "n"),
          arg_i64("declared", INT64_MIN), arg_i64("counted", 3));
    place.at.offset = 2;
    FOUND(f.emit, ICE_RULE_GAMMA_TWO, &place, arg_text("x", "{x}"));
    place.at.offset = 3;
    FOUND(f.emit, ICE_RULE_BETA_TWO_LONG, &place, arg_bytes("b", ICE_STR("\0\xff")),
          arg_bool("flag", true), arg_id("id", 7));
    place.at.offset = 4;
    FOUND(f.emit, ICE_RULE_ALPHA_TWO, &place, ARG_NONE);
    assert_int_equal(deliver(&f), ICE_OK);
    assert_string_equal(f.seen.message[0], "n is -9223372036854775808, not 3");
    assert_string_equal(f.seen.message[1], "{x}{x} {");
    assert_string_equal(f.seen.message[2], "bytes 00ff true 7");
    assert_string_equal(f.seen.message[3], "plain text");
    stop(&f);
}

static void a_name_without_argument_stays(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_buf buf;
    ice_run_init(&run, NULL);
    ice_buf_init(&buf, &run.alloc, 1000);
    const struct ice_arg args[] = {arg_i64("n", 1)};
    assert_int_equal(ice_message_fill(&buf, "{m} {n} {}", args, 1), ICE_OK);
    assert_true(ice_str_is(ice_buf_str(&buf), "{m} 1 {}"));
    assert_false(ice_message_has_all("{m} {n}", args, 1));
    assert_true(ice_message_has_all("{n} {", args, 1));
    assert_true(ice_message_has_all("", NULL, 0));
    ice_buf_release(&buf);
}

static void words_go_with_the_number(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_buf buf;
    ice_run_init(&run, NULL);
    ice_buf_init(&buf, &run.alloc, 1000);
    const struct ice_arg args[] = {arg_i64("n", 1), arg_i64("m", 0), arg_text("t", "x")};
    const char *template = "{n} {n|file is|files are} {m|a|b} {t|a|b} {n|a} {u|a|b}";
    assert_int_equal(ice_message_fill(&buf, template, args, 3), ICE_OK);
    assert_true(ice_str_is(ice_buf_str(&buf), "1 file is b b 1 {u|a|b}"));
    assert_false(ice_message_has_all(template, args, 3));
    assert_true(ice_message_has_all("{n|a|b}", args, 3));
    ice_buf_release(&buf);
}

static void overrides_and_profiles(void **state) {
    (void)state;
    const struct ice_override overrides[] = {{"alpha.*", ICE_OFF},
                                             {"alpha.first", ICE_INFO}};
    const char *only[] = {"alpha.*", "beta.one"};
    struct fixture f = {.options = ICE_OPTIONS_INIT};
    f.options.overrides = overrides;
    f.options.n_overrides = 2;
    f.options.only = only;
    f.options.n_only = 2;
    f.options.profile = ICE_PROFILE_STRICT;
    start(&f);
    assert_int_equal(ice_emit_severity(f.emit, ICE_RULE_ALPHA_ONE), ICE_INFO);
    assert_int_equal(ice_emit_severity(f.emit, ICE_RULE_ALPHA_TWO), ICE_OFF);
    assert_int_equal(ice_emit_severity(f.emit, ICE_RULE_BETA_ONE), ICE_ERROR);
    assert_int_equal(ice_emit_severity(f.emit, ICE_RULE_BETA_TWO_LONG), ICE_OFF);
    struct ice_place place = at("a", 0, 1);
    FOUND(f.emit, ICE_RULE_ALPHA_TWO, &place, ARG_NONE);
    FOUND_AS(f.emit, ICE_RULE_BETA_ONE, ICE_INFO, &place, ARG_NONE);
    assert_int_equal(deliver(&f), ICE_OK);
    assert_int_equal(f.seen.n, 1);
    assert_int_equal(f.seen.severity[0], ICE_ERROR);
    stop(&f);
}

static void reader_profile_keeps_what_readers_refuse(void **state) {
    (void)state;
    struct fixture f = {.options = ICE_OPTIONS_INIT};
    f.options.profile = ICE_PROFILE_READER;
    start(&f);
    assert_true(ice_emit_is_on(f.emit, ICE_RULE_ALPHA_ONE));
    assert_false(ice_emit_is_on(f.emit, ICE_RULE_ALPHA_TWO));
    stop(&f);
}

static void a_site_may_report_lower(void **state) {
    (void)state;
    struct fixture f = {.options = ICE_OPTIONS_INIT};
    start(&f);
    struct ice_place place = at("a", 0, 1), other = at("o", 0, 2);
    FOUND_AS(f.emit, ICE_RULE_ALPHA_ONE, ICE_WARN, &place, ARG_NONE);
    FOUND_VS(f.emit, ICE_RULE_ALPHA_TWO, ICE_DEFAULT, &place, &other, ARG_NONE);
    assert_int_equal(deliver(&f), ICE_OK);
    assert_int_equal(f.seen.severity[0], ICE_WARN);
    assert_int_equal(f.summary.counts[ICE_WARN], 2);
    assert_int_equal(f.summary.exit_code, 0);
    assert_int_equal(ice_severity_drop(ICE_ERROR), ICE_WARN);
    assert_int_equal(ice_severity_drop(ICE_WARN), ICE_INFO);
    assert_int_equal(ice_severity_drop(ICE_INFO), ICE_INFO);
    stop(&f);
}

/* n findings of a rule at descending offsets, so that emission and report order differ */
static void find_many(struct fixture *f, enum ice_rule_id id, const char *file,
                      unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        struct ice_place place = at(file, 0, 1000 - i);
        FOUND(f->emit, id, &place, ARG_NONE);
    }
}

static void caps_count_exactly(void **state) {
    (void)state;
    struct fixture f = {.options = ICE_OPTIONS_INIT};
    f.options.limits.findings_per_file = 2;
    f.options.limits.findings_per_rule = 3;
    start(&f);
    find_many(&f, ICE_RULE_ALPHA_ONE, "a", 2); /* at the cap */
    find_many(&f, ICE_RULE_ALPHA_TWO, "a", 3); /* one above */
    find_many(&f, ICE_RULE_ALPHA_TWO, "b", 4); /* the rule's cap keeps 1 of 4 */
    find_many(&f, ICE_RULE_ALPHA_TWO, "c", 5); /* ... and none */
    assert_int_equal(deliver(&f), ICE_OK);
    assert_int_equal(f.seen.n, 6);
    assert_int_equal(f.summary.counts[ICE_ERROR], 2);
    assert_int_equal(f.summary.counts[ICE_WARN], 12);
    assert_int_equal(f.summary.counts[ICE_INFO], 1); /* limit.findings */
    const uint64_t more[] = {0, 0, 0, 1, 3 + 5, 0};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(f.seen.more[i], more[i]);
    assert_string_equal(f.seen.rule[5], "limit.findings");
    assert_string_equal(f.seen.message[5], "5 kept, 9 left out");
    stop(&f);
}

/* A site that asks first, whether a finding would be kept, reports the same. */
static void asking_first_changes_nothing(void **state) {
    (void)state;
    struct fixture f = {.options = ICE_OPTIONS_INIT};
    f.options.limits.findings_per_file = 2;
    f.options.limits.findings_per_rule = 3;
    start(&f);
    static const char *const files[] = {"a", "b", "c"};
    for (size_t i = 0; i < ICE_COUNT_OF(files); i++) {
        for (unsigned n = 0; n < 4; n++) {
            if (!ice_emit_only_counts(f.emit, ICE_RULE_ALPHA_TWO, ICE_DEFAULT,
                                      ice_str_from(files[i])))
                find_many(&f, ICE_RULE_ALPHA_TWO, files[i], 1);
        }
    }
    assert_int_equal(ice_emit_count(f.emit), 3);
    assert_int_equal(deliver(&f), ICE_OK);
    assert_int_equal(f.summary.counts[ICE_WARN], 12);
    assert_string_equal(f.seen.message[3], "3 kept, 9 left out");
    const uint64_t more[] = {0, 2, 3 + 4};
    for (size_t i = 0; i < ICE_COUNT_OF(more); i++)
        assert_int_equal(f.seen.more[i], more[i]);
    stop(&f);
}

static void find_scoped(struct fixture *f, const char *file, uint64_t offset,
                        enum ice_severity severity, const char *scope) {
    struct ice_place place = at(file, 0, offset);
    FOUND_AS(f->emit, ICE_RULE_ALPHA_TWO, severity, &place, arg_text("scope", scope));
}

/* What the current state needs, and what is worse, is shown, though it comes late. */
static void the_worst_are_kept(void **state) {
    (void)state;
    struct fixture f = {.options = ICE_OPTIONS_INIT};
    f.options.limits.findings_per_file = 3;
    start(&f);
    for (unsigned i = 0; i < 5; i++)
        find_scoped(&f, "a", i, ICE_WARN, "old");
    find_scoped(&f, "a", 5, ICE_WARN, "head");
    find_scoped(&f, "a", 6, ICE_ERROR, "old");
    find_scoped(&f, "a", 7, ICE_WARN, "old");
    find_scoped(&f, "a", 8, ICE_INFO, "head");
    assert_int_equal(deliver(&f), ICE_OK);
    const uint64_t offsets[] = {0, 5, 6}, more[] = {0, 0, 6};
    assert_int_equal(f.seen.n, 4);
    for (size_t i = 0; i < ICE_COUNT_OF(offsets); i++) {
        assert_int_equal(f.seen.offset[i], offsets[i]);
        assert_int_equal(f.seen.more[i], more[i]);
    }
    assert_int_equal(f.summary.counts[ICE_ERROR], 1);
    assert_int_equal(f.summary.counts[ICE_WARN], 7);
    assert_string_equal(f.seen.message[3], "3 kept, 6 left out");
    stop(&f);
}

/* ... also of other files, and of other rules where the table is full. */
static void the_worst_of_all_files_are_kept(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fixture f = {.options = ICE_OPTIONS_INIT};
        if (i == 0)
            f.options.limits.findings_per_rule = 2;
        else
            f.options.limits.findings_per_table = 2;
        start(&f);
        find_scoped(&f, "a", 1, ICE_WARN, "old");
        find_scoped(&f, "b", 2, ICE_WARN, "old");
        find_scoped(&f, "b", 3, ICE_WARN, "old");
        find_scoped(&f, "c", 4, ICE_WARN, "head");
        find_scoped(&f, "d", 5, ICE_WARN, "head");
        find_scoped(&f, "e", 6, ICE_WARN, "head");
        find_many(&f, ICE_RULE_ALPHA_ONE, "z", 1);
        assert_int_equal(deliver(&f), ICE_OK);
        assert_int_equal(f.seen.offset[0], 4);
        assert_string_equal(f.seen.file[1], i == 0 ? "d" : "z");
        assert_int_equal(f.seen.more[0] + f.seen.more[1], i == 0 ? 4 : 5);
        assert_int_equal(f.summary.counts[ICE_WARN], 6);
        assert_int_equal(f.summary.counts[ICE_ERROR], 1);
        stop(&f);
    }
}

static void the_table_has_a_cap(void **state) {
    (void)state;
    struct fixture f = {.options = ICE_OPTIONS_INIT};
    f.options.limits.findings_per_table = 2;
    f.options.limits.findings_per_file = UINT64_MAX;
    start(&f);
    find_many(&f, ICE_RULE_ALPHA_ONE, "a", 3);
    find_many(&f, ICE_RULE_ALPHA_TWO, "a", 1);
    assert_int_equal(deliver(&f), ICE_OK);
    assert_int_equal(f.seen.n, 3);
    assert_int_equal(f.seen.more[1], 1);
    assert_int_equal(f.summary.counts[ICE_WARN], 1);
    assert_string_equal(f.seen.rule[2], "limit.findings");
    stop(&f);
}

static void reset_forgets(void **state) {
    (void)state;
    struct fixture f = {.options = ICE_OPTIONS_INIT};
    f.options.limits.findings_per_rule = 1;
    start(&f);
    find_many(&f, ICE_RULE_ALPHA_ONE, "a", 3);
    ice_emit_not_evaluated(f.emit, "x", ICE_STR("y"), true, ICE_STR_NONE);
    ice_emit_reset(f.emit);
    assert_int_equal(ice_emit_count(f.emit), 0);
    find_many(&f, ICE_RULE_ALPHA_ONE, "a", 1);
    assert_int_equal(deliver(&f), ICE_OK);
    assert_int_equal(f.seen.n, 1);
    assert_int_equal(f.seen.more[0], 0);
    assert_true(f.summary.complete);
    stop(&f);
}

static void kept_ones_can_be_revised(void **state) {
    (void)state;
    struct fixture f = {.options = ICE_OPTIONS_INIT};
    start(&f);
    find_many(&f, ICE_RULE_ALPHA_ONE, "a", 3);
    assert_int_equal(ice_emit_count(f.emit), 3);
    assert_int_equal(ice_emit_rule(f.emit, 0), ICE_RULE_ALPHA_ONE);
    ice_emit_place(f.emit, 0)->at.line = 4;
    ice_emit_revise(f.emit, 1, ICE_WARN);
    ice_emit_revise(f.emit, 2, ICE_OFF);
    ice_emit_revise(f.emit, 2, ICE_ERROR); /* gone is gone */
    assert_int_equal(deliver(&f), ICE_OK);
    assert_int_equal(f.seen.n, 2);
    assert_int_equal(f.summary.counts[ICE_ERROR], 1);
    assert_int_equal(f.summary.counts[ICE_WARN], 1);
    stop(&f);
}

static void not_evaluated_lines_are_folded(void **state) {
    (void)state;
    struct fixture f = {.options = ICE_OPTIONS_INIT};
    start(&f);
    ice_emit_not_evaluated(f.emit, "storage.*", ICE_STR("no listing"), false,
                           ICE_STR_NONE);
    ice_emit_not_evaluated(f.emit, "storage.*", ICE_STR("no listing"), false,
                           ICE_STR_NONE);
    assert_int_equal(deliver(&f), ICE_OK);
    assert_int_equal(f.summary.n_not_evaluated, 1);
    assert_true(f.summary.complete);
    assert_int_equal(f.summary.exit_code, 0);
    for (int i = 0; i < 23; i++) {
        char file[16];
        (void)snprintf(file, sizeof(file), "m%d", i);
        ice_emit_not_evaluated(f.emit, "manifest", ICE_STR("absent"), true,
                               ice_str_from(file));
    }
    assert_int_equal(deliver(&f), ICE_OK);
    assert_int_equal(f.summary.n_not_evaluated, 21);
    assert_int_equal(f.summary.not_evaluated[20].more, 3);
    assert_false(f.summary.complete);
    assert_int_equal(f.summary.exit_code, 2);
    stop(&f);
}

static void exit_code_follows_fail_on(void **state) {
    (void)state;
    const enum ice_severity levels[] = {ICE_OFF, ICE_INFO, ICE_WARN, ICE_ERROR};
    const int codes[] = {0, 1, 1, 0};
    for (size_t i = 0; i < 4; i++) {
        struct fixture f = {.options = ICE_OPTIONS_INIT};
        f.options.fail_on = levels[i];
        start(&f);
        find_many(&f, ICE_RULE_ALPHA_TWO, "a", 1);
        assert_int_equal(deliver(&f), ICE_OK);
        assert_int_equal(f.summary.exit_code, codes[i]);
        stop(&f);
    }
}

static void an_interrupted_table_is_incomplete(void **state) {
    (void)state;
    struct fixture f = {.options = ICE_OPTIONS_INIT, .summary = {.interrupted = true}};
    start(&f);
    assert_int_equal(deliver(&f), ICE_OK);
    assert_false(f.summary.complete);
    stop(&f);
}

static void a_callback_can_stop(void **state) {
    (void)state;
    struct fixture f = {.options = ICE_OPTIONS_INIT};
    start(&f);
    f.seen.stop_at = 2;
    find_many(&f, ICE_RULE_ALPHA_ONE, "a", 3);
    assert_int_equal(deliver(&f), ICE_ECANCELLED);
    assert_int_equal(f.seen.n, 1);
    stop(&f);
}

static void fingerprints_depend_on_the_place_alone(void **state) {
    (void)state;
    struct fixture f = {.options = ICE_OPTIONS_INIT};
    start(&f);
    struct ice_place a = ice_place_at(ICE_STR("f"), 0, ICE_STR("/x"));
    struct ice_place b = a, c = a;
    b.at.offset = 5;
    c.at.pointer = ICE_STR("/y");
    FOUND(f.emit, ICE_RULE_ALPHA_ONE, &a, ARG_NONE);
    FOUND(f.emit, ICE_RULE_ALPHA_ONE, &b, ARG_NONE);
    FOUND(f.emit, ICE_RULE_ALPHA_TWO, &b, ARG_NONE);
    c.at.offset = 6;
    FOUND(f.emit, ICE_RULE_ALPHA_ONE, &c, ARG_NONE);
    assert_int_equal(deliver(&f), ICE_OK);
    assert_true(f.seen.fingerprint[0] == f.seen.fingerprint[1]);
    assert_true(f.seen.fingerprint[0] != f.seen.fingerprint[2]);
    assert_true(f.seen.fingerprint[0] != f.seen.fingerprint[3]);
    stop(&f);
}

static uint64_t fingerprint_of(struct ice_str table, struct ice_str uuid) {
    struct fixture f = {.options = ICE_OPTIONS_INIT};
    start(&f);
    struct ice_place place = ice_place_at(ICE_STR("f"), 0, ICE_STR("/x"));
    FOUND(f.emit, ICE_RULE_ALPHA_ONE, &place, ARG_NONE);
    assert_int_equal(
        ice_emit_deliver(f.emit, table, uuid, note, &f.seen, &f.summary, NULL), ICE_OK);
    stop(&f);
    return f.seen.fingerprint[0];
}

static void fingerprints_differ_between_tables(void **state) {
    (void)state;
    const struct ice_str a = ICE_STR("a"), b = ICE_STR("b"), none = ICE_STR_NONE;
    assert_true(fingerprint_of(a, a) == fingerprint_of(b, a)); /* renamed */
    assert_true(fingerprint_of(a, a) != fingerprint_of(a, b));
    assert_true(fingerprint_of(a, none) != fingerprint_of(b, none));
}

static enum ice_status all_are_one(void *user, const struct ice_place *place,
                                   struct ice_buf *out) {
    (void)place;
    return ice_buf_append_str(out, ice_str_from(user));
}

static void what_stays_of_a_place_is_asked(void **state) {
    (void)state;
    struct fixture f = {.options = ICE_OPTIONS_INIT};
    static char name[] = "one";
    start(&f);
    ice_emit_set_stable(f.emit, all_are_one, name);
    for (size_t i = 0; i < 2; i++) {
        struct ice_place place =
            ice_place_file(i == 0 ? ICE_STR("v1") : ICE_STR("v2"), 0);
        FOUND(f.emit, ICE_RULE_ALPHA_ONE, &place, ARG_NONE);
    }
    assert_int_equal(deliver(&f), ICE_OK);
    assert_true(f.seen.fingerprint[0] == f.seen.fingerprint[1]);
    stop(&f);
}

static void hostile_sizes_are_cut(void **state) {
    (void)state;
    struct fixture f = {.options = ICE_OPTIONS_INIT};
    start(&f);
    enum { SIZE = 1 << 20 };
    char *big = malloc(SIZE);
    assert_non_null(big);
    memset(big, 'x', SIZE);
    struct ice_place place =
        ice_place_at(ice_str_make(big, SIZE), 0, ice_str_make(big, SIZE));
    for (int i = 0; i < 20; i++)
        FOUND(f.emit, ICE_RULE_ALPHA_ONE, &place,
              arg_str("field", ice_str_make(big, SIZE)));
    assert_true(f.run.alloc.used < SIZE);
    assert_int_equal(ice_emit_place(f.emit, 0)->at.pointer.size, 0);
    assert_int_equal(deliver(&f), ICE_OK);
    assert_int_equal(f.seen.n, 20);
    free(big);
    stop(&f);
}

static void out_of_memory_is_said(void **state) {
    (void)state;
    for (uint64_t limit = 1; limit < 20000; limit += 97) {
        struct fixture f = {.options = ICE_OPTIONS_INIT};
        f.options.limits.memory = limit;
        f.options.hash_seed = 1;
        ice_run_init(&f.run, &f.options);
        enum ice_status status = ice_emit_open(&f.emit, &f.run, &f.options, NULL);
        if (status == ICE_OK) {
            find_many(&f, ICE_RULE_ALPHA_ONE, "a", 25);
            ice_emit_not_evaluated(f.emit, "x", ICE_STR("y"), true, ICE_STR_NONE);
            enum ice_status kept = ice_emit_status(f.emit);
            status = deliver(&f);
            if (kept < 0)
                assert_int_equal(status, ICE_ENOMEM);
            if (status == ICE_OK)
                assert_int_equal(f.seen.n, 21);
        }
        assert_true(status == ICE_OK || status == ICE_ENOMEM);
        stop(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_file_offset_rule),
        cmocka_unit_test(messages_are_filled),
        cmocka_unit_test(words_go_with_the_number),
        cmocka_unit_test(a_name_without_argument_stays),
        cmocka_unit_test(overrides_and_profiles),
        cmocka_unit_test(reader_profile_keeps_what_readers_refuse),
        cmocka_unit_test(a_site_may_report_lower),
        cmocka_unit_test(caps_count_exactly),
        cmocka_unit_test(asking_first_changes_nothing),
        cmocka_unit_test(the_worst_are_kept),
        cmocka_unit_test(the_worst_of_all_files_are_kept),
        cmocka_unit_test(the_table_has_a_cap),
        cmocka_unit_test(reset_forgets),
        cmocka_unit_test(kept_ones_can_be_revised),
        cmocka_unit_test(not_evaluated_lines_are_folded),
        cmocka_unit_test(exit_code_follows_fail_on),
        cmocka_unit_test(an_interrupted_table_is_incomplete),
        cmocka_unit_test(a_callback_can_stop),
        cmocka_unit_test(fingerprints_depend_on_the_place_alone),
        cmocka_unit_test(fingerprints_differ_between_tables),
        cmocka_unit_test(what_stays_of_a_place_is_asked),
        cmocka_unit_test(hostile_sizes_are_cut),
        cmocka_unit_test(out_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
