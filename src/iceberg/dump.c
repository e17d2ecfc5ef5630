/*
 * One file as one JSON document: JSON re-indented, Avro containers by their writer
 * schema.
 */
#include "iceberg/dump.h"

#include "avro/avro_json.h"
#include "base/error.h"
#include "json/reader.h"
#include "json/writer.h"

/* Lost records that are made up for by null; a block may declare any number of them. */
#define FILL_MAX 65536

struct dump {
    struct ice_run *run;
    struct ice_json_writer w;
    ice_trouble_fn on_trouble;
    void *user;
    struct ice_buf token; /* a string as it stands in the input */
    struct ice_buf open;  /* '{' and '[' of what is open in the output */
};

static void say(const struct dump *d, const struct ice_error *fault) {
    if (d->on_trouble != NULL)
        d->on_trouble(fault, d->user);
}

/* A fault of the file is told and passed; what ends the dump is handed up. */
static enum ice_status report(const struct dump *d, enum ice_status status,
                              const struct ice_error *fault, struct ice_error *err) {
    bool is_final = status == ICE_ENOMEM || status == ICE_EARG || d->w.status < 0;
    if (!is_final) {
        say(d, fault);
        return ICE_OK;
    }
    if (err != NULL && err->status == ICE_OK)
        *err = *fault;
    return d->w.status < 0 ? d->w.status : status;
}

/* ---- JSON -------------------------------------------------------------------------- */

static enum ice_status open_container(struct dump *d, char bracket) {
    if (bracket == '{')
        ice_jw_object(&d->w);
    else
        ice_jw_array(&d->w);
    return ice_buf_append_char(&d->open, bracket);
}

static void close_container(struct dump *d) {
    if (d->open.data[--d->open.size] == '{')
        ice_jw_object_end(&d->w);
    else
        ice_jw_array_end(&d->w);
}

static enum ice_status copy_string(struct dump *d, struct ice_json *json,
                                   const struct ice_json_event *event,
                                   struct ice_error *err) {
    ice_buf_clear(&d->token);
    ICE_TRY(ice_json_raw(json, event, &d->token, err));
    ice_jw_raw(&d->w, ice_buf_str(&d->token));
    return ICE_OK;
}

static enum ice_status copy_event(struct dump *d, struct ice_json *json,
                                  const struct ice_json_event *event,
                                  struct ice_error *err) {
    switch (event->kind) {
    case ICE_JSON_OBJECT:
        return open_container(d, '{');
    case ICE_JSON_ARRAY:
        return open_container(d, '[');
    case ICE_JSON_OBJECT_END:
    case ICE_JSON_ARRAY_END:
        close_container(d);
        return ICE_OK;
    case ICE_JSON_KEY:
        ice_jw_key_str(&d->w, event->text);
        return ICE_OK;
    case ICE_JSON_STRING:
        return copy_string(d, json, event, err);
    case ICE_JSON_NUMBER:
        ice_jw_raw(&d->w, event->text);
        return ICE_OK;
    case ICE_JSON_TRUE:
    case ICE_JSON_FALSE:
        ice_jw_bool(&d->w, event->kind == ICE_JSON_TRUE);
        return ICE_OK;
    case ICE_JSON_NULL:
        ice_jw_null(&d->w);
        return ICE_OK;
    }
    return ICE_OK;
}

/* ICE_DONE behind the value. On a fault of the file the output is closed so that it
 * parses; out of memory it is not, lest it look whole. */
static enum ice_status copy_json(struct dump *d, struct ice_stream *stream,
                                 bool *out_began, struct ice_error *err) {
    struct ice_json json = {0};
    struct ice_json_event event;
    *out_began = false;
    enum ice_status status = ice_json_init(&json, stream, d->run, NULL, NULL, err);
    while (status == ICE_OK && (status = ice_json_next(&json, &event, err)) == ICE_OK) {
        *out_began = true;
        status = copy_event(d, &json, &event, err);
        if (status >= 0 && d->w.status < 0)
            status = d->w.status;
    }
    if (status == ICE_ENOMEM)
        ice_buf_clear(&d->open);
    else if (d->w.after_key)
        ice_jw_null(&d->w);
    while (d->open.size > 0)
        close_container(d);
    ice_json_release(&json);
    return status;
}

static enum ice_status dump_json(struct dump *d, struct ice_stream *stream,
                                 struct ice_error *err) {
    struct ice_error fault = {0};
    bool began;
    enum ice_status status = copy_json(d, stream, &began, &fault);
    if (status >= 0)
        return ICE_OK;
    if (began)
        return report(d, status, &fault, err);
    if (fault.rule != NULL && strcmp(fault.rule, "json.syntax.invalid") == 0)
        return ice_error_set(err, status, fault.rule, fault.offset,
                             "neither JSON nor an Avro container");
    if (err != NULL && err->status == ICE_OK)
        *err = fault;
    return status;
}

/* ---- Avro -------------------------------------------------------------------------- */

static enum ice_status refuse_trailing(enum ice_json_notice notice, uint64_t offset,
                                       struct ice_str pointer, void *user) {
    (void)offset;
    (void)pointer;
    (void)user;
    return notice == ICE_JSON_TRAILING_DATA ? ICE_EFORMAT : ICE_OK;
}

/* Is all of text one JSON value? */
static enum ice_status is_json(struct ice_run *run, struct ice_str text, bool *out) {
    struct ice_stream stream;
    struct ice_json json = {0};
    struct ice_json_event event;
    ice_stream_init_memory(&stream, run, text);
    enum ice_status status =
        ice_json_init(&json, &stream, run, refuse_trailing, NULL, NULL);
    while (status == ICE_OK)
        status = ice_json_next(&json, &event, NULL);
    ice_json_release(&json);
    ice_stream_release(&stream);
    *out = status == ICE_DONE;
    return status == ICE_ENOMEM ? status : ICE_OK;
}

static bool holds_json(struct ice_str key) {
    return ice_str_is(key, "avro.schema") || ice_str_is(key, "iceberg.schema") ||
           ice_str_is(key, "schema") || ice_str_is(key, "partition-spec");
}

static enum ice_status dump_header_value(struct dump *d, struct ice_str key,
                                         struct ice_str value, struct ice_error *err) {
    bool json = false;
    if (holds_json(key) && is_json(d->run, value, &json) < 0)
        return ice_error_memory(err);
    if (!json) {
        ice_jw_str(&d->w, value);
        return ICE_OK;
    }
    struct ice_stream stream;
    bool began;
    ice_stream_init_memory(&stream, d->run, value);
    enum ice_status status = copy_json(d, &stream, &began, err);
    ice_stream_release(&stream);
    return status < 0 ? status : ICE_OK;
}

/* Does a later entry have the same key? That one counts, and JSON keys should be unique.
 */
static bool is_overridden(const struct ice_avro_file *file, size_t index) {
    for (size_t i = index + 1; i < file->n_header; i++)
        if (file->header[i].duplicate &&
            ice_str_equal(file->header[i].key, file->header[index].key))
            return true;
    return false;
}

static enum ice_status dump_header(struct dump *d, const struct ice_avro_file *file,
                                   struct ice_error *err) {
    ice_jw_key(&d->w, "header");
    ice_jw_object(&d->w);
    for (size_t i = 0; i < file->n_header; i++) {
        const struct ice_avro_header_entry *entry = &file->header[i];
        if (is_overridden(file, i))
            continue;
        ice_jw_key_str(&d->w, entry->key);
        ICE_TRY(dump_header_value(d, entry->key, entry->value, err));
    }
    ice_jw_object_end(&d->w);
    return d->w.status;
}

/* null for the records between the last one written and the one that comes. */
static void fill_lost(struct dump *d, uint64_t *written, uint64_t record) {
    if (record > *written && record - *written > FILL_MAX) {
        struct ice_error lost = {0};
        (void)ice_error_set(&lost, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
                            "%llu records were lost here: later indexes are too small by "
                            "that many",
                            (unsigned long long)(record - *written));
        say(d, &lost);
        *written = record;
    }
    for (; *written < record; (*written)++)
        ice_jw_null(&d->w);
}

static enum ice_status append_token(const char *data, size_t size, void *user) {
    struct ice_buf *token = user;
    return ice_buf_append(token, data, size);
}

/*
 * The next record, into d->token first: how many were lost in front of it is known only
 * then. The second writer goes on at the depth of the first.
 */
static enum ice_status dump_record(struct dump *d, struct ice_avro_json *reader,
                                   uint64_t *written, struct ice_error *err) {
    struct ice_json_writer w;
    ice_buf_clear(&d->token);
    ice_jw_init(&w, append_token, &d->token, d->w.indent);
    w.depth = d->w.depth;
    w.after_key = true;
    enum ice_status status = ice_avro_json_next(reader, &w, err);
    if (status != ICE_OK)
        return status;
    ICE_TRY(ice_jw_finish(&w));
    fill_lost(d, written, reader->record);
    ice_jw_raw(&d->w, ice_buf_str(&d->token));
    (*written)++;
    return d->w.status;
}

/* May reading go on behind this fault of the rows? */
static bool is_passable(enum ice_status status, const struct ice_error *fault) {
    return (status == ICE_EFORMAT || status == ICE_ELIMIT) &&
           (fault->rule == NULL || strcmp(fault->rule, "avro.truncated") != 0);
}

static enum ice_status dump_records(struct dump *d, struct ice_avro_file *file,
                                    struct ice_error *err) {
    struct ice_str text = ICE_STR_NONE;
    const struct ice_avro_schema *schema = NULL;
    struct ice_error fault = {0};
    (void)ice_avro_header(file, "avro.schema", &text);
    enum ice_status status =
        ice_avro_schema_parse(text, d->run, &file->arena, NULL, &schema, NULL, &fault);
    if (status < 0)
        return report(d, status, &fault, err);
    struct ice_avro_json reader;
    ice_avro_json_init(&reader, file, schema);
    for (uint64_t written = 0;;) {
        status = dump_record(d, &reader, &written, &fault);
        if (status == ICE_DONE)
            return ICE_OK;
        if (status == ICE_OK)
            continue;
        ICE_TRY(report(d, status, &fault, err));
        if (!is_passable(status, &fault))
            return ICE_OK;
        ice_error_clear(&fault);
    }
}

static enum ice_status dump_avro(struct dump *d, struct ice_stream *stream,
                                 struct ice_error *err) {
    struct ice_avro_file file = {0};
    struct ice_error fault = {0};
    enum ice_status status = ice_avro_open(&file, d->run, stream, &fault);
    bool has_header = status >= 0 || (fault.rule != NULL &&
                                      strcmp(fault.rule, "avro.codec.unsupported") == 0);
    if (!has_header) {
        if (err != NULL && err->status == ICE_OK)
            *err = fault;
        ice_avro_release(&file);
        return status;
    }
    bool is_readable = status >= 0;
    ice_jw_object(&d->w);
    status = dump_header(d, &file, err);
    if (status >= 0) {
        ice_jw_key(&d->w, "records");
        ice_jw_array(&d->w);
        if (is_readable)
            status = dump_records(d, &file, err);
        else
            say(d, &fault);
    }
    if (status >= 0) {
        ice_jw_array_end(&d->w);
        ice_jw_object_end(&d->w);
    }
    ice_avro_release(&file);
    return status;
}

/* ---- any file ---------------------------------------------------------------------- */

static const char *foreign_kind(enum ice_magic magic) {
    switch (magic) {
    case ICE_MAGIC_NONE:
    case ICE_MAGIC_AVRO:
        return NULL;
    case ICE_MAGIC_GZIP:
    case ICE_MAGIC_ZSTD:
        return "compressed twice";
    case ICE_MAGIC_PARQUET:
        return "a Parquet file";
    case ICE_MAGIC_ORC:
        return "an ORC file";
    case ICE_MAGIC_PUFFIN:
        return "a Puffin file";
    case ICE_MAGIC_SQLITE:
        return "an SQLite database";
    case ICE_MAGIC_ZIP:
    case ICE_MAGIC_TAR:
        return "an archive: unpack it first";
    case ICE_MAGIC_AGS1:
        return "encrypted";
    case ICE_MAGIC_PNG:
        return "a PNG image";
    case ICE_MAGIC_UTF16:
        return "UTF-16 text: convert it to UTF-8 first";
    }
    return NULL;
}

enum ice_status ice_dump_stream(struct ice_stream *stream, struct ice_run *run,
                                ice_write_fn write, ice_trouble_fn on_trouble, void *user,
                                struct ice_error *err) {
    struct ice_str first;
    ICE_TRY(ice_stream_peek(stream, 512, &first, err));
    enum ice_magic magic = ice_magic_of(first);
    const char *foreign = foreign_kind(magic);
    if (foreign != NULL)
        return ice_error_set(err, ICE_EUNSUPPORTED, NULL, 0,
                             "not JSON and not Avro: it is %s", foreign);
    struct dump d = {.run = run, .on_trouble = on_trouble, .user = user};
    ice_buf_init(&d.token, &run->alloc, SIZE_MAX);
    ice_buf_init(&d.open, &run->alloc, SIZE_MAX);
    ice_jw_init(&d.w, write, user, 2);
    enum ice_status status =
        magic == ICE_MAGIC_AVRO ? dump_avro(&d, stream, err) : dump_json(&d, stream, err);
    if (status >= 0)
        ice_jw_newline(&d.w);
    enum ice_status written = ice_jw_finish(&d.w);
    ice_buf_release(&d.token);
    ice_buf_release(&d.open);
    return status < 0 ? status : written;
}
