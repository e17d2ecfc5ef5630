/*
 * Opening and ending what a summary lives in.
 */
#include "rule/summary_box.h"

#include "base/error.h"

#include <assert.h>

struct ice_summary_box *ice_summary_box_new(size_t size,
                                            const struct ice_options *options,
                                            struct ice_error *err) {
    struct ice_alloc alloc;
    assert(size >= sizeof(struct ice_summary_box));
    ice_alloc_init(&alloc, options ? options->allocator : NULL, UINT64_MAX);
    struct ice_summary_box *box = ice_calloc(&alloc, 1, size);
    if (box == NULL) {
        (void)ice_error_memory(err);
        return NULL;
    }
    box->size = size;
    ice_run_init(&box->run, options);
    ice_arena_init(&box->arena, &box->run.alloc);
    return box;
}

void ice_summary_free(struct ice_summary *summary) {
    if (summary == NULL)
        return;
    struct ice_summary_box *box = (struct ice_summary_box *)summary;
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, &box->run.alloc.base, UINT64_MAX);
    ice_emit_free(box->emit);
    ice_arena_release(&box->arena);
    ice_free(&alloc, box, box->size);
}
