/*
 * Times as text.
 */
#ifndef ICE_BASE_TIME_TEXT_H
#define ICE_BASE_TIME_TEXT_H

#include "base/str.h"

/* "2026-01-01T00:00:00.000Z"; beyond the years 0 to 9999 "N ms (not a date)". */
enum { ICE_TIME_SIZE = 48 };
struct ice_str ice_time_text(int64_t ms, char out[ICE_TIME_SIZE]);

/* "26 h 5 min"; below a minute "12 s" */
const char *ice_duration_text(int64_t ms, char out[48]);

#endif
