/*
 * Streams: batches in order, the end, errors of who makes rows, a reader that goes early,
 * memory that fails.
 */
#include "support/cmocka_all.h"
#include "support/failing.h"

#include "arrow/abi.h"
#include "base/error.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct ice_column columns[] = {
    {"id", ICE_VALUE_I64}, {"name", ICE_VALUE_STR}, {"all", ICE_VALUE_MAP_I64}};

/* What the maker of rows does. */
struct maker {
    uint64_t n_rows;      /* to tell; UINT64_MAX: until it is stopped */
    bool tells_nothing;   /* not even the columns */
    enum ice_status ends; /* with this, behind the rows */
    _Atomic uint64_t n_told;
    int n_released;
    enum ice_status stopped_by;
};

static enum ice_status make(ice_row_fn on_row, void *row_user, void *user,
                            struct ice_error *err) {
    struct maker *maker = user;
    if (!maker->tells_nothing)
        maker->stopped_by = on_row(columns, NULL, ICE_COUNT_OF(columns), row_user);
    for (; maker->stopped_by == ICE_OK && maker->n_told < maker->n_rows;
         maker->n_told++) {
        const struct ice_value values[] = {
            {.kind = ICE_VALUE_I64, .i64 = (int64_t)maker->n_told},
            {.kind = ICE_VALUE_STR, .str = {"x", 1}},
            {.kind = ICE_VALUE_MAP_I64},
        };
        maker->stopped_by = on_row(columns, values, ICE_COUNT_OF(columns), row_user);
    }
    if (maker->stopped_by < 0)
        return maker->stopped_by;
    if (maker->ends < 0)
        return ice_error_set(err, maker->ends, NULL, ICE_NO_OFFSET, "the maker failed");
    return ICE_OK;
}

static void released(void *user) {
    struct maker *maker = user;
    maker->n_released++;
}

static void open_stream(struct ArrowArrayStream *stream, struct maker *maker,
                        const char *names) {
    assert_int_equal(ice_arrow_stream(stream, names, NULL, make, released, maker, NULL),
                     ICE_OK);
}

static void batches_come_in_order_and_end(void **state) {
    (void)state;
    struct maker maker = {.n_rows = 65536 * 4 + 3};
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    uint64_t next = 0;
    unsigned n_batches = 0;
    open_stream(&stream, &maker, NULL);
    for (;; n_batches++) {
        assert_int_equal(stream.get_next(&stream, &array), 0);
        if (array.release == NULL)
            break;
        for (int64_t i = 0; i < array.length; i++, next++)
            assert_int_equal(((const int64_t *)array.children[0]->buffers[1])[i], next);
        array.release(&array);
    }
    assert_int_equal(next, maker.n_rows);
    assert_int_equal(n_batches, 5);
    assert_int_equal(stream.get_next(&stream, &array), 0); /* the end stays the end */
    assert_null(array.release);
    assert_int_equal(maker.n_released, 0);
    stream.release(&stream);
    assert_null(stream.release);
    assert_int_equal(maker.n_released, 1);
}

static void columns_are_picked_in_the_order_of_the_list(void **state) {
    (void)state;
    struct maker maker = {.n_rows = 1};
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray array;
    open_stream(&stream, &maker, "all,id");
    for (int i = 0; i < 2; i++) { /* as often as one likes */
        assert_int_equal(stream.get_schema(&stream, &schema), 0);
        assert_int_equal(schema.n_children, 2);
        assert_string_equal(schema.children[0]->name, "all");
        assert_string_equal(schema.children[1]->format, "l");
        schema.release(&schema);
    }
    assert_int_equal(stream.get_next(&stream, &array), 0);
    assert_int_equal(array.n_children, 2);
    stream.release(&stream); /* what was read stays */
    assert_int_equal(array.children[0]->n_children, 1);
    array.release(&array);
}

static void an_unknown_column_is_named(void **state) {
    (void)state;
    struct maker maker = {.n_rows = 1};
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    open_stream(&stream, &maker, "id,nix");
    assert_int_equal(stream.get_schema(&stream, &schema), EINVAL);
    assert_string_equal(stream.get_last_error(&stream), "no column is called 'nix'");
    stream.release(&stream);
    assert_int_equal(maker.n_told, 0);
}

static void rows_before_a_failure_are_read_first(void **state) {
    (void)state;
    struct maker maker = {.n_rows = 3, .ends = ICE_EFORMAT};
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    open_stream(&stream, &maker, NULL);
    int first = stream.get_next(&stream, &array);
    if (first == 0) {
        assert_int_equal(array.length, 3);
        array.release(&array);
        first = stream.get_next(&stream, &array);
    }
    assert_int_equal(first, EIO);
    assert_string_equal(stream.get_last_error(&stream), "the maker failed");
    stream.release(&stream);
}

static void a_maker_without_columns_is_no_crash(void **state) {
    (void)state;
    struct maker silent = {.tells_nothing = true};
    struct maker failing = {.tells_nothing = true, .ends = ICE_ENOENT};
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray array;
    open_stream(&stream, &silent, NULL);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(schema.n_children, 0);
    schema.release(&schema);
    assert_int_equal(stream.get_next(&stream, &array), 0);
    assert_null(array.release);
    stream.release(&stream);
    open_stream(&stream, &failing, NULL);
    assert_int_equal(stream.get_schema(&stream, &schema), ENOENT);
    stream.release(&stream);
}

/* The maker never ends by itself, and stands before a full queue. */
static void a_reader_may_go_at_any_time(void **state) {
    (void)state;
    for (int n_read = 0; n_read < 4; n_read++) {
        struct maker maker = {.n_rows = UINT64_MAX};
        struct ArrowArrayStream stream;
        open_stream(&stream, &maker, NULL);
        for (int i = 0; i < n_read; i++) {
            struct ArrowArray array;
            assert_int_equal(stream.get_next(&stream, &array), 0);
            array.release(&array);
        }
        stream.release(&stream);
        assert_int_equal(maker.stopped_by, ICE_ECANCELLED);
        assert_int_equal(maker.n_released, 1);
        /* one under way, two that wait: no more was made ahead */
        assert_true(maker.n_told <= (uint64_t)(n_read + 3) * 65536);
    }
}

/* Until the maker stands before a full queue: two batches wait, a third is full. */
static void wait_until_full(const struct maker *maker, unsigned n_read) {
    const struct timespec pause = {.tv_nsec = 10000000};
    while (maker->n_told < (uint64_t)(n_read + 3) * 65536 - 1)
        (void)nanosleep(&pause, NULL);
    (void)nanosleep(&pause, NULL);
}

static void a_full_queue_waits_for_its_reader(void **state) {
    (void)state;
    struct maker maker = {.n_rows = UINT64_MAX};
    struct ArrowArrayStream stream;
    open_stream(&stream, &maker, NULL);
    for (unsigned i = 0; i < 3; i++) {
        struct ArrowArray array;
        wait_until_full(&maker, i);
        assert_int_equal(stream.get_next(&stream, &array), 0);
        assert_int_equal(((const int64_t *)array.children[0]->buffers[1])[0], i * 65536);
        array.release(&array);
    }
    wait_until_full(&maker, 3);
    stream.release(&stream); /* with what nobody read */
    assert_int_equal(maker.stopped_by, ICE_ECANCELLED);
    assert_int_equal(maker.n_told, 6 * 65536);
}

static enum ice_status fail_silently(ice_row_fn on_row, void *row_user, void *user,
                                     struct ice_error *err) {
    (void)on_row;
    (void)row_user;
    if (*(bool *)user)
        (void)snprintf(err->file, sizeof(err->file), "a\tb.avro");
    return ICE_EIO;
}

/* An error without words is told by the name of its status, and by its file. */
static void an_error_without_words(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        bool has_file = i != 0;
        struct ArrowArrayStream stream;
        struct ArrowArray array;
        assert_int_equal(
            ice_arrow_stream(&stream, NULL, NULL, fail_silently, NULL, &has_file, NULL),
            ICE_OK);
        assert_int_equal(stream.get_next(&stream, &array), EIO);
        char expected[128];
        (void)snprintf(expected, sizeof(expected), "%s%s",
                       has_file ? "a\\x09b.avro: " : "", ice_status_name(ICE_EIO));
        assert_string_equal(stream.get_last_error(&stream), expected);
        stream.release(&stream);
    }
    /* who has nothing to give back, and no memory */
    struct failing failing = {.fail_at = 1};
    const struct ice_allocator allocator = failing_allocator(&failing);
    struct ArrowArrayStream stream;
    assert_int_equal(
        ice_arrow_stream(&stream, NULL, &allocator, fail_silently, NULL, NULL, NULL),
        ICE_ENOMEM);
}

static void memory_may_fail_anywhere(void **state) {
    (void)state;
    bool is_done = false;
    for (uint64_t at = 1; !is_done; at++) {
        struct failing failing = {.fail_at = at};
        const struct ice_allocator allocator = failing_allocator(&failing);
        struct maker maker = {.n_rows = 20};
        struct ArrowArrayStream stream = {0};
        struct ArrowArray array = {0};
        int code = ENOMEM;
        if (ice_arrow_stream(&stream, NULL, &allocator, make, released, &maker, NULL) >=
            0)
            code = stream.get_next(&stream, &array);
        assert_int_equal(code == ENOMEM, failing.n >= at);
        is_done = code == 0;
        if (array.release != NULL)
            array.release(&array);
        if (stream.release != NULL)
            stream.release(&stream);
        assert_int_equal(maker.n_released, 1);
        assert_int_equal(failing.used, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_come_in_order_and_end),
        cmocka_unit_test(columns_are_picked_in_the_order_of_the_list),
        cmocka_unit_test(an_unknown_column_is_named),
        cmocka_unit_test(rows_before_a_failure_are_read_first),
        cmocka_unit_test(a_maker_without_columns_is_no_crash),
        cmocka_unit_test(a_reader_may_go_at_any_time),
        cmocka_unit_test(a_full_queue_waits_for_its_reader),
        cmocka_unit_test(an_error_without_words),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
