/*
 * Single values in Iceberg's binary form (spec: App. D Binary single-value
 * serialization), as bounds and partition summaries carry them, with what promotion
 * leaves behind: an int where the column is long now, a float where it is double, a date
 * where it is timestamp.
 */
#ifndef ICE_ICEBERG_VALUE_H
#define ICE_ICEBERG_VALUE_H

#include "iceberg/types.h"
#include "json/writer.h"

/* Can a value of that type have so many bytes? BAD and variant: any number. */
bool ice_value_length_ok(const struct ice_type *type, size_t size);

enum ice_order {
    ICE_IS_LESS,
    ICE_IS_EQUAL,
    ICE_IS_GREATER,
    ICE_IS_UNORDERED, /* a NaN, an illegal length, or a type without an order */
};

/*
 * Compare by the order of the type: numbers also when their widths differ, -0.0 equal to
 * 0.0, decimals of any length, string, fixed, binary and uuid by unsigned bytes.
 */
enum ice_order ice_value_compare(const struct ice_type *type, struct ice_str a,
                                 struct ice_str b);
/* uuid as Java's UUID.compareTo orders them: two signed halves. */
enum ice_order ice_value_compare_uuid_signed(struct ice_str a, struct ice_str b);

/* float, double of a legal length that is NaN */
bool ice_value_is_nan(const struct ice_type *type, struct ice_str value);

/* boolean, int, long, date, time, timestamps: the number. A date in a timestamp column is
 * in the column's unit. false: another type, or an illegal length. */
bool ice_value_integer(const struct ice_type *type, struct ice_str value, int64_t *out);
/* float, double */
bool ice_value_double(const struct ice_type *type, struct ice_str value, double *out);

/*
 * Append for a reader: dates and times as ISO 8601, decimals with their scale, text as it
 * is (the caller escapes it), anything else or illegal as 0x and hex.
 */
enum ice_status ice_value_to_text(const struct ice_type *type, struct ice_str value,
                                  struct ice_buf *out) ICE_MUST_USE;

/*
 * Write as one canonical JSON value: integers, dates and times as numbers in their unit,
 * decimals as text with their scale, uuid with hyphens, fixed and binary as hex, float
 * and double as "0x" and their bits, big endian. Illegal lengths as hex.
 */
void ice_value_to_json(const struct ice_type *type, struct ice_str value,
                       struct ice_json_writer *out);

#endif
