/*
 * Kinds of files by bytes and name; names of metadata files.
 */
#include "inputs/target.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct identify_case {
    const char *name;
    struct ice_str bytes;
    enum ice_input_kind kind;
};

#define HEADER(text) ICE_STR("Obj\x01\x02\x16" text)

#define BYTES(text)                                                                      \
    { text, sizeof(text) - 1 }

static const struct identify_case kinds[] = {
    {"v1.metadata.json",
     {"{\"format-version\":2,\"location\":\"x\"}", 35},
     ICE_INPUT_METADATA},
    {"v1.metadata.json", {"{,}", 3}, ICE_INPUT_METADATA},
    {"v1.metadata.json", {"", 0}, ICE_INPUT_METADATA},
    {"v1.metadata.json", {"\xff\xfe{\0", 4}, ICE_INPUT_METADATA},
    {"table.json",
     {" \n{\"table-uuid\":\"u\",\"format-version\":1", 38},
     ICE_INPUT_METADATA},
    {"table.json",
     {"\xef\xbb\xbf{\"location\":\"\",\"schema\":{},\"snapshots\":[]}", 46},
     ICE_INPUT_METADATA},
    {"table.json",
     {"{\"a\":{\"format-version\":1,\"location\":\"\"}}", 40},
     ICE_INPUT_JSON},
    {"table.json",
     {"{\"a\":\"format-version\",\"b\":[\"location\"]}", 39},
     ICE_INPUT_JSON},
    {"v1.metadata.json", {"{\"view-uuid\":\"u\"}", 17}, ICE_INPUT_VIEW},
    {"a", {"{\"x\\\"", 5}, ICE_INPUT_JSON},
    {"a", {"{\"", 2}, ICE_INPUT_JSON},
    {"a.avro", {"", 0}, ICE_INPUT_AVRO},
    {"a.avro", {"Xbj\x01", 4}, ICE_INPUT_AVRO},
    {"a.avro", {"PAR1", 4}, ICE_INPUT_PARQUET},
    {"a", {"", 0}, ICE_INPUT_EMPTY},
    {"a", {" \n", 2}, ICE_INPUT_EMPTY},
    {"version-hint.text", {"3", 1}, ICE_INPUT_HINT},
    {"a", {"hello", 5}, ICE_INPUT_UNKNOWN},
    {"a", {"ORC", 3}, ICE_INPUT_ORC},
    {"a", {"PFA1", 4}, ICE_INPUT_PUFFIN},
    {"a", {"PK\x03\x04", 4}, ICE_INPUT_ARCHIVE},
    {"a", {"AGS1", 4}, ICE_INPUT_ENCRYPTED},
    {"a", BYTES("SQLite format 3\0"), ICE_INPUT_SQLITE},
    {"a", BYTES("\x1f\x8b\x08"), ICE_INPUT_UNKNOWN},
    {"a", BYTES("\x89PNG\r\n\x1a\n"), ICE_INPUT_UNKNOWN},
    {"a", BYTES("]}{\"format-version\":1}"), ICE_INPUT_UNKNOWN},
    {"a", BYTES("[]}]{\"format-version\":1,\"schema\":{}}"), ICE_INPUT_METADATA},
    {"a", BYTES("{\"format-version\":1,\"schemas\":[]}"), ICE_INPUT_METADATA},
    {"a", BYTES("{\"format-version\":1,\"x\":{}}"), ICE_INPUT_JSON},
    {"a", BYTES("{\"location\":1,\"last-column-id\":1}"), ICE_INPUT_JSON},
    {"a", BYTES("{\"location\":1,\"snapshots\":[]}"), ICE_INPUT_JSON},
    {"a", BYTES("{\"schema\":1,\"snapshots\":[]}"), ICE_INPUT_JSON},
    {"a", BYTES("{\"location\":1,\"partition-spec\":1,\"current-snapshot-id\":1}"),
     ICE_INPUT_METADATA},
    {"a", BYTES("{\"current-version-id\":1}"), ICE_INPUT_VIEW},
};

static void kinds_by_bytes_and_name(void **state) {
    (void)state;
    for (size_t i = 0; i < ICE_COUNT_OF(kinds); i++) {
        enum ice_input_kind kind =
            ice_identify(ice_str_from(kinds[i].name), kinds[i].bytes);
        if (kind != kinds[i].kind)
            fail_msg("case %zu (%s): %s, not %s", i, kinds[i].name,
                     ice_input_kind_name(kind), ice_input_kind_name(kinds[i].kind));
    }
}

static void lists_and_manifests(void **state) {
    (void)state;
    struct ice_str list =
        HEADER("avro.schema\xd0\x0f{\"type\":\"record\",\"name\":\"manifest_file\",");
    struct ice_str manifest =
        HEADER("schema\x10{\"name\":\"manifest_path\"}avro.schema\x02{\"type\":"
               "\"record\",\"name\":\"manifest_entry\"");
    struct ice_str renamed =
        HEADER("avro.schema\x02{\"name\":\"r\",\"fields\":[{\"name\":\"manifest_path\"");
    struct ice_str other = HEADER("avro.schema\x0c\"long\"");
    struct ice_str name = ICE_STR("x.avro");
    assert_int_equal(ice_identify(name, list), ICE_INPUT_MANIFEST_LIST);
    assert_int_equal(ice_identify(name, manifest), ICE_INPUT_MANIFEST);
    assert_int_equal(ice_identify(name, renamed), ICE_INPUT_MANIFEST_LIST);
    assert_int_equal(ice_identify(name, other), ICE_INPUT_AVRO);
    /* other names of the record: its columns, then keys of the header */
    static const struct {
        struct ice_str bytes;
        enum ice_input_kind kind;
    } renamed_cases[] = {
        {BYTES("Obj\x01"
               "avro.schema\x02{\"name\":\"data_file\",\"x\":\"file_path\"}"),
         ICE_INPUT_MANIFEST},
        {BYTES("Obj\x01"
               "avro.schema\x02{\"name\":\"data_file\"}"),
         ICE_INPUT_AVRO},
        {BYTES("Obj\x01"
               "avro.schema\x02{\"name\":\"manifest_length\"}"),
         ICE_INPUT_MANIFEST_LIST},
        {BYTES("Obj\x01"
               "partition-spec-id\x02"
               "0"),
         ICE_INPUT_MANIFEST},
        {BYTES("Obj\x01"
               "parent-snapshot-id\x02"
               "0"),
         ICE_INPUT_MANIFEST_LIST},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(renamed_cases); i++)
        assert_int_equal(ice_identify(name, renamed_cases[i].bytes),
                         renamed_cases[i].kind);
    for (size_t size = 4; size < manifest.size; size++)
        (void)ice_identify(name, ice_str_first(manifest, size));
}

static void kinds_have_names(void **state) {
    (void)state;
    static const struct {
        enum ice_input_kind kind;
        const char *name;
    } cases[] = {
        {ICE_INPUT_METADATA, "Iceberg table metadata"},
        {ICE_INPUT_VIEW, "Iceberg view metadata"},
        {ICE_INPUT_MANIFEST_LIST, "manifest list"},
        {ICE_INPUT_MANIFEST, "manifest"},
        {ICE_INPUT_AVRO, "Avro file"},
        {ICE_INPUT_PARQUET, "Parquet file"},
        {ICE_INPUT_ORC, "ORC file"},
        {ICE_INPUT_PUFFIN, "Puffin file"},
        {ICE_INPUT_SQLITE, "SQLite database"},
        {ICE_INPUT_ARCHIVE, "archive"},
        {ICE_INPUT_HINT, "version hint"},
        {ICE_INPUT_JSON, "JSON document"},
        {ICE_INPUT_EMPTY, "empty file"},
        {ICE_INPUT_UNKNOWN, "unknown file"},
        {ICE_INPUT_ENCRYPTED, "encrypted file"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++)
        assert_string_equal(ice_input_kind_name(cases[i].kind), cases[i].name);
}

struct name_case {
    const char *name;
    bool is_one, is_gzip;
    int64_t version;
    bool is_hadoop;
};

static const struct name_case names[] = {
    {"v12.metadata.json", true, false, 12, true},
    {"v0.metadata.json", true, false, 0, true},
    {"v3.gz.metadata.json", true, true, 3, true},
    {"v3.metadata.json.gz", true, true, 3, true},
    {"v3.metadata.json.zst", true, false, 3, true},
    {"v03.metadata.json", true, false, 3, false},
    {"v.metadata.json", true, false, -1, false},
    {"v-1.metadata.json", true, false, -1, false},
    {"v3x.metadata.json", true, false, -1, false},
    {"00012-5f.metadata.json", true, false, 12, false},
    {"00012-5f.gz.metadata.json", true, true, 12, false},
    {"12345678-1234-1234-1234-1234567890ab.metadata.json", true, false, -1, false},
    {"12345678-1234-1234-1234-1234567890zz.metadata.json", true, false, 12345678, false},
    {"v99999999999999999999.metadata.json", true, false, -1, false},
    {"12.metadata.json", true, false, -1, false},
    {"orders.metadata.json", true, false, -1, false},
    {".v1.metadata.json.crc", false, false, -1, false},
    {".v1.metadata.json", false, false, 0, false},
    {".metadata.json", false, false, -1, false},
    {"v1.json", false, false, -1, false},
    {"", false, false, -1, false},
};

static void names_of_metadata_files(void **state) {
    (void)state;
    for (size_t i = 0; i < ICE_COUNT_OF(names); i++) {
        struct ice_str name = ice_str_from(names[i].name);
        bool is_gzip, is_hadoop;
        assert_int_equal(ice_is_metadata_name(name, &is_gzip), names[i].is_one);
        if (!names[i].is_one)
            continue;
        assert_int_equal(is_gzip, names[i].is_gzip);
        if (ice_metadata_name_version(name, &is_hadoop) != names[i].version ||
            is_hadoop != names[i].is_hadoop)
            fail_msg("%s", names[i].name);
    }
    assert_true(ice_is_uuid_name(
        ICE_STR("12345678-1234-1234-1234-1234567890AB.gz.metadata.json")));
    assert_false(ice_is_uuid_name(ICE_STR("12345678.metadata.json")));
}

static void keys_are_cut(void **state) {
    (void)state;
    assert_true(ice_str_is(ice_key_parent(ICE_STR("a/b/c")), "a/b"));
    assert_true(ice_str_is(ice_key_name(ICE_STR("a/b/c")), "c"));
    assert_true(ice_str_is(ice_key_parent(ICE_STR("c")), ""));
    assert_true(ice_str_is(ice_key_name(ICE_STR("c")), "c"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_by_bytes_and_name),
        cmocka_unit_test(lists_and_manifests),
        cmocka_unit_test(kinds_have_names),
        cmocka_unit_test(names_of_metadata_files),
        cmocka_unit_test(keys_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
