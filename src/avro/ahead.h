/*
 * Blocks of one file that helper threads unpack while their forerunners are read: a ring
 * of a few slots, first in, first out. Each slot has a codec and a copy of its packed
 * bytes, so that a helper touches nothing else. What comes out is what ice_codec_unpack
 * gives, so the number of threads shows nowhere but in the time. Where memory ends for a
 * block, helpers give theirs back, and blocks are unpacked one by one.
 */
#ifndef ICE_AVRO_AHEAD_H
#define ICE_AVRO_AHEAD_H

#include "avro/container.h"

struct ice_codec;

/* Of a run; serves one file at a time, of whichever thread. */
struct ice_ahead;

enum {
    ICE_AHEAD_LEAST_PACKED = 4 << 10, /* smaller blocks are read before a thread wakes */
    ICE_AHEAD_MOST_PACKED = 1 << 20,  /* larger ones are not worth the copies */
};

/* n_helpers >= 1. With the threads of run->pool; where there is none, with its own.
 * least_packed: ICE_AHEAD_LEAST_PACKED, or less for tests. ICE_ENOMEM. */
enum ice_status ice_ahead_open(struct ice_ahead **out, struct ice_run *run,
                               unsigned n_helpers, size_t least_packed);
void ice_ahead_free(struct ice_ahead *ahead); /* accepts NULL; nobody holds it */

/* Serve a file of that codec. false: another file has it, it is of no use there, or all
 * threads have other things to do; ask again at the next block. */
bool ice_ahead_hold(struct ice_ahead *ahead, enum ice_avro_codec codec);
/* Give up what is in the ring, and the hold. */
void ice_ahead_let_go(struct ice_ahead *ahead);

/* Free what slots hold; nobody holds it. */
void ice_ahead_shrink(struct ice_ahead *ahead);

/* Has it room for another block? Is one of that stored size for it? */
bool ice_ahead_has_room(const struct ice_ahead *ahead);
bool ice_ahead_takes(const struct ice_ahead *ahead, int64_t packed_bytes);
/* Begin to unpack: block says all but data. packed is copied, at most MOST_PACKED. false:
 * no memory for it, or there was none for a block before; nothing has happened. */
bool ice_ahead_give(struct ice_ahead *ahead, const struct ice_avro_block *block,
                    struct ice_str packed);
/*
 * The oldest block given, unpacked: ICE_OK, or as ice_codec_unpack with block->data
 * empty. ICE_DONE: there is none. data is borrowed until the next call, and the next use
 * of own: the codec of the file, which unpacks what helpers had no memory for.
 */
enum ice_status ice_ahead_take(struct ice_ahead *ahead, struct ice_codec *own,
                               struct ice_avro_block *out, struct ice_error *err);

#endif
