/*
 * What a report wrote, as text.
 */
#ifndef ICE_TESTS_SUPPORT_TAKEN_TEXT_H
#define ICE_TESTS_SUPPORT_TAKEN_TEXT_H

#include "support/cmocka_all.h"

#include "icefsck.h"

#include <stdlib.h>
#include <string.h>

/* bytes: NULL before the first, ended by a NUL behind; freed by the test. */
struct text {
    char *bytes;
    size_t size;
};

/* An ice_write_fn whose user is a struct text. */
static inline enum ice_status take_text(const char *data, size_t size, void *user) {
    struct text *text = user;
    char *more = realloc(text->bytes, text->size + size + 1);
    assert_non_null(more);
    memcpy(more + text->size, data, size);
    text->bytes = more;
    text->size += size;
    more[text->size] = '\0';
    return ICE_OK;
}

#endif
