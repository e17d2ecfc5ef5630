/*
 * Which names Avro allows, and which break the rule only by letters and digits of other
 * scripts: Iceberg's writers sanitise by "is a letter or digit" and so leave them in.
 */
#include "avro/avro_node.h"

#include "base/utf8.h"

/*
 * Beyond ASCII: blocks of signs, spaces, arrows, pictures. A full table of letters is not
 * worth its size here; what is not listed passes for a letter or digit.
 */
static bool is_sign(uint32_t code) {
    static const struct {
        uint32_t first, last;
    } signs[] = {
        {0x80, 0xa9},     {0xab, 0xb1},     {0xb4, 0xb4},       {0xb6, 0xb8},
        {0xbb, 0xbb},     {0xbf, 0xbf},     {0xd7, 0xd7},       {0xf7, 0xf7},
        {0x2000, 0x206f}, {0x20a0, 0x20cf}, {0x2190, 0x245f},   {0x2500, 0x2bff},
        {0x2e00, 0x2e7f}, {0x3000, 0x3004}, {0x3008, 0x3020},   {0xd800, 0xf8ff},
        {0xfe00, 0xfe6f}, {0xff01, 0xff0f}, {0x1f000, 0x1faff}, {0xe0000, UINT32_MAX},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(signs); i++)
        if (code >= signs[i].first && code <= signs[i].last)
            return true;
    return false;
}

static bool is_letter(uint32_t code) {
    return (code >= 'A' && code <= 'Z') || (code >= 'a' && code <= 'z') || code == '_';
}

bool ice_avro_name_is_legal(struct ice_str name, bool *beyond_ascii) {
    bool is_legal = name.size > 0, only_letters = name.size > 0;
    for (size_t at = 0; at < name.size;) {
        const bool is_first = at == 0;
        const uint32_t code = ice_utf8_next(name, &at);
        if (is_letter(code) || (!is_first && code >= '0' && code <= '9'))
            continue;
        is_legal = false;
        only_letters &= code >= 0x80 && !is_sign(code);
    }
    *beyond_ascii = !is_legal && only_letters;
    return is_legal;
}

bool ice_avro_dotted_is_legal(struct ice_str name, bool *beyond_ascii) {
    bool is_legal = true, only_letters = true;
    for (;;) {
        const size_t dot = ice_str_find(name, '.');
        bool letters;
        if (!ice_avro_name_is_legal(ice_str_first(name, dot), &letters)) {
            is_legal = false;
            only_letters &= letters;
        }
        if (dot == SIZE_MAX)
            break;
        name = ice_str_from_index(name, dot + 1);
    }
    *beyond_ascii = !is_legal && only_letters;
    return is_legal;
}
