/*
 * A growing text that reports write into, and may be told to fail.
 */
#ifndef ICE_TEST_REPORT_SINK_H
#define ICE_TEST_REPORT_SINK_H

#include "icefsck.h"

#include <stdlib.h>
#include <string.h>

struct sink {
    char text[65536];
    size_t size;
    bool fails;
};

static inline enum ice_status sink_write(const char *data, size_t size, void *user) {
    struct sink *sink = user;
    if (sink->fails || size >= sizeof(sink->text) - sink->size)
        return ICE_EIO;
    memcpy(sink->text + sink->size, data, size);
    sink->size += size;
    sink->text[sink->size] = '\0';
    return ICE_OK;
}

/* What hostile metadata may hold; no NUL, so that tests can compare C strings. */
#define HOSTILE "\033]0;x\a\xff\xe2\x80\xae\xc2\x85\n\t<b>\"'%0A::error::x"

#endif
