/*
 * The JSON reader: any bytes, read whole and in random pieces, have one verdict; what was
 * read can be printed and read again; every pointer is found where it was seen.
 */
#include "fuzz/target.h"
#include "json/locate.h"
#include "json/reader.h"
#include "json/writer.h"

enum { POINTERS = 16, CHUNK = 4096 };

/* ---- one reading ---- */

struct reading {
    uint64_t digest; /* of every event, notice and fault */
    uint64_t values; /* of kinds and texts alone */
    enum ice_status status;
    unsigned notices;
    struct ice_json_writer *copy; /* NULL, or where to print the events */
    struct ice_buf *pointers;     /* NULL, or where to keep some */
    struct ice_locate found[POINTERS];
    size_t ends[POINTERS];
    size_t n_found, n_events;
};

static void add(uint64_t *digest, struct ice_str text, uint64_t number) {
    *digest = ice_hash64(text, *digest) ^ ice_hash_mix(number, *digest);
}

static enum ice_status notice(enum ice_json_notice kind, uint64_t offset,
                              struct ice_str pointer, void *user) {
    struct reading *reading = user;
    reading->notices |= 1u << kind;
    add(&reading->digest, pointer, offset * 8 + kind);
    return ICE_OK;
}

static void print(struct ice_json_writer *w, const struct ice_json_event *event) {
    switch (event->kind) {
    case ICE_JSON_OBJECT:
        ice_jw_object(w);
        break;
    case ICE_JSON_OBJECT_END:
        ice_jw_object_end(w);
        break;
    case ICE_JSON_ARRAY:
        ice_jw_array(w);
        break;
    case ICE_JSON_ARRAY_END:
        ice_jw_array_end(w);
        break;
    case ICE_JSON_KEY:
        ice_jw_key_str(w, event->text);
        break;
    case ICE_JSON_STRING:
        ice_jw_str(w, event->text);
        break;
    case ICE_JSON_NUMBER:
        ice_jw_raw(w, event->text);
        break;
    case ICE_JSON_TRUE:
    case ICE_JSON_FALSE:
        ice_jw_bool(w, event->kind == ICE_JSON_TRUE);
        break;
    case ICE_JSON_NULL:
        ice_jw_null(w);
        break;
    }
}

/* Keep the place of every third value. */
static void keep(struct reading *reading, const struct ice_json *json,
                 const struct ice_json_event *event, struct ice_buf *scratch) {
    if (event->kind == ICE_JSON_KEY || event->kind == ICE_JSON_OBJECT_END ||
        event->kind == ICE_JSON_ARRAY_END || reading->n_found == POINTERS ||
        reading->n_events % 3 != 0)
        return;
    struct ice_locate *place = &reading->found[reading->n_found];
    require(ice_json_pointer(json, scratch) == ICE_OK);
    require(ice_buf_append_str(reading->pointers, ice_buf_str(scratch)) == ICE_OK);
    place->offset = event->offset;
    ice_json_position(json, event->offset, &place->line, &place->column);
    reading->ends[reading->n_found++] = reading->pointers->size;
}

static void check_number(const struct ice_json_event *event) {
    int64_t integer;
    double real;
    if (ice_number_i64(event->text, &integer) == ICE_NUMBER_OK)
        require(ice_number_f64(event->text, &real));
}

static void read_all(struct reading *reading, struct ice_run *run, struct ice_str text,
                     uint64_t seed) {
    struct pieces pieces = {
        .bytes = text, .most = seed == 0 ? SIZE_MAX : 0, .seed = seed};
    struct ice_stream stream;
    struct ice_json json;
    struct ice_json_event event;
    struct ice_error err;
    struct ice_buf scratch;
    ice_error_clear(&err);
    ice_buf_init(&scratch, &run->alloc, SIZE_MAX);
    require(ice_stream_init(&stream, run, &pieces_ops, &pieces, &err) == ICE_OK);
    stream.chunk = seed != 0 ? 1 + seed % 64 : CHUNK;
    require(ice_json_init(&json, &stream, run, notice, reading, &err) == ICE_OK);
    while ((reading->status = ice_json_next(&json, &event, &err)) == ICE_OK) {
        require(event.offset < text.size);
        add(&reading->digest, event.text, event.offset * 16 + event.kind);
        add(&reading->values, event.text, event.kind);
        if (event.kind == ICE_JSON_NUMBER)
            check_number(&event);
        if (reading->copy != NULL)
            print(reading->copy, &event);
        if (reading->pointers != NULL)
            keep(reading, &json, &event, &scratch);
        reading->n_events++;
    }
    if (reading->status < 0) {
        require(err.status == reading->status && err.rule != NULL);
        require(err.offset <= text.size && err.line >= 1 && err.column >= 1);
        add(&reading->digest, ice_str_from(err.rule), err.offset);
        add(&reading->digest, ice_str_from(err.pointer),
            (uint64_t)err.line << 32 | err.column);
    }
    ice_buf_release(&scratch);
    ice_json_release(&json);
    ice_stream_release(&stream);
}

static enum ice_status to_buf(const char *data, size_t size, void *user) {
    return ice_buf_append(user, data, size);
}

/* Every kept pointer is found where it was seen. */
static void check_places(struct reading *reading, struct ice_run *run, bool unique,
                         struct ice_str text) {
    struct ice_locate asked[POINTERS];
    size_t start = 0;
    for (size_t i = 0; i < reading->n_found; i++) {
        asked[i] = (struct ice_locate){.pointer = ICE_STR_NONE}; /* "" is the root */
        if (reading->ends[i] > start)
            asked[i].pointer =
                ice_str_make(reading->pointers->data + start, reading->ends[i] - start);
        start = reading->ends[i];
    }
    struct ice_stream stream;
    ice_stream_init_memory(&stream, run, text);
    require(ice_json_locate(&stream, run, unique, asked, reading->n_found, NULL) ==
            ICE_OK);
    for (size_t i = 0; i < reading->n_found; i++) {
        require(asked[i].found && !asked[i].duplicate);
        require(asked[i].offset == reading->found[i].offset);
        require(asked[i].line == reading->found[i].line);
        require(asked[i].column == reading->found[i].column);
    }
    ice_stream_release(&stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ice_options options = ICE_OPTIONS_INIT;
    options.hash_seed = 1;
    struct ice_run run;
    ice_run_init(&run, &options);
    const struct ice_str text = ice_str_make(data, size);
    struct ice_buf printed, pointers;
    ice_buf_init(&printed, &run.alloc, SIZE_MAX);
    ice_buf_init(&pointers, &run.alloc, SIZE_MAX);
    struct ice_json_writer writer;
    ice_jw_init(&writer, to_buf, &printed, (unsigned)(size % 3));

    struct reading whole = {.copy = &writer, .pointers = &pointers};
    read_all(&whole, &run, text, 0);
    require(whole.status == ICE_DONE || whole.status == ICE_EFORMAT ||
            whole.status == ICE_ELIMIT);
    struct reading pieces = {.n_events = 0};
    read_all(&pieces, &run, text, ice_hash64(text, 3) | 1);
    require(pieces.status == whole.status && pieces.digest == whole.digest &&
            pieces.notices == whole.notices);

    if (!(whole.notices & 1u << ICE_JSON_DUPLICATE_KEY)) {
        check_places(&whole, &run, false, text);
        check_places(&whole, &run, true, text);
    }
    require(ice_jw_finish(&writer) == ICE_OK);
    /* a lone surrogate is printed as an escape and comes back as its text */
    if (whole.status == ICE_DONE && !(whole.notices & 1u << ICE_JSON_LONE_SURROGATE)) {
        struct reading again = {.n_events = 0};
        read_all(&again, &run, ice_buf_str(&printed), 0);
        /* escapes may make a text longer than its limit; nothing else may change */
        require(again.status == ICE_ELIMIT ||
                (again.status == ICE_DONE && again.values == whole.values));
    }
    ice_buf_release(&printed);
    ice_buf_release(&pointers);
    require(run.alloc.used == 0);
    return 0;
}
