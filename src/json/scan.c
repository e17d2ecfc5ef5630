/*
 * Scanning of bytes.
 */
#include "json/scan.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

#ifdef __SSE2__

size_t ice_scan_string(const unsigned char *data, size_t at, size_t size,
                       unsigned *high) {
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    const __m128i control = _mm_set1_epi8(0x1f);
    unsigned seen = 0;
    for (; size - at >= 16; at += 16) {
        __m128i block = _mm_loadu_si128((const __m128i *)(const void *)(data + at));
        /* min(byte, 0x1f) == byte: unsigned comparison with 0x1f */
        __m128i stop = _mm_or_si128(
            _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, slash)),
            _mm_cmpeq_epi8(_mm_min_epu8(block, control), block));
        unsigned stops = (unsigned)_mm_movemask_epi8(stop);
        unsigned highs = (unsigned)_mm_movemask_epi8(block);
        if (stops != 0) {
            unsigned first = (unsigned)__builtin_ctz(stops);
            *high |= seen | (highs & ((1u << first) - 1));
            return at + first;
        }
        seen |= highs;
    }
    *high |= seen;
    return ice_scan_string_portable(data, at, size, high);
}

size_t ice_scan_newlines(const unsigned char *data, size_t size) {
    const __m128i newline = _mm_set1_epi8('\n');
    size_t n = 0, i = 0;
    for (; size - i >= 16; i += 16) {
        __m128i block = _mm_loadu_si128((const __m128i *)(const void *)(data + i));
        unsigned found = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(block, newline));
        for (; found != 0; found &= found - 1) /* few: lines are longer than this */
            n++;
    }
    return n + ice_scan_newlines_portable(data + i, size - i);
}

#else

size_t ice_scan_string(const unsigned char *data, size_t at, size_t size,
                       unsigned *high) {
    return ice_scan_string_portable(data, at, size, high);
}

size_t ice_scan_newlines(const unsigned char *data, size_t size) {
    return ice_scan_newlines_portable(data, size);
}

#endif
