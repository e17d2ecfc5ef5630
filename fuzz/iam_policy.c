/*
 * IAM policies: any bytes are read or refused, every statement is whole, and every needed
 * action gets an answer that does not depend on the order of statements.
 */
#include "conf/iam_policy.h"
#include "fuzz/target.h"

static void reverse(struct ice_iam_statement *statements, size_t n) {
    for (size_t i = 0; i + 1 < n - i; i++) {
        struct ice_iam_statement other = statements[i];
        statements[i] = statements[n - 1 - i];
        statements[n - 1 - i] = other;
    }
}

static void ask_all(struct ice_iam_policies *policies, struct ice_str resource) {
    for (unsigned p = 0; p < ICE_IAM_PROFILES; p++) {
        size_t n;
        const struct ice_iam_need *needs = ice_iam_needs((enum ice_iam_profile)p, &n);
        for (size_t i = 0; i < n; i++) {
            struct ice_str action = ice_str_from(needs[i].action);
            struct ice_iam_verdict one =
                ice_iam_ask(policies->statements, policies->n, action, resource);
            require(one.answer == ICE_IAM_NOT_GRANTED || one.statement < policies->n);
            reverse(policies->statements, policies->n);
            struct ice_iam_verdict other =
                ice_iam_ask(policies->statements, policies->n, action, resource);
            require(one.answer == other.answer);
            reverse(policies->statements, policies->n);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ice_options options = ICE_OPTIONS_INIT;
    options.hash_seed = 1;
    struct ice_run run;
    struct ice_arena arena;
    struct ice_error err;
    ice_error_clear(&err);
    ice_run_init(&run, &options);
    ice_arena_init(&arena, &run.alloc);
    struct ice_iam_policies policies = {.arena = &arena};
    (void)!ice_iam_read(&policies, ice_str_make(data, size), &run, &err);
    for (size_t i = 0; i < policies.n; i++) {
        require(policies.statements[i].offset < size);
        for (size_t k = 0; k < policies.statements[i].n_actions; k++) {
            struct ice_str service, action;
            (void)ice_iam_action_near(policies.statements[i].actions[k].text, &service,
                                      &action);
        }
    }
    if (policies.n <= 64) { /* the question costs statements times needs */
        ask_all(&policies, ICE_STR_NONE);
        ask_all(&policies, ICE_STR("arn:aws:s3:::lake/db/table/data/a.parquet"));
    }
    ice_arena_release(&arena);
    require(run.alloc.used == 0);
    return 0;
}
