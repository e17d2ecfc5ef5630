/*
 * Rows: cells in order, nested JSON that survives a growing buffer, and failures that
 * stick.
 */
#include "answer/row_builder.h"

#include "base/str.h"
#include "support/cmocka_all.h"

static const struct ice_column columns[] = {
    {"flag", ICE_VALUE_BOOL},   {"id", ICE_VALUE_I64},    {"name", ICE_VALUE_STR},
    {"key", ICE_VALUE_BYTES},   {"when", ICE_VALUE_TIME}, {"first", ICE_VALUE_JSON},
    {"second", ICE_VALUE_JSON}, {NULL, ICE_VALUE_NULL},
};

struct seen {
    unsigned n_rows;
    size_t n;
    struct ice_value values[8];
    char first[20000], second[64];
    enum ice_status answer;
};

static enum ice_status keep(const struct ice_column *given,
                            const struct ice_value *values, size_t n, void *user) {
    struct seen *seen = user;
    assert_ptr_equal(given, columns);
    seen->n_rows++;
    seen->n = n;
    memcpy(seen->values, values, n * sizeof(*values));
    if (values[5].kind == ICE_VALUE_JSON)
        memcpy(seen->first, values[5].str.data, values[5].str.size);
    if (values[6].kind == ICE_VALUE_JSON)
        memcpy(seen->second, values[6].str.data, values[6].str.size);
    return seen->answer;
}

static void cells_come_in_order(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_row row;
    struct seen seen = {0};
    ice_run_init(&run, NULL);
    ice_row_init(&row, &run, columns, keep, &seen);
    assert_int_equal(row.n_columns, 7);
    ice_row_begin(&row);
    ice_row_bool(&row, true);
    ice_row_i64(&row, INT64_MIN);
    ice_row_text(&row, "orders");
    ice_row_bytes(&row, ICE_STR("\0\1"));
    ice_row_time(&row, 17);
    /* the first value is bigger than the buffer when the second is begun */
    struct ice_json_writer *w = ice_row_json(&row);
    ice_jw_array(w);
    for (int i = 0; i < 1000; i++)
        ice_jw_i64(w, 1234567890);
    ice_jw_array_end(w);
    ice_row_json_end(&row);
    w = ice_row_json(&row);
    ice_jw_object(w);
    ice_jw_key(w, "a");
    ice_jw_null(w);
    ice_jw_object_end(w);
    ice_row_json_end(&row);
    assert_int_equal(ice_row_send(&row, NULL), ICE_OK);
    assert_int_equal(seen.n, 7);
    assert_int_equal(seen.values[0].kind, ICE_VALUE_BOOL);
    assert_true(seen.values[1].i64 == INT64_MIN);
    assert_string_equal(seen.values[2].str.data, "orders");
    assert_int_equal(seen.values[3].str.size, 2);
    assert_int_equal(seen.values[4].kind, ICE_VALUE_TIME);
    assert_int_equal(seen.values[5].str.size, 2 + 1000 * 11 - 1);
    assert_memory_equal(seen.first, "[1234567890,1234567890,", 23);
    assert_string_equal(seen.second, "{\"a\":null}");
    ice_row_release(&row);
    ice_row_release(&row);
}

static void absent_cells_are_null(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_row row;
    struct seen seen = {0};
    ice_run_init(&run, NULL);
    ice_row_init(&row, &run, columns, keep, &seen);
    for (int round = 0; round < 2; round++) {
        bool has = round == 1;
        ice_row_begin(&row);
        ice_row_null(&row);
        ice_row_i64_if(&row, has, 5);
        ice_row_str_if(&row, has, ICE_STR("x"));
        ice_row_bytes_if(&row, has, ICE_STR("y"));
        ice_row_time_if(&row, has, 9);
        ice_row_null(&row);
        ice_row_null(&row);
        assert_int_equal(ice_row_send(&row, NULL), ICE_OK);
        for (size_t i = 1; i < 5; i++)
            assert_int_equal(seen.values[i].kind, has ? columns[i].kind : ICE_VALUE_NULL);
    }
    assert_int_equal(seen.n_rows, 2);
    ice_row_release(&row);
}

static void callback_decides(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_row row;
    struct seen seen = {.answer = ICE_ECANCELLED};
    ice_run_init(&run, NULL);
    ice_row_init(&row, &run, columns, keep, &seen);
    ice_row_begin(&row);
    for (size_t i = 0; i < 7; i++)
        ice_row_null(&row);
    assert_int_equal(ice_row_send(&row, NULL), ICE_ECANCELLED);
    ice_row_release(&row);
}

static void out_of_memory_is_told_on_send(void **state) {
    (void)state;
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_run run;
    struct ice_row row;
    struct ice_error err = {0};
    struct seen seen = {0};
    options.limits.memory = 16;
    ice_run_init(&run, &options);
    ice_row_init(&row, &run, columns, keep, &seen);
    ice_row_begin(&row);
    for (size_t i = 0; i < 5; i++)
        ice_row_null(&row);
    ice_jw_text(ice_row_json(&row), "does not fit into sixteen bytes");
    ice_row_json_end(&row);
    ice_row_null(&row);
    assert_int_equal(ice_row_send(&row, &err), ICE_ENOMEM);
    assert_int_equal(err.status, ICE_ENOMEM);
    assert_int_equal(seen.n_rows, 0);
    ice_row_release(&row);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_come_in_order),
        cmocka_unit_test(absent_cells_are_null),
        cmocka_unit_test(callback_decides),
        cmocka_unit_test(out_of_memory_is_told_on_send),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
