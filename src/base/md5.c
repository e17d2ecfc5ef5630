/*
 * MD5. Works on 32-bit words, whatever the machine's byte order.
 */
#include "base/md5.h"

/* floor(2^32 * |sin(i + 1)|) */
static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613,
    0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193,
    0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d,
    0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
    0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122,
    0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
    0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244,
    0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb,
    0xeb86d391};

static const unsigned turns[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t turn(uint32_t word, unsigned n) {
    return word << n | word >> (32 - n);
}

static uint32_t mix(unsigned round, uint32_t b, uint32_t c, uint32_t d) {
    switch (round) {
    case 0:
        return (b & c) | (~b & d);
    case 1:
        return (b & d) | (c & ~d);
    case 2:
        return b ^ c ^ d;
    default:
        return c ^ (b | ~d);
    }
}

static void add_block(struct ice_md5 *md5, const unsigned char *block) {
    static const unsigned steps[4] = {1, 5, 3, 7}, starts[4] = {0, 1, 5, 0};
    uint32_t words[16], a = md5->state[0], b = md5->state[1], c = md5->state[2],
                        d = md5->state[3];
    for (size_t i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] | (uint32_t)block[4 * i + 1] << 8 |
                   (uint32_t)block[4 * i + 2] << 16 | (uint32_t)block[4 * i + 3] << 24;
    for (unsigned i = 0; i < 64; i++) {
        unsigned round = i / 16, word = (starts[round] + steps[round] * i) % 16;
        uint32_t sum = a + mix(round, b, c, d) + sines[i] + words[word];
        a = d;
        d = c;
        c = b;
        b += turn(sum, turns[round][i % 4]);
    }
    md5->state[0] += a;
    md5->state[1] += b;
    md5->state[2] += c;
    md5->state[3] += d;
}

void ice_md5_init(struct ice_md5 *md5) {
    *md5 = (struct ice_md5){.state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}};
}

void ice_md5_add(struct ice_md5 *md5, struct ice_str bytes) {
    md5->n_bytes += bytes.size;
    while (bytes.size > 0) {
        size_t n = sizeof(md5->held) - md5->n_held;
        if (md5->n_held == 0 && bytes.size >= sizeof(md5->held)) {
            add_block(md5, (const unsigned char *)bytes.data);
            bytes = ice_str_from_index(bytes, sizeof(md5->held));
            continue;
        }
        n = n < bytes.size ? n : bytes.size;
        memcpy(md5->held + md5->n_held, bytes.data, n);
        md5->n_held += n;
        bytes = ice_str_from_index(bytes, n);
        if (md5->n_held < sizeof(md5->held))
            return;
        add_block(md5, md5->held);
        md5->n_held = 0;
    }
}

void ice_md5_finish(struct ice_md5 *md5, unsigned char out[ICE_MD5_BYTES]) {
    static const char padding[64] = {(char)0x80};
    uint64_t n_bits = md5->n_bytes << 3;
    char length[8];
    size_t n = md5->n_held < 56 ? 56 - md5->n_held : 120 - md5->n_held;
    for (unsigned i = 0; i < 8; i++)
        length[i] = (char)(unsigned char)(n_bits >> (8 * i));
    ice_md5_add(md5, ice_str_make(padding, n));
    ice_md5_add(md5, ice_str_make(length, sizeof(length)));
    for (unsigned i = 0; i < ICE_MD5_BYTES; i++)
        out[i] = (unsigned char)(md5->state[i / 4] >> (8 * (i % 4)));
}

bool ice_md5_is(const unsigned char digest[ICE_MD5_BYTES], struct ice_str hex) {
    if (hex.size != 2 * (size_t)ICE_MD5_BYTES)
        return false;
    for (size_t i = 0; i < ICE_MD5_BYTES; i++) {
        int high = ice_hex_digit(hex.data[2 * i]),
            low = ice_hex_digit(hex.data[2 * i + 1]);
        if (high < 0 || low < 0 || high * 16 + low != digest[i])
            return false;
    }
    return true;
}
