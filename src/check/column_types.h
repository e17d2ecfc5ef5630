/*
 * What metrics and partition tuples need to know of a column, by field id: its types over
 * all listed schemas and the manifest's header schema, how its bounds compare, where it
 * stands. REPLACE TABLE reuses ids with other types and old writers kept the last schema
 * only, so a value is wrong only when it is under every type.
 *
 * Resolved once a table for the listed schemas, and again when a manifest has another
 * header schema than the one before it.
 */
#ifndef ICE_CHECK_COLUMN_TYPES_H
#define ICE_CHECK_COLUMN_TYPES_H

#include "iceberg/metadata.h"
#include "iceberg/value.h"

enum {
    ICE_COLUMN_RESERVED = 1,  /* an id of the spec's own: file_path, pos ... */
    ICE_COLUMN_LISTED = 2,    /* a listed schema has it */
    ICE_COLUMN_HEADER = 4,    /* the header schema has it */
    ICE_COLUMN_NESTED = 8,    /* in a list, map or optional struct under some schema: it
                                 need not have a value a row */
    ICE_COLUMN_REQUIRED = 16, /* under every listed schema, and all around it */
    ICE_COLUMN_HEADER_REQUIRED = 32, /* ... under the header schema */
    ICE_COLUMN_FLOAT = 64,      /* float or double under some schema, or type unknown */
    ICE_COLUMN_CAN_EQUAL = 128, /* under some schema of a type that equality deletes take,
                                   outside lists and maps */
    ICE_COLUMN_CURRENT = 512,   /* the current schema has it */
    ICE_COLUMN_AMBIGUOUS = 256, /* twice in one schema: which type it has is not known */
};

struct ice_column_type {
    struct ice_type type; /* without its texts */
    const struct ice_column_type *next;
};

struct ice_table_column {
    int32_t id;
    uint32_t flags;
    size_t n_types;
    const struct ice_column_type *types; /* distinct; none: do not judge values */
    const struct ice_type *shown; /* the header's, else the current schema's; or NULL */
    /*
     * Quick answers for a bound and for a lower one with its upper one: true = nothing is
     * wrong with it; false = ask ice_bound_rules, which knows all.
     */
    bool (*one_fits)(const struct ice_table_column *column, struct ice_str value);
    bool (*pair_fits)(const struct ice_table_column *column, struct ice_str lower,
                      struct ice_str upper);
    int64_t decimal_most; /* for them: largest unscaled value, or 0 */
};

struct ice_columns {
    struct ice_alloc *alloc;
    uint64_t hash_seed;
    bool is_open, knows_all; /* knows_all: there are listed schemas to judge by */
    struct ice_arena arena, header_arena;
    struct ice_table by_id, header_by_id; /* header: ids that no listed schema has */
    struct ice_table_column *listed;      /* by listed schemas alone */
    size_t n_listed, cap_listed;
    /* with the header schema; the first n_listed are those */
    struct ice_table_column *items;
    size_t n, cap;
    uint32_t *dense; /* small ids: index + 1, or 0 */
    size_t n_dense;
    struct ice_buf header; /* text of the header schema that items are for */
    bool has_header;
    uint64_t generation; /* grows when items change: what was looked up is void */
};

/* metadata NULL: a lone manifest. All-zero before; release is safe twice. */
enum ice_status ice_columns_open(struct ice_columns *columns, struct ice_alloc *alloc,
                                 uint64_t hash_seed,
                                 const struct ice_metadata *metadata) ICE_MUST_USE;
void ice_columns_release(struct ice_columns *columns);

/* For the next manifest: text of its header schema, and what it says (NULL: none). */
enum ice_status ice_columns_begin(struct ice_columns *columns, struct ice_str header,
                                  const struct ice_schema *schema) ICE_MUST_USE;

#define ICE_NO_COLUMN UINT32_MAX
/* Index in items, or ICE_NO_COLUMN. */
uint32_t ice_columns_find_slow(const struct ice_columns *columns, int32_t id);
static inline uint32_t ice_columns_find(const struct ice_columns *columns, int32_t id) {
    if (id >= 0 && (uint32_t)id < columns->n_dense && columns->dense[id] > 0)
        return columns->dense[id] - 1;
    return ice_columns_find_slow(columns, id);
}

/* column_compare.c: the quick answers for a type that is the only one; NULL kind: none.
 */
void ice_column_choose(struct ice_table_column *column);
/* decimal: no byte in front that only repeats the sign */
bool ice_decimal_is_minimal(struct ice_str value);
/* Does the number have at most so many decimal digits? precision below 1 or above 38:
 * true. value: 1 to 16 bytes. */
bool ice_decimal_fits(struct ice_str value, int64_t precision);
/* A geometry or geography bound; 16, 24 or 32 bytes. NULL, or what is wrong with it. */
const char *ice_geo_fault(const struct ice_type *type, struct ice_str value);
/* x and y of such a bound. */
void ice_geo_point(struct ice_str value, double *x, double *y);

#endif
