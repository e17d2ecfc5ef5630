/*
 * Transforms (spec: #partition-transforms): their text, what they apply to, what they
 * give. Reading specs and orders from JSON: spec_read.c.
 */
#include "iceberg/partition.h"

#define T(kind) (UINT32_C(1) << ICE_TYPE_##kind)
#define TIMESTAMPS (T(TIMESTAMP) | T(TIMESTAMPTZ) | T(TIMESTAMP_NS) | T(TIMESTAMPTZ_NS))

struct known_transform {
    const char *name;
    enum ice_transform_kind kind;
    bool takes_argument;
    uint32_t sources; /* bits by enum ice_type_kind */
};

static const struct known_transform known[] = {
    {"identity", ICE_TRANSFORM_IDENTITY, false,
     T(BOOLEAN) | T(INT) | T(LONG) | T(FLOAT) | T(DOUBLE) | T(DECIMAL) | T(DATE) |
         T(TIME) | TIMESTAMPS | T(STRING) | T(UUID) | T(FIXED) | T(BINARY) | T(UNKNOWN)},
    {"bucket", ICE_TRANSFORM_BUCKET, true,
     T(INT) | T(LONG) | T(DECIMAL) | T(DATE) | T(TIME) | TIMESTAMPS | T(STRING) |
         T(UUID) | T(FIXED) | T(BINARY)},
    {"truncate", ICE_TRANSFORM_TRUNCATE, true,
     T(INT) | T(LONG) | T(DECIMAL) | T(STRING) | T(BINARY)},
    {"year", ICE_TRANSFORM_YEAR, false, T(DATE) | TIMESTAMPS},
    {"month", ICE_TRANSFORM_MONTH, false, T(DATE) | TIMESTAMPS},
    {"day", ICE_TRANSFORM_DAY, false, T(DATE) | TIMESTAMPS},
    {"hour", ICE_TRANSFORM_HOUR, false, TIMESTAMPS},
    {"void", ICE_TRANSFORM_VOID, false, UINT32_MAX},
};

/* "[12]", "[-3]": the number; what is beyond 64 bits is big and keeps only its sign. */
static void parse_argument(struct ice_str rest, struct ice_transform *out) {
    if (rest.size < 3 || rest.data[0] != '[' || rest.data[rest.size - 1] != ']')
        return;
    struct ice_str number = ice_str_make(rest.data + 1, rest.size - 2);
    if (ice_str_to_i64(number, &out->argument)) {
        out->has_argument = true;
        out->argument_big = out->argument > INT32_MAX || out->argument < INT32_MIN;
        return;
    }
    size_t start = number.data[0] == '-' ? 1 : 0;
    if (start == number.size)
        return;
    for (size_t i = start; i < number.size; i++) {
        if (number.data[i] < '0' || number.data[i] > '9')
            return;
    }
    out->has_argument = out->argument_big = true;
    out->argument = start == 1 ? INT64_MIN : INT64_MAX;
}

struct ice_transform ice_transform_parse(struct ice_str text) {
    struct ice_transform out = {.kind = ICE_TRANSFORM_UNKNOWN, .text = text};
    size_t bracket = ice_str_find(text, '[');
    struct ice_str name = bracket == SIZE_MAX ? text : ice_str_first(text, bracket);
    for (size_t i = 0; i < ICE_COUNT_OF(known); i++) {
        if (!ice_str_equal_nocase(name, ice_str_from(known[i].name)))
            continue;
        if (!known[i].takes_argument && bracket != SIZE_MAX)
            return out;
        out.kind = known[i].kind;
        if (bracket != SIZE_MAX)
            parse_argument(ice_str_from_index(text, bracket), &out);
        return out;
    }
    return out;
}

bool ice_transform_allows(const struct ice_transform *transform,
                          const struct ice_type *source) {
    for (size_t i = 0; i < ICE_COUNT_OF(known); i++) {
        if (known[i].kind == transform->kind)
            return (known[i].sources >> source->kind) & 1;
    }
    return true;
}

static struct ice_type plain(enum ice_type_kind kind) {
    return ice_type_parse(ice_str_from(ice_type_kind_name(kind)));
}

struct ice_type ice_transform_result(const struct ice_transform *transform,
                                     const struct ice_type *source) {
    switch (transform->kind) {
    case ICE_TRANSFORM_IDENTITY:
    case ICE_TRANSFORM_TRUNCATE:
    case ICE_TRANSFORM_VOID:
        return *source;
    case ICE_TRANSFORM_BUCKET:
    case ICE_TRANSFORM_YEAR:
    case ICE_TRANSFORM_MONTH:
    case ICE_TRANSFORM_HOUR:
        return plain(ICE_TYPE_INT);
    case ICE_TRANSFORM_DAY:
        return plain(ICE_TYPE_DATE);
    case ICE_TRANSFORM_UNKNOWN:
        break;
    }
    return (struct ice_type){.kind = ICE_TYPE_BAD};
}

bool ice_transform_equal(const struct ice_transform *a, const struct ice_transform *b) {
    if (a->kind != b->kind || a->has_argument != b->has_argument)
        return false;
    if (a->kind == ICE_TRANSFORM_UNKNOWN)
        return ice_str_equal(a->text, b->text);
    return !a->has_argument || a->argument == b->argument;
}
