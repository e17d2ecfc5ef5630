/*
 * Magic, header map and sync marker of an Avro file.
 */
#include "avro/ahead.h"
#include "avro/codec.h"
#include "avro/container.h"
#include "avro/cursor.h"

#include "base/error.h"
#include "base/hash.h"

#include <stdio.h>

enum {
    SYNC_BYTES = 16,
    LONGEST_VARINT = 10,
    /* a codec's name that is longer is no name */
    LONGEST_CODEC_NAME = 4096,
};

static const char magic[4] = {'O', 'b', 'j', 1};

static enum ice_status truncated(const struct ice_avro_file *file,
                                 struct ice_error *err) {
    /* a look ahead has met the end, so all that is left is in the window */
    const uint64_t at =
        file->stream->position + (file->stream->end - file->stream->begin);
    return ice_error_set(err, ICE_EFORMAT, "avro.truncated", at,
                         "the file ends inside its header, at byte %llu",
                         (unsigned long long)at);
}

static enum ice_status malformed(uint64_t offset, const char *what, int64_t value,
                                 struct ice_error *err) {
    return ice_error_set(err, ICE_EFORMAT, "avro.header.malformed", offset,
                         "the header is malformed: %s %lld", what, (long long)value);
}

static enum ice_status read_long(struct ice_avro_file *file, int64_t *out,
                                 struct ice_error *err) {
    struct ice_str view;
    ICE_TRY(ice_stream_peek(file->stream, LONGEST_VARINT, &view, err));
    struct ice_cursor c = ice_cursor_of(view, 0);
    const unsigned char *const start = c.at;
    if (!ice_cursor_long(&c, out)) {
        if (c.fault == ICE_FAULT_END)
            return truncated(file, err);
        return ice_error_set(err, ice_fault_status(c.fault), ice_fault_rule(c.fault),
                             file->stream->position,
                             "a number of the header is longer than "
                             "64 bits");
    }
    if (c.not_shortest && !file->varint_not_shortest) {
        file->varint_not_shortest = true;
        file->varint_not_shortest_offset = file->stream->position;
    }
    ice_stream_consume(file->stream, (size_t)(c.at - start));
    return ICE_OK;
}

static enum ice_status over_limit(const struct ice_avro_file *file, const char *what,
                                  uint64_t limit, struct ice_error *err) {
    return ice_error_set(err, ICE_ELIMIT, "limit.header", file->stream->position,
                         "the header has more than %llu %s", (unsigned long long)limit,
                         what);
}

static enum ice_status read_text(struct ice_avro_file *file, struct ice_str *out,
                                 struct ice_error *err) {
    const uint64_t limit = file->run->limits.avro_header_bytes;
    const uint64_t start = file->stream->position;
    int64_t length;
    ICE_TRY(read_long(file, &length, err));
    if (length < 0 || length > INT32_MAX)
        return ice_error_set(err, ICE_EFORMAT, "avro.length", start,
                             "a length in the header is %lld", (long long)length);
    if ((uint64_t)length + file->stream->position > limit)
        return over_limit(file, "bytes", limit, err);
    struct ice_str view;
    ICE_TRY(ice_stream_peek(file->stream, (size_t)length, &view, err));
    if (view.size < (size_t)length)
        return truncated(file, err);
    if (!ice_arena_dup(&file->arena, ice_str_first(view, (size_t)length), out))
        return ice_error_memory(err);
    ice_stream_consume(file->stream, (size_t)length);
    return ICE_OK;
}

/* What is known of the entries so far. */
struct entries {
    struct ice_table by_key;
    size_t capacity;
};

static enum ice_status add_entry(struct ice_avro_file *file, struct entries *entries,
                                 struct ice_avro_header_entry entry,
                                 struct ice_error *err) {
    const uint64_t hash = ice_hash64(entry.key, file->run->hash_seed);
    size_t at = SIZE_MAX;
    uint32_t index;
    while (ice_table_next(&entries->by_key, hash, &at, &index)) {
        const struct ice_avro_header_entry *earlier = &file->header[index];
        const bool is_same = ice_str_equal(earlier->key, entry.key);
        entry.duplicate |= is_same;
        entry.differs |= is_same && !ice_str_equal(earlier->value, entry.value);
    }
    if (file->n_header == entries->capacity) {
        const size_t capacity = entries->capacity ? entries->capacity * 2 : 16;
        struct ice_avro_header_entry *grown =
            ice_arena_array(&file->arena, capacity, sizeof(*grown));
        if (grown == NULL)
            return ice_error_memory(err);
        if (file->n_header > 0)
            memcpy(grown, file->header, file->n_header * sizeof(*grown));
        file->header = grown;
        entries->capacity = capacity;
    }
    /* of equal entries one is enough to find the others' key and the differing value */
    if (!entry.duplicate || entry.differs)
        if (ice_table_put(&entries->by_key, hash, (uint32_t)file->n_header) < 0)
            return ice_error_memory(err);
    file->header[file->n_header++] = entry;
    return ICE_OK;
}

static enum ice_status read_items(struct ice_avro_file *file, struct entries *entries,
                                  uint64_t count, struct ice_error *err) {
    const uint64_t limit = file->run->limits.avro_header_keys;
    for (uint64_t i = 0; i < count; i++) {
        if (file->n_header >= limit)
            return over_limit(file, "keys", limit, err);
        struct ice_avro_header_entry entry = {0};
        ICE_TRY(read_text(file, &entry.key, err));
        ICE_TRY(read_text(file, &entry.value, err));
        ICE_TRY(add_entry(file, entries, entry, err));
    }
    return ICE_OK;
}

static enum ice_status read_map(struct ice_avro_file *file, struct entries *entries,
                                struct ice_error *err) {
    for (;;) {
        const uint64_t start = file->stream->position;
        int64_t count, size = -1;
        ICE_TRY(read_long(file, &count, err));
        if (count == 0)
            return ICE_OK;
        if (count < 0) {
            if (count == INT64_MIN)
                return malformed(start, "a map count is", count, err);
            count = -count;
            ICE_TRY(read_long(file, &size, err));
            if (size < 0)
                return malformed(start, "a map size is", size, err);
        }
        if ((uint64_t)count > file->run->limits.avro_header_keys)
            return over_limit(file, "keys", file->run->limits.avro_header_keys, err);
        const uint64_t first = file->stream->position;
        ICE_TRY(read_items(file, entries, (uint64_t)count, err));
        if (size >= 0 && file->stream->position - first != (uint64_t)size)
            return malformed(start, "its items do not take the stated bytes,", size, err);
    }
}

static enum ice_status check_magic(struct ice_avro_file *file, struct ice_error *err) {
    struct ice_str view;
    ICE_TRY(ice_stream_peek(file->stream, sizeof(magic), &view, err));
    const struct ice_str head = ice_str_first(view, sizeof(magic));
    if (head.size < sizeof(magic) && ice_str_starts(ICE_STR("Obj\1"), head))
        return truncated(file, err);
    if (ice_str_equal(head, ice_str_make(magic, sizeof(magic)))) {
        ice_stream_consume(file->stream, sizeof(magic));
        return ICE_OK;
    }
    if (ice_str_is(head, "PAR1"))
        return ice_error_set(err, ICE_EFORMAT, "avro.magic", 0,
                             "the file begins as a Parquet file, not with \"Obj\\x01\"");
    if (ice_str_is(head, "AGS1"))
        return ice_error_set(err, ICE_EFORMAT, "avro.magic", 0,
                             "the file begins as an encrypted file (AGS1), not with "
                             "\"Obj\\x01\"");
    char hex[2 * sizeof(magic) + 1] = "";
    for (size_t i = 0; i < head.size; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", (unsigned)(unsigned char)head.data[i]);
    return ice_error_set(err, ICE_EFORMAT, "avro.magic", 0,
                         "the file begins with the bytes %s, not with 4f626a01", hex);
}

static enum ice_status pick_codec(struct ice_avro_file *file, struct ice_error *err) {
    static const char *const names[] = {
        [ICE_CODEC_NULL] = "null",           [ICE_CODEC_DEFLATE] = "deflate",
        [ICE_CODEC_ZSTANDARD] = "zstandard", [ICE_CODEC_SNAPPY] = "snappy",
        [ICE_CODEC_BZIP2] = "bzip2",         [ICE_CODEC_XZ] = "xz",
    };
    file->codec_name = ICE_STR("null");
    if (!ice_avro_header(file, "avro.codec", &file->codec_name))
        return ICE_OK;
    if (file->codec_name.size > LONGEST_CODEC_NAME)
        return ice_error_set(err, ICE_ELIMIT, "limit.header", 0,
                             "the name of the codec is %zu bytes long",
                             file->codec_name.size);
    for (size_t i = 0; i < ICE_COUNT_OF(names); i++) {
        if (!ice_str_is(file->codec_name, names[i]))
            continue;
        file->codec = (enum ice_avro_codec)i;
        if (ice_codec_is_built(file->codec))
            return ICE_OK;
        return ice_error_set(err, ICE_EUNSUPPORTED, "avro.codec.unsupported", 0,
                             "the codec \"%s\" is not built in", names[i]);
    }
    char name[64];
    (void)ice_escape(name, sizeof(name), ice_str_first(file->codec_name, 40));
    return ice_error_set(err, ICE_EFORMAT, "avro.codec.unsupported", 0,
                         "\"%s\" is no codec of Avro", name);
}

enum ice_status ice_avro_open(struct ice_avro_file *file, struct ice_run *run,
                              struct ice_stream *stream, struct ice_error *err) {
    const uint64_t limit = run->limits.zero_size_items;
    *file = (struct ice_avro_file){.run = run, .stream = stream, .ended = true};
    file->empty_values_left = limit;
    file->empty_records_left = limit < UINT64_MAX / 16 ? 16 * limit : UINT64_MAX;
    ice_arena_init(&file->arena, &run->alloc);
    ICE_TRY(check_magic(file, err));
    struct entries entries = {0};
    ice_table_init(&entries.by_key, &run->alloc);
    const enum ice_status status = read_map(file, &entries, err);
    ice_table_release(&entries.by_key);
    ICE_TRY(status);
    struct ice_str view;
    ICE_TRY(ice_stream_peek(stream, SYNC_BYTES, &view, err));
    if (view.size < SYNC_BYTES)
        return truncated(file, err);
    memcpy(file->sync, view.data, SYNC_BYTES);
    ice_stream_consume(stream, SYNC_BYTES);
    file->header_bytes = stream->position;
    ICE_TRY(pick_codec(file, err));
    ICE_TRY(ice_codec_open(&file->unpacker, file->codec, run, err));
    file->ended = false;
    return ICE_OK;
}

void ice_avro_release(struct ice_avro_file *file) {
    if (file->ahead != NULL)
        ice_ahead_let_go(file->ahead);
    ice_codec_free(file->unpacker);
    if (file->run != NULL)
        ice_arena_release(&file->arena);
    *file = (struct ice_avro_file){0};
}

bool ice_avro_header(const struct ice_avro_file *file, const char *key,
                     struct ice_str *out) {
    for (size_t i = file->n_header; i > 0; i--) {
        if (ice_str_is(file->header[i - 1].key, key)) {
            *out = file->header[i - 1].value;
            return true;
        }
    }
    return false;
}
