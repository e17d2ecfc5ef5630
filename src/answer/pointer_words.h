/*
 * What each word of `icefsck pointers` is: an export of a catalog, a table, a listing,
 * or a log of a reader.
 */
#ifndef ICE_ANSWER_POINTER_WORDS_H
#define ICE_ANSWER_POINTER_WORDS_H

#include "base/arena.h"
#include "base/run.h"

/* Arguments by kind, each in the order given. Texts are the caller's; arrays live in the
 * arena. */
struct ice_pointer_words {
    const char **tables, **pointers, **listings, **logs;
    size_t n_tables, n_pointers, n_listings, n_logs;
};

/*
 * By what they are and by their first bytes. What cannot be opened counts as a pointer:
 * its reader says why. Options: listings and pointers of the options come first.
 */
enum ice_status ice_sort_pointer_words(struct ice_run *run, struct ice_arena *arena,
                                       const struct ice_options *options,
                                       const char *const *words, size_t n_words,
                                       struct ice_pointer_words *out,
                                       struct ice_error *err);

#endif
