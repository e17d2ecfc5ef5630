/*
 * What can be wrong with one JSON member, by kind and field; `check` knows which rule
 * that is.
 */
#ifndef ICE_ICEBERG_DEFECT_H
#define ICE_ICEBERG_DEFECT_H

#include "base/str.h"

enum ice_defect_kind {
    ICE_DEFECT_TYPE,        /* another JSON kind than required: json.type.mismatch */
    ICE_DEFECT_NOT_INTEGER, /* json.number.not-integer */
    ICE_DEFECT_RANGE,       /* json.number.out-of-range */
    ICE_DEFECT_NULL, /* null where readers accept only absence: json.field.explicit-null
                      */
    ICE_DEFECT_UNKNOWN_KEY, /* json.field.unknown */
    ICE_DEFECT_BOM,
    ICE_DEFECT_LONE_SURROGATE,
    ICE_DEFECT_NUL,           /* notices of the reader */
    ICE_DEFECT_DUPLICATE_KEY, /* values not compared yet (json/locate.h does) */
    ICE_DEFECT_TRAILING_DATA,
    ICE_DEFECT_SUMMARY_VALUE,  /* a value of a snapshot's summary is no string */
    ICE_DEFECT_SUMMARY_NUMBER, /* ... of a metric is no decimal integer of 0 or more */
};

struct ice_defect {
    enum ice_defect_kind kind;
    struct ice_str pointer; /* of the member, RFC 6901 */
    struct ice_str field;   /* its key */
    const char *expected;   /* TYPE: "a string", "an integer" ...; RANGE: "32 bits" */
    const char *found;      /* TYPE: "a string" ... */
    /* the token for numbers, the text of SUMMARY_NUMBER; else size 0 */
    struct ice_str text;
    bool known; /* DUPLICATE_KEY: the key is one of the catalogue's, outside maps */
    uint64_t offset;
};

/* Anything but ICE_OK stops the reading with that status. */
typedef enum ice_status (*ice_defect_fn)(const struct ice_defect *defect, void *user);

#endif
