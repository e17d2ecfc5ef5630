/*
 * Inside of struct ice_emit, shared by the files that keep findings (emit.c) and that
 * hand them out (deliver.c).
 */
#ifndef ICE_RULE_EMIT_STATE_H
#define ICE_RULE_EMIT_STATE_H

#include "rule/coverage.h"
#include "rule/emit.h"

/* What a finding weighs, when caps are reached: emit_room.c. */
enum { ICE_WEIGHTS = 8 };

struct ice_kept {
    enum ice_rule_id id;
    enum ice_severity severity; /* after overrides; ICE_OFF: dropped by revise */
    uint32_t group;
    struct ice_place at;
    struct ice_location other;
    struct ice_arg *args;
    size_t n_args;
    /* index + 1 of its neighbours of equal weight, of its group, rule and table; 0: none
     */
    uint32_t before[3], behind[3];
    bool is_current;            /* it hurts a current state */
    bool is_gone;               /* it gave way to another */
    uint64_t more, fingerprint; /* filled when handed out */
    bool is_known;
};

/* The findings of one rule in one file. */
struct ice_kept_group {
    enum ice_rule_id id;
    struct ice_str file;
    uint64_t n_kept, n_left_out;
    uint32_t last[ICE_WEIGHTS]; /* index + 1 of the one kept last; 0: none */
};

struct ice_rule_tally {
    uint64_t n_kept;
    uint64_t n_left_out; /* in files of which nothing was kept */
    uint32_t last[ICE_WEIGHTS];
};

/* Where a finding will be kept. */
struct ice_room {
    uint32_t group;
    uint32_t victim; /* index + 1 of one that gives way; 0: behind the others */
};

/* Not-evaluated lines with equal what, why and asked. */
struct ice_reason {
    uint32_t last; /* index of the last kept line */
    uint32_t n_kept;
};

struct ice_emit {
    struct ice_run *run;
    enum ice_severity fail_on;
    const struct ice_baseline *baseline;
    ice_stable_fn stable; /* NULL: places stay as they are */
    void *stable_user;
    struct ice_asked asked;
    bool strict;
    enum ice_status status;
    struct ice_arena arena;         /* texts of everything kept */
    struct ice_rule_state *rules;   /* by id */
    bool shares_rules;              /* ... of another emit */
    struct ice_rule_tally *tallies; /* by id; NULL: nothing was found */

    struct ice_kept *kept;
    size_t n_kept, cap_kept; /* with those that are gone */
    size_t n_gone;
    struct ice_kept_group *groups;
    size_t n_groups, cap_groups;
    struct ice_table groups_by_file;
    uint64_t counts[4];
    uint64_t n_left_out; /* in all */
    uint32_t last[ICE_WEIGHTS];

    struct ice_not_evaluated *missed;
    size_t n_missed, cap_missed;
    struct ice_table missed_by_text; /* exact equals */
    struct ice_reason *reasons;
    size_t n_reasons, cap_reasons;
    struct ice_table reasons_by_text;
    bool any_asked;
    bool closing; /* limit.findings itself stands beyond the cap of the table */
};

/* Severity of a site's severity (or ICE_DEFAULT) after profile, --only and overrides. */
enum ice_severity ice_emit_resolve(const struct ice_emit *emit, enum ice_rule_id id,
                                   enum ice_severity severity);

/* The group of a rule in a file, made if create; NULL: none, or out of memory (then
 * status). */
struct ice_kept_group *ice_emit_group(struct ice_emit *emit, enum ice_rule_id id,
                                      struct ice_str file, bool create);
/* Would one more of that rule only be counted, in whatever file? */
bool ice_emit_is_full(const struct ice_emit *emit, enum ice_rule_id id);
/* n more that are not kept. group NULL: nothing of the rule is, in that file. */
void ice_emit_leave_out(struct ice_emit *emit, enum ice_rule_id id,
                        struct ice_kept_group *group, uint64_t n);
/* A line of what was not evaluated, cut to its bounds; more: lines that it stands for. */
void ice_emit_add_missed(struct ice_emit *emit, const struct ice_not_evaluated *line);
/*
 * Is a finding to be kept, under the caps or in place of a lighter one? Else it has been
 * counted as left out, or memory ran out (then status). *out holds until the next call.
 */
bool ice_emit_has_room(struct ice_emit *emit, enum ice_rule_id id, struct ice_str file,
                       enum ice_severity severity, bool is_current, struct ice_room *out);
/* Keep a copied finding there, of the group of room. false: out of memory. */
bool ice_emit_put(struct ice_emit *emit, const struct ice_room *room,
                  const struct ice_kept *kept) ICE_MUST_USE;
/* Put a copied finding behind the others. false: out of memory. */
bool ice_emit_push(struct ice_emit *emit, const struct ice_kept *kept) ICE_MUST_USE;

#endif
