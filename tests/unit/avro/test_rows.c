/*
 * Plans and rows: fields in any order, renamed, unknown; lists, maps, tuples; faults with
 * their places; memory that fails.
 */
#include "avro_helper.h"

#include "avro/plan.h"
#include "avro/row_values.h"

static struct enc e, body;
static size_t block_bytes; /* of each block in e */

struct item {
    uint64_t null;
    bool flag;
    int32_t number;
    struct ice_str text, raw;
};

struct row {
    int64_t before; /* never touched */
    uint64_t null;
    bool flag;
    int32_t number;
    int64_t wide;
    struct ice_str text, raw;
    struct ice_list_i64 list;
    struct ice_list items;
    struct ice_map_i64 counts;
    struct ice_map_bytes bounds;
    struct ice_tuple tuple;
    int64_t inner;
};

enum bit {
    FLAG,
    NUMBER,
    WIDE,
    TEXT,
    RAW,
    LIST,
    ITEMS,
    COUNTS,
    BOUNDS,
    TUPLE,
    INNER,
    NESTED
};

#define AT(member) (uint16_t) offsetof(struct row, member)
#define AT_ITEM(member) (uint16_t) offsetof(struct item, member)

static const struct ice_want item_wants[] = {
    {.id = 21, .name = "flag", .kind = ICE_WANT_BOOL, .bit = 0, .offset = AT_ITEM(flag)},
    {.id = 22,
     .name = "number",
     .kind = ICE_WANT_I32,
     .bit = 1,
     .offset = AT_ITEM(number)},
    {.id = 23, .name = "text", .kind = ICE_WANT_STR, .bit = 2, .offset = AT_ITEM(text)},
    {.id = 24, .name = "raw", .kind = ICE_WANT_BYTES, .bit = 3, .offset = AT_ITEM(raw)},
};

static const struct ice_want nested_wants[] = {
    {.id = 31, .name = "inner", .kind = ICE_WANT_I64, .bit = INNER, .offset = AT(inner)},
    {.id = 5, .name = "raw", .kind = ICE_WANT_BYTES, .bit = RAW, .offset = AT(raw)},
};

static const struct ice_want wants[] = {
    {.id = 1, .name = "flag", .kind = ICE_WANT_BOOL, .bit = FLAG, .offset = AT(flag)},
    {.id = 2,
     .name = "number|num",
     .kind = ICE_WANT_I32,
     .bit = NUMBER,
     .offset = AT(number)},
    {.id = 3, .name = "wide", .kind = ICE_WANT_I64, .bit = WIDE, .offset = AT(wide)},
    {.id = 4, .name = "text", .kind = ICE_WANT_STR, .bit = TEXT, .offset = AT(text)},
    {.id = 6, .name = "list", .kind = ICE_WANT_LIST_I64, .bit = LIST, .offset = AT(list)},
    {.id = 7,
     .name = "items",
     .kind = ICE_WANT_LIST,
     .bit = ITEMS,
     .offset = AT(items),
     .children = item_wants,
     .n_children = ICE_COUNT_OF(item_wants),
     .item_size = sizeof(struct item),
     .item_null_offset = AT_ITEM(null)},
    {.id = 8,
     .name = "counts",
     .kind = ICE_WANT_MAP_I64,
     .bit = COUNTS,
     .offset = AT(counts)},
    {.id = 9,
     .name = "bounds",
     .kind = ICE_WANT_MAP_BYTES,
     .bit = BOUNDS,
     .offset = AT(bounds)},
    {.id = 10,
     .name = "tuple",
     .kind = ICE_WANT_TUPLE,
     .bit = TUPLE,
     .offset = AT(tuple)},
    {.id = 30,
     .name = "nested",
     .kind = ICE_WANT_RECORD,
     .bit = NESTED,
     .children = nested_wants,
     .n_children = ICE_COUNT_OF(nested_wants)},
};

#define FIELD(name, id, type)                                                            \
    "{\"name\":\"" name "\",\"field-id\":" #id ",\"type\":" type "}"
#define OPT(type) "[\"null\"," type "]"
#define RECORD(name, fields)                                                             \
    "{\"type\":\"record\",\"name\":\"" name "\",\"fields\":[" fields "]}"
#define ARRAY(items) "{\"type\":\"array\",\"items\":" items "}"
#define INT_MAP(n, value)                                                                \
    ARRAY(RECORD("kv" n, FIELD("key", 1, "\"int\"") "," FIELD("value", 2, value)))

static struct ice_run run;
static struct ice_stream stream;
static struct ice_avro_file file;
static const struct ice_avro_schema *schema;
static struct ice_plan plan;
static struct ice_avro_rows rows;
static struct row row;
static struct ice_error err;

/* A file of blocks alike, of `count` records each, which are the bytes of body. */
static void begin_blocks(const char *schema_text, int n_blocks, int64_t count,
                         bool by_name) {
    ice_run_init(&run, NULL);
    put_header(&e, schema_text, NULL);
    const size_t header_bytes = e.n;
    for (int i = 0; i < n_blocks; i++)
        put_block(&e, count, body.data, body.n);
    block_bytes = (e.n - header_bytes) / (size_t)n_blocks;
    ice_stream_init_memory(&stream, &run, enc_str(&e));
    assert_int_equal(ice_avro_open(&file, &run, &stream, NULL), ICE_OK);
    struct ice_str text;
    assert_true(ice_avro_header(&file, "avro.schema", &text));
    err = (struct ice_error){0};
    assert_int_equal(
        ice_avro_schema_parse(text, &run, &file.arena, &test_names, &schema, NULL, &err),
        ICE_OK);
    assert_int_equal(ice_plan_compile(schema, wants, ICE_COUNT_OF(wants), AT(null),
                                      by_name, &file.arena, &plan, &err),
                     ICE_OK);
    ice_avro_rows_init(&rows, &file, &plan);
    memset(&row, 0x5a, sizeof(row)); /* whatever was there must go */
}

static void begin_rows(const char *schema_text, int64_t count, bool by_name) {
    begin_blocks(schema_text, 1, count, by_name);
}

static void end_rows(void) {
    ice_avro_rows_release(&rows);
    ice_avro_release(&file);
    ice_stream_release(&stream);
    assert_int_equal(run.alloc.used, 0);
}

static void next_ok(void) {
    err = (struct ice_error){0};
    assert_int_equal(ice_avro_rows_next(&rows, &row, &err), ICE_OK);
    assert_int_equal(row.before, 0x5a5a5a5a5a5a5a5a);
}

static void next_done(void) {
    assert_int_equal(ice_avro_rows_next(&rows, &row, NULL), ICE_DONE);
    assert_int_equal(ice_avro_rows_next(&rows, &row, NULL), ICE_DONE);
}

static void next_fault(const char *rule, const char *pointer) {
    err = (struct ice_error){0};
    const enum ice_status status = ice_avro_rows_next(&rows, &row, &err);
    assert_true(status == ICE_EFORMAT || status == ICE_ELIMIT);
    assert_int_equal(err.status, status);
    assert_non_null(err.rule);
    assert_string_equal(err.rule, rule);
    assert_string_equal(err.pointer, pointer);
    assert_int_equal(err.offset, file.header_bytes + rows.block.index * block_bytes);
}

static uint64_t bits(enum bit a, enum bit b) {
    return UINT64_C(1) << a | UINT64_C(1) << b;
}

static const char all_schema[] = RECORD(
    "r",
    FIELD("z_unknown", 99, ARRAY("{\"type\":\"map\",\"values\":[\"null\",\"string\"]}")) "," FIELD(
        "tuple", 10,
        RECORD(
            "t",
            FIELD("a", 1000, OPT("\"int\"")) "," FIELD("b", 1001, "\"null\"") "," FIELD("c", 1002, "[\"string\",\"null\"]") "," FIELD(
                "d", 1003,
                "\"double\""))) "," FIELD("bounds", 9,
                                          OPT(INT_MAP(
                                              "1", "\"bytes\""))) "," FIELD("counts", 8,
                                                                            OPT(
                                                                                INT_MAP(
                                                                                    "2", "\"long\""))) "," FIELD("renamed", 4, "\"string\"") "," FIELD("nested",
                                                                                                                                                       30,
                                                                                                                                                       RECORD(
                                                                                                                                                           "n",
                                                                                                                                                           FIELD("inner", 31, "\"int\"") "," FIELD("x", 77, "\"float\"") "," FIELD("raw", 5, "{\"type\":\"fixed\",\"name\":\"f\",\"size\":3}"))) "," FIELD("items",
                                                                                                                                                                                                                                                                                                           7,
                                                                                                                                                                                                                                                                                                           ARRAY(RECORD(
                                                                                                                                                                                                                                                                                                               "i", FIELD("raw",
                                                                                                                                                                                                                                                                                                                          24,
                                                                                                                                                                                                                                                                                                                          OPT("\"bytes\"")) "," FIELD("flag", 21, "\"boolean\"") "," FIELD("text", 23, "\"string\"")))) "," FIELD("list", 6, "[" ARRAY("\"int\"") ",\"null\"]") "," FIELD("wide", 3, OPT("\"long\"")) "," FIELD("number",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                2,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                "\"int\"") "," FIELD("flag", 1, "\"boolean\""));

static void put_all(bool with_values) {
    put_byte(&body, 2); /* z_unknown: one map of two */
    put_byte(&body, 4);
    put_text(&body, "k");
    put_byte(&body, 0);
    put_text(&body, "l");
    put_byte(&body, 2);
    put_text(&body, "value");
    put_byte(&body, 0);
    put_byte(&body, 0);
    put_byte(&body, with_values ? 2 : 0); /* tuple */
    if (with_values)
        put_long(&body, -7);
    put_byte(&body, with_values ? 0 : 2);
    if (with_values)
        put_text(&body, "part");
    put(&body, "\0\0\0\0\0\0\x04\xc0", 8);
    put_byte(&body, with_values ? 2 : 0); /* bounds */
    if (with_values) {
        put_long(&body, 2);
        put_long(&body, 1);
        put_text(&body, "low");
        put_long(&body, 200);
        put_text(&body, "");
        put_long(&body, -1); /* another block, with its size */
        put_long(&body, 4);
        put_long(&body, 3);
        put_text(&body, "xy");
        put_byte(&body, 0);
    }
    put_byte(&body, with_values ? 2 : 0); /* counts */
    if (with_values) {
        put_long(&body, 3);
        for (int i = 0; i < 3; i++) {
            put_long(&body, i * 100);
            put_long(&body, i == 1 ? INT64_MIN : (int64_t)i * 1000000);
        }
        put_byte(&body, 0);
    }
    put_text(&body, "t\xc3\xa9xt");
    put_long(&body, INT32_MAX); /* nested */
    put(&body, "\0\0\xc0\x3f", 4);
    put(&body, "abc", 3);
    put_long(&body, 2); /* items */
    put_byte(&body, 0);
    put_byte(&body, 1);
    put_text(&body, "one");
    put_byte(&body, 2);
    put_text(&body, "raw");
    put_byte(&body, 0);
    put_text(&body, "two");
    put_byte(&body, 0);
    put_byte(&body, with_values ? 0 : 2); /* list */
    if (with_values) {
        put_long(&body, 2);
        put_long(&body, -5);
        put_long(&body, 1000);
        put_byte(&body, 0);
    }
    put_byte(&body, with_values ? 2 : 0); /* wide */
    if (with_values)
        put_long(&body, INT64_MIN);
    put_long(&body, INT32_MIN);
    put_byte(&body, with_values);
}

static void check_values(void) {
    assert_int_equal(row.null, 0);
    assert_true(row.flag);
    assert_int_equal(row.number, INT32_MIN);
    assert_int_equal(row.wide, INT64_MIN);
    assert_int_equal(row.inner, INT32_MAX);
    assert_int_equal(row.list.n, 2);
    assert_int_equal(row.list.items[0], -5);
    assert_int_equal(row.list.items[1], 1000);
    assert_int_equal(row.counts.n, 3);
    assert_int_equal(row.counts.keys[2], 200);
    assert_int_equal(row.counts.values[1], INT64_MIN);
    assert_int_equal(row.counts.values[2], 2000000);
    assert_int_equal(row.bounds.n, 3);
    assert_int_equal(row.bounds.keys[1], 200);
    assert_true(ice_str_is(row.bounds.values[0], "low"));
    assert_int_equal(row.bounds.values[1].size, 0);
    assert_true(ice_str_is(row.bounds.values[2], "xy"));
    assert_int_equal(row.tuple.n, 4);
    assert_int_equal(row.tuple.values[0].type, ICE_AVRO_INT);
    assert_int_equal(row.tuple.values[0].i64, -7);
    assert_int_equal(row.tuple.values[1].type, ICE_AVRO_NULL);
    assert_int_equal(row.tuple.values[2].type, ICE_AVRO_STRING);
    assert_true(ice_str_is(row.tuple.values[2].str, "part"));
    assert_true(row.tuple.values[3].f64 == -2.5);
}

static void check_nulls(void) {
    assert_int_equal(row.null, bits(BOUNDS, COUNTS) | bits(LIST, WIDE));
    assert_false(row.flag);
    assert_int_equal(row.wide, 0);
    assert_int_equal(row.list.n, 0);
    assert_null(row.list.items);
    assert_int_equal(row.counts.n, 0);
    assert_int_equal(row.bounds.n, 0);
    assert_int_equal(row.tuple.values[0].type, ICE_AVRO_NULL);
    assert_int_equal(row.tuple.values[2].type, ICE_AVRO_NULL);
}

static void check_both(void) {
    assert_true(ice_str_is(row.text, "t\xc3\xa9xt"));
    assert_true(ice_str_is(row.raw, "abc"));
    assert_int_equal(row.items.n, 2);
    const struct item *items = row.items.items;
    assert_int_equal(items[0].null, 1u << 3);
    assert_true(items[0].flag);
    assert_true(ice_str_is(items[0].text, "one"));
    assert_int_equal(items[1].null, 0);
    assert_false(items[1].flag);
    assert_true(ice_str_is(items[1].raw, "raw"));
    assert_int_equal(items[1].number, 0);
}

static void test_all_kinds(void **state) {
    (void)state;
    body.n = 0;
    put_all(true);
    put_all(false);
    put_all(true);
    begin_rows(all_schema, 3, false);
    assert_int_equal(plan.present, (UINT64_C(1) << (NESTED + 1)) - 1);
    assert_int_equal(plan.nullable, bits(BOUNDS, COUNTS) | bits(LIST, WIDE));
    assert_int_equal(plan.item_present, 1u << 0 | 1u << 2 | 1u << 3);
    assert_int_equal(plan.item_nullable, 1u << 3);
    assert_int_equal(plan.tuple->n_fields, 4);
    for (uint64_t i = 0; i < 3; i++) {
        next_ok();
        assert_int_equal(rows.record, i);
        if (i == 1)
            check_nulls();
        else
            check_values();
        check_both();
    }
    next_done();
    end_rows();
}

/* Cut behind every byte, and every bit flipped: faults or other values, no crash. */
static void test_all_damage(void **state) {
    (void)state;
    body.n = 0;
    put_all(true);
    const size_t size = body.n;
    for (size_t n = 0; n < size; n++) {
        body.n = n;
        begin_rows(all_schema, 1, false);
        err = (struct ice_error){0};
        assert_int_equal(ice_avro_rows_next(&rows, &row, &err), ICE_EFORMAT);
        next_done();
        end_rows();
    }
    body.n = size;
    for (size_t i = 0; i < size * 8; i++) {
        body.data[i / 8] = (char)(body.data[i / 8] ^ (1 << i % 8));
        begin_rows(all_schema, 1, false);
        while (ice_avro_rows_next(&rows, &row, NULL) != ICE_DONE)
            ;
        end_rows();
        body.data[i / 8] = (char)(body.data[i / 8] ^ (1 << i % 8));
    }
}

/* Nothing is allocated once the arrays have their size. */
static void test_no_allocation(void **state) {
    (void)state;
    body.n = 0;
    for (int i = 0; i < 100; i++)
        put_all(true);
    begin_rows(all_schema, 100, false);
    next_ok();
    const uint64_t used = run.alloc.used, peak = run.alloc.peak;
    for (int i = 1; i < 100; i++)
        next_ok();
    assert_int_equal(run.alloc.used, used);
    assert_int_equal(run.alloc.peak, peak);
    next_done();
    end_rows();
}

static void test_large_arrays(void **state) {
    (void)state;
    body.n = 0;
    put_long(&body, 5000);
    for (int i = 0; i < 5000; i++) {
        put_long(&body, i);
        put_long(&body, (int64_t)i * i);
    }
    put_byte(&body, 0);
    put_long(&body, 3000);
    for (int i = 0; i < 3000; i++)
        put_long(&body, -i);
    put_byte(&body, 0);
    begin_rows(RECORD("r", FIELD("counts", 8, INT_MAP("1", "\"long\"")) "," FIELD(
                               "list", 6, ARRAY("\"long\""))),
               1, false);
    next_ok();
    assert_int_equal(row.counts.n, 5000);
    assert_int_equal(row.list.n, 3000);
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(row.counts.keys[i], i);
        assert_int_equal(row.counts.values[i], (int64_t)i * i);
    }
    for (int i = 0; i < 3000; i++)
        assert_int_equal(row.list.items[i], -i);
    next_done();
    end_rows();
}

/* clang-format off */
static const char misfit_schema[] =
    RECORD("r", FIELD("number", 2, "\"long\"") ","
                FIELD("wide", 3, "\"string\"") ","
                FIELD("counts", 8, "{\"type\":\"map\",\"values\":\"long\"}") ","
                FIELD("text", 4, "[\"null\",\"int\",\"string\"]") ","
                FIELD("wide2", 3, "\"long\"") ","
                FIELD("tuple", 10, RECORD("t", FIELD("a", 1, ARRAY("\"int\"")))) ","
                FIELD("bounds", 9, INT_MAP("1", "\"string\"")) ","
                FIELD("items", 7, ARRAY("\"int\"")) ","
                FIELD("list", 6, ARRAY("[\"null\",\"int\"]")) ","
                FIELD("flag", 1, "[\"boolean\"]") ","
                FIELD("nested", 30, "\"null\""));
static const char wrong_maps_schema[] =
    RECORD("r", FIELD("counts", 8, ARRAY(RECORD("a", FIELD("key", 1, "\"long\"") ","
                                                     FIELD("value", 2, "\"long\"")))) ","
                FIELD("bounds", 9, ARRAY(RECORD("b", FIELD("key", 1, "\"int\"")))) ","
                FIELD("tuple", 10, RECORD("t", FIELD("a", 1, "[\"null\"," ARRAY("\"int\"") "]"))));
static const char other_misfit_schema[] =
    RECORD("r", FIELD("tuple", 10, "\"int\"") ","
                FIELD("counts", 8, ARRAY("\"int\"")) ","
                FIELD("bounds", 9, ARRAY(RECORD("b", FIELD("key", 1, "\"int\"") ","
                                                     FIELD("value", 2, "\"bytes\"") ","
                                                     FIELD("x", 3, "\"int\"")))) ","
                FIELD("list", 6, "\"int\"") ","
                FIELD("items", 7, "\"int\""));
/* clang-format on */

static void check_nothing(void) {
    assert_int_equal(plan.present, 0);
    assert_int_equal(row.null, 0);
    assert_int_equal(row.wide, 0);
    assert_int_equal(row.number, 0);
    assert_false(row.flag);
    assert_null(row.text.data);
    assert_null(row.tuple.values);
    assert_null(row.items.items);
    assert_null(row.list.items);
    assert_int_equal(row.inner, 0);
    assert_null(row.raw.data);
    assert_int_equal(row.counts.n, 0);
    assert_int_equal(row.bounds.n, 0);
}

static void test_absent_and_misfit(void **state) {
    (void)state;
    body.n = 0;
    put_long(&body, 5);
    put_text(&body, "x");
    put_long(&body, 1); /* counts */
    put_text(&body, "k");
    put_long(&body, 3);
    put_byte(&body, 0);
    put_byte(&body, 2); /* text */
    put_long(&body, 8);
    put_long(&body, 77); /* wide2: of an id twice the first counts */
    put_byte(&body, 0);  /* tuple */
    put_byte(&body, 2);  /* bounds */
    put_long(&body, 1);
    put_text(&body, "v");
    put_byte(&body, 0);
    put_byte(&body, 0);                    /* items */
    put(&body, "\x04\x00\x02\x02\x00", 5); /* list */
    put(&body, "\x00\x01", 2);             /* flag */
    begin_rows(misfit_schema, 1, false);
    next_ok();
    check_nothing();
    next_done();
    end_rows();
    body.n = 0;
    put(&body, "\x02\x02\x04\x00\x02\x02\x00\x00", 8);
    begin_rows(wrong_maps_schema, 1, false);
    next_ok();
    check_nothing();
    next_done();
    end_rows();
    body.n = 0;
    put(&body, "\x02\x02\x04\x00\x02\x02\x02v\x06\x00\x08\x0a", 12);
    begin_rows(other_misfit_schema, 1, false);
    next_ok();
    check_nothing();
    next_done();
    end_rows();
}

/* A map of int, as some writers have it: read as one of long, if it fits. */
static void test_map_of_int(void **state) {
    (void)state;
    body.n = 0;
    for (int i = 0; i < 2; i++) {
        put_long(&body, 2);
        put_long(&body, 1);
        put_long(&body, INT32_MIN);
        put_long(&body, 2);
        put_long(&body, INT32_MAX);
        put_byte(&body, 0);
    }
    begin_rows(RECORD("r", FIELD("counts", 8, INT_MAP("1", "\"int\""))), 2, false);
    for (int i = 0; i < 2; i++) {
        next_ok();
        assert_int_equal(row.counts.n, 2);
        assert_int_equal(row.counts.values[0], INT32_MIN);
        assert_int_equal(row.counts.values[1], INT32_MAX);
    }
    next_done();
    end_rows();
}

/* A fault needs nobody who wants to know more than its status. */
static void test_fault_without_error(void **state) {
    (void)state;
    body.n = 0;
    put_byte(&body, 2);
    begin_rows(RECORD("r", FIELD("flag", 1, "\"boolean\"")), 1, false);
    assert_int_equal(ice_avro_rows_next(&rows, &row, NULL), ICE_EFORMAT);
    next_done();
    end_rows();
}

static void test_by_name(void **state) {
    (void)state;
    body.n = 0;
    put_long(&body, 5);
    put_long(&body, 6);
    begin_rows(
        RECORD("r",
               "{\"name\":\"num\",\"type\":\"int\"},{\"name\":\"nam\",\"type\":\"int\"}"),
        1, true);
    assert_int_equal(plan.present, 1u << NUMBER);
    next_ok();
    assert_int_equal(row.number, 5);
    end_rows();
}

/* What nobody wants is stepped over, of every type. */
static void test_unwanted(void **state) {
    (void)state;
    body.n = 0;
    put(&body, "\x01\x02\x01", 3);
    put_long(&body, 5);
    put_long(&body, 6);
    put(&body, "ffffdddddddd", 12);
    put_text(&body, "bytes");
    put_text(&body, "string");
    put(&body, "xyz", 3);
    put_byte(&body, 0);
    put(&body, "\x02\x06\x00\x00", 4); /* [[null, null, null]] */
    put(&body, "\x02\x01\x00", 3);     /* [{true}] */
    put(&body, "\x82\x00", 2);         /* branch 1 in two bytes: null */
    put_long(&body, 9);
    begin_rows(
        RECORD("r", FIELD("a", 90, "\"boolean\"") "," FIELD("b", 91, OPT("\"boolean\"")) "," FIELD(
                        "c", 92, "\"int\"") "," FIELD("d", 93,
                                                      "\"long\"") "," FIELD("e", 94, "\"float\"") "," FIELD("f", 95, "\"double\"") "," FIELD("g", 96, "\"bytes\"") "," FIELD("h", 97, "\"string\"") "," FIELD("i", 98, "{\"type\":\"fixed\",\"name\":\"f\",\"size\":3}") "," FIELD("j", 99, "{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\"]}") "," FIELD("k",
                                                                                                                                                                                                                                                                                                                                                                100,
                                                                                                                                                                                                                                                                                                                                                                ARRAY(ARRAY("\"null\""))) "," FIELD("l",
                                                                                                                                                                                                                                                                                                                                                                                                    101,
                                                                                                                                                                                                                                                                                                                                                                                                    ARRAY(RECORD("q", FIELD(
                                                                                                                                                                                                                                                                                                                                                                                                                          "n",
                                                                                                                                                                                                                                                                                                                                                                                                                          1,
                                                                                                                                                                                                                                                                                                                                                                                                                          "\"null\"") "," FIELD("v",
                                                                                                                                                                                                                                                                                                                                                                                                                                                2,
                                                                                                                                                                                                                                                                                                                                                                                                                                                "\"boolean\"") "," FIELD("w",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                         3,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                         "\"null\"")))) "," FIELD("m",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  102,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  "[\"int\",\"null\"]") "," FIELD("wide",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  3,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  "\"long\"")),
        1, false);
    next_ok();
    assert_int_equal(row.wide, 9);
    assert_true(file.varint_not_shortest);
    next_done();
    end_rows();
    /* the same where it is wrong */
    static const struct {
        const char *type, *body, *rule;
        size_t size;
    } cases[] = {
        {"\"boolean\"", "\x02", "avro.boolean", 1},
        {ARRAY("\"null\""), "\x82\x80\x08\x00", "limit.items", 4}, /* 65 537 */
        {ARRAY(ARRAY("\"null\"")), "\x04\x80\x80\x08\x00\x02\x00\x00", "limit.items", 8},
        {ARRAY(RECORD("q", FIELD("v", 2, "\"boolean\""))), "\x02\x02\x00", "avro.boolean",
         3},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        static char text[512];
        (void)snprintf(text, sizeof(text), RECORD("r", FIELD("x", 90, "%s")),
                       cases[i].type);
        body.n = 0;
        put(&body, cases[i].body, cases[i].size);
        begin_rows(text, 1, false);
        err = (struct ice_error){0};
        assert_true(ice_avro_rows_next(&rows, &row, &err) < 0);
        assert_string_equal(err.rule, cases[i].rule);
        assert_memory_equal(err.pointer, "/records/0/x", 12);
        end_rows();
    }
}

/* Items of no bytes in a wanted list: as many as the limit, and as the block has bytes.
 */
static void test_empty_items(void **state) {
    (void)state;
    static const char text[] = RECORD("r", FIELD("items", 7, ARRAY(RECORD("i", ""))));
    body.n = 0;
    put_long(&body, 65536);
    put_byte(&body, 0);
    begin_rows(text, 1, false);
    next_ok();
    assert_int_equal(row.items.n, 65536);
    next_done();
    end_rows();
    body.n = 0;
    put_long(&body, 65537);
    put_byte(&body, 0);
    begin_rows(text, 1, false);
    next_fault("limit.items", "/records/0/items");
    end_rows();
    body.n = 0;
    for (int i = 0; i < 2; i++) { /* each within the limit, both together not */
        put_long(&body, 65536);
        put_byte(&body, 0);
    }
    begin_rows(text, 2, false);
    next_ok();
    next_fault("limit.items", "/records/1/items");
    end_rows();
    body.n = 0;
    put_long(&body, 65535);
    put_byte(&body, 0);
    begin_blocks(text, 3, 1, false); /* of 4 bytes each, which are items more */
    next_ok();
    next_fault("limit.items", "/records/1/items");
    next_fault("limit.items", "/records/2/items");
    next_done();
    end_rows();
    body.n = 0;
    put_long(&body, 4);
    put_byte(&body, 0);
    put(&body, "xx", 2);
    begin_blocks(
        RECORD("r", FIELD("items", 7, ARRAY(RECORD("i", ""))) "," FIELD(
                        "x", 90, "{\"type\":\"fixed\",\"name\":\"f\",\"size\":2}")),
        20000, 1, false); /* no more of them than bytes: as many as there are */
    for (int i = 0; i < 20000; i++)
        next_ok();
    next_done();
    end_rows();
}

static void test_null_record(void **state) {
    (void)state;
    body.n = 0;
    put_byte(&body, 0);
    put_long(&body, 9);
    put_byte(&body, 2);
    put_long(&body, 4);
    put_byte(&body, 2);
    put_text(&body, "r");
    put_long(&body, 10);
    begin_rows(
        RECORD("r", FIELD("nested", 30,
                          OPT(RECORD("n", FIELD("inner", 31, "\"long\"") "," FIELD(
                                              "raw", 5,
                                              OPT("\"bytes\""))))) "," FIELD("wide", 3,
                                                                             "\"long\"")),
        2, false);
    assert_int_equal(plan.nullable, bits(NESTED, RAW));
    next_ok();
    assert_int_equal(row.null, bits(NESTED, RAW) | bits(INNER, INNER));
    assert_int_equal(row.inner, 0);
    assert_int_equal(row.wide, 9);
    next_ok();
    assert_int_equal(row.null, 0);
    assert_int_equal(row.inner, 4);
    assert_true(ice_str_is(row.raw, "r"));
    assert_int_equal(row.wide, 10);
    next_done();
    end_rows();
}

static void test_empty_tuple(void **state) {
    (void)state;
    body.n = 0;
    put_long(&body, 9);
    begin_rows(RECORD("r", FIELD("tuple", 10, RECORD("t", "")) "," FIELD(
                               "n", 40, "\"null\"") "," FIELD("wide", 3, "\"long\"")),
               1, false);
    assert_int_equal(plan.present, bits(TUPLE, WIDE));
    next_ok();
    assert_int_equal(row.tuple.n, 0);
    assert_int_equal(row.wide, 9);
    end_rows();
}

static void test_fault_places(void **state) {
    (void)state;
    static const struct {
        const char *schema, *body;
        size_t size;
        const char *rule, *pointer;
    } cases[] = {
#define CASE(schema, body, rule, pointer) {schema, body, sizeof(body) - 1, rule, pointer}
        CASE(RECORD("r", FIELD("wide", 3, "\"int\"")), "\x80\x80\x80\x80\x80\x01",
             "avro.varint.range", "/records/0/wide"),
        CASE(RECORD("r", FIELD("te/x~t", 4, "\"string\"")), "\x02\xff",
             "avro.string.not-utf8", "/records/0/te~1x~0t"),
        CASE(RECORD("r", FIELD("u", 90, "\"string\"")), "\x02\xff",
             "avro.string.not-utf8", "/records/0/u"),
        CASE(RECORD("r",
                    FIELD("u", 90, ARRAY("{\"type\":\"map\",\"values\":\"string\"}"))),
             "\x04\x00\x02\x02k\x02\xff", "avro.string.not-utf8", "/records/0/u/1/k"),
        CASE(RECORD("r", FIELD("flag", 1, "\"boolean\"")), "\x02", "avro.boolean",
             "/records/0/flag"),
        CASE(RECORD("r", FIELD("wide", 3, OPT("\"long\""))), "\x04", "avro.union",
             "/records/0/wide"),
        CASE(RECORD("r", FIELD("wide", 3, OPT("\"long\""))), "\x01", "avro.union",
             "/records/0/wide"),
        CASE(RECORD("r", FIELD("raw", 90, "\"bytes\"")), "\x01", "avro.length",
             "/records/0/raw"),
        CASE(RECORD("r", FIELD("nested", 30, RECORD("n", FIELD("raw", 5, "\"bytes\"")))),
             "\x06xx", "avro.length", "/records/0/nested/raw"),
        CASE(RECORD("r", FIELD("items", 7,
                               ARRAY(RECORD("i", FIELD("text", 23, "\"string\""))))),
             "\x04\x02x\x02\xff", "avro.string.not-utf8", "/records/0/items/1/text"),
        CASE(RECORD("r", FIELD("items", 7,
                               ARRAY(RECORD("i", FIELD("x", 99, ARRAY("\"long\"")))))),
             "\x02\x04\x02", "avro.block.count", "/records/0/items/0/x"),
        CASE(RECORD("r", FIELD("bounds", 9, INT_MAP("1", "\"bytes\""))), "\x02\x02\x0exx",
             "avro.length", "/records/0/bounds"),
        CASE(RECORD("r", FIELD("counts", 8, INT_MAP("1", "\"int\""))),
             "\x02\x02\x80\x80\x80\x80\x80\x01", "avro.varint.range",
             "/records/0/counts"),
        CASE(RECORD("r", FIELD("counts", 8, INT_MAP("1", "\"long\""))),
             "\x02\x80\x80\x80\x80\x80\x01\x02", "avro.varint.range",
             "/records/0/counts"),
        /* the last value is cut: it must not be read from what stands behind the block */
        CASE(RECORD("r", FIELD("counts", 8, INT_MAP("1", "\"long\""))),
             "\x04\x02\x02\x02\x80", "avro.block.count", "/records/0/counts"),
        CASE(RECORD("r", FIELD("bounds", 9, INT_MAP("1", "\"bytes\""))),
             "\x04\x02\x00\x80", "avro.block.count", "/records/0/bounds"),
        /* far from the end of the block */
        CASE(RECORD("r", FIELD("counts", 8, INT_MAP("1", "\"long\""))),
             "\x02\x80\x80\x80\x80\x20\x02\x00                                        ",
             "avro.varint.range", "/records/0/counts"),
        CASE(RECORD("r", FIELD("bounds", 9, INT_MAP("1", "\"bytes\""))),
             "\x02\x80\x80\x80\x80\x20\x00\x00                                        ",
             "avro.varint.range", "/records/0/bounds"),
        CASE(RECORD("r", FIELD("bounds", 9, INT_MAP("1", "\"bytes\""))),
             "\x02\x02\x01\x00                                                  ",
             "avro.length", "/records/0/bounds"),
        CASE(RECORD("r", FIELD("list", 6, ARRAY("\"int\""))),
             "\x02\x80\x80\x80\x80\x80\x01", "avro.varint.range", "/records/0/list"),
        /* an item takes 2^32 bytes at least */
        CASE(
            RECORD(
                "r",
                FIELD(
                    "items",
                    7,
                    ARRAY(RECORD(
                        "i",
                        FIELD(
                            "a",
                            1,
                            "{\"type\":\"fixed\",\"name\":\"f\","
                            "\"size\":2147483647}") "," FIELD("b", 2,
                                                              "\"f\"") "," FIELD("c", 3,
                                                                                 "\"f"
                                                                                 "\""))))),
            "\x02\x00", "avro.block.count", "/records/0/items"),
        CASE(RECORD("r", FIELD("list", 6, ARRAY("\"int\""))), "\x03\x06\x02\x02\x00",
             "avro.block.count",
             "/records/0/list"), /* -2 items in 3 bytes: they take 2 */
        CASE(
            RECORD("r", FIELD("tuple", 10, RECORD("t", FIELD("a", 1000, "\"boolean\"")))),
            "\x07", "avro.boolean", "/records/0/tuple"),
        CASE(RECORD("r", FIELD("e", 90,
                               "{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\"]}")),
             "\x02", "avro.enum", "/records/0/e"),
#undef CASE
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        body.n = 0;
        put(&body, cases[i].body, cases[i].size);
        begin_rows(cases[i].schema, 1, false);
        next_fault(cases[i].rule, cases[i].pointer);
        next_done();
        end_rows();
    }
}

/*
 * Arrays in memory of exactly their size, cut behind every byte: a fault, and not a byte
 * read behind the end (the sanitizer would tell).
 */
static void test_no_byte_behind(void **state) {
    (void)state;
    body.n = 0;
    put_long(&body, 12); /* serves as either map and as a list of 24 */
    for (int i = 0; i < 12; i++) {
        put_long(&body, i * 30);
        put_long(&body, 0);
    }
    put_byte(&body, 0);
    ice_run_init(&run, NULL);
    for (size_t n = 0; n <= body.n; n++) {
        for (int kind = 0; kind < 3; kind++) {
            struct ice_slot slot = {0};
            struct ice_scratch s = {.alloc = &run.alloc, .slots = &slot, .n_slots = 1};
            const struct ice_step step = {.slot = 0};
            unsigned char *exact = malloc(n > 0 ? n : 1);
            assert_non_null(exact);
            memcpy(exact, body.data, n);
            if (kind == 2 && n > 0)
                exact[0] = 48;
            struct ice_cursor c = ice_cursor_of(ice_str_make(exact, n), 0);
            bool good;
            if (kind == 0)
                good = ice_read_map_i64(&s, &c, &step, &row.counts);
            else if (kind == 1)
                good = ice_read_map_bytes(&s, &c, &step, &row.bounds);
            else
                good = ice_read_list_i64(&s, &c, &step, &row.list);
            assert_int_equal(good, n == body.n);
            assert_true(c.at <= c.end);
            if (good)
                assert_ptr_equal(c.at, c.end);
            ice_slot_release(&s, &slot);
            free(exact);
        }
    }
    assert_int_equal(run.alloc.used, 0);
}

static void test_rest_of_block_is_lost(void **state) {
    (void)state;
    body.n = 0;
    put(&body, "\x01\x02\x01", 3);
    ice_run_init(&run, NULL);
    begin_rows(RECORD("r", FIELD("flag", 1, "\"boolean\"")), 3, false);
    PUT_BLOCK(&e, 2, "\x00\x01");
    ice_stream_release(&stream);
    ice_avro_rows_release(&rows);
    ice_avro_release(&file);
    ice_stream_init_memory(&stream, &run, enc_str(&e));
    assert_int_equal(ice_avro_open(&file, &run, &stream, NULL), ICE_OK);
    struct ice_str text;
    assert_true(ice_avro_header(&file, "avro.schema", &text));
    assert_int_equal(
        ice_avro_schema_parse(text, &run, &file.arena, &test_names, &schema, NULL, NULL),
        ICE_OK);
    assert_int_equal(ice_plan_compile(schema, wants, ICE_COUNT_OF(wants), AT(null), false,
                                      &file.arena, &plan, NULL),
                     ICE_OK);
    ice_avro_rows_init(&rows, &file, &plan);
    next_ok();
    next_fault("avro.boolean", "/records/1/flag");
    assert_int_equal(rows.record, 1);
    next_ok();
    assert_int_equal(rows.record, 3); /* the lost ones count */
    assert_int_equal(rows.block.index, 1);
    assert_false(row.flag);
    next_ok();
    next_done();
    end_rows();
}

static void test_empty_records(void **state) {
    (void)state;
    body.n = 0;
    begin_rows(RECORD("r", FIELD("n", 90, "\"null\"")), 1 << 20, false);
    for (int i = 0; i < 1 << 20; i++)
        assert_int_equal(ice_avro_rows_next(&rows, &row, NULL), ICE_OK);
    next_done();
    end_rows();
    begin_rows(RECORD("r", FIELD("n", 90, "\"null\"")), (1 << 20) + 1, false);
    next_fault("avro.block.count", "");
    next_done();
    end_rows();
    begin_blocks(RECORD("r", FIELD("n", 90, "\"null\"")), 3, 1 << 19, false);
    for (int i = 0; i < 1 << 20; i++) /* as many in the file, not in each block */
        assert_int_equal(ice_avro_rows_next(&rows, &row, NULL), ICE_OK);
    next_fault("avro.block.count", "");
    next_done();
    end_rows();
}

static void test_list_in_list(void **state) {
    (void)state;
    static const struct ice_want inner[] = {
        {.id = 2, .name = "x", .kind = ICE_WANT_LIST_I64}};
    static const struct ice_want outer[] = {{.id = 1,
                                             .name = "l",
                                             .kind = ICE_WANT_LIST,
                                             .children = inner,
                                             .n_children = 1,
                                             .item_size = 32}};
    ice_run_init(&run, NULL);
    struct ice_arena arena;
    ice_arena_init(&arena, &run.alloc);
    const char *text =
        RECORD("r", FIELD("l", 1, ARRAY(RECORD("i", FIELD("x", 2, ARRAY("\"int\""))))));
    assert_int_equal(ice_avro_schema_parse(ice_str_from(text), &run, &arena, &test_names,
                                           &schema, NULL, NULL),
                     ICE_OK);
    assert_int_equal(ice_plan_compile(schema, outer, 1, 0, false, &arena, &plan, NULL),
                     ICE_EARG);
    ice_arena_release(&arena);
}

/* ---- allocation ---- */

static enum ice_status read_all(struct ice_run *r, struct ice_stream *s) {
    struct ice_avro_file f = {0};
    struct ice_avro_rows all = {0};
    struct ice_plan p;
    const struct ice_avro_schema *parsed;
    struct ice_avro_problems problems;
    struct ice_str text = {0};
    enum ice_status status = ice_avro_open(&f, r, s, NULL);
    if (status < 0)
        goto done;
    assert_true(ice_avro_header(&f, "avro.schema", &text));
    status =
        ice_avro_schema_parse(text, r, &f.arena, &test_names, &parsed, &problems, NULL);
    if (status < 0)
        goto done;
    status = ice_plan_compile(parsed, wants, ICE_COUNT_OF(wants), AT(null), false,
                              &f.arena, &p, NULL);
    if (status < 0)
        goto done;
    ice_avro_rows_init(&all, &f, &p);
    do
        status = ice_avro_rows_next(&all, &row, NULL);
    while (status == ICE_OK);
done:
    ice_avro_rows_release(&all);
    ice_avro_release(&f);
    return status;
}

/* Each allocation fails once: out of memory, nothing leaks. */
static void test_failing_allocation(void **state) {
    (void)state;
    static const struct ice_stream_ops ops = {read_pieces, NULL};
    body.n = 0;
    put_all(true);
    put_all(false);
    put_header(&e, all_schema, "null");
    put_block(&e, 2, body.data, body.n);
    for (uint64_t nth = 0;; nth++) {
        struct failing failing = {.fail_at = nth + 1, .sticky = true};
        struct ice_run r;
        failing_run_init(&r, &failing);
        struct pieces pieces = {.left = enc_str(&e), .piece = 100, .fail_at = UINT64_MAX};
        struct ice_stream s;
        assert_int_equal(ice_stream_init(&s, &r, &ops, &pieces, NULL), ICE_OK);
        const enum ice_status status = read_all(&r, &s);
        ice_stream_release(&s);
        assert_int_equal(r.alloc.used, 0);
        if (status == ICE_DONE) {
            assert_true(nth > 20);
            return;
        }
        assert_int_equal(status, ICE_ENOMEM);
    }
}

/* A list larger than the memory limit is a limit, and the file goes on. */
static void test_memory_limit(void **state) {
    (void)state;
    struct ice_options options = ICE_OPTIONS_INIT;
    options.limits.memory = 200000;
    body.n = 0;
    put_long(&body, 100000);
    for (int i = 0; i < 100000; i++)
        put_byte(&body, 0);
    put_byte(&body, 0);
    put_header(&e, RECORD("r", FIELD("list", 6, ARRAY("\"long\""))), NULL);
    put_block(&e, 1, body.data, body.n);
    put_block(&e, 1, body.data, body.n); /* what it had grown to is still there */
    PUT_BLOCK(&e, 1, "\x02\x0a\x00");
    ice_run_init(&run, &options);
    ice_stream_init_memory(&stream, &run, enc_str(&e));
    assert_int_equal(ice_avro_open(&file, &run, &stream, NULL), ICE_OK);
    struct ice_str text;
    assert_true(ice_avro_header(&file, "avro.schema", &text));
    assert_int_equal(
        ice_avro_schema_parse(text, &run, &file.arena, &test_names, &schema, NULL, NULL),
        ICE_OK);
    assert_int_equal(ice_plan_compile(schema, wants, ICE_COUNT_OF(wants), AT(null), false,
                                      &file.arena, &plan, NULL),
                     ICE_OK);
    ice_avro_rows_init(&rows, &file, &plan);
    next_fault("limit.memory", "");
    err = (struct ice_error){0};
    assert_int_equal(ice_avro_rows_next(&rows, &row, &err), ICE_ELIMIT);
    assert_string_equal(err.rule, "limit.memory");
    assert_true(err.offset > file.header_bytes);
    memset(&row, 0x5a, sizeof(row));
    next_ok();
    assert_int_equal(row.list.items[0], 5);
    next_done();
    end_rows();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds),
        cmocka_unit_test(test_all_damage),
        cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_large_arrays),
        cmocka_unit_test(test_absent_and_misfit),
        cmocka_unit_test(test_map_of_int),
        cmocka_unit_test(test_fault_without_error),
        cmocka_unit_test(test_by_name),
        cmocka_unit_test(test_unwanted),
        cmocka_unit_test(test_empty_items),
        cmocka_unit_test(test_null_record),
        cmocka_unit_test(test_empty_tuple),
        cmocka_unit_test(test_fault_places),
        cmocka_unit_test(test_no_byte_behind),
        cmocka_unit_test(test_rest_of_block_is_lost),
        cmocka_unit_test(test_empty_records),
        cmocka_unit_test(test_list_in_list),
        cmocka_unit_test(test_failing_allocation),
        cmocka_unit_test(test_memory_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
