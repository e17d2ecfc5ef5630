/*
 * Exports of every kind of catalog with members absent, of other types, and cut: what is
 * read from each, and what is refused with which words.
 */
#include "one_pointers.h"

#include "base/buf.h"
#include "base/error.h"

#include <inttypes.h>

static enum ice_status put(struct ice_buf *out, const char *name, struct ice_str text) {
    return text.size > 0 ? ice_buf_printf(out, " %s=%.*s", name, ICE_STR_FMT(text))
                         : ICE_OK;
}

/* "space.table current" and what else the entry has; then counts of the rest. */
static enum ice_status print(struct ice_buf *out) {
    for (size_t i = 0; i < pointers.n; i++) {
        const struct ice_pointer *p = &pointers.items[i];
        ICE_TRY(ice_buf_printf(out, "%.*s.%.*s %.*s", ICE_STR_FMT(p->space),
                               ICE_STR_FMT(p->table), ICE_STR_FMT(p->metadata_location)));
        ICE_TRY(put(out, "before", p->previous_metadata_location));
        ICE_TRY(put(out, "catalog", p->catalog));
        ICE_TRY(put(out, "at", p->location));
        ICE_TRY(put(out, "uuid", p->table_uuid));
        ICE_TRY(put(out, "type", p->table_type));
        for (size_t k = 0; k < p->n_columns; k++)
            ICE_TRY(put(out, "column", p->columns[k]));
        if (p->version >= 0)
            ICE_TRY(ice_buf_printf(out, " v%" PRId64, p->version));
        if (p->has_snapshot_id)
            ICE_TRY(ice_buf_printf(out, " snapshot=%" PRId64, p->snapshot_id));
        if (p->has_time)
            ICE_TRY(ice_buf_printf(out, " ms=%" PRId64, p->time_ms));
        ICE_TRY(ice_buf_printf(out, "%s\n", p->was_staged ? " staged" : ""));
    }
    if (pointers.n_other > 0)
        ICE_TRY(ice_buf_printf(out, "%zu other\n", pointers.n_other));
    if (pointers.n_exports > 0)
        ICE_TRY(ice_buf_printf(out, "%zu export\n", pointers.n_exports));
    if (pointers.is_partial)
        ICE_TRY(ice_buf_append_str(out, ICE_STR("partial\n")));
    if (pointers.n_faults > 0)
        ICE_TRY(ice_buf_printf(out, "fault: %.60s\n", pointers.faults[0].error.message));
    return ICE_OK;
}

struct odd {
    const char *file;
    enum ice_pointer_format wish, is; /* is AUTO: nothing known */
    const char *text, *entries;
};

#define AUTO ICE_POINTER_AUTO
#define UNKNOWN "fault: it is text, but neither properties of a table, a version hin\n"

static const struct odd documents[] = {
    /* Glue */
    {"t.json", AUTO, ICE_POINTER_GLUE,
     "{\"Table\":{\"Name\":\"t\",\"VersionId\":\"x\",\"UpdateTime\":true,"
     "\"StorageDescriptor\":{\"Columns\":[{\"Name\":\"a\"},{\"Name\":\"b\","
     "\"Parameters\":"
     "{\"iceberg.field.current\":\"false\"}}]},\"Parameters\":{\"metadata_location\":5}}"
     "}",
     ".t 5 column=a\n"},
    {"t.json", AUTO, AUTO,
     "{\"Table\":{\"Parameters\":{\"metadata_location\":\"s3://x\"}}}",
     "fault: it is JSON, but no catalog export that is known; known are G\n"},
    {"t.json", AUTO, ICE_POINTER_GLUE,
     "{\"Table\":{\"Name\":\"v\",\"Parameters\":{\"table_type\":\"VIRTUAL_VIEW\"}}}",
     "1 other\n"},
    {"t.json", AUTO, ICE_POINTER_GLUE,
     "{\"TableList\":[{\"Name\":\"t\",\"Parameters\":{\"metadata_location\":\"s3://b/"
     "1\"}},"
     "{\"Name\":\"u\",\"Parameters\":{\"table_type\":\"iceberg\"}},{\"Name\":\"v\","
     "\"Parameters\":null},7],\"NextToken\":\"\"}",
     ".t s3://b/1\n.u  type=iceberg\n1 other\n1 export\n"},
    {"t.json", AUTO, ICE_POINTER_GLUE,
     "{\"TableVersions\":[],\"NextToken\":5,\"hasMore\":false}", ""},
    {"t.json", AUTO, ICE_POINTER_GLUE,
     "{\"TableVersions\":[{\"VersionId\":\"3\",\"Table\":{\"Name\":\"t\",\"Parameters\":"
     "{\"metadata_location\":\"s3://b/1\"}}},{\"VersionId\":\"4\"}]}",
     ".t s3://b/1 v3\n"},
    /* REST */
    {"t.json", AUTO, AUTO, "{\"metadata-location\":null,\"metadata\":{}}",
     "fault: it is JSON, but no catalog export that is known; known are G\n"},
    {"t.json", AUTO, AUTO, "{\"metadata\":{\"format-version\":2}}",
     "fault: it is table metadata, which names no pointer: use --metadata\n"},
    {"t.json", AUTO, ICE_POINTER_REST,
     "{\"metadata-location\":\"s3://b/1\",\"storage-credentials\":[{\"x\":1}],"
     "\"metadata\":{\"current-snapshot-id\":\"x\"}}",
     ".t s3://b/1\n"},
    {"stdin", AUTO, ICE_POINTER_REST,
     "{\"metadata-location\":\"s3://b/1\",\"metadata\":{\"location\":\"s3://b/orders\"}}",
     ".orders s3://b/1 at=s3://b/orders\n"},
    {"3", AUTO, ICE_POINTER_REST,
     "{\"metadata-location\":\"s3://b/1\",\"metadata\":{\"location\":\"s3://b/orders\"}}",
     ".orders s3://b/1 at=s3://b/orders\n"},
    {"3", AUTO, ICE_POINTER_REST, "{\"metadata-location\":\"s3://b/1\"}",
     ".3 s3://b/1\n"},
    /* S3 Tables, Nessie and Snowflake share a member */
    {"t.json", AUTO, AUTO, "{\"metadataLocation\":\"s3://b/1\"}",
     "fault: it is JSON, but no catalog export that is known; known are G\n"},
    {"t.json", AUTO, AUTO, "{\"status\":\"x\"}",
     "fault: it is JSON, but no catalog export that is known; known are G\n"},
    {"t.json", ICE_POINTER_NESSIE, ICE_POINTER_NESSIE,
     "{\"metadataLocation\":\"s3://b/1\",\"type\":\"ICEBERG_TABLE\"}", ".t s3://b/1\n"},
    {"t.json", ICE_POINTER_SNOWFLAKE, ICE_POINTER_SNOWFLAKE,
     "{\"metadataLocation\":\"s3://b/1\",\"status\":\"x\",\"type\":\"other\"}",
     ".t s3://b/1\n"},
    {"t.json", ICE_POINTER_S3TABLES, ICE_POINTER_S3TABLES,
     "{\"tableARN\":\"a\",\"namespace\":[\"a\",\"b\"],\"name\":\"t\",\"modifiedAt\":"
     "\"2026-03-01T09:00:00Z\"}",
     "a.b.t  ms=1772355600000\n"},
    {"t.json", ICE_POINTER_GLUE, AUTO,
     "{\"tableARN\":\"a\",\"metadataLocation\":\"s3://x\"}",
     "fault: it is JSON, but no catalog export that is known; known are G\n"},
    {"t.json", AUTO, ICE_POINTER_NESSIE,
     "{\"entries\":[{\"name\":{\"elements\":[\"t\"]},\"content\":{}},"
     "{\"content\":{\"metadataLocation\":\"s3://b/1\"}}],\"hasMore\":\"true\"}",
     ".t s3://b/1\n1 export\n"},
    {"t.json", AUTO, ICE_POINTER_NESSIE, "{\"entries\":[],\"nextPageToken\":\"x\"}",
     "1 export\npartial\n"},
    /* Unity */
    {"t.json", AUTO, ICE_POINTER_UNITY, "{\"table_id\":\"i\",\"name\":\"t\"}",
     "1 other\n"},
    {"t.json", AUTO, ICE_POINTER_UNITY,
     "{\"tables\":[{\"name\":\"t\"},{\"table_id\":\"i\",\"name\":\"u\",\"properties\":"
     "{\"metadata_location\":\"s3://b/1\"}}],\"next_page_token\":\"x\"}",
     ".u s3://b/1\npartial\n"},
    {"t.json", ICE_POINTER_UNITY, ICE_POINTER_S3TABLES, "{\"tables\":[]}", ""},
    /* Hive and BigQuery */
    {"t.json", AUTO, AUTO, "{\"tableName\":\"t\",\"parameters\":{}}",
     "fault: it is JSON, but no catalog export that is known; known are G\n"},
    {"t.json", AUTO, ICE_POINTER_HIVE,
     "[{\"tableName\":\"t\",\"sd\":{\"cols\":[{\"name\":\"a\"},{\"name\":\"b\"}]},"
     "\"parameters\":{\"metadata_location\":\"s3://b/1\",\"table_type\":\"ICEBERG\"}},"
     "{\"tableName\":\"u\"}]",
     ".t s3://b/1 type=ICEBERG column=a column=b\n"},
    {"t.json", AUTO, ICE_POINTER_BIGQUERY,
     "[{\"tableReference\":{\"projectId\":\"p\",\"tableId\":\"t\"},"
     "\"externalCatalogTableOptions\":{\"parameters\":{\"metadata_location\":\"gs://1\","
     "\"previous_metadata_location\":\"gs://0\",\"table_type\":\"x\"}}}]",
     ".t gs://1 before=gs://0 catalog=p type=x\n"},
    /* the normal form and dumps of JDBC catalogs */
    {"t.json", ICE_POINTER_JDBC, ICE_POINTER_NORMAL,
     "{\"table\":\"t\",\"metadata_location\":\"s3://b/1\",\"table_uuid\":\"U\","
     "\"snapshot_id\":7,\"location\":\"s3://b\",\"time\":1772355600,\"columns\":[\"a\"]}",
     ".t s3://b/1 at=s3://b uuid=U column=a snapshot=7 ms=1772355600000\n"},
    {"t.json", AUTO, AUTO, "{\"metadata_location\":\"s3://b/1\"}",
     "fault: it is JSON, but no catalog export that is known; known are G\n"},
    {"t.json", AUTO, AUTO, "{\"table\":\"t\"}",
     "fault: it is JSON, but no catalog export that is known; known are G\n"},
    {"t.json", AUTO, ICE_POINTER_JDBC,
     "[{\"table_name\":\"t\",\"metadata_location\":\"s3://b/"
     "1\",\"iceberg_type\":\"TABLE\"},"
     "{\"table_name\":\"v\",\"metadata_location\":\"s3://b/"
     "2\",\"iceberg_type\":\"view\"}]",
     ".t s3://b/1\n1 other\n"},
    /* Polaris */
    {"t.json", AUTO, ICE_POINTER_POLARIS,
     "{\"name\":\"t\",\"drop_timestamp\":\"x\",\"internal_properties\":"
     "\"{\\\"metadata-location\\\":5,\\\"a\\\":\\\"b\\\",\\\"metadata-location\\\":"
     "\\\"s3://b/1\\\"}\"}",
     ".t s3://b/1\n"},
    {"t.json", AUTO, AUTO, "[{\"name\":\"t\",\"internal_properties\":\"{\\\"x\\\":1}\"}]",
     "fault: it is JSON, but no catalog export that is known; known are G\n"},
    {"t.json", AUTO, AUTO, "[{\"name\":\"t\",\"internal_properties\":7}]",
     "fault: it is JSON, but no catalog export that is known; known are G\n"},
    /* places that look like rows of an array, and are none */
    {"t.json", AUTO, AUTO,
     "{\"x\":{\"table_name\":\"t\",\"metadata_location\":\"s3://b/1\"}}",
     "fault: it is JSON, but no catalog export that is known; known are G\n"},
    {"t.json", AUTO, ICE_POINTER_JDBC,
     "{\"12345678901234567890\":{},\"5\":{\"table_name\":\"t\",\"metadata_location\":"
     "\"s3://b/1\"},\"6x\":{\"table_name\":\"u\",\"metadata_location\":\"s3://b/2\"}}",
     ".t s3://b/1\n"},
    {"t.json", AUTO, ICE_POINTER_HINT, "7", ".  v7\n"},
};

static const struct odd texts[] = {
    {"h.txt", AUTO, ICE_POINTER_HINT, " 0 \n", ".  v0\n"},
    {"h.txt", ICE_POINTER_HINT, ICE_POINTER_HINT, "12", ".  v12\n"},
    {"h.txt", AUTO, AUTO, "-3", UNKNOWN},
    {"h.txt", AUTO, AUTO, "12345678901", UNKNOWN},
    {"h.txt", AUTO, AUTO, "00003-xyz", UNKNOWN},
    {"h.txt", AUTO, AUTO, "a,v3.metadata.json", UNKNOWN},
    {"h.txt", ICE_POINTER_REST, AUTO, "12",
     "fault: it is text, not of the kind that --pointer-format says\n"},
    {"h.txt", ICE_POINTER_HINT, AUTO, "db.t,s3://b/1",
     "fault: it is text, not of the kind that --pointer-format says\n"},
    {"h.txt", AUTO, AUTO, "v3.metadata.json\nv4.metadata.json", UNKNOWN},
    {"h.txt", AUTO, AUTO, "a\tv3.metadata.json", UNKNOWN},
    {"h.txt", AUTO, ICE_POINTER_LIST, "/a/v3.metadata.json", ". /a/v3.metadata.json\n"},
    /* properties */
    {"t.txt", ICE_POINTER_HIVE, ICE_POINTER_HIVE,
     "table_type\tICEBERG\nTable:\tu\n\t\n:\tx\ncurrent-snapshot-id\tx\nuuid\n",
     ".u  type=ICEBERG\n"},
    {".txt", AUTO, ICE_POINTER_HIVE, "\t\tmetadata_location\t\ts3://b/1\r\r\n",
     "..txt s3://b/1\n"},
    {"t", AUTO, ICE_POINTER_HIVE,
     "|Table Properties|[current-snapshot-id=42,x,uuid=U|\n|table_type|[|\n|uuid||\n",
     ".t  uuid=U snapshot=42\n"},
    {"t", ICE_POINTER_POLARIS, ICE_POINTER_HIVE, "metadata_location\ts3://b/1",
     ".t s3://b/1\n"},
    /* lists and dumps */
    {"t.csv", AUTO, ICE_POINTER_LIST, "# a list\n+---+\nname,current\n\nt,s3://b/1\nu\n",
     ".t s3://b/1\n.u \n"},
    {"t.csv", ICE_POINTER_JDBC, ICE_POINTER_JDBC,
     "table,metadata_location,namespace,table\nt,s3://b/1,NULL,u\n\\N,s3://b/2,db\n",
     ".t s3://b/1\ndb. s3://b/2\n1 export\n"},
    {"t.csv", ICE_POINTER_LIST, ICE_POINTER_LIST, "metadata_location,s3://b/1\n",
     ".metadata_location s3://b/1\n"},
    {"t.csv", AUTO, AUTO, "table,x\nt,s3://b/1\n", UNKNOWN},
    {"t.csv", AUTO, AUTO, "metadata_location\n12\n", UNKNOWN},
    {"t.csv", AUTO, ICE_POINTER_HIVE,
     "param_key,param_value\nmetadata_location,s3://b/1\n", ".t s3://b/1\n"},
    {"t.csv", AUTO, AUTO, "tbl_id,param_key\n1,metadata_location\n", UNKNOWN},
    {"t.csv", AUTO, ICE_POINTER_HIVE,
     "tbl_id,param_key,param_value\n1,metadata_location,s3://b/"
     "1\n1,uuid,NULL\n2,uuid,U\n",
     ".1 s3://b/1\n"},
    {"t.csv", AUTO, ICE_POINTER_POLARIS,
     "name,internal_properties\nt,\"{\"\"metadata-location\"\":\"\"s3://b/1\"\"}\"\nu\n",
     ".t s3://b/1\n1 other\n"},
    {"t.csv", AUTO, ICE_POINTER_POLARIS,
     "name,internal_properties,drop_timestamp\n"
     "t,\"{\"\"metadata-location\"\":\"\"s3://b/1\"\"}\",-5\n"
     "u,\"{\"\"metadata-location\"\":\"\"s3://b/2\"\"}\",soon\n",
     ".t s3://b/1\n.u s3://b/2\n"},
    {"t.csv", AUTO, AUTO, "t,s3://b/1\nu,x\n", ".t s3://b/1\n" UNKNOWN},
    {"t.csv", AUTO, ICE_POINTER_LIST, "|t|s3://b/1|s3://b/0|\n|u|s3://b/2\n",
     ".t s3://b/1 before=s3://b/0\n.u s3://b/2\n"},
    {"t.csv", AUTO, AUTO, "|\nt,s3://b/1\n", UNKNOWN},
    /* forms of the AWS CLI, and what is only near to them */
    {"t.txt", AUTO, AUTO, "\n\n-----\r\n\n|  GetTable  |\n",
     "fault: it is the output of the AWS CLI as a table: ask again with -\n"},
    {"t.txt", AUTO, AUTO, "-----\n", UNKNOWN},
    {"t.txt", AUTO, AUTO, "----\n|x|\n", UNKNOWN},
    {"t.txt", AUTO, AUTO, "-----\nx\n", UNKNOWN},
    {"t.txt", AUTO, AUTO, "TABLE", UNKNOWN},
    {"t.txt", AUTO, AUTO, "TABLES\nx\n",
     "fault: it is the output of the AWS CLI as text: ask again with --ou\n"},
    {"t.txt", AUTO, AUTO, "PARAMETERS\tx",
     "fault: it is the output of the AWS CLI as text: ask again with --ou\n"},
    {"t.txt", AUTO, AUTO, "x\n- tableARN: a\n",
     "fault: it is YAML, as the AWS CLI prints it: ask again with --outpu\n"},
    {"t.txt", AUTO, AUTO, "TableList: []\n",
     "fault: it is YAML, as the AWS CLI prints it: ask again with --outpu\n"},
    /* bytes that are no text */
    {"t", AUTO, AUTO, "Obj\001x", "fault: it is no export of a catalog\n"},
    {"t", AUTO, AUTO, "\x1f\x8b\x08", "fault: it is no export of a catalog\n"},
};

/* Cut anywhere it ends without a crash, and gives everything back. */
static void cut(const struct odd *odd) {
    for (size_t size = 0; size < strlen(odd->text); size++) {
        enum ice_pointer_format is;
        ice_pointers_release(&pointers);
        ice_pointers_init(&pointers, &run);
        assert_int_equal(ice_pointers_read_text(&pointers, ice_str_from(odd->file),
                                                ice_str_make(odd->text, size), odd->wish,
                                                &is, NULL),
                         ICE_OK);
        assert_true(pointers.n_faults <= 1);
    }
}

/* 1 if it differs, and says so. */
static size_t differs(const struct odd *odd) {
    struct ice_buf out;
    enum ice_pointer_format is;
    cut(odd);
    ice_pointers_release(&pointers);
    ice_pointers_init(&pointers, &run);
    ice_buf_init(&out, &run.alloc, SIZE_MAX);
    assert_int_equal(ice_pointers_read_text(&pointers, ice_str_from(odd->file),
                                            ice_str_from(odd->text), odd->wish, &is,
                                            NULL),
                     ICE_OK);
    assert_int_equal(print(&out), ICE_OK);
    bool is_wrong = !ice_str_is(ice_buf_str(&out), odd->entries) || is != odd->is;
    if (is_wrong)
        print_error("%s\nis %s, not %s:\n%.*s\n", odd->text, ice_pointer_format_name(is),
                    ice_pointer_format_name(odd->is), ICE_STR_FMT(ice_buf_str(&out)));
    ice_buf_release(&out);
    read_without_memory(ice_str_from(odd->file), ice_str_from(odd->text), odd->wish);
    return is_wrong;
}

static void odd_documents(void **state) {
    (void)state;
    size_t n_wrong = 0;
    for (size_t i = 0; i < ICE_COUNT_OF(documents); i++)
        n_wrong += differs(&documents[i]);
    assert_int_equal(n_wrong, 0);
}

static void odd_texts(void **state) {
    (void)state;
    size_t n_wrong = 0;
    for (size_t i = 0; i < ICE_COUNT_OF(texts); i++)
        n_wrong += differs(&texts[i]);
    assert_int_equal(n_wrong, 0);
}

static void long_lines_and_archives(void **state) {
    (void)state;
    enum { LONG = (1 << 20) + 64 };
    static char text[LONG + 1];
    static const struct {
        const char *head, *tail, *words;
    } cases[] = {
        {"t,s3://b/1", "", "more than 1 MiB"},
        {"t,s3://b/1\nu,s3://b/", "", "more than 1 MiB"},
        {"", "ustar", "unpack it first"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        enum ice_pointer_format is;
        ice_pointers_release(&pointers);
        ice_pointers_init(&pointers, &run);
        memset(text, 'x', LONG);
        memcpy(text, cases[i].head, strlen(cases[i].head));
        memcpy(text + 257, cases[i].tail, strlen(cases[i].tail));
        assert_int_equal(ice_pointers_read_text(&pointers, ICE_STR("t"),
                                                ice_str_make(text, LONG), AUTO, &is,
                                                NULL),
                         ICE_OK);
        assert_int_equal(pointers.n_faults, 1);
        assert_non_null(strstr(pointers.faults[0].error.message, cases[i].words));
    }
    static const char sqlite[16] = "SQLite format 3";
    enum ice_pointer_format is;
    assert_int_equal(ice_pointers_read_text(&pointers, ICE_STR("t"),
                                            ice_str_make(sqlite, sizeof(sqlite)), AUTO,
                                            &is, NULL),
                     ICE_OK);
    assert_non_null(strstr(pointers.faults[1].error.message, "as a file that is named"));
}

/* NAME=URI, and what is near to it: a path. */
static void arguments_near_to_a_name(void **state) {
    (void)state;
    static const struct {
        const char *argument, *space, *table; /* table NULL: it is a path */
    } cases[] = {
        {"t=s3://b/1", "", "t"},      {".t=s3://b/1", "", ".t"},
        {"db.=s3://b/1", "", "db."},  {"a.b.t=/w/1.metadata.json", "a.b", "t"},
        {"=s3://b/1", NULL, NULL},    {"t=x", NULL, NULL},
        {"a/b=s3://b/1", NULL, NULL}, {"none", NULL, NULL},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        enum ice_pointer_format is;
        ice_pointers_release(&pointers);
        ice_pointers_init(&pointers, &run);
        assert_int_equal(ice_pointers_read(&pointers, cases[i].argument, AUTO, &is, NULL),
                         ICE_OK);
        assert_int_equal(pointers.n, cases[i].table != NULL);
        assert_int_equal(pointers.n_faults, cases[i].table == NULL);
        if (cases[i].table == NULL) {
            assert_string_equal(pointers.faults[0].error.rule, "source.unreadable");
            continue;
        }
        assert_true(ice_str_is(pointers.items[0].space, cases[i].space));
        assert_true(ice_str_is(pointers.items[0].table, cases[i].table));
    }
}

static void formats_have_names(void **state) {
    (void)state;
    for (size_t i = ICE_POINTER_GLUE; i < ICE_POINTER_FORMATS; i++) {
        enum ice_pointer_format is = ICE_POINTER_AUTO;
        const char *name = ice_pointer_format_name((enum ice_pointer_format)i);
        assert_true(ice_pointer_format_of(name, &is));
        assert_int_equal(is, i);
        assert_true(ice_pointer_format_words(is)[0] != '\0');
    }
    enum ice_pointer_format is = ICE_POINTER_LIST;
    assert_false(ice_pointer_format_of("auto", &is)); /* what no one can ask for */
    assert_false(ice_pointer_format_of("argument", &is));
    assert_false(ice_pointer_format_of("glu", &is));
    assert_int_equal(is, ICE_POINTER_LIST);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(odd_documents),           TEST(odd_texts),
        TEST(long_lines_and_archives), TEST(arguments_near_to_a_name),
        TEST(formats_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
