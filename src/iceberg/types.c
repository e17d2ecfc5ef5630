/*
 * The type grammar, as Java's Types.fromPrimitiveString takes it: any letter case, blanks
 * inside the brackets of decimal, fixed, geometry and geography.
 */
#include "iceberg/types.h"

#include <assert.h>

struct plain_type {
    const char *name;
    enum ice_type_kind kind;
};

static const struct plain_type plain_types[] = {
    {"boolean", ICE_TYPE_BOOLEAN},
    {"int", ICE_TYPE_INT},
    {"long", ICE_TYPE_LONG},
    {"float", ICE_TYPE_FLOAT},
    {"double", ICE_TYPE_DOUBLE},
    {"date", ICE_TYPE_DATE},
    {"time", ICE_TYPE_TIME},
    {"timestamp", ICE_TYPE_TIMESTAMP},
    {"timestamptz", ICE_TYPE_TIMESTAMPTZ},
    {"timestamp_ns", ICE_TYPE_TIMESTAMP_NS},
    {"timestamptz_ns", ICE_TYPE_TIMESTAMPTZ_NS},
    {"string", ICE_TYPE_STRING},
    {"uuid", ICE_TYPE_UUID},
    {"binary", ICE_TYPE_BINARY},
    {"unknown", ICE_TYPE_UNKNOWN},
    {"variant", ICE_TYPE_VARIANT},
    {"geometry", ICE_TYPE_GEOMETRY},
    {"geography", ICE_TYPE_GEOGRAPHY},
};

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct ice_str trim(struct ice_str text) {
    while (text.size > 0 && is_blank(text.data[0]))
        text = ice_str_from_index(text, 1);
    while (text.size > 0 && is_blank(text.data[text.size - 1]))
        text.size--;
    return text;
}

/* Decimal digits only; beyond 64 bits the largest number stands for "too large". */
static bool parse_digits(struct ice_str text, int64_t *out) {
    if (text.size == 0)
        return false;
    int64_t value = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c < '0' || c > '9')
            return false;
        if (value > (INT64_MAX - 9) / 10)
            value = INT64_MAX;
        else
            value = value * 10 + (c - '0');
    }
    *out = value;
    return true;
}

/* text is NAME open CONTENT close, any case: the content. */
static bool bracketed(struct ice_str text, const char *name, char open, char close,
                      struct ice_str *out) {
    struct ice_str word = ice_str_from(name);
    if (text.size < word.size + 2 ||
        !ice_str_equal_nocase(ice_str_first(text, word.size), word))
        return false;
    if (text.data[word.size] != open || text.data[text.size - 1] != close)
        return false;
    *out = ice_str_make(text.data + word.size + 1, text.size - word.size - 2);
    return true;
}

static bool has_no_zero_in_front(struct ice_str digits) {
    return digits.size == 1 || digits.data[0] != '0';
}

static bool parse_decimal(struct ice_str text, struct ice_type *out) {
    struct ice_str inside;
    if (!bracketed(text, "decimal", '(', ')', &inside))
        return false;
    size_t comma = ice_str_find(inside, ',');
    if (comma == SIZE_MAX)
        return false;
    struct ice_str precision = ice_str_first(inside, comma);
    struct ice_str scale = ice_str_from_index(inside, comma + 1);
    struct ice_str p = trim(precision), s = trim(scale);
    if (!parse_digits(p, &out->precision) || !parse_digits(s, &out->scale))
        return false;
    assert(scale.data != NULL); /* there are digits in it */
    /* "decimal(9, 2)" is Java's spelling, "decimal(9,2)" the spec's */
    bool blank_ok =
        scale.size == s.size || (scale.size == s.size + 1 && scale.data[0] == ' ');
    out->canonical = precision.size == p.size && blank_ok && has_no_zero_in_front(p) &&
                     has_no_zero_in_front(s) && ice_str_starts(text, ICE_STR("decimal"));
    out->kind = ICE_TYPE_DECIMAL;
    return true;
}

static bool parse_fixed(struct ice_str text, struct ice_type *out) {
    struct ice_str inside;
    if (!bracketed(text, "fixed", '[', ']', &inside))
        return false;
    struct ice_str digits = trim(inside);
    if (!parse_digits(digits, &out->length))
        return false;
    out->canonical = inside.size == digits.size && has_no_zero_in_front(digits) &&
                     ice_str_starts(text, ICE_STR("fixed"));
    out->kind = ICE_TYPE_FIXED;
    return true;
}

/* The CRS keeps its case; blanks around it and before the bracket do not count. */
static bool parse_geo(struct ice_str text, struct ice_type *out) {
    bool is_geography = false;
    struct ice_str inside;
    struct ice_str name = text;
    size_t open = ice_str_find(text, '(');
    if (open == SIZE_MAX || text.data[text.size - 1] != ')')
        return false;
    name.size = open;
    inside = ice_str_make(text.data + open + 1, text.size - open - 2);
    struct ice_str word = trim(name);
    if (ice_str_equal_nocase(word, ICE_STR("geography")))
        is_geography = true;
    else if (!ice_str_equal_nocase(word, ICE_STR("geometry")))
        return false;
    out->canonical = word.size == name.size &&
                     (ice_str_is(word, "geometry") || ice_str_is(word, "geography"));
    struct ice_str crs = inside;
    size_t comma = is_geography ? ice_str_find(inside, ',') : SIZE_MAX;
    if (comma != SIZE_MAX) {
        crs.size = comma;
        out->algorithm = trim(ice_str_from_index(inside, comma + 1));
    }
    out->crs = trim(crs);
    /* an empty argument is told from none by its data */
    if (out->crs.size == 0)
        out->crs = ice_str_make(inside.data, 0);
    out->kind = is_geography ? ICE_TYPE_GEOGRAPHY : ICE_TYPE_GEOMETRY;
    return true;
}

struct ice_type ice_type_parse(struct ice_str text) {
    struct ice_type type = {.kind = ICE_TYPE_BAD, .text = text};
    for (size_t i = 0; i < ICE_COUNT_OF(plain_types); i++) {
        struct ice_str name = ice_str_from(plain_types[i].name);
        if (!ice_str_equal_nocase(text, name))
            continue;
        type.kind = plain_types[i].kind;
        type.canonical = ice_str_equal(text, name);
        return type;
    }
    if (parse_decimal(text, &type) || parse_fixed(text, &type) || parse_geo(text, &type))
        return type;
    return (struct ice_type){.kind = ICE_TYPE_BAD, .text = text};
}

bool ice_type_is_primitive(const struct ice_type *type) {
    switch (type->kind) {
    case ICE_TYPE_STRUCT:
    case ICE_TYPE_LIST:
    case ICE_TYPE_MAP:
    case ICE_TYPE_VARIANT:
    case ICE_TYPE_BAD:
        return false;
    case ICE_TYPE_BOOLEAN:
    case ICE_TYPE_INT:
    case ICE_TYPE_LONG:
    case ICE_TYPE_FLOAT:
    case ICE_TYPE_DOUBLE:
    case ICE_TYPE_DECIMAL:
    case ICE_TYPE_DATE:
    case ICE_TYPE_TIME:
    case ICE_TYPE_TIMESTAMP:
    case ICE_TYPE_TIMESTAMPTZ:
    case ICE_TYPE_TIMESTAMP_NS:
    case ICE_TYPE_TIMESTAMPTZ_NS:
    case ICE_TYPE_STRING:
    case ICE_TYPE_UUID:
    case ICE_TYPE_FIXED:
    case ICE_TYPE_BINARY:
    case ICE_TYPE_UNKNOWN:
    case ICE_TYPE_GEOMETRY:
    case ICE_TYPE_GEOGRAPHY:
        return true;
    }
    return false;
}

static struct ice_str or_default(struct ice_str text, const char *fallback) {
    return text.size > 0 ? text : ice_str_from(fallback);
}

bool ice_type_equal(const struct ice_type *a, const struct ice_type *b) {
    if (a->kind != b->kind)
        return false;
    if (a->kind == ICE_TYPE_DECIMAL)
        return a->precision == b->precision && a->scale == b->scale;
    if (a->kind == ICE_TYPE_FIXED)
        return a->length == b->length;
    if (a->kind == ICE_TYPE_BAD)
        return ice_str_equal(a->text, b->text);
    if (a->kind == ICE_TYPE_GEOMETRY || a->kind == ICE_TYPE_GEOGRAPHY)
        return ice_str_equal_nocase(or_default(a->crs, "OGC:CRS84"),
                                    or_default(b->crs, "OGC:CRS84")) &&
               ice_str_equal_nocase(or_default(a->algorithm, "spherical"),
                                    or_default(b->algorithm, "spherical"));
    return true;
}

const char *ice_type_kind_name(enum ice_type_kind kind) {
    for (size_t i = 0; i < ICE_COUNT_OF(plain_types); i++) {
        if (plain_types[i].kind == kind)
            return plain_types[i].name;
    }
    if (kind == ICE_TYPE_DECIMAL)
        return "decimal";
    if (kind == ICE_TYPE_FIXED)
        return "fixed";
    if (kind == ICE_TYPE_STRUCT)
        return "struct";
    if (kind == ICE_TYPE_LIST)
        return "list";
    if (kind == ICE_TYPE_MAP)
        return "map";
    return "no type";
}
