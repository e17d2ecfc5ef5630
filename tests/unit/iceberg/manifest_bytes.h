/*
 * For the tests of lists and manifests: containers with header keys, and faults as text,
 * a line each: "rule pointer field id detail".
 */
#ifndef MANIFEST_BYTES_H
#define MANIFEST_BYTES_H

#include "iceberg/avro_fault.h"
#include "stream/stream.h"
#include "unit/avro/avro_helper.h"

/* a field of a schema */
#define FIELD(name, id, type)                                                            \
    "{\"name\":\"" name "\",\"type\":" type ",\"field-id\":" id "}"
#define BARE(name, type) "{\"name\":\"" name "\",\"type\":" type "}"
#define RECORD(name, fields)                                                             \
    "{\"type\":\"record\",\"name\":\"" name "\",\"fields\":[" fields "]}"
#define MAYBE(type) "[\"null\"," type "]"
#define INT "\"int\""
#define LONG "\"long\""
#define STRING "\"string\""
#define BYTES "\"bytes\""
#define BOOLEAN "\"boolean\""

/* keys: NULL-ended pairs of text */
static inline void put_container(struct enc *e, const char *schema,
                                 const char *const *keys, int64_t count,
                                 const struct enc *records) {
    int64_t n = 1;
    e->n = 0;
    for (size_t i = 0; keys && keys[i]; i += 2)
        n++;
    put(e, "Obj\1", 4);
    put_long(e, n);
    put_text(e, "avro.schema");
    put_text(e, schema);
    for (size_t i = 0; keys && keys[i]; i += 2) {
        put_text(e, keys[i]);
        put_text(e, keys[i + 1]);
    }
    put_long(e, 0);
    put(e, SYNC, 16);
    if (count > 0)
        put_block(e, count, records->data, records->n);
}

struct faults {
    size_t n;
    char text[4096];
};

static inline enum ice_status note_avro_fault(const struct ice_avro_fault *fault,
                                              void *user) {
    struct faults *faults = user;
    int n = snprintf(faults->text + faults->n, sizeof(faults->text) - faults->n,
                     "%s%s %.*s %.*s %d %.*s\n", fault->rule, fault->lower ? "(low)" : "",
                     ICE_STR_FMT(fault->pointer), ICE_STR_FMT(fault->field), fault->id,
                     ICE_STR_FMT(fault->detail));
    assert_true(n > 0 && (size_t)n < sizeof(faults->text) - faults->n);
    faults->n += (size_t)n;
    return ICE_OK;
}

#endif
