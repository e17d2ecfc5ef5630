/*
 * Matching of actions and resources, and the order in which statements decide.
 */
#include "conf/iam.h"

#include "base/glob.h"
#include "conf/arn.h"

bool ice_iam_action_matches(struct ice_str pattern, struct ice_str action) {
    return ice_glob_matches(pattern, action, true);
}

/*
 * Replace the variables of a pattern: "${*}" and its like become '?', which matches that
 * byte too, and any other becomes '*'. false if there is none or it is longer than out.
 */
enum { LONGEST_PATTERN = 2048 };
static bool without_variables(struct ice_str pattern, char out[LONGEST_PATTERN],
                              size_t *out_size, bool *out_is_open) {
    size_t n = 0;
    *out_is_open = false;
    for (size_t i = 0; i < pattern.size; i++) {
        if (n == LONGEST_PATTERN)
            return false;
        bool begins =
            pattern.data[i] == '$' && i + 1 < pattern.size && pattern.data[i + 1] == '{';
        size_t end =
            begins ? ice_str_find(ice_str_from_index(pattern, i), '}') : SIZE_MAX;
        if (end == SIZE_MAX) {
            out[n++] = pattern.data[i];
            continue;
        }
        char inner = pattern.data[i + 2];
        bool is_byte = end == 3 && (inner == '*' || inner == '?' || inner == '$');
        out[n++] = is_byte ? '?' : '*';
        *out_is_open = *out_is_open || !is_byte;
        i += end;
    }
    *out_size = n;
    return true;
}

enum ice_iam_match ice_iam_resource_matches(struct ice_str pattern, struct ice_str arn) {
    size_t dollar = ice_str_find(pattern, '$');
    if (dollar == SIZE_MAX)
        return ice_glob_matches(pattern, arn, false) ? ICE_IAM_YES : ICE_IAM_NO;
    char bytes[LONGEST_PATTERN];
    size_t size;
    bool is_open;
    if (!without_variables(pattern, bytes, &size, &is_open))
        return ICE_IAM_PERHAPS;
    if (!ice_glob_matches(ice_str_make(bytes, size), arn, false))
        return ICE_IAM_NO;
    return is_open ? ICE_IAM_PERHAPS : ICE_IAM_YES;
}

bool ice_iam_names_action(const struct ice_iam_statement *statement,
                          struct ice_str action) {
    bool named = false;
    for (size_t i = 0; i < statement->n_actions && !named; i++)
        named = ice_iam_action_matches(statement->actions[i].text, action);
    return named != statement->not_action;
}

/* The pattern may name resources of the service of an action; all of them: *out_all. */
static bool may_name_service(struct ice_str pattern, struct ice_str action,
                             bool *out_all) {
    struct ice_arn arn;
    *out_all = ice_str_is(pattern, "*");
    if (!ice_arn_parse(pattern, &arn))
        return ice_str_find(pattern, '*') != SIZE_MAX ||
               ice_str_find(pattern, '$') != SIZE_MAX;
    struct ice_str service = ice_str_first(action, ice_str_find(action, ':'));
    if (!ice_glob_matches(arn.service, service, true))
        return false;
    bool any_place = (arn.region.size == 0 || ice_str_is(arn.region, "*")) &&
                     (arn.account.size == 0 || ice_str_is(arn.account, "*"));
    *out_all = any_place && ice_str_is(arn.resource, "*");
    return true;
}

static enum ice_iam_match match_unknown(const struct ice_iam_statement *statement,
                                        struct ice_str action) {
    if (statement->not_resource)
        return ICE_IAM_PERHAPS;
    enum ice_iam_match best = ICE_IAM_NO;
    for (size_t i = 0; i < statement->n_resources; i++) {
        bool all = false;
        if (!may_name_service(statement->resources[i].text, action, &all))
            continue;
        if (all)
            return ICE_IAM_YES;
        best = ICE_IAM_PERHAPS;
    }
    return best;
}

static enum ice_iam_match match_known(const struct ice_iam_statement *statement,
                                      struct ice_str resource) {
    enum ice_iam_match best = ICE_IAM_NO;
    for (size_t i = 0; i < statement->n_resources && best != ICE_IAM_YES; i++) {
        enum ice_iam_match match =
            ice_iam_resource_matches(statement->resources[i].text, resource);
        if (match > best)
            best = match;
    }
    if (!statement->not_resource || best == ICE_IAM_PERHAPS)
        return best;
    return best == ICE_IAM_YES ? ICE_IAM_NO : ICE_IAM_YES;
}

/* Of a statement that names the action: its part in the answer. */
static enum ice_iam_answer part_of(const struct ice_iam_statement *statement,
                                   struct ice_str action, struct ice_str resource) {
    bool is_known = resource.size > 0;
    enum ice_iam_match match =
        is_known ? match_known(statement, resource) : match_unknown(statement, action);
    /* an Allow of some resource is good enough where we cannot name it; a Deny of some
     * resource says nothing about the others */
    if (!is_known && match == ICE_IAM_PERHAPS) {
        if (statement->is_deny)
            return ICE_IAM_NOT_GRANTED;
        match = ICE_IAM_YES;
    }
    if (match == ICE_IAM_NO)
        return ICE_IAM_NOT_GRANTED;
    if (match == ICE_IAM_PERHAPS || statement->has_condition)
        return ICE_IAM_DEPENDS;
    return statement->is_deny ? ICE_IAM_DENIED : ICE_IAM_ALLOWED;
}

struct ice_iam_verdict ice_iam_ask(const struct ice_iam_statement *statements, size_t n,
                                   struct ice_str action, struct ice_str resource) {
    struct ice_iam_verdict allowed = {ICE_IAM_NOT_GRANTED, SIZE_MAX};
    size_t doubtful_deny = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        if (!ice_iam_names_action(&statements[i], action))
            continue;
        enum ice_iam_answer part = part_of(&statements[i], action, resource);
        if (part == ICE_IAM_DENIED)
            return (struct ice_iam_verdict){ICE_IAM_DENIED, i};
        if (statements[i].is_deny) {
            if (part == ICE_IAM_DEPENDS)
                doubtful_deny = i;
        } else if (part > allowed.answer) {
            allowed = (struct ice_iam_verdict){part, i};
        }
    }
    if (allowed.answer == ICE_IAM_ALLOWED && doubtful_deny != SIZE_MAX)
        return (struct ice_iam_verdict){ICE_IAM_DEPENDS, doubtful_deny};
    return allowed;
}

bool ice_iam_fits_shape(struct ice_str pattern, enum ice_iam_shape shape) {
    struct ice_arn arn;
    struct ice_str name = ice_arn_parse(pattern, &arn) ? arn.resource : pattern;
    bool has_slash = ice_str_find(name, '/') != SIZE_MAX;
    bool has_star = ice_str_find(name, '*') != SIZE_MAX;
    if (ice_str_find(name, '$') != SIZE_MAX)
        return true; /* a variable: nobody knows */
    switch (shape) {
    case ICE_IAM_BUCKET:
        return !has_slash;
    case ICE_IAM_OBJECT:
        return has_slash || has_star;
    }
    return false;
}
