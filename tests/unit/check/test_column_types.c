/*
 * Columns over several schemas, and the quick answers about their bounds, compared with
 * the slow ones.
 */
#include "support/cmocka_all.h"

#include "check/column_types.h"
#include "iceberg/read.h"

#include <math.h>

/* ---- columns over schemas ---- */

struct table {
    struct ice_run run;
    struct ice_arena arena;
    struct ice_schema schemas[2], header;
    struct ice_metadata metadata;
    struct ice_columns columns;
};

static void parse(struct table *t, const char *text, struct ice_schema *out) {
    struct ice_error err = {0};
    assert_int_equal(ice_schema_parse(ice_str_from(text), &t->run, &t->arena, out, &err),
                     ICE_OK);
}

#define FIELD(id, required, type)                                                        \
    "{\"id\":" #id ",\"name\":\"c" #id "\",\"required\":" #required ",\"type\":" type "}"
#define SCHEMA(id, fields)                                                               \
    "{\"type\":\"struct\",\"schema-id\":" #id ",\"fields\":[" fields "]}"
#define STRUCT(fields) "{\"type\":\"struct\",\"fields\":[" fields "]}"
#define LIST(id, required, type)                                                         \
    "{\"type\":\"list\",\"element-id\":" #id ",\"element-required\":" #required          \
    ",\"element\":" type "}"

static const char first[] = SCHEMA(
    0,
    FIELD(1, true, "\"long\"") "," FIELD(2, true, "\"int\"") "," FIELD(
        3, true, STRUCT(FIELD(4, true, "\"float\"") "," FIELD(5, false, "\"date\""))) //
    "," FIELD(6, false, STRUCT(FIELD(7, true, "\"string\""))) "," FIELD(
        8, true, LIST(9, true, "\"string\"")) "," FIELD(2000000, false, "\"uuid\"") //
    "," FIELD(10, false, "\"int\"") "," FIELD(10, false, "\"string\""));
static const char second[] =
    SCHEMA(1, FIELD(1, false, "\"long\"") "," FIELD(2, true, "\"string\""));
static const char header[] =
    SCHEMA(0, FIELD(1, true, "\"long\"") "," FIELD(2, true, "\"date\"") "," FIELD(
                  11, true, "\"decimal(9, 2)\"") "," FIELD(4000000, false, "\"double\""));

static void open_table(struct table *t) {
    *t = (struct table){0};
    ice_run_init(&t->run, NULL);
    ice_arena_init(&t->arena, &t->run.alloc);
    parse(t, first, &t->schemas[0]);
    parse(t, second, &t->schemas[1]);
    parse(t, header, &t->header);
    t->metadata.schemas = t->schemas;
    t->metadata.n_schemas = 2;
    t->metadata.run = &t->run;
    ice_table_init(&t->metadata.schemas_by_id, &t->run.alloc);
    assert_int_equal(ice_metadata_index_layouts(&t->metadata), ICE_OK);
    t->metadata.present = ICE_BIT(ICE_META_current_schema_id);
    t->metadata.current_schema_id = 1;
    assert_int_equal(ice_columns_open(&t->columns, &t->run.alloc, 7, &t->metadata),
                     ICE_OK);
    assert_int_equal(ice_columns_begin(&t->columns, ICE_STR_NONE, NULL), ICE_OK);
}

static void close_table(struct table *t) {
    ice_columns_release(&t->columns);
    ice_columns_release(&t->columns);
    ice_table_release(&t->metadata.schemas_by_id);
    ice_schema_release(&t->schemas[0]);
    ice_schema_release(&t->schemas[1]);
    ice_schema_release(&t->header);
    ice_arena_release(&t->arena);
    assert_int_equal(t->run.alloc.used, 0);
}

static const struct ice_table_column *column(const struct table *t, int32_t id) {
    uint32_t index = ice_columns_find(&t->columns, id);
    return index == ICE_NO_COLUMN ? NULL : &t->columns.items[index];
}

static void assert_column(const struct table *t, int32_t id, size_t n_types,
                          enum ice_type_kind shown, uint32_t flags) {
    const struct ice_table_column *c = column(t, id);
    if (!c) {
        fail();
        return;
    }
    assert_int_equal(c->id, id);
    assert_int_equal(c->n_types, n_types);
    if (n_types > 0)
        assert_int_equal(c->shown->kind, shown);
    assert_int_equal(c->flags, flags);
}

static void listed_schemas(void **state) {
    (void)state;
    struct table t;
    open_table(&t);
    assert_true(t.columns.knows_all);
    const uint32_t key = ICE_COLUMN_LISTED | ICE_COLUMN_CAN_EQUAL;
    assert_column(&t, 1, 1, ICE_TYPE_LONG, key | ICE_COLUMN_CURRENT);
    assert_column(&t, 2, 2, ICE_TYPE_STRING,
                  key | ICE_COLUMN_REQUIRED | ICE_COLUMN_CURRENT);
    assert_column(&t, 3, 1, ICE_TYPE_STRUCT, ICE_COLUMN_LISTED | ICE_COLUMN_REQUIRED);
    assert_column(&t, 4, 1, ICE_TYPE_FLOAT,
                  ICE_COLUMN_LISTED | ICE_COLUMN_REQUIRED | ICE_COLUMN_FLOAT);
    assert_column(&t, 5, 1, ICE_TYPE_DATE, key);
    assert_column(&t, 7, 1, ICE_TYPE_STRING, key | ICE_COLUMN_NESTED);
    assert_column(&t, 9, 1, ICE_TYPE_STRING, ICE_COLUMN_LISTED | ICE_COLUMN_NESTED);
    assert_column(&t, 2000000, 1, ICE_TYPE_UUID, key);
    /* twice in one schema: not judged */
    assert_column(&t, 10, 0, ICE_TYPE_BAD,
                  key | ICE_COLUMN_AMBIGUOUS | ICE_COLUMN_NESTED | ICE_COLUMN_FLOAT);
    assert_column(&t, INT32_MAX - 101, 1, ICE_TYPE_STRING, ICE_COLUMN_RESERVED);
    assert_column(&t, INT32_MAX - 102, 1, ICE_TYPE_LONG, ICE_COLUMN_RESERVED);
    static const int32_t absent[] = {0,       11,      -1,        12,
                                     1999999, 4000000, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < ICE_COUNT_OF(absent); i++)
        assert_null(column(&t, absent[i]));
    close_table(&t);
}

static void header_schema(void **state) {
    (void)state;
    struct table t;
    open_table(&t);
    uint64_t before = t.columns.generation;
    assert_int_equal(ice_columns_begin(&t.columns, ice_str_from(header), &t.header),
                     ICE_OK);
    assert_int_equal(t.columns.generation, before + 1);
    const uint32_t key =
        ICE_COLUMN_HEADER | ICE_COLUMN_CAN_EQUAL | ICE_COLUMN_HEADER_REQUIRED;
    assert_column(&t, 1, 1, ICE_TYPE_LONG, key | ICE_COLUMN_LISTED | ICE_COLUMN_CURRENT);
    assert_column(&t, 2, 3, ICE_TYPE_DATE,
                  key | ICE_COLUMN_LISTED | ICE_COLUMN_REQUIRED | ICE_COLUMN_CURRENT);
    assert_column(&t, 11, 1, ICE_TYPE_DECIMAL, key);
    assert_column(&t, 4000000, 1, ICE_TYPE_DOUBLE, ICE_COLUMN_HEADER | ICE_COLUMN_FLOAT);
    assert_null(column(&t, 12));
    /* the same text: nothing is looked up anew */
    assert_int_equal(ice_columns_begin(&t.columns, ice_str_from(header), &t.header),
                     ICE_OK);
    assert_int_equal(t.columns.generation, before + 1);
    assert_int_equal(ice_columns_begin(&t.columns, ICE_STR_NONE, NULL), ICE_OK);
    assert_int_equal(t.columns.generation, before + 2);
    assert_column(&t, 2, 2, ICE_TYPE_STRING,
                  ICE_COLUMN_LISTED | ICE_COLUMN_CAN_EQUAL | ICE_COLUMN_REQUIRED |
                      ICE_COLUMN_CURRENT);
    assert_null(column(&t, 11));
    close_table(&t);
}

static void lone_manifest(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_columns columns = {0};
    ice_run_init(&run, NULL);
    assert_int_equal(ice_columns_open(&columns, &run.alloc, 7, NULL), ICE_OK);
    assert_false(columns.knows_all);
    assert_int_equal(ice_columns_begin(&columns, ICE_STR_NONE, NULL), ICE_OK);
    assert_int_equal(ice_columns_find(&columns, 1), ICE_NO_COLUMN);
    assert_int_not_equal(ice_columns_find(&columns, INT32_MAX - 101), ICE_NO_COLUMN);
    ice_columns_release(&columns);
    assert_int_equal(run.alloc.used, 0);
}

/* ---- decimals ---- */

/* Digits of a decimal number to its shortest bytes. */
static struct ice_str decimal(const char *digits, unsigned char storage[20]) {
    bool is_negative = *digits == '-';
    memset(storage, 0, 20);
    for (digits += is_negative; *digits != '\0'; digits++) {
        unsigned carry = (unsigned)(*digits - '0');
        for (size_t i = 20; i > 0; i--) {
            carry += storage[i - 1] * 10u;
            storage[i - 1] = (unsigned char)(carry & 0xff);
            carry >>= 8;
        }
    }
    unsigned carry = 1;
    for (size_t i = 20; is_negative && i > 0; i--) {
        carry += storage[i - 1] ^ 0xffu;
        storage[i - 1] = (unsigned char)(carry & 0xff);
        carry >>= 8;
    }
    struct ice_str out = ice_str_make(storage, 20);
    while (out.size > 1 && !ice_decimal_is_minimal(out))
        out = ice_str_from_index(out, 1);
    return out;
}

static void decimal_digits(void **state) {
    (void)state;
    static const struct {
        const char *digits;
        int64_t precision;
        bool fits;
    } cases[] = {
        {"0", 1, true},
        {"9", 1, true},
        {"10", 1, false},
        {"-9", 1, true},
        {"-10", 1, false},
        {"999999999", 9, true},
        {"1000000000", 9, false},
        {"-999999999", 9, true},
        {"-1000000000", 9, false},
        {"999999999999999999", 18, true},
        {"1000000000000000000", 18, false},
        {"9999999999999999999", 19, true},
        {"10000000000000000000", 19, false},
        {"18446744073709551616", 20, true},
        {"-18446744073709551616", 19, false},
        {"99999999999999999999999999999999999999", 38, true},
        {"100000000000000000000000000000000000000", 38, false},
        {"-99999999999999999999999999999999999999", 38, true},
        {"-100000000000000000000000000000000000000", 38, false},
        {"-170141183460469231731687303715884105728", 38, false},
        {"170141183460469231731687303715884105727", 39, true},
        {"170141183460469231731687303715884105727", 0, true},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        unsigned char storage[20];
        struct ice_str value = decimal(cases[i].digits, storage);
        assert_in_range(value.size, 1, 16);
        assert_int_equal(ice_decimal_fits(value, cases[i].precision), cases[i].fits);
    }
}

static void decimal_minimal(void **state) {
    (void)state;
    assert_true(ice_decimal_is_minimal(ICE_STR("")));
    assert_true(ice_decimal_is_minimal(ICE_STR("\0")));
    assert_true(ice_decimal_is_minimal(ICE_STR("\xff")));
    assert_true(ice_decimal_is_minimal(ICE_STR("\0\x80")));
    assert_true(ice_decimal_is_minimal(ICE_STR("\xff\x7f")));
    assert_true(ice_decimal_is_minimal(ICE_STR("\x01\0")));
    assert_false(ice_decimal_is_minimal(ICE_STR("\0\x7f")));
    assert_false(ice_decimal_is_minimal(ICE_STR("\xff\x80")));
    assert_false(ice_decimal_is_minimal(ICE_STR("\0\0")));
}

/* ---- quick answers ---- */

static void column_of(const char *text, struct ice_column_type *type,
                      struct ice_table_column *out) {
    *type = (struct ice_column_type){.type = ice_type_parse(ice_str_from(text))};
    *out = (struct ice_table_column){.n_types = 1, .types = type, .shown = &type->type};
    ice_column_choose(out);
}

static bool pair(const char *type_text, struct ice_str lower, struct ice_str upper) {
    struct ice_column_type type;
    struct ice_table_column c;
    column_of(type_text, &type, &c);
    return c.pair_fits(&c, lower, upper);
}

#define B(literal) ICE_STR(literal)

static void usual_pairs(void **state) {
    (void)state;
    assert_true(pair("int", B("\xff\xff\xff\xff"), B("\1\0\0\0")));
    assert_false(pair("int", B("\1\0\0\0"), B("\xff\xff\xff\xff")));
    assert_true(
        pair("long", B("\0\0\0\0\0\0\0\x80"), B("\xff\xff\xff\xff\xff\xff\xff\x7f")));
    /* promoted, or a date under a timestamp: for the slow answer */
    assert_false(pair("long", B("\1\0\0\0"), B("\1\0\0\0\0\0\0\0")));
    assert_false(pair("timestamp", B("\1\0\0\0"), B("\1\0\0\0\0\0\0\0")));
    assert_true(pair("double", B("\0\0\0\0\0\0\0\0"), B("\0\0\0\0\0\0\0\x80")));
    assert_true(pair("float", B("\0\0\0\x80"), B("\0\0\0\0")));
    assert_false(pair("float", B("\0\0\xc0\x7f"), B("\0\0\xc0\x7f")));
    assert_true(pair("string", B(""), B("")));
    assert_true(pair("string", B("a"), B("a")));
    assert_false(pair("string", B("b"), B("a")));
    assert_false(pair("string", B("ab"), B("a")));
    assert_true(pair("string", B("a"), B("ab")));
    assert_true(pair("string", B("z"), B("\xc3\xa9")));
    assert_false(pair("string", B("a"), B("aaaaaaaaa\xff")));
    assert_false(pair("string", B("a"), B("aaaaaaaaaaaaaaaaaaaaaaaaa\xff")));
    assert_false(pair("string", B("a"), B("b\xff\x01")));
    assert_true(pair("decimal(9,2)", B("\xff"), B("\0\x80")));
    assert_false(pair("decimal(9,2)", B("\0\x80"), B("\x7f")));
    assert_false(pair("decimal(9,2)", B(""), B("\1")));
    assert_false(pair("decimal(2,0)", B("\1"), B("\x64")));
    assert_true(pair("decimal(2,0)", B("\x9d"), B("\x63")));
    assert_true(pair("fixed[3]", B("ab"), B("abc")));
    assert_false(pair("fixed[3]", B("ab"), B("abcd")));
    assert_true(pair("uuid", B("0123456789abcdef"), B("0123456789abcdef")));
    assert_false(pair("geometry", B("1"), B("2")));
    assert_false(pair("unknown", B("1"), B("2")));
    assert_true(pair("variant", B("2"), B("1")));
}

static uint64_t next_random(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static struct ice_str random_bytes(uint64_t *seed, char *storage) {
    static const unsigned char usual[] = {0, 1, 0x7f, 0x80, 0xff, 'a'};
    static const size_t sizes[] = {4, 8, 1, 2, 16, 9};
    size_t size = next_random(seed) % 4 ? sizes[next_random(seed) % ICE_COUNT_OF(sizes)]
                                        : next_random(seed) % 20;
    for (size_t i = 0; i < size; i++)
        storage[i] = (char)usual[next_random(seed) % ICE_COUNT_OF(usual)];
    return ice_str_make(storage, size);
}

static bool is_wrong(const struct ice_type *type, struct ice_str value) {
    bool is_decimal = type->kind == ICE_TYPE_DECIMAL;
    return !ice_value_length_ok(type, value.size) || ice_value_is_nan(type, value) ||
           (is_decimal && (!ice_decimal_is_minimal(value) ||
                           !ice_decimal_fits(value, type->precision)));
}

/* What passes quickly is right by the slow answers; of usual lengths, what is right
 * passes. */
static void quick_is_slow(void **state) {
    (void)state;
    static const char *const types[] = {
        "boolean",       "int",          "long",      "float",        "double",
        "date",          "time",         "timestamp", "timestamptz",  "timestamp_ns",
        "uuid",          "binary",       "fixed[9]",  "decimal(9,2)", "decimal(18,0)",
        "decimal(19,0)", "decimal(38,3)"};
    uint64_t seed = 20260101;
    for (size_t i = 0; i < ICE_COUNT_OF(types); i++) {
        struct ice_column_type type;
        struct ice_table_column c;
        size_t passed = 0;
        column_of(types[i], &type, &c);
        for (int round = 0; round < 20000; round++) {
            char storage[2][32];
            struct ice_str a = random_bytes(&seed, storage[0]);
            struct ice_str b = random_bytes(&seed, storage[1]);
            bool fits = c.pair_fits(&c, a, b);
            bool bad = is_wrong(&type.type, a) || is_wrong(&type.type, b) ||
                       ice_value_compare(&type.type, a, b) == ICE_IS_GREATER;
            bool is_old =
                a.size != b.size || (a.size == 4 && type.type.kind != ICE_TYPE_INT);
            assert_false(fits && bad);
            assert_true(fits || bad || is_old);
            if (c.one_fits(&c, a))
                assert_false(is_wrong(&type.type, a));
            passed += fits;
        }
        assert_in_range(passed, 1, 20000);
    }
}

/* ---- geometry ---- */

static const char *geo_fault(const char *type_text, double x, double y) {
    struct ice_type type = ice_type_parse(ice_str_from(type_text));
    char storage[16];
    uint64_t bits[2];
    memcpy(&bits[0], &x, sizeof(x));
    memcpy(&bits[1], &y, sizeof(y));
    for (size_t i = 0; i < sizeof(storage); i++)
        storage[i] = (char)(unsigned char)(bits[i / 8] >> 8 * (i % 8) & 0xff);
    return ice_geo_fault(&type, ice_str_make(storage, sizeof(storage)));
}

static void points(void **state) {
    (void)state;
    assert_null(geo_fault("geometry", 1e9, -1e9));
    assert_null(geo_fault("geography", 180, -90));
    assert_null(geo_fault("geography", -180, 90));
    assert_non_null(geo_fault("geography", 180.1, 0));
    assert_non_null(geo_fault("geography", -180.1, 0));
    assert_non_null(geo_fault("geography", 0, 90.1));
    assert_non_null(geo_fault("geography", 0, -90.1));
    assert_non_null(geo_fault("geometry", (double)NAN, 0));
    assert_non_null(geo_fault("geometry", 0, (double)NAN));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listed_schemas),  cmocka_unit_test(header_schema),
        cmocka_unit_test(lone_manifest),   cmocka_unit_test(decimal_digits),
        cmocka_unit_test(decimal_minimal), cmocka_unit_test(usual_pairs),
        cmocka_unit_test(quick_is_slow),   cmocka_unit_test(points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
