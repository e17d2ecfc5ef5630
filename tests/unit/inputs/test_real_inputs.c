/*
 * What real tools printed, once: fixtures/inputs, made by tools/fixtures/make_inputs.py.
 * Of listings, one bucket in every form; of catalogs, who is told apart from whom.
 */
#include "inputs/listing.h"
#include "inputs/pointer.h"

#include "base/error.h"
#include "support/cmocka_all.h"
#include "support/one_run.h"

#include <stdio.h>

/* ---- listings of s3://cold ---- */

#define TABLE "wh/db/t/"
enum { HINT, V1, V2, DATA, GONE, OBJECTS };
/* the tool's own bytes: a blank, a plus, a percent sign and a letter beyond ASCII */
static const char *const keys[OBJECTS] = {
    TABLE "metadata/version-hint.text", TABLE "metadata/v1.metadata.json",
    TABLE "metadata/v2.metadata.json",
    TABLE "data/day=2026-05-01/a b+c%20d=\xc3\xa9.parquet", TABLE "data/gone.parquet"};
static const uint64_t sizes[OBJECTS] = {1, 2, 3, 4, 4};

struct seen {
    bool has_sizes;
    unsigned live, old, deleted; /* 1 << object */
    unsigned n;
};

static enum ice_status note(const struct ice_listed *object, void *user) {
    struct seen *seen = user;
    unsigned i = 0;
    while (i < OBJECTS && !ice_str_is(object->key, keys[i]))
        i++;
    assert_true(i < OBJECTS);
    assert_true(object->mtime_ms > INT64_C(1777000000000)); /* of 2026 */
    if (!object->is_deleted && seen->has_sizes)
        assert_true(object->has_size && object->size == sizes[i]);
    seen->n++;
    if (object->is_deleted)
        seen->deleted |= 1u << i;
    else if (object->is_old)
        seen->old |= 1u << i;
    else
        seen->live |= 1u << i;
    return ICE_OK;
}

static void test_listings(void **state) {
    (void)state;
    enum { ALL = 1 << HINT | 1 << V1 | 1 << V2 | 1 << DATA };
    static const struct {
        const char *path;
        enum ice_listing_format format;
        bool has_sizes, is_partial, has_local_times;
        unsigned live, old, deleted, n;
    } files[] = {
        {"s3-list-objects-v2.json", ICE_LISTING_S3_OBJECTS, true, false, false, ALL, 0, 0,
         4},
        {"s3-list-objects-v2-v2.json", ICE_LISTING_S3_OBJECTS, true, false, false, ALL, 0,
         0, 4},
        {"s3-list-objects-v2-first.json", ICE_LISTING_S3_OBJECTS, true, true, false,
         1 << DATA | 1 << V1, 0, 0, 2},
        {"s3-list-object-versions.json", ICE_LISTING_S3_VERSIONS, true, false, false, ALL,
         1 << HINT | 1 << GONE, 1 << GONE, 7},
        {"s3-ls.txt", ICE_LISTING_S3_LS, true, false, true, ALL, 0, 0, 4},
        {"s3-ls-human.txt", ICE_LISTING_S3_LS, false, false, true, ALL, 0, 0, 4},
        {"rclone-lsjson.json", ICE_LISTING_RCLONE_JSON, true, false, false, ALL, 0, 0, 4},
        {"rclone-lsf.txt", ICE_LISTING_RCLONE_LSF, true, false, true, ALL, 0, 0, 4},
        {"rclone-lsl.txt", ICE_LISTING_RCLONE_LSL, true, false, true, ALL, 0, 0, 4},
    };
    static const struct ice_listing_options options = {.has_zone = false};
    for (size_t i = 0; i < ICE_COUNT_OF(files); i++) {
        struct seen seen = {.has_sizes = files[i].has_sizes};
        struct ice_listing listing;
        char path[128];
        (void)snprintf(path, sizeof(path), "fixtures/inputs/%s", files[i].path);
        assert_int_equal(ice_listing_open(&listing, &run, path, NULL, &options, NULL),
                         ICE_OK);
        assert_int_equal(ice_listing_read(&listing, note, &seen, NULL), ICE_OK);
        if (listing.format != files[i].format ||
            (listing.partial != NULL) != files[i].is_partial ||
            listing.has_local_times != files[i].has_local_times || listing.n_bad > 0 ||
            seen.live != files[i].live || seen.old != files[i].old ||
            seen.deleted != files[i].deleted || seen.n != files[i].n)
            fail_msg("%s: %s, partial %d, local times %d, %d bad, live %x, old %x, "
                     "deleted %x, "
                     "%u in all",
                     files[i].path, ice_listing_name(listing.format),
                     listing.partial != NULL, listing.has_local_times, (int)listing.n_bad,
                     seen.live, seen.old, seen.deleted, seen.n);
        ice_listing_release(&listing);
    }
}

/* Prefixes that are not listed themselves, and nothing else. */
static void test_listing_of_prefixes(void **state) {
    (void)state;
    static const struct ice_listing_options options = {.has_zone = false};
    struct seen seen = {.has_sizes = true};
    struct ice_listing listing;
    assert_int_equal(ice_listing_open(&listing, &run, "fixtures/inputs/s3-ls-flat.txt",
                                      NULL, &options, NULL),
                     ICE_OK);
    assert_int_equal(ice_listing_read(&listing, note, &seen, NULL), ICE_OK);
    assert_int_equal(listing.format, ICE_LISTING_S3_LS);
    assert_non_null(listing.partial);
    assert_int_equal(seen.n, 0);
    ice_listing_release(&listing);
}

/* ---- catalogs ---- */

static void test_catalogs(void **state) {
    (void)state;
    static const struct {
        const char *path;
        enum ice_pointer_format format;
        const char *name, *metadata, *previous; /* ends of names; NULL: none */
        size_t n, n_columns;
    } files[] = {
        {"glue-get-table.json", ICE_POINTER_GLUE, "customers", "/metadata/00002-",
         "/metadata/00001-", 1, 3},
        {"glue-get-table-v2.json", ICE_POINTER_GLUE, "customers", "/metadata/00002-",
         "/metadata/00001-", 1, 3},
        {"glue-get-tables.json", ICE_POINTER_GLUE, "customers", "/metadata/00002-",
         "/metadata/00001-", 1, 3},
        {"glue-get-table-versions.json", ICE_POINTER_GLUE, "customers",
         "/metadata/00002-", "/metadata/00001-", 3, 3},
        {"s3tables-get-table.json", ICE_POINTER_S3TABLES, "orders", "/metadata/00001-",
         NULL, 1, 0},
        {"s3tables-get-table-new.json", ICE_POINTER_S3TABLES, "orders", NULL, NULL, 1, 0},
        {"s3tables-get-table-metadata-location.json", ICE_POINTER_S3TABLES,
         "s3tables-get-table-metadata-location", "/metadata/00001-", NULL, 1, 0},
        {"rest-load-table.json", ICE_POINTER_REST, "rest-load-table", "/metadata/00001-",
         NULL, 1, 0},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(files); i++) {
        struct ice_pointers pointers;
        enum ice_pointer_format format;
        char path[128];
        (void)snprintf(path, sizeof(path), "fixtures/inputs/%s", files[i].path);
        ice_pointers_init(&pointers, &run);
        assert_int_equal(
            ice_pointers_read(&pointers, path, ICE_POINTER_AUTO, &format, NULL), ICE_OK);
        if (format != files[i].format || pointers.n != files[i].n ||
            pointers.n_faults > 0)
            fail_msg("%s: %s, %zu entries", files[i].path,
                     ice_pointer_format_name(format), pointers.n);
        /* of versions, the highest is the current one */
        const struct ice_pointer *entry = &pointers.items[0];
        for (size_t k = 1; k < pointers.n; k++)
            entry =
                pointers.items[k].version > entry->version ? &pointers.items[k] : entry;
        assert_true(ice_str_is(entry->table, files[i].name));
        assert_int_equal(entry->n_columns, files[i].n_columns);
        assert_true(files[i].metadata == NULL ? entry->metadata_location.size == 0
                                              : strstr(entry->metadata_location.data,
                                                       files[i].metadata) != NULL);
        assert_true(files[i].previous == NULL
                        ? entry->previous_metadata_location.size == 0
                        : strstr(entry->previous_metadata_location.data,
                                 files[i].previous) != NULL);
        ice_pointers_release(&pointers);
    }
}

/* Answers that name tables or databases, and none's metadata file. */
static void test_inventories(void **state) {
    (void)state;
    static const char *const files[] = {"fixtures/inputs/glue-get-databases.json",
                                        "fixtures/inputs/s3tables-list-tables.json",
                                        "fixtures/inputs/rest-list-tables.json"};
    for (size_t i = 0; i < ICE_COUNT_OF(files); i++) {
        struct ice_pointers pointers;
        enum ice_pointer_format format;
        ice_pointers_init(&pointers, &run);
        assert_int_equal(
            ice_pointers_read(&pointers, files[i], ICE_POINTER_AUTO, &format, NULL),
            ICE_OK);
        if (pointers.n_faults > 0)
            fail_msg("%s: %s", files[i], pointers.faults[0].error.message);
        ice_pointers_release(&pointers);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listings),
        cmocka_unit_test(test_listing_of_prefixes),
        cmocka_unit_test(test_catalogs),
        cmocka_unit_test(test_inventories),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
