/*
 * A directory of entries that outlive a run: bytes under a 128-bit name. Entries are
 * written under a temporary name and renamed, so that runs beside each other see whole
 * ones; each carries a checksum, seeded by the directory, and what does not fit it is as
 * good as absent. Nothing that goes wrong here is a fault of the run.
 *
 *   DIR/seed          draws the hashes of all runs that use the directory
 *   DIR/swept         which of the folders was looked through last, and when
 *   DIR/0 .. DIR/f    entries, by the first digit of their names
 */
#ifndef ICE_BASE_CACHE_DIR_H
#define ICE_BASE_CACHE_DIR_H

#include "base/buf.h"
#include "base/hash.h"

struct ice_cache_dir {
    int fd; /* -1: none */
    uint64_t seed;
};

enum ice_cache_answer {
    ICE_CACHE_HIT,
    ICE_CACHE_NONE,    /* no such entry */
    ICE_CACHE_DAMAGED, /* not as it was written */
    ICE_CACHE_FAILED   /* it cannot be read, or there is no memory for it */
};

/*
 * Open path, made if it is not there (0700, its parent must be). ICE_EARG with the reason
 * in words if it cannot be used, also where it is in one of the directories roots.
 */
enum ice_status ice_cache_dir_open(struct ice_cache_dir *dir, const char *path,
                                   const int *roots, size_t n_roots,
                                   struct ice_error *err) ICE_MUST_USE;
void ice_cache_dir_close(struct ice_cache_dir *dir); /* safe twice */

/* Its bytes in out, which is cleared first. A hit counts as a use: see _sweep. Safe to
 * call from several threads. */
enum ice_cache_answer ice_cache_dir_get(const struct ice_cache_dir *dir,
                                        struct ice_hash name,
                                        struct ice_buf *out) ICE_MUST_USE;
/* Keep bytes under a name, in place of what was there. false: it could not be written.
 * Safe to call from several threads. */
bool ice_cache_dir_put(const struct ice_cache_dir *dir, struct ice_hash name,
                       struct ice_str bytes);

/*
 * Remove entries that were not used for 30 days, and temporary files of runs that died:
 * in one of the 16 folders, at most once in an hour. Returns how many.
 */
size_t ice_cache_dir_sweep(const struct ice_cache_dir *dir);

#endif
