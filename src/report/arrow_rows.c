/*
 * Rows of an answer as an Arrow IPC stream.
 */
#include "report/arrow_rows.h"

#include "base/error.h"

void ice_arrow_rows_init(struct ice_arrow_rows *arrow, struct ice_alloc *alloc,
                         const struct ice_picked *picked, ice_write_fn write,
                         void *user) {
    *arrow = (struct ice_arrow_rows){.alloc = alloc, .picked = picked};
    ice_ipc_init(&arrow->ipc, alloc, write, user);
}

void ice_arrow_rows_release(struct ice_arrow_rows *arrow) {
    ice_arrow_batch_free(arrow->batch);
    arrow->batch = NULL;
    ice_ipc_release(&arrow->ipc);
}

struct ice_arrow_batch *ice_picked_batch(const struct ice_allocator *allocator,
                                         const struct ice_picked *picked,
                                         const struct ice_column *columns) {
    enum ice_value_kind kinds[ICE_ROWS_COLUMNS];
    for (size_t i = 0; i < picked->n; i++)
        kinds[i] = columns[picked->at[i]].kind;
    return ice_arrow_batch_new(allocator, kinds, picked->n);
}

enum ice_status ice_picked_row(const struct ice_picked *picked,
                               const struct ice_value *values,
                               struct ice_arrow_batch *batch) {
    for (size_t i = 0; i < picked->n; i++)
        ICE_TRY(ice_arrow_batch_add(batch, i, &values[picked->at[i]]));
    ice_arrow_batch_row_end(batch);
    return ICE_OK;
}

enum ice_status ice_arrow_rows_head(struct ice_arrow_rows *arrow,
                                    const struct ice_column *columns) {
    struct ice_column shown[ICE_ROWS_COLUMNS];
    for (size_t i = 0; i < arrow->picked->n; i++)
        shown[i] = columns[arrow->picked->at[i]];
    arrow->batch = ice_picked_batch(&arrow->alloc->base, arrow->picked, columns);
    if (arrow->batch == NULL)
        return ICE_ENOMEM;
    return ice_ipc_schema(&arrow->ipc, shown, arrow->picked->n);
}

static enum ice_status flush(struct ice_arrow_rows *arrow) {
    ICE_TRY(ice_ipc_batch(&arrow->ipc, arrow->batch));
    ice_arrow_batch_clear(arrow->batch);
    return ICE_OK;
}

enum ice_status ice_arrow_rows_row(struct ice_arrow_rows *arrow,
                                   const struct ice_value *values) {
    ICE_TRY(ice_picked_row(arrow->picked, values, arrow->batch));
    return ice_arrow_batch_is_full(arrow->batch) ? flush(arrow) : ICE_OK;
}

enum ice_status ice_arrow_rows_finish(struct ice_arrow_rows *arrow) {
    static const struct ice_column none[1];
    if (arrow->batch == NULL) /* nobody told the columns: a stream without any */
        ICE_TRY(ice_arrow_rows_head(arrow, none));
    if (arrow->batch->n_rows > 0)
        ICE_TRY(flush(arrow));
    return ice_ipc_end(&arrow->ipc);
}
