/*
 * Findings of a part as bytes and back: the same again, and nothing of bytes that are not
 * what was written.
 */
#include "rule/emit_pack.h"

#include "base/compiler.h"
#include "rule/emit_state.h"
#include "support/cmocka_all.h"
#include "support/failing_run.h"
#include "support/one_run.h"

#include <stdio.h>

enum { TEXT = 4096 };
#define MANIFEST ((uint64_t)ICE_ORDER_MANIFEST + 7)

static struct ice_options options = ICE_OPTIONS_INIT;

static void open_part(struct ice_run *of, struct ice_emit **whole,
                      struct ice_emit **part) {
    assert_int_equal(ice_emit_open(whole, of, &options, NULL), ICE_OK);
    assert_int_equal(ice_emit_open_beside(part, *whole), ICE_OK);
}

static void find(struct ice_emit *part) {
    struct ice_place place = ice_place_at(ICE_STR("m"), MANIFEST, ICE_STR("/records/1"));
    struct ice_place other = ice_place_file(ICE_STR("list"), ICE_ORDER_LIST);
    FOUND_AS(part, ICE_RULE_GAMMA_ONE, ICE_WARN, &place, arg_text("field", "n"),
             arg_i64("declared", -1), arg_id("counted", 2));
    FOUND_VS(part, ICE_RULE_BETA_TWO_LONG, ICE_DEFAULT, &place, &other,
             arg_bytes("b", ICE_STR("\x01")), arg_bool("flag", true), arg_id("id", 3));
    ice_emit_not_evaluated(part, "manifest", ICE_STR("absent"), true, ICE_STR("m"));
    ice_emit_not_evaluated(part, "list.*", ICE_STR("absent"), false, ICE_STR_NONE);
}

/* All that a reader of a report would see of it. */
static void spell(const struct ice_emit *emit, char out[TEXT]) {
    size_t n = 0;
    for (size_t i = 0; i < emit->n_kept; i++) {
        const struct ice_kept *k = &emit->kept[i];
        n += (size_t)snprintf(
            out + n, TEXT - n, "%d %d %.*s#%.*s %llu vs %.*s;", (int)k->id,
            (int)k->severity, ICE_STR_FMT(k->at.at.file), ICE_STR_FMT(k->at.at.pointer),
            (unsigned long long)k->at.order, ICE_STR_FMT(k->other.file));
        for (size_t a = 0; a < k->n_args; a++)
            n += (size_t)snprintf(out + n, TEXT - n, " %s %d %.*s %lld", k->args[a].name,
                                  (int)k->args[a].kind, ICE_STR_FMT(k->args[a].str),
                                  (long long)k->args[a].i64);
    }
    for (size_t i = 0; i < emit->n_missed; i++)
        n += (size_t)snprintf(out + n, TEXT - n, "; %.*s %.*s %.*s %d %llu",
                              ICE_STR_FMT(emit->missed[i].what),
                              ICE_STR_FMT(emit->missed[i].why),
                              ICE_STR_FMT(emit->missed[i].file), emit->missed[i].asked,
                              (unsigned long long)emit->missed[i].more);
    for (size_t i = 0; i < ICE_COUNT_OF(emit->counts); i++)
        n += (size_t)snprintf(out + n, TEXT - n, " %llu",
                              (unsigned long long)emit->counts[i]);
}

static enum ice_status read_back(struct ice_emit *part, struct ice_str bytes) {
    struct ice_unpack unpack = ice_unpack_of(bytes);
    ice_emit_reset(part);
    return ice_emit_unpack(&unpack, part, MANIFEST);
}

static void the_same_again(void **state) {
    (void)state;
    struct ice_emit *whole, *part;
    struct ice_pack pack;
    char before[TEXT], after[TEXT];
    open_part(&run, &whole, &part);
    ice_pack_init(&pack, &run.alloc, SIZE_MAX / 2);
    assert_true(ice_emit_is_empty(part));
    find(part);
    spell(part, before);
    assert_true(ice_emit_pack(&pack, part));
    assert_int_equal(pack.status, ICE_OK);
    struct ice_str bytes = ice_buf_str(&pack.buf);
    assert_int_equal(read_back(part, bytes), ICE_OK);
    spell(part, after);
    assert_string_equal(after, before);
    assert_false(ice_emit_is_empty(part));
    /* one part of it is not all of it */
    for (size_t size = 0; size < bytes.size; size++)
        assert_int_equal(read_back(part, ice_str_first(bytes, size)), ICE_EFORMAT);
    /* any byte may be another one: that is refused, or says something else */
    for (size_t i = 0; i < bytes.size; i++) {
        char was = pack.buf.data[i];
        pack.buf.data[i] = (char)(was ^ 0x7f);
        enum ice_status status = read_back(part, bytes);
        assert_true(status == ICE_OK || status == ICE_EFORMAT);
        pack.buf.data[i] = was;
    }
    ice_pack_release(&pack);
    ice_emit_free(part);
    ice_emit_free(whole);
}

/* ---- bytes that nobody wrote ---- */

struct forged {
    const char *about;
    uint64_t n_groups, id[2], n_kept, severity, group;
    const char *arg; /* of alpha.one, which needs none, or gamma.two, which needs x */
    size_t arg_size;
    uint64_t kind;
    bool is_good;
};

static const struct forged forged[] = {
    {"as it is written", 1, {ICE_RULE_GAMMA_TWO}, 1, ICE_WARN, 0, "x", 1, 0, true},
    {"a rule that there is not", 1, {ICE_RULE_ID_COUNT}, 0, 0, 0, "x", 1, 0, false},
    {"a group twice",
     2,
     {ICE_RULE_GAMMA_TWO, ICE_RULE_GAMMA_TWO},
     0,
     0,
     0,
     "x",
     1,
     0,
     false},
    {"a severity that is none", 1, {ICE_RULE_GAMMA_TWO}, 1, ICE_OFF, 0, "x", 1, 0, false},
    {"... or too high", 1, {ICE_RULE_GAMMA_TWO}, 1, ICE_ERROR + 1, 0, "x", 1, 0, false},
    {"a group that there is not",
     1,
     {ICE_RULE_GAMMA_TWO},
     1,
     ICE_WARN,
     1,
     "x",
     1,
     0,
     false},
    {"an argument that the message lacks",
     1,
     {ICE_RULE_GAMMA_TWO},
     1,
     ICE_WARN,
     0,
     "y",
     1,
     0,
     false},
    {"... with a name of two",
     1,
     {ICE_RULE_GAMMA_TWO},
     1,
     ICE_WARN,
     0,
     "x\0y",
     3,
     0,
     false},
    {"... of none", 1, {ICE_RULE_GAMMA_TWO}, 1, ICE_WARN, 0, NULL, 0, 0, false},
    {"... of a kind that is none",
     1,
     {ICE_RULE_GAMMA_TWO},
     1,
     ICE_WARN,
     0,
     "x",
     1,
     ICE_ARG_BOOL + 1,
     false},
};

static void forge(struct ice_pack *pack, const struct forged *f) {
    struct ice_place place = ice_place_file(ICE_STR("m"), MANIFEST);
    ice_pack_clear(pack);
    ice_pack_u64(pack, f->n_groups);
    for (size_t i = 0; i < f->n_groups; i++) {
        ice_pack_u64(pack, f->id[i]);
        ice_pack_str(pack, ICE_STR("m"));
        ice_pack_u64(pack, 0);
    }
    ice_pack_u64(pack, f->n_kept);
    for (size_t i = 0; i < f->n_kept; i++) {
        ice_pack_u64(pack, f->severity);
        ice_pack_u64(pack, f->group);
        ice_place_pack(pack, &place);
        ice_pack_str(pack, ICE_STR_NONE); /* the other file, and its place */
        ice_pack_str(pack, ICE_STR_NONE);
        for (size_t k = 0; k < 5; k++)
            ice_pack_u64(pack, 0);
        ice_pack_u64(pack, 1);
        ice_pack_str(pack, ice_str_make(f->arg, f->arg_size));
        ice_pack_u64(pack, f->kind);
        ice_pack_str(pack, ICE_STR("v"));
        ice_pack_i64(pack, 0);
    }
    ice_pack_u64(pack, 0);
    for (size_t i = 0; i < 4; i++)
        ice_pack_u64(pack, 0);
}

static void nobody_wrote_that(void **state) {
    (void)state;
    struct ice_emit *whole, *part;
    struct ice_pack pack;
    open_part(&run, &whole, &part);
    ice_pack_init(&pack, &run.alloc, SIZE_MAX / 2);
    for (size_t i = 0; i < ICE_COUNT_OF(forged); i++) {
        forge(&pack, &forged[i]);
        enum ice_status status = read_back(part, ice_buf_str(&pack.buf));
        if (status != (forged[i].is_good ? ICE_OK : ICE_EFORMAT))
            fail_msg("%s: %d", forged[i].about, (int)status);
    }
    ice_pack_release(&pack);
    ice_emit_free(part);
    ice_emit_free(whole);
}

/* ---- what cannot be kept ---- */

static void not_kept(void **state) {
    (void)state;
    struct ice_emit *whole, *part;
    struct ice_pack pack;
    struct ice_options few = ICE_OPTIONS_INIT;
    struct ice_run own;
    few.limits.findings_per_rule = 1;
    ice_run_init(&own, &few);
    open_part(&own, &whole, &part);
    ice_pack_init(&pack, &own.alloc, SIZE_MAX / 2);
    struct ice_place place = ice_place_file(ICE_STR("a"), 0);
    FOUND(part, ICE_RULE_ALPHA_ONE, &place, ARG_NONE);
    assert_true(ice_emit_has(part, ICE_RULE_ALPHA_ONE));
    assert_false(ice_emit_has(part, ICE_RULE_ALPHA_TWO));
    assert_true(ice_emit_pack(&pack, part));
    /* files are not told apart any more */
    place = ice_place_file(ICE_STR("b"), 0);
    FOUND(part, ICE_RULE_ALPHA_ONE, &place, ARG_NONE);
    assert_false(ice_emit_pack(&pack, part));
    ice_emit_reset(part);
    assert_false(ice_emit_has(part, ICE_RULE_ALPHA_ONE));
    /* revised: that is of the whole */
    FOUND(part, ICE_RULE_ALPHA_TWO, &place, ARG_NONE);
    ice_emit_revise(part, 0, ICE_OFF);
    assert_false(ice_emit_pack(&pack, part));
    ice_emit_reset(part);
    ice_emit_no_memory(part);
    assert_false(ice_emit_pack(&pack, part));
    ice_pack_release(&pack);
    ice_emit_free(part);
    ice_emit_free(whole);
    assert_int_equal(own.alloc.used, 0);
}

static void within_one_file(void **state) {
    (void)state;
    struct ice_emit *whole, *part;
    open_part(&run, &whole, &part);
    struct ice_place m = ice_place_file(ICE_STR("m"), 0);
    struct ice_place other = ice_place_file(ICE_STR("list"), 0);
    assert_true(ice_emit_is_within(part, ICE_STR("m")));
    FOUND(part, ICE_RULE_ALPHA_ONE, &m, ARG_NONE);
    ice_emit_not_evaluated(part, "manifest", ICE_STR("why"), false, ICE_STR("m"));
    assert_true(ice_emit_is_within(part, ICE_STR("m")));
    assert_false(ice_emit_is_within(part, ICE_STR("n")));
    ice_emit_not_evaluated(part, "manifest", ICE_STR("why"), false, ICE_STR("n"));
    assert_false(ice_emit_is_within(part, ICE_STR("m")));
    ice_emit_reset(part);
    ice_emit_not_evaluated(part, "manifest", ICE_STR("why"), false, ICE_STR("m"));
    assert_false(ice_emit_is_empty(part));
    FOUND_VS(part, ICE_RULE_ALPHA_ONE, ICE_DEFAULT, &m, &other, ARG_NONE);
    assert_false(ice_emit_is_within(part, ICE_STR("m")));
    ice_emit_free(part);
    ice_emit_free(whole);
}

/* A manifest's own order becomes that of the reading run; all others stay. */
static void orders(void **state) {
    (void)state;
    static const struct {
        uint64_t order, wanted;
    } rows[] = {
        {0, 0},
        {ICE_ORDER_MANIFEST - 1, ICE_ORDER_MANIFEST - 1},
        {ICE_ORDER_MANIFEST + 3, MANIFEST},
        {ICE_ORDER_GROUPS, ICE_ORDER_GROUPS},
    };
    struct ice_pack pack;
    struct ice_arena arena;
    ice_pack_init(&pack, &run.alloc, SIZE_MAX / 2);
    ice_arena_init(&arena, &run.alloc);
    for (size_t i = 0; i < ICE_COUNT_OF(rows); i++) {
        struct ice_place place = ice_place_file(ICE_STR("m"), rows[i].order), back = {0};
        ice_pack_clear(&pack);
        ice_place_pack(&pack, &place);
        struct ice_unpack unpack = ice_unpack_of(ice_buf_str(&pack.buf));
        assert_true(ice_place_unpack(&unpack, &arena, MANIFEST, &back));
        assert_false(unpack.bad);
        assert_int_equal(back.order, rows[i].wanted);
    }
    ice_arena_release(&arena);
    ice_pack_release(&pack);
}

static void no_memory(void **state) {
    (void)state;
    struct ice_emit *whole, *part;
    struct ice_pack pack;
    open_part(&run, &whole, &part);
    find(part);
    ice_pack_init(&pack, &run.alloc, SIZE_MAX / 2);
    assert_true(ice_emit_pack(&pack, part));
    ice_emit_free(part);
    ice_emit_free(whole);
    enum ice_status status = ICE_ENOMEM;
    for (uint64_t k = 1; status != ICE_OK; k++) {
        struct failing failing = {0};
        struct ice_run poor;
        failing_run_init(&poor, &failing);
        open_part(&poor, &whole, &part);
        failing.fail_at = failing.n + k;
        status = read_back(part, ice_buf_str(&pack.buf));
        assert_true(status == ICE_OK || status == ICE_ENOMEM);
        assert_true(status == ICE_ENOMEM || failing.n < failing.fail_at);
        ice_emit_free(part);
        ice_emit_free(whole);
        assert_int_equal(failing.used, 0);
    }
    ice_pack_release(&pack);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_same_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nobody_wrote_that, set_up, tear_down),
        cmocka_unit_test_setup_teardown(within_one_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(orders, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_memory, set_up, tear_down),
        cmocka_unit_test(not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
