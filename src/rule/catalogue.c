/*
 * The catalogue as one constant table, and the look-ups on it.
 */
#include "rule/catalogue.h"

#include "base/compiler.h"
#include "base/near.h"
#include "base/str.h"

/* the bare words of the rows */
enum { INFO = ICE_INFO, WARN = ICE_WARN, ERROR = ICE_ERROR };
enum { V1 = ICE_V1, V2 = ICE_V2, V3 = ICE_V3, V4 = ICE_V4, VALL = ICE_VALL };
enum {
    METADATA = ICE_NEEDS_METADATA,
    LIST = ICE_NEEDS_LIST,
    MANIFEST = ICE_NEEDS_MANIFEST,
    FILES = ICE_NEEDS_FILES,
    STORAGE = ICE_NEEDS_STORAGE,
    CATALOG = ICE_NEEDS_CATALOG,
    HISTORY = ICE_NEEDS_HISTORY,
    PUFFIN = ICE_NEEDS_PUFFIN,
    CONF = ICE_NEEDS_CONF,
};

/* Rank of a rule: its group * RANKS_A_GROUP + its place there, by counting enumerators.
 */
enum { RANKS_A_GROUP = 1024 };
enum {
#define ICE_GROUP(number, title) RANK_BEFORE_##number = (number)*RANKS_A_GROUP - 1,
#define ICE_RULE(token, name, severity, versions, needs, spec, message, why, refused_by, \
                 fix)                                                                    \
    RANK_##token,
#define ICE_RULE_DEMOTED(token, name, severity, versions, needs, spec, message, why,     \
                         refused_by, fix)                                                \
    RANK_##token,
#define ICE_RULE_UNDECIDED(token, name, severity, versions, needs, spec, message, why,   \
                           refused_by, fix)                                              \
    RANK_##token,
#include "rule/rules.def"
#undef ICE_GROUP
#undef ICE_RULE
#undef ICE_RULE_DEMOTED
#undef ICE_RULE_UNDECIDED
    RANK_END
};

#define ROW(token, name_, severity_, demoted_, versions_, needs_, spec_, message_, why_, \
            refused_by_, fix_, status_)                                                  \
    [ICE_RULE_##token] = {                                                               \
        .name = (name_),                                                                 \
        .severity = (enum ice_severity)(severity_),                                      \
        .demoted = (demoted_),                                                           \
        .refused = sizeof(refused_by_) > 1,                                              \
        .versions = (unsigned)(versions_),                                               \
        .needs = (unsigned)(needs_),                                                     \
        .spec = (spec_),                                                                 \
        .message = (message_),                                                           \
        .why = (why_),                                                                   \
        .refused_by = (refused_by_),                                                     \
        .fix = (fix_),                                                                   \
        .status = (status_),                                                             \
        .group = (uint16_t)(RANK_##token / RANKS_A_GROUP),                               \
    },

static const struct ice_rule rules[] = {
#define ICE_GROUP(number, title)
#define ICE_RULE(token, name, severity, versions, needs, spec, message, why, refused_by, \
                 fix)                                                                    \
    ROW(token, name, severity, false, versions, needs, spec, message, why, refused_by,   \
        fix, ICE_RULE_ACTIVE)
#define ICE_RULE_DEMOTED(token, name, severity, versions, needs, spec, message, why,     \
                         refused_by, fix)                                                \
    ROW(token, name, severity, true, versions, needs, spec, message, why, refused_by,    \
        fix, ICE_RULE_ACTIVE)
#define ICE_RULE_UNDECIDED(token, name, severity, versions, needs, spec, message, why,   \
                           refused_by, fix)                                              \
    ROW(token, name, severity, false, versions, needs, spec, message, why, refused_by,   \
        fix, ICE_RULE_NOT_DECIDABLE)
#include "rule/rules.def"
#undef ICE_GROUP
#undef ICE_RULE
#undef ICE_RULE_DEMOTED
#undef ICE_RULE_UNDECIDED
    [ICE_RULE_ID_COUNT] = {.name = NULL},
};

static const struct {
    unsigned number;
    const char *title;
} groups[] = {
#define ICE_GROUP(number, title) {number, title},
#define ICE_RULE(token, name, severity, versions, needs, spec, message, why, refused_by, \
                 fix)
#define ICE_RULE_DEMOTED(token, name, severity, versions, needs, spec, message, why,     \
                         refused_by, fix)
#define ICE_RULE_UNDECIDED(token, name, severity, versions, needs, spec, message, why,   \
                           refused_by, fix)
#include "rule/rules.def"
#undef ICE_GROUP
#undef ICE_RULE
#undef ICE_RULE_DEMOTED
#undef ICE_RULE_UNDECIDED
};

static const struct {
    const char *name;
    enum ice_rule_id id;
} aliases[] = {
#define ICE_ALIAS(former, token) {former, ICE_RULE_##token},
#include "rule/aliases.def"
#undef ICE_ALIAS
    {NULL, ICE_RULE_ID_COUNT},
};

const struct ice_rule *ice_rule_of(enum ice_rule_id id) {
    return &rules[id];
}

bool ice_rule_id_of(const char *name, enum ice_rule_id *out) {
    for (size_t i = 0; i < ICE_RULE_ID_COUNT; i++) {
        if (strcmp(rules[i].name, name) == 0) {
            *out = (enum ice_rule_id)i;
            return true;
        }
    }
    for (size_t i = 0; aliases[i].name != NULL; i++) {
        if (strcmp(aliases[i].name, name) == 0) {
            *out = aliases[i].id;
            return true;
        }
    }
    return false;
}

size_t ice_rule_count(void) {
    return ICE_RULE_ID_COUNT;
}

const struct ice_rule *ice_rule_at(size_t index) {
    return index < ICE_RULE_ID_COUNT ? &rules[index] : NULL;
}

const struct ice_rule *ice_rule_find(const char *name) {
    enum ice_rule_id id;
    return name != NULL && ice_rule_id_of(name, &id) ? &rules[id] : NULL;
}

const struct ice_rule *ice_rule_nearest(const char *name) {
    struct ice_str wanted = ice_str_from(name);
    if (wanted.size == 0 || wanted.size > ICE_NEAR_LONGEST)
        return NULL;
    const struct ice_rule *nearest = NULL;
    size_t best = 1 + wanted.size / 4; /* farther is no likeness */
    for (size_t i = 0; i < ICE_RULE_ID_COUNT; i++) {
        size_t distance = ice_edit_distance(wanted, ice_str_from(rules[i].name));
        if (distance < best || (distance == best && nearest == NULL)) {
            best = distance;
            nearest = &rules[i];
        }
    }
    return nearest;
}

bool ice_rule_matches(const char *glob, const char *name) {
    const char *star = NULL, *resume = NULL;
    while (*name != '\0') {
        if (*glob == '*') {
            star = glob++;
            resume = name;
        } else if (*glob == '?' || *glob == *name) {
            glob++;
            name++;
        } else if (star != NULL) {
            glob = star + 1; /* let the star take one more */
            name = ++resume;
        } else {
            return false;
        }
    }
    while (*glob == '*')
        glob++;
    return *glob == '\0';
}

const char *ice_severity_name(enum ice_severity severity) {
    switch (severity) {
    case ICE_OFF:
        return "off";
    case ICE_INFO:
        return "info";
    case ICE_WARN:
        return "warn";
    case ICE_ERROR:
        return "error";
    }
    return "unknown";
}

const char *ice_rule_group_title(unsigned group) {
    for (size_t i = 0; i < ICE_COUNT_OF(groups); i++) {
        if (groups[i].number == group)
            return groups[i].title;
    }
    return NULL;
}

bool ice_rule_needs_listing(const struct ice_rule *rule) {
    return (rule->needs & ICE_NEEDS_STORAGE) != 0 &&
           !ice_rule_matches("storage.manifest*", rule->name);
}
