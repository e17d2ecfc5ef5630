/*
 * The types that a partition field may have: REPLACE TABLE reuses column ids and old
 * writers kept the last schema only, so a value is wrong only when it is under every
 * schema that knows the column.
 */
#ifndef ICE_CHECK_PARTITION_TYPES_H
#define ICE_CHECK_PARTITION_TYPES_H

#include "check/check.h"

enum ice_types_answer {
    ICE_TYPES_UNKNOWN, /* unknown transform, or the source is in no schema: do not judge
                        */
    ICE_TYPES_FIT,     /* under one schema at least */
    ICE_TYPES_WRONG,   /* under all of them */
};

typedef bool (*ice_type_fits_fn)(const struct ice_type *type, const void *user);

/*
 * Ask fits about the result type of a partition field over every listed schema and the
 * header's (may be NULL). *out_type: of ICE_TYPES_WRONG, one that was expected.
 */
enum ice_types_answer ice_partition_types(const struct ice_check *ck,
                                          const struct ice_schema *header,
                                          const struct ice_partition_field *field,
                                          ice_type_fits_fn fits, const void *user,
                                          struct ice_type *out_type);

/* To show and compare: over the header schema, else over the current one; kind BAD: not
 * known. */
struct ice_type ice_partition_type(const struct ice_check *ck,
                                   const struct ice_schema *header,
                                   const struct ice_partition_field *field);

/* Where the header is not known: the type that all listed schemas agree on, else kind
 * BAD. */
struct ice_type ice_partition_type_agreed(const struct ice_check *ck,
                                          const struct ice_partition_field *field);

#endif
