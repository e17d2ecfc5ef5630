/*
 * What each export of a catalog is taken for, and what is read from it.
 */
#include "one_pointers.h"

static enum ice_pointer_format format;

static void read_as(const char *text, enum ice_pointer_format wish) {
    read_without_memory(ICE_STR("orders.txt"), ice_str_from(text), wish);
    assert_int_equal(ice_pointers_read_text(&pointers, ICE_STR("orders.txt"),
                                            ice_str_from(text), wish, &format, NULL),
                     ICE_OK);
}

static void read(const char *text) {
    read_as(text, ICE_POINTER_AUTO);
}

static void expect(struct ice_str text, const char *wanted) {
    if (!ice_str_is(text, wanted))
        fail_msg("'%.*s' is not '%s'", ICE_STR_FMT(text), wanted);
}

/* One entry more; its names and current file. */
static const struct ice_pointer *expect_entry(size_t index, const char *space,
                                              const char *table, const char *current) {
    assert_true(index < pointers.n);
    const struct ice_pointer *entry = &pointers.items[index];
    expect(entry->space, space);
    expect(entry->table, table);
    expect(entry->metadata_location, current);
    return entry;
}

static void expect_refused(const char *words) {
    assert_int_equal(pointers.n, 0);
    assert_int_equal(pointers.n_faults, 1);
    if (strstr(pointers.faults[0].error.message, words) == NULL)
        fail_msg("'%s' does not say '%s'", pointers.faults[0].error.message, words);
}

#define GLUE(version, extra)                                                             \
    "{\"Name\":\"t\",\"DatabaseName\":\"db\",\"VersionId\":\"" version                   \
    "\",\"UpdateTime\":1795987251.204,\"StorageDescriptor\":{\"Columns\":["              \
    "{\"Name\":\"id\",\"Parameters\":{\"iceberg.field.current\":\"true\"}},"             \
    "{\"Name\":\"old\",\"Parameters\":{\"iceberg.field.current\":\"false\"}},"           \
    "{\"Name\":\"name\"}],\"Location\":\"s3://b/t\"},\"Parameters\":{" extra             \
    "\"metadata_location\":\"s3://b/t/metadata/" version                                 \
    ".metadata.json\",\"previous_metadata_location\":\"s3://b/t/metadata/p.json\"}}"

static void glue_table(void **state) {
    (void)state;
    read("{\"Table\":" GLUE("9", "\"table_type\":\"ICEBERG\",") "}");
    assert_int_equal(format, ICE_POINTER_GLUE);
    assert_int_equal(pointers.n, 1);
    const struct ice_pointer *entry =
        expect_entry(0, "db", "t", "s3://b/t/metadata/9.metadata.json");
    expect(entry->previous_metadata_location, "s3://b/t/metadata/p.json");
    expect(entry->table_type, "ICEBERG");
    expect(entry->location, "s3://b/t");
    assert_int_equal(entry->version, 9);
    assert_int_equal(entry->n_columns, 2); /* a dropped column is still listed */
    expect(entry->columns[0], "id");
    expect(entry->columns[1], "name");
}

static void glue_tables_and_versions(void **state) {
    (void)state;
    read("{\"TableList\":[" GLUE("1", "") "," GLUE("2", "") "]}");
    assert_int_equal(pointers.n, 2);
    expect_entry(0, "db", "t", "s3://b/t/metadata/1.metadata.json");
    read("{\"TableVersions\":[{\"Table\":" GLUE("7", "") "},{\"Table\":" GLUE("10",
                                                                              "") "}]}");
    assert_int_equal(pointers.n, 4);
    assert_int_equal(pointers.items[3].version, 10);
}

static void glue_without_tables_is_an_answer(void **state) {
    (void)state;
    read("{\"TableList\": []}");
    assert_int_equal(format, ICE_POINTER_GLUE);
    assert_int_equal(pointers.n, 0);
    assert_int_equal(pointers.n_faults, 0);
    read("{\"Table\":{\"Name\":\"csv\",\"DatabaseName\":\"db\",\"Parameters\":{}}}");
    assert_int_equal(pointers.n, 0);
    assert_int_equal(pointers.n_other, 1);
}

static void glue_entry_without_location(void **state) {
    (void)state;
    read("{\"Table\":{\"Name\":\"t\",\"Parameters\":{\"table_type\":\"iceberg\"}}}");
    expect_entry(0, "", "t", "");
}

static void s3tables(void **state) {
    (void)state;
    read(
        "{\"name\":\"t1\",\"tableARN\":\"arn:x\",\"namespace\":[\"db\"],\"versionToken\":"
        "\"d\",\"metadataLocation\":\"s3://x/metadata/1.metadata.json\","
        "\"warehouseLocation\":\"s3://x\",\"type\":\"customer\"}");
    assert_int_equal(format, ICE_POINTER_S3TABLES);
    expect_entry(0, "db", "t1", "s3://x/metadata/1.metadata.json");
    read("{\"versionToken\":\"0\",\"warehouseLocation\":\"s3://x\"}");
    expect_entry(1, "", "orders", ""); /* never written; named by the file */
}

static void rest_keeps_no_credentials(void **state) {
    (void)state;
    read("{\"metadata-location\":\"file:/w/t/metadata/3.metadata.json\",\"metadata\":{"
         "\"format-version\":2,\"table-uuid\":\"U\",\"location\":\"file:///w/t\","
         "\"current-snapshot-id\":77,\"schemas\":[{\"name\":\"x\"}]},"
         "\"config\":{\"s3.secret-access-key\":\"hidden\"}}");
    assert_int_equal(format, ICE_POINTER_REST);
    const struct ice_pointer *entry =
        expect_entry(0, "", "orders", "file:/w/t/metadata/3.metadata.json");
    expect(entry->table_uuid, "U");
    expect(entry->location, "file:///w/t");
    assert_true(entry->has_snapshot_id);
    assert_int_equal(entry->snapshot_id, 77);
}

static void rest_staged(void **state) {
    (void)state;
    read("{\"metadata-location\":null,\"metadata\":{\"format-version\":2}}");
    assert_true(expect_entry(0, "", "orders", "")->was_staged);
}

static void table_metadata_is_no_pointer(void **state) {
    (void)state;
    read("{\"format-version\":2,\"table-uuid\":\"U\",\"location\":\"s3://b/t\"}");
    expect_refused("use --metadata");
}

static void nessie(void **state) {
    (void)state;
    read(
        "{\"type\":\"ICEBERG_TABLE\",\"id\":\"i\",\"metadataLocation\":\"s3://n/1.json\","
        "\"snapshotId\":5}");
    assert_int_equal(format, ICE_POINTER_NESSIE);
    assert_int_equal(expect_entry(0, "", "orders", "s3://n/1.json")->snapshot_id, 5);
    read("{\"entries\":[{\"name\":{\"elements\":[\"a\",\"b\",\"t\"]},\"content\":{"
         "\"type\":"
         "\"ICEBERG_TABLE\",\"metadataLocation\":\"s3://n/"
         "2.json\"}},{\"name\":{\"elements\":"
         "[\"v\"]},\"content\":{\"type\":\"ICEBERG_VIEW\",\"metadataLocation\":\"s3://n/"
         "3\"}}]}");
    assert_int_equal(pointers.n, 2);
    expect_entry(1, "a.b", "t", "s3://n/2.json");
    assert_int_equal(pointers.n_other, 1);
}

static void unity_and_polaris(void **state) {
    (void)state;
    read(
        "{\"table_id\":\"i\",\"name\":\"t\",\"schema_name\":\"s\",\"catalog_name\":\"c\","
        "\"data_source_format\":\"DELTA\",\"storage_location\":\"s3://b/t\","
        "\"delta_uniform_iceberg\":{\"metadata_location\":\"s3://b/t/metadata/"
        "1.json\"}}");
    assert_int_equal(format, ICE_POINTER_UNITY);
    expect_entry(0, "s", "t", "s3://b/t/metadata/1.json");
    read("[{\"name\":\"t\",\"type_code\":7,\"internal_properties\":"
         "\"{\\\"metadata-location\\\":\\\"s3://p/1.json\\\",\\\"x\\\":1}\"}]");
    assert_int_equal(format, ICE_POINTER_POLARIS);
    expect_entry(1, "", "t", "s3://p/1.json");
}

static void hive_json_and_bigquery(void **state) {
    (void)state;
    read("{\"tableName\":\"t\",\"dbName\":\"d\",\"sd\":{\"location\":\"hdfs:/t\"},"
         "\"parameters\":{\"metadata_location\":\"hdfs:/t/metadata/1.json\","
         "\"current-snapshot-id\":\"12\",\"table_type\":\"ICEBERG\"}}");
    assert_int_equal(format, ICE_POINTER_HIVE);
    assert_int_equal(expect_entry(0, "d", "t", "hdfs:/t/metadata/1.json")->snapshot_id,
                     12);
    read("{\"tableReference\":{\"tableId\":\"t\",\"datasetId\":\"d\"},"
         "\"externalCatalogTableOptions\":{\"parameters\":{\"metadata_location\":"
         "\"gs://b/1.json\",\"uuid\":\"U\"}}}");
    assert_int_equal(format, ICE_POINTER_BIGQUERY);
    expect(expect_entry(1, "d", "t", "gs://b/1.json")->table_uuid, "U");
}

static void hive_text(void **state) {
    (void)state;
    read("metadata_location\ts3://b/t/metadata/2.json\r\n"
         "previous_metadata_location\ts3://b/t/metadata/1.json\r\n"
         "uuid\tU\r\ntable_type\tICEBERG\r\ncurrent-snapshot-id\t-12\r\n");
    assert_int_equal(format, ICE_POINTER_HIVE);
    const struct ice_pointer *entry =
        expect_entry(0, "", "orders", "s3://b/t/metadata/2.json");
    expect(entry->previous_metadata_location, "s3://b/t/metadata/1.json");
    expect(entry->table_uuid, "U");
    assert_int_equal(entry->snapshot_id, -12);
    read("# Detailed Table Information\t \t \nDatabase:           \tdb  \t \n"
         "Location:           \ts3://b/t\t \nTable Parameters:\t \t \n"
         "\tmetadata_location   \ts3://b/t/metadata/2.json\n");
    entry = expect_entry(1, "db", "orders", "s3://b/t/metadata/2.json");
    expect(entry->location, "s3://b/t");
}

static void spark_text(void **state) {
    (void)state;
    read("|Location        |s3://b/t|       |\n"
         "|Table Properties|[current-snapshot-id=42,format=iceberg/parquet]|   |\n");
    assert_int_equal(format, ICE_POINTER_HIVE);
    const struct ice_pointer *entry = expect_entry(0, "", "orders", "");
    assert_int_equal(entry->snapshot_id, 42);
    expect(entry->location, "s3://b/t");
}

static void table_params(void **state) {
    (void)state;
    read("TBL_ID,PARAM_KEY,PARAM_VALUE\n"
         "1,EXTERNAL,TRUE\n"
         "1,metadata_location,s3://b/a/1.json\n"
         "2,numFiles,3\n"
         "3,metadata_location,s3://b/c/1.json\n"
         "3,\"previous_metadata_location\",\"s3://b/c/0,\"\"x\"\".json\"\n");
    assert_int_equal(pointers.n, 2);
    expect_entry(0, "", "1", "s3://b/a/1.json");
    expect(expect_entry(1, "", "3", "s3://b/c/1.json")->previous_metadata_location,
           "s3://b/c/0,\"x\".json");
}

static void jdbc_dumps(void **state) {
    (void)state;
    read("catalog_name,table_namespace,table_name,metadata_location,"
         "previous_metadata_location,iceberg_type\n"
         "prod,db,t,file:/w/t/1.json,,TABLE\nprod,db,v,file:/w/v/1.json,,VIEW\n");
    assert_int_equal(format, ICE_POINTER_JDBC);
    assert_int_equal(pointers.n, 1);
    expect(expect_entry(0, "db", "t", "file:/w/t/1.json")->catalog, "prod");
    read("[{\"catalog_name\":\"prod\",\"table_namespace\":\"db\",\"table_name\":\"t\","
         "\"metadata_location\":\"file:/w/t/"
         "1.json\",\"previous_metadata_location\":null},\n"
         "{\"catalog_name\":\"prod\",\"table_namespace\":\"db\",\"table_name\":\"u\","
         "\"metadata_location\":\"file:/w/u/"
         "1.json\",\"previous_metadata_location\":null}]");
    assert_int_equal(format, ICE_POINTER_JDBC);
    assert_int_equal(pointers.n, 3);
    expect_entry(2, "db", "u", "file:/w/u/1.json");
}

static void plain_lists(void **state) {
    (void)state;
    read("db.t\ts3://b/t/1.json\ts3://b/t/0.json\n\ndb.u\ts3://b/u/1.json\n");
    assert_int_equal(format, ICE_POINTER_LIST);
    expect(expect_entry(0, "", "db.t", "s3://b/t/1.json")->previous_metadata_location,
           "s3://b/t/0.json");
    read("\xef\xbb\xbfs3://b/v/1.json\r\n/w/x/1.json");
    expect_entry(2, "", "", "s3://b/v/1.json");
    expect_entry(3, "", "", "/w/x/1.json");
    read("table,current\nw,s3://b/w/1.json\n");
    expect_entry(4, "", "w", "s3://b/w/1.json");
}

static void hints(void **state) {
    (void)state;
    read("12\n");
    assert_int_equal(format, ICE_POINTER_HINT);
    assert_int_equal(pointers.items[0].version, 12);
    read("v7.metadata.json\n"); /* some writers put a name there */
    assert_int_equal(format, ICE_POINTER_HINT);
    expect_entry(1, "", "", "v7.metadata.json");
    read("00003-6ba7b810-9dad-11d1-80b4-00c04fd430c8");
    assert_int_equal(format, ICE_POINTER_HINT);
    expect_entry(2, "", "", "00003-6ba7b810-9dad-11d1-80b4-00c04fd430c8");
    assert_int_equal(pointers.items[2].version, -1);
}

/* The number stands beside the table; times come in three shapes. */
static void glue_versions_and_times(void **state) {
    (void)state;
    static const char *const times[] = {"1795987251.204", "\"2026-11-29T21:20:51.204Z\"",
                                        "\"2026-11-29T22:20:51.204000+01:00\"",
                                        "1795987251204"};
    for (size_t i = 0; i < ICE_COUNT_OF(times); i++) {
        char text[400];
        (void)snprintf(text, sizeof(text),
                       "{\"TableVersions\":[{\"Table\":{\"Name\":\"t\",\"UpdateTime\":%s,"
                       "\"Parameters\":{\"metadata_location\":\"s3://b/1.json\"}},"
                       "\"VersionId\":\"5\"}]}",
                       times[i]);
        read(text);
        const struct ice_pointer *entry = expect_entry(i, "", "t", "s3://b/1.json");
        assert_int_equal(entry->version, 5);
        assert_true(entry->has_time);
        assert_int_equal(entry->time_ms, 1795987251204);
    }
    read("{\"Table\":{\"Name\":\"t\",\"UpdateTime\":\"soon\",\"Parameters\":{"
         "\"metadata_location\":\"s3://b/1.json\"}}}");
    assert_false(expect_entry(4, "", "t", "s3://b/1.json")->has_time);
}

static void glue_input_and_batch(void **state) {
    (void)state;
    read("{\"TableInput\":{\"Name\":\"t\",\"Parameters\":{\"table_type\":\"ICEBERG\","
         "\"metadata_location\":\"s3://b/1.json\"}}}");
    assert_int_equal(format, ICE_POINTER_GLUE);
    expect_entry(0, "", "t", "s3://b/1.json");
    read("{\"TableList\":[" GLUE("1", "") "],\"NextToken\":\"x\"}");
    assert_true(pointers.is_partial);
    assert_int_equal(pointers.n_exports, 1);
    read("{\"Table\":{\"Name\":\"u\",\"IcebergTableMetadata\":{\"TableUuid\":\"U\"},"
         "\"Parameters\":{\"metadata_location\":\"s3://b/2.json\"}}}");
    expect(expect_entry(2, "", "u", "s3://b/2.json")->table_uuid, "U");
}

/* Names alone are an answer, and no export of pointers. */
static void inventories(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{\"Database\":{\"Name\":\"db\"}}",
        "{\"DatabaseList\":[{\"Name\":\"db\"}]}",
        "{\"identifiers\":[{\"namespace\":[\"db\"],\"name\":\"t\"}]}",
        "{\"tables\":[{\"name\":\"t\",\"tableARN\":\"arn:x\",\"namespace\":[\"db\"]}]}",
    };
    for (size_t i = 0; i < ICE_COUNT_OF(texts); i++) {
        read(texts[i]);
        assert_int_equal(pointers.n_faults, 0);
        assert_int_equal(pointers.n_inventories, i + 1);
    }
    assert_int_equal(pointers.n, 0);
    assert_int_equal(pointers.n_exports, 0);
    assert_non_null(strstr(ice_pointers_nothing(&pointers), "names alone"));
}

/* Where the document stands, in each of two answers that follow one another. */
static void rest_documents(void **state) {
    (void)state;
    static const char text[] =
        "{\"metadata-location\":\"s3://b/1.json\", \"metadata\": "
        "{\"a\":{}},\"config\":{}}\n"
        "{\"metadata\":{\"format-version\":2},\"metadata-location\":\"s3://b/2.json\"}";
    read(text);
    assert_int_equal(pointers.n, 2);
    const struct ice_pointer *first = &pointers.items[0], *second = &pointers.items[1];
    expect(ice_str_make(text + first->document,
                        (size_t)(first->document_end - first->document)),
           "{\"a\":{}}");
    expect(ice_str_make(text + second->document,
                        (size_t)(second->document_end - second->document)),
           "{\"format-version\":2}");
}

static void polaris_dump(void **state) {
    (void)state;
    read(
        "id,name,type_code,sub_type_code,drop_timestamp,internal_properties\n"
        "1,ns,6,0,0,\"{\"\"x\"\":1}\"\n"
        "2,t,7,2,0,\"{\"\"metadata-location\"\":\"\"s3://p/1.json\"\"}\"\n"
        "3,gone,7,2,1795987251204,\"{\"\"metadata-location\"\":\"\"s3://p/2.json\"\"}\"\n"
        "4,broken,7,2,0,\"{\"\"metadata-loc\"\n");
    assert_int_equal(format, ICE_POINTER_POLARIS);
    assert_int_equal(pointers.n, 1);
    assert_int_equal(pointers.n_other, 3);
    expect_entry(0, "", "t", "s3://p/1.json");
    read("[{\"name\":\"t\",\"drop_timestamp\":5,\"internal_properties\":{"
         "\"metadata-location\":\"s3://p/1.json\"}}]");
    assert_int_equal(pointers.n, 1);
    assert_int_equal(pointers.n_other, 4);
}

static void snowflake_nessie_unity(void **state) {
    (void)state;
    read("{\"metadataLocation\":\"s3://s/1.json\",\"status\":\"success\"}");
    assert_int_equal(format, ICE_POINTER_SNOWFLAKE);
    expect_entry(0, "", "orders", "s3://s/1.json");
    read("{\"contents\":[{\"key\":{\"elements\":[\"db\",\"t\"]},\"content\":{\"type\":"
         "\"ICEBERG_TABLE\",\"metadataLocation\":\"s3://n/1.json\"}}],\"hasMore\":true}");
    assert_int_equal(format, ICE_POINTER_NESSIE);
    expect_entry(1, "db", "t", "s3://n/1.json");
    assert_true(pointers.is_partial);
    read("{\"tables\":[{\"table_id\":\"i\",\"name\":\"t\",\"schema_name\":\"s\","
         "\"updated_at\":"
         "1795987251204,\"properties\":{\"metadata_location\":\"s3://u/1.json\"}}]}");
    assert_int_equal(format, ICE_POINTER_UNITY);
    assert_int_equal(expect_entry(2, "s", "t", "s3://u/1.json")->time_ms, 1795987251204);
}

static void normal_form(void **state) {
    (void)state;
    read("{\"catalog\":\"c\",\"namespace\":[\"a\",\"b\"],\"table\":\"t\","
         "\"metadata_location\":\"s3://b/1.json\",\"version\":3}\n"
         "{\"namespace\":[],\"table\":\"u\",\"metadata_location\":null}\n");
    assert_int_equal(format, ICE_POINTER_NORMAL);
    assert_int_equal(expect_entry(0, "a.b", "t", "s3://b/1.json")->version, 3);
    expect_entry(1, "", "u", "");
}

static void refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
    } inputs[] = {
        {"", "empty"},
        {" \n", "empty"},
        {"{\"a\":1}", "no catalog export"},
        {"[1, 2]", "no catalog export"},
        {"{\"Table\":", "ends"},
        {"hello world", "neither"},
        {"PAR1xxxxxxxxxxxx", "no export"},
        {"\xff\xfe{\0", "UTF-16"},
        {"Table:\n  Name: t\n", "--output json"},
        {"TableList:\n- Name: t\n", "--output json"},
        {"metadataLocation: s3://b/1.json\nversionToken: x\n", "--output json"},
        {"TABLE\tdb\tt\nPARAMETERS\tICEBERG\ts3://b/1.json\n", "--output json"},
        {"-------\n| GetTable |\n+----+\n||  metadata_location  |  s3://b/1.json  ||\n",
         "--output json"},
        {"PK\x03\x04xxxxxxxxexport-metadata", "Nessie"},
        {"PK\x03\x04xxxxxxxx", "unpack"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(inputs); i++) {
        read(inputs[i].text);
        expect_refused(inputs[i].words);
        pointers.n_faults = 0;
    }
}

static void a_wish_excludes_the_rest(void **state) {
    (void)state;
    read_as("{\"Table\":" GLUE("9", "") "}", ICE_POINTER_REST);
    assert_int_equal(pointers.n, 0);
    read_as("12", ICE_POINTER_LIST);
    assert_int_equal(pointers.n, 0);
    read_as("{\"Table\":" GLUE("9", "") "}", ICE_POINTER_GLUE);
    assert_int_equal(pointers.n, 1);
}

static void arguments(void **state) {
    (void)state;
    assert_int_equal(ice_pointers_read(&pointers,
                                       "db.t=s3://b/t/metadata/v3.metadata.json",
                                       ICE_POINTER_AUTO, &format, NULL),
                     ICE_OK);
    assert_int_equal(format, ICE_POINTER_ARGUMENT);
    expect_entry(0, "db", "t", "s3://b/t/metadata/v3.metadata.json");
    assert_int_equal(ice_pointers_read(&pointers, "fixtures/no/a=b.json",
                                       ICE_POINTER_AUTO, &format, NULL),
                     ICE_OK);
    assert_int_equal(pointers.n, 1); /* a path that holds '=' is a file, and not there */
    assert_int_equal(pointers.n_faults, 1);
}

/* Cut anywhere, the reader ends without a crash and gives everything back. */
static void cut_anywhere(void **state) {
    (void)state;
    static const char text[] = "{\"TableVersions\":[{\"Table\":" GLUE("7", "") "}]}";
    for (size_t size = 0; size < sizeof(text) - 1; size++) {
        assert_int_equal(ice_pointers_read_text(&pointers, ICE_STR("x"),
                                                ice_str_make(text, size),
                                                ICE_POINTER_AUTO, &format, NULL),
                         ICE_OK);
        assert_int_equal(pointers.n, 0);
    }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(glue_table),
        TEST(glue_tables_and_versions),
        TEST(glue_without_tables_is_an_answer),
        TEST(glue_entry_without_location),
        TEST(s3tables),
        TEST(rest_keeps_no_credentials),
        TEST(rest_staged),
        TEST(table_metadata_is_no_pointer),
        TEST(nessie),
        TEST(unity_and_polaris),
        TEST(hive_json_and_bigquery),
        TEST(hive_text),
        TEST(spark_text),
        TEST(table_params),
        TEST(jdbc_dumps),
        TEST(plain_lists),
        TEST(hints),
        TEST(glue_versions_and_times),
        TEST(glue_input_and_batch),
        TEST(inventories),
        TEST(rest_documents),
        TEST(polaris_dump),
        TEST(snowflake_nessie_unity),
        TEST(normal_form),
        TEST(refused),
        TEST(a_wish_excludes_the_rest),
        TEST(arguments),
        TEST(cut_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
