/*
 * From a writer schema and the fields a caller wants to a flat list of steps that decode
 * one record into a C struct, with strings and bytes as views into the block and no
 * allocation a row. Fields resolve by id (by name where the caller says that the file has
 * no ids). Everything that is not wanted is stepped over, still bounds-checked.
 */
#ifndef ICE_AVRO_PLAN_H
#define ICE_AVRO_PLAN_H

#include "avro/avro_schema.h"
#include "avro/container.h"

enum ice_want_kind {
    ICE_WANT_BOOL,     /* bool */
    ICE_WANT_I32,      /* int32_t, from int */
    ICE_WANT_I64,      /* int64_t, from int or long */
    ICE_WANT_STR,      /* struct ice_str, from string */
    ICE_WANT_BYTES,    /* struct ice_str, from bytes or fixed */
    ICE_WANT_RECORD,   /* members of the nested record, in the same struct and masks */
    ICE_WANT_LIST_I64, /* struct ice_list_i64, from array of int or long */
    ICE_WANT_LIST,     /* struct ice_list, from array of records */
    ICE_WANT_MAP_I64, /* struct ice_map_i64, from array of {int key, int or long value} */
    ICE_WANT_MAP_BYTES, /* struct ice_map_bytes, from array of {int key, bytes value} */
    ICE_WANT_TUPLE,     /* struct ice_tuple, from a record of primitives (or null) */
};

struct ice_list_i64 {
    const int64_t *items;
    size_t n;
};

struct ice_list {
    const void *items; /* n structs of the want's item_size */
    size_t n;
};

/*
 * keys_id: equal keys_id of one want, in rows of one ice_avro_rows, are equal keys in one
 * order; 0 says nothing.
 */
struct ice_map_i64 {
    const int32_t *keys;
    const int64_t *values;
    size_t n;
    uint64_t keys_id;
};

struct ice_map_bytes {
    const int32_t *keys;
    const struct ice_str *values;
    size_t n;
    uint64_t keys_id;
};

/* A primitive as the file holds it. type NULL: the value is null. */
struct ice_datum {
    enum ice_avro_type type;
    int64_t i64;        /* BOOLEAN INT LONG ENUM */
    double f64;         /* FLOAT DOUBLE */
    struct ice_str str; /* STRING BYTES FIXED */
};

struct ice_tuple {
    const struct ice_datum *values; /* one a field of the record, in its order */
    size_t n;
};

/*
 * One wanted field. offset: of the member in the row struct. bit: in the row's null mask
 * and the plan's present mask. A field whose Avro type does not fit kind counts as
 * absent. An avro map<string,...> does not fit MAP_*.
 */
struct ice_want {
    int32_t id;
    const char *name; /* used only when resolving by name; old names split by '|' */
    enum ice_want_kind kind;
    uint8_t bit;
    uint16_t offset;
    const struct ice_want *children; /* RECORD, LIST */
    size_t n_children;
    size_t item_size;          /* LIST */
    uint16_t item_null_offset; /* LIST: uint64_t null mask inside an item */
};

struct ice_plan {
    const struct ice_avro_schema *schema;
    uint64_t present;  /* bits of wanted fields that the schema has in a usable type */
    uint64_t nullable; /* ... and declares as a union with null */
    const struct ice_avro_schema *tuple;  /* record of the (one) TUPLE want, or NULL */
    uint64_t item_present, item_nullable; /* the same of the children of LIST wants */
    const struct ice_step *steps;         /* step.h */
    size_t n_steps;
    size_t n_slots; /* arrays behind lists, maps and tuples */
    uint16_t null_offset;
};

/*
 * LIST children are BOOL, I32, I64, STR, BYTES or RECORD of these (else ICE_EARG); their
 * bits belong to item_null_offset of an item. A member of a record that is null counts as
 * null.
 */
/* Compile into the arena. null_offset: of the uint64_t null mask in the row struct. */
enum ice_status ice_plan_compile(const struct ice_avro_schema *schema,
                                 const struct ice_want *wants, size_t n_wants,
                                 uint16_t null_offset, bool by_name,
                                 struct ice_arena *arena, struct ice_plan *out,
                                 struct ice_error *err) ICE_MUST_USE;

/*
 * The records of a file, one after another.
 *   ICE_OK      row is filled: views are valid until the next call; absent and null
 * members are zero, bit set in the null mask for null (absent fields: bit clear) ICE_DONE
 * no more ICE_EFORMAT, ICE_ELIMIT  the rest of this block is lost (or the whole block),
 * err says where and how; the call may be repeated. err->pointer is /records/N/name...
 *   other       final
 * Rules of the datum: "avro.varint.overlong", "avro.varint.range", "avro.length",
 * "avro.union", "avro.enum", "avro.boolean", "avro.string.not-utf8" (wanted or not),
 * "avro.block.count" (array counts that the bytes cannot hold; the records do not use up
 * the block), "limit.items", "limit.depth".
 */
struct ice_avro_rows {
    struct ice_avro_file *file;
    const struct ice_plan *plan;
    struct ice_avro_block block; /* the block of the last row or fault */
    uint64_t record; /* number in the file, from 0, of the last row; records of bad
                      * blocks count as far as their block declared them */
    /* private */
    uint64_t next_record, left, block_first;
    size_t at;
    bool in_block;
    void *scratch; /* rows.c: arrays behind lists and maps, reused row by row */
};

void ice_avro_rows_init(struct ice_avro_rows *rows, struct ice_avro_file *file,
                        const struct ice_plan *plan);
void ice_avro_rows_release(struct ice_avro_rows *rows);
enum ice_status ice_avro_rows_next(struct ice_avro_rows *rows, void *row,
                                   struct ice_error *err) ICE_MUST_USE;

#endif
