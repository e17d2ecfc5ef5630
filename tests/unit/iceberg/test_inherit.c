/*
 * Inheritance of snapshot ids, sequence numbers and row ids, without any file: a plan's
 * present mask and an entry are all that it looks at.
 */
#include "iceberg/manifest.h"

#include "support/cmocka_all.h"

#define BIT(n) (UINT64_C(1) << (n))

static const uint64_t sequence_columns =
    BIT(ICE_ENTRY_sequence_number) | BIT(ICE_ENTRY_file_sequence_number);

struct given {
    int32_t status;
    uint64_t present, null;
    int64_t list_sequence;
};

static struct ice_effective apply(struct given given) {
    struct ice_manifest manifest = {0};
    struct ice_inherit inherit = {.added_snapshot_id = 77,
                                  .sequence_number = given.list_sequence};
    struct ice_manifest_entry entry = {.status = given.status,
                                       .null = given.null,
                                       .snapshot_id = 5,
                                       .sequence_number = 3,
                                       .file_sequence_number = 4};
    struct ice_effective effective;
    manifest.plan.present = given.present;
    ice_inherit_apply(&inherit, &manifest, &entry, &effective);
    return effective;
}

static void explicit_values_stand(void **state) {
    (void)state;
    struct ice_effective e = apply((struct given){
        .present = sequence_columns | BIT(ICE_ENTRY_snapshot_id), .list_sequence = 9});
    assert_int_equal(e.snapshot_id, 5);
    assert_true(e.has_sequence_number && e.has_file_sequence_number);
    assert_int_equal(e.sequence_number, 3);
    assert_int_equal(e.file_sequence_number, 4);
}

static void null_inherits_in_added_entries_only(void **state) {
    (void)state;
    struct ice_effective e =
        apply((struct given){.status = ICE_STATUS_ADDED,
                             .present = sequence_columns | BIT(ICE_ENTRY_snapshot_id),
                             .null = sequence_columns | BIT(ICE_ENTRY_snapshot_id),
                             .list_sequence = 9});
    assert_int_equal(e.snapshot_id, 77);
    assert_true(e.has_sequence_number && e.has_file_sequence_number);
    assert_int_equal(e.sequence_number, 9);
    assert_int_equal(e.file_sequence_number, 9);
    for (int32_t status = 0; status < 3; status += 2) {
        e = apply((struct given){.status = status,
                                 .present = sequence_columns,
                                 .null = sequence_columns,
                                 .list_sequence = 9});
        assert_false(e.has_sequence_number);
        assert_false(e.has_file_sequence_number);
        /* in a manifest of number 0 there is nothing else that it could be */
        e = apply((struct given){
            .status = status, .present = sequence_columns, .null = sequence_columns});
        assert_true(e.has_sequence_number && e.has_file_sequence_number);
        assert_int_equal(e.sequence_number, 0);
    }
}

static void without_columns_it_is_v1(void **state) {
    (void)state;
    struct ice_effective e = apply((struct given){.list_sequence = 9});
    assert_true(e.has_sequence_number && e.has_file_sequence_number);
    assert_int_equal(e.sequence_number, 0);
    assert_int_equal(e.snapshot_id, 77);
    /* Java inherits into added entries, and put such manifests into v2 lists */
    e = apply((struct given){.status = ICE_STATUS_ADDED, .list_sequence = 9});
    assert_int_equal(e.sequence_number, 9);
    /* Java before 1.1: one of the two columns, the file's number is not known */
    e = apply(
        (struct given){.present = BIT(ICE_ENTRY_sequence_number), .list_sequence = 9});
    assert_int_equal(e.sequence_number, 3);
    assert_false(e.has_file_sequence_number);
}

struct row {
    int32_t status, content;
    bool is_explicit;
    int64_t first_row_id, record_count, expected; /* -1: none */
};

static void row_ids_count_on_over_nulls(void **state) {
    (void)state;
    static const struct row rows[] = {
        {ICE_STATUS_ADDED, ICE_CONTENT_DATA, false, 0, 10, 100},
        {ICE_STATUS_EXISTING, ICE_CONTENT_DATA, true, 7, 1000, 7},
        {ICE_STATUS_DELETED, ICE_CONTENT_DATA, false, 0, 50, -1},
        {ICE_STATUS_EXISTING, ICE_CONTENT_DATA, false, 0, 5, 110},
        {ICE_STATUS_ADDED, ICE_CONTENT_POSITION_DELETES, false, 0, 3, -1},
        {ICE_STATUS_ADDED, ICE_CONTENT_DATA, false, 0, INT64_MAX, 115},
        {ICE_STATUS_ADDED, ICE_CONTENT_DATA, false, 0, 1, -1}, /* past 2^63 */
    };
    struct ice_manifest manifest = {0};
    struct ice_inherit inherit = {.has_first_row_id = true, .next_row_id = 100};
    manifest.plan.present = BIT(ICE_FILE_first_row_id);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ice_manifest_entry entry = {
            .status = rows[i].status,
            .null = rows[i].is_explicit ? 0 : BIT(ICE_FILE_first_row_id),
            .file = {.content = rows[i].content,
                     .first_row_id = rows[i].first_row_id,
                     .record_count = rows[i].record_count}};
        struct ice_effective e;
        ice_inherit_apply(&inherit, &manifest, &entry, &e);
        assert_int_equal(e.has_first_row_id, rows[i].expected >= 0);
        if (e.has_first_row_id)
            assert_int_equal(e.first_row_id, rows[i].expected);
    }
}

static void no_row_ids_without_the_manifest_s(void **state) {
    (void)state;
    struct ice_manifest manifest = {0};
    struct ice_inherit inherit = {0};
    struct ice_manifest_entry entry = {.status = ICE_STATUS_ADDED,
                                       .file = {.first_row_id = 8, .record_count = 1}};
    struct ice_effective e;
    manifest.plan.present = BIT(ICE_FILE_first_row_id);
    ice_inherit_apply(&inherit, &manifest, &entry, &e);
    assert_false(e.has_first_row_id);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explicit_values_stand),
        cmocka_unit_test(null_inherits_in_added_entries_only),
        cmocka_unit_test(without_columns_it_is_v1),
        cmocka_unit_test(row_ids_count_on_over_nulls),
        cmocka_unit_test(no_row_ids_without_the_manifest_s),
    };
    return cmocka_run_group_tests_name("inherit", tests, NULL, NULL);
}
