/*
 * What a part of the work has found, as bytes that outlive the run, and back. Severities
 * are those of the options that it was found under; an order among the ranks of
 * manifests is kept as that of its own manifest, which may have another number later.
 */
#include "rule/emit_pack.h"

#include "base/error.h"
#include "rule/emit_state.h"
#include "rule/message.h"

enum {
    FLAG_BYTES = 1,
    NUMBER_BYTES = 8,
    LEAST_GROUP = 3 * NUMBER_BYTES,
    LEAST_KEPT = 2 * NUMBER_BYTES,
    LEAST_MISSED = 4 * NUMBER_BYTES + FLAG_BYTES,
    MOST_ARGS = 32
};

static bool is_of_manifest(uint64_t order) {
    return order >= ICE_ORDER_MANIFEST && order < ICE_ORDER_GROUPS;
}

/* ---- places ---- */

static void pack_location(struct ice_pack *pack, const struct ice_location *location) {
    ice_pack_str(pack, location->pointer);
    ice_pack_u64(pack, location->offset);
    ice_pack_u64(pack, location->line);
    ice_pack_u64(pack, location->column);
    ice_pack_u64(pack, location->block);
    ice_pack_u64(pack, location->record);
}

static bool unpack_location(struct ice_unpack *unpack, struct ice_arena *arena,
                            struct ice_location *out) {
    if (!ice_unpack_dup(unpack, arena, &out->pointer))
        return false;
    out->offset = ice_unpack_u64(unpack);
    out->line = (uint32_t)ice_unpack_below(unpack, UINT32_MAX);
    out->column = (uint32_t)ice_unpack_below(unpack, UINT32_MAX);
    out->block = ice_unpack_u64(unpack);
    out->record = ice_unpack_u64(unpack);
    return true;
}

void ice_place_pack(struct ice_pack *pack, const struct ice_place *place) {
    ice_pack_str(pack, place->at.file);
    pack_location(pack, &place->at);
    ice_pack_u64(pack, is_of_manifest(place->order) ? ICE_ORDER_MANIFEST : place->order);
}

bool ice_place_unpack(struct ice_unpack *unpack, struct ice_arena *arena, uint64_t order,
                      struct ice_place *out) {
    if (!ice_unpack_dup(unpack, arena, &out->at.file) ||
        !unpack_location(unpack, arena, &out->at))
        return false;
    out->order = ice_unpack_u64(unpack);
    if (is_of_manifest(out->order))
        out->order = order;
    return true;
}

/* ---- findings ---- */

static void pack_kept(struct ice_pack *pack, const struct ice_kept *kept) {
    ice_pack_u64(pack, (uint64_t)kept->severity);
    ice_pack_u64(pack, kept->group);
    ice_place_pack(pack, &kept->at);
    ice_pack_str(pack, kept->other.file);
    pack_location(pack, &kept->other);
    ice_pack_u64(pack, kept->n_args);
    for (size_t i = 0; i < kept->n_args; i++) {
        const struct ice_arg *arg = &kept->args[i];
        ice_pack_str(pack, ice_str_from(arg->name));
        ice_pack_u64(pack, (uint64_t)arg->kind);
        ice_pack_str(pack, arg->str);
        ice_pack_i64(pack, arg->i64);
    }
}

static bool unpack_args(struct ice_unpack *unpack, struct ice_arena *arena,
                        struct ice_kept *kept) {
    kept->n_args = (size_t)ice_unpack_below(unpack, MOST_ARGS);
    kept->args = ice_arena_array(arena, kept->n_args, sizeof(*kept->args));
    if (kept->args == NULL)
        return false;
    for (size_t i = 0; i < kept->n_args; i++) {
        struct ice_arg *arg = &kept->args[i];
        struct ice_str name;
        if (!ice_unpack_dup(unpack, arena, &name))
            return false;
        arg->name = name.data; /* ended by NUL */
        arg->kind = (enum ice_arg_kind)ice_unpack_below(unpack, ICE_ARG_BOOL);
        if (!ice_unpack_dup(unpack, arena, &arg->str))
            return false;
        arg->i64 = ice_unpack_i64(unpack);
        if (name.data == NULL || strlen(name.data) != name.size)
            unpack->bad = true;
        if (unpack->bad)
            break;
    }
    return true;
}

static enum ice_status unpack_kept(struct ice_unpack *unpack, struct ice_emit *emit,
                                   uint64_t order) {
    struct ice_arena *arena = &emit->arena;
    struct ice_kept kept = {0};
    const uint64_t severity = ice_unpack_below(unpack, ICE_ERROR);
    const uint64_t group = ice_unpack_u64(unpack);
    if (!ice_place_unpack(unpack, arena, order, &kept.at) ||
        !ice_unpack_dup(unpack, arena, &kept.other.file) ||
        !unpack_location(unpack, arena, &kept.other) ||
        !unpack_args(unpack, arena, &kept))
        return ICE_ENOMEM;
    if (unpack->bad || severity == ICE_OFF || group >= emit->n_groups)
        return ICE_EFORMAT;
    kept.severity = (enum ice_severity)severity;
    kept.group = (uint32_t)group;
    kept.id = emit->groups[group].id;
    kept.at.at.file = emit->groups[group].file;
    if (!ice_message_has_all(ice_rule_of(kept.id)->message, kept.args, kept.n_args))
        return ICE_EFORMAT;
    return ice_emit_push(emit, &kept) ? ICE_OK : ICE_ENOMEM;
}

static enum ice_status unpack_group(struct ice_unpack *unpack, struct ice_emit *emit) {
    const uint64_t id = ice_unpack_below(unpack, ICE_RULE_ID_COUNT - 1);
    const struct ice_str file = ice_unpack_str(unpack);
    const uint64_t n_left_out = ice_unpack_u64(unpack);
    const size_t n_groups = emit->n_groups;
    if (unpack->bad)
        return ICE_EFORMAT;
    struct ice_kept_group *group = ice_emit_group(emit, (enum ice_rule_id)id, file, true);
    if (group == NULL)
        return ICE_ENOMEM;
    if (emit->n_groups == n_groups)
        return ICE_EFORMAT; /* there twice */
    group->n_left_out = n_left_out;
    return ICE_OK;
}

/* ---- what was not evaluated ---- */

static enum ice_status unpack_missed(struct ice_unpack *unpack, struct ice_emit *emit) {
    struct ice_not_evaluated line = {.what = ice_unpack_str(unpack),
                                     .why = ice_unpack_str(unpack),
                                     .file = ice_unpack_str(unpack),
                                     .asked = ice_unpack_flag(unpack),
                                     .more = ice_unpack_u64(unpack)};
    if (unpack->bad)
        return ICE_EFORMAT;
    ice_emit_add_missed(emit, &line);
    return emit->status;
}

/* ---- all of it ---- */

/* Of a part there are tallies of rules only where files are not kept apart any more. */
static bool is_beyond_groups(const struct ice_emit *emit) {
    for (size_t i = 0; emit->tallies != NULL && i < ICE_RULE_ID_COUNT; i++)
        if (emit->tallies[i].n_left_out > 0)
            return true;
    return false;
}

bool ice_emit_pack(struct ice_pack *pack, const struct ice_emit *emit) {
    if (emit->status < 0 || is_beyond_groups(emit))
        return false;
    ice_pack_u64(pack, emit->n_groups);
    for (size_t i = 0; i < emit->n_groups; i++) {
        ice_pack_u64(pack, (uint64_t)emit->groups[i].id);
        ice_pack_str(pack, emit->groups[i].file);
        ice_pack_u64(pack, emit->groups[i].n_left_out);
    }
    ice_pack_u64(pack, emit->n_kept - emit->n_gone);
    for (size_t i = 0; i < emit->n_kept; i++) {
        if (emit->kept[i].is_gone)
            continue;
        if (emit->kept[i].severity == ICE_OFF)
            return false; /* revised: not in a part */
        pack_kept(pack, &emit->kept[i]);
    }
    ice_pack_u64(pack, emit->n_missed);
    for (size_t i = 0; i < emit->n_missed; i++) {
        ice_pack_str(pack, emit->missed[i].what);
        ice_pack_str(pack, emit->missed[i].why);
        ice_pack_str(pack, emit->missed[i].file);
        ice_pack_flag(pack, emit->missed[i].asked);
        ice_pack_u64(pack, emit->missed[i].more);
    }
    for (size_t i = 0; i < ICE_COUNT_OF(emit->counts); i++)
        ice_pack_u64(pack, emit->counts[i]);
    return true;
}

enum ice_status ice_emit_unpack(struct ice_unpack *unpack, struct ice_emit *emit,
                                uint64_t order) {
    size_t n = ice_unpack_count(unpack, LEAST_GROUP);
    for (size_t i = 0; i < n; i++)
        ICE_TRY(unpack_group(unpack, emit));
    n = ice_unpack_count(unpack, LEAST_KEPT);
    for (size_t i = 0; i < n; i++)
        ICE_TRY(unpack_kept(unpack, emit, order));
    n = ice_unpack_count(unpack, LEAST_MISSED);
    for (size_t i = 0; i < n; i++)
        ICE_TRY(unpack_missed(unpack, emit));
    for (size_t i = 0; i < ICE_COUNT_OF(emit->counts); i++)
        emit->counts[i] = ice_unpack_u64(unpack);
    for (size_t i = 0; i < emit->n_groups; i++)
        emit->n_left_out += emit->groups[i].n_left_out;
    return unpack->bad ? ICE_EFORMAT : ICE_OK;
}

bool ice_emit_is_within(const struct ice_emit *emit, struct ice_str file) {
    for (size_t i = 0; i < emit->n_groups; i++)
        if (!ice_str_equal(emit->groups[i].file, file))
            return false;
    for (size_t i = 0; i < emit->n_kept; i++)
        if (emit->kept[i].other.file.size > 0)
            return false;
    for (size_t i = 0; i < emit->n_missed; i++)
        if (!ice_str_equal(emit->missed[i].file, file))
            return false;
    return true;
}

bool ice_emit_is_empty(const struct ice_emit *emit) {
    return emit->n_groups == 0 && emit->n_missed == 0;
}

bool ice_emit_has(const struct ice_emit *emit, enum ice_rule_id id) {
    for (size_t i = 0; i < emit->n_groups; i++)
        if (emit->groups[i].id == id)
            return true;
    return emit->tallies != NULL && emit->tallies[id].n_left_out > 0;
}

/* ---- options ---- */

void ice_emit_pack_options(struct ice_pack *pack, const struct ice_emit *emit) {
    ice_pack_flag(pack, emit->strict);
    for (size_t i = 0; i < ICE_RULE_ID_COUNT; i++) {
        const struct ice_rule *rule = ice_rule_of((enum ice_rule_id)i);
        ice_pack_str(pack, ice_str_from(rule->name));
        ice_pack_str(pack, ice_str_from(rule->message));
        ice_pack_u64(pack, (uint64_t)rule->severity);
        ice_pack_flag(pack, emit->rules[i].enabled);
        ice_pack_i64(pack, emit->rules[i].override);
    }
}
