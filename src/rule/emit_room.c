/*
 * Who stays under the caps: what is worse takes the place of what is not, whatever came
 * first. Of forty missing files the one that the current state needs must not be among
 * those that were only counted.
 */
#include "rule/emit_state.h"

enum { NONE = 0, OF_GROUP = 0, OF_RULE = 1, OF_TABLE = 2 };

/* Severity first; then whether a current state is hurt, by args.scope. */
static unsigned weight_of(enum ice_severity severity, bool is_current) {
    return severity == ICE_OFF ? 0 : 2 * (unsigned)severity + is_current;
}

struct ice_str ice_args_text(const struct ice_arg *args, size_t n_args,
                             const char *name) {
    for (size_t i = 0; i < n_args; i++) {
        if (args[i].name != NULL && args[i].kind == ICE_ARG_STR &&
            strcmp(args[i].name, name) == 0)
            return args[i].str;
    }
    return ICE_STR_NONE;
}

static bool is_group_full(const struct ice_emit *emit,
                          const struct ice_kept_group *group) {
    return group != NULL && group->n_kept >= emit->run->limits.findings_per_file;
}

static bool is_rule_full(const struct ice_emit *emit, enum ice_rule_id id) {
    return emit->tallies != NULL &&
           emit->tallies[id].n_kept >= emit->run->limits.findings_per_rule;
}

bool ice_emit_is_full(const struct ice_emit *emit, enum ice_rule_id id) {
    return is_rule_full(emit, id) ||
           (emit->n_kept - emit->n_gone >= emit->run->limits.findings_per_table &&
            !emit->closing);
}

/* ---- chains of kept ones of one weight, the last first ---- */

static uint32_t *chain_of(struct ice_emit *emit, const struct ice_kept *kept, int level) {
    unsigned weight = weight_of(kept->severity, kept->is_current);
    if (level == OF_GROUP)
        return &emit->groups[kept->group].last[weight];
    return level == OF_RULE ? &emit->tallies[kept->id].last[weight] : &emit->last[weight];
}

static void link_kept(struct ice_emit *emit, uint32_t index) {
    struct ice_kept *kept = &emit->kept[index];
    for (int level = OF_GROUP; level <= OF_TABLE; level++) {
        uint32_t *last = chain_of(emit, kept, level);
        kept->before[level] = *last;
        kept->behind[level] = NONE;
        if (*last != NONE)
            emit->kept[*last - 1].behind[level] = index + 1;
        *last = index + 1;
    }
    emit->groups[kept->group].n_kept++;
    emit->tallies[kept->id].n_kept++;
}

static void unlink_kept(struct ice_emit *emit, uint32_t index) {
    const struct ice_kept *kept = &emit->kept[index];
    for (int level = OF_GROUP; level <= OF_TABLE; level++) {
        uint32_t before = kept->before[level], behind = kept->behind[level];
        if (before != NONE)
            emit->kept[before - 1].behind[level] = behind;
        if (behind != NONE)
            emit->kept[behind - 1].before[level] = before;
        else
            *chain_of(emit, kept, level) = before;
    }
    emit->groups[kept->group].n_kept--;
    emit->tallies[kept->id].n_kept--;
}

bool ice_emit_push(struct ice_emit *emit, const struct ice_kept *kept) {
    struct ice_alloc *alloc = &emit->run->alloc;
    if (emit->tallies == NULL)
        emit->tallies = ice_calloc(alloc, ICE_RULE_ID_COUNT, sizeof(*emit->tallies));
    if (emit->tallies == NULL || emit->n_kept >= UINT32_MAX - 1 ||
        !ice_array_reserve(alloc, &emit->kept, emit->n_kept, &emit->cap_kept,
                           sizeof(*emit->kept)))
        return false;
    uint32_t index = (uint32_t)emit->n_kept++;
    emit->kept[index] = *kept;
    emit->kept[index].is_current = ice_args_are_current(kept->args, kept->n_args);
    link_kept(emit, index);
    return true;
}

/* What no kept finding can tell is lost but to the sum: see spread_left_out. */
void ice_emit_leave_out(struct ice_emit *emit, enum ice_rule_id id,
                        struct ice_kept_group *group, uint64_t n) {
    if (group != NULL && group->n_kept > 0)
        group->n_left_out += n;
    else if (emit->tallies != NULL)
        emit->tallies[id].n_left_out += n;
    emit->n_left_out += n;
}

/* ---- making room ---- */

/*
 * The one that gives way to a finding of that weight: of the smallest circle that is
 * full, the last one of those that weigh least. 0: none is lighter; else its index + 1.
 * So the worst of each file, rule and table are kept, and of equal ones the first,
 * whatever their order and however the work was parted.
 */
static uint32_t find_victim(const struct ice_emit *emit, enum ice_rule_id id,
                            const struct ice_kept_group *group, unsigned weight) {
    const uint32_t *last = emit->last;
    if (is_group_full(emit, group))
        last = group->last;
    else if (is_rule_full(emit, id))
        last = emit->tallies[id].last;
    for (unsigned i = 0; i < weight; i++) {
        if (last[i] != NONE)
            return last[i];
    }
    return NONE;
}

/* Its slot stays, so that the order of slots is the order of arrival. */
static void give_way(struct ice_emit *emit, uint32_t index) {
    struct ice_kept *kept = &emit->kept[index];
    struct ice_kept_group *group = &emit->groups[kept->group];
    unlink_kept(emit, index);
    if (group->n_kept == 0) { /* nothing of that file is left to say how many */
        emit->tallies[kept->id].n_left_out += group->n_left_out;
        group->n_left_out = 0;
    }
    if (kept->severity != ICE_OFF)
        ice_emit_leave_out(emit, kept->id, group, 1);
    kept->severity = ICE_OFF;
    kept->is_gone = true;
    emit->n_gone++;
}

bool ice_emit_has_room(struct ice_emit *emit, enum ice_rule_id id, struct ice_str file,
                       enum ice_severity severity, bool is_current,
                       struct ice_room *out) {
    const bool is_full = ice_emit_is_full(emit, id);
    struct ice_kept_group *group = ice_emit_group(emit, id, file, !is_full);
    out->victim = NONE;
    if (emit->status < 0)
        return false;
    if (is_full || is_group_full(emit, group)) {
        out->victim = find_victim(emit, id, group, weight_of(severity, is_current));
        if (out->victim == NONE) {
            ice_emit_leave_out(emit, id, group, 1);
            return false;
        }
        group = ice_emit_group(emit, id, file, true);
    }
    if (group == NULL)
        return false;
    out->group = (uint32_t)(group - emit->groups);
    return true;
}

bool ice_emit_only_counts(struct ice_emit *emit, enum ice_rule_id id,
                          enum ice_severity severity, struct ice_str file) {
    severity = ice_emit_resolve(emit, id, severity);
    if (severity == ICE_OFF || emit->status < 0)
        return true;
    struct ice_kept_group *group = ice_emit_group(emit, id, file, false);
    if ((!ice_emit_is_full(emit, id) && !is_group_full(emit, group)) ||
        find_victim(emit, id, group, weight_of(severity, false)) != NONE)
        return false;
    emit->counts[severity]++;
    ice_emit_leave_out(emit, id, group, 1);
    return true;
}

bool ice_emit_put(struct ice_emit *emit, const struct ice_room *room,
                  const struct ice_kept *kept) {
    if (!ice_emit_push(emit, kept))
        return false;
    if (room->victim != NONE)
        give_way(emit, room->victim - 1);
    return true;
}

void ice_emit_revise(struct ice_emit *emit, size_t index, enum ice_severity severity) {
    struct ice_kept *kept = &emit->kept[index];
    if (kept->severity == ICE_OFF)
        return;
    enum ice_severity revised = ice_emit_resolve(emit, kept->id, severity);
    emit->counts[kept->severity]--;
    if (revised != ICE_OFF)
        emit->counts[revised]++;
    unlink_kept(emit, (uint32_t)index);
    kept->severity = revised;
    link_kept(emit, (uint32_t)index);
}
