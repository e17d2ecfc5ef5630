/*
 * Full names by fingerprint: the seeded hashes of a name's steps between dots, chained
 * from the root. So a million fields below one long name cost no more than their own
 * names; the names themselves are never put together.
 */
#include "iceberg/schema_names.h"

static uint64_t add_step(uint64_t print, struct ice_str step, uint64_t seed) {
    return ice_hash_mix(print ^ ice_hash64(step, seed), seed);
}

static uint64_t add_steps(uint64_t print, struct ice_str name, uint64_t seed) {
    for (;;) {
        size_t dot = ice_str_find(name, '.');
        if (dot == SIZE_MAX)
            return add_step(print, name, seed);
        print = add_step(print, ice_str_first(name, dot), seed);
        name = ice_str_from_index(name, dot + 1);
    }
}

enum ice_status ice_schema_names_init(struct ice_schema_names *names,
                                      const struct ice_schema *schema,
                                      struct ice_alloc *alloc) {
    *names = (struct ice_schema_names){.schema = schema, .alloc = alloc};
    ice_table_init(&names->by_print, alloc);
    if (schema->n_fields == 0)
        return ICE_OK;
    names->prints = ice_calloc(alloc, schema->n_fields, sizeof(*names->prints));
    if (names->prints == NULL)
        return ICE_ENOMEM;
    for (size_t i = 0; i < schema->n_fields; i++) {
        const struct ice_field *field = &schema->fields[i];
        uint64_t parent =
            field->parent == ICE_NO_PARENT ? 0 : names->prints[field->parent];
        names->prints[i] = add_steps(parent, field->name, schema->hash_seed);
        if (ice_table_put(&names->by_print, names->prints[i], (uint32_t)i) < 0)
            return ICE_ENOMEM;
    }
    return ICE_OK;
}

void ice_schema_names_release(struct ice_schema_names *names) {
    if (names->prints != NULL)
        ice_free(names->alloc, names->prints,
                 names->schema->n_fields * sizeof(*names->prints));
    ice_table_release(&names->by_print);
    *names = (struct ice_schema_names){0};
}

const struct ice_field *ice_schema_names_find(const struct ice_schema_names *names,
                                              struct ice_str full_name) {
    size_t at = SIZE_MAX;
    uint32_t index;
    if (names->prints == NULL)
        return NULL;
    uint64_t print = add_steps(0, full_name, names->schema->hash_seed);
    return ice_table_next(&names->by_print, print, &at, &index)
               ? &names->schema->fields[index]
               : NULL;
}

size_t ice_schema_names_first(const struct ice_schema_names *names, size_t index) {
    size_t at = SIZE_MAX;
    uint32_t first;
    return ice_table_next(&names->by_print, names->prints[index], &at, &first) ? first
                                                                               : index;
}
