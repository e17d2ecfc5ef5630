/*
 * Growable bytes with a ceiling that is set at init.
 */
#ifndef ICE_BASE_BUF_H
#define ICE_BASE_BUF_H

#include "base/alloc.h"
#include "base/str.h"

/* Invariant: size <= capacity <= max. All-zero with alloc set and max > 0 is ready. */
struct ice_buf {
    struct ice_alloc *alloc;
    char *data;
    size_t size, capacity, max;
};

void ice_buf_init(struct ice_buf *buf, struct ice_alloc *alloc, size_t max);
/* Safe twice and on all-zero. */
void ice_buf_release(struct ice_buf *buf);
/* Empty it, keep the memory. */
void ice_buf_clear(struct ice_buf *buf);

/* Make room for more bytes behind size. ICE_ENOMEM, or ICE_ELIMIT beyond max; unchanged
 * then. */
enum ice_status ice_buf_reserve(struct ice_buf *buf, size_t more) ICE_MUST_USE;
enum ice_status ice_buf_append(struct ice_buf *buf, const void *data,
                               size_t size) ICE_MUST_USE;
enum ice_status ice_buf_append_str(struct ice_buf *buf, struct ice_str text) ICE_MUST_USE;
enum ice_status ice_buf_append_char(struct ice_buf *buf, char c) ICE_MUST_USE;
/* printf for our own text and numbers. */
enum ice_status ice_buf_printf(struct ice_buf *buf, const char *format, ...)
    ICE_PRINTF(2, 3) ICE_MUST_USE;

/* Borrowed until the next change of the buffer. */
static inline struct ice_str ice_buf_str(const struct ice_buf *buf) {
    return (struct ice_str){buf->data, buf->size};
}

#endif
