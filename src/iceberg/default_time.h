/*
 * Dates and times of JSON defaults: ISO 8601 as the spec and Java's parsers take it.
 */
#ifndef ICE_ICEBERG_DEFAULT_TIME_H
#define ICE_ICEBERG_DEFAULT_TIME_H

#include "iceberg/types.h"

struct ice_default_time {
    int64_t days;  /* since 1970-01-01; 0 for a time alone */
    int64_t nanos; /* of the day */
    bool is_loose; /* no seconds, more digits than the type has, Z for +00:00 */
};

/* Text of type DATE, TIME or a timestamp; false if it is none, or is none that the type
 * has bits for. */
bool ice_default_time_parse(enum ice_type_kind kind, struct ice_str text,
                            struct ice_default_time *out);

#endif
