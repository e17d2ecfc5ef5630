/*
 * props.*: table properties by themselves and against columns. The name mapping:
 * rules_name_mapping.c.
 */
#include "check/pass1.h"

#include "base/error.h"
#include "iceberg/schema_names.h"

enum property_kind {
    PROPERTY_INT,
    PROPERTY_LONG,
    PROPERTY_DOUBLE,
    PROPERTY_BOOLEAN,
    PROPERTY_WORD,
};

struct known_property {
    const char *key;
    enum property_kind kind;
    const char *words;
};

static const struct known_property known[] = {
#define ICE_PROPERTY(key, kind, words) {key, PROPERTY_##kind, words},
#include "check/known_properties.def"
#undef ICE_PROPERTY
};

static const struct ice_place *at(struct ice_pass1 *p, const struct ice_property *q) {
    return ice_at_key(p, "/properties", q->key, "");
}

/* ---- keys that belong elsewhere ---- */

static void check_reserved(struct ice_pass1 *p, const struct ice_property *q) {
    /* TableProperties.RESERVED_PROPERTIES */
    static const char *const reserved[] = {
        "format-version",      "uuid",
        "snapshot-count",      "current-snapshot-summary",
        "current-snapshot-id", "current-snapshot-timestamp-ms",
        "current-schema",      "default-partition-spec",
        "default-sort-order",
    };
    for (size_t i = 0; i < ICE_COUNT_OF(reserved); i++) {
        if (ice_str_is(q->key, reserved[i]))
            FOUND(p->emit, ICE_RULE_PROPS_RESERVED_KEY, at(p, q), arg_str("key", q->key));
    }
    int64_t version;
    if (ice_str_is(q->key, "format-version") &&
        ice_metadata_has(p->m, ICE_META_format_version) &&
        (!ice_str_to_i64(q->value, &version) || version != p->m->format_version))
        FOUND(p->emit, ICE_RULE_PROPS_FORMAT_VERSION_MISMATCH, at(p, q),
              arg_str("value", q->value), arg_i64("version", p->m->format_version));
}

/* ---- values ---- */

/* One of words, which are separated by '|'. */
static bool is_one_of(struct ice_str value, struct ice_str words) {
    while (words.size > 0) {
        size_t bar = ice_str_find(words, '|');
        if (ice_str_equal_nocase(value, ice_str_first(words, bar)))
            return true;
        words = bar == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(words, bar + 1);
    }
    return false;
}

static size_t count_digits(struct ice_str text, size_t from, bool is_hex) {
    size_t i = from;
    while (i < text.size && (is_hex ? ice_hex_digit(text.data[i]) >= 0
                                    : text.data[i] >= '0' && text.data[i] <= '9'))
        i++;
    return i - from;
}

/* The exponent behind its letter, and the end of the text but for a type letter. */
static bool ends_number(struct ice_str text, size_t at, bool has_exponent) {
    if (has_exponent) {
        at += at < text.size && (text.data[at] == '+' || text.data[at] == '-');
        size_t digits = count_digits(text, at, false);
        if (digits == 0)
            return false;
        at += digits;
    }
    bool has_type = at + 1 == text.size && strchr("fFdD", text.data[at]) != NULL;
    return at == text.size || has_type;
}

/* As Java's Double.parseDouble: digits with a point, hexadecimal only with an exponent.
 */
static bool is_double(struct ice_str text) {
    while (text.size > 0 && (unsigned char)text.data[0] <= ' ')
        text = ice_str_from_index(text, 1);
    while (text.size > 0 && (unsigned char)text.data[text.size - 1] <= ' ')
        text.size--;
    if (text.size > 0 && (text.data[0] == '+' || text.data[0] == '-'))
        text = ice_str_from_index(text, 1);
    if (ice_str_is(text, "NaN") || ice_str_is(text, "Infinity"))
        return true;
    bool is_hex =
        ice_str_starts(text, ICE_STR("0x")) || ice_str_starts(text, ICE_STR("0X"));
    size_t at = is_hex ? 2 : 0, digits = count_digits(text, at, is_hex);
    at += digits;
    if (at < text.size && text.data[at] == '.') {
        size_t behind = count_digits(text, at + 1, is_hex);
        digits += behind;
        at += 1 + behind;
    }
    bool has_exponent =
        at < text.size && strchr(is_hex ? "pP" : "eE", text.data[at]) != NULL;
    return digits > 0 && (has_exponent || !is_hex) &&
           ends_number(text, has_exponent ? at + 1 : at, has_exponent);
}

static bool parses(const struct known_property *property, struct ice_str value) {
    int64_t number;
    switch (property->kind) {
    case PROPERTY_INT:
        return ice_str_to_i64(value, &number) && number >= INT32_MIN &&
               number <= INT32_MAX;
    case PROPERTY_LONG:
        return ice_str_to_i64(value, &number);
    case PROPERTY_DOUBLE:
        return is_double(value);
    case PROPERTY_BOOLEAN:
        return is_one_of(value, ICE_STR("true|false"));
    case PROPERTY_WORD:
        return is_one_of(value, ice_str_from(property->words));
    }
    return true;
}

static void check_value(struct ice_pass1 *p, const struct ice_property *q) {
    static const char *const expected[] = {
        [PROPERTY_INT] = "an integer",        [PROPERTY_LONG] = "an integer",
        [PROPERTY_DOUBLE] = "a number",       [PROPERTY_BOOLEAN] = "true or false",
        [PROPERTY_WORD] = "one of its words",
    };
    for (size_t i = 0; i < ICE_COUNT_OF(known); i++) {
        if (!ice_str_is(q->key, known[i].key))
            continue;
        if (!parses(&known[i], q->value))
            FOUND(p->emit, ICE_RULE_PROPS_VALUE_UNPARSEABLE, at(p, q),
                  arg_str("key", q->key), arg_str("value", q->value),
                  arg_text("expected", expected[known[i].kind]));
        return;
    }
}

/* ---- single ones ---- */

static void check_path(struct ice_pass1 *p, const struct ice_property *q) {
    const struct ice_str root = ICE_STR("/");
    if (p->version > 3 || (!ice_str_is(q->key, "write.data.path") &&
                           !ice_str_is(q->key, "write.metadata.path")))
        return;
    /* a path from the root belongs to the file system of a location that is one too */
    bool fits = ice_str_starts(q->value, root) && ice_str_starts(p->m->location, root);
    if (ice_uri_scheme(q->value) == 0 && !fits)
        FOUND(p->emit, ICE_RULE_PROPS_PATH_RELATIVE, at(p, q), arg_str("key", q->key),
              arg_str("value", q->value));
}

static void check_single(struct ice_pass1 *p, const struct ice_property *q) {
    if (ice_str_is(q->key, "encryption.key-id") && p->version < 3)
        FOUND(p->emit, ICE_RULE_PROPS_ENCRYPTION_VERSION, at(p, q),
              arg_i64("version", p->version));
    if (ice_str_is(q->key, "gc.enabled") &&
        ice_str_equal_nocase(q->value, ICE_STR("false")))
        FOUND(p->emit, ICE_RULE_PROPS_GC_DISABLED, at(p, q), ARG_NONE);
}

/* ---- columns ---- */

static void check_column(struct ice_pass1 *p, const struct ice_property *q,
                         const struct ice_schema_names *columns) {
    static const char *const prefixes[] = {
        "write.metadata.metrics.column.",
        "write.parquet.bloom-filter-enabled.column.",
        "write.parquet.bloom-filter-fpp.column.",
        "write.parquet.bloom-filter-ndv.column.",
        "write.parquet.stats-enabled.column.",
    };
    for (size_t i = 0; i < ICE_COUNT_OF(prefixes); i++) {
        struct ice_str prefix = ice_str_from(prefixes[i]);
        if (!ice_str_starts(q->key, prefix))
            continue;
        struct ice_str column = ice_str_from_index(q->key, prefix.size);
        if (ice_schema_names_find(columns, column) == NULL)
            FOUND(p->emit, ICE_RULE_PROPS_COLUMN_REFERENCE, at(p, q),
                  arg_str("key", q->key), arg_str("column", column));
    }
}

enum ice_status ice_rules_properties(struct ice_pass1 *p, struct ice_error *err) {
    const struct ice_schema *schema = ice_metadata_current_schema(p->m);
    struct ice_schema_names columns = {0};
    enum ice_status status = ICE_OK;
    if (schema != NULL && p->m->n_properties > 0)
        status = ice_schema_names_init(&columns, schema, &p->ck->run->alloc);
    for (size_t i = 0; i < p->m->n_properties && status >= 0; i++) {
        const struct ice_property *q = &p->m->properties[i];
        check_reserved(p, q);
        if (!q->value_is_string)
            continue; /* metadata.properties.not-string-map */
        check_value(p, q);
        check_path(p, q);
        check_single(p, q);
        if (schema != NULL)
            check_column(p, q, &columns);
    }
    if (columns.schema != NULL)
        ice_schema_names_release(&columns);
    return status < 0 ? ice_error_memory(err) : ICE_OK;
}
