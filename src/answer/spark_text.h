/*
 * Names and texts as Spark's SQL takes them, in statements to paste. Hive takes the same
 * literals.
 */
#ifndef ICE_ANSWER_SPARK_TEXT_H
#define ICE_ANSWER_SPARK_TEXT_H

#include "check/check.h"

/*
 * The table of a check, appended: its parts with dots between them, each in backquotes
 * where it is no plain word. suffix: stands behind the last part, or is empty.
 * ICE_ENOMEM.
 */
enum ice_status ice_spark_table(const struct ice_check *ck, struct ice_str suffix,
                                struct ice_buf *out) ICE_MUST_USE;
/* A text in single quotes, appended. ICE_ENOMEM. */
enum ice_status ice_spark_literal(struct ice_str text, struct ice_buf *out) ICE_MUST_USE;

#endif
