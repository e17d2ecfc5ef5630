/*
 * Any record of any container as JSON, by its writer schema: for dump, where findings'
 * pointers must resolve. Records are objects by field name, unions show the value itself,
 * bytes and fixed are {"hex":"..."}, maps are objects, enums are symbols, arrays of
 * {key,value} records stay arrays of objects. NaN and infinities are strings.
 */
#ifndef ICE_AVRO_AVRO_JSON_H
#define ICE_AVRO_AVRO_JSON_H

#include "avro/avro_walk.h"
#include "avro/container.h"
#include "avro/plan.h"
#include "json/writer.h"

struct ice_avro_json {
    struct ice_avro_file *file;
    const struct ice_avro_schema *schema;
    struct ice_avro_block block; /* of the last record or fault */
    uint64_t record;             /* its number in the file */
    /* private */
    struct ice_avro_rows rows; /* finds the records; nothing to release */
    struct ice_walk walk;
};

void ice_avro_json_init(struct ice_avro_json *reader, struct ice_avro_file *file,
                        const struct ice_avro_schema *schema);
/*
 * Write the next record to out as one value, only when all of it decodes; statuses as of
 * ice_avro_rows_next. Explicit stack; the depth limit holds.
 */
enum ice_status ice_avro_json_next(struct ice_avro_json *reader,
                                   struct ice_json_writer *out,
                                   struct ice_error *err) ICE_MUST_USE;

#endif
