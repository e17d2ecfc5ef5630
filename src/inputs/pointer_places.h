/*
 * Which values of a JSON export, by their place in the document, mean what.
 */
#ifndef ICE_INPUTS_POINTER_PLACES_H
#define ICE_INPUTS_POINTER_PLACES_H

#include "inputs/pointer.h"

/* What a value is for. MARK_: it only tells what the document is. */
enum ice_pointer_what {
    WHAT_METADATA,
    WHAT_PREVIOUS,
    WHAT_TABLE,
    WHAT_SPACE,
    WHAT_SPACE_PART,
    WHAT_CATALOG,
    WHAT_LOCATION,
    WHAT_UUID,
    WHAT_TYPE,
    WHAT_VERSION,
    WHAT_SNAPSHOT,
    WHAT_COLUMN,
    WHAT_COLUMN_CURRENT,
    WHAT_POLARIS,
    WHAT_TIME,
    WHAT_DROPPED,
    MARK_S3TABLES,
    MARK_NESSIE,
    MARK_UNITY,
    MARK_SNOWFLAKE,
    MARK_METADATA,
};

struct ice_pointer_row {
    const char *place; /* below the entry; '*' stands for an index */
    enum ice_pointer_what what;
};

/* Where entries of a kind stand: prefix, and rows ended by a NULL place. */
struct ice_pointer_group {
    const char *prefix;
    enum ice_pointer_format format;
    const struct ice_pointer_row *rows;
};
enum { ICE_POINTER_GROUPS = 18 };
extern const struct ice_pointer_group ice_pointer_groups[ICE_POINTER_GROUPS];

#endif
