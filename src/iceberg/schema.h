/*
 * Schemas (spec: #schemas, App. C Schemas): the tree flattened in document order, parents
 * before children.
 */
#ifndef ICE_ICEBERG_SCHEMA_H
#define ICE_ICEBERG_SCHEMA_H

#include "iceberg/defect.h"
#include "iceberg/types.h"
#include "json/reader.h"

#define ICE_NO_PARENT UINT32_MAX

enum ice_field_role { ICE_ROLE_FIELD, ICE_ROLE_ELEMENT, ICE_ROLE_KEY, ICE_ROLE_VALUE };

/* Attributes that were there with a usable value. */
enum {
    ICE_FIELD_HAS_ID = 1,
    ICE_FIELD_HAS_NAME = 2,
    ICE_FIELD_HAS_REQUIRED = 4,
    ICE_FIELD_HAS_TYPE = 8
};

struct ice_field {
    int32_t id;
    uint32_t parent;   /* index of the enclosing struct/list/map field; ICE_NO_PARENT: top
                          level */
    uint32_t position; /* among the fields of its struct */
    enum ice_field_role role;
    uint8_t has; /* ICE_FIELD_HAS_... (map keys have no required flag) */
    uint8_t bad; /* ... with an unusable value: a defect has said so */
    bool required;
    struct ice_type type;
    struct ice_str name; /* ELEMENT KEY VALUE: "element" "key" "value" */
    struct ice_str doc;  /* size 0 if none */
    /* raw JSON of the defaults; size 0: absent, "null": explicit null */
    struct ice_str initial_default, write_default;
    struct ice_str pointer; /* inside the schema object: "/fields/2/type/element" ... */
};

struct ice_schema {
    bool has_schema_id;
    bool null_schema_id;
    bool bad_schema_id; /* there, with an unusable value: a defect has said so */
    int32_t schema_id;  /* 0 if absent */
    bool is_struct;     /* `type: struct` and `fields` were there */
    bool bad_root;      /* `type` or `fields` was there with an unusable value */
    struct ice_field *fields;
    size_t n_fields;
    bool has_identifier_ids;
    int32_t *identifier_ids;
    size_t n_identifier_ids;
    /* of the schema in its document: "/schemas/0", "/schema", "" */
    struct ice_str pointer;
    struct ice_table by_id; /* ice_hash_mix(id) -> index; first wins for lookups */
    uint64_t hash_seed;
};

/*
 * Read the schema object whose ICE_JSON_OBJECT event was just returned. Everything is
 * copied into the arena. Defects go to on_defect with their field. Fails only like
 * ice_json_next.
 */
enum ice_status ice_schema_read(struct ice_json *json, struct ice_run *run,
                                struct ice_arena *arena, ice_defect_fn on_defect,
                                void *user, struct ice_schema *out,
                                struct ice_error *err);
/* From text (the `schema` header of a manifest). ICE_EFORMAT if it is no JSON object. */
enum ice_status ice_schema_parse(struct ice_str text, struct ice_run *run,
                                 struct ice_arena *arena, struct ice_schema *out,
                                 struct ice_error *err);
void ice_schema_release(
    struct ice_schema *schema); /* the by_id table; the rest is the arena's */

/* First field with that id, or NULL. */
const struct ice_field *ice_schema_field(const struct ice_schema *schema, int32_t id);
/* Dotted full name, appended to out. */
enum ice_status ice_schema_full_name(const struct ice_schema *schema,
                                     const struct ice_field *field, struct ice_buf *out);
/* Same fields (ids, names, types, required, nesting) and identifier ids; doc and defaults
 * too if deep. */
bool ice_schema_equal(const struct ice_schema *a, const struct ice_schema *b, bool deep);

#endif
