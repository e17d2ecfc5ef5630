/*
 * JSON defaults. Lists and maps nest, so open ones stand on an explicit stack.
 */
#include "iceberg/default_value.h"

#include "base/error.h"
#include "iceberg/default_time.h"

#include <math.h>

/* ---- children ---- */

enum ice_status ice_default_checker_init(struct ice_default_checker *checker,
                                         const struct ice_schema *schema,
                                         struct ice_run *run) {
    *checker = (struct ice_default_checker){.schema = schema, .run = run};
    const size_t n = schema->n_fields;
    if (n == 0)
        return ICE_OK;
    checker->first = ice_calloc(&run->alloc, n, sizeof(*checker->first));
    checker->second = ice_calloc(&run->alloc, n, sizeof(*checker->second));
    if (checker->first == NULL || checker->second == NULL)
        return ICE_ENOMEM;
    for (size_t i = 0; i < n; i++)
        checker->first[i] = checker->second[i] = ICE_NO_PARENT;
    for (size_t i = 0; i < n; i++) {
        const struct ice_field *field = &schema->fields[i];
        if (field->role == ICE_ROLE_ELEMENT || field->role == ICE_ROLE_KEY)
            checker->first[field->parent] = (uint32_t)i;
        else if (field->role == ICE_ROLE_VALUE)
            checker->second[field->parent] = (uint32_t)i;
    }
    return ICE_OK;
}

void ice_default_checker_release(struct ice_default_checker *checker) {
    if (checker->run == NULL)
        return;
    size_t size = checker->schema->n_fields * sizeof(*checker->first);
    ice_free(&checker->run->alloc, checker->first, size);
    ice_free(&checker->run->alloc, checker->second, size);
    *checker = (struct ice_default_checker){0};
}

/* ---- scalars ---- */

static bool is_integer_token(struct ice_str token) {
    return ice_str_find(token, '.') == SIZE_MAX && ice_str_find(token, 'e') == SIZE_MAX &&
           ice_str_find(token, 'E') == SIZE_MAX;
}

/* From here on a double rounds to no float. Not FLT_MAX: its shortest text, 3.4028235E38,
 * is above it as a double, and Java writes that. */
static const double beyond_float = 0x1.ffffffp+127;

static unsigned check_number(enum ice_type_kind kind, const struct ice_json_event *e) {
    int64_t integer;
    double number;
    if (e->kind != ICE_JSON_NUMBER)
        return ICE_DEFAULT_WRONG;
    if (kind == ICE_TYPE_INT || kind == ICE_TYPE_LONG) {
        if (ice_number_i64(e->text, &integer) != ICE_NUMBER_OK)
            return ICE_DEFAULT_WRONG;
        bool fits =
            kind == ICE_TYPE_LONG || (integer >= INT32_MIN && integer <= INT32_MAX);
        return fits ? 0 : ICE_DEFAULT_WRONG;
    }
    if (!ice_number_f64(e->text, &number) ||
        (kind == ICE_TYPE_FLOAT && fabs(number) >= beyond_float))
        return ICE_DEFAULT_WRONG;
    return is_integer_token(e->text) ? ICE_DEFAULT_FLOAT_INTEGER : 0;
}

/* What java.math.BigDecimal takes: digits, a point, an exponent. */
struct decimal_text {
    struct ice_str digits[2]; /* before and behind the point */
    int64_t exponent;
    bool is_negative;
};

static struct ice_str take_digits(struct ice_str *rest) {
    size_t n = 0;
    while (n < rest->size && rest->data[n] >= '0' && rest->data[n] <= '9')
        n++;
    struct ice_str out = ice_str_first(*rest, n);
    *rest = ice_str_from_index(*rest, n);
    return out;
}

static bool parse_decimal(struct ice_str text, struct decimal_text *out) {
    *out = (struct decimal_text){0};
    if (text.size > 0 && (text.data[0] == '-' || text.data[0] == '+')) {
        out->is_negative = text.data[0] == '-';
        text = ice_str_from_index(text, 1);
    }
    out->digits[0] = take_digits(&text);
    if (text.size > 0 && text.data[0] == '.') {
        text = ice_str_from_index(text, 1);
        out->digits[1] = take_digits(&text);
    }
    if (out->digits[0].size + out->digits[1].size == 0)
        return false;
    if (text.size == 0)
        return true;
    if (text.data[0] != 'e' && text.data[0] != 'E')
        return false;
    text = ice_str_from_index(text, 1);
    if (text.size > 1 && text.data[0] == '+')
        text = ice_str_from_index(text, 1);
    return ice_str_to_i64(text, &out->exponent) && out->exponent >= INT32_MIN &&
           out->exponent <= INT32_MAX;
}

/* Digits without the zeros in front of them. */
static size_t count_significant(const struct decimal_text *d) {
    size_t n = d->digits[0].size + d->digits[1].size;
    for (int part = 0; part < 2; part++) {
        for (size_t i = 0; i < d->digits[part].size; i++) {
            if (d->digits[part].data[i] != '0')
                return n;
            n--;
        }
    }
    return n;
}

static unsigned check_decimal(const struct ice_type *type, struct ice_str text) {
    struct decimal_text d;
    if (!parse_decimal(text, &d) || d.digits[1].size > INT32_MAX)
        return ICE_DEFAULT_WRONG;
    int64_t scale = (int64_t)d.digits[1].size - d.exponent;
    if (scale != type->scale || count_significant(&d) > (uint64_t)type->precision)
        return ICE_DEFAULT_WRONG;
    return 0;
}

static unsigned check_hex(struct ice_str text) {
    unsigned faults = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c >= 'A' && c <= 'F')
            faults |= ICE_DEFAULT_HEX_CASE;
        else if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return ICE_DEFAULT_WRONG;
    }
    return faults;
}

/* 8-4-4-4-12 */
static unsigned check_uuid(struct ice_str text) {
    static const size_t dashes[] = {8, 13, 18, 23, 36};
    unsigned faults = 0;
    size_t from = 0;
    if (text.size != 36)
        return ICE_DEFAULT_WRONG;
    for (size_t i = 0; i < ICE_COUNT_OF(dashes); i++) {
        faults |= check_hex(ice_str_make(text.data + from, dashes[i] - from));
        if (dashes[i] < text.size && text.data[dashes[i]] != '-')
            return ICE_DEFAULT_WRONG;
        from = dashes[i] + 1;
    }
    return faults & ICE_DEFAULT_WRONG ? ICE_DEFAULT_WRONG : faults;
}

static unsigned check_bytes(const struct ice_type *type, struct ice_str text) {
    bool fits = text.size % 2 == 0;
    if (type->kind == ICE_TYPE_FIXED)
        fits = fits && (uint64_t)type->length == text.size / 2;
    return fits ? check_hex(text) : ICE_DEFAULT_WRONG;
}

static unsigned check_text(const struct ice_type *type, struct ice_str text) {
    struct ice_default_time time;
    switch (type->kind) {
    case ICE_TYPE_DECIMAL:
        return check_decimal(type, text);
    case ICE_TYPE_UUID:
        return check_uuid(text);
    case ICE_TYPE_FIXED:
    case ICE_TYPE_BINARY:
        return check_bytes(type, text);
    case ICE_TYPE_DATE:
    case ICE_TYPE_TIME:
    case ICE_TYPE_TIMESTAMP:
    case ICE_TYPE_TIMESTAMPTZ:
    case ICE_TYPE_TIMESTAMP_NS:
    case ICE_TYPE_TIMESTAMPTZ_NS:
        if (!ice_default_time_parse(type->kind, text, &time))
            return ICE_DEFAULT_WRONG;
        return time.is_loose ? ICE_DEFAULT_LOOSE : 0;
    case ICE_TYPE_BOOLEAN:
    case ICE_TYPE_INT:
    case ICE_TYPE_LONG:
    case ICE_TYPE_FLOAT:
    case ICE_TYPE_DOUBLE:
    case ICE_TYPE_STRING:
    case ICE_TYPE_UNKNOWN:
    case ICE_TYPE_VARIANT:
    case ICE_TYPE_GEOMETRY:
    case ICE_TYPE_GEOGRAPHY:
    case ICE_TYPE_STRUCT:
    case ICE_TYPE_LIST:
    case ICE_TYPE_MAP:
    case ICE_TYPE_BAD:
        break;
    }
    return 0;
}

static bool is_forbidden(enum ice_type_kind kind) {
    return kind == ICE_TYPE_UNKNOWN || kind == ICE_TYPE_VARIANT ||
           kind == ICE_TYPE_GEOMETRY || kind == ICE_TYPE_GEOGRAPHY;
}

static unsigned check_scalar(const struct ice_type *type,
                             const struct ice_json_event *e) {
    switch (type->kind) {
    case ICE_TYPE_BOOLEAN:
        return e->kind == ICE_JSON_TRUE || e->kind == ICE_JSON_FALSE ? 0
                                                                     : ICE_DEFAULT_WRONG;
    case ICE_TYPE_INT:
    case ICE_TYPE_LONG:
    case ICE_TYPE_FLOAT:
    case ICE_TYPE_DOUBLE:
        return check_number(type->kind, e);
    case ICE_TYPE_STRUCT:
    case ICE_TYPE_LIST:
    case ICE_TYPE_MAP:
        return ICE_DEFAULT_WRONG;
    case ICE_TYPE_UNKNOWN:
    case ICE_TYPE_VARIANT:
    case ICE_TYPE_GEOMETRY:
    case ICE_TYPE_GEOGRAPHY:
        return ICE_DEFAULT_FORBIDDEN;
    case ICE_TYPE_BAD:
        return 0;
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
        break;
    }
    return e->kind == ICE_JSON_STRING ? check_text(type, e->text) : ICE_DEFAULT_WRONG;
}

/* ---- nested ---- */

enum place { IN_LIST, IN_MAP, IN_MAP_KEYS, IN_MAP_VALUES, IN_STRUCT };

struct frame {
    enum place place;
    uint32_t field; /* the list, map or struct */
    uint32_t item;  /* field of its items */
};

struct walk {
    const struct ice_default_checker *checker;
    struct ice_json json;
    struct frame *frames;
    size_t n_frames, cap_frames;
    unsigned faults;
    struct ice_error *err;
};

static enum ice_status push(struct walk *w, enum place place, uint32_t field,
                            uint32_t item) {
    if (!ice_array_reserve(&w->checker->run->alloc, &w->frames, w->n_frames,
                           &w->cap_frames, sizeof(*w->frames)))
        return ice_error_memory(w->err);
    w->frames[w->n_frames++] = (struct frame){place, field, item};
    return ICE_OK;
}

static enum ice_status take_value(struct walk *w, uint32_t field,
                                  const struct ice_json_event *e) {
    const struct ice_type *type = &w->checker->schema->fields[field].type;
    if (e->kind == ICE_JSON_NULL)
        return ICE_OK;
    if (type->kind == ICE_TYPE_LIST && e->kind == ICE_JSON_ARRAY)
        return push(w, IN_LIST, field, w->checker->first[field]);
    if (type->kind == ICE_TYPE_MAP && e->kind == ICE_JSON_OBJECT)
        return push(w, IN_MAP, field, ICE_NO_PARENT);
    if (type->kind == ICE_TYPE_STRUCT && e->kind == ICE_JSON_OBJECT)
        return push(w, IN_STRUCT, field, ICE_NO_PARENT);
    w->faults |= check_scalar(type, e);
    return ice_json_skip(&w->json, e, w->err);
}

/* "keys" or "values" of a map, an array each. */
static enum ice_status take_map_member(struct walk *w, uint32_t field, bool is_keys,
                                       bool is_known) {
    struct ice_json_event e;
    ICE_TRY(ice_json_next(&w->json, &e, w->err));
    uint32_t item = is_keys ? w->checker->first[field] : w->checker->second[field];
    if (is_known && e.kind == ICE_JSON_ARRAY && item != ICE_NO_PARENT)
        return push(w, is_keys ? IN_MAP_KEYS : IN_MAP_VALUES, field, item);
    w->faults |= ICE_DEFAULT_WRONG;
    return ice_json_skip(&w->json, &e, w->err);
}

static enum ice_status step(struct walk *w) {
    struct frame top = w->frames[w->n_frames - 1];
    struct ice_json_event e;
    ICE_TRY(ice_json_next(&w->json, &e, w->err));
    if (e.kind == ICE_JSON_ARRAY_END || e.kind == ICE_JSON_OBJECT_END) {
        w->n_frames--;
        return ICE_OK;
    }
    switch (top.place) {
    case IN_LIST:
    case IN_MAP_KEYS:
    case IN_MAP_VALUES:
        if (top.item != ICE_NO_PARENT)
            return take_value(w, top.item, &e);
        return ice_json_skip(&w->json, &e, w->err);
    case IN_MAP:
        return take_map_member(w, top.field, ice_str_is(e.text, "keys"),
                               ice_str_is(e.text, "keys") ||
                                   ice_str_is(e.text, "values"));
    case IN_STRUCT:
        w->faults |= ICE_DEFAULT_STRUCT_VALUES;
        ICE_TRY(ice_json_next(&w->json, &e, w->err));
        return ice_json_skip(&w->json, &e, w->err);
    }
    return ICE_OK;
}

enum ice_status ice_default_check(const struct ice_default_checker *checker,
                                  uint32_t index, struct ice_str json,
                                  unsigned *out_faults, struct ice_error *err) {
    struct walk w = {.checker = checker, .err = err};
    struct ice_stream stream = {0};
    struct ice_json_event e;
    *out_faults = 0;
    if (is_forbidden(checker->schema->fields[index].type.kind)) {
        *out_faults = ICE_DEFAULT_FORBIDDEN;
        return ICE_OK;
    }
    ice_stream_init_memory(&stream, checker->run, json);
    enum ice_status status =
        ice_json_init(&w.json, &stream, checker->run, NULL, NULL, err);
    if (status >= 0)
        status = ice_json_next(&w.json, &e, err);
    if (status >= 0)
        status = take_value(&w, index, &e);
    while (status >= 0 && w.n_frames > 0)
        status = step(&w);
    ice_json_release(&w.json);
    ice_stream_release(&stream);
    ice_array_free(&checker->run->alloc, &w.frames, &w.cap_frames, sizeof(*w.frames));
    *out_faults = w.faults;
    return status < 0 ? status : ICE_OK;
}

/* ---- comparing ---- */

/* The text of a JSON string without escapes; others cannot be compared. */
static bool plain_string(struct ice_str json, struct ice_str *out) {
    if (json.size < 2 || json.data[0] != '"' || ice_str_find(json, '\\') != SIZE_MAX)
        return false;
    *out = ice_str_make(json.data + 1, json.size - 2);
    return true;
}

static bool is_date_or_timestamp(enum ice_type_kind kind) {
    return kind == ICE_TYPE_DATE || kind == ICE_TYPE_TIMESTAMP ||
           kind == ICE_TYPE_TIMESTAMPTZ || kind == ICE_TYPE_TIMESTAMP_NS ||
           kind == ICE_TYPE_TIMESTAMPTZ_NS;
}

static struct ice_str without_zeros(struct ice_str digits) {
    while (digits.size > 0 && digits.data[0] == '0')
        digits = ice_str_from_index(digits, 1);
    return digits;
}

static bool same_decimal(struct ice_str a, struct ice_str b) {
    struct decimal_text x, y;
    if (!parse_decimal(a, &x) || !parse_decimal(b, &y) || x.exponent != y.exponent)
        return true;
    bool both_zero = count_significant(&x) == 0 && count_significant(&y) == 0;
    return both_zero ||
           (x.is_negative == y.is_negative &&
            ice_str_equal(without_zeros(x.digits[0]), without_zeros(y.digits[0])) &&
            ice_str_equal(x.digits[1], y.digits[1]));
}

static bool same_text(enum ice_type_kind a_kind, struct ice_str a,
                      enum ice_type_kind b_kind, struct ice_str b) {
    struct ice_default_time x, y;
    bool is_time = (is_date_or_timestamp(a_kind) && is_date_or_timestamp(b_kind)) ||
                   (a_kind == ICE_TYPE_TIME && b_kind == ICE_TYPE_TIME);
    if (is_time && ice_default_time_parse(a_kind, a, &x) &&
        ice_default_time_parse(b_kind, b, &y))
        return x.days == y.days && x.nanos == y.nanos;
    if (a_kind == ICE_TYPE_DECIMAL && b_kind == ICE_TYPE_DECIMAL)
        return same_decimal(a, b);
    if (a_kind == ICE_TYPE_UUID || a_kind == ICE_TYPE_FIXED || a_kind == ICE_TYPE_BINARY)
        return ice_str_equal_nocase(a, b);
    return a_kind != b_kind || ice_str_equal(a, b);
}

static bool same_number(struct ice_str a, struct ice_str b) {
    int64_t x, y;
    double u, v;
    if (ice_number_i64(a, &x) == ICE_NUMBER_OK && ice_number_i64(b, &y) == ICE_NUMBER_OK)
        return x == y;
    if (!ice_number_f64(a, &u) || !ice_number_f64(b, &v))
        return true;
    return !(u < v) && !(u > v);
}

static bool is_number(struct ice_str json) {
    return json.size > 0 &&
           (json.data[0] == '-' || (json.data[0] >= '0' && json.data[0] <= '9'));
}

bool ice_default_same(const struct ice_type *type_a, struct ice_str a,
                      const struct ice_type *type_b, struct ice_str b) {
    struct ice_str x, y;
    const bool a_null = ice_default_is_null(a), b_null = ice_default_is_null(b);
    if (a_null || b_null)
        return a_null == b_null;
    if (ice_str_equal(a, b))
        return true;
    if (is_number(a) && is_number(b))
        return same_number(a, b);
    if (plain_string(a, &x) && plain_string(b, &y))
        return same_text(type_a->kind, x, type_b->kind, y);
    bool a_bool = a.data[0] == 't' || a.data[0] == 'f';
    bool b_bool = b.data[0] == 't' || b.data[0] == 'f';
    return !(a_bool && b_bool);
}
