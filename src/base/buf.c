/*
 * Growable bytes.
 */
#include "base/buf.h"

#include "base/size.h"

#include <stdarg.h>
#include <stdio.h>

void ice_buf_init(struct ice_buf *buf, struct ice_alloc *alloc, size_t max) {
    *buf = (struct ice_buf){.alloc = alloc, .max = max};
}

void ice_buf_release(struct ice_buf *buf) {
    if (buf->data != NULL)
        ice_free(buf->alloc, buf->data, buf->capacity);
    buf->data = NULL;
    buf->size = buf->capacity = 0;
}

void ice_buf_clear(struct ice_buf *buf) {
    buf->size = 0;
}

enum ice_status ice_buf_reserve(struct ice_buf *buf, size_t more) {
    size_t wanted;
    if (!ice_size_add(buf->size, more, &wanted) || wanted > buf->max)
        return ICE_ELIMIT;
    if (wanted <= buf->capacity)
        return ICE_OK;
    size_t capacity = buf->capacity < 64 ? 64 : buf->capacity;
    if (ice_alloc_is_exact(wanted))
        capacity = wanted;
    if (capacity > buf->max)
        capacity = buf->max;
    while (capacity < wanted)
        capacity = capacity > buf->max / 2 ? buf->max : capacity * 2;
    char *data = ice_realloc(buf->alloc, buf->data, buf->capacity, capacity);
    if (data == NULL)
        return ICE_ENOMEM;
    buf->data = data;
    buf->capacity = capacity;
    return ICE_OK;
}

enum ice_status ice_buf_append(struct ice_buf *buf, const void *data, size_t size) {
    enum ice_status status = ice_buf_reserve(buf, size);
    if (status < 0)
        return status;
    if (size > 0)
        memcpy(buf->data + buf->size, data, size);
    buf->size += size;
    return ICE_OK;
}

enum ice_status ice_buf_append_str(struct ice_buf *buf, struct ice_str text) {
    return ice_buf_append(buf, text.data, text.size);
}

enum ice_status ice_buf_append_char(struct ice_buf *buf, char c) {
    return ice_buf_append(buf, &c, 1);
}

enum ice_status ice_buf_printf(struct ice_buf *buf, const char *format, ...) {
    char small[256];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(small, sizeof(small), format, args);
    va_end(args);
    enum ice_status status = ICE_OK;
    if (length < 0) {
        status = ICE_EARG;
    } else if ((size_t)length < sizeof(small)) {
        status = ice_buf_append(buf, small, (size_t)length);
    } else {
        status = ice_buf_reserve(buf, (size_t)length + 1);
        if (status == ICE_OK) {
            (void)vsnprintf(buf->data + buf->size, (size_t)length + 1, format, again);
            buf->size += (size_t)length;
        }
    }
    va_end(again);
    return status;
}
