/*
 * What a part of the work has found, put behind what is known. A part kept under the same
 * caps the worst that it had of each rule and file, so what it left out would not have
 * been kept here either.
 */
#include "rule/emit_state.h"

/* Texts were cut to their bounds when the part kept them. */
static bool copy_location(struct ice_arena *arena, struct ice_location *location) {
    return ice_arena_dup(arena, location->file, &location->file) &&
           ice_arena_dup(arena, location->pointer, &location->pointer);
}

static bool copy_args(struct ice_arena *arena, struct ice_kept *kept) {
    const struct ice_arg *args = kept->args;
    kept->args = ice_arena_array(arena, kept->n_args, sizeof(*args));
    if (kept->args == NULL)
        return false;
    for (size_t i = 0; i < kept->n_args; i++) {
        struct ice_str name; /* of a part that is kept between runs, it is no literal */
        kept->args[i] = args[i];
        if (!ice_arena_dup(arena, ice_str_from(args[i].name), &name))
            return false;
        kept->args[i].name = name.data;
        bool has_text = args[i].kind == ICE_ARG_STR || args[i].kind == ICE_ARG_BYTES;
        if (has_text && !ice_arena_dup(arena, args[i].str, &kept->args[i].str))
            return false;
    }
    return true;
}

static void join_kept(struct ice_emit *emit, const struct ice_kept *found) {
    struct ice_arena *arena = &emit->arena;
    struct ice_kept kept = *found;
    struct ice_room room;
    if (!ice_emit_has_room(emit, kept.id, kept.at.at.file, kept.severity, kept.is_current,
                           &room))
        return;
    kept.group = room.group;
    kept.at.at.file = emit->groups[room.group].file;
    if (!ice_arena_dup(arena, kept.at.at.pointer, &kept.at.at.pointer) ||
        !copy_location(arena, &kept.other) || !copy_args(arena, &kept) ||
        !ice_emit_put(emit, &room, &kept))
        emit->status = ICE_ENOMEM;
}

static void join_left_out(struct ice_emit *emit, const struct ice_emit *part) {
    for (size_t i = 0; i < part->n_groups; i++) {
        const struct ice_kept_group *group = &part->groups[i];
        if (group->n_left_out > 0)
            ice_emit_leave_out(emit, group->id,
                               ice_emit_group(emit, group->id, group->file, false),
                               group->n_left_out);
    }
    for (size_t i = 0; part->tallies != NULL && i < ICE_RULE_ID_COUNT; i++)
        ice_emit_leave_out(emit, (enum ice_rule_id)i, NULL, part->tallies[i].n_left_out);
}

void ice_emit_join(struct ice_emit *emit, const struct ice_emit *part) {
    if (part->status < 0)
        emit->status = part->status;
    for (size_t i = 0; i < part->n_missed && emit->status >= 0; i++)
        ice_emit_add_missed(emit, &part->missed[i]);
    for (size_t i = 0; i < part->n_kept && emit->status >= 0; i++)
        if (!part->kept[i].is_gone)
            join_kept(emit, &part->kept[i]);
    for (size_t i = 0; i < ICE_COUNT_OF(emit->counts); i++)
        emit->counts[i] += part->counts[i];
    if (part->n_left_out > 0 && emit->status >= 0)
        join_left_out(emit, part);
}
