/*
 * What the rules on paths gathered of one unit, kept between runs.
 */
#include "check/path_state.h"

static void pack_tally(struct ice_pack *pack, const struct ice_path_tally *tally) {
    const struct ice_place place =
        ice_place_at(tally->file, tally->order, tally->pointer);
    ice_pack_u64(pack, tally->n);
    ice_pack_str(pack, tally->path);
    ice_place_pack(pack, &place);
}

static bool unpack_tally(struct ice_unpack *unpack, struct ice_arena *arena,
                         uint64_t order, struct ice_path_tally *out) {
    struct ice_place place;
    out->n = ice_unpack_u64(unpack);
    if (!ice_unpack_dup(unpack, arena, &out->path) ||
        !ice_place_unpack(unpack, arena, order, &place))
        return false;
    out->file = place.at.file;
    out->pointer = place.at.pointer;
    out->order = place.order;
    return true;
}

void ice_path_rules_pack(struct ice_pack *pack, const struct ice_paths *unit) {
    ice_pack_u64(pack, unit->n_prefixes - unit->n_own_prefixes);
    for (size_t i = unit->n_own_prefixes; i < unit->n_prefixes; i++) {
        ice_pack_str(pack, unit->prefixes[i].raw);
        ice_pack_str(pack, unit->prefixes[i].folded);
        pack_tally(pack, &unit->prefixes[i].first);
    }
    for (int kind = 0; kind < ICE_PATHS_TALLIES; kind++)
        pack_tally(pack, &unit->tallies[kind]);
}

enum ice_status ice_path_rules_unpack(struct ice_unpack *unpack, struct ice_check *ck,
                                      uint64_t order) {
    struct ice_paths *paths = ck->paths;
    const uint64_t n = ice_unpack_below(unpack, ICE_PATH_PREFIXES - paths->n_prefixes);
    for (uint64_t i = 0; i < n; i++) {
        struct ice_path_prefix *prefix = &paths->prefixes[paths->n_prefixes++];
        if (!ice_unpack_dup(unpack, &ck->arena, &prefix->raw) ||
            !ice_unpack_dup(unpack, &ck->arena, &prefix->folded) ||
            !unpack_tally(unpack, &ck->arena, order, &prefix->first))
            return ICE_ENOMEM;
    }
    for (int kind = 0; kind < ICE_PATHS_TALLIES; kind++)
        if (!unpack_tally(unpack, &ck->arena, order, &paths->tallies[kind]))
            return ICE_ENOMEM;
    return unpack->bad ? ICE_EFORMAT : ICE_OK;
}
