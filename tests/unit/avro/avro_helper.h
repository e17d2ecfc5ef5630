/*
 * For the tests of src/avro: a tiny encoder of Avro files, and a transcript of what
 * reading one gives: a line a record, "!rule@offset pointer" a fault; +offset counts from
 * the end of the header.
 */
#ifndef AVRO_HELPER_H
#define AVRO_HELPER_H

#include "avro/avro_json.h"
#include "avro/codec.h"
#include "base/error.h"

#include "support/failing_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <stdlib.h>

#include <cmocka.h>

#define SYNC "0123456789abcdef"

/* ---- encoder ---- */

struct enc {
    size_t n;
    char data[1 << 20];
};

static inline void put(struct enc *e, const void *data, size_t size) {
    assert_true(size <= sizeof(e->data) - e->n);
    if (size > 0)
        memcpy(e->data + e->n, data, size);
    e->n += size;
}

static inline void put_byte(struct enc *e, int byte) {
    const char c = (char)byte;
    put(e, &c, 1);
}

static inline void put_long(struct enc *e, int64_t value) {
    uint64_t bits = ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
    for (; bits > 0x7f; bits >>= 7)
        put_byte(e, (int)(bits & 0x7f) | 0x80);
    put_byte(e, (int)bits);
}

static inline void put_text(struct enc *e, const char *text) {
    put_long(e, (int64_t)strlen(text));
    put(e, text, strlen(text));
}

static inline struct ice_str enc_str(const struct enc *e) {
    return ice_str_make(e->data, e->n);
}

/* Magic, header map with schema and codec (NULL: no such key), sync marker. */
static inline void put_header(struct enc *e, const char *schema, const char *codec) {
    e->n = 0;
    put(e, "Obj\1", 4);
    put_long(e, (schema != NULL) + (codec != NULL));
    if (schema != NULL) {
        put_text(e, "avro.schema");
        put_text(e, schema);
    }
    if (codec != NULL) {
        put_text(e, "avro.codec");
        put_text(e, codec);
    }
    put_long(e, 0);
    put(e, SYNC, 16);
}

static inline void put_block_head(struct enc *e, int64_t count, int64_t size) {
    put_long(e, count);
    put_long(e, size);
}

static inline void put_block(struct enc *e, int64_t count, const void *data,
                             size_t size) {
    put_block_head(e, count, (int64_t)size);
    put(e, data, size);
    put(e, SYNC, 16);
}

#define PUT_BLOCK(e, count, literal) put_block(e, count, literal, sizeof(literal) - 1)

/* {"type":"record","name":"r","fields":[{"name":"x","type":TYPE}]} */
#define RECORD_OF(type)                                                                  \
    "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"x\",\"type\":" type "}" \
    "]"                                                                                  \
    "}"

/* ---- streams in pieces ---- */

struct pieces {
    struct ice_str left;
    size_t piece;
    uint64_t fail_at; /* bytes given before ICE_EIO, UINT64_MAX: never */
    uint64_t given;
};

static inline enum ice_status read_pieces(void *user, void *buffer, size_t size,
                                          size_t *out_size, struct ice_error *err) {
    struct pieces *p = user;
    if (p->given >= p->fail_at)
        return ice_error_set(err, ICE_EIO, "source.unreadable", p->given, "it failed");
    size_t n = size < p->piece ? size : p->piece;
    if (n > p->left.size)
        n = p->left.size;
    if (n > 0)
        memcpy(buffer, p->left.data, n);
    p->left = ice_str_from_index(p->left, n);
    p->given += n;
    *out_size = n;
    return ICE_OK;
}

/* ---- transcripts ---- */

struct transcript {
    size_t n;
    uint64_t base; /* header_bytes of the file */
    char text[1 << 16];
};

static inline void note(struct transcript *t, const char *format, ...) ICE_PRINTF(2, 3);
static inline void note(struct transcript *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(t->text + t->n, sizeof(t->text) - t->n, format, args);
    va_end(args);
    assert_true(n >= 0 && (size_t)n < sizeof(t->text) - t->n);
    t->n += (size_t)n;
}

static inline enum ice_status write_transcript(const char *data, size_t size,
                                               void *user) {
    struct transcript *t = user;
    if (size >= sizeof(t->text) - t->n)
        return ICE_ELIMIT;
    memcpy(t->text + t->n, data, size);
    t->n += size;
    t->text[t->n] = '\0';
    return ICE_OK;
}

static inline void note_fault(struct transcript *t, enum ice_status status,
                              const struct ice_error *err) {
    assert_int_equal(err->status, status);
    if (status != ICE_EFORMAT && status != ICE_ELIMIT)
        note(t, "[%s] ", ice_status_name(status));
    note(t, "!%s", err->rule ? err->rule : "-");
    if (err->offset != ICE_NO_OFFSET && t->base > 0 && err->offset >= t->base)
        note(t, "@+%llu", (unsigned long long)(err->offset - t->base));
    else if (err->offset != ICE_NO_OFFSET)
        note(t, "@%llu", (unsigned long long)err->offset);
    note(t, "%s%s\n", err->pointer[0] ? " " : "", err->pointer);
}

/* Names as Iceberg has them. */
static const struct ice_avro_attr_names test_names = {.field = "field-id",
                                                      .element = "element-id",
                                                      .key = "key-id",
                                                      .value = "value-id",
                                                      .original = "iceberg-field-name"};

static inline bool is_final(enum ice_status status) {
    return status < 0 && status != ICE_EFORMAT && status != ICE_ELIMIT;
}

static inline enum ice_status read_records(struct ice_avro_file *file,
                                           const struct ice_avro_schema *schema,
                                           struct transcript *t) {
    struct ice_json_writer writer;
    ice_jw_init(&writer, write_transcript, t, 0);
    struct ice_avro_json json;
    ice_avro_json_init(&json, file, schema);
    for (;;) {
        struct ice_error err = {.offset = ICE_NO_OFFSET};
        const enum ice_status status = ice_avro_json_next(&json, &writer, &err);
        if (status == ICE_DONE)
            return ice_jw_finish(&writer);
        if (status == ICE_OK) {
            ice_jw_newline(&writer);
            continue;
        }
        assert_int_equal(ice_jw_finish(&writer), ICE_OK);
        note_fault(t, status, &err);
        if (is_final(status))
            return status;
    }
}

static inline enum ice_status
transcribe_run(struct ice_run *run, struct ice_stream *stream, struct transcript *t) {
    struct ice_avro_file file = {0};
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    const struct ice_avro_schema *schema = NULL;
    struct ice_str text = {0};
    enum ice_status status = ice_avro_open(&file, run, stream, &err);
    t->base = file.header_bytes;
    if (status == ICE_OK) {
        (void)ice_avro_header(&file, "avro.schema", &text);
        status = ice_avro_schema_parse(text, run, &file.arena, &test_names, &schema, NULL,
                                       &err);
    }
    if (status == ICE_OK)
        status = read_records(&file, schema, t);
    else
        note_fault(t, status, &err);
    if (file.varint_not_shortest)
        note(t, "not shortest @+%llu\n",
             (unsigned long long)(file.varint_not_shortest_offset - t->base));
    if (file.skipped_bytes > 0)
        note(t, "skipped %llu\n", (unsigned long long)file.skipped_bytes);
    ice_avro_release(&file);
    return status;
}

/* piece 0: all at once, from memory. */
static inline void transcribe(struct ice_str bytes, const struct ice_limits *limits,
                              size_t piece, struct transcript *t) {
    struct ice_options options = {.size = sizeof(options)};
    if (limits != NULL)
        options.limits = *limits;
    struct ice_run run;
    ice_run_init(&run, &options);
    struct ice_stream stream;
    struct pieces pieces = {.left = bytes, .piece = piece, .fail_at = UINT64_MAX};
    static const struct ice_stream_ops ops = {read_pieces, NULL};
    if (piece == 0)
        ice_stream_init_memory(&stream, &run, bytes);
    else
        assert_int_equal(ice_stream_init(&stream, &run, &ops, &pieces, NULL), ICE_OK);
    *t = (struct transcript){0};
    (void)transcribe_run(&run, &stream, t);
    ice_stream_release(&stream);
    assert_int_equal(run.alloc.used, 0);
}

/* What reading gives, however the bytes come. */
static inline void expect_with(const struct enc *e, const struct ice_limits *limits,
                               const char *expected) {
    static struct transcript whole, cut;
    transcribe(enc_str(e), limits, 0, &whole);
    assert_string_equal(whole.text, expected);
    static const size_t pieces[] = {1, 7, 4096};
    for (size_t i = 0; i < ICE_COUNT_OF(pieces); i++) {
        transcribe(enc_str(e), limits, pieces[i], &cut);
        assert_string_equal(cut.text, expected);
    }
}

static inline void expect(const struct enc *e, const char *expected) {
    expect_with(e, NULL, expected);
}

#endif
