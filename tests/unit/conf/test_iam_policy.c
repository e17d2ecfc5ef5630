/*
 * Policies out of the wrappers that the AWS command line prints.
 */
#include "conf/iam_policy.h"

#include "base/error.h"
#include "support/cmocka_all.h"
#include "support/failing_run.h"
#include "support/one_run.h"

#define ALLOW "{\"Effect\":\"Allow\",\"Action\":\"glue:GetTable\",\"Resource\":[\"*\"]}"

static struct ice_arena arena;

static void read_into(struct ice_iam_policies *out, const char *json) {
    struct ice_error err;
    ice_error_clear(&err);
    ice_arena_init(&arena, &run.alloc);
    *out = (struct ice_iam_policies){.arena = &arena};
    if (ice_iam_read(out, ice_str_from(json), &run, &err) != ICE_OK)
        fail_msg("%s", err.message);
}

static void assert_grants(const char *json, size_t n) {
    struct ice_iam_policies policies;
    read_into(&policies, json);
    if (policies.n != n)
        fail_msg("%zu statements in %s", policies.n, json);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(policies.statements[i].n_actions, 1);
        assert_int_equal(policies.statements[i].n_resources, 1);
    }
    ice_arena_release(&arena);
}

static void wrappers(void **state) {
    (void)state;
    assert_grants("{\"Statement\":" ALLOW "}", 1);
    assert_grants("{\"Statement\":[" ALLOW ",7,[1]," ALLOW "]}", 2);
    assert_grants("{\"PolicyVersion\":{\"Document\":{\"Statement\":[" ALLOW "]}}}", 1);
    assert_grants("{\"PolicyList\":[{\"PolicyVersionList\":[{\"Document\":{\"Statement\":"
                  "[" ALLOW "]}}]}]}",
                  1);
    assert_grants("{\"RolePolicyList\":[{\"PolicyDocument\":{\"Statement\":" ALLOW
                  "}},{\"PolicyDocument\":{\"Statement\":" ALLOW "}}]}",
                  2);
    assert_grants("{\"PolicyInJson\":\"{\\\"Statement\\\":{\\\"Effect\\\":\\\"Deny\\\","
                  "\\\"Action\\\":\\\"*\\\",\\\"Resource\\\":\\\"*\\\"}}\"}",
                  1);
    assert_grants("{\"PolicyDocument\":\"%7B%22Statement%22%3A%7B%22Effect%22%3A%22Allow"
                  "%22%2C%22Action%22%3A%22s3%3A%2A%22%2C%22Resource%22%3A%22%2A%22%7D%7D"
                  "\"}",
                  1);
    /* who may assume a role is no grant */
    assert_grants("{\"AssumeRolePolicyDocument\":{\"Statement\":" ALLOW "}}", 0);
    assert_grants("{\"AssumeRolePolicyDocument\":\"{\\\"Statement\\\":[]}\"}", 0);
    assert_grants("{\"Statement\":{\"Effect\":\"allow\",\"Action\":\"*\"}}", 0);
    assert_grants("{}", 0);
}

static void members(void **state) {
    (void)state;
    struct ice_iam_policies p;
    read_into(
        &p, "{\"Statement\":[{\"Sid\":\"one\",\"Effect\":\"Deny\",\"NotAction\":"
            "[\"iam:*\",\"sts:*\"],\"NotResource\":\"arn:aws:s3:::b\",\"Principal\":"
            "{\"AWS\":[\"111111111111\",\"arn:aws:iam::2:root\"]},\"Condition\":"
            "{\"Bool\":{\"aws:SecureTransport\":\"false\"}}},{\"Effect\":\"Allow\","
            "\"Principal\":\"*\",\"Condition\":{},\"Action\":[],\"Extra\":{\"a\":[1]}}],"
            "\"Arn\":\"arn:aws:iam::123456789012:policy/p\"}");
    assert_int_equal(p.n, 2);
    const struct ice_iam_statement *s = &p.statements[0];
    assert_true(s->is_deny && s->not_action && s->not_resource && s->has_condition &&
                s->has_principal);
    assert_true(ice_str_is(s->sid, "one"));
    assert_int_equal(s->n_actions, 2);
    assert_true(ice_str_is(s->actions[1].text, "sts:*"));
    assert_int_equal(s->n_principals, 2);
    assert_true(ice_str_is(s->principals[1].text, "arn:aws:iam::2:root"));
    s = &p.statements[1];
    assert_false(s->is_deny || s->not_action || s->not_resource || s->has_condition);
    assert_int_equal(s->n_principals, 1);
    assert_int_equal(p.role.text.size, 0);
    ice_arena_release(&arena);
}

/* Functions of a template: not known, and not the words inside of them. */
static void functions(void **state) {
    (void)state;
    struct ice_iam_policies p;
    read_into(
        &p, "{\"Statement\":{\"Resource\":[{\"Fn::GetAtt\":[\"Lake\",\"Arn\"]},[[\"b\"]]"
            ",\"c\"],\"Effect\":\"Allow\",\"Action\":\"s3:*\"}}");
    assert_int_equal(p.n, 1);
    assert_int_equal(p.statements[0].n_resources, 3);
    assert_true(ice_str_is(p.statements[0].resources[0].text, "${}"));
    assert_true(ice_str_is(p.statements[0].resources[2].text, "c"));
    assert_int_equal(ice_iam_ask(p.statements, p.n, ICE_STR("s3:GetObject"),
                                 ICE_STR("arn:aws:s3:::lake/x"))
                         .answer,
                     ICE_IAM_DEPENDS);
    ice_arena_release(&arena);
    read_into(
        &p,
        "{\"Statement\":{\"Resource\":{\"Ref\":\"Lake\"},\"Effect\":\"Allow\",\"Action\":"
        "\"s3:*\"}}");
    assert_int_equal(p.statements[0].n_resources, 1);
    assert_int_equal(p.statements[0].n_actions, 1);
    ice_arena_release(&arena);
}

static void role_and_attached(void **state) {
    (void)state;
    struct ice_iam_policies p;
    read_into(&p, "{\"Role\":{\"Arn\":\"arn:aws:iam::123456789012:role/etl\"},"
                  "\"AttachedPolicies\":[{\"PolicyName\":\"AWSGlueServiceRole\","
                  "\"PolicyArn\":\"arn:aws:iam::aws:policy/service-role/"
                  "AWSGlueServiceRole\"}]}");
    assert_true(p.lists_attached);
    assert_int_equal(p.attached.n, 1);
    assert_true(ice_str_is(p.role.text, "arn:aws:iam::123456789012:role/etl"));
    ice_arena_release(&arena);
    read_into(&p, "{\"AttachedPolicies\":[]}");
    assert_true(p.lists_attached);
    assert_int_equal(p.attached.n, 0);
    ice_arena_release(&arena);
}

static void places(void **state) {
    (void)state;
    struct ice_iam_policies p;
    const char *json = "{ \"Statement\": " ALLOW " }";
    read_into(&p, json);
    assert_int_equal(p.statements[0].offset, 15);
    const uint64_t at = p.statements[0].actions[0].offset;
    assert_int_equal(strncmp(json + at, "\"glue:GetTable\"", 15), 0);
    ice_arena_release(&arena);
    /* in a string: the place of the string */
    read_into(&p,
              "{\"PolicyInJson\": \"{\\\"Statement\\\":{\\\"Effect\\\":\\\"Deny\\\"}}\""
              "}");
    assert_int_equal(p.statements[0].offset, 17);
    ice_arena_release(&arena);
}

static void broken(void **state) {
    (void)state;
    struct ice_iam_policies p;
    struct ice_error err;
    read_into(&p, "{\"PolicyInJson\":\"nothing\",\"Document\":\"%7\",\"PolicyDocument\":"
                  "\"\"}");
    assert_int_equal(p.n, 0);
    assert_int_equal(p.n_unread, 3);
    ice_error_clear(&err);
    assert_int_equal(ice_iam_read(&p, ICE_STR("{\"Statement\":[" ALLOW ","), &run, &err),
                     ICE_EFORMAT);
    assert_int_equal(p.n, 1);
    ice_arena_release(&arena);
}

/* Documents in strings in strings: it ends, and what was not read is counted. */
static void nested_strings(void **state) {
    (void)state;
    struct ice_iam_policies p;
    read_into(&p,
              "{\"Document\":\"{\\\"Document\\\":\\\"{\\\\\\\"Document\\\\\\\":\\\\\\\"{}"
              "\\\\\\\"}\\\"}\"}");
    assert_int_equal(p.n_unread, 1);
    ice_arena_release(&arena);
}

static void no_memory(void **state) {
    (void)state;
    const char *json = "{\"PolicyInJson\":\"%7B%22Statement%22%3A%7B%22Effect%22%3A%22All"
                       "ow%22%7D%7D\",\"Statement\":" ALLOW "}";
    for (uint64_t k = 1;; k++) {
        struct failing failing = {.fail_at = k};
        struct ice_run poor;
        struct ice_arena own;
        struct ice_error err;
        ice_error_clear(&err);
        failing_run_init(&poor, &failing);
        ice_arena_init(&own, &poor.alloc);
        struct ice_iam_policies p = {.arena = &own};
        enum ice_status status = ice_iam_read(&p, ice_str_from(json), &poor, &err);
        ice_arena_release(&own);
        assert_int_equal(failing.used, 0);
        if (status == ICE_OK)
            break;
        assert_int_equal(status, ICE_ENOMEM);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(wrappers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(members, set_up, tear_down),
        cmocka_unit_test_setup_teardown(functions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(role_and_attached, set_up, tear_down),
        cmocka_unit_test_setup_teardown(places, set_up, tear_down),
        cmocka_unit_test_setup_teardown(broken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nested_strings, set_up, tear_down),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
