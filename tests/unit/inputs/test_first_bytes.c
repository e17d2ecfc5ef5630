/*
 * What is judged by the first 64 KiB is judged by them alone: what stands behind them
 * changes nothing, in whatever pieces a file comes. And lines of 1 MiB, from a file as
 * from memory.
 */
#include "listing_sample.h"

#include "inputs/evidence.h"
#include "inputs/pointer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FIRST = 64 * 1024, LINE = 1 << 20, ROOM = LINE + 4096 };

static const struct ice_listing_options plain = {.has_zone = false};
static char bytes[ROOM];
static size_t n_bytes;
static char path[] = "/tmp/icefsck-first-XXXXXX";

static int set_up_file(void **state) {
    n_bytes = 0;
    memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
    int fd = mkstemp(path);
    if (fd < 0 || close(fd) != 0)
        return -1;
    return set_up(state);
}

static int tear_down_file(void **state) {
    return unlink(path) == 0 ? tear_down(state) : -1;
}

static void add(const char *text) {
    size_t size = strlen(text);
    assert_true(size <= ROOM - n_bytes);
    memcpy(bytes + n_bytes, text, size);
    n_bytes += size;
}

/* text again and again, to size bytes or a few more. */
static void fill(const char *text, size_t size) {
    while (n_bytes < size)
        add(text);
}

static void write_file(void) {
    FILE *f = fopen(path, "wbe");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n_bytes, f), n_bytes);
    assert_int_equal(fclose(f), 0);
}

/* ---- which kind ---- */

static void evidence_behind_is_not_seen(void **state) {
    (void)state;
    static const char scan[] =
        "24/05/02 10:00:00 INFO SnapshotScan: Scanning table c.d.t snapshot 1 created at "
        "2024-05-02T10:00:00.000+00:00 with filter true\n";
    for (int is_behind = 0; is_behind <= 1; is_behind++) {
        struct ice_evidence_log log;
        struct ice_error err;
        n_bytes = 0;
        fill("a launcher says hello\n", is_behind ? FIRST : FIRST / 2);
        fill(scan, n_bytes + FIRST / 4);
        write_file();
        ice_error_clear(&err);
        assert_int_equal(ice_evidence_open(&log, &run, path, &plain, &err),
                         is_behind ? ICE_EUNSUPPORTED : ICE_OK);
        if (is_behind)
            assert_non_null(strstr(err.message, "its first 64 KiB are no log"));
        ice_evidence_release(&log);
    }
}

static void listing_behind_is_not_seen(void **state) {
    (void)state;
    for (int is_behind = 0; is_behind <= 1; is_behind++) {
        struct ice_listing listing;
        struct ice_error err;
        n_bytes = 0;
        add("\n");
        fill("2026-03-01 09:00:00          7 t/a\n", is_behind ? FIRST : FIRST / 2);
        bytes[n_bytes++] = '\0'; /* with it, all is one line */
        write_file();
        ice_error_clear(&err);
        enum ice_status status =
            ice_listing_open(&listing, &run, path, NULL, &plain, &err);
        assert_int_equal(status == ICE_OK && listing.format == ICE_LISTING_S3_LS,
                         is_behind);
        ice_listing_release(&listing);
    }
}

/* The objects that come out, where size bytes come at a time. */
static void read_objects(enum ice_listing_format format, size_t most,
                         struct ice_buf *out) {
    struct ice_listing listing = {.run = &run, .format = format};
    struct pieces pieces = {.bytes = {bytes, n_bytes}, .most = most};
    struct ice_stream stream;
    ice_arena_init(&listing.arena, &run.alloc);
    assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL), ICE_OK);
    assert_int_equal(ice_listing_read_stream(&listing, &stream, print, out, NULL),
                     ICE_OK);
    assert_int_equal(ice_buf_printf(out, "%llu bad\n", (unsigned long long)listing.n_bad),
                     ICE_OK);
    ice_stream_release(&stream);
    ice_listing_release(&listing);
}

static void assert_objects(enum ice_listing_format format, const char *last) {
    static const size_t sizes[] = {4096, 100000, SIZE_MAX};
    for (size_t i = 0; i < ICE_COUNT_OF(sizes); i++) {
        struct ice_buf out;
        ice_buf_init(&out, &run.alloc, SIZE_MAX);
        read_objects(format, sizes[i], &out);
        if (!ice_str_ends(ice_buf_str(&out), ice_str_from(last)))
            fail_msg("%s in pieces of %zu: no '%s' at the end of %zu bytes",
                     ice_listing_name(format), sizes[i], last, ice_buf_str(&out).size);
        ice_buf_release(&out);
    }
}

/* What ends lines, what parts cells, CSV or JSON: asked of the first 64 KiB. */
static void listings_are_read_by_their_start(void **state) {
    (void)state;
    fill("t/a\n", FIRST);
    bytes[n_bytes++] = '\0';
    add("\nt/b\n");
    assert_objects(ICE_LISTING_PATHS, "t/b ? ?\n1 bad\n");

    n_bytes = 0;
    add("key;size;");
    fill("x", FIRST);
    add(",y\nt/a;7\n");
    assert_objects(ICE_LISTING_TABLE, "t/a 7 ?\n0 bad\n");

    n_bytes = 0;
    fill("\n", FIRST);
    add("[]\n");
    assert_objects(ICE_LISTING_S3_JOURNAL, "1 bad\n");
}

static void assert_pointer_fault(struct ice_pointers *pointers, const char *words) {
    assert_int_equal(pointers->n_faults, 1);
    if (strstr(pointers->faults[0].error.message, words) == NULL)
        fail_msg("'%s' does not say '%s'", pointers->faults[0].error.message, words);
}

static void pointers_behind_are_not_seen(void **state) {
    (void)state;
    static const struct {
        const char *head, *filler, *tail, *words;
        size_t size;
    } cases[] = {
        {"", "x\n", "metadata_location\ts3://b/1.metadata.json\n", NULL, FIRST / 2},
        {"", "x\n", "metadata_location\ts3://b/1.metadata.json\n", "", FIRST},
        /* an archive's names may stand late in it */
        {"PK\x03\x04", "x", "export-metadata", "Nessie", 200000},
        {"PK\x03\x04", "x", "export-metadata", "unpack it", 4 * (size_t)FIRST},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_pointers pointers;
        enum ice_pointer_format is = ICE_POINTER_AUTO;
        n_bytes = 0;
        add(cases[i].head);
        fill(cases[i].filler, cases[i].size);
        add(cases[i].tail);
        ice_pointers_init(&pointers, &run);
        assert_int_equal(ice_pointers_read_text(&pointers, ICE_STR("t"),
                                                ice_str_make(bytes, n_bytes),
                                                ICE_POINTER_AUTO, &is, NULL),
                         ICE_OK);
        if (cases[i].words == NULL)
            assert_int_equal(is, ICE_POINTER_HIVE);
        else
            assert_pointer_fault(&pointers, cases[i].words);
        assert_int_equal(pointers.n, cases[i].words == NULL);
        ice_pointers_release(&pointers);
    }
}

/* ---- lines of 1 MiB ---- */

/* A line of size bytes, between others if it is one that ends. */
static void put_line(size_t size, bool is_ended) {
    n_bytes = 0;
    add("table,metadata_location,other\nt,s3://b/1.metadata.json,x\n");
    size_t end = n_bytes + size;
    add("u,s3://b/2.metadata.json,");
    fill("x", end);
    if (is_ended)
        add("\nv,s3://b/3.metadata.json,x\n");
    write_file();
}

static void pointer_lines_have_one_limit(void **state) {
    (void)state;
    for (size_t i = 0; i < 8; i++) {
        const bool is_long = i & 1, is_ended = i & 2, is_file = i & 4;
        struct ice_pointers pointers;
        enum ice_pointer_format is;
        put_line(is_long ? LINE + 1 : LINE, is_ended);
        ice_pointers_init(&pointers, &run);
        enum ice_status status =
            is_file ? ice_pointers_read(&pointers, path, ICE_POINTER_AUTO, &is, NULL)
                    : ice_pointers_read_text(&pointers, ICE_STR("t"),
                                             ice_str_make(bytes, n_bytes),
                                             ICE_POINTER_AUTO, &is, NULL);
        assert_int_equal(status, ICE_OK);
        if (is_long)
            assert_pointer_fault(&pointers, "a line of more than 1 MiB");
        else
            assert_int_equal(pointers.n, is_ended ? 3 : 2);
        ice_pointers_release(&pointers);
    }
}

/* A fault is where the line or record begins, whatever was read of it. */
static void faults_are_where_lines_begin(void **state) {
    (void)state;
    static const struct {
        enum ice_listing_format format;
        const char *head, *line;
    } cases[] = {
        {ICE_LISTING_PATHS, "t/a\nt/b\n", "t/"},
        {ICE_LISTING_TABLE, "\xef\xbb\xbfkey,size\nt/a,7\n", "t/"},
    };
    static const size_t sizes[] = {1000, 4096, SIZE_MAX};
    for (size_t i = 0; i < ICE_COUNT_OF(cases) * ICE_COUNT_OF(sizes); i++) {
        const size_t k = i / ICE_COUNT_OF(sizes);
        struct ice_listing listing = {.run = &run, .format = cases[k].format};
        struct pieces pieces = {.most = sizes[i % ICE_COUNT_OF(sizes)]};
        struct ice_stream stream;
        struct ice_buf out;
        struct ice_error err;
        n_bytes = 0;
        add(cases[k].head);
        const size_t start = n_bytes;
        add(cases[k].line);
        fill("x", start + LINE + 1);
        pieces.bytes = ice_str_make(bytes, n_bytes);
        ice_error_clear(&err);
        ice_buf_init(&out, &run.alloc, SIZE_MAX);
        ice_arena_init(&listing.arena, &run.alloc);
        assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL),
                         ICE_OK);
        assert_int_equal(ice_listing_read_stream(&listing, &stream, print, &out, &err),
                         ICE_EFORMAT);
        assert_int_equal(err.offset, start);
        ice_stream_release(&stream);
        ice_buf_release(&out);
        ice_listing_release(&listing);
    }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up_file, tear_down_file)
    const struct CMUnitTest tests[] = {
        TEST(evidence_behind_is_not_seen),      TEST(listing_behind_is_not_seen),
        TEST(listings_are_read_by_their_start), TEST(pointers_behind_are_not_seen),
        TEST(pointer_lines_have_one_limit),     TEST(faults_are_where_lines_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
