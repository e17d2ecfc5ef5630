/*
 * Rows gathered column by column.
 */
#include "arrow/arrow_batch.h"

#include "base/error.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    FULL_ROWS = 65536,
    FULL_BYTES = 16 << 20,
};

static bool has_offsets(enum ice_arrow_kind kind) {
    return kind == ICE_ARROW_UTF8 || kind == ICE_ARROW_BINARY || kind == ICE_ARROW_LIST ||
           kind == ICE_ARROW_MAP;
}

/* ---- life ---------------------------------------------------------------------------
 */

/* The first offset of a part, which an empty column has too. */
static enum ice_status begin_part(struct ice_arrow_part *part) {
    static const int32_t zero = 0;
    ice_buf_clear(&part->validity);
    ice_buf_clear(&part->offsets);
    ice_buf_clear(&part->data);
    part->length = part->n_nulls = 0;
    return has_offsets(part->node->kind)
               ? ice_buf_append(&part->offsets, &zero, sizeof(zero))
               : ICE_OK;
}

static enum ice_status begin_column(struct ice_arrow_batch *batch, size_t index,
                                    enum ice_value_kind kind) {
    struct ice_arrow_column *column = &batch->columns[index];
    column->type = ice_arrow_type_of(kind);
    for (size_t i = 0; i < column->type->n_nodes; i++) {
        struct ice_arrow_part *part = &column->parts[i];
        part->node = &column->type->nodes[i];
        ice_buf_init(&part->validity, &batch->alloc, INT32_MAX);
        ice_buf_init(&part->offsets, &batch->alloc, INT32_MAX);
        ice_buf_init(&part->data, &batch->alloc, INT32_MAX); /* offsets are int32 */
        ICE_TRY(begin_part(part));
    }
    return ICE_OK;
}

struct ice_arrow_batch *ice_arrow_batch_new(const struct ice_allocator *allocator,
                                            const enum ice_value_kind *kinds, size_t n) {
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, allocator, UINT64_MAX);
    struct ice_arrow_batch *batch = ice_calloc(&alloc, 1, sizeof(*batch));
    if (batch == NULL)
        return NULL;
    ice_alloc_init(&batch->alloc, allocator, UINT64_MAX);
    batch->columns = ice_calloc(&batch->alloc, n > 0 ? n : 1, sizeof(*batch->columns));
    enum ice_status status = batch->columns != NULL ? ICE_OK : ICE_ENOMEM;
    batch->n_columns = n;
    for (size_t i = 0; status == ICE_OK && i < n; i++)
        status = begin_column(batch, i, kinds[i]);
    if (status == ICE_OK)
        return batch;
    ice_arrow_batch_free(batch);
    return NULL;
}

void ice_arrow_batch_free(struct ice_arrow_batch *batch) {
    if (batch == NULL)
        return;
    for (size_t i = 0; batch->columns != NULL && i < batch->n_columns; i++) {
        for (size_t k = 0; k < ICE_ARROW_NODES; k++) {
            ice_buf_release(&batch->columns[i].parts[k].validity);
            ice_buf_release(&batch->columns[i].parts[k].offsets);
            ice_buf_release(&batch->columns[i].parts[k].data);
        }
    }
    size_t n = batch->n_columns > 0 ? batch->n_columns : 1;
    ice_free(&batch->alloc, batch->columns, n * sizeof(*batch->columns));
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, &batch->alloc.base, UINT64_MAX);
    ice_free(&alloc, batch, sizeof(*batch));
}

void ice_arrow_batch_clear(struct ice_arrow_batch *batch) {
    batch->n_rows = batch->n_bytes = 0;
    for (size_t i = 0; i < batch->n_columns; i++) {
        const struct ice_arrow_type *type = batch->columns[i].type;
        for (size_t k = 0; k < type->n_nodes; k++) {
            /* the memory of the first offset is still there */
            enum ice_status status = begin_part(&batch->columns[i].parts[k]);
            assert(status == ICE_OK);
            (void)status;
        }
    }
}

/* ---- parts --------------------------------------------------------------------------
 */

/* Bit number at, which is the next one: bytes are added as bits come. */
static enum ice_status put_bit(struct ice_buf *bits, uint64_t at, bool value) {
    if (at % 8 == 0)
        ICE_TRY(ice_buf_append_char(bits, 0));
    if (value)
        bits->data[at / 8] = (char)((unsigned char)bits->data[at / 8] | 1u << at % 8);
    return ICE_OK;
}

/* The bits of the values before the first null. */
static enum ice_status begin_validity(struct ice_arrow_part *part) {
    for (uint64_t i = 0; i < part->length; i++)
        ICE_TRY(put_bit(&part->validity, i, true));
    return ICE_OK;
}

/* One more value; its data were appended before. */
static enum ice_status end_value(struct ice_arrow_part *part, bool is_null) {
    if (is_null && part->n_nulls++ == 0)
        ICE_TRY(begin_validity(part));
    if (part->n_nulls > 0)
        ICE_TRY(put_bit(&part->validity, part->length, !is_null));
    part->length++;
    return ICE_OK;
}

static enum ice_status put_offset(struct ice_arrow_part *part, uint64_t end) {
    if (end > INT32_MAX)
        return ICE_ELIMIT;
    int32_t offset = (int32_t)end;
    return ice_buf_append(&part->offsets, &offset, sizeof(offset));
}

static enum ice_status put_text(struct ice_buf *out, struct ice_str text) {
    for (;;) {
        size_t valid = ice_utf8_check(text);
        ICE_TRY(ice_buf_append(out, text.data, valid));
        if (valid == text.size)
            return ICE_OK;
        assert(text.data != NULL); /* as size > 0 */
        ICE_TRY(ice_buf_printf(out, "\\x%02x", (unsigned char)text.data[valid]));
        text = ice_str_from_index(text, valid + 1);
    }
}

static enum ice_status put_bytes(struct ice_arrow_part *part, struct ice_str bytes) {
    if (part->node->kind == ICE_ARROW_UTF8)
        ICE_TRY(put_text(&part->data, bytes));
    else
        ICE_TRY(ice_buf_append(&part->data, bytes.data, bytes.size));
    ICE_TRY(put_offset(part, part->data.size));
    return end_value(part, false);
}

/* count values of size bytes each, none null. */
static enum ice_status put_fixed(struct ice_arrow_part *part, const void *values,
                                 size_t size, size_t count) {
    if (count == 0)
        return ICE_OK;
    assert(part->n_nulls == 0 || count == 1);
    if (count > INT32_MAX / size)
        return ICE_ELIMIT;
    ICE_TRY(ice_buf_append(&part->data, values, count * size));
    part->length += count - 1;
    return end_value(part, false);
}

static enum ice_status put_list(struct ice_arrow_column *column,
                                const struct ice_value *value) {
    ICE_TRY(
        put_fixed(&column->parts[1], value->numbers, sizeof(*value->numbers), value->n));
    ICE_TRY(put_offset(&column->parts[0], column->parts[1].length));
    return end_value(&column->parts[0], false);
}

static enum ice_status put_map(struct ice_arrow_column *column,
                               const struct ice_value *value) {
    struct ice_arrow_part *pairs = &column->parts[1], *values = &column->parts[3];
    ICE_TRY(put_fixed(&column->parts[2], value->keys, sizeof(*value->keys), value->n));
    if (value->kind == ICE_VALUE_MAP_I64)
        ICE_TRY(put_fixed(values, value->numbers, sizeof(*value->numbers), value->n));
    for (size_t i = 0; value->kind == ICE_VALUE_MAP_BYTES && i < value->n; i++)
        ICE_TRY(put_bytes(values, value->strs[i]));
    pairs->length += value->n;
    ICE_TRY(put_offset(&column->parts[0], pairs->length));
    return end_value(&column->parts[0], false);
}

static enum ice_status put_bool(struct ice_arrow_part *part, bool value) {
    ICE_TRY(put_bit(&part->data, part->length, value));
    return end_value(part, false);
}

static enum ice_status put_null(struct ice_arrow_part *part) {
    static const int64_t zero = 0;
    enum ice_status status = ICE_OK;
    switch (part->node->kind) {
    case ICE_ARROW_BOOL:
        status = put_bit(&part->data, part->length, false);
        break;
    case ICE_ARROW_I32:
        status = ice_buf_append(&part->data, &zero, sizeof(int32_t));
        break;
    case ICE_ARROW_I64:
    case ICE_ARROW_F64:
    case ICE_ARROW_TIMESTAMP:
        status = ice_buf_append(&part->data, &zero, sizeof(zero));
        break;
    case ICE_ARROW_UTF8:
    case ICE_ARROW_BINARY:
    case ICE_ARROW_LIST:
    case ICE_ARROW_MAP: { /* the offset before, once more */
        int32_t last;
        memcpy(&last, part->offsets.data + part->offsets.size - sizeof(last),
               sizeof(last));
        status = put_offset(part, (uint64_t)last);
        break;
    }
    case ICE_ARROW_STRUCT:
        break;
    }
    return status < 0 ? status : end_value(part, true);
}

/* ---- rows ---------------------------------------------------------------------------
 */

static uint64_t value_bytes(const struct ice_value *value) {
    uint64_t bytes = sizeof(int64_t) + value->str.size + value->n * sizeof(int64_t);
    for (size_t i = 0; value->kind == ICE_VALUE_MAP_BYTES && i < value->n; i++)
        bytes += value->strs[i].size;
    return bytes;
}

enum ice_status ice_arrow_batch_add(struct ice_arrow_batch *batch, size_t index,
                                    const struct ice_value *value) {
    struct ice_arrow_column *column = &batch->columns[index];
    struct ice_arrow_part *part = &column->parts[0];
    assert(part->length == batch->n_rows);
    assert(value->kind == ICE_VALUE_NULL ||
           ice_arrow_type_of(value->kind) == column->type);
    batch->n_bytes += value_bytes(value);
    switch (value->kind) {
    case ICE_VALUE_NULL:
        return put_null(part);
    case ICE_VALUE_BOOL:
        return put_bool(part, value->i64 != 0);
    case ICE_VALUE_I64:
    case ICE_VALUE_TIME:
        return put_fixed(part, &value->i64, sizeof(value->i64), 1);
    case ICE_VALUE_F64:
        return put_fixed(part, &value->f64, sizeof(value->f64), 1);
    case ICE_VALUE_STR:
    case ICE_VALUE_BYTES:
    case ICE_VALUE_JSON:
        return put_bytes(part, value->str);
    case ICE_VALUE_LIST_I64:
        return put_list(column, value);
    case ICE_VALUE_MAP_I64:
    case ICE_VALUE_MAP_BYTES:
        return put_map(column, value);
    }
    return ICE_EARG;
}

void ice_arrow_batch_row_end(struct ice_arrow_batch *batch) {
    batch->n_rows++;
}

bool ice_arrow_batch_is_full(const struct ice_arrow_batch *batch) {
    return batch->n_rows >= FULL_ROWS || batch->n_bytes >= FULL_BYTES;
}

size_t ice_arrow_part_buffers(const struct ice_arrow_part *part,
                              struct ice_str out[ICE_ARROW_BUFFERS]) {
    size_t n = 0;
    out[n++] = ice_buf_str(&part->validity);
    if (has_offsets(part->node->kind))
        out[n++] = ice_buf_str(&part->offsets);
    if (part->node->kind != ICE_ARROW_STRUCT && part->node->kind != ICE_ARROW_LIST &&
        part->node->kind != ICE_ARROW_MAP)
        out[n++] = ice_buf_str(&part->data);
    return n;
}
