/*
 * Packed names of manifest lists: what packs comes back byte for byte, all else is left
 * alone.
 */
#include "iceberg/list_name.h"

#include "support/cmocka_all.h"

static void check_packs(const char *text, int64_t id, uint64_t attempt) {
    struct ice_list_name name;
    assert_true(ice_list_name_pack(ice_str_from(text), id, &name));
    assert_int_equal(name.attempt, attempt);
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    struct ice_buf out;
    ice_buf_init(&out, &alloc, 256);
    assert_int_equal(ice_list_name_unpack(&name, id, &out), ICE_OK);
    assert_true(ice_str_is(ice_buf_str(&out), text));
    ice_buf_release(&out);
}

static void packs_what_writers_write(void **state) {
    (void)state;
    check_packs("snap-3051729675574597004-1-8dbcda19-d1e4-4239-bb68-39ab53c99542.avro",
                3051729675574597004, 1);
    check_packs("snap-1-0-00000000-0000-0000-0000-000000000000.avro", 1, 0);
    check_packs("snap--7-12-ffffffff-ffff-ffff-ffff-ffffffffffff.avro", -7, 12);
    check_packs("snap--9223372036854775808-9223372036854775807-"
                "8dbcda19-d1e4-4239-bb68-39ab53c99542.avro",
                INT64_MIN, INT64_MAX);
}

static void leaves_other_names_alone(void **state) {
    (void)state;
    static const char *const names[] = {
        "",
        ".avro",
        "snap-5.avro",
        "snap-5-1-8dbcda19-d1e4-4239-bb68-39ab53c9954.avro",
        "snap-6-1-8dbcda19-d1e4-4239-bb68-39ab53c99542.avro",  /* another id */
        "snap-5-01-8dbcda19-d1e4-4239-bb68-39ab53c99542.avro", /* attempt not canonical */
        "snap-5--1-8dbcda19-d1e4-4239-bb68-39ab53c99542.avro",
        "snap-5-1-8DBCDA19-d1e4-4239-bb68-39ab53c99542.avro", /* upper case */
        "snap-5-1-8dbcda1g-d1e4-4239-bb68-39ab53c99542.avro",
        "snap-5-1-8dbcda19-d1e4-4239-bb68-39ab53c9954-.avro",
        "snap-5-1-------------------------------------.avro",
        "snap-5-1-8dbcda19d-1e4-4239-bb68-39ab53c99542.avro",
        "snap-5-1_8dbcda19-d1e4-4239-bb68-39ab53c99542.avro",
        "Snap-5-1-8dbcda19-d1e4-4239-bb68-39ab53c99542.avro",
        "snap-5-8dbcda19-d1e4-4239-bb68-39ab53c99542.avro", /* no attempt */
        "snap-5-1-8dbcda19-d1e4-4239-bb68-39ab53c99542.avr0",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct ice_list_name name;
        if (ice_list_name_pack(ice_str_from(names[i]), 5, &name))
            fail_msg("packed %s", names[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packs_what_writers_write),
        cmocka_unit_test(leaves_other_names_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
