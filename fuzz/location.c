/*
 * URIs: any bytes either become a key that stays inside its source, or are refused. The
 * first line is a --map, the rest a URI.
 */
#include "fuzz/target.h"
#include "source/mapping.h"

/* No part of a key may be empty, "." or "..". */
static void check_key(struct ice_str key) {
    require(ice_str_find(key, '\0') == SIZE_MAX);
    size_t start = 0;
    for (size_t i = 0; i <= key.size && key.size > 0; i++) {
        if (i < key.size && key.data[i] != '/')
            continue;
        struct ice_str part = {key.data + start, i - start};
        require(part.size > 0 && !ice_str_is(part, ".") && !ice_str_is(part, ".."));
        start = i + 1;
    }
}

static void check_folding(struct ice_run *run, struct ice_str uri) {
    struct ice_buf once, twice;
    struct ice_str rest;
    ice_buf_init(&once, &run->alloc, SIZE_MAX);
    ice_buf_init(&twice, &run->alloc, SIZE_MAX);
    require(ice_uri_fold(uri, &once) == ICE_OK);
    require(ice_uri_fold(ice_buf_str(&once), &twice) == ICE_OK);
    require(ice_str_equal(ice_buf_str(&once), ice_buf_str(&twice)));
    require(ice_uri_is_below(run, uri, ice_buf_str(&once), &rest) && rest.size == 0);
    require(ice_uri_is_below(run, ice_buf_str(&once), uri, &rest) && rest.size == 0);
    require(ice_uri_base_name(uri).size <= uri.size);
    ice_buf_release(&once);
    ice_buf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ice_options options = ICE_OPTIONS_INIT;
    options.hash_seed = 1;
    struct ice_run run;
    struct ice_mapping mapping;
    struct ice_buf scratch;
    ice_run_init(&run, &options);
    ice_mapping_init(&mapping, &run);
    ice_buf_init(&scratch, &run.alloc, SIZE_MAX);

    struct ice_str uri = ice_str_make(data, size);
    const size_t line = ice_str_find(uri, '\n');
    const struct ice_str from = ice_str_first(uri, line);
    if (line != SIZE_MAX)
        uri = ice_str_from_index(uri, line + 1);
    check_folding(&run, uri);
    check_folding(&run, from);

    static char place;
    struct ice_source *const any = (struct ice_source *)(void *)&place;
    require(ice_mapping_add(&mapping, from, any, ICE_STR("p"), NULL) == ICE_OK);
    require(ice_mapping_add(&mapping, ICE_STR("s3://b/t"), any, ICE_STR(""), NULL) ==
            ICE_OK);
    struct ice_source *source = NULL;
    struct ice_str key = ICE_STR_NONE;
    struct ice_error err;
    ice_error_clear(&err);
    const enum ice_status status =
        ice_mapping_resolve(&mapping, uri, &scratch, &source, &key, &err);
    if (status == ICE_OK) {
        require(source == any && key.size <= run.limits.path_bytes);
        check_key(key);
    } else {
        require((status == ICE_ENOENT || status == ICE_EFORMAT) && err.rule != NULL);
    }
    ice_buf_release(&scratch);
    ice_mapping_release(&mapping);
    require(run.alloc.used == 0);
    return 0;
}
