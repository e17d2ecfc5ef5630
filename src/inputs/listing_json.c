/*
 * Listings in JSON: pages, arrays, one object a line. Forms differ only in where their
 * objects stand.
 */
#include "inputs/listing.h"

#include "base/error.h"
#include "inputs/listing_item.h"
#include "json/reader.h"

enum { NAME_BYTES = 64, MEMBERS = 16 };

/* What the n-th member of the last object was: the next one has mostly the same. */
struct member {
    char name[NAME_BYTES];
    size_t size;
    enum ice_listing_role role;
};

struct reader {
    struct ice_listing *listing;
    struct ice_json json;
    struct ice_listing_item item;
    struct member members[MEMBERS];
    size_t n_members; /* of the object that is read, so far */
    ice_listed_fn each;
    void *user;
    struct ice_error *err;
};

static enum ice_listing_role role_of(struct reader *r, struct ice_str name) {
    if (r->n_members >= MEMBERS || name.size > NAME_BYTES)
        return ice_listing_role_of(name);
    struct member *member = &r->members[r->n_members++];
    if (member->size != name.size || name.size == 0 ||
        memcmp(member->name, name.data, name.size) != 0) {
        member->size = name.size;
        if (name.size > 0)
            memcpy(member->name, name.data, name.size);
        member->role = ice_listing_role_of(name);
    }
    return member->role;
}

static void begin_item(struct reader *r, bool is_deleted) {
    ice_listing_item_begin(&r->item);
    r->item.object.is_deleted = is_deleted;
    r->n_members = 0;
}

/* One member with a scalar value. */
static enum ice_status take(struct reader *r, enum ice_listing_role role,
                            const struct ice_json_event *value) {
    if (value->kind == ICE_JSON_NULL || role == ICE_ROLE_NONE)
        return ICE_OK;
    struct ice_str text = value->kind == ICE_JSON_TRUE    ? ICE_STR("true")
                          : value->kind == ICE_JSON_FALSE ? ICE_STR("false")
                                                          : value->text;
    return ice_listing_item_take(r->listing, &r->item, role, text,
                                 value->kind == ICE_JSON_STRING);
}

/* ---- pages ---- */

static enum ice_status keep_page(struct reader *r, struct ice_str text,
                                 struct ice_str *out) {
    if (ice_str_equal(*out, text))
        return ICE_OK;
    return ice_arena_dup(&r->listing->arena, text, out) ? ICE_OK : ICE_ENOMEM;
}

static bool is_token(struct ice_str name) {
    return ice_str_is(name, "NextToken") || ice_str_is(name, "NextContinuationToken") ||
           ice_str_is(name, "NextMarker") || ice_str_is(name, "nextMarker") ||
           ice_str_is(name, "NextKeyMarker") || ice_str_is(name, "nextPageToken");
}

/* A member with a scalar value that says something of the listing; *out_is_one: it did.
 */
static enum ice_status take_page(struct reader *r, struct ice_str name,
                                 const struct ice_json_event *value, bool *out_is_one) {
    struct ice_listing *listing = r->listing;
    bool is_text = value->kind == ICE_JSON_STRING;
    bool is_true =
        value->kind == ICE_JSON_TRUE || (is_text && ice_str_is(value->text, "true"));
    *out_is_one = true;
    if (is_token(name)) {
        if (is_text && value->text.size > 0)
            listing->partial = "it ends with a token for the next page";
    } else if (ice_str_is(name, "IsTruncated")) {
        if (is_true)
            listing->partial = "it says that it is truncated";
    } else if (ice_str_is(name, "complete")) {
        if (value->kind == ICE_JSON_FALSE)
            listing->partial = "it says that it is not complete";
    } else if (ice_str_is(name, "EncodingType")) {
        listing->is_url_encoded = is_text && ice_str_is(value->text, "url");
    } else if (ice_str_is(name, "Name")) {
        return is_text ? keep_page(r, value->text, &listing->bucket) : ICE_OK;
    } else if (ice_str_is(name, "Prefix")) {
        return is_text ? keep_page(r, value->text, &listing->prefix) : ICE_OK;
    } else {
        *out_is_one = false;
    }
    return ICE_OK;
}

/* ---- items ---- */

static enum ice_status tell_item(struct reader *r) {
    return ice_listing_item_tell(r->listing, &r->item, r->each, r->user);
}

/* What forms keep in an object inside the item; elsewhere such an object is the user's.
 */
static bool is_inner(const struct reader *r, struct ice_str name) {
    return r->listing->format == ICE_LISTING_AZ_BLOB
               ? ice_str_is(name, "properties")
               : r->listing->format == ICE_LISTING_GCLOUD_JSON &&
                     ice_str_is(name, "metadata");
}

/* One level, no deeper. Names in it do not stand for keys. */
static enum ice_status read_inner(struct reader *r) {
    struct ice_json_event event;
    for (;;) {
        ICE_TRY(ice_json_next(&r->json, &event, r->err));
        if (event.kind == ICE_JSON_OBJECT_END)
            return ICE_OK;
        enum ice_listing_role role = role_of(r, event.text);
        ICE_TRY(ice_json_next(&r->json, &event, r->err));
        if (event.kind == ICE_JSON_OBJECT || event.kind == ICE_JSON_ARRAY)
            ICE_TRY(ice_json_skip(&r->json, &event, r->err));
        else if (role != ICE_ROLE_KEY && role != ICE_ROLE_URL &&
                 role != ICE_ROLE_BUCKET && role != ICE_ROLE_TYPE)
            ICE_TRY(take(r, role, &event));
    }
}

/* A storage account with a hierarchical namespace lists directories as blobs, and marks
 * them in what else is the user's own. */
static enum ice_status read_marks(struct reader *r) {
    struct ice_json_event event;
    for (;;) {
        ICE_TRY(ice_json_next(&r->json, &event, r->err));
        if (event.kind == ICE_JSON_OBJECT_END)
            return ICE_OK;
        bool is_mark = ice_str_equal_nocase(event.text, ICE_STR("hdi_isfolder"));
        ICE_TRY(ice_json_next(&r->json, &event, r->err));
        if (event.kind == ICE_JSON_OBJECT || event.kind == ICE_JSON_ARRAY)
            ICE_TRY(ice_json_skip(&r->json, &event, r->err));
        else if (is_mark)
            ICE_TRY(take(r, ICE_ROLE_DIRECTORY, &event));
    }
}

struct name {
    char bytes[NAME_BYTES];
    struct ice_str text;
};

/* The name of a member outlives the event of its value; a longer one is none of ours. */
static void keep_name(struct name *name, struct ice_str text) {
    size_t size = text.size <= NAME_BYTES ? text.size : 0;
    if (size > 0)
        memcpy(name->bytes, text.data, size);
    name->text = (struct ice_str){name->bytes, size};
}

/* The value of a member of an item. */
static enum ice_status read_value(struct reader *r, const struct name *name,
                                  enum ice_listing_role role,
                                  const struct ice_json_event *event) {
    if (event->kind == ICE_JSON_OBJECT && is_inner(r, name->text))
        return read_inner(r);
    if (event->kind == ICE_JSON_OBJECT && r->listing->format == ICE_LISTING_AZ_BLOB &&
        ice_str_is(name->text, "metadata"))
        return read_marks(r);
    if (event->kind == ICE_JSON_OBJECT || event->kind == ICE_JSON_ARRAY)
        return ice_json_skip(&r->json, event, r->err);
    if (role != ICE_ROLE_NONE)
        return take(r, role, event);
    bool is_page;
    return take_page(r, name->text, event, &is_page);
}

static enum ice_status read_item(struct reader *r, bool is_deleted) {
    struct ice_json_event event;
    struct name name;
    begin_item(r, is_deleted);
    for (;;) {
        ICE_TRY(ice_json_next(&r->json, &event, r->err));
        if (event.kind == ICE_JSON_OBJECT_END)
            return tell_item(r);
        enum ice_listing_role role = role_of(r, event.text);
        keep_name(&name, event.text);
        ICE_TRY(ice_json_next(&r->json, &event, r->err));
        ICE_TRY(read_value(r, &name, role, &event));
    }
}

static enum ice_status read_items(struct reader *r, bool is_deleted) {
    struct ice_json_event event;
    for (;;) {
        ICE_TRY(ice_json_next(&r->json, &event, r->err));
        if (event.kind == ICE_JSON_ARRAY_END)
            return ICE_OK;
        if (event.kind == ICE_JSON_OBJECT)
            ICE_TRY(read_item(r, is_deleted));
        else
            ICE_TRY(ice_json_skip(&r->json, &event, r->err));
    }
}

/* ---- documents ---- */

static enum ice_status read_covers(struct reader *r) {
    struct ice_listing *listing = r->listing;
    struct ice_json_event event;
    for (;;) {
        ICE_TRY(ice_json_next(&r->json, &event, r->err));
        if (event.kind == ICE_JSON_ARRAY_END)
            return ICE_OK;
        if (event.kind != ICE_JSON_STRING) {
            ICE_TRY(ice_json_skip(&r->json, &event, r->err));
            continue;
        }
        if (!ice_array_reserve(&listing->run->alloc, &listing->covers, listing->n_covers,
                               &listing->cap_covers, sizeof(*listing->covers)) ||
            !ice_arena_dup(&listing->arena, event.text,
                           &listing->covers[listing->n_covers]))
            return ice_error_memory(r->err);
        listing->n_covers++;
    }
}

static bool is_container(struct ice_str name) {
    return ice_str_is(name, "Contents") || ice_str_is(name, "Versions") ||
           ice_str_is(name, "DeleteMarkers") || ice_str_is(name, "items");
}

/* A prefix that stands for what was not listed. */
static enum ice_status read_prefixes(struct reader *r) {
    struct ice_json_event event;
    ICE_TRY(ice_json_next(&r->json, &event, r->err));
    if (event.kind == ICE_JSON_ARRAY_END)
        return ICE_OK;
    r->listing->partial =
        "it names prefixes that it does not list (a delimiter was given)";
    ICE_TRY(ice_json_skip(&r->json, &event, r->err));
    while (event.kind != ICE_JSON_ARRAY_END) {
        ICE_TRY(ice_json_next(&r->json, &event, r->err));
        if (event.kind != ICE_JSON_ARRAY_END)
            ICE_TRY(ice_json_skip(&r->json, &event, r->err));
    }
    return ICE_OK;
}

/* What a document has beside objects; *out_is_one: it was that. */
static enum ice_status read_page(struct reader *r, struct ice_str name,
                                 const struct ice_json_event *event, bool *out_is_one) {
    *out_is_one = event->kind == ICE_JSON_ARRAY;
    if (event->kind == ICE_JSON_ARRAY && is_container(name))
        return read_items(r, ice_str_is(name, "DeleteMarkers"));
    if (event->kind == ICE_JSON_ARRAY && ice_str_is(name, "covers"))
        return read_covers(r);
    if (event->kind == ICE_JSON_ARRAY &&
        (ice_str_is(name, "CommonPrefixes") || ice_str_is(name, "prefixes")))
        return read_prefixes(r);
    *out_is_one = false;
    if (event->kind == ICE_JSON_OBJECT || event->kind == ICE_JSON_ARRAY)
        return ICE_OK;
    return take_page(r, name, event, out_is_one);
}

/* A page of objects, or one object on a line. */
static enum ice_status read_object(struct reader *r) {
    struct ice_json_event event;
    struct name name;
    begin_item(r, false);
    for (;;) {
        ICE_TRY(ice_json_next(&r->json, &event, r->err));
        if (event.kind == ICE_JSON_OBJECT_END)
            return tell_item(r);
        enum ice_listing_role role = role_of(r, event.text);
        bool is_page = false;
        keep_name(&name, event.text);
        ICE_TRY(ice_json_next(&r->json, &event, r->err));
        ICE_TRY(read_page(r, name.text, &event, &is_page));
        if (is_page)
            begin_item(r, false); /* it is a page: what was taken for an object is none */
        else
            ICE_TRY(read_value(r, &name, role, &event));
    }
}

static enum ice_status read_document(struct reader *r, struct ice_stream *stream) {
    struct ice_json_event event;
    ICE_TRY(ice_json_init(&r->json, stream, r->listing->run, NULL, NULL, r->err));
    enum ice_status status = ice_json_next(&r->json, &event, r->err);
    if (status == ICE_OK && event.kind == ICE_JSON_OBJECT)
        status = read_object(r);
    else if (status == ICE_OK && event.kind == ICE_JSON_ARRAY)
        status = read_items(r, false);
    ice_json_release(&r->json);
    return status;
}

/* Blanks up to the next document; *out_end: there is none. */
static enum ice_status skip_blanks(struct ice_stream *stream, bool *out_end,
                                   struct ice_error *err) {
    for (;;) {
        struct ice_str text;
        size_t n = 0;
        ICE_TRY(ice_stream_peek(stream, 1, &text, err));
        *out_end = text.size == 0;
        while (n < text.size && (text.data[n] == ' ' || text.data[n] == '\t' ||
                                 text.data[n] == '\r' || text.data[n] == '\n'))
            n++;
        ice_stream_consume(stream, n);
        if (n < text.size || *out_end)
            return ICE_OK;
    }
}

enum ice_status ice_listing_read_json(struct ice_listing *listing,
                                      struct ice_stream *stream, ice_listed_fn each,
                                      void *user, struct ice_error *err) {
    struct reader r = {.listing = listing, .each = each, .user = user, .err = err};
    bool is_end = false;
    ice_listing_item_init(&r.item, &listing->run->alloc);
    enum ice_status status = skip_blanks(stream, &is_end, err);
    while (status == ICE_OK && !is_end) {
        status = read_document(&r, stream);
        if (status == ICE_OK)
            status = skip_blanks(stream, &is_end, err);
    }
    ice_listing_item_release(&r.item);
    return status;
}
