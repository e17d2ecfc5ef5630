/*
 * Statuses and struct ice_error (icefsck.h). An error says that a function could not do
 * its work; what is wrong with a table is a finding (rule/emit.h). Decoders name the rule
 * of a malformed input by its catalogue id, since they do not know the catalogue.
 */
#ifndef ICE_BASE_ERROR_H
#define ICE_BASE_ERROR_H

#include "icefsck.h"
#include "base/compiler.h"

/* The one macro that hides a return: for functions that own nothing. */
#define ICE_TRY(call)                                                                    \
    do {                                                                                 \
        enum ice_status ice_try_status_ = (call);                                        \
        if (ice_try_status_ < 0)                                                         \
            return ice_try_status_;                                                      \
    } while (0)

/*
 * Fill *err (may be NULL) unless it holds an error already, and return status. rule and
 * offset as in struct ice_error. The format is for our own text: untrusted bytes go
 * through ice_escape first.
 */
enum ice_status ice_error_set(struct ice_error *err, enum ice_status status,
                              const char *rule, uint64_t offset, const char *format, ...)
    ICE_PRINTF(5, 6);

/* ICE_ENOMEM with its fixed text. Here, so that analysers see that it is no success. */
static inline enum ice_status ice_error_memory(struct ice_error *err) {
    (void)ice_error_set(err, ICE_ENOMEM, NULL, ICE_NO_OFFSET, "out of memory");
    return ICE_ENOMEM;
}

/* Hand on a fault that was kept, as _set does, and return status. */
enum ice_status ice_error_pass(struct ice_error *err, enum ice_status status,
                               const struct ice_error *fault);

/* Out of memory, misuse and cancelled end the run; all else is a fault of one file. */
static inline bool ice_status_is_final(enum ice_status status) {
    return status == ICE_ENOMEM || status == ICE_ECANCELLED || status == ICE_EARG;
}
/*
 * Of a file that need not be readable: a status that ends the run is returned, and the
 * words of its fault handed on; any other is ICE_OK, and for the caller to judge.
 */
enum ice_status ice_error_pass_final(struct ice_error *err, enum ice_status status,
                                     const struct ice_error *fault) ICE_MUST_USE;

/* Name the file of an error that has none yet; a long key keeps its end. */
void ice_error_set_file(struct ice_error *err, struct ice_str file);
/* Likewise the JSON pointer. */
void ice_error_set_pointer(struct ice_error *err, struct ice_str pointer);

void ice_error_clear(struct ice_error *err);

#endif
