/*
 * FileMetadata, key by key. Unknown keys are skipped; of properties only those of
 * deletion vectors are kept.
 */
#include "iceberg/puffin_footer.h"

#include "base/error.h"
#include "json/reader.h"

struct reading {
    struct ice_puffin *p;
    struct ice_json json;
    struct ice_json_event event;
    struct ice_error *err;
};

enum {
    HAS_TYPE = 1,
    HAS_FIELDS = 2,
    HAS_SNAPSHOT = 4,
    HAS_SEQUENCE = 8,
    HAS_OFFSET = 16,
    HAS_LENGTH = 32,
    HAS_ALL = 63,
};

static enum ice_status wrong(struct reading *r, const char *why) {
    return ice_error_set(r->err, ICE_EFORMAT, NULL, r->event.offset, "%s", why);
}

static enum ice_status next(struct reading *r) {
    return ice_json_next(&r->json, &r->event, r->err);
}

static enum ice_status keep(struct reading *r, struct ice_str *out) {
    return ice_arena_dup(&r->p->arena, r->event.text, out) ? ICE_OK
                                                           : ice_error_memory(r->err);
}

static enum ice_status read_integer(struct reading *r, int64_t *out) {
    if (r->event.kind != ICE_JSON_NUMBER ||
        ice_number_i64(r->event.text, out) != ICE_NUMBER_OK)
        return wrong(r, "a value of a blob is no 64-bit integer");
    return ICE_OK;
}

static enum ice_status read_string(struct reading *r, struct ice_str *out) {
    if (r->event.kind != ICE_JSON_STRING)
        return wrong(r, "a value of a blob is no string");
    return keep(r, out);
}

static enum ice_status read_fields(struct reading *r, struct ice_puffin_blob *blob) {
    int32_t *items = NULL;
    size_t n = 0, capacity = 0;
    struct ice_alloc *alloc = &r->p->run->alloc;
    enum ice_status status = ICE_OK;
    if (r->event.kind != ICE_JSON_ARRAY)
        return wrong(r, "fields of a blob is no array");
    while (status == ICE_OK && (status = next(r)) == ICE_OK &&
           r->event.kind != ICE_JSON_ARRAY_END) {
        int64_t id = 0;
        status = read_integer(r, &id);
        if (status == ICE_OK && (id < INT32_MIN || id > INT32_MAX))
            status = wrong(r, "a field id of a blob is beyond 32 bits");
        if (status == ICE_OK &&
            !ice_array_reserve(alloc, &items, n, &capacity, sizeof(*items)))
            status = ice_error_memory(r->err);
        if (status == ICE_OK)
            items[n++] = (int32_t)id;
    }
    if (status == ICE_OK && n > 0) {
        int32_t *kept = ice_arena_array(&r->p->arena, n, sizeof(*kept));
        if (kept != NULL)
            memcpy(kept, items, n * sizeof(*kept));
        else
            status = ice_error_memory(r->err);
        blob->fields = kept;
        blob->n_fields = kept != NULL ? n : 0;
    }
    ice_array_free(alloc, &items, &capacity, sizeof(*items));
    return status;
}

static enum ice_status read_properties(struct reading *r, struct ice_puffin_blob *blob) {
    if (r->event.kind == ICE_JSON_NULL)
        return ICE_OK;
    if (r->event.kind != ICE_JSON_OBJECT)
        return wrong(r, "properties of a blob is no object");
    for (;;) {
        ICE_TRY(next(r));
        if (r->event.kind == ICE_JSON_OBJECT_END)
            return ICE_OK;
        bool is_referenced = ice_str_is(r->event.text, "referenced-data-file");
        bool is_cardinality = ice_str_is(r->event.text, "cardinality");
        ICE_TRY(next(r));
        if (is_referenced && r->event.kind == ICE_JSON_STRING) {
            blob->has_referenced = true;
            ICE_TRY(keep(r, &blob->referenced));
        } else if (is_cardinality && r->event.kind == ICE_JSON_STRING) {
            blob->has_cardinality = true;
            ICE_TRY(keep(r, &blob->cardinality));
        } else {
            ICE_TRY(ice_json_skip(&r->json, &r->event, r->err));
        }
    }
}

static enum ice_status read_codec(struct reading *r, struct ice_puffin_blob *blob) {
    if (r->event.kind == ICE_JSON_NULL)
        return ICE_OK;
    blob->has_codec = true;
    return read_string(r, &blob->codec);
}

/* The event is a key. */
static enum ice_status read_member(struct reading *r, struct ice_puffin_blob *blob,
                                   unsigned *has) {
    static const struct {
        const char *key;
        unsigned bit;
    } integers[] = {{"snapshot-id", HAS_SNAPSHOT},
                    {"sequence-number", HAS_SEQUENCE},
                    {"offset", HAS_OFFSET},
                    {"length", HAS_LENGTH}};
    int64_t *const values[] = {&blob->snapshot_id, &blob->sequence_number, &blob->offset,
                               &blob->length};
    for (size_t i = 0; i < ICE_COUNT_OF(integers); i++)
        if (ice_str_is(r->event.text, integers[i].key)) {
            *has |= integers[i].bit;
            ICE_TRY(next(r));
            return read_integer(r, values[i]);
        }
    bool is_type = ice_str_is(r->event.text, "type");
    bool is_fields = ice_str_is(r->event.text, "fields");
    bool is_codec = ice_str_is(r->event.text, "compression-codec");
    bool is_properties = ice_str_is(r->event.text, "properties");
    *has |= is_type ? HAS_TYPE : is_fields ? HAS_FIELDS : 0;
    ICE_TRY(next(r));
    if (is_type)
        return read_string(r, &blob->type);
    if (is_fields)
        return read_fields(r, blob);
    if (is_codec)
        return read_codec(r, blob);
    if (is_properties)
        return read_properties(r, blob);
    return ice_json_skip(&r->json, &r->event, r->err);
}

static enum ice_status read_blob(struct reading *r) {
    struct ice_puffin_blob blob = {0};
    struct ice_puffin *p = r->p;
    unsigned has = 0;
    if (r->event.kind != ICE_JSON_OBJECT)
        return wrong(r, "a blob is no object");
    for (;;) {
        ICE_TRY(next(r));
        if (r->event.kind == ICE_JSON_OBJECT_END)
            break;
        ICE_TRY(read_member(r, &blob, &has));
    }
    if (has != HAS_ALL)
        return wrong(r, "a blob lacks one of type, fields, snapshot-id, sequence-number, "
                        "offset and length");
    if (!ice_array_reserve(&p->run->alloc, &p->blobs, p->n_blobs, &p->cap_blobs,
                           sizeof(*p->blobs)))
        return ice_error_memory(r->err);
    p->blobs[p->n_blobs++] = blob;
    return ICE_OK;
}

static enum ice_status read_blobs(struct reading *r) {
    if (r->event.kind != ICE_JSON_ARRAY)
        return wrong(r, "blobs is no array");
    for (;;) {
        ICE_TRY(next(r));
        if (r->event.kind == ICE_JSON_ARRAY_END)
            return ICE_OK;
        ICE_TRY(read_blob(r));
    }
}

static enum ice_status read_root(struct reading *r) {
    bool has_blobs = false;
    ICE_TRY(next(r));
    if (r->event.kind != ICE_JSON_OBJECT)
        return wrong(r, "it is no object");
    for (;;) {
        ICE_TRY(next(r));
        if (r->event.kind == ICE_JSON_OBJECT_END)
            break;
        bool is_blobs = ice_str_is(r->event.text, "blobs");
        has_blobs = has_blobs || is_blobs;
        ICE_TRY(next(r));
        ICE_TRY(is_blobs ? read_blobs(r) : ice_json_skip(&r->json, &r->event, r->err));
    }
    return has_blobs ? ICE_OK : wrong(r, "it has no blobs");
}

enum ice_status ice_puffin_read_footer(struct ice_puffin *puffin,
                                       struct ice_str payload) {
    struct reading r = {.p = puffin, .err = &puffin->reason};
    struct ice_stream stream;
    ice_error_clear(&puffin->reason);
    ice_stream_init_memory(&stream, puffin->run, payload);
    enum ice_status status =
        ice_json_init(&r.json, &stream, puffin->run, NULL, NULL, r.err);
    if (status >= 0)
        status = read_root(&r);
    ice_json_release(&r.json);
    ice_stream_release(&stream);
    if (status >= 0)
        return ICE_OK;
    puffin->n_blobs = 0;
    if (status != ICE_EFORMAT && status != ICE_ELIMIT)
        return status;
    puffin->fault = status == ICE_ELIMIT ? ICE_PUFFIN_LIMIT : ICE_PUFFIN_JSON;
    puffin->fault_offset = puffin->footer_start + sizeof("PFA1") - 1;
    if (puffin->reason.offset != ICE_NO_OFFSET)
        puffin->fault_offset += puffin->reason.offset;
    return ICE_OK;
}
