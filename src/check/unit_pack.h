/*
 * A unit as bytes, and back: what reading a manifest left, for another run. Bytes that
 * come back are not trusted: numbers stay in the bounds that joining relies on.
 */
#ifndef ICE_CHECK_UNIT_PACK_H
#define ICE_CHECK_UNIT_PACK_H

#include "base/pack.h"
#include "check/unit.h"

/* Changes with every change of what is packed, or of what rules leave in a unit. */
enum { ICE_UNIT_FORMAT = 3 };

/* A part, when it is given away; parts stand one behind the other. */
void ice_unit_pack_part(struct ice_pack *pack, const struct ice_unit *unit,
                        const struct ice_unit_part *part);
/* The rest, behind _end. false: it cannot be kept. */
bool ice_unit_pack(struct ice_pack *pack, const struct ice_unit *unit) ICE_MUST_USE;

/*
 * Between ice_unit_begin and _end: the rest first, then the parts. ICE_EFORMAT: bad
 * bytes, and the unit must be begun anew; ICE_ENOMEM. _parts gives away all but the last,
 * and nothing unless all are sound; it may also return what give returned.
 */
enum ice_status ice_unit_unpack(struct ice_unpack *rest,
                                struct ice_unit *unit) ICE_MUST_USE;
enum ice_status ice_unit_unpack_parts(struct ice_unpack *parts,
                                      struct ice_unit *unit) ICE_MUST_USE;

#endif
