/*
 * A lone Avro container that is neither list nor manifest.
 *
 * Reads: header, schema, every block and record. Checks: group 13, as far as no field of
 * Iceberg is asked for. Leaves behind: nothing.
 */
#include "check/check.h"

#include "base/error.h"
#include "iceberg/avro_fields.h"

/* A plan that wants nothing steps over every datum and still looks at every byte. */
struct no_row {
    uint64_t null;
};

static enum ice_status read_records(struct ice_check *ck, struct ice_avro_rows *rows,
                                    const struct ice_place *place) {
    struct no_row row;
    for (;;) {
        struct ice_error fault;
        ice_error_clear(&fault);
        enum ice_status status = ice_avro_rows_next(rows, &row, &fault);
        if (status == ICE_DONE)
            return ICE_OK;
        if (status == ICE_OK)
            continue;
        if (ice_check_cancelled(ck))
            return ICE_ECANCELLED;
        if (fault.status >= 0)
            fault.status = status;
        ICE_TRY(ice_check_fault(ck, &fault, place, ICE_SCOPE_HEAD, "Avro file"));
        if (status != ICE_EFORMAT && status != ICE_ELIMIT)
            return ICE_OK; /* nothing follows */
    }
}

/* The schema of a row: any legal root, as the one field of a record of the same bytes. */
struct root {
    struct ice_avro_schema record;
    struct ice_avro_field field;
};

static enum ice_status read_file(struct ice_check *ck, struct ice_avro_file *file,
                                 struct ice_stream *stream, const struct ice_place *place,
                                 struct ice_error *fault) {
    struct ice_fault_sink sink = {.ck = ck, .place = *place};
    const struct ice_avro_listener listener = {ice_check_avro_fault, &sink};
    const struct ice_avro_schema *schema = NULL;
    struct root root;
    struct ice_plan plan;
    struct ice_avro_rows rows;
    ICE_TRY(ice_avro_open_schema(file, ck->run, stream, &listener, true, &schema, fault));
    root.field = (struct ice_avro_field){.type = schema};
    root.record = (struct ice_avro_schema){.type = ICE_AVRO_RECORD,
                                           .fields = &root.field,
                                           .n_fields = 1,
                                           .least_size = schema->least_size};
    ICE_TRY(ice_plan_compile(&root.record, NULL, 0, offsetof(struct no_row, null), false,
                             &file->arena, &plan, fault));
    ice_avro_rows_init(&rows, file, &plan);
    enum ice_status status = read_records(ck, &rows, place);
    ice_avro_rows_release(&rows);
    return status;
}

enum ice_status ice_check_lone_avro(struct ice_check *ck, struct ice_error *err) {
    struct ice_stream stream = {0};
    struct ice_file_info info;
    struct ice_str name;
    struct ice_avro_file file = {0};
    struct ice_error fault;
    ice_error_clear(&fault);
    enum ice_status status = ice_check_open_target(ck, &name, &stream, &info, err);
    if (status < 0)
        return ice_status_is_final(status) ? status : ICE_OK;
    struct ice_place place = ice_place_file(name, ICE_ORDER_MANIFEST);
    status = read_file(ck, &file, &stream, &place, &fault);
    if (status < 0 && !ice_status_is_final(status))
        status = ice_check_fault(ck, &fault, &place, ICE_SCOPE_HEAD, "Avro file");
    ice_avro_release(&file);
    ice_stream_release(&stream);
    return status < 0 ? ice_error_set(err, status, NULL, ICE_NO_OFFSET, "%s",
                                      ice_status_name(status))
                      : ICE_OK;
}
