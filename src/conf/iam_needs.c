/*
 * Sets of needed actions and the table of known ones.
 */
#include "conf/iam.h"

#include "base/near.h"

static const struct ice_iam_need needs[] = {
#define ICE_IAM_NEED(profile, action, target)                                            \
    {ICE_IAM_##profile, action, ICE_IAM_ON_##target},
#include "conf/iam_needs.def"
#undef ICE_IAM_NEED
};
enum { N_NEEDS = sizeof(needs) / sizeof(needs[0]) };

static const char *const profile_names[ICE_IAM_PROFILES] = {
    "glue-read", "glue-write", "s3tables-etl", "rest-vended"};

static const struct known_action {
    const char *service, *action;
} known_actions[] = {
#define ICE_IAM_ACTION(service, action) {service, action},
#include "conf/iam_actions.def"
#undef ICE_IAM_ACTION
};
enum { N_KNOWN = sizeof(known_actions) / sizeof(known_actions[0]) };

const struct ice_iam_need *ice_iam_needs(enum ice_iam_profile profile, size_t *out_n) {
    size_t first = 0;
    while (first < N_NEEDS && needs[first].profile != profile)
        first++;
    size_t end = first;
    while (end < N_NEEDS && needs[end].profile == profile)
        end++;
    *out_n = end - first;
    return &needs[first < N_NEEDS ? first : 0];
}

const char *ice_iam_profile_name(enum ice_iam_profile profile) {
    return profile_names[profile];
}

bool ice_iam_profile_find(struct ice_str name, enum ice_iam_profile *out) {
    for (unsigned i = 0; i < ICE_IAM_PROFILES; i++) {
        if (ice_str_is(name, profile_names[i])) {
            *out = (enum ice_iam_profile)i;
            return true;
        }
    }
    return false;
}

/* The letters of one word in lower case, into out; longer words are no name of ours. */
static bool lower(struct ice_str text, char out[ICE_NEAR_LONGEST],
                  struct ice_str *out_text) {
    if (text.size > ICE_NEAR_LONGEST)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '*' || c == '?' || c == '$')
            return false;
        out[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    *out_text = ice_str_make(out, text.size);
    return true;
}

bool ice_iam_action_near(struct ice_str name, struct ice_str *out_service,
                         struct ice_str *out_action) {
    enum { FARTHEST = 2 };
    char bytes[ICE_NEAR_LONGEST], known_bytes[ICE_NEAR_LONGEST];
    struct ice_str word, known;
    size_t colon = ice_str_find(name, ':');
    if (colon == SIZE_MAX || !lower(ice_str_from_index(name, colon + 1), bytes, &word))
        return false;
    struct ice_str service = ice_str_first(name, colon);
    size_t best = FARTHEST + 1;
    for (size_t i = 0; i < N_KNOWN; i++) {
        if (!ice_str_equal_nocase(service, ice_str_from(known_actions[i].service)) ||
            !lower(ice_str_from(known_actions[i].action), known_bytes, &known))
            continue;
        size_t distance = ice_edit_distance(word, known);
        if (distance == 0)
            return false;
        if (distance < best) {
            best = distance;
            *out_service = ice_str_from(known_actions[i].service);
            *out_action = ice_str_from(known_actions[i].action);
        }
    }
    return best <= FARTHEST;
}
