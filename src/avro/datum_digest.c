/*
 * Tokens of a datum, each mixed into the digest of those before it. A NaN is one NaN:
 * what its bits are need not outlive the way through a float.
 */
#include "avro/datum_digest.h"

#include "base/hash.h"

#include <assert.h>
#include <math.h>

uint64_t ice_datum_mix(uint64_t digest, enum ice_token token, const void *data,
                       size_t size) {
    static const double one_nan = (double)NAN;
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    double real;
    if (token == ICE_TOKEN_REAL) {
        assert(size == sizeof(real));
        memcpy(&real, data, sizeof(real));
        data = isnan(real) ? &one_nan : data;
    }
    return ice_hash64(ice_str_make(data, size),
                      (digest ^ ((uint64_t)token + 1)) * odd + size);
}

static uint64_t mix_integer(uint64_t digest, enum ice_token token, int64_t value) {
    return ice_datum_mix(digest, token, &value, sizeof(value));
}

static uint64_t mix_value(uint64_t digest, const struct ice_datum *datum) {
    assert(ice_avro_is_primitive(datum->type)); /* the others have tokens of their own */
    switch (datum->type) {
    case ICE_AVRO_NULL:
    case ICE_AVRO_RECORD:
    case ICE_AVRO_ARRAY:
    case ICE_AVRO_MAP:
    case ICE_AVRO_UNION:
        break;
    case ICE_AVRO_BOOLEAN: {
        const char byte = datum->i64 != 0;
        return ice_datum_mix(digest, ICE_TOKEN_BOOLEAN, &byte, 1);
    }
    case ICE_AVRO_INT:
    case ICE_AVRO_LONG:
        return mix_integer(digest, ICE_TOKEN_INTEGER, datum->i64);
    case ICE_AVRO_FLOAT:
    case ICE_AVRO_DOUBLE:
        return ice_datum_mix(digest, ICE_TOKEN_REAL, &datum->f64, sizeof(datum->f64));
    case ICE_AVRO_STRING:
        return ice_datum_mix(digest, ICE_TOKEN_STRING, datum->str.data, datum->str.size);
    case ICE_AVRO_BYTES:
    case ICE_AVRO_FIXED:
        return ice_datum_mix(digest, ICE_TOKEN_BYTES, datum->str.data, datum->str.size);
    case ICE_AVRO_ENUM:
        return mix_integer(digest, ICE_TOKEN_ENUM, datum->i64);
    }
    return ice_datum_mix(digest, ICE_TOKEN_NULL, NULL, 0);
}

static uint64_t mix_event(uint64_t digest, const struct ice_walk_event *event,
                          bool in_map) {
    if (in_map && event->has_key)
        digest = ice_datum_mix(digest, ICE_TOKEN_KEY, event->key.data, event->key.size);
    switch (event->kind) {
    case ICE_WALK_VALUE:
        return mix_value(digest, &event->datum);
    case ICE_WALK_RECORD:
        return ice_datum_mix(digest, ICE_TOKEN_RECORD, NULL, 0);
    case ICE_WALK_RECORD_END:
        return ice_datum_mix(digest, ICE_TOKEN_RECORD_END, NULL, 0);
    case ICE_WALK_ARRAY:
        return ice_datum_mix(digest, ICE_TOKEN_ARRAY, NULL, 0);
    case ICE_WALK_ARRAY_END:
        return ice_datum_mix(digest, ICE_TOKEN_ARRAY_END, NULL, 0);
    case ICE_WALK_MAP:
        return ice_datum_mix(digest, ICE_TOKEN_MAP, NULL, 0);
    case ICE_WALK_MAP_END:
        return ice_datum_mix(digest, ICE_TOKEN_MAP_END, NULL, 0);
    case ICE_WALK_DONE:
    case ICE_WALK_FAULT:
        break;
    }
    return digest;
}

/* Is the value that comes next a member of a map? */
static bool is_in_map(const struct ice_walk *walk) {
    return walk->n_frames > 0 &&
           walk->frames[walk->n_frames - 1].schema->type == ICE_AVRO_MAP;
}

bool ice_datum_digest(struct ice_avro_file *file, struct ice_walk *walk,
                      struct ice_cursor *c, const struct ice_avro_schema *schema,
                      uint64_t *out) {
    const uint64_t zero_left = ice_avro_empty_values(file);
    struct ice_walk_event event;
    uint64_t digest = 0;
    ice_walk_begin(walk, schema, zero_left, false);
    do {
        const bool in_map = is_in_map(walk);
        (void)ice_walk_next(walk, c, &event);
        digest = mix_event(digest, &event, in_map);
    } while (event.kind != ICE_WALK_DONE && event.kind != ICE_WALK_FAULT);
    file->empty_values_left -= zero_left - walk->zero_left;
    *out = digest;
    return event.kind == ICE_WALK_DONE;
}
