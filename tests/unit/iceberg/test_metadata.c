/*
 * Reading metadata.json: values, presence, defects, duplicates, packing.
 */
#include "assert_str.h"

#include "iceberg/metadata.h"
#include "support/failing_run.h"

#include <stdio.h>

/* A document read, with its defects as lines "KIND pointer". */
struct read {
    struct ice_run run;
    struct ice_metadata m;
    struct ice_buf defects;
    enum ice_status status;
    struct ice_error err;
};

static enum ice_status note(const struct ice_defect *defect, void *user) {
    static const char *const names[] = {
        [ICE_DEFECT_TYPE] = "type",           [ICE_DEFECT_NOT_INTEGER] = "fraction",
        [ICE_DEFECT_RANGE] = "range",         [ICE_DEFECT_NULL] = "null",
        [ICE_DEFECT_UNKNOWN_KEY] = "unknown", [ICE_DEFECT_BOM] = "bom",
        [ICE_DEFECT_LONE_SURROGATE] = "lone", [ICE_DEFECT_NUL] = "nul",
        [ICE_DEFECT_DUPLICATE_KEY] = "dup",   [ICE_DEFECT_TRAILING_DATA] = "trailing",
        [ICE_DEFECT_SUMMARY_VALUE] = "value", [ICE_DEFECT_SUMMARY_NUMBER] = "number",
    };
    struct ice_buf *out = user;
    if (out->size > 0 && ice_buf_append_char(out, ' ') < 0)
        return ICE_ENOMEM;
    const char *known =
        defect->kind == ICE_DEFECT_DUPLICATE_KEY && defect->known ? "!" : "";
    return ice_buf_printf(out, "%s%s:%.*s", names[defect->kind], known,
                          ICE_STR_FMT(defect->pointer));
}

static void read_with(struct read *r, const char *text,
                      const struct ice_metadata_want *want) {
    *r = (struct read){0};
    ice_run_init(&r->run, NULL);
    ice_buf_init(&r->defects, &r->run.alloc, 1 << 20);
    struct ice_stream stream;
    ice_stream_init_memory(&stream, &r->run, ice_str_from(text));
    r->status =
        ice_metadata_read(&stream, &r->run, want, note, &r->defects, &r->m, &r->err);
    ice_stream_release(&stream);
}

/* Each request for memory fails in turn: then that is said. */
static void read_without_memory(const char *text, const struct ice_metadata_want *want,
                                enum ice_status expected) {
    struct ice_run whole;
    struct ice_buf defects;
    bool is_done = false;
    ice_run_init(&whole, NULL);
    ice_buf_init(&defects, &whole.alloc, 1 << 20);
    for (uint64_t k = 1; !is_done; k++) {
        struct failing failing = {.fail_at = k};
        struct ice_run run;
        struct ice_metadata m = {0};
        struct ice_stream stream;
        failing_run_init(&run, &failing);
        ice_buf_clear(&defects);
        ice_stream_init_memory(&stream, &run, ice_str_from(text));
        enum ice_status status =
            ice_metadata_read(&stream, &run, want, note, &defects, &m, NULL);
        is_done = failing.n < k;
        assert_int_equal(status, is_done ? expected : ICE_ENOMEM);
        ice_stream_release(&stream);
        ice_metadata_release(&m);
        assert_int_equal(failing.used, 0);
    }
    ice_buf_release(&defects);
}

static void read_text(struct read *r, const char *text) {
    read_with(r, text, NULL);
}

static void done(struct read *r) {
    ice_metadata_release(&r->m);
    ice_metadata_release(&r->m);
    ice_buf_release(&r->defects);
    assert_int_equal(r->run.alloc.used, 0);
}

static void defects_of(const char *text, const char *expected) {
    struct read r;
    read_text(&r, text);
    assert_int_equal(r.status, ICE_OK);
    assert_str(ice_buf_str(&r.defects), expected);
    done(&r);
    read_without_memory(text, NULL, ICE_OK);
}

static void scalars(void **state) {
    (void)state;
    struct read r;
    read_text(&r, "{\"format-version\":2,\"table-uuid\":\"u\",\"last-sequence-number\":"
                  "9223372036854775807,\"last-column-id\":-2147483648,"
                  "\"current-snapshot-id\":null,\"location\":\"s3://b/t\"}");
    assert_int_equal(r.status, ICE_OK);
    assert_int_equal(r.m.format_version, 2);
    assert_str(r.m.table_uuid, "u");
    assert_str(r.m.location, "s3://b/t");
    assert_true(r.m.last_sequence_number == INT64_MAX);
    assert_int_equal(r.m.last_column_id, INT32_MIN);
    assert_true(ice_metadata_has(&r.m, ICE_META_last_column_id));
    assert_false(ice_metadata_has(&r.m, ICE_META_current_snapshot_id));
    assert_true(r.m.null & ICE_BIT(ICE_META_current_snapshot_id));
    assert_int_equal(r.defects.size, 0);
    assert_false(r.m.is_view);
    done(&r);
}

static void defects(void **state) {
    (void)state;
    defects_of("{\"last-column-id\":3.0}", "fraction:/last-column-id");
    defects_of("{\"last-column-id\":1e3}", "fraction:/last-column-id");
    defects_of("{\"last-column-id\":2147483648}", "range:/last-column-id");
    defects_of("{\"last-updated-ms\":9223372036854775808}", "range:/last-updated-ms");
    defects_of("{\"last-updated-ms\":\"1\"}", "type:/last-updated-ms");
    defects_of("{\"location\":5}", "type:/location");
    defects_of("{\"refs\":[]}", "type:/refs");
    defects_of("{\"refs\":null,\"location\":null}", "null:/refs");
    defects_of("{\"snapshots\":[{\"parent-snapshot-id\":null,\"schema-id\":null,"
               "\"key-id\":null,\"summary\":null}]}",
               "null:/snapshots/0/parent-snapshot-id null:/snapshots/0/summary");
    defects_of("{\"snapshots\":[5,{}]}", "type:/snapshots/0");
    defects_of("{\"x/y\":{\"a\":[1,{}]}}", "unknown:/x~1y");
    defects_of("{\"snapshot-log\":[{\"snapshot-id\":1,\"timestamp-ms\":2,\"who\":1}]}",
               "unknown:/snapshot-log/0/who");
    defects_of(
        "{\"schemas\":[{\"type\":\"struct\",\"fields\":[{\"id\":1.5,\"doc\":null}]}]}",
        "fraction:/schemas/0/fields/0/id");
    defects_of(
        "{\"partition-specs\":[{\"spec-id\":0,\"fields\":[{\"source-ids\":[1,\"2\"],"
        "\"transform\":3}]}]}",
        "type:/partition-specs/0/fields/0/source-ids/1 "
        "type:/partition-specs/0/fields/0/transform");
    defects_of("{\"next-row-id\":1,\"encryption-keys\":[{\"key-id\":\"a\",\"b\":1}]}",
               "unknown:/encryption-keys/0/b");
    defects_of(
        "{\"statistics\":[{\"snapshot-id\":\"1\",\"blob-metadata\":[{\"fields\":{}}]}]}",
        "type:/statistics/0/snapshot-id "
        "type:/statistics/0/blob-metadata/0/fields");
    defects_of("{\"properties\":{\"a\":1},\"snapshots\":[{\"summary\":{\"a\":null}}]}",
               "value:/snapshots/0/summary/a");
    defects_of("{\"snapshots\":[{\"summary\":{\"added-records\":\"-5\","
               "\"total-records\":\"0\",\"published-wap-id\":\"x\"}}]}",
               "number:/snapshots/0/summary/added-records");
    defects_of("{} x", "trailing:");
    defects_of("{\"refs\":{\"a\":true,\"b\":false,\"c\":null,\"d\":[]}}",
               "type:/refs/a type:/refs/b type:/refs/c type:/refs/d");
    defects_of("{\"snapshots\":[true,null,\"x\"]}",
               "type:/snapshots/0 type:/snapshots/1 type:/snapshots/2");
    defects_of("{\"statistics\":[{\"blob-metadata\":[{\"fields\":[\"x\",true,1.5,"
               "99999999999,7],\"properties\":{\"a\":1,\"b\":\"c\",\"d\":[{}]}}]}]}",
               "type:/statistics/0/blob-metadata/0/fields/0 "
               "type:/statistics/0/blob-metadata/0/fields/1 "
               "fraction:/statistics/0/blob-metadata/0/fields/2 "
               "range:/statistics/0/blob-metadata/0/fields/3 "
               "type:/statistics/0/blob-metadata/0/properties/a "
               "type:/statistics/0/blob-metadata/0/properties/d");
    defects_of("{\"encryption-keys\":[{\"key-id\":\"k\",\"encrypted-by-id\":null,"
               "\"properties\":{\"a\":1,\"b\":\"c\",\"d\":null}},"
               "{\"properties\":null},{\"properties\":[]}]}",
               "type:/encryption-keys/0/properties/a "
               "type:/encryption-keys/0/properties/d null:/encryption-keys/1/properties "
               "type:/encryption-keys/2/properties");
    defects_of("{\"statistics\":[{\"blob-metadata\":[{\"sequence-number\":null,"
               "\"properties\":null}]}]}",
               "null:/statistics/0/blob-metadata/0/properties");
    defects_of("{\"schemas\":[{\"type\":\"struct\",\"schema-id\":true,"
               "\"identifier-field-ids\":[2.5],\"fields\":[]}]}",
               "type:/schemas/0/schema-id fraction:/schemas/0/identifier-field-ids/0");
}

static void duplicates(void **state) {
    (void)state;
    struct read r;
    read_text(&r,
              "{\"location\":\"a\",\"location\":\"b\",\"last-column-id\":1,"
              "\"last-column-id\":null,\"x\":1,\"x\":2,"
              "\"refs\":{\"main\":{\"snapshot-id\":1},\"main\":{\"type\":\"branch\"}},"
              "\"properties\":{\"p\":\"1\",\"p\":\"2\"},"
              "\"snapshots\":[{\"snapshot-id\":1},{\"snapshot-id\":2}],"
              "\"snapshots\":[{\"snapshot-id\":3,\"manifest-list\":\"d/l\","
              "\"manifest-list\":\"d/m\",\"summary\":{\"operation\":\"x\","
              "\"operation\":\"append\"}}]}");
    assert_int_equal(r.status, ICE_OK);
    assert_str(ice_buf_str(&r.defects),
               "dup!:/location dup!:/last-column-id unknown:/x dup:/x unknown:/x "
               "dup!:/refs/main dup:/properties/p dup!:/snapshots "
               "dup!:/snapshots/0/manifest-list dup:/snapshots/0/summary/operation");
    assert_str(r.m.location, "b");
    assert_false(ice_metadata_has(&r.m, ICE_META_last_column_id));
    assert_int_equal(r.m.n_refs, 1);
    assert_true(r.m.refs[0].has_type && !r.m.refs[0].has_snapshot_id);
    assert_int_equal(r.m.n_properties, 1);
    assert_str(r.m.properties[0].value, "2");
    assert_int_equal(r.m.n_snapshots, 1);
    assert_int_equal(ice_metadata_find_snapshot(&r.m, 3), 0);
    assert_true(ice_metadata_find_snapshot(&r.m, 1) == SIZE_MAX);
    struct ice_buf scratch;
    struct ice_str list;
    ice_buf_init(&scratch, &r.run.alloc, 1 << 20);
    assert_int_equal(ice_snapshot_manifest_list(&r.m, &r.m.snapshots[0], &scratch, &list),
                     ICE_OK);
    assert_str(list, "d/m");
    ice_buf_release(&scratch);
    assert_int_equal(r.m.snapshots[0].operation, ICE_OPERATION_APPEND);
    done(&r);
}

static const char two_snapshots[] =
    "{\"snapshots\":[{\"snapshot-id\":7,\"sequence-number\":1,\"timestamp-ms\":5,"
    "\"manifest-list\":\"s3://b/t/metadata/snap-7.avro\",\"schema-id\":0,"
    "\"summary\":{\"operation\":\"append\",\"added-records\":\"12\",\"total-records\":"
    "\"x\","
    "\"wap.id\":\"w\",\"engine\":\"e\"}},"
    "{\"snapshot-id\":8,\"parent-snapshot-id\":7,\"key-id\":\"k\","
    "\"manifests\":[\"a\",\"b\"],\"manifest-list\":\"s3://b/u/l.avro\","
    "\"summary\":{\"operation\":\"merge\",\"total-records\":5}}]}";

static void snapshots(void **state) {
    (void)state;
    struct read r;
    read_text(&r, two_snapshots);
    assert_int_equal(r.status, ICE_OK);
    assert_int_equal(r.m.n_snapshots, 2);
    const struct ice_snapshot *a = &r.m.snapshots[0], *b = &r.m.snapshots[1];
    struct ice_buf scratch;
    struct ice_str text;
    int64_t number;
    ice_buf_init(&scratch, &r.run.alloc, 1 << 20);
    assert_str(r.m.list_prefix, "s3://b/t/metadata/");
    assert_int_equal(ice_snapshot_manifest_list(&r.m, a, &scratch, &text), ICE_OK);
    assert_str(text, "s3://b/t/metadata/snap-7.avro");
    assert_int_equal(ice_snapshot_manifest_list(&r.m, b, &scratch, &text), ICE_OK);
    assert_str(text, "s3://b/u/l.avro");
    assert_true(ice_snapshot_metric(&r.m, a, ICE_METRIC_ADDED_RECORDS, &number));
    assert_int_equal(number, 12);
    assert_false(ice_snapshot_metric(&r.m, a, ICE_METRIC_TOTAL_RECORDS, &number));
    assert_false(ice_snapshot_metric(&r.m, a, ICE_METRIC_ADDED_DVS, &number));
    assert_int_equal(a->flags, ICE_SNAPSHOT_WAP_ID | ICE_SNAPSHOT_METRIC_BAD);
    assert_str(ice_snapshot_operation(&r.m, a), "append");
    assert_str(ice_snapshot_operation(&r.m, b), "merge");
    assert_int_equal(b->operation, ICE_OPERATION_OTHER);
    assert_int_equal(b->flags, ICE_SNAPSHOT_SUMMARY_VALUE_NOT_STRING);
    assert_str(ice_snapshot_key_id(&r.m, b), "k");
    assert_int_equal(ice_snapshot_key_id(&r.m, a).size, 0);
    assert_true(ice_snapshot_manifest(&r.m, b, 1, &text));
    assert_str(text, "b");
    assert_false(ice_snapshot_manifest(&r.m, b, 2, &text));
    assert_false(ice_snapshot_manifest(&r.m, a, 0, &text));
    assert_true(ice_snapshot_has(b, ICE_SNAP_parent_snapshot_id));
    assert_false(ice_snapshot_has(a, ICE_SNAP_parent_snapshot_id));
    assert_true(sizeof(struct ice_snapshot) <= 80);
    ice_buf_release(&scratch);
    done(&r);
}

static void whole_summaries(void **state) {
    (void)state;
    struct read r;
    read_with(&r, two_snapshots, &(struct ice_metadata_want){.summaries = true});
    struct ice_str key, value;
    assert_true(ice_snapshot_summary(&r.m, &r.m.snapshots[0], 4, &key, &value));
    assert_str(key, "engine");
    assert_str(value, "e");
    assert_false(ice_snapshot_summary(&r.m, &r.m.snapshots[0], 5, &key, &value));
    assert_true(ice_snapshot_summary(&r.m, &r.m.snapshots[1], 1, &key, &value));
    assert_str(value, "5");
    done(&r);
}

static void many_snapshots(void **state) {
    (void)state;
    struct read r;
    struct ice_run run;
    struct ice_buf text;
    ice_run_init(&run, NULL);
    ice_buf_init(&text, &run.alloc, 1 << 24);
    assert_int_equal(ice_buf_append_str(&text, ICE_STR("{\"snapshots\":[")), ICE_OK);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(ice_buf_printf(&text,
                                        "%s{\"snapshot-id\":%d,\"manifest-list\":"
                                        "\"s3://bucket/table/metadata/snap-%d.avro\"}",
                                        i ? "," : "", i % 4000, i),
                         ICE_OK);
    assert_int_equal(ice_buf_append(&text, "]}", 3), ICE_OK);
    read_text(&r, text.data);
    assert_int_equal(r.m.n_snapshots, 5000);
    for (int i = 0; i < 4000; i++)
        assert_int_equal(ice_metadata_find_snapshot(&r.m, i), i);
    assert_true(ice_metadata_find_snapshot(&r.m, 4000) == SIZE_MAX);
    assert_true(r.m.text.size < 5000 * 20);
    done(&r);
    ice_buf_release(&text);
}

/* Names that are packed and names that nearly are come back as they were. */
static void list_names(void **state) {
    (void)state;
    static const char *const names[] = {
        "s3://b/m/snap-7-1-00112233-4455-6677-8899-aabbccddeeff.avro",
        "s3://b/m/snap-7-99-00112233-4455-6677-8899-aabbccddeeff.avro",
        "s3://b/m/snap-8-1-00112233-4455-6677-8899-aabbccddeeff.avro",
        "s3://b/m/snap-7-01-00112233-4455-6677-8899-aabbccddeeff.avro",
        "s3://b/m/snap-7-1-00112233-4455-6677-8899-AABBCCDDEEFF.avro",
        "s3://b/m/snap-7-1-0011223344556677-8899-aabbccddeeff-----.avro",
        "s3://b/m/snap-7-1-00112233-4455-6677-8899-aabbccddeeff.avrO",
        "s3://b/x/snap-7-1-00112233-4455-6677-8899-aabbccddeeff.avro",
        "snap-7-1-00112233-4455-6677-8899-aabbccddeeff.avro",
        "s3://b/m/snap-7-18446744073709551616-00112233-4455-6677-8899-aabbccddeeff.avro",
        "s3://b/m/snap--1-00112233-4455-6677-8899-aabbccddeeff.avro",
        "",
    };
    struct ice_run run;
    struct ice_buf text;
    struct read r;
    const size_t n = sizeof(names) / sizeof(names[0]);
    ice_run_init(&run, NULL);
    ice_buf_init(&text, &run.alloc, 1 << 20);
    assert_int_equal(ice_buf_append_str(&text, ICE_STR("{\"snapshots\":[")), ICE_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(ice_buf_printf(&text,
                                        "%s{\"snapshot-id\":7,\"manifest-list\":\"%s\"}",
                                        i ? "," : "", names[i]),
                         ICE_OK);
    assert_int_equal(ice_buf_append(&text, "]}", 3), ICE_OK);
    read_text(&r, text.data);
    struct ice_buf scratch;
    ice_buf_init(&scratch, &run.alloc, 1 << 20);
    for (size_t i = 0; i < n; i++) {
        struct ice_str list;
        assert_int_equal(
            ice_snapshot_manifest_list(&r.m, &r.m.snapshots[i], &scratch, &list), ICE_OK);
        assert_str(list, names[i]);
    }
    assert_true(r.m.snapshots[1].text - r.m.snapshots[0].text < 24);
    ice_buf_release(&scratch);
    ice_buf_release(&text);
    done(&r);
}

static void the_rest(void **state) {
    (void)state;
    struct read r;
    read_text(
        &r,
        "{\"refs\":{\"main\":{\"snapshot-id\":1,\"type\":\"branch\","
        "\"min-snapshots-to-keep\":3,\"max-ref-age-ms\":4}},"
        "\"metadata-log\":[{\"timestamp-ms\":1,\"metadata-file\":\"f\"},{}],"
        "\"snapshot-log\":[{\"timestamp-ms\":\"x\",\"snapshot-id\":4}],"
        "\"partition-statistics\":[{\"snapshot-id\":1}],"
        "\"statistics\":[{\"statistics-path\":\"p\",\"blob-metadata\":[{\"type\":\"t\","
        "\"fields\":[1,2],\"properties\":{\"ndv\":\"3\"}}]}],"
        "\"sort-orders\":[{\"order-id\":1,\"fields\":[{\"transform\":\"bucket[4]\","
        "\"source-id\":3,\"direction\":\"asc\",\"null-order\":\"nulls-first\"}]}],"
        "\"partition-spec\":[{\"name\":\"d\",\"transform\":\"day\",\"source-id\":6}],"
        "\"encryption-keys\":[{\"key-id\":\"k\"}]}");
    assert_int_equal(r.m.refs[0].min_snapshots_to_keep, 3);
    assert_true(r.m.refs[0].has_max_ref_age && !r.m.refs[0].has_max_snapshot_age);
    assert_int_equal(r.m.n_metadata_log, 2);
    assert_str(r.m.metadata_log[0].file, "f");
    assert_false(r.m.metadata_log[1].has_what || r.m.metadata_log[1].bad);
    assert_true(r.m.snapshot_log[0].bad && r.m.snapshot_log[0].has_what);
    assert_int_equal(r.m.n_statistics, 2);
    assert_true(r.m.statistics[0].is_partition);
    assert_str(r.m.statistics[1].pointer, "/statistics/0");
    assert_int_equal(r.m.statistics[1].blobs[0].fields[1], 2);
    assert_str(r.m.statistics[1].blobs[0].properties[0].value, "3");
    const struct ice_sort_field *sort = &r.m.orders[0].fields[0];
    assert_int_equal(sort->has, ICE_PART_HAS_SOURCE_ID | ICE_PART_HAS_TRANSFORM |
                                    ICE_PART_HAS_DIRECTION | ICE_PART_HAS_NULL_ORDER);
    assert_str(sort->null_order, "nulls-first");
    const struct ice_partition_spec *spec = ice_metadata_find_spec(&r.m, 0);
    assert_ptr_equal(spec, &r.m.spec);
    assert_int_equal(spec->fields[0].field_id, 1000);
    assert_false(spec->fields[0].has & ICE_PART_HAS_FIELD_ID);
    assert_true(r.m.keys[0].has_key_id && !r.m.keys[0].has_metadata);
    done(&r);
}

static void not_tables(void **state) {
    (void)state;
    struct read r;
    read_text(&r, "[]");
    assert_int_equal(r.status, ICE_EFORMAT);
    assert_string_equal(r.err.rule, "json.root.not-object");
    done(&r);
    read_text(&r, "{\"view-uuid\":\"u\",\"versions\":[{}]}");
    assert_true(r.m.is_view);
    assert_int_equal(r.defects.size, 0);
    done(&r);
    read_text(&r, "{\"location\":\"a\",\"snapshots\":[{\"snapshot-id\":4},{\"snap");
    assert_int_equal(r.status, ICE_EFORMAT);
    assert_string_equal(r.err.rule, "json.truncated");
    assert_int_equal(r.m.n_snapshots, 1);
    assert_int_equal(ice_metadata_find_snapshot(&r.m, 4), 0);
    done(&r);
}

static void no_memory_is_said(void **state) {
    (void)state;
    const struct ice_metadata_want all = {.summaries = true};
    static const char *const texts[] = {
        two_snapshots,
        "{\"format-version\":2,\"table-uuid\":\"u\",\"location\":\"s3://b/"
        "t\",\"schemas\":[{"
        "\"type\":\"struct\",\"schema-id\":1,\"fields\":[{\"id\":1,\"name\":\"a\","
        "\"required\":"
        "true,\"type\":\"int\"}]},{\"schema-id\":2}],\"current-schema-id\":1,"
        "\"partition-specs\":[{\"spec-id\":0,\"fields\":[{\"name\":\"p\",\"transform\":"
        "\"day\",\"source-id\":1,\"field-id\":1000}]}],\"sort-orders\":[{\"order-id\":1,"
        "\"fields\":[{\"transform\":\"identity\",\"source-id\":1,\"direction\":\"asc\","
        "\"null-order\":\"nulls-first\"}]}],\"refs\":{\"main\":{\"snapshot-id\":7,"
        "\"type\":"
        "\"branch\"},\"main\":{}},\"properties\":{\"a\":\"b\",\"c\":5,\"a\":\"d\"},"
        "\"snapshot-log\":[{\"snapshot-id\":7,\"timestamp-ms\":1}],\"metadata-log\":[{"
        "\"metadata-file\":\"x\",\"timestamp-ms\":1}],\"statistics\":[{\"snapshot-id\":7,"
        "\"statistics-path\":\"s\",\"blob-metadata\":[{\"type\":\"t\",\"fields\":[1],"
        "\"properties\":{\"a\":\"b\"}}]}],\"partition-statistics\":[{\"snapshot-id\":7}],"
        "\"encryption-keys\":[{\"key-id\":\"k\"}]}",
        "{\"location\":\"a\",\"schema\":{\"type\":\"struct\",\"fields\":[]},"
        "\"partition-spec\":[{\"name\":\"p\"}],\"statistics\":[],\"statistics\":[{}]}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        read_without_memory(texts[i], NULL, ICE_OK);
        read_without_memory(texts[i], &all, ICE_OK);
    }
    read_without_memory("{\"snapshots\":[{\"snapshot-id\":4},{\"snap", &all, ICE_EFORMAT);
}

/* A table of before "schemas": the one schema is found by its id. */
static void the_schema_of_old(void **state) {
    (void)state;
    struct read r;
    read_text(&r, "{\"schema\":{\"type\":\"struct\",\"schema-id\":3,\"fields\":[]},"
                  "\"partition-spec\":[]}");
    assert_ptr_equal(ice_metadata_find_schema(&r.m, 3), &r.m.schema);
    assert_null(ice_metadata_find_schema(&r.m, 4));
    assert_ptr_equal(ice_metadata_current_schema(&r.m), &r.m.schema);
    assert_true(ice_metadata_lacks_schema(&r.m, 4));
    assert_ptr_equal(ice_metadata_find_spec(&r.m, 0), &r.m.spec);
    assert_null(ice_metadata_find_spec(&r.m, 1));
    done(&r);
    read_text(&r, "{\"schemas\":[{\"schema-id\":3},{\"schema-id\":\"x\"}],"
                  "\"schema\":{\"schema-id\":4}}");
    assert_ptr_equal(ice_metadata_find_schema(&r.m, 3), &r.m.schemas[0]);
    assert_null(ice_metadata_find_schema(&r.m, 4));
    assert_false(
        ice_metadata_lacks_schema(&r.m, 4)); /* it may be the one without an id */
    done(&r);
    struct ice_metadata none = {0};
    assert_null(ice_metadata_find_schema(&none, 0));
    assert_null(ice_metadata_current_schema(&none));
}

/* Marks of views and functions count where what every table has is not there. */
static void views_and_vendors(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool is_view;
    } cases[] = {
        {"{\"view-uuid\":\"u\",\"last-column-id\":1}", true},
        {"{\"function-uuid\":5}", true},
        {"{\"versions\":[]}", true},
        {"{\"versions\":[],\"last-column-id\":1}", false},
        {"{\"versions\":[],\"last-column-id\":\"x\"}", false},
        {"{\"location\":\"x\"}", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct read r;
        read_text(&r, cases[i].text);
        if (r.m.is_view != cases[i].is_view)
            fail_msg("%s", cases[i].text);
        done(&r);
    }
}

/* Every prefix of a document, and every allocation failing once, ends cleanly. */
static void cut_anywhere(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof(two_snapshots) - 1; n++) {
        char text[sizeof(two_snapshots)];
        struct read r;
        memcpy(text, two_snapshots, n);
        text[n] = '\0';
        read_text(&r, text);
        assert_int_equal(r.status, ICE_EFORMAT);
        done(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars),           cmocka_unit_test(defects),
        cmocka_unit_test(duplicates),        cmocka_unit_test(snapshots),
        cmocka_unit_test(whole_summaries),   cmocka_unit_test(many_snapshots),
        cmocka_unit_test(the_rest),          cmocka_unit_test(not_tables),
        cmocka_unit_test(no_memory_is_said), cmocka_unit_test(the_schema_of_old),
        cmocka_unit_test(views_and_vendors), cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(list_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
