/*
 * See avro_mutator.h. A container is taken apart loosely: what does not parse is kept as
 * it is, so that damage of earlier mutations survives.
 */
#include "fuzz/avro_mutator.h"

#include "fuzz/avro_writer.h"

enum { MOST_ENTRIES = 64, MOST_BLOCKS = 64, MOST_PLAIN = 1 << 18 };

struct entry {
    struct ice_str key, value;
};

struct block {
    int64_t count;
    struct ice_str packed, sync;
};

struct parts {
    struct entry entries[MOST_ENTRIES];
    size_t n_entries;
    struct ice_str sync;
    enum ice_avro_codec codec;
    struct block blocks[MOST_BLOCKS];
    size_t n_blocks;
    struct ice_str tail;
};

struct mutation {
    struct ice_run run;
    struct ice_buf out, plain, packed;
    uint64_t seed;
    mutate_bytes_fn by_bytes;
};

static const char *const codec_names[] = {"null",   "deflate", "zstandard",
                                          "snappy", "bzip2",   "xz"};

static size_t below(struct mutation *m, size_t n) {
    return n > 0 ? (size_t)(random_next(&m->seed) >> 11) % n : 0;
}

/* ---- apart ---- */

static bool take(struct ice_str *rest, size_t n, struct ice_str *out) {
    if (n > rest->size)
        return false;
    *out = ice_str_first(*rest, n);
    *rest = ice_str_from_index(*rest, n);
    return true;
}

static bool take_long(struct ice_str *rest, int64_t *out) {
    uint64_t bits = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        struct ice_str byte;
        if (!take(rest, 1, &byte))
            return false;
        bits |= (uint64_t)((unsigned char)byte.data[0] & 0x7f) << shift;
        if (!((unsigned char)byte.data[0] & 0x80)) {
            *out = (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
            return true;
        }
    }
    return false;
}

static bool take_sized(struct ice_str *rest, struct ice_str *out) {
    int64_t n;
    return take_long(rest, &n) && n >= 0 && (uint64_t)n <= rest->size &&
           take(rest, (size_t)n, out);
}

static enum ice_avro_codec codec_of(const struct parts *parts) {
    enum ice_avro_codec codec = ICE_CODEC_NULL;
    for (size_t i = 0; i < parts->n_entries; i++) {
        if (!ice_str_is(parts->entries[i].key, "avro.codec"))
            continue;
        for (size_t k = 0; k < ICE_COUNT_OF(codec_names); k++) {
            if (ice_str_is(parts->entries[i].value, codec_names[k]))
                codec = (enum ice_avro_codec)k;
        }
    }
    return codec;
}

static bool take_header(struct ice_str *rest, struct parts *parts) {
    struct ice_str magic;
    int64_t n, bytes;
    if (!take(rest, 4, &magic))
        return false;
    for (;;) {
        if (!take_long(rest, &n))
            return false;
        if (n == 0)
            break;
        if (n < 0 && (n == INT64_MIN || !take_long(rest, &bytes)))
            return false;
        for (n = n < 0 ? -n : n; n > 0; n--) {
            struct entry *entry = &parts->entries[parts->n_entries];
            if (parts->n_entries == MOST_ENTRIES || !take_sized(rest, &entry->key) ||
                !take_sized(rest, &entry->value))
                return false;
            parts->n_entries++;
        }
    }
    parts->codec = codec_of(parts);
    return take(rest, SYNC_BYTES, &parts->sync);
}

static bool take_apart(struct ice_str bytes, struct parts *parts) {
    *parts = (struct parts){.n_entries = 0};
    if (!take_header(&bytes, parts))
        return false;
    while (parts->n_blocks < MOST_BLOCKS) {
        struct block *block = &parts->blocks[parts->n_blocks];
        struct ice_str rest = bytes;
        if (!take_long(&rest, &block->count) || !take_sized(&rest, &block->packed) ||
            !take(&rest, SYNC_BYTES, &block->sync))
            break;
        block->sync = parts->sync;
        parts->n_blocks++;
        bytes = rest;
    }
    parts->tail = bytes;
    return true;
}

/* ---- together ---- */

static void put_together(struct mutation *m, const struct parts *parts) {
    ice_buf_clear(&m->out);
    put_raw(&m->out, ICE_STR("Obj\1"));
    if (parts->n_entries > 0)
        put_long(&m->out, (int64_t)parts->n_entries);
    for (size_t i = 0; i < parts->n_entries; i++) {
        put_sized(&m->out, parts->entries[i].key);
        put_sized(&m->out, parts->entries[i].value);
    }
    put_long(&m->out, 0);
    put_raw(&m->out, parts->sync);
    for (size_t i = 0; i < parts->n_blocks; i++)
        put_block(&m->out, parts->blocks[i].count, parts->blocks[i].packed,
                  parts->blocks[i].sync);
    put_raw(&m->out, parts->tail);
}

/* ---- inside of a block ---- */

static bool unpack_block(struct mutation *m, enum ice_avro_codec kind,
                         struct ice_str packed) {
    struct ice_codec *codec = NULL;
    struct ice_str text;
    bool done = false;
    if (!ice_codec_is_built(kind) ||
        ice_codec_open(&codec, kind, &m->run, NULL) != ICE_OK)
        return false;
    if (ice_codec_unpack(codec, packed, 0, &text, NULL) == ICE_OK &&
        text.size <= MOST_PLAIN) {
        ice_buf_clear(&m->plain);
        put_raw(&m->plain, text);
        done = true;
    }
    ice_codec_free(codec);
    return done;
}

/* Another number in place of what may be one: lengths, counts, branches. */
static void change_number(struct mutation *m) {
    static const int64_t numbers[] = {
        0,         1,        2,    -1,        -2,        63,
        64,        127,      8191, INT32_MAX, INT32_MIN, (int64_t)INT32_MAX + 1,
        INT64_MAX, INT64_MIN};
    const size_t at = below(m, m->plain.size + 1);
    struct ice_str rest = ice_str_from_index(ice_buf_str(&m->plain), at);
    int64_t number = 0;
    if (!take_long(&rest, &number))
        number = 0;
    const int64_t other = below(m, 3) > 0 ? numbers[below(m, ICE_COUNT_OF(numbers))]
                                          : (int64_t)((uint64_t)number + below(m, 3) - 1);
    ice_buf_clear(&m->out);
    put_raw(&m->out, ice_str_first(ice_buf_str(&m->plain), at));
    put_long(&m->out, other);
    put_raw(&m->out, rest);
    ice_buf_clear(&m->plain);
    put_raw(&m->plain, ice_buf_str(&m->out));
}

static void change_bytes(struct mutation *m) {
    const size_t most = m->plain.size + 64;
    require(ice_buf_reserve(&m->plain, 65) == ICE_OK);
    if (m->plain.size == 0)
        put_byte(&m->plain, 0);
    m->plain.size = m->by_bytes((uint8_t *)m->plain.data, m->plain.size, most);
}

static bool change_records(struct mutation *m, struct parts *parts) {
    if (parts->n_blocks == 0)
        return false;
    struct block *block = &parts->blocks[below(m, parts->n_blocks)];
    if (!unpack_block(m, parts->codec, block->packed))
        return false;
    if (below(m, 3) == 0)
        change_number(m);
    else
        change_bytes(m);
    ice_buf_clear(&m->packed);
    if (!pack_block(parts->codec, ice_buf_str(&m->plain), &m->packed))
        return false;
    block->packed = ice_buf_str(&m->packed);
    return true;
}

/* ---- blocks and header ---- */

static bool change_blocks(struct mutation *m, struct parts *parts) {
    const size_t n = parts->n_blocks, at = below(m, n), to = below(m, n);
    if (n == 0)
        return false;
    struct block *blocks = parts->blocks;
    const struct block moved = blocks[at];
    switch (below(m, 5)) {
    case 0: /* drop */
        memmove(&blocks[at], &blocks[at + 1], (n - at - 1) * sizeof(*blocks));
        parts->n_blocks--;
        return true;
    case 1: /* once more */
        if (n == MOST_BLOCKS)
            return false;
        blocks[parts->n_blocks++] = moved;
        return true;
    case 2: /* swap */
        blocks[at] = blocks[to];
        blocks[to] = moved;
        return true;
    case 3: /* count */
        blocks[at].count = (int64_t)((uint64_t)blocks[at].count + below(m, 3) - 1);
        return true;
    default: /* marker */
        blocks[at].sync = ICE_STR(TARGET_SYNC);
        return true;
    }
}

static bool change_header(struct mutation *m, struct parts *parts) {
    if (parts->n_entries == 0)
        return false;
    struct entry *entry = &parts->entries[below(m, parts->n_entries)];
    ice_buf_clear(&m->plain);
    put_raw(&m->plain, entry->value);
    change_bytes(m);
    entry->value = ice_buf_str(&m->plain);
    return true;
}

/* All blocks in another codec. */
static bool change_codec(struct mutation *m, struct parts *parts) {
    const enum ice_avro_codec codec = (enum ice_avro_codec)below(m, ICE_CODEC_SNAPPY + 1);
    size_t ends[MOST_BLOCKS], start = 0;
    struct entry *entry = NULL;
    for (size_t i = 0; i < parts->n_entries; i++) {
        if (ice_str_is(parts->entries[i].key, "avro.codec"))
            entry = &parts->entries[i];
    }
    if (entry == NULL && parts->n_entries < MOST_ENTRIES)
        entry = &parts->entries[parts->n_entries++];
    if (entry == NULL)
        return false;
    *entry = (struct entry){ICE_STR("avro.codec"), ice_str_from(codec_names[codec])};
    ice_buf_clear(&m->packed);
    for (size_t i = 0; i < parts->n_blocks; i++) {
        if (!unpack_block(m, parts->codec, parts->blocks[i].packed) ||
            !pack_block(codec, ice_buf_str(&m->plain), &m->packed))
            return false;
        ends[i] = m->packed.size;
    }
    for (size_t i = 0; i < parts->n_blocks; i++) {
        parts->blocks[i].packed =
            ends[i] > start ? ice_str_make(m->packed.data + start, ends[i] - start)
                            : ICE_STR_NONE;
        start = ends[i];
    }
    return true;
}

static bool change(struct mutation *m, struct parts *parts) {
    const size_t kind = below(m, 16);
    if (kind < 10)
        return change_records(m, parts);
    if (kind < 12)
        return change_header(m, parts);
    if (kind < 15)
        return change_blocks(m, parts);
    return change_codec(m, parts);
}

/* ---- the container in the input ---- */

enum { SIZE_BYTES = 2 };

/* One of those that are there, from *out_at on; false: none. */
static bool find_container(struct mutation *m, struct ice_str bytes, size_t *out_at,
                           size_t *out_size) {
    const struct ice_str magic = ICE_STR("Obj\1");
    size_t n = 0;
    for (size_t at = 0; at + magic.size <= bytes.size; at++) {
        if (memcmp(bytes.data + at, magic.data, magic.size) != 0)
            continue;
        if (below(m, ++n) == 0) /* each as likely as the others */
            *out_at = at;
    }
    if (n == 0)
        return false;
    *out_size = bytes.size - *out_at;
    if (*out_at > SIZE_BYTES) {
        const unsigned char *size =
            (const unsigned char *)bytes.data + *out_at - SIZE_BYTES;
        const size_t said = (size_t)size[0] | (size_t)size[1] << 8;
        if (said < *out_size)
            *out_size = said;
    }
    return true;
}

/* m->out for the container at [at, at + size) of data; 0: no room. */
static size_t put_back(const struct mutation *m, uint8_t *data, size_t size,
                       size_t most_size, size_t at, size_t n) {
    const size_t fresh = m->out.size;
    const bool is_inside = at > SIZE_BYTES;
    if (size - n + fresh > most_size || (is_inside && fresh > UINT16_MAX))
        return 0;
    memmove(data + at + fresh, data + at + n, size - at - n);
    memcpy(data + at, m->out.data, fresh);
    if (is_inside) {
        data[at - 2] = (uint8_t)(fresh & 0xff);
        data[at - 1] = (uint8_t)(fresh >> 8);
    }
    return size - n + fresh;
}

size_t mutate_avro(uint8_t *data, size_t size, size_t most_size, uint64_t seed,
                   mutate_bytes_fn by_bytes) {
    struct mutation m = {.seed = seed * 2 + 1, .by_bytes = by_bytes};
    static struct parts parts;
    const struct ice_str bytes = ice_str_make(data, size);
    size_t at = 0, n = 0, out = 0;
    target_begin(&m.run);
    ice_buf_init(&m.out, &m.run.alloc, SIZE_MAX);
    ice_buf_init(&m.plain, &m.run.alloc, SIZE_MAX);
    ice_buf_init(&m.packed, &m.run.alloc, SIZE_MAX);
    for (int i = 0; i < 8; i++)
        (void)random_next(&m.seed);
    if (below(&m, 8) > 0 && find_container(&m, bytes, &at, &n) &&
        take_apart(ice_str_first(ice_str_from_index(bytes, at), n), &parts) &&
        change(&m, &parts)) {
        put_together(&m, &parts);
        out = put_back(&m, data, size, most_size, at, n);
    }
    ice_buf_release(&m.out);
    ice_buf_release(&m.plain);
    ice_buf_release(&m.packed);
    target_end(&m.run);
    return out > 0 ? out : by_bytes(data, size, most_size);
}
