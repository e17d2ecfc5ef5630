/*
 * Iceberg's type grammar (spec: #schemas-and-data-types): primitives from their text.
 */
#ifndef ICE_ICEBERG_TYPES_H
#define ICE_ICEBERG_TYPES_H

#include "base/arena.h"

enum ice_type_kind {
    ICE_TYPE_BOOLEAN,
    ICE_TYPE_INT,
    ICE_TYPE_LONG,
    ICE_TYPE_FLOAT,
    ICE_TYPE_DOUBLE,
    ICE_TYPE_DECIMAL,
    ICE_TYPE_DATE,
    ICE_TYPE_TIME,
    ICE_TYPE_TIMESTAMP,
    ICE_TYPE_TIMESTAMPTZ,
    ICE_TYPE_TIMESTAMP_NS,
    ICE_TYPE_TIMESTAMPTZ_NS,
    ICE_TYPE_STRING,
    ICE_TYPE_UUID,
    ICE_TYPE_FIXED,
    ICE_TYPE_BINARY,
    ICE_TYPE_UNKNOWN,
    ICE_TYPE_VARIANT,
    ICE_TYPE_GEOMETRY,
    ICE_TYPE_GEOGRAPHY,
    ICE_TYPE_STRUCT,
    ICE_TYPE_LIST,
    ICE_TYPE_MAP,
    ICE_TYPE_BAD, /* text not in the type table */
};

struct ice_type {
    enum ice_type_kind kind;
    int64_t precision, scale; /* DECIMAL, as written (may be out of range) */
    int64_t length;           /* FIXED, as written */
    struct ice_str text;      /* as written; struct, list, map: that word */
    struct ice_str crs;       /* GEOMETRY, GEOGRAPHY; size 0 if not given */
    struct ice_str algorithm; /* GEOGRAPHY; size 0 if not given */
    bool canonical;           /* text is spelt as the spec spells it */
};

/* Parse a primitive's text (case and blanks as Java takes them); kind BAD if it is none.
 * Views point into text. */
struct ice_type ice_type_parse(struct ice_str text);
bool ice_type_is_primitive(
    const struct ice_type *type); /* not struct list map variant BAD */
bool ice_type_equal(const struct ice_type *a, const struct ice_type *b);
const char *ice_type_kind_name(enum ice_type_kind kind);

#endif
