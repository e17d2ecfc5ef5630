/*
 * Maps of rows, whose keys are mostly those of the row before: whatever the rows before
 * were, and however near the end of the block a map lies, it is read as it was written.
 */
#include "avro_helper.h"

#include "avro/plan.h"

enum { N_ROWS = 30, MOST_PAIRS = 90 };

struct pair {
    int32_t key;
    int64_t value;
    char text[80];
    size_t size;
};

struct row {
    uint64_t null;
    struct ice_map_i64 counts;
    struct ice_map_bytes bounds;
};

static const struct ice_want wants[] = {
    {.id = 1,
     .name = "counts",
     .kind = ICE_WANT_MAP_I64,
     .bit = 0,
     .offset = (uint16_t)offsetof(struct row, counts)},
    {.id = 2,
     .name = "bounds",
     .kind = ICE_WANT_MAP_BYTES,
     .bit = 1,
     .offset = (uint16_t)offsetof(struct row, bounds)},
};

#define PAIRS(name, value)                                                               \
    "{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"" name                \
    "\",\"fields\":[{\"name\":\"key\",\"type\":\"int\",\"field-id\":11},"                \
    "{\"name\":\"value\",\"type\":\"" value "\",\"field-id\":12}]}}"
static const char schema_text[] =
    "{\"type\":\"record\",\"name\":\"r\",\"fields\":["
    "{\"name\":\"counts\",\"field-id\":1,\"type\":" PAIRS(
        "a", "long") "},"
                     "{\"name\":\"bounds\",\"field-id\":2,\"type\":" PAIRS("b",
                                                                           "bytes") "}]}";

static struct enc e, body;
static struct ice_run run;
static struct ice_stream stream;
static struct ice_avro_file file;
static struct ice_plan plan;
static struct ice_avro_rows rows;

static void opeN_ROWS(int64_t count) {
    const struct ice_avro_schema *schema;
    struct ice_str text;
    ice_run_init(&run, NULL);
    put_header(&e, schema_text, NULL);
    put_block(&e, count, body.data, body.n);
    ice_stream_init_memory(&stream, &run, enc_str(&e));
    assert_int_equal(ice_avro_open(&file, &run, &stream, NULL), ICE_OK);
    assert_true(ice_avro_header(&file, "avro.schema", &text));
    assert_int_equal(
        ice_avro_schema_parse(text, &run, &file.arena, &test_names, &schema, NULL, NULL),
        ICE_OK);
    assert_int_equal(ice_plan_compile(schema, wants, ICE_COUNT_OF(wants),
                                      offsetof(struct row, null), false, &file.arena,
                                      &plan, NULL),
                     ICE_OK);
    ice_avro_rows_init(&rows, &file, &plan);
}

static void close_rows(void) {
    ice_avro_rows_release(&rows);
    ice_avro_release(&file);
    ice_stream_release(&stream);
    assert_int_equal(run.alloc.used, 0);
}

/* ---- random rows ---- */

static uint64_t seed = 7;
static uint64_t any(uint64_t n) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % n;
}

static int64_t any_value(void) {
    static const int64_t values[] = {
        0,         1,        -1, 63, 64, 8191, 8192, 1 << 20, 1 << 27, INT64_C(1) << 34,
        INT64_MAX, INT64_MIN};
    return values[any(ICE_COUNT_OF(values))];
}

static int32_t any_key(void) {
    static const int32_t keys[] = {0,       63,        64,        8191,      8192,
                                   -1,      -64,       -65,       -8192,     -8193,
                                   1 << 20, INT32_MAX, INT32_MIN, 2147483545};
    return any(3) ? (int32_t)any(200) : keys[any(ICE_COUNT_OF(keys))];
}

/* The next row's pairs: mostly the keys of the last. */
static size_t change(struct pair *pairs, size_t n) {
    if (n == 0 || any(6) == 0) {
        n = any(8) == 0 ? any(MOST_PAIRS) : any(24);
        for (size_t i = 0; i < n; i++)
            pairs[i].key = any(2) ? (int32_t)(i * 5) : any_key();
    } else if (any(6) == 0) {
        pairs[any(n)].key = any_key();
    } else if (any(6) == 0) {
        n = any(n + 1);
    } else if (any(6) == 0 && n < MOST_PAIRS) {
        pairs[n++].key = any_key();
    }
    const bool is_one_value = any(2);
    const int64_t value = any_value();
    for (size_t i = 0; i < n; i++) {
        pairs[i].value = is_one_value && any(9) ? value : any_value();
        pairs[i].size = any(4) ? any(17) : any(sizeof(pairs[i].text));
        for (size_t k = 0; k < pairs[i].size; k++)
            pairs[i].text[k] = (char)any(256);
    }
    return n;
}

/* In one block of items or several, with and without their size in bytes. */
static void put_pairs(const struct pair *pairs, size_t n, bool is_sized_value) {
    static struct enc items;
    for (size_t i = 0; i < n;) {
        const size_t some = any(3) ? n - i : 1 + any(n - i);
        items.n = 0;
        for (size_t k = i; k < i + some; k++) {
            put_long(&items, pairs[k].key);
            put_long(&items, is_sized_value ? (int64_t)pairs[k].size : pairs[k].value);
            put(&items, pairs[k].text, is_sized_value ? pairs[k].size : 0);
        }
        const bool has_size = any(4) == 0;
        put_long(&body, has_size ? -(int64_t)some : (int64_t)some);
        if (has_size)
            put_long(&body, (int64_t)items.n);
        put(&body, items.data, items.n);
        i += some;
    }
    put_byte(&body, 0);
}

static void check_keys(const struct pair *pairs, size_t n, const int32_t *keys,
                       size_t n_keys) {
    assert_int_equal(n_keys, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(keys[i], pairs[i].key);
}

static void test_random_rows(void **state) {
    static struct pair written[2][N_ROWS][MOST_PAIRS + 1];
    size_t n[2][N_ROWS] = {0};
    (void)state;
    for (int round = 0; round < 300; round++) {
        body.n = 0;
        for (size_t i = 0; i < N_ROWS; i++)
            for (size_t map = 0; map < 2; map++) {
                if (i > 0) {
                    memcpy(written[map][i], written[map][i - 1], sizeof(written[0][0]));
                    n[map][i] = n[map][i - 1];
                }
                n[map][i] = change(written[map][i], n[map][i]);
                put_pairs(written[map][i], n[map][i], map == 1);
            }
        opeN_ROWS((int64_t)N_ROWS);
        for (size_t i = 0; i < N_ROWS; i++) {
            struct row row;
            struct ice_error err = {0};
            if (ice_avro_rows_next(&rows, &row, &err) != ICE_OK)
                fail_msg("%s", err.message);
            check_keys(written[0][i], n[0][i], row.counts.keys, row.counts.n);
            check_keys(written[1][i], n[1][i], row.bounds.keys, row.bounds.n);
            for (size_t k = 0; k < row.counts.n; k++)
                assert_int_equal(row.counts.values[k], written[0][i][k].value);
            for (size_t k = 0; k < row.bounds.n; k++) {
                assert_int_equal(row.bounds.values[k].size, written[1][i][k].size);
                assert_memory_equal(row.bounds.values[k].data, written[1][i][k].text,
                                    written[1][i][k].size);
            }
        }
        assert_int_equal(ice_avro_rows_next(&rows, &(struct row){0}, NULL), ICE_DONE);
        assert_false(file.varint_not_shortest);
        close_rows();
    }
}

/* ---- keys_id ---- */

static void put_row(const char *counts, size_t size) {
    put(&body, counts, size);
    put_byte(&body, 0); /* no bounds */
}
#define PUT_ROW(literal) put_row(literal, sizeof(literal) - 1)

static void test_keys_id(void **state) {
    struct row row;
    uint64_t id[5];
    (void)state;
    body.n = 0;
    PUT_ROW("\4\2\0\4\0\0");         /* 1, 2 */
    PUT_ROW("\4\2\2\4\6\0");         /* 1, 2 */
    PUT_ROW("\4\2\2\6\6\0");         /* 1, 3 */
    PUT_ROW("\4\2\2\200\1\6\0");     /* 1, 64 */
    PUT_ROW("\6\2\2\200\1\6\6\6\0"); /* 1, 64, 3 */
    for (int i = 0; i < 40; i++)
        put_byte(&body, 0); /* rows without any: far from the end of the block */
    opeN_ROWS(25);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(ice_avro_rows_next(&rows, &row, NULL), ICE_OK);
        id[i] = row.counts.keys_id;
    }
    assert_int_not_equal(id[0], 0);
    assert_int_equal(id[0], id[1]);
    assert_int_not_equal(id[1], id[2]);
    assert_int_not_equal(id[2], id[3]);
    assert_int_not_equal(id[3], id[4]);
    assert_int_equal(row.counts.keys[1], 64);
    close_rows();
}

/* ---- numbers that are longer than needed ---- */

static bool notes(const char *second, size_t size) {
    struct row row;
    body.n = 0;
    PUT_ROW("\2\2\6\0");
    put_row(second, size);
    for (int i = 0; i < 40; i++)
        put_byte(&body, 0);
    opeN_ROWS(22);
    for (int i = 0; i < 22; i++)
        assert_int_equal(ice_avro_rows_next(&rows, &row, NULL), ICE_OK);
    const bool noted = file.varint_not_shortest;
    close_rows();
    return noted;
}
#define NOTES(literal) notes(literal, sizeof(literal) - 1)

static void test_not_shortest(void **state) {
    (void)state;
    assert_false(NOTES("\2\2\0\0"));
    assert_false(NOTES("\2\2\200\1\0"));
    assert_true(NOTES("\2\2\200\0\0"));
    assert_true(NOTES("\2\2\206\0\0"));
    assert_true(NOTES("\2\2\206\200\0\0"));
    assert_true(NOTES("\2\2\206\200\200\0\0"));
    assert_true(NOTES("\2\2\206\200\200\200\0\0"));
    assert_false(NOTES("\2\2\206\200\200\200\1\0"));
    assert_true(NOTES("\2\2\206\200\200\200\200\0\0"));
    assert_true(NOTES("\2\202\0\6\0")); /* the key */
}

/* ---- a value whose length is odd, behind the key that is expected ---- */

static enum ice_status second_bounds(const char *length, size_t size,
                                     struct ice_error *err) {
    struct row row;
    body.n = 0;
    put(&body, "\0\2\2\2a\0", 6); /* no counts; {1: "a"} */
    put(&body, "\0\2\2", 3);      /* the same key */
    put(&body, length, size);
    put(&body, "b", 1);
    for (int i = 0; i < 41; i++)
        put_byte(&body, 0);
    opeN_ROWS(22);
    *err = (struct ice_error){0};
    assert_int_equal(ice_avro_rows_next(&rows, &row, err), ICE_OK);
    const enum ice_status status = ice_avro_rows_next(&rows, &row, err);
    if (status == ICE_OK) {
        assert_int_equal(row.bounds.n, 1);
        assert_int_equal(row.bounds.keys[0], 1);
        assert_true(ice_str_is(row.bounds.values[0], "b"));
    }
    return status;
}

static void test_odd_lengths(void **state) {
    (void)state;
    static const struct {
        const char *length;
        size_t size;
        const char *rule;
        bool not_shortest;
    } cases[] = {
        {"\2", 1, NULL, false},
        {"\202\0", 2, NULL, true},
        {"\202\200\200\200\200\200\0", 7, NULL,
         true},                              /* longer than the fast way takes */
        {"\1", 1, "avro.length", false},     /* -1 */
        {"\200\2", 2, "avro.length", false}, /* 128, and less is left */
        {"\377\377\377\377\377\377\377\377\377\377\1", 11, "avro.varint.overlong", false},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_error err;
        const enum ice_status status =
            second_bounds(cases[i].length, cases[i].size, &err);
        assert_int_equal(status, cases[i].rule ? ICE_EFORMAT : ICE_OK);
        if (cases[i].rule != NULL) {
            assert_string_equal(err.rule, cases[i].rule);
            assert_string_equal(err.pointer, "/records/1/bounds");
        }
        assert_int_equal(file.varint_not_shortest, cases[i].not_shortest);
        close_rows();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_rows),
        cmocka_unit_test(test_keys_id),
        cmocka_unit_test(test_not_shortest),
        cmocka_unit_test(test_odd_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
