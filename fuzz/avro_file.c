/*
 * Avro files: any bytes, read whole, in random pieces and with blocks unpacked ahead,
 * have one verdict; rows by plan and records as JSON agree on what decodes; memory stays
 * within what the limits say.
 */
#include "avro/ahead.h"
#include "avro/avro_json.h"
#include "avro/plan.h"
#include "fuzz/target.h"

/* ---- what a reading gave ---- */

struct reading {
    uint64_t digest; /* of records and faults */
    uint64_t faults; /* of rules and offsets alone */
    uint64_t n_records, n_faults;
    bool met_limit;
};

static void add(uint64_t *digest, struct ice_str text) {
    *digest = ice_hash64(text, *digest);
}

static void add_number(uint64_t *digest, uint64_t number) {
    *digest = ice_hash_mix(number, *digest);
}

static void add_fault(struct reading *r, enum ice_status status,
                      const struct ice_error *err, size_t size) {
    require(status == ICE_EFORMAT || status == ICE_ELIMIT || status == ICE_EUNSUPPORTED);
    require(err->status == status && err->rule != NULL && err->message[0] != '\0');
    require(err->offset == ICE_NO_OFFSET || err->offset <= size);
    r->met_limit |= status == ICE_ELIMIT;
    r->n_faults++;
    add(&r->faults, ice_str_from(err->rule));
    add_number(&r->faults, err->offset);
    add(&r->digest, ice_str_from(err->rule));
    add(&r->digest, ice_str_from(err->pointer));
    add(&r->digest, ice_str_from(err->message));
    add_number(&r->digest, err->offset);
}

/* ---- records as JSON ---- */

static enum ice_status to_digest(const char *data, size_t size, void *user) {
    add(user, ice_str_make(data, size));
    return ICE_OK;
}

static void read_json(struct reading *r, struct ice_avro_file *file,
                      const struct ice_avro_schema *schema, size_t size) {
    struct ice_json_writer writer;
    struct ice_avro_json json;
    ice_jw_init(&writer, to_digest, &r->digest, 0);
    ice_avro_json_init(&json, file, schema);
    for (;;) {
        struct ice_error err = {.offset = ICE_NO_OFFSET};
        const enum ice_status status = ice_avro_json_next(&json, &writer, &err);
        if (status == ICE_DONE)
            break;
        if (status == ICE_OK) {
            ice_jw_newline(&writer);
            r->n_records++;
        } else {
            add_fault(r, status, &err, size);
        }
    }
    require(ice_jw_finish(&writer) == ICE_OK);
}

/* ---- rows ---- */

struct item {
    uint64_t null;
    bool flags[2];
    struct ice_str bounds[2];
};

struct row {
    uint64_t null;
    int32_t small[4];
    int64_t wide[8];
    struct ice_str texts[4];
    struct ice_tuple tuple;
    struct ice_map_i64 counts[2];
    struct ice_map_bytes bounds[2];
    struct ice_list_i64 list;
    struct ice_list items;
};

#define AT(member) ((uint16_t)offsetof(struct row, member))
#define WANT(id, name, kind, bit, member)                                                \
    { id, name, ICE_WANT_##kind, bit, AT(member), NULL, 0, 0, 0 }

/* ids of manifests and manifest lists, so that seeds reach every kind of step */
static const struct ice_want item_wants[] = {
    {509, "contains_null", ICE_WANT_BOOL, 0, offsetof(struct item, flags[0]), NULL, 0, 0,
     0},
    {518, "contains_nan", ICE_WANT_BOOL, 1, offsetof(struct item, flags[1]), NULL, 0, 0,
     0},
    {510, "lower_bound", ICE_WANT_BYTES, 2, offsetof(struct item, bounds[0]), NULL, 0, 0,
     0},
    {511, "upper_bound", ICE_WANT_BYTES, 3, offsetof(struct item, bounds[1]), NULL, 0, 0,
     0},
};
static const struct ice_want file_wants[] = {
    WANT(134, "content", I32, 10, small[1]),
    WANT(100, "file_path", STR, 11, texts[1]),
    WANT(102, "partition", TUPLE, 12, tuple),
    WANT(103, "record_count", I64, 13, wide[4]),
    WANT(108, "column_sizes", MAP_I64, 14, counts[0]),
    WANT(110, "null_value_counts", MAP_I64, 15, counts[1]),
    WANT(125, "lower_bounds", MAP_BYTES, 16, bounds[0]),
    WANT(128, "upper_bounds", MAP_BYTES, 17, bounds[1]),
    WANT(131, "key_metadata", BYTES, 18, texts[2]),
    WANT(132, "split_offsets", LIST_I64, 19, list),
};
static const struct ice_want wants[] = {
    WANT(500, "manifest_path", STR, 0, texts[0]),
    WANT(501, "manifest_length", I64, 1, wide[0]),
    WANT(502, "partition_spec_id", I32, 2, small[0]),
    WANT(503, "added_snapshot_id", I64, 3, wide[1]),
    {507, "partitions", ICE_WANT_LIST, 4, AT(items), item_wants, 4, sizeof(struct item),
     offsetof(struct item, null)},
    WANT(519, "key_metadata", BYTES, 5, texts[3]),
    WANT(0, "status", I32, 6, small[2]),
    WANT(1, "snapshot_id", I64, 7, wide[2]),
    {2, "data_file", ICE_WANT_RECORD, 8, 0, file_wants, ICE_COUNT_OF(file_wants), 0, 0},
};

static void add_map(uint64_t *digest, const struct ice_map_bytes *map) {
    for (size_t i = 0; i < map->n; i++) {
        add_number(digest, (uint64_t)(uint32_t)map->keys[i]);
        add(digest, map->values[i]);
    }
}

static void add_row(uint64_t *digest, const struct row *row) {
    add_number(digest, row->null);
    add(digest, ice_str_make(row->small, sizeof(row->small)));
    add(digest, ice_str_make(row->wide, sizeof(row->wide)));
    for (size_t i = 0; i < ICE_COUNT_OF(row->texts); i++)
        add(digest, row->texts[i]);
    for (size_t i = 0; i < row->tuple.n; i++) {
        const struct ice_datum *datum = &row->tuple.values[i];
        add_number(digest, datum->type);
        add(digest, datum->str);
        add_number(digest, (uint64_t)datum->i64);
        add(digest, ice_str_make(&datum->f64, sizeof(datum->f64)));
    }
    for (size_t i = 0; i < ICE_COUNT_OF(row->counts); i++) {
        const struct ice_map_i64 *map = &row->counts[i];
        add(digest, ice_str_make(map->keys, map->n * sizeof(*map->keys)));
        add(digest, ice_str_make(map->values, map->n * sizeof(*map->values)));
        add_map(digest, &row->bounds[i]);
    }
    add(digest, ice_str_make(row->list.items, row->list.n * sizeof(*row->list.items)));
    const struct item *items = row->items.items;
    for (size_t i = 0; i < row->items.n; i++) {
        add_number(digest, items[i].null);
        add_number(digest, (uint64_t)items[i].flags[0] << 1 | items[i].flags[1]);
        add(digest, items[i].bounds[0]);
        add(digest, items[i].bounds[1]);
    }
}

static void read_rows(struct reading *r, struct ice_avro_file *file,
                      const struct ice_avro_schema *schema, size_t size) {
    struct ice_plan plan;
    struct ice_avro_rows rows;
    struct row row = {0};
    require(ice_plan_compile(schema, wants, ICE_COUNT_OF(wants), AT(null),
                             !ice_avro_has_ids(schema), &file->arena, &plan,
                             NULL) == ICE_OK);
    ice_avro_rows_init(&rows, file, &plan);
    for (;;) {
        struct ice_error err = {.offset = ICE_NO_OFFSET};
        const enum ice_status status = ice_avro_rows_next(&rows, &row, &err);
        if (status == ICE_DONE)
            break;
        if (status == ICE_OK) {
            require((row.null & ~plan.nullable) == 0 || (row.null & plan.nullable) != 0);
            add_row(&r->digest, &row);
            r->n_records++;
        } else {
            add_fault(r, status, &err, size);
        }
    }
    ice_avro_rows_release(&rows);
}

/* ---- one reading ---- */

static void read_all(struct reading *r, struct ice_run *run, struct ice_str bytes,
                     bool in_pieces, bool as_json) {
    static const struct ice_avro_attr_names names = {.field = "field-id",
                                                     .element = "element-id",
                                                     .key = "key-id",
                                                     .value = "value-id",
                                                     .original = "iceberg-field-name"};
    *r = (struct reading){.digest = 1, .faults = 1};
    struct pieces pieces;
    struct ice_stream stream;
    struct ice_avro_file file;
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    target_stream(&stream, &pieces, run, bytes, in_pieces);
    enum ice_status status = ice_avro_open(&file, run, &stream, &err);
    struct ice_str text = {0};
    const struct ice_avro_schema *schema = NULL;
    struct ice_avro_problems problems;
    (void)ice_avro_header(&file, "avro.schema", &text);
    if (status == ICE_OK)
        status = ice_avro_schema_parse(text, run, &file.arena, &names, &schema, &problems,
                                       &err);
    if (status < 0)
        add_fault(r, status, &err, bytes.size);
    else if (as_json)
        read_json(r, &file, schema, bytes.size);
    else
        read_rows(r, &file, schema, bytes.size);
    add_number(&r->digest, file.skipped_bytes);
    require(file.skipped_bytes <= bytes.size);
    ice_avro_release(&file);
    ice_stream_release(&stream);
    require(run->ahead != NULL || run->alloc.used == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ice_run run;
    target_begin(&run);
    const struct ice_str bytes = ice_str_make(data, size);
    struct reading json[2], rows[2], helped;
    for (int i = 0; i < 2; i++) {
        read_all(&json[i], &run, bytes, i == 1, true);
        read_all(&rows[i], &run, bytes, i == 1, false);
    }
    require(ice_ahead_open(&run.ahead, &run, 1, 1) == ICE_OK);
    read_all(&helped, &run, bytes, false, false);
    ice_ahead_free(run.ahead);
    run.ahead = NULL;
    require(helped.digest == rows[0].digest);
    target_end(&run);
    require(json[0].digest == json[1].digest && rows[0].digest == rows[1].digest);
    /* a walk counts depth and empty items from the record, a plan from what it steps over
     */
    if (!json[0].met_limit && !rows[0].met_limit) {
        require(json[0].n_records == rows[0].n_records);
        require(json[0].faults == rows[0].faults);
    }
    return 0;
}
