/*
 * MD5 (RFC 1321), for files whose sender wrote it down: it finds a cut or mixed up file,
 * and proves nothing against an attacker.
 */
#ifndef ICE_BASE_MD5_H
#define ICE_BASE_MD5_H

#include "base/str.h"

enum { ICE_MD5_BYTES = 16 };

/* Invariant: n_held < 64, the bytes since the last whole block. */
struct ice_md5 {
    uint32_t state[4];
    uint64_t n_bytes;
    unsigned char held[64];
    size_t n_held;
};

void ice_md5_init(struct ice_md5 *md5);
void ice_md5_add(struct ice_md5 *md5, struct ice_str bytes);
/* Not to be added to afterwards. */
void ice_md5_finish(struct ice_md5 *md5, unsigned char out[ICE_MD5_BYTES]);
/* 32 hex digits of any case that say the same? */
bool ice_md5_is(const unsigned char digest[ICE_MD5_BYTES], struct ice_str hex);

#endif
