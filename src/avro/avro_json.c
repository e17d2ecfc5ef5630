/*
 * Records to JSON: one walk to see that a record decodes, one to print it.
 */
#include "avro/avro_json.h"

#include "avro/row_values.h"

#include <assert.h>

void ice_avro_json_init(struct ice_avro_json *reader, struct ice_avro_file *file,
                        const struct ice_avro_schema *schema) {
    *reader = (struct ice_avro_json){.file = file, .schema = schema};
    ice_avro_rows_init(&reader->rows, file, NULL);
    ice_walk_init(&reader->walk, file->run, &file->arena);
}

static void print_datum(const struct ice_walk_event *event, struct ice_json_writer *out) {
    const struct ice_datum *datum = &event->datum;
    assert(ice_avro_is_primitive(datum->type)); /* the others have events of their own */
    switch (datum->type) {
    case ICE_AVRO_NULL:
    case ICE_AVRO_RECORD:
    case ICE_AVRO_ARRAY:
    case ICE_AVRO_MAP:
    case ICE_AVRO_UNION:
        ice_jw_null(out);
        return;
    case ICE_AVRO_BOOLEAN:
        ice_jw_bool(out, datum->i64 != 0);
        return;
    case ICE_AVRO_INT:
    case ICE_AVRO_LONG:
        ice_jw_i64(out, datum->i64);
        return;
    case ICE_AVRO_FLOAT:
    case ICE_AVRO_DOUBLE:
        ice_jw_f64(out, datum->f64);
        return;
    case ICE_AVRO_BYTES:
    case ICE_AVRO_FIXED:
        ice_jw_object(out);
        ice_jw_key(out, "hex");
        ice_jw_hex(out, datum->str);
        ice_jw_object_end(out);
        return;
    case ICE_AVRO_STRING:
        ice_jw_str(out, datum->str);
        return;
    case ICE_AVRO_ENUM:
        ice_jw_str(out, event->schema->symbols[datum->i64]);
        return;
    }
}

static void print(const struct ice_walk_event *event, struct ice_json_writer *out) {
    if (event->has_key)
        ice_jw_key_str(out, event->key);
    switch (event->kind) {
    case ICE_WALK_VALUE:
        print_datum(event, out);
        return;
    case ICE_WALK_RECORD:
    case ICE_WALK_MAP:
        ice_jw_object(out);
        return;
    case ICE_WALK_RECORD_END:
    case ICE_WALK_MAP_END:
        ice_jw_object_end(out);
        return;
    case ICE_WALK_ARRAY:
        ice_jw_array(out);
        return;
    case ICE_WALK_ARRAY_END:
        ice_jw_array_end(out);
        return;
    case ICE_WALK_DONE:
    case ICE_WALK_FAULT:
        return;
    }
}

/* Walk one record; out NULL: only to see whether it decodes. */
static bool walk_record(struct ice_avro_json *reader, struct ice_cursor *c,
                        uint64_t zero_left, struct ice_json_writer *out) {
    ice_walk_begin(&reader->walk, reader->schema, zero_left, false);
    for (;;) {
        struct ice_walk_event event;
        const enum ice_walk_kind kind = ice_walk_next(&reader->walk, c, &event);
        if (kind == ICE_WALK_FAULT)
            return false;
        if (out != NULL)
            print(&event, out);
        if (kind == ICE_WALK_DONE)
            return true;
    }
}

static enum ice_status next_record(struct ice_avro_json *reader,
                                   struct ice_json_writer *out, struct ice_error *err) {
    struct ice_avro_rows *rows = &reader->rows;
    const enum ice_status status = ice_rows_find(rows, reader->schema->least_size, err);
    if (status != ICE_OK)
        return status;
    const struct ice_cursor begin = ice_cursor_of(rows->block.data, rows->at);
    struct ice_cursor c = begin;
    const uint64_t zero_left = ice_avro_empty_values(reader->file);
    const bool good = walk_record(reader, &c, zero_left, NULL);
    reader->file->empty_values_left -= zero_left - reader->walk.zero_left;
    ice_rows_note(rows, &c);
    if (!good)
        return ice_rows_fault(rows, &c, begin.at == begin.end, &reader->walk, err);
    c = begin;
    (void)walk_record(reader, &c, zero_left, out); /* which decodes, as was just seen */
    rows->at += (size_t)(c.at - begin.at);
    rows->left--;
    return out->status < 0 ? out->status : ICE_OK;
}

enum ice_status ice_avro_json_next(struct ice_avro_json *reader,
                                   struct ice_json_writer *out, struct ice_error *err) {
    const enum ice_status status = next_record(reader, out, err);
    reader->block = reader->rows.block;
    reader->record = reader->rows.record;
    return status;
}
