/*
 * The portable format of RoaringFormatSpec, read in one walk. Work is bounded by the
 * bytes: every container costs four bytes of header at least.
 */
#include "iceberg/roaring.h"

enum {
    COOKIE_PLAIN = 12346,
    COOKIE_RUNS = 12347,
    MOST_CONTAINERS = 65536,
    OFFSETS_FROM = 4, /* with runs: containers from which there are offsets */
    MOST_IN_ARRAY = 4096,
    BITMAP_BYTES = 8192,
    CONTAINER_VALUES = 65536,
};

struct reading {
    const unsigned char *bytes;
    size_t size, at;
    struct ice_roaring *out;
};

static enum ice_status wrong(struct reading *r, const char *why) {
    r->out->why = why;
    r->out->offset = r->at;
    return ICE_EFORMAT;
}

static uint32_t u16_at(const struct reading *r, size_t at) {
    return (uint32_t)r->bytes[at] | (uint32_t)r->bytes[at + 1] << 8;
}

static uint32_t u32_at(const struct reading *r, size_t at) {
    return u16_at(r, at) | u16_at(r, at + 2) << 16;
}

static bool holds(const struct reading *r, size_t more) {
    return r->size - r->at >= more;
}

/* ---- containers: count and last value of one, r->at behind it ---- */

struct container {
    uint32_t count, last;
};

static enum ice_status read_array(struct reading *r, uint32_t count,
                                  struct container *out) {
    if (!holds(r, (size_t)count * 2))
        return wrong(r, "it ends inside an array container");
    for (uint32_t i = 0; i < count; i++, r->at += 2) {
        uint32_t value = u16_at(r, r->at);
        if (i > 0 && value <= out->last)
            return wrong(r, "values of an array container do not ascend");
        out->last = value;
    }
    out->count = count;
    return ICE_OK;
}

static enum ice_status read_bits(struct reading *r, struct container *out) {
    if (!holds(r, BITMAP_BYTES))
        return wrong(r, "it ends inside a bitmap container");
    for (uint32_t i = 0; i < BITMAP_BYTES; i++) {
        unsigned byte = r->bytes[r->at + i];
        for (uint32_t bit = 0; byte != 0; bit++, byte >>= 1) {
            if ((byte & 1) == 0)
                continue;
            out->count++;
            out->last = i * 8 + bit;
        }
    }
    r->at += BITMAP_BYTES;
    return ICE_OK;
}

static enum ice_status read_runs(struct reading *r, struct container *out) {
    if (!holds(r, 2))
        return wrong(r, "it ends inside a run container");
    uint32_t n = u16_at(r, r->at);
    r->at += 2;
    if (!holds(r, (size_t)n * 4))
        return wrong(r, "it ends inside a run container");
    for (uint32_t i = 0; i < n; i++, r->at += 4) {
        uint32_t start = u16_at(r, r->at), more = u16_at(r, r->at + 2);
        if (i > 0 && start <= out->last)
            return wrong(r, "runs of a container do not ascend");
        if (start + more >= CONTAINER_VALUES)
            return wrong(r, "a run leads out of its container");
        out->last = start + more;
        out->count += more + 1;
    }
    return ICE_OK;
}

/* ---- one 32-bit bitmap ---- */

struct bitmap {
    size_t start, descriptions, offsets; /* offsets 0: none */
    size_t flags;                        /* of run containers; 0: none */
    uint32_t n;
};

static enum ice_status read_header(struct reading *r, struct bitmap *out) {
    out->start = r->at;
    if (!holds(r, 4))
        return wrong(r, "it ends inside a bitmap header");
    uint32_t cookie = u32_at(r, r->at);
    bool has_runs = (cookie & 0xffff) == COOKIE_RUNS;
    if (!has_runs && cookie != COOKIE_PLAIN)
        return wrong(r, "a bitmap has no cookie of the format");
    if (!has_runs && !holds(r, 8))
        return wrong(r, "it ends inside a bitmap header");
    out->n = has_runs ? (cookie >> 16) + 1 : u32_at(r, r->at + 4);
    if (out->n > MOST_CONTAINERS)
        return wrong(r, "a bitmap counts more than 65,536 containers");
    r->at += has_runs ? 4 : 8;
    out->flags = has_runs ? r->at : 0;
    size_t flag_bytes = has_runs ? (out->n + 7) / 8 : 0;
    bool has_offsets = !has_runs || out->n >= OFFSETS_FROM;
    if (!holds(r, flag_bytes + (size_t)out->n * (has_offsets ? 8 : 4)))
        return wrong(r, "it ends inside a bitmap header");
    out->descriptions = r->at + flag_bytes;
    out->offsets = has_offsets ? out->descriptions + (size_t)out->n * 4 : 0;
    r->at = out->descriptions + (size_t)out->n * (has_offsets ? 8 : 4);
    return ICE_OK;
}

static enum ice_status read_container(struct reading *r, const struct bitmap *bitmap,
                                      uint32_t index, struct container *out) {
    uint32_t declared = u16_at(r, bitmap->descriptions + (size_t)index * 4 + 2) + 1;
    if (bitmap->offsets != 0 &&
        u32_at(r, bitmap->offsets + (size_t)index * 4) != r->at - bitmap->start)
        return wrong(r, "a container is not at its offset");
    bool is_run = bitmap->flags != 0 &&
                  (r->bytes[bitmap->flags + index / 8] >> (index % 8) & 1) != 0;
    enum ice_status status;
    if (is_run)
        status = read_runs(r, out);
    else if (declared <= MOST_IN_ARRAY)
        status = read_array(r, declared, out);
    else
        status = read_bits(r, out);
    if (status == ICE_OK && out->count != declared)
        return wrong(r, "a container does not hold as many values as its header says");
    return status;
}

static enum ice_status read_bitmap(struct reading *r, uint32_t key) {
    struct bitmap bitmap = {0};
    uint32_t before = 0;
    enum ice_status status = read_header(r, &bitmap);
    for (uint32_t i = 0; status == ICE_OK && i < bitmap.n; i++) {
        struct container container = {0};
        uint32_t high = u16_at(r, bitmap.descriptions + (size_t)i * 4);
        if (i > 0 && high <= before)
            return wrong(r, "keys of containers do not ascend");
        before = high;
        status = read_container(r, &bitmap, i, &container);
        r->out->cardinality += container.count;
        r->out->last = (uint64_t)key << 32 | high << 16 | container.last;
    }
    return status;
}

enum ice_status ice_roaring64_read(struct ice_str bytes, struct ice_roaring *out) {
    struct reading r = {
        .bytes = (const unsigned char *)bytes.data, .size = bytes.size, .out = out};
    *out = (struct ice_roaring){0};
    if (!holds(&r, 8))
        return wrong(&r, "it ends inside the count of bitmaps");
    uint64_t n = u32_at(&r, 0) | (uint64_t)u32_at(&r, 4) << 32;
    uint32_t before = 0;
    r.at = 8;
    for (uint64_t i = 0; i < n; i++) {
        if (!holds(&r, 4))
            return wrong(&r, "it ends before its last bitmap");
        uint32_t key = u32_at(&r, r.at);
        if (key > INT32_MAX)
            return wrong(&r, "a key has its sign bit set");
        if (i > 0 && key <= before)
            return wrong(&r, "keys do not ascend");
        before = key;
        r.at += 4;
        enum ice_status status = read_bitmap(&r, key);
        if (status < 0)
            return status;
    }
    return r.at == r.size ? ICE_OK : wrong(&r, "bytes follow its last bitmap");
}
