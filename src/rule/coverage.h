/*
 * What lines of what was not evaluated mean for a rule. The one notion of it: for formats
 * that list rules, and for baselines, which ask whether a finding could have been seen.
 */
#ifndef ICE_RULE_COVERAGE_H
#define ICE_RULE_COVERAGE_H

#include "rule/catalogue.h"

enum ice_coverage {
    ICE_COVERS_NOTHING,
    ICE_COVERS_PART, /* the rule ran, but not over all files, or not over all snapshots */
    ICE_COVERS_ALL   /* it did not run, or not to its end */
};

/* Does the line say that the rule was not, or not wholly, looked at? */
enum ice_coverage ice_line_covers(const struct ice_not_evaluated *line,
                                  const struct ice_rule *rule);

/* The first of the lines that covers at least so much of the rule; NULL: none. Borrowed.
 */
const struct ice_not_evaluated *ice_line_over(const struct ice_not_evaluated *lines,
                                              size_t n, const struct ice_rule *rule,
                                              enum ice_coverage least);

/* What a caller has asked for beside the table. */
struct ice_asked {
    bool has_pointers, has_max_age;
};
struct ice_asked ice_asked_of(const struct ice_options *options); /* NULL: nothing */

/* Why the rule was not asked about, though no line need say so; NULL: it was. Static. */
const char *ice_rule_not_asked(const struct ice_rule *rule,
                               const struct ice_summary *summary,
                               const struct ice_asked *asked);

/* Why there was nothing that the rule could look at: no file of a kind that it needs was
 * read; NULL: there was. Static. */
const char *ice_rule_has_nothing(const struct ice_rule *rule,
                                 const struct ice_summary *summary);

#endif
