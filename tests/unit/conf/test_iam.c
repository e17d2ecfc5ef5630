/*
 * Allow, Deny, wildcards, conditions.
 */
#include "conf/iam.h"

#include "base/glob.h"
#include "support/cmocka_all.h"

#include <stdio.h>

static struct ice_iam_text one(const char *text) {
    return (struct ice_iam_text){ice_str_from(text), 0};
}

struct ask {
    struct ice_iam_text actions[4], resources[4];
    struct ice_iam_statement statements[4];
    size_t n;
};

static struct ice_iam_statement *say(struct ask *ask, bool is_deny, const char *action,
                                     const char *resource) {
    size_t i = ask->n++;
    ask->actions[i] = one(action);
    ask->resources[i] = one(resource);
    ask->statements[i] = (struct ice_iam_statement){.is_deny = is_deny,
                                                    .actions = &ask->actions[i],
                                                    .n_actions = 1,
                                                    .resources = &ask->resources[i],
                                                    .n_resources = 1};
    return &ask->statements[i];
}

static void answers(const struct ask *ask, const char *action, const char *resource,
                    enum ice_iam_answer answer, size_t statement) {
    struct ice_iam_verdict verdict = ice_iam_ask(
        ask->statements, ask->n, ice_str_from(action), ice_str_from(resource));
    assert_int_equal(verdict.answer, answer);
    assert_int_equal(verdict.statement, statement);
}

#define OBJECT "arn:aws:s3:::lake/t/data/1.parquet"

static void allow(void **state) {
    (void)state;
    struct ask ask = {0};
    say(&ask, false, "S3:getobject", "arn:aws:s3:::lake/*");
    answers(&ask, "s3:GetObject", OBJECT, ICE_IAM_ALLOWED, 0);
    answers(&ask, "s3:PutObject", OBJECT, ICE_IAM_NOT_GRANTED, SIZE_MAX);
    answers(&ask, "s3:GetObject", "arn:aws:s3:::Lake/t", ICE_IAM_NOT_GRANTED, SIZE_MAX);
    answers(&ask, "s3:GetObject", "", ICE_IAM_ALLOWED, 0);
    answers(&ask, "glue:GetTable", "", ICE_IAM_NOT_GRANTED, SIZE_MAX);
}

static void deny_wins(void **state) {
    (void)state;
    struct ask ask = {0};
    say(&ask, true, "s3:Get*", "arn:aws:s3:::lake/t/*");
    say(&ask, false, "*", "*");
    answers(&ask, "s3:GetObject", OBJECT, ICE_IAM_DENIED, 0);
    answers(&ask, "s3:GetObject", "arn:aws:s3:::lake/u", ICE_IAM_ALLOWED, 1);
    /* a Deny of one place says nothing about an unknown one */
    answers(&ask, "s3:GetObject", "", ICE_IAM_ALLOWED, 1);
    ask.statements[0].has_condition = true;
    answers(&ask, "s3:GetObject", OBJECT, ICE_IAM_DEPENDS, 0);
}

static void deny_of_all(void **state) {
    (void)state;
    struct ask ask = {0};
    say(&ask, false, "*", "*");
    say(&ask, true, "s3:GetObject", "arn:aws:s3:::*");
    answers(&ask, "s3:GetObject", "", ICE_IAM_DENIED, 1);
    /* the other services are not touched */
    answers(&ask, "glue:GetTable", "", ICE_IAM_ALLOWED, 0);
}

static void conditions(void **state) {
    (void)state;
    struct ask ask = {0};
    say(&ask, false, "s3:GetObject", "*")->has_condition = true;
    answers(&ask, "s3:GetObject", OBJECT, ICE_IAM_DEPENDS, 0);
    say(&ask, false, "s3:GetObject", "*");
    answers(&ask, "s3:GetObject", OBJECT, ICE_IAM_ALLOWED, 1);
}

static void left_out(void **state) {
    (void)state;
    struct ask ask = {0};
    struct ice_iam_statement *s = say(&ask, false, "iam:*", "arn:aws:s3:::secret/*");
    s->not_action = true;
    s->not_resource = true;
    answers(&ask, "s3:GetObject", OBJECT, ICE_IAM_ALLOWED, 0);
    answers(&ask, "s3:GetObject", "arn:aws:s3:::secret/x", ICE_IAM_NOT_GRANTED, SIZE_MAX);
    answers(&ask, "iam:PassRole", "arn:aws:iam::1:role/x", ICE_IAM_NOT_GRANTED, SIZE_MAX);
}

static void variables(void **state) {
    (void)state;
    assert_int_equal(ice_iam_resource_matches(
                         ICE_STR("arn:aws:s3:::lake/${aws:username}/*"), ICE_STR(OBJECT)),
                     ICE_IAM_PERHAPS);
    assert_int_equal(ice_iam_resource_matches(
                         ICE_STR("arn:aws:s3:::pond/${aws:username}/*"), ICE_STR(OBJECT)),
                     ICE_IAM_NO);
    assert_int_equal(ice_iam_resource_matches(ICE_STR("a${*}"), ICE_STR("a*")),
                     ICE_IAM_YES);
    assert_int_equal(ice_iam_resource_matches(ICE_STR("a${*}"), ICE_STR("abc")),
                     ICE_IAM_NO);
    assert_int_equal(ice_iam_resource_matches(ICE_STR("a$b"), ICE_STR("a$b")),
                     ICE_IAM_YES);
    assert_int_equal(ice_iam_resource_matches(ICE_STR("a${b"), ICE_STR("a${b")),
                     ICE_IAM_YES);
    assert_int_equal(ice_iam_resource_matches(ICE_STR("a${?}$"), ICE_STR("a?$")),
                     ICE_IAM_YES);
    assert_int_equal(ice_iam_resource_matches(ICE_STR("a${$}${x}"), ICE_STR("a$")),
                     ICE_IAM_PERHAPS);
    assert_int_equal(ice_iam_resource_matches(ICE_STR("a${b}${*}"), ICE_STR("a*")),
                     ICE_IAM_PERHAPS);
    char longest[2051];
    memset(longest, '$', sizeof(longest));
    assert_int_equal(
        ice_iam_resource_matches(ice_str_make(longest, sizeof(longest)), ICE_STR("x")),
        ICE_IAM_PERHAPS);
}

/* What a resource of no name may be, of one service and in one place. */
static void unknown_places(void **state) {
    (void)state;
    static const struct {
        const char *denied;
        bool is_all;
    } rows[] = {
        {"*", true},
        {"arn:aws:glue:*:*:*", true},
        {"arn:aws:glue:::*", true},
        {"arn:aws:glue:eu-west-1:*:*", false},
        {"arn:aws:glue:*:123456789012:*", false},
        {"arn:aws:glue:*:*:table/*", false},
        {"arn:aws:s3:::*", false},
        {"${x}", false},
        {"x*", false},
        {"x", false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ask ask = {0};
        say(&ask, false, "*", "*");
        say(&ask, true, "glue:GetTable", rows[i].denied);
        answers(&ask, "glue:GetTable", "",
                rows[i].is_all ? ICE_IAM_DENIED : ICE_IAM_ALLOWED,
                rows[i].is_all ? 1 : 0);
    }
    /* all but some: perhaps, which is enough for an Allow and not for a Deny */
    struct ask ask = {0};
    say(&ask, false, "*", "arn:aws:glue:::x")->not_resource = true;
    say(&ask, true, "*", "arn:aws:glue:::x")->not_resource = true;
    answers(&ask, "glue:GetTable", "", ICE_IAM_ALLOWED, 0);
    ask.resources[0] = one("arn:aws:glue:::${x}");
    ask.n = 1;
    answers(&ask, "glue:GetTable", "arn:aws:glue:::x", ICE_IAM_DEPENDS, 0);
}

static void shapes(void **state) {
    (void)state;
    assert_true(ice_iam_fits_shape(ICE_STR("arn:aws:s3:::b"), ICE_IAM_BUCKET));
    assert_false(ice_iam_fits_shape(ICE_STR("arn:aws:s3:::b"), ICE_IAM_OBJECT));
    assert_false(ice_iam_fits_shape(ICE_STR("arn:aws:s3:::b/*"), ICE_IAM_BUCKET));
    assert_true(ice_iam_fits_shape(ICE_STR("arn:aws:s3:::b/*"), ICE_IAM_OBJECT));
    assert_true(ice_iam_fits_shape(ICE_STR("arn:aws:s3:::b*"), ICE_IAM_BUCKET));
    assert_true(ice_iam_fits_shape(ICE_STR("arn:aws:s3:::b*"), ICE_IAM_OBJECT));
    assert_true(ice_iam_fits_shape(ICE_STR("*"), ICE_IAM_BUCKET));
    assert_true(ice_iam_fits_shape(ICE_STR("*"), ICE_IAM_OBJECT));
}

static void near_actions(void **state) {
    (void)state;
    struct ice_str service, action;
    assert_true(ice_iam_action_near(ICE_STR("glue:GetTabel"), &service, &action));
    assert_true(ice_str_is(service, "glue"));
    assert_true(ice_str_is(action, "GetTable"));
    assert_true(ice_iam_action_near(ICE_STR("S3:GetObjects"), &service, &action));
    assert_true(ice_str_is(action, "GetObject"));
    static const char *const silent[] = {
        "glue:GetTable",   "GLUE:gettables",    "glue:Get*", "glue:", "glue",
        "ec2:RunInstance", "glue:MakeNewThing", "s3:*Objct", "",      "s3:GetObj?ct",
        "s3:Get${x}"};
    for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++) {
        if (ice_iam_action_near(ice_str_from(silent[i]), &service, &action))
            fail_msg("%s is taken for %.*s", silent[i], ICE_STR_FMT(action));
    }
}

/* Known actions are sorted, none twice; every needed one is known. */
static void tables(void **state) {
    (void)state;
    static const char *const names[] = {
#define ICE_IAM_ACTION(service, action) service ":" action,
#include "conf/iam_actions.def"
#undef ICE_IAM_ACTION
    };
    const size_t n = sizeof(names) / sizeof(names[0]);
    for (size_t i = 1; i < n; i++) {
        if (strcmp(names[i - 1], names[i]) >= 0)
            fail_msg("%s stands behind %s", names[i], names[i - 1]);
    }
    for (unsigned p = 0; p < ICE_IAM_PROFILES; p++) {
        size_t n_needs;
        const struct ice_iam_need *needs =
            ice_iam_needs((enum ice_iam_profile)p, &n_needs);
        assert_true(n_needs > 0);
        for (size_t i = 0; i < n_needs; i++) {
            bool known = false;
            for (size_t k = 0; k < n; k++)
                known = known || strcmp(names[k], needs[i].action) == 0;
            if (!known)
                fail_msg("%s is not known", needs[i].action);
            assert_int_equal(needs[i].profile, p);
        }
        enum ice_iam_profile found;
        assert_true(ice_iam_profile_find(
            ice_str_from(ice_iam_profile_name((enum ice_iam_profile)p)), &found));
        assert_int_equal(found, p);
    }
    enum ice_iam_profile none;
    assert_false(ice_iam_profile_find(ICE_STR("glue"), &none));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allow),       cmocka_unit_test(deny_wins),
        cmocka_unit_test(deny_of_all), cmocka_unit_test(conditions),
        cmocka_unit_test(left_out),    cmocka_unit_test(variables),
        cmocka_unit_test(shapes),      cmocka_unit_test(near_actions),
        cmocka_unit_test(tables),      cmocka_unit_test(unknown_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
