/*
 * Batches: what lies in the buffers, nulls, hostile text, exported trees and their
 * release, memory that fails.
 */
#include "support/cmocka_all.h"
#include "support/failing.h"

#include "arrow/export.h"
#include "arrow/ipc.h"

#include "base/error.h"

#include <string.h>

static const enum ice_value_kind kinds[] = {
    ICE_VALUE_I64,     ICE_VALUE_STR,       ICE_VALUE_BOOL, ICE_VALUE_F64,
    ICE_VALUE_TIME,    ICE_VALUE_BYTES,     ICE_VALUE_JSON, ICE_VALUE_LIST_I64,
    ICE_VALUE_MAP_I64, ICE_VALUE_MAP_BYTES,
};
static const struct ice_column columns[] = {
    {"number", ICE_VALUE_I64},     {"text", ICE_VALUE_STR},
    {"flag", ICE_VALUE_BOOL},      {"real", ICE_VALUE_F64},
    {"time", ICE_VALUE_TIME},      {"raw", ICE_VALUE_BYTES},
    {"nested", ICE_VALUE_JSON},    {"list", ICE_VALUE_LIST_I64},
    {"counts", ICE_VALUE_MAP_I64}, {"bounds", ICE_VALUE_MAP_BYTES},
};
enum { COLUMNS = 10 };

static const int32_t keys[] = {7, -1};
static const int64_t numbers[] = {INT64_MIN, 5};
static const struct ice_str strs[] = {{"ab", 2}, {"\0", 1}};

static const struct ice_value full_row[] = {
    {.kind = ICE_VALUE_I64, .i64 = -3},
    {.kind = ICE_VALUE_STR, .str = {"caf\xc3\xa9", 5}},
    {.kind = ICE_VALUE_BOOL, .i64 = 1},
    {.kind = ICE_VALUE_F64, .f64 = 0.5},
    {.kind = ICE_VALUE_TIME, .i64 = 1000},
    {.kind = ICE_VALUE_BYTES, .str = {"\xff\0", 2}},
    {.kind = ICE_VALUE_JSON, .str = {"{}", 2}},
    {.kind = ICE_VALUE_LIST_I64, .numbers = numbers, .n = 2},
    {.kind = ICE_VALUE_MAP_I64, .keys = keys, .numbers = numbers, .n = 2},
    {.kind = ICE_VALUE_MAP_BYTES, .keys = keys, .strs = strs, .n = 2},
};

static enum ice_status add_row(struct ice_arrow_batch *batch, bool is_null) {
    static const struct ice_value null = {.kind = ICE_VALUE_NULL};
    for (size_t i = 0; i < COLUMNS; i++)
        ICE_TRY(ice_arrow_batch_add(batch, i, is_null ? &null : &full_row[i]));
    ice_arrow_batch_row_end(batch);
    return ICE_OK;
}

static struct ice_arrow_batch *batch_of(const char *rows) {
    struct ice_arrow_batch *batch = ice_arrow_batch_new(NULL, kinds, COLUMNS);
    assert_non_null(batch);
    for (; *rows != '\0'; rows++)
        assert_int_equal(add_row(batch, *rows == '0'), ICE_OK);
    return batch;
}

static int64_t i64_at(const void *buffer, size_t index) {
    int64_t value;
    memcpy(&value, (const char *)buffer + index * sizeof(value), sizeof(value));
    return value;
}

static int32_t i32_at(const void *buffer, size_t index) {
    int32_t value;
    memcpy(&value, (const char *)buffer + index * sizeof(value), sizeof(value));
    return value;
}

static void values_and_nulls_lie_as_arrow_wants(void **state) {
    (void)state;
    struct ArrowArray root;
    assert_int_equal(ice_arrow_export_batch(batch_of("101"), &root), ICE_OK);
    assert_int_equal(root.length, 3);
    assert_int_equal(root.n_children, COLUMNS);
    for (size_t i = 0; i < COLUMNS; i++) {
        const struct ArrowArray *child = root.children[i];
        assert_int_equal(child->length, 3);
        assert_int_equal(child->null_count, 1);
        assert_int_equal(*(const unsigned char *)child->buffers[0], 0x5); /* 1 0 1 */
    }
    const struct ArrowArray *number = root.children[0], *text = root.children[1];
    assert_int_equal(i64_at(number->buffers[1], 0), -3);
    assert_int_equal(i64_at(number->buffers[1], 1), 0);
    assert_int_equal(i64_at(number->buffers[1], 2), -3);
    assert_int_equal(i32_at(text->buffers[1], 1), 5);
    assert_int_equal(i32_at(text->buffers[1], 2), 5); /* the null has no bytes */
    assert_int_equal(i32_at(text->buffers[1], 3), 10);
    assert_memory_equal(text->buffers[2],
                        "caf\xc3\xa9"
                        "caf\xc3\xa9",
                        10);
    assert_int_equal(*(const unsigned char *)root.children[2]->buffers[1], 0x5);
    root.release(&root);
    assert_null(root.release);
}

static void lists_and_maps_have_their_items_in_children(void **state) {
    (void)state;
    struct ArrowArray root;
    assert_int_equal(ice_arrow_export_batch(batch_of("101"), &root), ICE_OK);
    const struct ArrowArray *list = root.children[7], *map = root.children[9];
    assert_int_equal(i32_at(list->buffers[1], 2), 2);
    assert_int_equal(i32_at(list->buffers[1], 3), 4);
    assert_int_equal(list->children[0]->length, 4);
    assert_int_equal(i64_at(list->children[0]->buffers[1], 2), INT64_MIN);
    assert_int_equal(map->n_children, 1);
    const struct ArrowArray *pairs = map->children[0];
    assert_int_equal(pairs->length, 4);
    assert_int_equal(pairs->n_buffers, 1);
    assert_int_equal(pairs->n_children, 2);
    assert_int_equal(i32_at(pairs->children[0]->buffers[1], 3), -1);
    const struct ArrowArray *bytes = pairs->children[1];
    assert_int_equal(i32_at(bytes->buffers[1], 4), 6);
    assert_memory_equal(bytes->buffers[2], "ab\0ab\0", 6);
    root.release(&root);
}

static void a_batch_without_rows_has_its_first_offsets(void **state) {
    (void)state;
    struct ArrowArray root;
    assert_int_equal(ice_arrow_export_batch(batch_of(""), &root), ICE_OK);
    assert_int_equal(root.length, 0);
    assert_int_equal(root.children[1]->null_count, 0);
    assert_null(root.children[1]->buffers[0]); /* no validity: nothing is null */
    assert_int_equal(i32_at(root.children[1]->buffers[1], 0), 0);
    assert_non_null(root.children[1]->buffers[2]);
    root.release(&root);
}

static void a_cleared_batch_begins_anew(void **state) {
    (void)state;
    struct ice_arrow_batch *batch = batch_of("0011");
    ice_arrow_batch_clear(batch);
    assert_int_equal(add_row(batch, false), ICE_OK);
    struct ArrowArray root;
    assert_int_equal(ice_arrow_export_batch(batch, &root), ICE_OK);
    assert_int_equal(root.length, 1);
    assert_int_equal(root.children[0]->null_count, 0);
    assert_int_equal(i64_at(root.children[0]->buffers[1], 0), -3);
    assert_int_equal(i32_at(root.children[8]->buffers[1], 1), 2);
    root.release(&root);
}

static void a_child_that_was_moved_out_outlives_its_parent(void **state) {
    (void)state;
    struct ArrowArray root, list, entries;
    assert_int_equal(ice_arrow_export_batch(batch_of("11"), &root), ICE_OK);
    list = *root.children[7];
    root.children[7]->release = NULL;
    entries = *root.children[8]->children[0];
    root.children[8]->children[0]->release = NULL;
    root.release(&root);
    assert_int_equal(i64_at(list.children[0]->buffers[1], 3), 5);
    list.release(&list);
    assert_int_equal(i32_at(entries.children[0]->buffers[1], 2), 7);
    entries.release(&entries);
}

static void bytes_that_are_not_utf8_are_shown(void **state) {
    (void)state;
    const enum ice_value_kind kind = ICE_VALUE_STR;
    const struct ice_value value = {.kind = ICE_VALUE_STR, .str = {"a\xff\xc3z\xfe", 5}};
    struct ice_arrow_batch *batch = ice_arrow_batch_new(NULL, &kind, 1);
    assert_int_equal(ice_arrow_batch_add(batch, 0, &value), ICE_OK);
    ice_arrow_batch_row_end(batch);
    const struct ice_buf *data = &batch->columns[0].parts[0].data;
    assert_int_equal(data->size, 14);
    assert_memory_equal(data->data, "a\\xff\\xc3z\\xfe", 14);
    ice_arrow_batch_free(batch);
}

static void a_batch_is_full_by_rows_or_bytes(void **state) {
    (void)state;
    static char megabyte[1 << 20];
    memset(megabyte, 'x', sizeof(megabyte));
    const enum ice_value_kind kind = ICE_VALUE_STR;
    const struct ice_value big = {.kind = ICE_VALUE_STR,
                                  .str = {megabyte, sizeof(megabyte)}};
    const struct ice_value small = {.kind = ICE_VALUE_STR};
    struct ice_arrow_batch *batch = ice_arrow_batch_new(NULL, &kind, 1);
    unsigned n_big = 0, n_small = 0;
    for (; !ice_arrow_batch_is_full(batch); n_big++) {
        assert_int_equal(ice_arrow_batch_add(batch, 0, &big), ICE_OK);
        ice_arrow_batch_row_end(batch);
    }
    ice_arrow_batch_clear(batch);
    for (; !ice_arrow_batch_is_full(batch); n_small++) {
        assert_int_equal(ice_arrow_batch_add(batch, 0, &small), ICE_OK);
        ice_arrow_batch_row_end(batch);
    }
    assert_int_equal(n_big, 16);
    assert_int_equal(n_small, 65536);
    ice_arrow_batch_free(batch);
}

static void the_schema_names_types_and_extensions(void **state) {
    (void)state;
    static const char *const formats[] = {"l", "u", "b",  "g",  "tsm:UTC",
                                          "z", "u", "+l", "+m", "+m"};
    struct ArrowSchema root, moved;
    assert_int_equal(ice_arrow_export_schema(NULL, columns, COLUMNS, &root), ICE_OK);
    assert_string_equal(root.format, "+s");
    for (size_t i = 0; i < COLUMNS; i++) {
        assert_string_equal(root.children[i]->format, formats[i]);
        assert_string_equal(root.children[i]->name, columns[i].name);
        assert_int_equal(root.children[i]->flags, ARROW_FLAG_NULLABLE);
    }
    assert_null(root.children[1]->metadata);
    const char *metadata = root.children[6]->metadata;
    assert_int_equal(i32_at(metadata, 0), 2); /* pairs */
    assert_int_equal(i32_at(metadata, 1), 20);
    assert_memory_equal(metadata + 8, "ARROW:extension:name", 20);
    assert_memory_equal(metadata + 32, "arrow.json", 10);
    const struct ArrowSchema *pairs = root.children[9]->children[0];
    assert_string_equal(pairs->children[0]->format, "i");
    assert_int_equal(pairs->children[0]->flags, 0);
    assert_string_equal(pairs->children[1]->name, "value");
    moved = *root.children[9];
    root.children[9]->release = NULL;
    root.release(&root);
    assert_string_equal(moved.name, "bounds");
    moved.release(&moved);
}

/* Every request fails in turn: nothing is lost, and what is handed out is whole. */
static void memory_may_fail_anywhere(void **state) {
    (void)state;
    bool is_done = false;
    for (uint64_t at = 1; !is_done; at++) {
        struct failing failing = {.fail_at = at};
        const struct ice_allocator allocator = failing_allocator(&failing);
        struct ArrowSchema schema = {0};
        struct ArrowArray array = {0};
        enum ice_status status = ICE_ENOMEM;
        struct ice_arrow_batch *batch = ice_arrow_batch_new(&allocator, kinds, COLUMNS);
        for (int i = 0; batch != NULL && i < 9; i++) {
            status = add_row(batch, i % 2 == 1);
            if (status < 0) {
                ice_arrow_batch_free(batch);
                batch = NULL;
            }
        }
        if (batch != NULL)
            status = ice_arrow_export_batch(batch, &array);
        if (status == ICE_OK)
            status = ice_arrow_export_schema(&allocator, columns, COLUMNS, &schema);
        assert_true(status == ICE_OK || status == ICE_ENOMEM);
        assert_int_equal(status == ICE_ENOMEM, failing.n >= at);
        is_done = status == ICE_OK;
        if (array.release != NULL)
            array.release(&array);
        if (schema.release != NULL)
            schema.release(&schema);
        assert_int_equal(failing.used, 0);
    }
}

/* ---- as a stream ----
 */

struct pipe {
    uint64_t n_writes, fail_at; /* from 1; 0: never */
    size_t n_bytes;
};

static enum ice_status write_to_pipe(const char *data, size_t size, void *user) {
    struct pipe *pipe = user;
    assert_true(data != NULL || size == 0);
    if (++pipe->n_writes == pipe->fail_at)
        return ICE_EIO;
    pipe->n_bytes += size;
    return ICE_OK;
}

static enum ice_status write_stream(struct pipe *pipe, struct failing *failing) {
    const struct ice_allocator allocator = failing_allocator(failing);
    struct ice_arrow_batch *batch = batch_of("101");
    struct ice_alloc alloc;
    struct ice_ipc ipc;
    ice_alloc_init(&alloc, &allocator, UINT64_MAX);
    ice_ipc_init(&ipc, &alloc, write_to_pipe, pipe);
    enum ice_status status = ice_ipc_schema(&ipc, columns, COLUMNS);
    if (status >= 0)
        status = ice_ipc_batch(&ipc, batch);
    if (status >= 0)
        status = ice_ipc_end(&ipc);
    ice_ipc_release(&ipc);
    ice_arrow_batch_free(batch);
    assert_int_equal(failing->used, 0);
    return status;
}

static void a_stream_ends_where_a_write_or_a_request_fails(void **state) {
    (void)state;
    struct failing never = {0};
    struct pipe whole = {0};
    assert_int_equal(write_stream(&whole, &never), ICE_OK);
    assert_int_equal(whole.n_bytes % 8, 0);
    assert_true(whole.n_writes > 10 && never.n > 2);
    for (uint64_t n = 1; n <= whole.n_writes; n++) {
        struct failing failing = {0};
        struct pipe pipe = {.fail_at = n};
        assert_int_equal(write_stream(&pipe, &failing), ICE_EIO);
        assert_int_equal(pipe.n_writes, n);
    }
    for (uint64_t n = 1; n <= never.n; n++) {
        struct failing failing = {.fail_at = n};
        struct pipe pipe = {0};
        assert_int_equal(write_stream(&pipe, &failing), ICE_ENOMEM);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_nulls_lie_as_arrow_wants),
        cmocka_unit_test(lists_and_maps_have_their_items_in_children),
        cmocka_unit_test(a_batch_without_rows_has_its_first_offsets),
        cmocka_unit_test(a_cleared_batch_begins_anew),
        cmocka_unit_test(a_child_that_was_moved_out_outlives_its_parent),
        cmocka_unit_test(bytes_that_are_not_utf8_are_shown),
        cmocka_unit_test(a_batch_is_full_by_rows_or_bytes),
        cmocka_unit_test(the_schema_names_types_and_extensions),
        cmocka_unit_test(memory_may_fail_anywhere),
        cmocka_unit_test(a_stream_ends_where_a_write_or_a_request_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
