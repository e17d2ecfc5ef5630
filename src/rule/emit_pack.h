/*
 * Findings and not-evaluated lines of a part (ice_emit_open_beside) as bytes, and back:
 * for what is kept between runs.
 */
#ifndef ICE_RULE_EMIT_PACK_H
#define ICE_RULE_EMIT_PACK_H

#include "base/pack.h"
#include "rule/emit.h"

/* A manifest's own order becomes the one that is given at _unpack. */
void ice_place_pack(struct ice_pack *pack, const struct ice_place *place);
/* Texts go into the arena; unpack->bad tells of bad bytes. false: out of memory. */
bool ice_place_unpack(struct ice_unpack *unpack, struct ice_arena *arena, uint64_t order,
                      struct ice_place *out) ICE_MUST_USE;

/* false: this one cannot be kept. */
bool ice_emit_pack(struct ice_pack *pack, const struct ice_emit *emit) ICE_MUST_USE;
/* Into an empty part. ICE_EFORMAT: bad bytes, and the part must be reset; ICE_ENOMEM. */
enum ice_status ice_emit_unpack(struct ice_unpack *unpack, struct ice_emit *emit,
                                uint64_t order) ICE_MUST_USE;

/* Is all that was found, and all that was missed, in that file and in no other? */
bool ice_emit_is_within(const struct ice_emit *emit, struct ice_str file);
bool ice_emit_is_empty(const struct ice_emit *emit);
/* Was anything found by that rule, kept or not? */
bool ice_emit_has(const struct ice_emit *emit, enum ice_rule_id id);

/* All that decides what is kept of a finding: the rules and what the options make of
 * them. */
void ice_emit_pack_options(struct ice_pack *pack, const struct ice_emit *emit);

#endif
