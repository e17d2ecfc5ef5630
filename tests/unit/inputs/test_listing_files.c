/*
 * Listings as files: what is refused and with which way out, formats that are named, and
 * the files of an S3 Inventory.
 */
#include "listing_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct ice_listing_options plain = {.has_zone = false};

/* ---- opening ---- */

static enum ice_status open_bytes(struct ice_listing *listing, struct ice_str bytes,
                                  const char *format, struct ice_error *err) {
    char path[] = "/tmp/icefsck-listing-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.data, bytes.size), bytes.size);
    assert_int_equal(close(fd), 0);
    ice_error_clear(err);
    enum ice_status status = ice_listing_open(listing, &run, path, format, &plain, err);
    assert_int_equal(unlink(path), 0);
    return status;
}

static void test_refused(void **state) {
    (void)state;
    static char tar[300] = "x";
    memcpy(tar + 257, "ustar", 5);
    static const struct {
        struct ice_str bytes;
        const char *format, *words;
    } cases[] = {
        {{"PAR1xxxx", 8}, NULL, "duckdb"},
        {{"ORCxxxxx", 8}, NULL, "duckdb"},
        {{"PK\x03\x04xxxx", 8}, NULL, "unpack it"},
        {{tar, sizeof(tar)}, NULL, "unpack it"},
        {{"Obj\x01xxxx", 8}, NULL, "is no listing"},
        {{"PFA1xxxx", 8}, NULL, "is no listing"},
        {{"SQLite format 3\0", 16}, NULL, "is no listing"},
        {{"AGS1xxxx", 8}, NULL, "is no listing"},
        {{"\x89PNG\r\n\x1a\n", 8}, NULL, "is no listing"},
        {{"\xff\xfe{\0", 4}, NULL, "UTF-16"},
        {{"\xfe\xff\0{", 4}, NULL, "UTF-16"},
        {{"a\0/\0b\0", 6}, NULL, "UTF-16"},
        {{"\0a\0/\0b", 6}, "paths", "UTF-16"},
        {{"CONTENTS\tx\n", 11}, NULL, "--output json"},
        {{"VERSIONS\tx\n", 11}, NULL, "--output json"},
        {{"Contents:\n", 10}, NULL, "--output json"},
        {{"Versions:\n", 10}, NULL, "--output json"},
        {{"-----------\n", 12}, NULL, "--output json"},
        {{"total 8\n-rw-r--r-- 1 a b 7 Mar 1 09:00 a\n", 41}, NULL, "find -type f"},
        {{"./t:\ntotal 8\n", 13}, NULL, "find -type f"},
        {{"total 8", 7}, NULL, "find -type f"},
        {{"hello\n", 6}, NULL, "--listing-format"},
        {{"{\"x\":1}", 7}, NULL, "--listing-format"},
        {{"a/b\n", 4}, "paths\n", "no listing format 'paths\\x0a'"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_listing listing;
        struct ice_error err;
        assert_int_equal(open_bytes(&listing, cases[i].bytes, cases[i].format, &err),
                         ICE_EARG);
        if (strstr(err.message, cases[i].words) == NULL)
            fail_msg("case %zu: '%s' does not say '%s'", i, err.message, cases[i].words);
        ice_listing_release(&listing);
        ice_listing_release(&listing);
    }
}

static void test_named_format(void **state) {
    (void)state;
    static const struct {
        const char *bytes, *format;
        enum ice_listing_format is;
    } cases[] = {
        {"hello\n", "paths", ICE_LISTING_PATHS},
        {"total 8\n", "tsv", ICE_LISTING_TSV},
        {"{}", "ndjson", ICE_LISTING_OWN},
        {"", "s3-inventory", ICE_LISTING_S3_INVENTORY},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_listing listing;
        struct ice_error err;
        assert_int_equal(
            open_bytes(&listing, ice_str_from(cases[i].bytes), cases[i].format, &err),
            ICE_OK);
        assert_int_equal(listing.format, cases[i].is);
        assert_true(ice_str_is(listing.directory, "/tmp"));
        ice_listing_release(&listing);
    }
}

static void test_no_such_file(void **state) {
    (void)state;
    struct ice_listing listing;
    struct ice_error err;
    ice_error_clear(&err);
    assert_int_equal(
        ice_listing_open(&listing, &run, "fixtures/none", NULL, &plain, &err),
        ICE_ENOENT);
    assert_string_equal(err.file, "fixtures/none");
    ice_listing_release(&listing);
}

/* A line or record of more than 1 MiB ends the reading. */
static void test_too_long(void **state) {
    (void)state;
    enum { BYTES = (1 << 20) + 64 };
    static const struct {
        enum ice_listing_format format;
        const char *head, *words;
    } cases[] = {
        {ICE_LISTING_PATHS, "a/b\n/", "a line has more than 1048576 bytes"},
        {ICE_LISTING_TABLE, "path,size\na/b,1\n\"", "a record has more than 1048576"},
    };
    char *bytes = malloc(BYTES);
    assert_non_null(bytes);
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_listing listing = {.run = &run, .format = cases[i].format};
        struct ice_stream stream;
        struct ice_buf out;
        struct ice_error err;
        struct pieces pieces = {.bytes = {bytes, BYTES}, .most = 4096};
        memset(bytes, 'x', BYTES);
        memcpy(bytes, cases[i].head, strlen(cases[i].head));
        ice_error_clear(&err);
        ice_buf_init(&out, &run.alloc, SIZE_MAX);
        ice_arena_init(&listing.arena, &run.alloc);
        assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL),
                         ICE_OK);
        assert_int_equal(ice_listing_read_stream(&listing, &stream, print, &out, &err),
                         ICE_EFORMAT);
        assert_non_null(strstr(err.message, cases[i].words));
        assert_true(ice_str_starts(ice_buf_str(&out), ICE_STR("a/b ")));
        ice_stream_release(&stream);
        ice_buf_release(&out);
        ice_listing_release(&listing);
    }
    free(bytes);
}

/* ---- S3 Inventory ---- */

#define ROW "\"lake\",\"t/a%2Bb\",\"7\",\"2026-03-01T09:00:00.000Z\"\n"
#define SCHEMA "\"fileSchema\":\"Bucket, Key,Size ,  LastModifiedDate\""
#define CSV "\"fileFormat\":\"CSV\"," SCHEMA

struct inventory_case {
    const char *manifest, *objects;
    const char *partial; /* or, with refused, why it is */
    bool is_refused;
    int64_t taken_ms; /* 0: it does not say */
};

static const struct inventory_case inventories[] = {
    {"{" CSV ",\"creationTimestamp\":\"1772355600000\",\"files\":[{\"key\":\"x/y/a.csv\","
     "\"size\":1,\"MD5checksum\":\"\"}]}",
     "s3://lake/t/a+b ? " NINE NL, NULL, false, 1772355600000},
    {"{" CSV ",\"creationTimestamp\":1772355600000,\"version\":{\"x\":[1]},\"files\":["
     "{\"key\":\"b.csv\",\"x\":{\"y\":1}}]}",
     "s3://lake/t/a+b ? " NINE NL, NULL, false, 1772355600000},
    {"{" CSV ",\"creationTimestamp\":[1],\"files\":[1,[2],{\"key\":3},{}]}", "", NULL,
     false, 0},
    {"{" CSV ",\"files\":[{\"key\":\"c.csv\"}]}", "", "not beside its manifest", false,
     0},
    {"{" CSV ",\"files\":[{\"key\":\"a.csv\",\"md5Checksum\":\"00\"}]}", "",
     "MD5 differs", false, 0},
    {"{" CSV ",\"files\":[{\"key\":\"a.csv\",\"MD5checksum\":5}]}",
     "s3://lake/t/a+b ? " NINE NL, NULL, false, 0},
    {"{" CSV ",\"files\":{\"key\":\"a.csv\"}}", "", NULL, false, 0},
    {"{\"fileFormat\":\"CSV\",\"files\":[{\"key\":\"a.csv\"}]}", "", "fileSchema", false,
     0},
    {"{\"fileFormat\":\"CSV\",\"fileSchema\":\"Bucket, Size\"}", "", "fileSchema", false,
     0},
    {"{\"fileFormat\":\"Parquet\"," SCHEMA "}", "", "read_parquet", true, 0},
    {"{\"fileFormat\":\"ORC\"," SCHEMA "}", "", "pyarrow.orc", true, 0},
    {"{\"fileFormat\":7," SCHEMA "}", "", "fileFormat", true, 0},
    {"[{" CSV "}]", "", "fileFormat", true, 0},
};

static const struct ice_memory_file inventory_files[] = {
    {{"a.csv", 5}, {ROW, sizeof(ROW) - 1}},
    {{"data/b.csv", 10}, {ROW, sizeof(ROW) - 1}},
};

static void check_inventory(const struct inventory_case *expected) {
    struct ice_listing listing = {.run = &run, .format = ICE_LISTING_S3_INVENTORY};
    struct ice_stream stream;
    struct ice_buf out;
    struct ice_error err;
    ice_error_clear(&err);
    ice_arena_init(&listing.arena, &run.alloc);
    ice_buf_init(&out, &run.alloc, SIZE_MAX);
    assert_int_equal(ice_source_open_memory(&listing.source, inventory_files,
                                            ICE_COUNT_OF(inventory_files),
                                            &run.alloc.base, NULL),
                     ICE_OK);
    ice_stream_init_memory(&stream, &run, ice_str_from(expected->manifest));
    enum ice_status status =
        ice_listing_read_stream(&listing, &stream, print, &out, &err);
    assert_int_equal(status, expected->is_refused ? ICE_EARG : ICE_OK);
    const char *why = expected->is_refused ? err.message : listing.partial;
    if (!ice_str_is(ice_buf_str(&out), expected->objects))
        fail_msg("%s:\n%.*s", expected->manifest, ICE_STR_FMT(ice_buf_str(&out)));
    if ((why == NULL) != (expected->partial == NULL) ||
        (why != NULL && strstr(why, expected->partial) == NULL))
        fail_msg("%s: %s", expected->manifest, why == NULL ? "whole" : why);
    assert_int_equal(listing.taken_ms,
                     expected->taken_ms != 0 ? expected->taken_ms : INT64_MIN);
    ice_stream_release(&stream);
    ice_buf_release(&out);
    ice_listing_release(&listing);
}

/* A manifest that is cut names no files, or is said to be broken. */
static void cut_inventory(const struct inventory_case *whole) {
    struct ice_str text = ice_str_from(whole->manifest);
    for (size_t size = 0; size < text.size; size++) {
        struct ice_listing listing = {.run = &run, .format = ICE_LISTING_S3_INVENTORY};
        struct ice_stream stream;
        struct ice_buf out;
        ice_arena_init(&listing.arena, &run.alloc);
        ice_buf_init(&out, &run.alloc, SIZE_MAX);
        ice_stream_init_memory(&stream, &run, ice_str_first(text, size));
        enum ice_status status =
            ice_listing_read_stream(&listing, &stream, print, &out, NULL);
        assert_true(status == ICE_EFORMAT || (status == ICE_EARG && whole->is_refused));
        assert_int_equal(out.size, 0);
        ice_stream_release(&stream);
        ice_buf_release(&out);
        ice_listing_release(&listing);
    }
}

/* Each request for memory fails in turn. */
static enum ice_status fail_inventory(const struct inventory_case *expected,
                                      struct failing *failing) {
    struct ice_run short_of;
    failing_run_init(&short_of, failing);
    struct ice_listing listing = {.run = &short_of,
                                  .format = ICE_LISTING_S3_INVENTORY,
                                  .directory = ICE_STR("/tmp/none")};
    struct ice_stream stream;
    struct ice_buf out;
    ice_arena_init(&listing.arena, &short_of.alloc);
    ice_buf_init(&out, &run.alloc, SIZE_MAX);
    enum ice_status status =
        ice_source_open_memory(&listing.source, inventory_files,
                               ICE_COUNT_OF(inventory_files), &short_of.alloc.base, NULL);
    ice_stream_init_memory(&stream, &short_of, ice_str_from(expected->manifest));
    if (status == ICE_OK)
        status = ice_listing_read_stream(&listing, &stream, print, &out, NULL);
    ice_stream_release(&stream);
    ice_buf_release(&out);
    ice_listing_release(&listing);
    assert_int_equal(failing->used, 0);
    return status;
}

static void test_inventories(void **state) {
    (void)state;
    for (size_t i = 0; i < ICE_COUNT_OF(inventories); i++) {
        bool is_done = false;
        check_inventory(&inventories[i]);
        cut_inventory(&inventories[i]);
        for (uint64_t k = 1; !is_done; k++) {
            struct failing failing = {.fail_at = k};
            enum ice_status status = fail_inventory(&inventories[i], &failing);
            is_done = failing.n < k;
            if (!is_done && status != ICE_OK && status != ICE_EARG)
                assert_int_equal(status, ICE_ENOMEM);
        }
    }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_refused),  TEST(test_named_format), TEST(test_no_such_file),
        TEST(test_too_long), TEST(test_inventories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
