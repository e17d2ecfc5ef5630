/*
 * The rule catalogue: one row a rule in rules/NN_group.def, listed by rules.def. Public
 * lookups are in icefsck.h.
 *
 * ICE_RULE(TOKEN, "name", SEVERITY, versions, needs, "spec-anchor",
 *          "message with {args}", "why it matters", "refused by", "the way out")
 * ICE_RULE_DEMOTED(...)    the same for rules marked with a dagger: --strict says error
 * ICE_RULE_UNDECIDED(...)  the same for ids that nothing raises; why begins with the
 * reason
 */
#ifndef ICE_RULE_CATALOGUE_H
#define ICE_RULE_CATALOGUE_H

#include "icefsck.h"

enum ice_rule_id {
#define ICE_GROUP(number, title)
#define ICE_RULE(token, name, severity, versions, needs, spec, message, why, refused_by, \
                 fix)                                                                    \
    ICE_RULE_##token,
#define ICE_RULE_DEMOTED(token, name, severity, versions, needs, spec, message, why,     \
                         refused_by, fix)                                                \
    ICE_RULE_##token,
#define ICE_RULE_UNDECIDED(token, name, severity, versions, needs, spec, message, why,   \
                           refused_by, fix)                                              \
    ICE_RULE_##token,
#include "rule/rules.def"
#undef ICE_GROUP
#undef ICE_RULE
#undef ICE_RULE_DEMOTED
#undef ICE_RULE_UNDECIDED
    ICE_RULE_ID_COUNT
};

/* Is it judged by what storage lists? Absent lists and manifests are also seen by opening
 * them. */
bool ice_rule_needs_listing(const struct ice_rule *rule);
/* By id; never NULL. */
const struct ice_rule *ice_rule_of(enum ice_rule_id id);
/* Id of a rule name (or former name); false if there is none. */
bool ice_rule_id_of(const char *name, enum ice_rule_id *out);

#endif
