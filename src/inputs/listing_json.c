/*
 * Listings in JSON: pages, arrays, one object a line. One table says which member of an
 * object means what, so that forms differ only in where their objects stand.
 */
#include "inputs/listing.h"

#include "base/error.h"
#include "base/percent.h"
#include "json/reader.h"

enum role {
    ROLE_NONE,
    ROLE_KEY,
    ROLE_BUCKET,
    ROLE_SIZE,
    ROLE_TIME,
    ROLE_VERSION,
    ROLE_ETAG,
    ROLE_LATEST,
    ROLE_DIRECTORY,
    ROLE_TYPE,
    ROLE_NEXT,      /* a token for more: the listing is cut */
    ROLE_TRUNCATED, /* true: it is cut */
    ROLE_PAGE_BUCKET,
    ROLE_PAGE_PREFIX,
    ROLE_ENCODING,
    ROLE_COMPLETE,
};

static const struct {
    const char *outer, *name; /* outer: the object inside the item that it stands in */
    enum role role;
} members[] = {
    {"", "Key", ROLE_KEY},
    {"", "key", ROLE_KEY},
    {"", "Path", ROLE_KEY},
    {"", "path", ROLE_KEY},
    {"", "uri", ROLE_KEY},
    {"", "url", ROLE_KEY},
    {"", "name", ROLE_KEY},
    {"", "bucket", ROLE_BUCKET},
    {"", "Size", ROLE_SIZE},
    {"", "size", ROLE_SIZE},
    {"", "contentLength", ROLE_SIZE},
    {"properties", "contentLength", ROLE_SIZE},
    {"metadata", "size", ROLE_SIZE},
    {"", "LastModified", ROLE_TIME},
    {"", "ModTime", ROLE_TIME},
    {"", "lastModified", ROLE_TIME},
    {"", "last_modified", ROLE_TIME},
    {"", "mtime", ROLE_TIME},
    {"", "mtime_ms", ROLE_TIME},
    {"", "updated", ROLE_TIME},
    {"properties", "lastModified", ROLE_TIME},
    {"metadata", "updated", ROLE_TIME},
    {"", "VersionId", ROLE_VERSION},
    {"", "versionId", ROLE_VERSION},
    {"", "version_id", ROLE_VERSION},
    {"", "generation", ROLE_VERSION},
    {"metadata", "generation", ROLE_VERSION},
    {"", "ETag", ROLE_ETAG},
    {"", "etag", ROLE_ETAG},
    {"", "e_tag", ROLE_ETAG},
    {"", "md5Hash", ROLE_ETAG},
    {"metadata", "md5Hash", ROLE_ETAG},
    {"", "IsLatest", ROLE_LATEST},
    {"", "isCurrentVersion", ROLE_LATEST},
    {"", "is_latest", ROLE_LATEST},
    {"", "IsDir", ROLE_DIRECTORY},
    {"", "isDirectory", ROLE_DIRECTORY},
    {"", "type", ROLE_TYPE},
    {"", "NextToken", ROLE_NEXT},
    {"", "NextContinuationToken", ROLE_NEXT},
    {"", "NextMarker", ROLE_NEXT},
    {"", "nextMarker", ROLE_NEXT},
    {"", "nextPageToken", ROLE_NEXT},
    {"", "IsTruncated", ROLE_TRUNCATED},
    {"", "Name", ROLE_PAGE_BUCKET},
    {"", "Prefix", ROLE_PAGE_PREFIX},
    {"", "EncodingType", ROLE_ENCODING},
    {"", "complete", ROLE_COMPLETE},
};

enum { NAME_BYTES = 32, VALUE_BYTES = 64 };

struct item {
    struct ice_buf key, bucket, version, etag;
    struct ice_listed object;
    bool is_directory, has_latest, is_latest;
    bool has_key;
};

struct reader {
    struct ice_listing *listing;
    struct ice_json json;
    struct item item;
    ice_listed_fn each;
    void *user;
    struct ice_error *err;
    struct ice_buf decoded;
};

static enum role role_of(struct ice_str outer, struct ice_str name) {
    for (size_t i = 0; i < ICE_COUNT_OF(members); i++) {
        if (ice_str_is(name, members[i].name) && ice_str_is(outer, members[i].outer))
            return members[i].role;
    }
    return ROLE_NONE;
}

static void begin_item(struct item *item, bool is_deleted) {
    ice_buf_clear(&item->key);
    ice_buf_clear(&item->bucket);
    ice_buf_clear(&item->version);
    ice_buf_clear(&item->etag);
    item->object = (struct ice_listed){.mtime_ms = INT64_MIN, .is_deleted = is_deleted};
    item->is_directory = item->has_latest = item->is_latest = item->has_key = false;
}

static enum ice_status keep(struct ice_buf *out, struct ice_str text) {
    ice_buf_clear(out);
    return ice_buf_append_str(out, text);
}

static enum ice_status keep_page(struct reader *r, struct ice_str text,
                                 struct ice_str *out) {
    if (ice_str_equal(*out, text))
        return ICE_OK;
    return ice_arena_dup(&r->listing->arena, text, out) ? ICE_OK : ICE_ENOMEM;
}

/* One member with a scalar value. */
static enum ice_status take(struct reader *r, enum role role,
                            const struct ice_json_event *value) {
    struct item *item = &r->item;
    bool is_true = value->kind == ICE_JSON_TRUE ||
                   (value->kind == ICE_JSON_STRING && ice_str_is(value->text, "true"));
    bool is_text = value->kind == ICE_JSON_STRING;
    bool is_value = is_text || value->kind == ICE_JSON_NUMBER;
    switch (role) {
    case ROLE_NONE:
        break;
    case ROLE_KEY:
        item->has_key = item->has_key || is_text;
        return is_text ? keep(&item->key, value->text) : ICE_OK;
    case ROLE_BUCKET:
        return is_text ? keep(&item->bucket, value->text) : ICE_OK;
    case ROLE_SIZE:
        item->object.has_size =
            is_value && ice_listing_size(value->text, &item->object.size);
        break;
    case ROLE_TIME:
        if (!is_value ||
            !ice_listing_time(r->listing, value->text, &item->object.mtime_ms))
            item->object.mtime_ms = INT64_MIN;
        break;
    case ROLE_VERSION:
        return is_value ? keep(&item->version, value->text) : ICE_OK;
    case ROLE_ETAG:
        return is_text ? keep(&item->etag, value->text) : ICE_OK;
    case ROLE_LATEST:
        item->has_latest = value->kind != ICE_JSON_NULL;
        item->is_latest = is_true;
        break;
    case ROLE_DIRECTORY:
        item->is_directory = is_true;
        break;
    case ROLE_TYPE:
        item->is_directory = is_text && (ice_str_is(value->text, "folder") ||
                                         ice_str_is(value->text, "directory") ||
                                         ice_str_is(value->text, "prefix"));
        break;
    case ROLE_NEXT:
        if (is_text && value->text.size > 0)
            r->listing->partial = "it ends with a token for the next page";
        break;
    case ROLE_TRUNCATED:
        if (is_true)
            r->listing->partial = "it says that it is truncated";
        break;
    case ROLE_PAGE_BUCKET:
        return is_text ? keep_page(r, value->text, &r->listing->bucket) : ICE_OK;
    case ROLE_PAGE_PREFIX:
        return is_text ? keep_page(r, value->text, &r->listing->prefix) : ICE_OK;
    case ROLE_ENCODING:
        r->listing->is_url_encoded = is_text && ice_str_is(value->text, "url");
        break;
    case ROLE_COMPLETE:
        if (value->kind == ICE_JSON_FALSE)
            r->listing->partial = "it says that it is not complete";
        break;
    }
    return ICE_OK;
}

/* ---- items ---- */

/* "gs://bucket/key" of bucket and name; "gs://bucket/key#123": generation 123. */
static enum ice_status finish_key(struct reader *r) {
    struct item *item = &r->item;
    enum ice_listing_format format = r->listing->format;
    struct ice_str key = ice_buf_str(&item->key);
    if (format == ICE_LISTING_S3_OBJECTS && r->listing->is_url_encoded) {
        /* EncodingType "url" of raw pages */
        ICE_TRY(ice_percent_decode(key, true, &r->decoded));
        key = ice_buf_str(&r->decoded);
    } else if (format == ICE_LISTING_GCS_JSON && item->bucket.size > 0) {
        ice_buf_clear(&r->decoded);
        ICE_TRY(ice_buf_append_str(&r->decoded, ICE_STR("gs://")));
        ICE_TRY(ice_buf_append_str(&r->decoded, ice_buf_str(&item->bucket)));
        ICE_TRY(ice_buf_append_char(&r->decoded, '/'));
        ICE_TRY(ice_buf_append_str(&r->decoded, key));
        key = ice_buf_str(&r->decoded);
    } else if (format == ICE_LISTING_GCLOUD_JSON) {
        size_t hash = ice_str_rfind(key, '#');
        int64_t generation;
        if (hash != SIZE_MAX &&
            ice_str_to_i64(ice_str_from_index(key, hash + 1), &generation))
            key = ice_str_first(key, hash);
    }
    item->object.key = key;
    item->object.version_id = ice_buf_str(&item->version);
    item->object.etag = ice_buf_str(&item->etag);
    item->object.is_old = item->has_latest && !item->is_latest;
    item->object.is_latest = item->is_latest;
    return ICE_OK;
}

static enum ice_status tell_item(struct reader *r) {
    if (r->item.is_directory || !r->item.has_key)
        return ICE_OK;
    ICE_TRY(finish_key(r));
    return ice_listing_tell(r->listing, &r->item.object, r->each, r->user);
}

/* Members of an inner object ("properties", "metadata"): one level, no deeper. */
static enum ice_status read_inner(struct reader *r, struct ice_str outer) {
    struct ice_json_event event;
    for (;;) {
        ICE_TRY(ice_json_next(&r->json, &event, r->err));
        if (event.kind == ICE_JSON_OBJECT_END)
            return ICE_OK;
        enum role role = role_of(outer, event.text);
        ICE_TRY(ice_json_next(&r->json, &event, r->err));
        if (event.kind == ICE_JSON_OBJECT || event.kind == ICE_JSON_ARRAY)
            ICE_TRY(ice_json_skip(&r->json, &event, r->err));
        else
            ICE_TRY(take(r, role, &event));
    }
}

/* The value of a member of an item. */
static enum ice_status read_value(struct reader *r, struct ice_str name,
                                  const struct ice_json_event *event) {
    if (event->kind == ICE_JSON_OBJECT &&
        (ice_str_is(name, "properties") || ice_str_is(name, "metadata")))
        return read_inner(r, name);
    if (event->kind == ICE_JSON_OBJECT || event->kind == ICE_JSON_ARRAY)
        return ice_json_skip(&r->json, event, r->err);
    return take(r, role_of(ICE_STR_NONE, name), event);
}

static struct ice_str short_name(struct ice_str text, char *buffer) {
    size_t size = text.size < NAME_BYTES ? text.size : 0;
    if (size > 0)
        memcpy(buffer, text.data, size);
    return (struct ice_str){buffer, size};
}

static enum ice_status read_item(struct reader *r, bool is_deleted) {
    struct ice_json_event event;
    char buffer[NAME_BYTES];
    begin_item(&r->item, is_deleted);
    for (;;) {
        ICE_TRY(ice_json_next(&r->json, &event, r->err));
        if (event.kind == ICE_JSON_OBJECT_END)
            return tell_item(r);
        struct ice_str name = short_name(event.text, buffer);
        ICE_TRY(ice_json_next(&r->json, &event, r->err));
        ICE_TRY(read_value(r, name, &event));
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

/* A page of objects, or one object on a line. */
static enum ice_status read_object(struct reader *r) {
    struct ice_json_event event;
    char buffer[NAME_BYTES];
    bool is_page = false;
    begin_item(&r->item, false);
    for (;;) {
        ICE_TRY(ice_json_next(&r->json, &event, r->err));
        if (event.kind == ICE_JSON_OBJECT_END)
            return is_page ? ICE_OK : tell_item(r);
        struct ice_str name = short_name(event.text, buffer);
        ICE_TRY(ice_json_next(&r->json, &event, r->err));
        if (event.kind == ICE_JSON_ARRAY && is_container(name)) {
            is_page = true;
            ICE_TRY(read_items(r, ice_str_is(name, "DeleteMarkers")));
        } else if (event.kind == ICE_JSON_ARRAY && ice_str_is(name, "covers")) {
            is_page = true;
            ICE_TRY(read_covers(r));
        } else if (event.kind == ICE_JSON_ARRAY &&
                   (ice_str_is(name, "CommonPrefixes") || ice_str_is(name, "prefixes"))) {
            ICE_TRY(read_prefixes(r));
        } else {
            ICE_TRY(read_value(r, name, &event));
        }
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
    struct ice_alloc *alloc = &listing->run->alloc;
    bool is_end = false;
    ice_buf_init(&r.item.key, alloc, SIZE_MAX);
    ice_buf_init(&r.item.bucket, alloc, SIZE_MAX);
    ice_buf_init(&r.item.version, alloc, SIZE_MAX);
    ice_buf_init(&r.item.etag, alloc, SIZE_MAX);
    ice_buf_init(&r.decoded, alloc, SIZE_MAX);
    enum ice_status status = skip_blanks(stream, &is_end, err);
    while (status == ICE_OK && !is_end) {
        status = read_document(&r, stream);
        if (status == ICE_OK)
            status = skip_blanks(stream, &is_end, err);
    }
    ice_buf_release(&r.item.key);
    ice_buf_release(&r.item.bucket);
    ice_buf_release(&r.item.version);
    ice_buf_release(&r.item.etag);
    ice_buf_release(&r.decoded);
    return status;
}
