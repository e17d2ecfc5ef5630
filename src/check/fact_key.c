/*
 * What makes two entries one file, and two partitions one.
 */
#include "base/error.h"
#include "base/bytes16.h"
#include "base/percent.h"
#include "check/facts.h"

#include "source/mapping.h"

#include <math.h>

/* ---- paths ---- */

/* Schemes that folding leaves alone; what they end with. */
static size_t plain_prefix(struct ice_str path) {
    static const struct ice_str plain[] = {{"s3://", 5}, {"gs://", 5}};
    for (size_t i = 0; i < ICE_COUNT_OF(plain); i++)
        if (ice_str_starts(path, plain[i]))
            return plain[i].size;
    if (path.size == 0 || path.data[0] == '/')
        return path.size > 0;
    /* relative */
    return path.data[0] != '.' && path.data[0] != '%' && ice_uri_scheme(path) == 0;
}

/* No '%' among 16 bytes, and no "//" that ends in them; a byte is before them. */
static bool are_plain(const char *bytes) {
    ice_bytes16 here = ice_bytes16_at(bytes);
    ice_bytes16 slash = ice_bytes16_like(ice_bytes16_at(bytes - 1), '/');
    return !ice_bytes16_any(ice_bytes16_like(here, '%') |
                            (slash & ice_bytes16_like(here, '/')));
}

/* No '%', and no "//" behind from, which is behind a '/'. */
static bool is_plain(struct ice_str path, size_t from) {
    size_t i = from;
    for (; i + 16 <= path.size; i += 16)
        if (!are_plain(path.data + i))
            return false;
    if (path.size >= from + 16) /* the last ones, some of them again */
        return are_plain(path.data + path.size - 16);
    for (; i < path.size; i++)
        if (path.data[i] == '%' || (path.data[i] == '/' && path.data[i - 1] == '/'))
            return false;
    return true;
}

/* Runs of '/' to one and %XX to its byte, behind from. */
static void squeeze(struct ice_buf *buf, size_t from) {
    struct ice_str text = ice_buf_str(buf);
    char *bytes = buf->data;
    size_t to = from;
    for (size_t i = from; i < text.size; i++) {
        char c = bytes[i];
        if (c == '%' && i + 2 < text.size && ice_hex_digit(bytes[i + 1]) >= 0 &&
            ice_hex_digit(bytes[i + 2]) >= 0) {
            bytes[to++] =
                (char)(ice_hex_digit(bytes[i + 1]) * 16 + ice_hex_digit(bytes[i + 2]));
            i += 2;
            continue;
        }
        if (c != '/' || to == from || bytes[to - 1] != '/')
            bytes[to++] = c;
    }
    buf->size = to;
}

enum ice_status ice_path_fold(struct ice_str path, struct ice_buf *scratch,
                              struct ice_str *out) {
    size_t prefix = plain_prefix(path);
    *out = path;
    if (prefix > 0 && is_plain(path, prefix))
        return ICE_OK;
    ice_buf_clear(scratch);
    ICE_TRY(ice_uri_fold(path, scratch));
    size_t scheme = ice_uri_scheme(ice_buf_str(scratch));
    squeeze(scratch, scheme > 0 ? scheme + 2 : 0);
    *out = ice_buf_str(scratch);
    return ICE_OK;
}

/* The scheme and the slashes behind it. */
static struct ice_str head_of(struct ice_str path) {
    size_t end = ice_uri_scheme(path);
    while (end < path.size && path.data[end] == '/')
        end++;
    return ice_str_first(path, end);
}

uint8_t ice_path_spelling(struct ice_str path, struct ice_str folded) {
    enum { HEADS = 127 };
    if (path.data == folded.data && path.size == folded.size)
        return 0;
    struct ice_str head = head_of(path), folded_head = head_of(folded);
    bool same_tail = ice_str_equal(ice_str_from_index(path, head.size),
                                   ice_str_from_index(folded, folded_head.size));
    uint64_t hash =
        ice_str_equal(head, folded_head) ? 0 : 1 + ice_hash64(head, 0) % HEADS;
    return (uint8_t)(hash << 1 | !same_tail);
}

/* ---- partitions ---- */

/* Leading bytes that only carry the sign: a promoted decimal is a wider fixed. */
static struct ice_str without_sign(struct ice_str value) {
    while (value.size > 1) {
        unsigned char first = (unsigned char)value.data[0];
        unsigned char second = (unsigned char)value.data[1];
        if (!((first == 0 && second < 0x80) || (first == 0xff && second >= 0x80)))
            break;
        value = ice_str_from_index(value, 1);
    }
    return value;
}

static uint64_t datum_digest(const struct ice_datum *datum, uint64_t seed) {
    uint64_t bits = 0;
    switch (datum->type) {
    case ICE_AVRO_FLOAT:
    case ICE_AVRO_DOUBLE:
        if (!isnan(datum->f64)) /* all NaN are one */
            memcpy(&bits, &datum->f64, sizeof(bits));
        return ice_hash_mix(bits, seed + 1);
    case ICE_AVRO_STRING:
        return ice_hash64(datum->str, seed);
    case ICE_AVRO_BYTES:
    case ICE_AVRO_FIXED:
        return ice_hash64(without_sign(datum->str), seed);
    case ICE_AVRO_BOOLEAN:
    case ICE_AVRO_INT:
    case ICE_AVRO_LONG:
    case ICE_AVRO_ENUM:
        return ice_hash_mix((uint64_t)datum->i64, seed);
    case ICE_AVRO_NULL:
    case ICE_AVRO_RECORD:
    case ICE_AVRO_ARRAY:
    case ICE_AVRO_MAP:
    case ICE_AVRO_UNION:
        break;
    }
    return 0;
}

uint32_t ice_partition_digest(const struct ice_manifest_walk *walk,
                              const struct ice_manifest_entry *entry, int64_t spec_id) {
    const struct ice_tuple *tuple = &entry->file.partition;
    const struct ice_avro_schema *record = walk->manifest->plan.tuple;
    uint64_t seed = walk->ck->run->hash_seed;
    uint64_t sum = ice_hash_mix((uint64_t)spec_id, seed);
    if (!walk->knows_partitions)
        return 0;
    if (!ice_entry_has(walk->manifest, entry, ICE_FILE_partition))
        return walk->spec && walk->spec->n_fields > 0 ? 0 : (uint32_t)sum | 1;
    for (size_t i = 0; i < tuple->n; i++) {
        uint64_t id = i;
        if (record && i < record->n_fields && record->fields[i].id.has)
            id = (uint64_t)record->fields[i].id.value;
        if (tuple->values[i].type != ICE_AVRO_NULL)
            sum += datum_digest(&tuple->values[i], seed ^ (id * 0x9e3779b97f4a7c15U));
    }
    return (uint32_t)(sum ^ sum >> 32) | 1;
}

/* ---- whose rows a delete file deletes ---- */

static struct ice_str bound_of(const struct ice_map_bytes *map, int32_t id) {
    for (size_t i = 0; i < map->n; i++)
        if (map->keys[i] == id)
            return map->values[i];
    return ICE_STR_NONE;
}

struct ice_str ice_named_data_file(const struct ice_manifest *manifest,
                                   const struct ice_manifest_entry *entry) {
    enum { FILE_PATH = INT32_MAX - 101 }; /* spec: #reserved-field-ids */
    if (ice_entry_has(manifest, entry, ICE_FILE_referenced_data_file))
        return entry->file.referenced_data_file;
    if (!ice_entry_has(manifest, entry, ICE_FILE_lower_bounds) ||
        !ice_entry_has(manifest, entry, ICE_FILE_upper_bounds))
        return ICE_STR_NONE;
    struct ice_str lower = bound_of(&entry->file.lower_bounds, FILE_PATH);
    return ice_str_equal(lower, bound_of(&entry->file.upper_bounds, FILE_PATH))
               ? lower
               : ICE_STR_NONE;
}
