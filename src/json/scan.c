/*
 * Scanning of bytes.
 */
#include "json/scan.h"

static int is_stop(unsigned char byte) {
    return byte < 0x20 || byte == '"' || byte == '\\';
}

size_t ice_scan_string_portable(const unsigned char *data, size_t at, size_t size,
                                unsigned *high) {
    unsigned seen = 0;
    while (at < size && !is_stop(data[at]))
        seen |= data[at++];
    *high |= seen & 0x80;
    return at;
}

size_t ice_scan_newlines_portable(const unsigned char *data, size_t size) {
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += data[i] == '\n';
    return n;
}

#if defined(ICE_SCAN_SSE2) || defined(ICE_SCAN_NEON)

/* Blocks whose newlines fit into the bytes that count them. */
enum { MOST_BLOCKS = 255 };

/* Newlines of n <= MOST_BLOCKS blocks of sixteen bytes. */
static size_t newlines_of_blocks(const unsigned char *data, size_t n) {
#ifdef ICE_SCAN_SSE2
    const __m128i newline = _mm_set1_epi8('\n');
    __m128i counts = _mm_setzero_si128();
    for (size_t i = 0; i < n; i++) {
        const __m128i block =
            _mm_loadu_si128((const __m128i *)(const void *)(data + 16 * i));
        counts = _mm_sub_epi8(counts, _mm_cmpeq_epi8(block, newline)); /* minus -1 */
    }
    const __m128i sums = _mm_sad_epu8(counts, _mm_setzero_si128());
    return (size_t)(_mm_extract_epi16(sums, 0) + _mm_extract_epi16(sums, 4));
#else
    const uint8x16_t newline = vdupq_n_u8('\n');
    uint8x16_t counts = vdupq_n_u8(0);
    for (size_t i = 0; i < n; i++)
        counts = vsubq_u8(counts, vceqq_u8(vld1q_u8(data + 16 * i), newline));
    return vaddlvq_u8(counts);
#endif
}

size_t ice_scan_newlines(const unsigned char *data, size_t size) {
    size_t n = 0, i = 0;
    while (size - i >= 16) {
        size_t blocks = (size - i) / 16;
        if (blocks > MOST_BLOCKS)
            blocks = MOST_BLOCKS;
        n += newlines_of_blocks(data + i, blocks);
        i += 16 * blocks;
    }
    return n + ice_scan_newlines_portable(data + i, size - i);
}

#else

size_t ice_scan_newlines(const unsigned char *data, size_t size) {
    return ice_scan_newlines_portable(data, size);
}

#endif
