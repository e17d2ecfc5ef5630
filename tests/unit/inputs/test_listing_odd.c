/*
 * Listings with lines, members and values that are not as their tool writes them: what
 * can be used is used, the rest is counted or leaves the listing partial.
 */
#include "listing_sample.h"

#define AT "2026-03-01 09:00:00"

static const struct sample documents[] = {
    {"members of other types", ICE_LISTING_S3_OBJECTS,
     "{\"Contents\":[3,[],{\"Key\":7,\"Size\":1},"
     "{\"Key\":\"a/b\",\"Bucket\":5,\"Size\":\"12\",\"ETag\":4,\"LastModified\":\"soon\","
     "\"Type\":9,\"Requester\":1,\"Owner\":{\"x\":1},\"Tags\":[1]},{\"Size\":3}],"
     "\"NextToken\":\"\",\"Name\":5,\"Prefix\":null,\"IsTruncated\":\"false\","
     "\"complete\":true,\"EncodingType\":7}",
     "a/b 12 ?" NL, NULL, false, 0},
    {"a size with a fraction, below 0 or too great", ICE_LISTING_S3_OBJECTS,
     "{\"Contents\":[{\"Key\":\"a\",\"Size\":1.5},{\"Key\":\"b\",\"Size\":-1},"
     "{\"Key\":\"c\",\"Size\":99999999999999999999},{\"Key\":\"d\",\"Size\":\"\"}]}",
     "a ? ?" NL "b ? ?" NL "c ? ?" NL "d ? ?" NL, NULL, false, 0},
    {"an empty key", ICE_LISTING_S3_OBJECTS,
     "{\"Contents\":[{\"Key\":\"\",\"Size\":1},{\"Key\":\"a\"}]}", "a ? ?" NL, NULL,
     false, 1},
    {"truncated, as a text", ICE_LISTING_S3_OBJECTS,
     "{\"Contents\":[{\"Key\":\"a\"}],\"IsTruncated\":\"true\"}", "a ? ?" NL, "truncated",
     false, 0},
    {"no prefix is left out", ICE_LISTING_S3_OBJECTS,
     "{\"Contents\":[{\"Key\":\"a\"}],\"CommonPrefixes\":[]}", "a ? ?" NL, NULL, false,
     0},
    {"prefixes are left out", ICE_LISTING_S3_OBJECTS,
     "{\"Contents\":[{\"Key\":\"a\"}],\"CommonPrefixes\":[{\"Prefix\":\"b/\"},"
     "{\"Prefix\":\"c/\"}]}",
     "a ? ?" NL, "delimiter", false, 0},
    {"prefixes of the GCS API are left out", ICE_LISTING_GCS_JSON,
     "{\"prefixes\":[\"b/\",\"c/\"],\"items\":[{\"name\":\"a\"}]}", "a ? ? latest" NL,
     "delimiter", false, 0},
    {"encoded keys, and keys that cannot be", ICE_LISTING_S3_OBJECTS,
     "{\"EncodingType\":\"url\",\"Contents\":[{\"Key\":\"a+b%2Fc\"},{\"Key\":\"a%2F:\"},"
     "{\"Key\":\"a%2F,\"},{\"Key\":\"a%2F b\"},{\"Key\":\"a%2F\\u00e9\"},"
     "{\"Key\":\"a%2F\\u007f\"}]}",
     "a b/c ? ?" NL "a%2F: ? ?" NL "a%2F, ? ?" NL "a%2F b ? ?" NL "a%2F\xc3\xa9 ? ?" NL
     "a%2F\x7f ? ?" NL,
     NULL, false, 0},
    {"more members than are remembered, long and empty names", ICE_LISTING_S3_OBJECTS,
     "{\"Contents\":[{\"\":1,\"m2\":1,\"m3\":1,\"m4\":1,\"m5\":1,\"m6\":1,\"m7\":1,"
     "\"m8\":1,\"m9\":1,\"m10\":1,\"m11\":1,\"m12\":1,\"m13\":1,\"m14\":1,\"m15\":1,"
     "\"m16\":1,\"Key\":\"a\",\"Size\":4},"
     "{\"a-name-of-more-than-sixty-four-bytes-which-is-none-of-those-that-are-known\":1,"
     "\"Key\":\"b\",\"Siza\":1,\"Size\":5}]}",
     "a 4 ?" NL "b 5 ?" NL, NULL, false, 0},
    {"pages one behind the other", ICE_LISTING_S3_OBJECTS,
     "{\"Name\":\"lake\",\"Prefix\":\"t/\",\"Contents\":[{\"Key\":\"t/a\"}]}\r\n\t "
     "{\"Name\":\"lake\",\"Prefix\":\"t/\",\"Contents\":[{\"Key\":\"t/b\"}]} ",
     "t/a ? ?" NL "t/b ? ?" NL, NULL, false, 0},
    {"containers that are none", ICE_LISTING_S3_OBJECTS,
     "{\"Contents\":{\"Key\":\"a\"},\"covers\":\"b\",\"CommonPrefixes\":null,\"x\":[{}]}",
     "", NULL, false, 0},
    {"markers alone", ICE_LISTING_S3_VERSIONS,
     "{\"DeleteMarkers\":[{\"Key\":\"a\",\"VersionId\":\"d\",\"IsLatest\":true}]}",
     "a ? ? deleted latest version=d" NL, NULL, false, 0},
    {"a marker of which it is not told whether it is the latest", ICE_LISTING_TABLE,
     "key,size,is_delete_marker" NL "t/f,,true" NL, "t/f ? ? deleted" NL,
     "which is the latest", false, 0},
    {"a path, or no path, with a bucket", ICE_LISTING_JSON,
     "{\"bucket\":\"lake\",\"key\":\"s3://other/a\",\"size\":1}" NL
     "{\"bucket\":\"lake\",\"key\":\"a\",\"size\":2}" NL
     "{\"bucket\":\"lake\",\"url\":\"b\",\"size\":3}" NL
     "{\"key\":\"c\",\"url\":\"d\",\"size\":4}" NL
     "{\"url\":5,\"size\":6,\"type\":\"folder\"}" NL
     "{\"key\":\"e/\",\"size\":0,\"type\":\"prefix\"}" NL
     "{\"key\":\"f\",\"size\":0,\"type\":\"file\"}" NL,
     "s3://other/a 1 ?" NL "s3://lake/a 2 ?" NL "b 3 ?" NL "c 4 ?" NL "f 0 ?" NL, NULL,
     false, 0},
    {"path and size", ICE_LISTING_JSON, "[{\"path\":\"a\",\"size\":1}]", "a 1 ?" NL, NULL,
     false, 0},
    {"uri and size", ICE_LISTING_OWN, "{\"uri\":\"s3://lake/a\",\"size\":1}",
     "s3://lake/a 1 ?" NL, NULL, false, 0},
    {"complete, and covers that are no texts", ICE_LISTING_OWN,
     "{\"covers\":[1,\"s3://lake/\",{\"x\":[2]}],\"complete\":true}", "", NULL, false, 0},
    {"what a blob keeps inside", ICE_LISTING_AZ_BLOB,
     "[{\"name\":\"a\",\"properties\":{\"name\":\"x\",\"url\":\"x\",\"bucket\":\"x\","
     "\"type\":\"folder\",\"contentLength\":7,\"lastModified\":{\"a\":1},\"etag\":[1]},"
     "\"metadata\":{\"hdi_isfolder\":{\"true\":1},\"x\":[true],\"y\":\"true\"}},"
     "{\"name\":\"b\",\"metadata\":{\"Hdi_IsFolder\":\"TRUE\"},"
     "\"properties\":{\"contentLength\":0}},"
     "{\"name\":\"c\",\"metadata\":null,\"properties\":{\"contentLength\":1},"
     "\"snapshot\":\"\",\"deleted\":false},"
     "{\"name\":\"d\",\"properties\":{\"contentLength\":1},\"snapshot\":4}]",
     "a 7 ? latest" NL "c 1 ? latest" NL "d 1 ? latest" NL, NULL, false, 0},
    {"what others keep inside is theirs", ICE_LISTING_RCLONE_JSON,
     "[{\"Path\":\"a\",\"Size\":1,\"ModTime\":\"2026-03-01T09:00:00Z\","
     "\"metadata\":{\"size\":9},\"properties\":{\"size\":9}}]",
     "a 1 " NINE NL, NULL, false, 0},
    {"what was deleted may come back", ICE_LISTING_GCLOUD_JSON,
     "[{\"url\":\"gs://lake/a#x\",\"metadata\":{\"size\":\"7\","
     "\"softDeleteTime\":\"2026-03-01T09:00:00Z\"}},"
     "{\"url\":\"gs://lake/b\",\"metadata\":{\"size\":\"7\",\"timeDeleted\":\"\","
     "\"softDeleteTime\":\"\"},\"properties\":{\"size\":1}}]",
     "gs://lake/a#x 7 ? old gone" NL "gs://lake/b 7 ? latest" NL, NULL, false, 0},
    {"records that delete, and a time that is none", ICE_LISTING_S3_JOURNAL,
     "[{\"key\":\"a\",\"record_type\":\"UPDATE_METADATA\",\"record_timestamp\":\"x\","
     "\"requester\":\"\",\"source_ip_address\":\"192.0.2.1\"},"
     "{\"key\":\"a\",\"record_type\":\"DELETE\",\"version_id\":\"v\"}]",
     "a ? ? old by=192.0.2.1" NL "a ? ? deleted version=v" NL, NULL, false, 0},
    {"members without a name, and values that are null", ICE_LISTING_S3_OBJECTS,
     "{\"Contents\":[{\"\":1,\"Key\":\"a\",\"Size\":null},{\"\":2,\"Key\":\"b\"},"
     "{\"Key\":null,\"Size\":1}],\"NextToken\":5,\"EncodingType\":\"none\"}",
     "a ? ?" NL "b ? ?" NL, NULL, false, 0},
    {"goes on behind NextContinuationToken", ICE_LISTING_S3_OBJECTS,
     "{\"Contents\":[{\"Key\":\"a\"}],\"NextContinuationToken\":\"x\"}", "a ? ?" NL,
     "next page", false, 0},
    {"goes on behind NextMarker", ICE_LISTING_S3_OBJECTS,
     "{\"Contents\":[{\"Key\":\"a\"}],\"NextMarker\":\"x\"}", "a ? ?" NL, "next page",
     false, 0},
    {"goes on behind nextMarker", ICE_LISTING_S3_OBJECTS,
     "{\"Contents\":[{\"Key\":\"a\"}],\"nextMarker\":\"x\"}", "a ? ?" NL, "next page",
     false, 0},
    {"goes on behind NextKeyMarker", ICE_LISTING_S3_OBJECTS,
     "{\"Contents\":[{\"Key\":\"a\"}],\"NextKeyMarker\":\"x\"}", "a ? ?" NL, "next page",
     false, 0},
    {"nothing", ICE_LISTING_S3_OBJECTS, "[]", "", NULL, false, 0},
    {"no object", ICE_LISTING_S3_OBJECTS, "[1] 7 \"x\"", "", NULL, false, 0},
    {"of no known form", ICE_LISTING_COUNT, "{\"fileSchema\":\"x\"}", "", NULL, false, 0},
    {"a record of nothing", ICE_LISTING_COUNT, "{\"record_type\":\"x\"}", "", NULL, false,
     0},
    {"items without names", ICE_LISTING_COUNT, "{\"items\":[]}", "", NULL, false, 0},
    {"a URI alone", ICE_LISTING_COUNT, "{\"uri\":\"a\"}", "", NULL, false, 0},
    {"a URL alone", ICE_LISTING_COUNT, "{\"url\":\"a\"}", "", NULL, false, 0},
    {"a key alone", ICE_LISTING_COUNT, "{\"key\":\"a\"}", "", NULL, false, 0},
    {"a name alone", ICE_LISTING_COUNT, "{\"name\":\"a\"}", "", NULL, false, 0},
    {"a size alone", ICE_LISTING_COUNT, "{\"size\":1}", "", NULL, false, 0},
    {"a count of keys alone", ICE_LISTING_S3_OBJECTS, "{\"KeyCount\":0}", "", NULL, false,
     0},
};

static const struct sample tables[] = {
    {"without an end of line, short rows, more cells than columns", ICE_LISTING_TABLE,
     "path,size,mtime\r\na/b,7\r\na/c\r\na/d,8,soon,x,y\r\n\r\n\"a,\n\"\"e\"x,9",
     "a/b 7 ?" NL "a/c ? ?" NL "a/d 8 ?" NL "a,\n\"e 9 ?" NL, "no end", false, 0},
    {"cut in a key", ICE_LISTING_TABLE, "path,size\na/b,7\na/", "a/b 7 ?" NL "a/ ? ?" NL,
     "no end", false, 0},
    {"ended inside quotes", ICE_LISTING_TABLE, "size,path\n7,\"a/b\n", "", "no end",
     false, 1},
    {"a mark, quoted names, unnamed columns", ICE_LISTING_TABLE,
     "\xef\xbb\xbf\"url\",,\"Size\"\r\ngs://lake/a,x,7\r\n,,8\r\n", "gs://lake/a 7 ?" NL,
     NULL, false, 1},
    {"by tabs", ICE_LISTING_TABLE, "path\tsize\na,b;c\t7\n", "a,b;c 7 ?" NL, NULL, false,
     0},
    {"more columns than are kept", ICE_LISTING_TABLE,
     "path,size,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,"
     "mtime\n"
     "a,7,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,," AT "\n",
     "a 7 ?" NL, NULL, false, 0},
    {"a quote that is not the name", ICE_LISTING_COUNT, "\"\",\"x\n", "", NULL, false, 0},
    {"a journal without keys", ICE_LISTING_COUNT, "record_type,size\nCREATE,1\n", "",
     NULL, false, 0},
    {"a time that no zone is told for, in a bucket's inventory", ICE_LISTING_TABLE,
     "bucket,key,size,last_modified_date\nlake,a,7," AT "\n", "s3://lake/a 7 " NINE NL,
     NULL, false, 0},
};

/* The form is named: most lines are none of it. */
static const struct sample lines[] = {
    {"aws s3 ls", ICE_LISTING_S3_LS,
     AT NL AT "x" NL AT " " NL AT " x a" NL AT "  12" NL AT "  12 " NL AT
              "  99999999999999999999 a" NL AT "  12 MiB a" NL AT "  1.2 MiBa" NL AT
              "  1.2 MiB" NL AT "  7 Bytes a" NL AT "  1 Byte a" NL AT " 1.5 GiB a" NL
              "x PRE a" NL "PRE a/" NL " Total Objects: x" NL
              "2026-03-0x 09:00:00 7 a" NL,
     "MiB a 12 " NINE NL "a ? " NINE NL "a ? " NINE NL "a ? " NINE NL, NULL, true, 12},
    {"s5cmd ls", ICE_LISTING_S5CMD,
     "  DIR  a" NL "  DIR  " NL "DIR  a/" NL "2026/03/01 09:00:00" NL
     "2026/03/01 09:00:00  STANDARD" NL "2026/03/01 09:00:00  A  B  C  a" NL
     "2026/03/01 09:00:00  7   " NL "2026/03/01 09:00:00 A" NL
     "2026/03/01 09:00:00  A  99999999999999999999  a" NL "2026/03/01 09:00:00  7  a" NL
     "2026-03-01 09:00:00  7  a" NL,
     "a 7 " NINE NL, NULL, true, 10},
    {"mc ls", ICE_LISTING_MC,
     AT NL "[" AT " UTC] 5X a" NL "[" AT " UTC] B a" NL "[" AT " UTC] xB a" NL "[" AT
           ".1 UTC] 5B a" NL "[" AT " UTC] 5B " NL "[" AT " UTC]" NL "[" AT
           " UTC] 5B STANDARD" NL "[" AT " UTC] 5B STANDARD_IA a" NL "[" AT
           " UTC] 5B Standard a" NL "[" AT " UTC] 5B ABC a" NL "[" AT " CET] 5B {a} b" NL
           "[x" NL,
     "STANDARD 5 " NINE NL "a 5 " NINE NL "Standard a 5 " NINE NL "ABC a 5 " NINE NL
     "{a} b 5 " NINE NL,
     NULL, true, 8},
    {"rclone lsf", ICE_LISTING_RCLONE_LSF,
     "x;7;a" NL AT NL AT ";7" NL AT ";7;" NL AT ";x;a" NL AT ";7;a" NL, "a 7 " NINE NL,
     NULL, true, 5},
    {"rclone lsl", ICE_LISTING_RCLONE_LSL,
     "x " AT " a" NL "  7" NL "  7 " AT NL "  7 " AT ".000" NL "  7 2026 a" NL "  7 " AT
     " a" NL,
     "a 7 " NINE NL, NULL, true, 5},
    {"gsutil ls -l", ICE_LISTING_GSUTIL,
     "gs://lake/a" NL " 7  2026-03-01T09:00:00Z  s3://lake/a" NL
     " x  2026-03-01T09:00:00Z  gs://lake/a" NL
     " 7  2026-03-01T09:00:00Z  gs://lake/a#1  other=1" NL
     " 7  2026-03-01T09:00:00Z  gs://lake/a metageneration=1#1" NL
     " 7  2026-03-01T09:00:00Z  gs://lake/a metageneration=1" NL
     " 7  soon  gs://lake/b" NL,
     "gs://lake/a#1  other=1 7 " NINE NL "gs://lake/a metageneration=1#1 7 " NINE NL
     "gs://lake/a metageneration=1 7 " NINE NL "gs://lake/b 7 ?" NL,
     NULL, false, 3},
    {"hdfs dfs -ls -R", ICE_LISTING_HDFS,
     "-rw" NL "lrw-r--r--   3 a b 7 2026-03-01 09:00 /a" NL
     "-rwq-r--r--   3 a b 7 2026-03-01 09:00 /a" NL
     "-rw-r--r--.  3 a b 7 2026-03-01 09:00 /a" NL
     "-rw-r--r--   3 a b 7 2026-03-01 09:00" NL "-rw-r--r--   3 a b 7" NL
     "-rw-r--r--   3 a b 7 2026-13-01 09:00 /a" NL
     "-rw-r--r--   3 a b x 2026-03-01 09:00 /a" NL
     "-rw-r--r-t   3 a b 7 2026-03-01 09:00 /b" NL,
     "/a ? " NINE NL "/b 7 " NINE NL, NULL, true, 7},
    {"find -printf", ICE_LISTING_FIND,
     "7\t1\ta" NL "x\t1.5\ta" NL "7\t1.5\t" NL "7\t1.5" NL "7\t1772355600.25\ta" NL
     "7\tx.5\tb" NL,
     "a 7 1772355600250" NL "b 7 ?" NL, NULL, false, 4},
    {"path, size, time by tabs", ICE_LISTING_TSV,
     "a\t7" NL "a/b\tx" NL "a/b" NL "a/b\t7\tsoon" NL "a/c\t8\t" NL,
     "a/b 7 ?" NL "a/c 8 ?" NL, NULL, false, 3},
    {"gcloud storage ls -L", ICE_LISTING_GCLOUD_DETAILS,
     "gs://lake/a:" NL "\tContent-Length: 7" NL "  Content-Length:   9  " NL
     "  Update Time: 2026-03-01T10:00:00Z" NL "  Creation Time: 2026-03-01T09:00:00Z" NL
     "  Update Time: 2026-03-01T11:00:00Z" NL "  Update Time: soon" NL "  no value" NL
     "  Generation:" NL "      Content-Length: 1" NL NL "gs://lake/b#2:" NL
     "  Soft Delete Time: 2026-03-01T09:00:00Z" NL "gs://lake/c:" NL
     "  Creation Time: soon" NL "hello" NL "  Content-Length: 7" NL "gs://lake/" NL,
     "gs://lake/a 9 " NINE " latest" NL "gs://lake/b ? ? old gone version=2" NL
     "gs://lake/c ? ? latest" NL,
     NULL, false, 2},
    {"CSV, named", ICE_LISTING_TABLE, "", "", NULL, false, 0},
    {"CSV, cut in its names", ICE_LISTING_TABLE, "path,siz", "", "no end", false, 0},
    {"the journal, empty", ICE_LISTING_S3_JOURNAL, "", "", NULL, false, 0},
    {"the journal as an array", ICE_LISTING_S3_JOURNAL,
     "[{\"key\":\"a\",\"record_type\":\"CREATE\"}]", "a ? ? old" NL, NULL, false, 0},
};

/* Forms that are near, and none. */
static const struct sample shapes[] = {
    {"details without the time of creation", ICE_LISTING_COUNT,
     "gs://lake/a:" NL "  Content-Length: 7" NL, "", NULL, false, 0},
    {"details behind blank lines", ICE_LISTING_GCLOUD_DETAILS,
     NL "gs://lake/a:" NL NL "    Creation time:  2026-03-01T09:00:00Z" NL,
     "gs://lake/a ? " NINE " latest" NL, NULL, false, 0},
    {"one line that does not end", ICE_LISTING_PATHS, "a/b", "a/b ? ?" NL, "no end",
     false, 0},
    {"a last line that does not end", ICE_LISTING_PATHS, "a/b" NL "c/d",
     "a/b ? ?" NL "c/d ? ?" NL, "no end", false, 0},
    {"details that do not end", ICE_LISTING_GCLOUD_DETAILS,
     "gs://lake/a:" NL "    Creation time:  2026-03-01T09:00:00Z" NL
     "    Content-Length: 7",
     "gs://lake/a 7 " NINE " latest" NL, "no end", false, 0},
    {"blank lines alone", ICE_LISTING_PATHS, NL NL, "", NULL, false, 0},
    {"words", ICE_LISTING_COUNT, "hello" NL "world" NL, "", NULL, false, 0},
};

static void check_all(const struct sample *samples, size_t n, bool is_named) {
    static const size_t chunks[] = {1, 7, 64 * 1024};
    for (size_t i = 0; i < n; i++) {
        struct ice_str text = ice_str_from(samples[i].text);
        fail_sample(&samples[i], text);
        cut_sample(&samples[i], text);
        for (size_t k = 0; k < ICE_COUNT_OF(chunks); k++)
            check_sample(&samples[i], text, is_named, chunks[k]);
    }
}

static void test_documents(void **state) {
    (void)state;
    check_all(documents, ICE_COUNT_OF(documents), false);
}

static void test_tables(void **state) {
    (void)state;
    check_all(tables, ICE_COUNT_OF(tables), false);
}

static void test_lines(void **state) {
    (void)state;
    check_all(lines, ICE_COUNT_OF(lines), true);
}

static void test_shapes(void **state) {
    (void)state;
    check_all(shapes, ICE_COUNT_OF(shapes), false);
}

/* A NUL ends lines, and is no letter of a mode. */
static void test_nul(void **state) {
    (void)state;
    static const char text[] = "-rw\0r--r--   3 a b 7 2026-03-01 09:00 /a";
    assert_int_equal(ice_listing_detect(&run, ice_str_make(text, sizeof(text) - 1)),
                     ICE_LISTING_COUNT);
}

/* ---- times ---- */

#define NONE INT64_MIN
static const struct {
    const char *text;
    int64_t ms; /* NONE: it is no time */
    bool has_zone;
} times[] = {
    {"2026-03-01T09:00:00Z", 1772355600000, true},
    {"2026-03-01T09:00:00z", 1772355600000, true},
    {"2026-03-01 09:00:00 UTC", 1772355600000, true},
    {"2026-03-01T09:00Z", 1772355600000, true},
    {"2026-03-01T09:00:00,25Z", 1772355600250, true},
    {"2026-03-01T09:00:00.123456789Z", 1772355600123, true},
    {"2026-03-01T11:00:00+02:00", 1772355600000, true},
    {"2026-03-01T11:00:00+0200", 1772355600000, true},
    {"2026-03-01T11:00:00+02", 1772355600000, true},
    {"2026-03-01T06:30:00-02:30", 1772355600000, true},
    {"2026-03-02T03:00:00+18:00", 1772355600000, true},
    {"2026-03-01T09:00:00", 1772355600000, false},
    {"2026-03-01", 1772323200000, false},
    {"2026-03-01Z", NONE, true},
    {"1969-12-31T23:59:59Z", -1000, true},
    {"0000-01-01T00:00:00Z", -62167219200000, true},
    {"Sun, 01 Mar 2026 09:00:00 GMT", 1772355600000, true},
    {"1772355600", 1772355600000, true},
    {"1772355600.5", 1772355600500, true},
    {"1772355600000", 1772355600000, true},
    {"-1", -1000, true},
    {"", NONE, true},
    {"soon", NONE, true},
    {"1772355600.5x", NONE, true},
    {"1772355600000.5", NONE, true},
    {"-100000000001", NONE, true},
    {"2026-", NONE, true},
    {"x026-03-01", NONE, true},
    {"2026-x3-01", NONE, true},
    {"2026-03x01", NONE, true},
    {"2026-03-", NONE, true},
    {"2026-00-01", NONE, true},
    {"2026-13-01", NONE, true},
    {"2026-03-00", NONE, true},
    {"2026-03-32", NONE, true},
    {"2026-03-01x09:00", NONE, true},
    {"2026-03-01T", 1772323200000, false},
    {"2026-03-01Tx9:00", NONE, true},
    {"2026-03-01T09x00", NONE, true},
    {"2026-03-01T09:x0", NONE, true},
    {"2026-03-01T09:00:x0", NONE, true},
    {"2026-03-01T09:00:00x", NONE, true},
    {"2026-03-01T09:00:00Zx", NONE, true},
    {"2026-03-01T09:00:00+", NONE, true},
    {"2026-03-01T09:00:00+x", NONE, true},
    {"2026-03-01T09:00:00+02:x", NONE, true},
    {"2026-03-01T09:00:00+19:00", NONE, true},
    {"2026-03-01T09:00:00+02:60", NONE, true},
    {"2026-03-01T09:00:00+02:00x", NONE, true},
    {"Sun, x1 Mar 2026 09:00:00 GMT", NONE, true},
    {"Sun, 01xMar 2026 09:00:00 GMT", NONE, true},
    {"Sun, 01 Ma", NONE, true},
    {"Sun, 01 Xar 2026 09:00:00 GMT", NONE, true},
    {"Sun, 01 Marx2026 09:00:00 GMT", NONE, true},
    {"Sun, 01 Mar x026 09:00:00 GMT", NONE, true},
    {"Sun, 01 Mar 2026x09:00:00 GMT", NONE, true},
    {"Sun, 01 Mar 2026 x9:00:00 GMT", NONE, true},
    {"Sun, 01 Mar 2026 09x00:00 GMT", NONE, true},
    {"Sun, 01 Mar 2026 09:x0:00 GMT", NONE, true},
    {"Sun, 01 Mar 2026 09:00x00 GMT", NONE, true},
    {"Sun, 01 Mar 2026 09:00:x0 GMT", NONE, true},
    {"Sun, 01 Mar 2026 09:00:00 CET", NONE, true},
    {"abc,x", NONE, true},
    {"abc,xy", NONE, true},
};

static void test_times(void **state) {
    (void)state;
    static const struct ice_listing_options plain = {.has_zone = false};
    static const struct ice_listing_options east = {.has_zone = true, .zone_minutes = 60};
    for (size_t i = 0; i < ICE_COUNT_OF(times); i++) {
        struct ice_str text = ice_str_from(times[i].text);
        int64_t ms = NONE, shifted = NONE;
        bool has_zone;
        bool is_time = ice_time_of_text(text, &plain, &ms, &has_zone);
        if (is_time != (times[i].ms != NONE) || (is_time && ms != times[i].ms))
            fail_msg("'%s' is %" PRId64, times[i].text, is_time ? ms : NONE);
        if (!is_time)
            continue;
        if (has_zone != times[i].has_zone)
            fail_msg("'%s': zone", times[i].text);
        assert_true(ice_time_of_text(text, &east, &shifted, &has_zone));
        assert_int_equal(shifted, times[i].has_zone ? ms : ms - 3600000);
    }
}

/* ---- names ---- */

static void test_names(void **state) {
    (void)state;
    assert_string_equal(ice_listing_name(ICE_LISTING_S3_LS), "s3-ls");
    assert_string_equal(ice_listing_what(ICE_LISTING_S3_LS), "aws s3 ls");
    assert_string_equal(ice_listing_name(ICE_LISTING_COUNT), "unknown");
    assert_string_equal(ice_listing_what(ICE_LISTING_COUNT), "unknown");
    assert_int_equal(ice_listing_scope(ICE_LISTING_GSUTIL), ICE_KEY_URI);
    assert_int_equal(ice_listing_scope(ICE_LISTING_COUNT), ICE_KEY_RELATIVE);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_documents), TEST(test_tables), TEST(test_lines), TEST(test_shapes),
        TEST(test_nul),       TEST(test_times),  TEST(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
