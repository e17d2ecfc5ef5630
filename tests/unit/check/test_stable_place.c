/*
 * What of a place in the current metadata file stays when the table moves on.
 */
#include "check/stable_place.h"
#include "support/cmocka_all.h"

#include "base/error.h"

#define FILE_NAME "metadata/v3.metadata.json"

static struct ice_run run;
static struct ice_check ck;

static void read_metadata(const char *json) {
    struct ice_stream stream = {0};
    struct ice_options options = ICE_OPTIONS_INIT;
    ice_run_init(&run, &options);
    ck = (struct ice_check){.run = &run, .metadata_file = ICE_STR(FILE_NAME)};
    ice_stream_init_memory(&stream, &run, ice_str_from(json));
    assert_int_equal(
        ice_metadata_read(&stream, &run, NULL, NULL, NULL, &ck.metadata, NULL), ICE_OK);
    ice_stream_release(&stream);
}

static void release_metadata(void) {
    ice_metadata_release(&ck.metadata);
    assert_int_equal(run.alloc.used, 0);
}

/* Without the name that stands for the file. */
static void expect(const char *pointer, const char *wanted) {
    struct ice_buf out;
    struct ice_place place =
        ice_place_at(ICE_STR(FILE_NAME), ICE_ORDER_METADATA, ice_str_from(pointer));
    ice_buf_init(&out, &run.alloc, SIZE_MAX / 2);
    assert_int_equal(ice_stable_place(&ck, &place, &out), ICE_OK);
    const size_t name = sizeof("the current metadata file");
    assert_true(out.size >= name && out.data[name - 1] == '\0');
    struct ice_str got = ice_str_from_index(ice_buf_str(&out), name);
    if (!ice_str_is(got, wanted))
        fail_msg("%s: '%.*s' is not '%s'", pointer, ICE_STR_FMT(got), wanted);
    ice_buf_release(&out);
}

static void elements_go_by_their_ids(void **state) {
    (void)state;
    read_metadata(
        "{\"snapshots\":[{\"snapshot-id\":5},{\"snapshot-id\":7,\"manifests\":[\"m\"]}],"
        "\"partition-specs\":[{\"spec-id\":3,\"fields\":[{\"field-id\":1000},"
        "{\"field-id\":1001}]}],"
        "\"sort-orders\":[{\"order-id\":0,\"fields\":[]},{\"order-id\":4,\"fields\":[{}]}"
        "],"
        "\"snapshot-log\":[{\"timestamp-ms\":99,\"snapshot-id\":5}],"
        "\"metadata-log\":[{\"metadata-file\":\"s3://b/t/v1\",\"timestamp-ms\":1}],"
        "\"statistics\":[{\"snapshot-id\":5,\"statistics-path\":\"p\"}],"
        "\"partition-statistics\":[{\"snapshot-id\":5},{\"snapshot-id\":7}],"
        "\"encryption-keys\":[{\"key-id\":\"k~\"}]}");
    expect("", "");
    expect("/last-column-id", "/last-column-id");
    expect("/snapshots", "/snapshots");
    expect("/snapshots/1", "/snapshots/snapshot-id=7");
    expect("/snapshots/1/manifests/0", "/snapshots/snapshot-id=7/manifests/0");
    expect("/partition-specs/0/fields/1/name",
           "/partition-specs/spec-id=3/field-id=1001/name");
    expect("/partition-specs/0/fields", "/partition-specs/spec-id=3/fields");
    expect("/sort-orders/1/fields/0/source-id",
           "/sort-orders/order-id=4/fields/0/source-id");
    expect("/snapshot-log/0/timestamp-ms",
           "/snapshot-log/timestamp-ms=99/snapshot-id=5/timestamp-ms");
    expect("/metadata-log/0", "/metadata-log/metadata-file=/s3:~1~1b~1t~1v1");
    expect("/statistics/0/snapshot-id",
           "/statistics/snapshot-id=5/statistics-path=/p/snapshot-id");
    expect("/partition-statistics/1", "/partition-statistics/snapshot-id=7");
    expect("/encryption-keys/0/encrypted-by-id",
           "/encryption-keys/key-id=/k~0/encrypted-by-id");
    expect("/refs/1/snapshot-id", "/refs/1/snapshot-id");
    release_metadata();
}

static void without_a_usable_id_by_number(void **state) {
    (void)state;
    read_metadata("{\"snapshots\":[{\"snapshot-id\":5},{\"snapshot-id\":5},"
                  "{\"snapshot-id\":\"x\"}],"
                  "\"schemas\":[{\"schema-id\":1},{\"schema-id\":1},{}],"
                  "\"partition-specs\":[5,{\"spec-id\":1}],"
                  "\"partition-spec\":[{\"name\":\"a\"},{\"field-id\":1000},"
                  "{\"field-id\":1000}],"
                  "\"snapshot-log\":[{\"timestamp-ms\":1}],\"metadata-log\":[{}],"
                  "\"statistics\":[{}],\"encryption-keys\":[{}]}");
    expect("/snapshots/0", "/snapshots/snapshot-id=5");
    expect("/snapshots/1", "/snapshots/1");
    expect("/snapshots/2/snapshot-id", "/snapshots/2/snapshot-id");
    expect("/snapshots/3", "/snapshots/3");
    expect("/snapshots/x", "/snapshots/x");
    expect("/snapshots/99999999999999999999", "/snapshots/99999999999999999999");
    expect("/schemas/0", "/schemas/schema-id=1");
    expect("/schemas/1", "/schemas/1");
    expect("/schemas/2", "/schemas/2");
    expect("/partition-specs/0", "/partition-specs/0");
    expect("/partition-specs/1", "/partition-specs/1");
    expect("/partition-spec/0/name", "/partition-spec/0/name");
    expect("/partition-spec/1/name", "/partition-spec/field-id=1000/name");
    expect("/partition-spec/2/name", "/partition-spec/2/name");
    expect("/snapshot-log/0", "/snapshot-log/0");
    expect("/metadata-log/0", "/metadata-log/0");
    expect("/statistics/0", "/statistics/0");
    expect("/encryption-keys/0", "/encryption-keys/0");
    release_metadata();
}

#define STRUCT(fields) "{\"type\":\"struct\",\"fields\":[" fields "]}"
#define FIELD(id, type) "{\"id\":" id ",\"name\":\"n\",\"type\":" type "}"

static void fields_go_by_their_ids(void **state) {
    (void)state;
    read_metadata("{\"schema\":" STRUCT(FIELD("1", "\"int\"") "," FIELD(
        "2",
        "\"int\"")) ","
                    "\"schemas\":[{\"schema-id\":8,\"fields\":[" FIELD("1", STRUCT(FIELD("2", "\"int\"") "," FIELD("3", "\"int\""))) "," FIELD(
                        "4", "{\"type\":\"map\",\"value\":" STRUCT(FIELD("7", "\"int\"")) ",\"value-id\":6,\"key-id\":5,\"key\":" STRUCT(
                                 FIELD("8", "\"int\"") "," FIELD(
                                     "9",
                                     "\"int\"")) "}") "," FIELD("10",
                                                                "{\"type\":\"list\","
                                                                "\"element-id\":11,"
                                                                "\"element\":" STRUCT(
                                                                    "{\"name\":"
                                                                    "\"idless\"}," FIELD(
                                                                        "1",
                                                                        "\"int\"")) "}") "," FIELD("12",
                                                                                                   "\"int\"") "]}]}");
    expect("/schema/fields/1/type", "/schema/field-id=2/type");
    expect("/schema/fields/2/type", "/schema/fields/2/type");
    expect("/schemas/0/fields", "/schemas/schema-id=8/fields");
    expect("/schemas/0/fields/0", "/schemas/schema-id=8/field-id=1");
    expect("/schemas/0/fields/0/type/fields/1/name",
           "/schemas/schema-id=8/field-id=3/name");
    expect("/schemas/0/fields/1/type/value-id",
           "/schemas/schema-id=8/field-id=4/type/value-id");
    expect("/schemas/0/fields/1/type/value", "/schemas/schema-id=8/field-id=6");
    expect("/schemas/0/fields/1/type/value/fields/0", "/schemas/schema-id=8/field-id=7");
    expect("/schemas/0/fields/1/type/key/fields/1/name",
           "/schemas/schema-id=8/field-id=9/name");
    expect("/schemas/0/fields/2/type/element/fields/0/name",
           "/schemas/schema-id=8/field-id=11/fields/0/name");
    expect("/schemas/0/fields/2/type/element/fields/1/name",
           "/schemas/schema-id=8/field-id=11/fields/1/name");
    expect("/schemas/0/fields/3/type", "/schemas/schema-id=8/field-id=12/type");
    expect("/schemas/0/fields/33/type", "/schemas/schema-id=8/fields/33/type");
    release_metadata();
}

static void other_files_stay_as_they_are(void **state) {
    (void)state;
    read_metadata("{\"snapshots\":[{\"snapshot-id\":5}],\"metadata-log\":["
                  "{\"metadata-file\":\"s3://b/t/metadata/v1.metadata.json\"}]}");
    const struct {
        const char *file, *pointer;
        uint64_t order;
        const char *wanted; /* NULL: as it is */
    } rows[] = {
        {"metadata/v2.metadata.json", "/snapshots/0", ICE_ORDER_METADATA, NULL},
        {"metadata/x-m0.avro", "", ICE_ORDER_MANIFEST, NULL},
        {FILE_NAME, "/snapshots/0", ICE_ORDER_HISTORY + 2, NULL},
        {FILE_NAME, "/metadata-log", ICE_ORDER_HISTORY + 2, NULL},
        {FILE_NAME, "/metadata-log/0/timestamp-ms", ICE_ORDER_HISTORY + 2, NULL},
        {FILE_NAME, "/metadata-log/1/metadata-file", ICE_ORDER_HISTORY + 2, NULL},
        /* what was said of the file while it was the current one */
        {FILE_NAME, "/metadata-log/0/metadata-file", ICE_ORDER_HISTORY + 2,
         "metadata/v1.metadata.json"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(rows); i++) {
        struct ice_buf out;
        struct ice_place place = ice_place_at(ice_str_from(rows[i].file), rows[i].order,
                                              ice_str_from(rows[i].pointer));
        ice_buf_init(&out, &run.alloc, SIZE_MAX / 2);
        assert_int_equal(ice_stable_place(&ck, &place, &out),
                         rows[i].wanted == NULL ? ICE_DONE : ICE_OK);
        if (rows[i].wanted == NULL) {
            assert_int_equal(out.size, 0);
        } else {
            size_t size = strlen(rows[i].wanted) + 1;
            assert_memory_equal(out.data, rows[i].wanted, size);
            assert_true(
                ice_str_is(ice_str_from_index(ice_buf_str(&out), size), "/metadata-log"));
        }
        ice_buf_release(&out);
    }
    release_metadata();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_go_by_their_ids),
        cmocka_unit_test(without_a_usable_id_by_number),
        cmocka_unit_test(fields_go_by_their_ids),
        cmocka_unit_test(other_files_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
