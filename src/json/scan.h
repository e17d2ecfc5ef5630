/*
 * The two loops that touch every byte of a JSON text, sixteen bytes at a time where the
 * machine can (SSE2, NEON), with portable twins that must agree with them.
 * ICE_SCAN_PORTABLE leaves only those.
 */
#ifndef ICE_JSON_SCAN_H
#define ICE_JSON_SCAN_H

#include <stddef.h>
#include <stdint.h>

#if defined(__SSE2__) && !defined(ICE_SCAN_PORTABLE)
#define ICE_SCAN_SSE2 1
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__) && !defined(ICE_SCAN_PORTABLE)
#define ICE_SCAN_NEON 1
#include <arm_neon.h>
#endif

size_t ice_scan_string_portable(const unsigned char *data, size_t at, size_t size,
                                unsigned *high);
/* Number of '\n' in data[0 .. size). */
size_t ice_scan_newlines(const unsigned char *data, size_t size);
size_t ice_scan_newlines_portable(const unsigned char *data, size_t size);

/*
 * Of sixteen bytes: *stops has ones where one is '"', '\\' or below 0x20, *highs where it
 * is 0x80 or more; ICE_SCAN_BITS neighbouring ones a byte, the first byte lowest.
 */
#ifdef ICE_SCAN_SSE2
enum { ICE_SCAN_BITS = 1 };
static inline void ice_scan_block(const unsigned char *data, uint64_t *stops,
                                  uint64_t *highs) {
    const __m128i block = _mm_loadu_si128((const __m128i *)(const void *)data);
    const __m128i quotes = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
    const __m128i slashes = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
    /* min(byte, 0x1f) == byte: unsigned comparison with 0x1f */
    const __m128i controls =
        _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
    const __m128i all = _mm_or_si128(_mm_or_si128(quotes, slashes), controls);
    *stops = (unsigned)_mm_movemask_epi8(all);
    *highs = (unsigned)_mm_movemask_epi8(block);
}
#endif

#ifdef ICE_SCAN_NEON
enum { ICE_SCAN_BITS = 4 };
static inline uint64_t ice_scan_bits(uint8x16_t mask) {
    const uint8x8_t narrow = vshrn_n_u16(vreinterpretq_u16_u8(mask), 4);
    return vget_lane_u64(vreinterpret_u64_u8(narrow), 0);
}
static inline void ice_scan_block(const unsigned char *data, uint64_t *stops,
                                  uint64_t *highs) {
    const uint8x16_t block = vld1q_u8(data);
    const uint8x16_t quotes = vceqq_u8(block, vdupq_n_u8('"'));
    const uint8x16_t slashes = vceqq_u8(block, vdupq_n_u8('\\'));
    const uint8x16_t controls = vcltq_u8(block, vdupq_n_u8(0x20));
    *stops = ice_scan_bits(vorrq_u8(vorrq_u8(quotes, slashes), controls));
    *highs = ice_scan_bits(vcgeq_u8(block, vdupq_n_u8(0x80)));
}
#endif

/*
 * Index of the first byte from `at` on that is '"', '\\' or below 0x20; size if there is
 * none. *high becomes non-zero if a byte in front of it is 0x80 or more; else it stays.
 */
static inline size_t ice_scan_string(const unsigned char *data, size_t at, size_t size,
                                     unsigned *high) {
#if defined(ICE_SCAN_SSE2) || defined(ICE_SCAN_NEON)
    uint64_t seen = 0, stops, highs;
    for (; size - at >= 16; at += 16) {
        ice_scan_block(data + at, &stops, &highs);
        if (stops != 0) {
            const unsigned first = (unsigned)__builtin_ctzll(stops);
            seen |= highs & ((UINT64_C(1) << first) - 1);
            *high |= seen != 0;
            return at + first / ICE_SCAN_BITS;
        }
        seen |= highs;
    }
    *high |= seen != 0;
#endif
    return ice_scan_string_portable(data, at, size, high);
}

#endif
