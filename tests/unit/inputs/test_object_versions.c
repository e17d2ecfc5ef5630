/*
 * Versions of pointers: what is kept of a versioned listing, and which counted when.
 */
#include "inputs/object_versions.h"

#include "support/cmocka_all.h"
#include "support/one_run.h"

/* As `aws s3api list-object-versions` prints it: newest first, markers apart. */
static const char listing[] =
    "{\"Versions\":["
    "{\"Key\":\"t/metadata/"
    "00001-a.metadata.json\",\"VersionId\":\"A1\",\"IsLatest\":false,"
    "\"Size\":10,\"LastModified\":\"2026-03-01T09:00:00.000Z\",\"ETag\":\"\\\"x\\\"\"},"
    "{\"Key\":\"t/metadata/m.avro\",\"VersionId\":\"M\",\"IsLatest\":true,\"Size\":5},"
    "{\"Key\":\"t/metadata/version-hint.text\",\"VersionId\":\"H2\",\"IsLatest\":true,"
    "\"Size\":1,\"LastModified\":\"2026-03-01T10:00:00+00:00\"},"
    "{\"Key\":\"t/metadata/version-hint.text\",\"VersionId\":\"H1\",\"IsLatest\":false,"
    "\"Size\":1,\"LastModified\":\"2026-03-01T09:00:00Z\"}],"
    "\"DeleteMarkers\":["
    "{\"Key\":\"t/metadata/"
    "00001-a.metadata.json\",\"VersionId\":\"A2\",\"IsLatest\":true,"
    "\"LastModified\":\"2026-03-02T09:00:00Z\"}]}";

enum { HOUR_MS = 3600 * 1000 };
static const int64_t NINE_MS = INT64_C(1772355600000);

static enum ice_status keep(const struct ice_listed *object, void *user) {
    return ice_object_versions_add(user, object);
}

static void read_into(struct ice_object_versions *versions, const char *text) {
    struct ice_listing l = {.run = &run, .format = ICE_LISTING_S3_VERSIONS};
    struct ice_stream stream;
    ice_arena_init(&l.arena, &run.alloc);
    ice_stream_init_memory(&stream, &run, ice_str_from(text));
    assert_int_equal(ice_listing_read_stream(&l, &stream, keep, versions, NULL), ICE_OK);
    ice_stream_release(&stream);
    ice_listing_release(&l);
    ice_object_versions_sort(versions);
}

static void test_kept_and_ordered(void **state) {
    (void)state;
    struct ice_object_versions v;
    size_t n;
    ice_object_versions_init(&v, &run);
    read_into(&v, listing);
    assert_int_equal(v.n, 4);
    assert_true(v.has_markers_or_old);
    size_t at = ice_object_versions_find(&v, ICE_STR("t/metadata/version-hint.text"), &n);
    assert_int_equal(n, 2);
    assert_true(ice_str_is(v.items[at].version_id, "H1"));
    assert_true(ice_str_is(v.items[at + 1].version_id, "H2"));
    assert_true(v.items[at + 1].is_latest && !v.items[at].is_latest);
    at = ice_object_versions_find(&v, ICE_STR("t/metadata/m.avro"), &n);
    assert_int_equal(n, 0);
    read_into(&v, listing); /* told twice, kept once */
    assert_int_equal(v.n, 4);
    ice_object_versions_release(&v);
    ice_object_versions_release(&v);
}

static void test_which_counted_when(void **state) {
    (void)state;
    struct ice_object_versions v;
    struct ice_str hint = ICE_STR("t/metadata/version-hint.text");
    struct ice_str file = ICE_STR("t/metadata/00001-a.metadata.json");
    ice_object_versions_init(&v, &run);
    read_into(&v, listing);
    assert_null(ice_object_versions_at(&v, hint, NINE_MS - 1));
    assert_true(ice_str_is(ice_object_versions_at(&v, hint, NINE_MS)->version_id, "H1"));
    assert_true(ice_str_is(
        ice_object_versions_at(&v, hint, NINE_MS + HOUR_MS)->version_id, "H2"));
    assert_false(ice_object_versions_at(&v, file, NINE_MS + HOUR_MS)->is_deleted);
    assert_true(ice_object_versions_at(&v, file, INT64_MAX)->is_deleted);
    assert_null(ice_object_versions_at(&v, ICE_STR("t/other"), INT64_MAX));
    ice_object_versions_release(&v);
}

/* Of one moment: the latest last, and a marker behind what it marks. */
static void test_one_moment(void **state) {
    (void)state;
#define HINT                                                                             \
    "{\"Key\":\"t/metadata/"                                                             \
    "version-hint.text\",\"LastModified\":\"2026-03-01T09:00:00Z\","
    static const struct {
        const char *text, *order;
    } cases[] = {
        {"{\"Versions\":[" HINT "\"VersionId\":\"a\",\"IsLatest\":true}," HINT
         "\"VersionId\":\"b\",\"IsLatest\":false}]}",
         "ba"},
        {"{\"Versions\":[" HINT "\"VersionId\":\"a\",\"IsLatest\":false}," HINT
         "\"VersionId\":\"b\",\"IsLatest\":true}]}",
         "ab"},
        {"{\"DeleteMarkers\":[" HINT
         "\"VersionId\":\"a\",\"IsLatest\":false}],\"Versions\":[" HINT
         "\"VersionId\":\"b\",\"IsLatest\":false}]}",
         "ba"},
        {"{\"Versions\":[" HINT "\"VersionId\":\"b\",\"IsLatest\":false}," HINT
         "\"VersionId\":\"a\",\"IsLatest\":false}]}",
         "ab"},
        {"{\"Versions\":[" HINT
         "\"VersionId\":\"a\",\"IsLatest\":false}],\"DeleteMarkers\":[" HINT
         "\"VersionId\":\"0\",\"IsLatest\":false}]}",
         "a0"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_object_versions v;
        ice_object_versions_init(&v, &run);
        read_into(&v, cases[i].text);
        assert_int_equal(v.n, 2);
        for (size_t k = 0; k < 2; k++)
            assert_int_equal(v.items[k].version_id.data[0], cases[i].order[k]);
        ice_object_versions_release(&v);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_and_ordered),
        cmocka_unit_test(test_which_counted_when),
        cmocka_unit_test(test_one_moment),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
