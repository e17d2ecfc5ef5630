/*
 * The schemas of the generated table and of its Avro files, as JSON. The halfway change:
 * one more column, a wider one, and the new column in the partition spec.
 */
#include "gen.h"

#include <stdio.h>

struct column {
    const char *name, *type;
};

static const struct column columns[] = {
    {"id", "long"},        {"event_ts", "timestamptz"}, {"region", "string"},
    {"user_id", "long"},   {"session_id", "string"},    {"device", "string"},
    {"country", "string"}, {"price", "double"},         {"qty", "int"},
    {"discount", "float"}, {"tax", "decimal(12, 2)"},   {"is_new", "boolean"},
    {"created", "date"},   {"sku", "string"},           {"category", "string"},
    {"url", "string"},     {"user_agent", "string"},    {"lat", "double"},
    {"lon", "double"},     {"note", "string"},          {"channel", "string"},
};
enum { WIDENED = 9 };

static void put_column(struct gen_bytes *b, int i, bool is_evolved) {
    bool is_again = !is_evolved && i >= GEN_COLUMNS;
    const struct column *column = &columns[is_again ? i % GEN_COLUMNS : i];
    gen_print(b, "%s{\"id\":%d,\"name\":\"%s", i > 0 ? "," : "", i + 1, column->name);
    if (is_again)
        gen_print(b, "_%d", i + 1);
    gen_print(b, "\",\"required\":%s,\"type\":\"%s\"}", i > 0 ? "false" : "true",
              is_evolved && i + 1 == WIDENED ? "long" : column->type);
}

void gen_put_schema(struct gen_bytes *b, const struct gen_table *t, bool is_evolved) {
    int n = is_evolved ? GEN_COLUMNS + 1 : t->n_columns;
    gen_print(b, "{\"type\":\"struct\",\"schema-id\":%d,\"fields\":[", is_evolved);
    for (int i = 0; i < n; i++)
        put_column(b, i, is_evolved);
    gen_print(b, "]}");
}

static void put_spec_field(struct gen_bytes *b, const char *name, const char *transform,
                           int source_id, int field_id) {
    gen_print(b,
              "{\"name\":\"%s\",\"transform\":\"%s\",\"source-id\":%d,\"field-id\":%d}",
              name, transform, source_id, field_id);
}

void gen_put_spec_fields(struct gen_bytes *b, const struct gen_table *t,
                         bool is_evolved) {
    char bucket[32];
    snprintf(bucket, sizeof(bucket), "bucket[%d]", t->n_buckets);
    gen_print(b, "[");
    put_spec_field(b, "region", "identity", 3, 1000);
    gen_print(b, ",");
    put_spec_field(b, "event_ts_day", "day", 2, 1001);
    gen_print(b, ",");
    put_spec_field(b, "user_id_bucket", bucket, 4, 1002);
    if (is_evolved) {
        gen_print(b, ",");
        put_spec_field(b, "channel", "identity", 21, 1003);
    }
    gen_print(b, "]");
}

/* ---- Avro ---- */

static void put_field(struct gen_bytes *b, const char *name, const char *type, int id) {
    gen_print(b, ",{\"name\":\"%s\",\"type\":%s,\"field-id\":%d}", name, type, id);
}

static void put_optional(struct gen_bytes *b, const char *name, const char *type,
                         int id) {
    gen_print(
        b, ",{\"name\":\"%s\",\"type\":[\"null\",%s],\"default\":null,\"field-id\":%d}",
        name, type, id);
}

static void put_map(struct gen_bytes *b, const char *name, int id, int key,
                    const char *type) {
    gen_print(b,
              ",{\"name\":\"%s\",\"type\":[\"null\",{\"type\":\"array\",\"items\":{"
              "\"type\":\"record\",\"name\":\"k%d_v%d\",\"fields\":["
              "{\"name\":\"key\",\"type\":\"int\",\"field-id\":%d},"
              "{\"name\":\"value\",\"type\":\"%s\",\"field-id\":%d}]},"
              "\"logicalType\":\"map\"}],\"default\":null,\"field-id\":%d}",
              name, key, key + 1, key, type, key + 1, id);
}

static void put_partition(struct gen_bytes *b, bool is_evolved) {
    gen_print(b,
              ",{\"name\":\"partition\",\"type\":{\"type\":\"record\",\"name\":\"r102\","
              "\"fields\":[{\"name\":\"region\",\"type\":[\"null\",\"string\"],"
              "\"default\":null,\"field-id\":1000}");
    put_optional(b, "event_ts_day", "{\"type\":\"int\",\"logicalType\":\"date\"}", 1001);
    put_optional(b, "user_id_bucket", "\"int\"", 1002);
    if (is_evolved)
        put_optional(b, "channel", "\"string\"", 1003);
    gen_print(b, "]},\"field-id\":102}");
}

static void put_data_file(struct gen_bytes *b, int version, bool is_evolved) {
    gen_print(b, ",{\"name\":\"data_file\",\"type\":{\"type\":\"record\",\"name\":\"r2\","
                 "\"fields\":[");
    if (version > 1)
        gen_print(b, "{\"name\":\"content\",\"type\":\"int\",\"field-id\":134},");
    gen_print(b, "{\"name\":\"file_path\",\"type\":\"string\",\"field-id\":100}");
    put_field(b, "file_format", "\"string\"", 101);
    put_partition(b, is_evolved);
    put_field(b, "record_count", "\"long\"", 103);
    put_field(b, "file_size_in_bytes", "\"long\"", 104);
    if (version == 1)
        put_field(b, "block_size_in_bytes", "\"long\"", 105);
    put_map(b, "column_sizes", 108, 117, "long");
    put_map(b, "value_counts", 109, 119, "long");
    put_map(b, "null_value_counts", 110, 121, "long");
    put_map(b, "nan_value_counts", 137, 138, "long");
    put_map(b, "lower_bounds", 125, 126, "bytes");
    put_map(b, "upper_bounds", 128, 129, "bytes");
    put_optional(b, "key_metadata", "\"bytes\"", 131);
    put_optional(b, "split_offsets",
                 "{\"type\":\"array\",\"items\":\"long\",\"element-id\":133}", 132);
    put_optional(b, "equality_ids",
                 "{\"type\":\"array\",\"items\":\"int\",\"element-id\":136}", 135);
    put_optional(b, "sort_order_id", "\"int\"", 140);
    if (version > 2)
        put_optional(b, "first_row_id", "\"long\"", 142);
    if (version > 1)
        put_optional(b, "referenced_data_file", "\"string\"", 143);
    if (version > 2) {
        put_optional(b, "content_offset", "\"long\"", 144);
        put_optional(b, "content_size_in_bytes", "\"long\"", 145);
    }
    gen_print(b, "]},\"field-id\":2}");
}

void gen_put_entry_schema(struct gen_bytes *b, int version, bool is_evolved) {
    gen_print(b, "{\"type\":\"record\",\"name\":\"manifest_entry\",\"fields\":["
                 "{\"name\":\"status\",\"type\":\"int\",\"field-id\":0}");
    if (version == 1)
        put_field(b, "snapshot_id", "\"long\"", 1);
    if (version > 1) {
        put_optional(b, "snapshot_id", "\"long\"", 1);
        put_optional(b, "sequence_number", "\"long\"", 3);
        put_optional(b, "file_sequence_number", "\"long\"", 4);
    }
    put_data_file(b, version, is_evolved);
    gen_print(b, "]}");
}

void gen_put_list_schema(struct gen_bytes *b, int version) {
    static const char *const counts[] = {"added_files_count",   "existing_files_count",
                                         "deleted_files_count", "added_rows_count",
                                         "existing_rows_count", "deleted_rows_count"};
    static const int ids[] = {504, 505, 506, 512, 513, 514};
    gen_print(b, "{\"type\":\"record\",\"name\":\"manifest_file\",\"fields\":["
                 "{\"name\":\"manifest_path\",\"type\":\"string\",\"field-id\":500}");
    put_field(b, "manifest_length", "\"long\"", 501);
    put_field(b, "partition_spec_id", "\"int\"", 502);
    if (version > 1) {
        put_field(b, "content", "\"int\"", 517);
        put_field(b, "sequence_number", "\"long\"", 515);
        put_field(b, "min_sequence_number", "\"long\"", 516);
    }
    put_field(b, "added_snapshot_id", "\"long\"", 503);
    for (int i = 0; i < 6; i++)
        put_field(b, counts[i], i < 3 ? "\"int\"" : "\"long\"", ids[i]);
    put_optional(b, "partitions",
                 "{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"r508\","
                 "\"fields\":["
                 "{\"name\":\"contains_null\",\"type\":\"boolean\",\"field-id\":509},"
                 "{\"name\":\"contains_nan\",\"type\":[\"null\",\"boolean\"],"
                 "\"default\":null,\"field-id\":518},"
                 "{\"name\":\"lower_bound\",\"type\":[\"null\",\"bytes\"],"
                 "\"default\":null,\"field-id\":510},"
                 "{\"name\":\"upper_bound\",\"type\":[\"null\",\"bytes\"],"
                 "\"default\":null,\"field-id\":511}]},\"element-id\":508}",
                 507);
    put_optional(b, "key_metadata", "\"bytes\"", 519);
    if (version > 2)
        put_optional(b, "first_row_id", "\"long\"", 520);
    gen_print(b, "]}");
}
