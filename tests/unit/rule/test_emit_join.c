/*
 * Findings of parts, joined, are those of one emit that had them all in that order: the
 * same are kept, and the counts are exact.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "rule/emit.h"

#include <stdio.h>

enum { SITES = 400, PARTS = 25, MOST = 128 };

struct seen {
    size_t n;
    char text[MOST][256];
    uint64_t more[ICE_RULE_ID_COUNT]; /* of all findings of a rule */
};

static enum ice_status note(const struct ice_finding *finding, void *user) {
    struct seen *seen = user;
    enum ice_rule_id id;
    assert_true(seen->n < MOST);
    assert_true(ice_rule_id_of(finding->rule->name, &id));
    seen->more[id] += finding->more;
    struct ice_str end = finding->message;
    if (end.size > 80)
        end = ice_str_from_index(end, end.size - 80);
    (void)snprintf(
        seen->text[seen->n++], sizeof(seen->text[0]),
        "%s %d %.*s#%.*s %llu vs %.*s: %zu %.*s", finding->rule->name,
        (int)finding->severity, ICE_STR_FMT(finding->at.file),
        ICE_STR_FMT(finding->at.pointer), (unsigned long long)finding->at.offset,
        ICE_STR_FMT(finding->other.file), finding->message.size, ICE_STR_FMT(end));
    return ICE_OK;
}

/* What a site says, by its number alone: of few rules and files, with texts too long. */
static void find(struct ice_emit *emit, unsigned seed, unsigned site) {
    static const enum ice_rule_id rules[] = {ICE_RULE_ALPHA_ONE, ICE_RULE_ALPHA_TWO,
                                             ICE_RULE_GAMMA_TWO};
    static char longest[3000];
    unsigned dice = (site * 2654435761u) ^ (seed * 40503u);
    char file[16], pointer[32];
    if (longest[0] == '\0')
        for (size_t i = 0; i < sizeof(longest); i++)
            longest[i] = (char)('a' + i % 26);
    /* a part's own file, or one that all name */
    (void)snprintf(file, sizeof(file), dice >> 8 & 3 ? "m%u" : "list%u",
                   dice >> 8 & 3 ? site / (SITES / PARTS) : dice >> 12 & 3);
    (void)snprintf(pointer, sizeof(pointer), "/records/%u", site);
    struct ice_place place =
        ice_place_at(ice_str_from(file), ICE_ORDER_LIST, ice_str_from(pointer));
    struct ice_place other = ice_place_file(ICE_STR("other"), 0);
    place.at.offset = dice >> 16 & 7;
    if ((dice >> 20) % 7 == 0)
        ice_emit_not_evaluated(emit, "manifest", ICE_STR("absent"), dice >> 24 & 1,
                               ice_str_from(pointer)); /* a file of its own */
    FOUND_VS(emit, rules[dice >> 4 & 1 ? 1 : dice % 3],
             dice >> 26 & 3 ? ICE_DEFAULT : ICE_ERROR, &place,
             dice >> 9 & 1 ? &other : NULL,
             arg_str("x", ice_str_make(longest, dice >> 10 & 1 ? sizeof(longest) : 9)),
             arg_text("scope", (dice >> 28 & 3) == 0 ? "head" : "old"));
}

static void finish(struct ice_emit *emit, struct seen *seen,
                   struct ice_summary *summary) {
    assert_int_equal(
        ice_emit_deliver(emit, ICE_STR("t"), ICE_STR("uuid"), note, seen, summary, NULL),
        ICE_OK);
}

static void compare(unsigned seed, const struct ice_options *options) {
    static struct seen wanted, found;
    struct ice_summary wanted_summary = {0}, found_summary = {0};
    struct ice_run run;
    struct ice_emit *whole, *joined, *part;
    ice_run_init(&run, options);
    wanted = found = (struct seen){0};
    assert_int_equal(ice_emit_open(&whole, &run, options, NULL), ICE_OK);
    assert_int_equal(ice_emit_open(&joined, &run, options, NULL), ICE_OK);
    assert_int_equal(ice_emit_open_beside(&part, joined), ICE_OK);
    for (unsigned site = 0; site < SITES; site++) {
        find(whole, seed, site);
        find(part, seed, site);
        if ((site + 1) % (SITES / PARTS) != 0)
            continue;
        ice_emit_join(joined, part);
        ice_emit_reset(part);
    }
    finish(whole, &wanted, &wanted_summary);
    finish(joined, &found, &found_summary);
    assert_int_equal(found.n, wanted.n);
    for (size_t i = 0; i < wanted.n; i++)
        assert_string_equal(found.text[i], wanted.text[i]);
    assert_memory_equal(found.more, wanted.more, sizeof(wanted.more));
    assert_memory_equal(found_summary.counts, wanted_summary.counts,
                        sizeof(wanted_summary.counts));
    assert_int_equal(found_summary.exit_code, wanted_summary.exit_code);
    assert_int_equal(found_summary.n_not_evaluated, wanted_summary.n_not_evaluated);
    for (size_t i = 0; i < wanted_summary.n_not_evaluated; i++) {
        assert_int_equal(found_summary.not_evaluated[i].more,
                         wanted_summary.not_evaluated[i].more);
        assert_true(ice_str_equal(found_summary.not_evaluated[i].file,
                                  wanted_summary.not_evaluated[i].file));
    }
    ice_emit_free(part);
    ice_emit_free(joined);
    ice_emit_free(whole);
    assert_int_equal(run.alloc.used, 0);
}

static void joined_is_as_found_at_once(void **state) {
    (void)state;
    static const uint64_t caps[][3] = {
        {3, 20, 60}, {1, 100, 100}, {20, 5, 100}, {5, 100, 10}, {2, 7, 13}};
    for (unsigned seed = 1; seed <= 40; seed++)
        for (size_t i = 0; i < ICE_COUNT_OF(caps); i++) {
            struct ice_options options = ICE_OPTIONS_INIT;
            options.hash_seed = seed;
            options.limits.findings_per_file = caps[i][0];
            options.limits.findings_per_rule = caps[i][1];
            options.limits.findings_per_table = caps[i][2];
            compare(seed, &options);
        }
}

/* A part has the severities of the whole, and what it lost is lost there too. */
static void a_part_knows_the_options(void **state) {
    (void)state;
    const struct ice_override off[] = {{"alpha.one", ICE_OFF}};
    struct ice_options options = ICE_OPTIONS_INIT;
    options.overrides = off;
    options.n_overrides = 1;
    struct ice_run run;
    struct ice_emit *emit, *part;
    struct ice_summary summary = {0};
    struct seen seen = {0};
    ice_run_init(&run, &options);
    assert_int_equal(ice_emit_open(&emit, &run, &options, NULL), ICE_OK);
    assert_int_equal(ice_emit_open_beside(&part, emit), ICE_OK);
    assert_false(ice_emit_is_on(part, ICE_RULE_ALPHA_ONE));
    struct ice_place place = ice_place_file(ICE_STR("m"), 0);
    FOUND(part, ICE_RULE_ALPHA_ONE, &place, ARG_NONE);
    FOUND(part, ICE_RULE_ALPHA_TWO, &place, ARG_NONE);
    ice_emit_join(emit, part);
    ice_emit_join(emit, part); /* it is left as it was */
    finish(emit, &seen, &summary);
    assert_int_equal(seen.n, 2);
    assert_int_equal(ice_emit_status(emit), ICE_OK);
    run.alloc.limit = run.alloc.used;
    for (int i = 0; i < 1000 && ice_emit_status(part) == ICE_OK; i++) {
        place.at.offset = (uint64_t)i;
        FOUND(part, ICE_RULE_ALPHA_TWO, &place, ARG_NONE);
    }
    assert_int_equal(ice_emit_status(part), ICE_ENOMEM);
    ice_emit_join(emit, part);
    assert_int_equal(ice_emit_status(emit), ICE_ENOMEM);
    ice_emit_free(part);
    ice_emit_free(emit);
    assert_int_equal(run.alloc.used, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined_is_as_found_at_once),
        cmocka_unit_test(a_part_knows_the_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
