/*
 * Any bytes as an export of a catalog: no crash, nothing leaks, and every text of an
 * entry lies in the collection.
 */
#include "inputs/pointer.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ice_run run;
    struct ice_pointers pointers;
    enum ice_pointer_format format;
    ice_run_init(&run, NULL);
    ice_pointers_init(&pointers, &run);
    enum ice_status status =
        ice_pointers_read_text(&pointers, ice_str_from("fuzz.json"),
                               ice_str_make(data, size), ICE_POINTER_AUTO, &format, NULL);
    if (status < 0 && status != ICE_ENOMEM)
        abort(); /* what is wrong with an input is a fault of it, not of the call */
    if (status >= 0 && pointers.n_faults > 1)
        abort();
    size_t bytes = 0;
    for (size_t i = 0; i < pointers.n; i++) {
        const struct ice_pointer *entry = &pointers.items[i];
        for (size_t k = 0; k < entry->metadata_location.size; k++)
            bytes += (unsigned char)entry->metadata_location.data[k];
        for (size_t k = 0; k < entry->n_columns; k++)
            bytes += entry->columns[k].size;
    }
    if (bytes == SIZE_MAX)
        abort(); /* keeps the sum */
    ice_pointers_release(&pointers);
    if (run.alloc.used != 0)
        abort();
    return 0;
}
