/*
 * 64-bit Roaring bitmaps in the portable format, as deletion vectors hold them: counted
 * and validated where they lie, nothing is unpacked.
 */
#ifndef ICE_ICEBERG_ROARING_H
#define ICE_ICEBERG_ROARING_H

#include "base/compiler.h"
#include "base/str.h"

struct ice_roaring {
    uint64_t cardinality;
    uint64_t last; /* the greatest value; 0 where there is none */
    /* ICE_EFORMAT only: */
    const char *why; /* half a sentence, static */
    uint64_t offset; /* in the bytes given */
};

/*
 * All of bytes: count of bitmaps u64, then per bitmap its key u32 and a 32-bit bitmap.
 * Keys ascend, the sign bit of a key is clear (positions are positive), containers ascend
 * and hold what their header says, and nothing follows. ICE_OK or ICE_EFORMAT.
 */
enum ice_status ice_roaring64_read(struct ice_str bytes,
                                   struct ice_roaring *out) ICE_MUST_USE;

#endif
