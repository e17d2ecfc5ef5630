/*
 * Catalog exports in JSON: one pass of events, no tree. pointer_places.c
 * says which values, by their place in the document, mean what.
 */
#include "inputs/pointer_draft.h"

#include "base/error.h"

enum { N_GROUPS = ICE_POINTER_GROUPS };

/* ---- documents ---- */

/* Answers that may hold no entry at all. */
static void note_answer(struct ice_pointer_reader *r, struct ice_str place) {
    static const struct {
        const char *place;
        enum ice_pointer_format format;
        bool is_export;    /* of all tables of a place, with their pointers */
        bool is_inventory; /* of names alone */
    } answers[] = {
        {"/TableList", ICE_POINTER_GLUE, true, false},
        {"/TableVersions", ICE_POINTER_GLUE, false, false},
        {"/Database", ICE_POINTER_GLUE, false, true},
        {"/DatabaseList", ICE_POINTER_GLUE, false, true},
        {"/identifiers", ICE_POINTER_REST, false, true},
        {"/tables", ICE_POINTER_S3TABLES, false, true},
        {"/entries", ICE_POINTER_NESSIE, true, false},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(answers); i++) {
        if (!ice_str_is(place, answers[i].place))
            continue;
        r->is_answer = true;
        if (*r->input->out_format == ICE_POINTER_AUTO)
            *r->input->out_format = answers[i].format;
        r->input->pointers->n_exports += answers[i].is_export;
        r->input->pointers->n_inventories += answers[i].is_inventory;
    }
}

/* Keys under which an answer says that it goes on. */
static void note_more(struct ice_pointer_reader *r, struct ice_str place,
                      const struct ice_json_event *event) {
    static const char *const tokens[] = {"/NextToken", "/continuationToken",
                                         "/next_page_token", "/next-page-token",
                                         "/nextPageToken"};
    bool is_token = false;
    for (size_t i = 0; i < ICE_COUNT_OF(tokens); i++)
        is_token = is_token || ice_str_is(place, tokens[i]);
    bool is_more = (is_token && event->kind == ICE_JSON_STRING && event->text.size > 0) ||
                   (ice_str_is(place, "/hasMore") && event->kind == ICE_JSON_TRUE);
    if (is_more)
        r->input->pointers->is_partial = true;
}

/* Where the embedded metadata document begins and ends. */
static void note_document(struct ice_pointer_reader *r,
                          const struct ice_json_event *event) {
    if (event->kind == ICE_JSON_OBJECT)
        r->document = event->offset;
    else
        r->document_end = event->offset + 1;
}

/* The bulk of an embedded metadata document. */
static bool is_bulk(struct ice_str place) {
    return ice_str_starts(place, ICE_STR("/metadata/")) || ice_str_is(place, "/config") ||
           ice_str_is(place, "/storage-credentials");
}

static enum ice_status read_event(struct ice_pointer_reader *r, struct ice_json *json,
                                  const struct ice_json_event *event,
                                  struct ice_error *err) {
    if (event->kind == ICE_JSON_KEY || event->kind == ICE_JSON_ARRAY_END)
        return ICE_OK;
    if (ice_json_pointer(json, &r->pointer) < 0)
        return ice_error_memory(err);
    struct ice_str place = ice_buf_str(&r->pointer);
    bool is_object = event->kind == ICE_JSON_OBJECT || event->kind == ICE_JSON_OBJECT_END;
    if (is_object && ice_str_is(place, "/metadata"))
        note_document(r, event);
    if (event->kind == ICE_JSON_OBJECT_END)
        return ICE_OK;
    if (event->kind == ICE_JSON_OBJECT || event->kind == ICE_JSON_ARRAY) {
        note_answer(r, place);
        return is_bulk(place) ? ice_json_skip(json, event, err) : ICE_OK;
    }
    note_more(r, place, event);
    for (size_t g = 0; g < N_GROUPS; g++)
        ICE_TRY(ice_pointer_take(r, g, place, event, err));
    return ICE_OK;
}

static enum ice_status read_document(struct ice_pointer_reader *r,
                                     struct ice_stream *stream, struct ice_error *err) {
    struct ice_json json = {0};
    struct ice_json_event event;
    r->document = r->document_end = 0;
    enum ice_status status =
        ice_json_init(&json, stream, r->input->pointers->run, NULL, NULL, err);
    while (status >= 0) {
        status = ice_json_next(&json, &event, err);
        if (status != ICE_OK)
            break;
        status = read_event(r, &json, &event, err);
        if (status == ICE_OK && ice_json_depth(&json) == 0)
            break;
    }
    ice_json_release(&json);
    return status < 0 ? status : ice_pointer_flush(r, err);
}

/* *out_more: something else than blanks follows. */
static enum ice_status skip_blanks(struct ice_stream *stream, bool *out_more,
                                   struct ice_error *err) {
    struct ice_str view;
    for (;;) {
        ICE_TRY(ice_stream_peek(stream, 1, &view, err));
        size_t n = 0;
        while (n < view.size && view.data[n] != '\0' &&
               strchr(" \t\r\n", view.data[n]) != NULL)
            n++;
        ice_stream_consume(stream, n);
        *out_more = n < view.size;
        if (view.size == 0 || n < view.size)
            return ICE_OK;
    }
}

static enum ice_status read_all(struct ice_pointer_reader *r, struct ice_stream *stream,
                                struct ice_error *err) {
    bool more = true;
    while (more) {
        ICE_TRY(read_document(r, stream, err));
        ice_arena_reset(&r->arena);
        ICE_TRY(skip_blanks(stream, &more, err));
    }
    if (r->is_answer)
        return ICE_OK;
    return ice_pointer_unknown(
        err, r->is_metadata
                 ? "it is table metadata, which names no pointer: use --metadata"
                 : "it is JSON, but no catalog export that is known; known are Glue, "
                   "S3 Tables, REST, Nessie, Hive, Unity, Polaris, BigQuery, JDBC dumps");
}

enum ice_status ice_pointer_json(const struct ice_pointer_input *input,
                                 struct ice_stream *stream, struct ice_error *err) {
    struct ice_alloc *alloc = &input->pointers->run->alloc;
    struct ice_pointer_reader *r = ice_calloc(alloc, 1, sizeof(*r));
    if (r == NULL)
        return ice_error_memory(err);
    r->input = input;
    ice_arena_init(&r->arena, alloc);
    ice_buf_init(&r->pointer, alloc, SIZE_MAX);
    enum ice_status status = read_all(r, stream, err);
    for (size_t g = 0; g < N_GROUPS; g++)
        ice_array_free(alloc, &r->drafts[g].columns, &r->drafts[g].cap_columns,
                       sizeof(struct ice_str));
    ice_buf_release(&r->pointer);
    ice_arena_release(&r->arena);
    ice_free(alloc, r, sizeof(*r));
    return status;
}
