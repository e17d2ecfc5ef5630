/*
 * Full names of a schema's fields ("address.city", "tags.element"), to look them up. A
 * name with dots is told from a path by nothing: `a.b` and `b` inside `a` are one full
 * name, as in Iceberg Java, PyIceberg and iceberg-rust.
 */
#ifndef ICE_ICEBERG_SCHEMA_NAMES_H
#define ICE_ICEBERG_SCHEMA_NAMES_H

#include "iceberg/schema.h"

struct ice_schema_names {
    const struct ice_schema *schema;
    struct ice_alloc *alloc;
    uint64_t *prints; /* of the full name of each field */
    struct ice_table by_print;
};

/* schema is borrowed until the release, which is safe twice and on all-zero. Takes some
 * 30 bytes a field; ICE_ENOMEM. */
enum ice_status ice_schema_names_init(struct ice_schema_names *names,
                                      const struct ice_schema *schema,
                                      struct ice_alloc *alloc) ICE_MUST_USE;
void ice_schema_names_release(struct ice_schema_names *names);

/* First field of that full name, or NULL. */
const struct ice_field *ice_schema_names_find(const struct ice_schema_names *names,
                                              struct ice_str full_name);
/* First field with the full name of fields[index]: its index, index itself if none
 * before. */
size_t ice_schema_names_first(const struct ice_schema_names *names, size_t index);

#endif
