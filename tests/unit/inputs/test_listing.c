/*
 * Every form of a listing: what it is taken for, and the objects that come out of it.
 */
#include "listing_sample.h"

static const struct sample samples[] = {
    {"aws s3 ls --recursive --summarize", ICE_LISTING_S3_LS,
     "2026-03-01 09:00:00       4100 wh/t/data/a b.parquet" NL
     "2026-03-01 09:00:00          0 wh/t/data/" NL NL "Total Objects: 2" NL
     "   Total Size: 4100" NL,
     "wh/t/data/a b.parquet 4100 " NINE NL "wh/t/data/ 0 " NINE NL, NULL, true, 0},
    {"... of which lines were lost", ICE_LISTING_S3_LS,
     "2026-03-01 09:00:00          1 a/f" NL "Total Objects: 2" NL "   Total Size: 8" NL,
     "a/f 1 " NINE NL, "trailer", true, 0},
    {"gsutil, of which lines were lost", ICE_LISTING_GSUTIL,
     "        7  2026-03-01T09:00:00Z  gs://lake/t/f" NL
     "TOTAL: 2 objects, 9 bytes (9 B)" NL,
     "gs://lake/t/f 7 " NINE NL, "trailer", false, 0},
    {"aws s3 ls --human-readable: sizes are of no use", ICE_LISTING_S3_LS,
     "2026-03-01 09:00:00   12.3 MiB wh/t/f.parquet" NL
     "2026-03-01 09:00:00  512 Bytes wh/t/g.parquet" NL,
     "wh/t/f.parquet ? " NINE NL "wh/t/g.parquet ? " NINE NL, NULL, true, 0},
    {"aws s3 ls, not recursive", ICE_LISTING_S3_LS,
     "                           PRE data/" NL "2026-03-01 09:00:00       1 f.json" NL,
     "f.json 1 " NINE NL, "list recursively", true, 0},
    {"with a mark and CRLF", ICE_LISTING_S3_LS,
     "\xef\xbb\xbf"
     "2026-03-01 09:00:00       1 a/f"
     "\r\n",
     "a/f 1 " NINE NL, NULL, true, 0},
    {"aws s3api list-objects-v2", ICE_LISTING_S3_OBJECTS,
     "{\"Contents\":[{\"Key\":\"wh/"
     "a%20b=1\",\"LastModified\":\"2026-03-01T09:00:00+00:00\","
     "\"ETag\":\"\\\"e1\\\"\",\"Size\":7,\"StorageClass\":\"STANDARD\"}],"
     "\"RequestCharged\":null}",
     "wh/a%20b=1 7 " NINE " etag=\"e1\"" NL, NULL, false, 0},
    {"... a raw page, encoded, and cut", ICE_LISTING_S3_OBJECTS,
     "{\"EncodingType\":\"url\",\"IsTruncated\":true,\"Name\":\"lake\",\"Prefix\":\"wh/"
     "\","
     "\"Contents\":[{\"Key\":\"wh/a+b%3D1\",\"Size\":7}]}",
     "wh/a b=1 7 ?" NL, "truncated", false, 0},
    {"... that was decoded and still says url", ICE_LISTING_S3_OBJECTS,
     "{\"EncodingType\":\"url\",\"Contents\":[{\"Key\":\"wh/d=1/a%20b\",\"Size\":7}]}",
     "wh/d=1/a%20b 7 ?" NL, NULL, false, 0},
    {"aws s3api list-objects, with a token", ICE_LISTING_S3_OBJECTS,
     "{\"Contents\":[{\"Key\":\"a/b\",\"Size\":7}],\"NextToken\":\"x\"}", "a/b 7 ?" NL,
     "next page", false, 0},
    {"aws s3api list-object-versions", ICE_LISTING_S3_VERSIONS,
     "{\"Versions\":[{\"Key\":\"t/f\",\"Size\":7,\"VersionId\":\"v2\",\"IsLatest\":true},"
     "{\"Key\":\"t/f\",\"Size\":6,\"VersionId\":\"v1\",\"IsLatest\":false}],"
     "\"DeleteMarkers\":[{\"Owner\":{\"DisplayName\":\"x\"},\"Key\":\"t/g\","
     "\"VersionId\":\"d1\",\"IsLatest\":true,\"LastModified\":\"2026-03-01T09:00:00."
     "000Z\"}]}",
     "t/f 7 ? latest version=v2" NL "t/f 6 ? old version=v1" NL "t/g ? " NINE
     " deleted latest version=d1" NL,
     NULL, false, 0},
    {"the journal of S3 Metadata as CSV", ICE_LISTING_S3_JOURNAL,
     "bucket,key,sequence_number,record_type,record_timestamp,version_id,is_delete_"
     "marker,"
     "size,last_modified_date,requester,source_ip_address" NL
     "lake,t/f,80,CREATE,2026-03-01 09:00:00.000,v1,FALSE,7,2026-03-01 "
     "08:59:59,111122223333,192.0.2.1" NL
     "lake,t/f,81,DELETE,2026-03-01 09:00:00,d1,TRUE,,,111122223333,192.0.2.1" NL,
     "s3://lake/t/f 7 " NINE " old version=v1 by=111122223333 from 192.0.2.1" NL
     "s3://lake/t/f ? " NINE " deleted version=d1 by=111122223333 from 192.0.2.1" NL,
     NULL, false, 0},
    {"... as JSON", ICE_LISTING_S3_JOURNAL,
     "{\"bucket\":\"lake\",\"key\":\"t/f\",\"record_type\":\"DELETE\","
     "\"record_timestamp\":\"2026-03-01 09:00:00\",\"requester\":\"glue\"}" NL,
     "s3://lake/t/f ? " NINE " deleted by=glue" NL, NULL, false, 0},
    {"s5cmd ls", ICE_LISTING_S5CMD,
     "2026/03/01 09:00:00               4100  data/a b.parquet" NL
     "2026/03/01 09:00:00  STANDARD  0cc175b9c0f1b6a831c399e269772661  12  x/y" NL,
     "data/a b.parquet 4100 " NINE NL "x/y 12 " NINE NL, NULL, true, 0},
    {"s5cmd ls of a directory, sizes for people", ICE_LISTING_S5CMD,
     "                                  DIR  data/" NL
     "2026/03/01 09:00:00              4.0K  f.parquet" NL,
     "f.parquet ? " NINE NL, "list recursively", true, 0},
    {"s5cmd --json ls", ICE_LISTING_JSON,
     "{\"key\":\"s3://lake/t/"
     "f\",\"etag\":\"e\",\"last_modified\":\"2026-03-01T09:00:00Z\","
     "\"type\":\"file\",\"size\":7}" NL
     "{\"key\":\"s3://lake/t/d/\",\"type\":\"directory\",\"size\":0}" NL,
     "s3://lake/t/f 7 " NINE " etag=e" NL, NULL, false, 0},
    {"mc ls --recursive", ICE_LISTING_MC,
     "[2026-03-01 09:00:00 UTC] 1.2KiB STANDARD data/a b.parquet" NL
     "[2026-03-01 09:00:00 UTC]   512B STANDARD data/c" NL,
     "data/a b.parquet ? " NINE NL "data/c 512 " NINE NL, NULL, false, 0},
    {"mc ls", ICE_LISTING_MC,
     "[2026-03-01 09:00:00 CET]     0B data/" NL "[2026-03-01 09:00:00 CET]   5B f" NL,
     "f 5 " NINE NL, "list recursively", true, 0},
    {"mc ls --json", ICE_LISTING_JSON,
     "{\"status\":\"success\",\"type\":\"file\",\"lastModified\":\"2026-03-01T09:00:"
     "00Z\","
     "\"size\":7,\"key\":\"data/f\",\"etag\":\"e\",\"url\":\"https://h/lake/\"}" NL,
     "data/f 7 " NINE " etag=e" NL, NULL, false, 0},
    {"rclone lsjson -R", ICE_LISTING_RCLONE_JSON,
     "[" NL "{\"Path\":\"data\",\"Name\":\"data\",\"Size\":-1,\"MimeType\":\"inode/"
     "directory\",\"ModTime\":\"2026-03-01T09:00:00Z\",\"IsDir\":true}," NL
     "{\"Path\":\"data/f\",\"Name\":\"f\",\"Size\":7,\"ModTime\":\"2026-03-01T10:00:00"
     ".000000000+01:00\",\"IsDir\":false}" NL "]" NL,
     "data/f 7 " NINE NL, NULL, false, 0},
    {"rclone lsf", ICE_LISTING_RCLONE_LSF,
     "2026-03-01 09:00:00;-1;data/" NL "2026-03-01 09:00:00;7;data/a;b" NL,
     "data/a;b 7 " NINE NL, NULL, true, 0},
    {"rclone lsl", ICE_LISTING_RCLONE_LSL,
     "        7 2026-03-01 09:00:00.000000000 data/a b" NL, "data/a b 7 " NINE NL, NULL,
     true, 0},
    {"gsutil ls -l -r", ICE_LISTING_GSUTIL,
     "gs://lake/t/:" NL "        7  2026-03-01T09:00:00Z  gs://lake/t/a b" NL
     "TOTAL: 1 objects, 7 bytes (7 B)" NL,
     "gs://lake/t/a b 7 " NINE NL, NULL, false, 0},
    {"gsutil ls -l -a", ICE_LISTING_GSUTIL,
     "        7  2026-03-01T09:00:00Z  gs://lake/t/f#123  metageneration=1" NL,
     "gs://lake/t/f 7 " NINE NL, "all generations", false, 0},
    {"gsutil ls -l -h", ICE_LISTING_GSUTIL,
     " 1.2 KiB  2026-03-01T09:00:00Z  gs://lake/t/f" NL, "gs://lake/t/f ? " NINE NL, NULL,
     false, 0},
    {"gsutil ls -l, not recursive", ICE_LISTING_GSUTIL,
     "        7  2026-03-01T09:00:00Z  gs://lake/t/f" NL
     "                                 gs://lake/t/data/" NL,
     "gs://lake/t/f 7 " NINE NL, "list recursively", false, 0},
    {"gcloud storage ls -L", ICE_LISTING_GCLOUD_DETAILS,
     "gs://lake/t/a b:" NL "  Creation Time:               2026-03-01T09:00:00Z" NL
     "  Update Time:                 2026-03-02T09:00:00Z" NL
     "  Content-Length:              7" NL "  Hash (MD5):                  e==" NL
     "  Generation:                  123" NL "  ACL: []" NL
     "TOTAL: 1 objects, 7 bytes (7B)" NL,
     "gs://lake/t/a b 7 " NINE " latest version=123 etag=e==" NL, NULL, false, 0},
    {"gsutil ls -L -a", ICE_LISTING_GCLOUD_DETAILS,
     "gs://lake/t/f#123:" NL
     "    Creation time:          Sun, 01 Mar 2026 09:00:00 GMT" NL
     "    Noncurrent time:        Mon, 02 Mar 2026 09:00:00 GMT" NL
     "    Content-Length:         7" NL,
     "gs://lake/t/f 7 " NINE " old version=123" NL, NULL, false, 0},
    {"gcloud storage ls --json", ICE_LISTING_GCLOUD_JSON,
     "[{\"url\":\"gs://lake/t/f#123\",\"type\":\"cloud_object\",\"metadata\":{\"bucket\":"
     "\"lake\",\"name\":\"t/f\",\"size\":\"7\",\"generation\":\"123\",\"timeCreated\":"
     "\"2026-03-01T09:00:00Z\",\"updated\":\"2026-03-05T09:00:00Z\",\"md5Hash\":\"e\"}},"
     "{\"url\":\"gs://lake/t/"
     "f#99\",\"type\":\"cloud_object\",\"metadata\":{\"size\":\"6\","
     "\"generation\":\"99\",\"timeDeleted\":\"2026-03-01T09:00:00Z\"}},"
     "{\"url\":\"gs://lake/t/d/\",\"type\":\"prefix\"}]",
     "gs://lake/t/f 7 " NINE " latest version=123 etag=e" NL
     "gs://lake/t/f 6 ? old version=99" NL,
     NULL, false, 0},
    {"gcloud storage ls: plain URLs", ICE_LISTING_PATHS, "gs://lake/t/f" NL,
     "gs://lake/t/f ? ?" NL, NULL, false, 0},
    {"objects of the GCS JSON API", ICE_LISTING_GCS_JSON,
     "{\"kind\":\"storage#objects\",\"nextPageToken\":\"x\",\"items\":[{\"bucket\":"
     "\"lake\","
     "\"name\":\"t/"
     "f\",\"size\":\"7\",\"updated\":\"2026-03-01T09:00:00Z\",\"generation\":"
     "\"5\"}]}",
     "gs://lake/t/f 7 " NINE " latest version=5" NL, "next page", false, 0},
    {"az storage blob list", ICE_LISTING_AZ_BLOB,
     "[{\"name\":\"t/f\",\"deleted\":null,\"metadata\":{\"size\":\"9\"},\"properties\":{"
     "\"contentLength\":7,\"lastModified\":\"2026-03-01T09:00:00+00:00\",\"etag\":\"e\"},"
     "\"snapshot\":null,\"versionId\":null},{\"name\":\"t\",\"metadata\":{\"hdi_"
     "isfolder\":"
     "\"true\"},\"properties\":{\"contentLength\":0}},{\"nextMarker\":\"m\"}]",
     "t/f 7 " NINE " latest etag=e" NL, "next page", false, 0},
    {"az storage blob list --include dvs", ICE_LISTING_AZ_BLOB,
     "[{\"name\":\"t/f\",\"properties\":{\"contentLength\":7},\"versionId\":\"2\","
     "\"isCurrentVersion\":true},{\"name\":\"t/f\",\"properties\":{\"contentLength\":6},"
     "\"versionId\":\"1\",\"isCurrentVersion\":null},{\"name\":\"t/g\",\"deleted\":true,"
     "\"properties\":{\"contentLength\":5}},{\"name\":\"t/h\",\"snapshot\":\"s\","
     "\"properties\":{\"contentLength\":4}}]",
     "t/f 7 ? latest version=2" NL "t/f 6 ? old version=1" NL "t/g 5 ? old gone" NL
     "t/h 4 ? old" NL,
     NULL, false, 0},
    {"az storage fs file list", ICE_LISTING_AZ_FS,
     "[{\"contentLength\":0,\"isDirectory\":true,\"name\":\"t\",\"lastModified\":\"2026-"
     "03-"
     "01T09:00:00\"},{\"contentLength\":7,\"isDirectory\":false,\"name\":\"t/f\","
     "\"lastModified\":\"2026-03-01T09:00:00+00:00\"}]",
     "t/f 7 " NINE NL, NULL, true, 0},
    {"hdfs dfs -ls -R", ICE_LISTING_HDFS,
     "drwxr-xr-x   - spark hadoop          0 2026-03-01 09:00 /wh/t/data" NL
     "-rw-r--r--   3 spark hadoop       4100 2026-03-01 09:00 /wh/t/data/a b" NL
     "-rw-r-----+  3 spark hadoop       4100 2026-03-01 09:00 /wh/t/data/c" NL,
     "/wh/t/data/a b 4100 " NINE NL "/wh/t/data/c 4100 " NINE NL, NULL, true, 0},
    {"hdfs dfs -ls -h", ICE_LISTING_HDFS,
     "Found 1 items" NL
     "-rw-r--r--   3 spark hadoop      1.2 K 2026-03-01 09:00 hdfs://nn/wh/t/f" NL,
     "hdfs://nn/wh/t/f ? " NINE NL, NULL, true, 0},
    {"find -printf", ICE_LISTING_FIND, "7\t1772355600.0000000000\t./data/a b" NL,
     "./data/a b 7 " NINE NL, NULL, false, 0},
    {"find -print0", ICE_LISTING_PATHS, "./data/a\nb\0./data/c\0",
     "./data/a\nb ? ?" NL "./data/c ? ?" NL, NULL, false, 0},
    {"path, size, time by tabs", ICE_LISTING_TSV,
     "data/f\t7\t2026-03-01T09:00:00Z" NL "data/g\t8" NL,
     "data/f 7 " NINE NL "data/g 8 ?" NL, NULL, false, 0},
    {"a table with a header", ICE_LISTING_TABLE,
     "size;Last_Modified;\"path\"" NL "7;" NINE ";\"data/a;\"\"b\"\"\"" NL NL ";;" NL,
     "data/a;\"b\" 7 " NINE NL, NULL, false, 1},
    {"an inventory turned into CSV", ICE_LISTING_TABLE,
     "bucket,key,version_id,is_latest,is_delete_marker,size,last_modified_date,e_tag" NL
     "lake,t/a b,v2,true,false,7,2026-03-01 09:00:00,e2" NL
     "lake,t/a b,v1,false,false,6,2026-03-01 09:00:00,e1" NL
     "lake,t/c,d,true,true,,2026-03-01 09:00:00," NL,
     "s3://lake/t/a b 7 " NINE " latest version=v2 etag=e2" NL "s3://lake/t/a b 6 " NINE
     " old version=v1 etag=e1" NL "s3://lake/t/c ? " NINE " deleted latest version=d" NL,
     NULL, false, 0},
    {"versions of which none is the latest", ICE_LISTING_TABLE,
     "key,version_id,size" NL "t/f,v2,7" NL "t/f,v1,6" NL,
     "t/f 7 ? version=v2" NL "t/f 6 ? version=v1" NL, "which is the latest", false, 0},
    {"our own", ICE_LISTING_OWN,
     "{\"covers\":[\"s3://lake/t/\"],\"complete\":false}" NL
     "{\"uri\":\"s3://lake/t/f\",\"size\":7,\"mtime\":" NINE "}" NL,
     "s3://lake/t/f 7 " NINE NL, "not complete", false, 0},
    {"plain paths", ICE_LISTING_PATHS,
     "data/f" NL "hello" NL "./data/+ %20=g" NL "a/b" NL "a/c" NL,
     "data/f ? ?" NL "./data/+ %20=g ? ?" NL "a/b ? ?" NL "a/c ? ?" NL, NULL, false, 1},
};

/* find -print0 has NULs of its own. */
static struct ice_str text_of(const struct sample *sample) {
    static const char nul[] = "./data/a\nb\0./data/c";
    return memcmp(sample->text, nul, 12) == 0 ? ice_str_make(nul, sizeof(nul))
                                              : ice_str_from(sample->text);
}

static void test_samples(void **state) {
    (void)state;
    /* the same, however the bytes arrive */
    static const size_t chunks[] = {1, 7, 64 * 1024};
    for (size_t i = 0; i < ICE_COUNT_OF(samples); i++) {
        fail_sample(&samples[i], text_of(&samples[i]));
        cut_sample(&samples[i], text_of(&samples[i]));
        for (size_t k = 0; k < ICE_COUNT_OF(chunks); k++)
            check_sample(&samples[i], text_of(&samples[i]), false, chunks[k]);
    }
}

/* Every form of the list has a sample, but S3 Inventory, which has files of its own. */
static void test_every_form_has_a_sample(void **state) {
    (void)state;
    for (int format = 0; format < ICE_LISTING_COUNT; format++) {
        bool has = format == ICE_LISTING_S3_INVENTORY;
        for (size_t i = 0; i < ICE_COUNT_OF(samples); i++)
            has = has || samples[i].format == (enum ice_listing_format)format;
        if (!has)
            fail_msg("no sample of %s",
                     ice_listing_name((enum ice_listing_format)format));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_every_form_has_a_sample),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
