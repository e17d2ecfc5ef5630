/*
 * Statuses and errors.
 */
#include "base/error.h"

#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

const char *ice_status_name(enum ice_status status) {
    switch (status) {
    case ICE_DONE:
        return "done";
    case ICE_OK:
        return "ok";
    case ICE_EARG:
        return "wrong use";
    case ICE_ENOMEM:
        return "out of memory";
    case ICE_EIO:
        return "input or output error";
    case ICE_ENOENT:
        return "no such file";
    case ICE_EFORMAT:
        return "malformed";
    case ICE_EUNSUPPORTED:
        return "not supported";
    case ICE_ELIMIT:
        return "over a limit";
    case ICE_ECANCELLED:
        return "cancelled";
    }
    return "unknown status";
}

enum ice_status ice_error_set(struct ice_error *err, enum ice_status status,
                              const char *rule, uint64_t offset, const char *format,
                              ...) {
    if (err == NULL || err->status < 0)
        return status;
    err->status = status;
    err->rule = rule;
    err->offset = offset;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(err->message, sizeof(err->message), format, args);
    va_end(args);
    return status;
}

enum ice_status ice_error_pass(struct ice_error *err, enum ice_status status,
                               const struct ice_error *fault) {
    if (err != NULL && err->status >= 0)
        *err = *fault;
    return status;
}

enum ice_status ice_error_pass_final(struct ice_error *err, enum ice_status status,
                                     const struct ice_error *fault) {
    if (!ice_status_is_final(status))
        return ICE_OK;
    return ice_error_set(err, status, NULL, ICE_NO_OFFSET, "%s", fault->message);
}

static void keep_end(char *out, size_t size, struct ice_str text) {
    if (out[0] != '\0')
        return;
    if (text.size >= size)
        text = ice_str_from_index(text, text.size - (size - 1));
    if (text.size > 0)
        memcpy(out, text.data, text.size);
    out[text.size] = '\0';
}

void ice_error_set_file(struct ice_error *err, struct ice_str file) {
    if (err != NULL)
        keep_end(err->file, sizeof(err->file), file);
}

void ice_error_set_pointer(struct ice_error *err, struct ice_str pointer) {
    if (err != NULL && pointer.size < sizeof(err->pointer))
        keep_end(err->pointer, sizeof(err->pointer), pointer);
}

void ice_error_clear(struct ice_error *err) {
    if (err != NULL)
        *err = (struct ice_error){.offset = ICE_NO_OFFSET};
}
