/*
 * Default values of columns in their JSON form (spec: App. D JSON single-value
 * serialization, #default-values): does a value fit its type, do two say the same?
 */
#ifndef ICE_ICEBERG_DEFAULT_VALUE_H
#define ICE_ICEBERG_DEFAULT_VALUE_H

#include "iceberg/schema.h"

/* Faults of one default, several at once. */
enum {
    ICE_DEFAULT_WRONG = 1, /* no reader takes it for a value of the type */
    ICE_DEFAULT_LOOSE = 2, /* a time without seconds, with too many digits, or with
                              Z for +00:00: Java reads it, PyIceberg does not */
    ICE_DEFAULT_FLOAT_INTEGER = 4,  /* a float or double as an integer token */
    ICE_DEFAULT_HEX_CASE = 8,       /* uuid or bytes with upper case digits */
    ICE_DEFAULT_STRUCT_VALUES = 16, /* a struct with values of its fields */
    ICE_DEFAULT_FORBIDDEN = 32, /* any value of unknown, variant, geometry, geography */
};

/* Children of lists and maps of one schema, by index of the parent. */
struct ice_default_checker {
    const struct ice_schema *schema;
    struct ice_run *run;
    uint32_t *first, *second; /* element or key; value. ICE_NO_PARENT: none */
};

/* Borrows schema and run until the release (safe twice and on all-zero); 8 bytes a field.
 * ICE_ENOMEM. */
enum ice_status ice_default_checker_init(struct ice_default_checker *checker,
                                         const struct ice_schema *schema,
                                         struct ice_run *run) ICE_MUST_USE;
void ice_default_checker_release(struct ice_default_checker *checker);

/*
 * Judge json, well formed and not null, as a default of fields[index]. null inside a list
 * or map is not judged, nor is a value of a type that is none. *out_faults: 0, it is
 * fine.
 */
enum ice_status ice_default_check(const struct ice_default_checker *checker,
                                  uint32_t index, struct ice_str json,
                                  unsigned *out_faults,
                                  struct ice_error *err) ICE_MUST_USE;

/*
 * Do two defaults say the same, across a promotion of the type too? Size 0 and null are
 * equal. What cannot be compared counts as the same.
 */
bool ice_default_same(const struct ice_type *type_a, struct ice_str a,
                      const struct ice_type *type_b, struct ice_str b);

/* Absent, or null. */
static inline bool ice_default_is_null(struct ice_str json) {
    return json.size == 0 ||
           (json.size == 4 && memcmp(json.data, "null", json.size) == 0);
}

#endif
