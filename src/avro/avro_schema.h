/*
 * Writer schemas of Avro files, as a tree of nodes in an arena. Named types are resolved,
 * so a recursive schema is a graph: walks need a step bound. Integer attributes of fields
 * and of array/map nodes are kept under the names that the caller gives.
 */
#ifndef ICE_AVRO_AVRO_SCHEMA_H
#define ICE_AVRO_AVRO_SCHEMA_H

#include "base/arena.h"
#include "base/run.h"

enum ice_avro_type {
    ICE_AVRO_NULL,
    ICE_AVRO_BOOLEAN,
    ICE_AVRO_INT,
    ICE_AVRO_LONG,
    ICE_AVRO_FLOAT,
    ICE_AVRO_DOUBLE,
    ICE_AVRO_BYTES,
    ICE_AVRO_STRING,
    ICE_AVRO_RECORD,
    ICE_AVRO_ENUM,
    ICE_AVRO_ARRAY,
    ICE_AVRO_MAP,
    ICE_AVRO_UNION,
    ICE_AVRO_FIXED,
};

/* An integer attribute; absent and "not an integer" are both has == false. */
struct ice_avro_attr {
    bool has;
    int32_t value;
};

struct ice_avro_schema;

struct ice_avro_field {
    struct ice_str name;
    const struct ice_avro_schema *type;
    struct ice_avro_attr id;
    struct ice_str original_name; /* attribute named by names.original, or size 0 */
};

struct ice_avro_schema {
    enum ice_avro_type type;
    struct ice_str full_name;    /* RECORD ENUM FIXED: with namespace */
    struct ice_str logical_type; /* "decimal", "map" ...; size 0 if none */
    int32_t precision, scale;    /* decimal */
    bool has_adjust_to_utc, adjust_to_utc;
    uint64_t fixed_size;
    const struct ice_avro_field *fields; /* RECORD */
    size_t n_fields;
    /* RECORD: indices of fields whose least_size is not 0 */
    const uint32_t *sized_fields;
    size_t n_sized_fields;
    const struct ice_str *symbols; /* ENUM */
    size_t n_symbols;
    const struct ice_avro_schema *items;           /* ARRAY, MAP (values) */
    const struct ice_avro_schema *const *branches; /* UNION */
    size_t n_branches;
    struct ice_avro_attr element_id, key_id, value_id; /* ARRAY, MAP */
    /* no datum takes fewer bytes; 0 only if every datum takes none */
    uint64_t least_size;
    bool has_ids;           /* it, a field or something below has an id */
    struct ice_str pointer; /* of this node inside the schema JSON, "" for the root */
};

/* Names of the attributes to keep; NULL: none. */
struct ice_avro_attr_names {
    const char *field, *element, *key, *value, *original;
    bool any_root; /* the root need not be a record */
};

/*
 * Something wrong that still leaves a readable schema. rule: "avro.schema.invalid" (a
 * name defined twice with one definition), "avro.name.illegal". beyond_ascii: only
 * letters or digits outside ASCII break the pattern.
 */
struct ice_avro_problem {
    const char *rule;
    bool beyond_ascii;
    struct ice_str pointer; /* inside the schema JSON */
    struct ice_str name;
    const char *what; /* "second definition", "field name" ... */
};

struct ice_avro_problems {
    struct ice_avro_problem *items; /* in the arena */
    size_t n, capacity;
};

/*
 * Parse schema JSON into the arena; text is copied where needed. ICE_EFORMAT with rule
 * "avro.schema.unparseable" (not JSON, not a record at the root), "avro.schema.invalid",
 * "avro.schema.infinite"; ICE_ELIMIT "limit.schema" or "limit.depth". problems may be
 * NULL. err->pointer is "/header/avro.schema" and the pointer inside the schema JSON.
 */
enum ice_status ice_avro_schema_parse(struct ice_str text, struct ice_run *run,
                                      struct ice_arena *arena,
                                      const struct ice_avro_attr_names *names,
                                      const struct ice_avro_schema **out,
                                      struct ice_avro_problems *problems,
                                      struct ice_error *err);

/* Of a union of null with one type: that type (and *is_nullable); else schema itself. */
const struct ice_avro_schema *ice_avro_not_null(const struct ice_avro_schema *schema,
                                                bool *is_nullable);
/* Field of a record by id / by name; NULL if there is none. */
const struct ice_avro_field *ice_avro_field_by_id(const struct ice_avro_schema *record,
                                                  int32_t id);
const struct ice_avro_field *ice_avro_field_by_name(const struct ice_avro_schema *record,
                                                    struct ice_str name);
/* Has any field, element, key or value of the schema an id? */
bool ice_avro_has_ids(const struct ice_avro_schema *schema);
/* A type whose values hold no others. */
static inline bool ice_avro_is_primitive(enum ice_avro_type type) {
    return type != ICE_AVRO_RECORD && type != ICE_AVRO_ARRAY && type != ICE_AVRO_MAP &&
           type != ICE_AVRO_UNION;
}
const char *ice_avro_type_name(enum ice_avro_type type);

#endif
