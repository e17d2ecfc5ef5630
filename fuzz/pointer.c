/*
 * Any bytes as an export of a catalog, twice with other hash seeds: the same entries and
 * faults, nothing leaks, and every text of an entry lies in the collection.
 */
#include "fuzz/target.h"
#include "inputs/pointer.h"

static uint64_t read_all(struct ice_str bytes, uint64_t seed) {
    uint64_t digest = 1;
    struct ice_options options = target_options();
    struct ice_run run;
    struct ice_pointers pointers;
    enum ice_pointer_format format;
    options.hash_seed = seed;
    ice_run_init(&run, &options);
    ice_pointers_init(&pointers, &run);
    const enum ice_status status = ice_pointers_read_text(
        &pointers, ice_str_from("fuzz.json"), bytes, ICE_POINTER_AUTO, &format, NULL);
    /* what is wrong with an input is a fault of it, not of the call */
    require(status >= 0 && pointers.n_faults <= 1);
    for (size_t i = 0; i < pointers.n; i++) {
        const struct ice_pointer *entry = &pointers.items[i];
        digest_str(&digest, entry->metadata_location);
        for (size_t k = 0; k < entry->n_columns; k++)
            digest_number(&digest, entry->columns[k].size);
    }
    digest_number(&digest, pointers.n_faults << 8 | (uint64_t)format);
    ice_pointers_release(&pointers);
    target_end(&run);
    return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct ice_str bytes = ice_str_make(data, size);
    require(read_all(bytes, 1) == read_all(bytes, 2));
    return 0;
}
