/*
 * Lanes of commits.
 */
#include "report/lanes.h"

#include "base/error.h"

void ice_lanes_init(struct ice_lanes *lanes, struct ice_alloc *alloc, size_t most) {
    *lanes = (struct ice_lanes){.alloc = alloc, .most = most};
    ice_table_init(&lanes->by_id, alloc);
}

void ice_lanes_release(struct ice_lanes *lanes) {
    if (lanes->alloc == NULL)
        return;
    ice_array_free(lanes->alloc, &lanes->commits, &lanes->capacity,
                   sizeof(*lanes->commits));
    ice_table_release(&lanes->by_id);
    *lanes = (struct ice_lanes){0};
}

enum ice_status ice_lanes_add(struct ice_lanes *lanes,
                              const struct ice_lane_commit *commit) {
    if (lanes->n >= UINT32_MAX)
        return ICE_EARG;
    if (!ice_array_reserve(lanes->alloc, &lanes->commits, lanes->n, &lanes->capacity,
                           sizeof(*lanes->commits)))
        return ICE_ENOMEM;
    if (commit->has_id)
        ICE_TRY(ice_table_put(&lanes->by_id, ice_hash_mix((uint64_t)commit->id, 0),
                              (uint32_t)lanes->n));
    lanes->commits[lanes->n++] = *commit;
    return ICE_OK;
}

void ice_lanes_begin(struct ice_lanes *lanes) {
    memset(lanes->lanes, 0, sizeof(lanes->lanes));
    for (size_t i = 0; i < lanes->n; i++) {
        struct ice_lane_commit *commit = &lanes->commits[i];
        commit->is_drawn = false;
        if (commit->is_head && commit->has_id && !lanes->lanes[0].is_used)
            lanes->lanes[0] = (struct ice_lane){true, false, commit->id};
    }
}

/* Is the parent still to come? Else its line ends here: it is expired, or clocks went
 * astray. */
static bool is_awaited(const struct ice_lanes *lanes,
                       const struct ice_lane_commit *commit) {
    size_t at = SIZE_MAX;
    uint32_t index;
    while (commit->has_parent &&
           ice_table_next(&lanes->by_id, ice_hash_mix((uint64_t)commit->parent, 0), &at,
                          &index)) {
        if (lanes->commits[index].id == commit->parent && !lanes->commits[index].is_drawn)
            return true;
    }
    return false;
}

/* The lane that waits for a commit, or a free one behind that of main. */
static size_t lane_for(const struct ice_lanes *lanes, int64_t id) {
    for (size_t i = 0; i < lanes->most; i++) {
        if (lanes->lanes[i].is_used && lanes->lanes[i].id == id)
            return i;
    }
    for (size_t i = 1; i < lanes->most; i++) {
        if (!lanes->lanes[i].is_used)
            return i;
    }
    return lanes->most - 1;
}

static uint32_t drawn_lanes(const struct ice_lanes *lanes) {
    uint32_t bits = 0;
    for (size_t i = 0; i < lanes->most; i++) {
        if (lanes->lanes[i].is_used && lanes->lanes[i].is_started)
            bits |= UINT32_C(1) << i;
    }
    return bits;
}

void ice_lanes_step(struct ice_lanes *lanes, size_t index, struct ice_lane_step *out) {
    struct ice_lane_commit *commit = &lanes->commits[index];
    *out = (struct ice_lane_step){.before = drawn_lanes(lanes)};
    if (!commit->has_id) {
        out->after = out->before;
        return;
    }
    out->at = lane_for(lanes, commit->id);
    for (size_t i = out->at + 1; i < lanes->most; i++) {
        if (!lanes->lanes[i].is_used || lanes->lanes[i].id != commit->id)
            continue;
        out->joins |= UINT32_C(1) << i;
        lanes->lanes[i] = (struct ice_lane){0};
    }
    commit->is_drawn = true;
    bool goes_on = is_awaited(lanes, commit);
    lanes->lanes[out->at] = (struct ice_lane){goes_on, goes_on, commit->parent};
    out->after = drawn_lanes(lanes);
}

size_t ice_lanes_width(uint32_t bits) {
    size_t n = 1;
    while (n < ICE_LANES && bits >> n != 0)
        n++;
    return n;
}
