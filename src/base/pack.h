/*
 * Values one behind the other as bytes of this machine, and back. What is read back may
 * have been written by anybody: every length is held against the bytes that are left, a
 * count against the least size of its items, and a flag is 0 or 1, before it is used.
 */
#ifndef ICE_BASE_PACK_H
#define ICE_BASE_PACK_H

#include "base/arena.h"
#include "base/buf.h"

/* Once status is below 0 nothing is added any more. */
struct ice_pack {
    struct ice_buf buf;
    enum ice_status status;
};

void ice_pack_init(struct ice_pack *pack, struct ice_alloc *alloc, size_t max);
void ice_pack_release(struct ice_pack *pack); /* safe twice and on all-zero */
void ice_pack_clear(struct ice_pack *pack);

void ice_pack_bytes(struct ice_pack *pack, const void *data, size_t size);
void ice_pack_u64(struct ice_pack *pack, uint64_t value);
static inline void ice_pack_i64(struct ice_pack *pack, int64_t value) {
    ice_pack_u64(pack, (uint64_t)value);
}
void ice_pack_flag(struct ice_pack *pack, bool value);
/* Its size, then its bytes; data NULL comes back as such. */
void ice_pack_str(struct ice_pack *pack, struct ice_str text);

/* Once bad is set every value is 0 and every text empty. */
struct ice_unpack {
    const char *at, *end;
    bool bad;
};

static inline struct ice_unpack ice_unpack_of(struct ice_str bytes) {
    const char *data = bytes.size > 0 ? bytes.data : "";
    return (struct ice_unpack){data, data + bytes.size, false};
}
static inline size_t ice_unpack_left(const struct ice_unpack *unpack) {
    return unpack->bad ? 0 : (size_t)(unpack->end - unpack->at);
}

/* That many bytes, borrowed from what is read; NULL and bad: there are fewer. */
const char *ice_unpack_bytes(struct ice_unpack *unpack, size_t size);
uint64_t ice_unpack_u64(struct ice_unpack *unpack);
static inline int64_t ice_unpack_i64(struct ice_unpack *unpack) {
    return (int64_t)ice_unpack_u64(unpack);
}
/* At most most, else bad and 0. */
uint64_t ice_unpack_below(struct ice_unpack *unpack, uint64_t most);
bool ice_unpack_flag(struct ice_unpack *unpack);
/* A number of items of which each takes at least least_bytes > 0. */
size_t ice_unpack_count(struct ice_unpack *unpack, size_t least_bytes);
/* Borrowed. */
struct ice_str ice_unpack_str(struct ice_unpack *unpack);
/* Into the arena. false: out of memory. */
bool ice_unpack_dup(struct ice_unpack *unpack, struct ice_arena *arena,
                    struct ice_str *out) ICE_MUST_USE;

#endif
