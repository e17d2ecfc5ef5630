/*
 * The slower half of the cursor: long varints, floats, item counts, texts of faults.
 */
#include "avro/cursor.h"

#include <stdio.h>

/*
 *   byte    1ddddddd 1ddddddd ... 0ddddddd     low groups first, then zig-zag
 *
 * ten bytes at most, and the tenth may only carry one bit
 */
static bool read_bytewise(struct ice_cursor *c, int64_t *out) {
    const unsigned char *at = c->at;
    uint64_t bits = 0;
    for (unsigned shift = 0;; shift += 7) {
        if (at == c->end)
            return ice_cursor_fail(c, ICE_FAULT_END, 0);
        const unsigned char byte = *at++;
        if (shift == 63 && byte > 1)
            return ice_cursor_fail(c, ICE_FAULT_OVERLONG, 0);
        bits |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            c->not_shortest |= byte == 0 && shift > 0;
            c->at = at;
            *out = ice_zigzag(bits);
            return true;
        }
    }
}

bool ice_varint_read(struct ice_cursor *c, int64_t *out) {
    if (ICE_LIKELY(ice_cursor_left(c) >= ICE_VARINT_MOST)) {
        uint64_t odd = 0;
        const unsigned char *const end = ice_varint_take(c->at, out, &odd);
        if (ICE_LIKELY(end != NULL)) {
            c->not_shortest |= ice_varint_is_odd(odd);
            c->at = end;
            return true;
        }
    }
    return read_bytewise(c, out);
}

bool ice_cursor_float(struct ice_cursor *c, double *out) {
    struct ice_str raw;
    if (!ice_cursor_bytes(c, 4, &raw))
        return false;
    uint32_t bits = 0;
    for (unsigned i = 0; i < 4; i++)
        bits |= (uint32_t)(unsigned char)raw.data[i] << (8 * i);
    float value;
    memcpy(&value, &bits, sizeof(value));
    *out = (double)value;
    return true;
}

bool ice_cursor_double(struct ice_cursor *c, double *out) {
    struct ice_str raw;
    if (!ice_cursor_bytes(c, 8, &raw))
        return false;
    uint64_t bits = 0;
    for (unsigned i = 0; i < 8; i++)
        bits |= (uint64_t)(unsigned char)raw.data[i] << (8 * i);
    memcpy(out, &bits, sizeof(*out));
    return true;
}

bool ice_cursor_items(struct ice_cursor *c, uint64_t least_size, uint64_t *out_count,
                      const unsigned char **out_end) {
    int64_t count;
    if (!ice_cursor_long(c, &count))
        return false;
    *out_end = NULL;
    uint64_t bytes;
    if (count < 0) {
        if (count == INT64_MIN)
            return ice_cursor_fail(c, ICE_FAULT_RANGE, count);
        count = -count;
        int64_t size;
        if (!ice_cursor_long(c, &size))
            return false;
        if (size < 0 || (uint64_t)size > ice_cursor_left(c))
            return ice_cursor_fail(c, ICE_FAULT_ITEMS_SIZE, size);
        *out_end = c->at + size;
        bytes = (uint64_t)size;
    } else {
        bytes = ice_cursor_left(c);
    }
    uint64_t least = 0; /* by multiplying: a division a map would be felt */
    if (__builtin_mul_overflow((uint64_t)count, least_size, &least) || least > bytes)
        return ice_cursor_fail(c, ICE_FAULT_COUNT, count);
    *out_count = (uint64_t)count;
    return true;
}

static const struct {
    const char *rule;
    enum ice_status status;
} faults[] = {
    [ICE_FAULT_NONE] = {NULL, ICE_OK},
    [ICE_FAULT_END] = {"avro.block.count", ICE_EFORMAT},
    [ICE_FAULT_OVERLONG] = {"avro.varint.overlong", ICE_EFORMAT},
    [ICE_FAULT_RANGE] = {"avro.varint.range", ICE_EFORMAT},
    [ICE_FAULT_LENGTH] = {"avro.length", ICE_EFORMAT},
    [ICE_FAULT_UNION] = {"avro.union", ICE_EFORMAT},
    [ICE_FAULT_ENUM] = {"avro.enum", ICE_EFORMAT},
    [ICE_FAULT_BOOLEAN] = {"avro.boolean", ICE_EFORMAT},
    [ICE_FAULT_UTF8] = {"avro.string.not-utf8", ICE_EFORMAT},
    [ICE_FAULT_COUNT] = {"avro.block.count", ICE_EFORMAT},
    [ICE_FAULT_ITEMS_SIZE] = {"avro.block.count", ICE_EFORMAT},
    [ICE_FAULT_ITEMS] = {"limit.items", ICE_ELIMIT},
    [ICE_FAULT_DEPTH] = {"limit.depth", ICE_ELIMIT},
    [ICE_FAULT_MEMORY] = {NULL, ICE_ENOMEM},
};

const char *ice_fault_rule(enum ice_fault fault) {
    return faults[fault].rule;
}

enum ice_status ice_fault_status(enum ice_fault fault) {
    return faults[fault].status;
}

void ice_fault_message(const struct ice_cursor *c, char *out, size_t size) {
    const long long value = c->detail;
    switch (c->fault) {
    case ICE_FAULT_NONE:
        (void)snprintf(out, size, "no fault");
        return;
    case ICE_FAULT_END:
        (void)snprintf(out, size, "the bytes end inside a value");
        return;
    case ICE_FAULT_OVERLONG:
        (void)snprintf(out, size, "a varint is longer than 64 bits");
        return;
    case ICE_FAULT_MEMORY:
        (void)snprintf(out, size, "out of memory");
        return;
    case ICE_FAULT_LENGTH:
        (void)snprintf(out, size, "a length is %lld, %zu bytes are left", value,
                       ice_cursor_left(c));
        return;
    case ICE_FAULT_COUNT:
        (void)snprintf(out, size,
                       "an array or map of %lld items does not fit the %zu bytes left",
                       value, ice_cursor_left(c));
        return;
    case ICE_FAULT_RANGE:
        (void)snprintf(out, size, "the number %lld is out of range", value);
        return;
    case ICE_FAULT_UNION:
        (void)snprintf(out, size, "the union has no branch %lld", value);
        return;
    case ICE_FAULT_ENUM:
        (void)snprintf(out, size, "the enum has no symbol %lld", value);
        return;
    case ICE_FAULT_BOOLEAN:
        (void)snprintf(out, size, "a boolean is stored as byte %lld", value);
        return;
    case ICE_FAULT_UTF8:
        (void)snprintf(out, size, "a string is not UTF-8 at its byte %lld", value);
        return;
    case ICE_FAULT_ITEMS_SIZE:
        (void)snprintf(out, size, "the stated size %lld of an array or map does not fit",
                       value);
        return;
    case ICE_FAULT_ITEMS:
        (void)snprintf(out, size, "%lld items of zero bytes", value);
        return;
    case ICE_FAULT_DEPTH:
        (void)snprintf(out, size, "values are nested deeper than %lld", value);
        return;
    }
}
