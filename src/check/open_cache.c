/*
 * The cache directory and the trees that it must not be in.
 */
#include "check/open_cache.h"

#include "base/error.h"

#include <fcntl.h>
#include <unistd.h>

/* The caller may have been built with a shorter struct. */
static const char *wanted(const struct ice_options *options) {
    return options != NULL && options->size > offsetof(struct ice_options, cache_dir)
               ? options->cache_dir
               : NULL;
}

/* Of the target, then of options.maps; -1: no local directory. */
static size_t open_roots(const struct ice_options *options,
                         const struct ice_target *target, int *roots) {
    size_t n = 0;
    if (target->source != NULL)
        roots[n++] = ice_source_directory(target->source);
    for (size_t i = 0; i < options->n_maps; i++)
        roots[n++] = open(options->maps[i].to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return n;
}

enum ice_status ice_cache_open(struct ice_cache_dir *dir, struct ice_run *run,
                               const struct ice_options *options,
                               const struct ice_target *target, struct ice_error *err) {
    const char *path = wanted(options);
    dir->fd = -1;
    if (path == NULL)
        return ICE_OK;
    const size_t capacity = options->n_maps + 1;
    int *roots = ice_calloc(&run->alloc, capacity, sizeof(*roots));
    if (roots == NULL)
        return ice_error_memory(err);
    const size_t n = open_roots(options, target, roots);
    const enum ice_status status = ice_cache_dir_open(dir, path, roots, n, err);
    for (size_t i = target->source != NULL ? 1 : 0; i < n; i++)
        if (roots[i] >= 0)
            (void)close(roots[i]);
    ice_free(&run->alloc, roots, capacity * sizeof(*roots));
    if (status == ICE_OK && options->hash_seed == 0)
        run->hash_seed = dir->seed;
    return status;
}
