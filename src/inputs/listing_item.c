/*
 * Objects of listings: names to meanings, values to an object.
 */
#include "inputs/listing_item.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/percent.h"

enum { NAME_BYTES = 32 };

#define NAME(text, role)                                                                 \
    { (text), sizeof(text) - 1, (role) }

static const struct {
    const char *name; /* lower case, without '_' and '-' */
    size_t size;
    enum ice_listing_role role;
} names[] = {
    NAME("key", ICE_ROLE_KEY),
    NAME("size", ICE_ROLE_SIZE),
    NAME("lastmodified", ICE_ROLE_TIME),
    NAME("path", ICE_ROLE_KEY),
    NAME("uri", ICE_ROLE_KEY),
    NAME("name", ICE_ROLE_KEY),
    NAME("file", ICE_ROLE_KEY),
    NAME("filepath", ICE_ROLE_KEY),
    NAME("url", ICE_ROLE_URL),
    NAME("bucket", ICE_ROLE_BUCKET),
    NAME("sizebytes", ICE_ROLE_SIZE),
    NAME("length", ICE_ROLE_SIZE),
    NAME("contentlength", ICE_ROLE_SIZE),
    NAME("lastmodifieddate", ICE_ROLE_TIME),
    NAME("modtime", ICE_ROLE_TIME),
    NAME("mtime", ICE_ROLE_TIME),
    NAME("mtimems", ICE_ROLE_TIME),
    NAME("updated", ICE_ROLE_TIME),
    NAME("timecreated", ICE_ROLE_CREATED),
    NAME("timedeleted", ICE_ROLE_GONE),
    NAME("softdeletetime", ICE_ROLE_SOFT),
    NAME("versionid", ICE_ROLE_VERSION),
    NAME("generation", ICE_ROLE_VERSION),
    NAME("etag", ICE_ROLE_ETAG),
    NAME("md5hash", ICE_ROLE_ETAG),
    NAME("islatest", ICE_ROLE_LATEST),
    NAME("iscurrentversion", ICE_ROLE_LATEST),
    NAME("isdeletemarker", ICE_ROLE_MARKER),
    NAME("deleted", ICE_ROLE_DELETED),
    NAME("snapshot", ICE_ROLE_SNAPSHOT),
    NAME("isdir", ICE_ROLE_DIRECTORY),
    NAME("isdirectory", ICE_ROLE_DIRECTORY),
    NAME("type", ICE_ROLE_TYPE),
    NAME("recordtype", ICE_ROLE_RECORD),
    NAME("recordtimestamp", ICE_ROLE_RECORD_TIME),
    NAME("requester", ICE_ROLE_REQUESTER),
    NAME("sourceipaddress", ICE_ROLE_ADDRESS),
};

enum ice_listing_role ice_listing_role_of(struct ice_str name) {
    char plain[NAME_BYTES];
    size_t n = 0;
    if (name.size > NAME_BYTES || ice_str_is(name, "Name")) /* rclone: the base name */
        return ICE_ROLE_NONE;
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        if (c != '_' && c != '-')
            plain[n++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    for (size_t i = 0; i < ICE_COUNT_OF(names); i++) {
        if (names[i].size == n && memcmp(names[i].name, plain, n) == 0)
            return names[i].role;
    }
    return ICE_ROLE_NONE;
}

/* ---- life ---- */

void ice_listing_item_init(struct ice_listing_item *item, struct ice_alloc *alloc) {
    *item = (struct ice_listing_item){0};
    ice_buf_init(&item->key, alloc, SIZE_MAX);
    ice_buf_init(&item->bucket, alloc, SIZE_MAX);
    ice_buf_init(&item->version, alloc, SIZE_MAX);
    ice_buf_init(&item->etag, alloc, SIZE_MAX);
    ice_buf_init(&item->by, alloc, SIZE_MAX);
    ice_buf_init(&item->whole, alloc, SIZE_MAX);
    ice_listing_item_begin(item);
}

void ice_listing_item_release(struct ice_listing_item *item) {
    ice_buf_release(&item->key);
    ice_buf_release(&item->bucket);
    ice_buf_release(&item->version);
    ice_buf_release(&item->etag);
    ice_buf_release(&item->by);
    ice_buf_release(&item->whole);
}

void ice_listing_item_begin(struct ice_listing_item *item) {
    ice_buf_clear(&item->key);
    ice_buf_clear(&item->bucket);
    ice_buf_clear(&item->version);
    ice_buf_clear(&item->etag);
    ice_buf_clear(&item->by);
    item->object = (struct ice_listed){.mtime_ms = INT64_MIN};
    item->has_key = item->has_url = item->has_latest = item->is_latest = false;
    item->has_created = item->is_directory = item->is_gone = item->is_copy = false;
    item->is_noncurrent = false;
    item->is_record = item->is_create = false;
}

/* ---- values ---- */

static enum ice_status keep(struct ice_buf *out, struct ice_str text) {
    ice_buf_clear(out);
    return ice_buf_append_str(out, text);
}

static enum ice_status keep_by(struct ice_listing_item *item, struct ice_str text) {
    if (text.size == 0)
        return ICE_OK;
    if (item->by.size > 0)
        ICE_TRY(ice_buf_append_str(&item->by, ICE_STR(" from ")));
    return ice_buf_append_str(&item->by, text);
}

static void take_time(struct ice_listing *listing, struct ice_listing_item *item,
                      enum ice_listing_role role, struct ice_str value) {
    int64_t ms;
    if (!ice_listing_time(listing, value, &ms)) {
        if (role == ICE_ROLE_TIME && !item->has_created)
            item->object.mtime_ms = INT64_MIN;
        return;
    }
    if (role == ICE_ROLE_TIME && item->has_created)
        return;
    item->has_created = item->has_created || role != ICE_ROLE_TIME;
    item->object.mtime_ms = ms;
}

static void take_type(struct ice_listing_item *item, struct ice_str value) {
    item->is_directory = ice_str_is(value, "folder") || ice_str_is(value, "directory") ||
                         ice_str_is(value, "prefix");
}

enum ice_status ice_listing_item_take(struct ice_listing *listing,
                                      struct ice_listing_item *item,
                                      enum ice_listing_role role, struct ice_str value,
                                      bool is_text) {
    bool is_true = ice_str_equal_nocase(value, ICE_STR("true"));
    switch (role) {
    case ICE_ROLE_NONE:
        break;
    case ICE_ROLE_KEY:
        item->has_key = item->has_key || is_text;
        return is_text ? keep(&item->key, value) : ICE_OK;
    case ICE_ROLE_URL:
        if (!is_text || item->has_key)
            return ICE_OK;
        item->has_url = true;
        return keep(&item->key, value);
    case ICE_ROLE_BUCKET:
        return is_text ? keep(&item->bucket, value) : ICE_OK;
    case ICE_ROLE_SIZE:
        item->object.has_size = ice_listing_size(value, &item->object.size);
        break;
    case ICE_ROLE_TIME:
    case ICE_ROLE_CREATED:
    case ICE_ROLE_RECORD_TIME:
        take_time(listing, item, role, value);
        break;
    case ICE_ROLE_GONE:
        item->is_noncurrent = item->is_noncurrent || value.size > 0;
        break;
    case ICE_ROLE_SOFT:
        item->is_gone = item->is_gone || value.size > 0;
        break;
    case ICE_ROLE_VERSION:
        return keep(&item->version, value);
    case ICE_ROLE_ETAG:
        return is_text ? keep(&item->etag, value) : ICE_OK;
    case ICE_ROLE_LATEST:
        item->has_latest = value.size > 0;
        item->is_latest = is_true;
        break;
    case ICE_ROLE_MARKER:
        item->object.is_deleted = is_true;
        break;
    case ICE_ROLE_DELETED:
        item->is_gone = item->is_gone || is_true;
        break;
    case ICE_ROLE_SNAPSHOT:
        item->is_copy = is_text && value.size > 0;
        break;
    case ICE_ROLE_DIRECTORY:
        item->is_directory = is_true;
        break;
    case ICE_ROLE_TYPE:
        if (is_text)
            take_type(item, value);
        break;
    case ICE_ROLE_RECORD:
        item->is_record = true;
        item->is_create = !ice_str_is(value, "DELETE");
        break;
    case ICE_ROLE_REQUESTER:
    case ICE_ROLE_ADDRESS:
        return is_text ? keep_by(item, value) : ICE_OK;
    }
    return ICE_OK;
}

/* ---- the object ---- */

/* "gs://bucket/key#123": generation 123 */
static enum ice_status split_generation(struct ice_listing_item *item) {
    struct ice_str key = ice_buf_str(&item->key);
    size_t hash = ice_str_rfind(key, '#');
    int64_t generation;
    if (hash == SIZE_MAX ||
        !ice_str_to_i64(ice_str_from_index(key, hash + 1), &generation))
        return ICE_OK;
    if (item->version.size == 0)
        ICE_TRY(keep(&item->version, ice_str_from_index(key, hash + 1)));
    item->key.size = hash;
    return ICE_OK;
}

/* A tool may have decoded keys and left the word of it there: what encoding would have
 * replaced tells. */
static bool is_encoded(const struct ice_listing *listing, struct ice_str key) {
    if (!listing->is_url_encoded)
        return false;
    for (size_t i = 0; i < key.size; i++) {
        unsigned char c = (unsigned char)key.data[i];
        if (c <= ' ' || c == '=' || c == ':' || c == ',' || c >= 0x7f)
            return false;
    }
    return true;
}

/* Whole, decoded, with its bucket in front where that is told. */
static enum ice_status finish_key(const struct ice_listing *listing,
                                  struct ice_listing_item *item) {
    struct ice_buf *whole = &item->whole;
    if (listing->format == ICE_LISTING_GCLOUD_JSON ||
        listing->format == ICE_LISTING_GCLOUD_DETAILS)
        ICE_TRY(split_generation(item));
    struct ice_str key = ice_buf_str(&item->key);
    if (is_encoded(listing, key)) {
        ICE_TRY(ice_percent_decode(key, true, whole));
        ICE_TRY(keep(&item->key, ice_buf_str(whole)));
        key = ice_buf_str(&item->key);
    }
    item->object.key = key;
    if (item->bucket.size == 0 || item->has_url || ice_uri_scheme(key) > 0)
        return ICE_OK;
    bool is_gcs = listing->format == ICE_LISTING_GCS_JSON;
    ICE_TRY(keep(whole, is_gcs ? ICE_STR("gs://") : ICE_STR("s3://")));
    ICE_TRY(ice_buf_append_str(whole, ice_buf_str(&item->bucket)));
    ICE_TRY(ice_buf_append_char(whole, '/'));
    ICE_TRY(ice_buf_append_str(whole, key));
    item->object.key = ice_buf_str(whole);
    return ICE_OK;
}

/* Versions of which none is called the latest: whether the last one is there is open. */
static void see_version(struct ice_listing *listing, struct ice_listing_item *item) {
    uint64_t hash = ice_hash64(item->object.key, listing->run->hash_seed);
    if (item->object.is_deleted || hash == item->last_key)
        listing->partial =
            "it lists versions, and does not say which is the latest: list without them";
    item->last_key = hash;
}

static void finish_version(struct ice_listing *listing, struct ice_listing_item *item) {
    struct ice_listed *object = &item->object;
    enum ice_listing_format format = listing->format;
    if (format == ICE_LISTING_GCS_JSON || format == ICE_LISTING_GCLOUD_JSON ||
        format == ICE_LISTING_GCLOUD_DETAILS) {
        item->has_latest = true;
        item->is_latest = !item->is_gone && !item->is_noncurrent;
    } else if (format == ICE_LISTING_AZ_BLOB) {
        item->has_latest = true;
        item->is_latest = !item->is_gone && !item->is_copy &&
                          (item->is_latest || item->version.size == 0);
    }
    object->version_id = ice_buf_str(&item->version);
    object->etag = ice_buf_str(&item->etag);
    object->by = ice_buf_str(&item->by);
    object->is_gone = item->is_gone;
    object->is_old = item->has_latest && !item->is_latest;
    object->is_latest = item->has_latest && item->is_latest;
    if (!item->has_latest && !item->is_record &&
        (item->version.size > 0 || object->is_deleted))
        see_version(listing, item);
}

enum ice_status ice_listing_item_tell(struct ice_listing *listing,
                                      struct ice_listing_item *item, ice_listed_fn each,
                                      void *user) {
    if (item->is_directory || (!item->has_key && !item->has_url))
        return ICE_OK;
    ICE_TRY(finish_key(listing, item));
    finish_version(listing, item);
    if (item->is_record) { /* what was done to it says little about what is there */
        listing->is_journal = item->object.is_record = true;
        item->object.is_old = item->is_create;
        item->object.is_deleted = !item->is_create;
    }
    return ice_listing_tell(listing, &item->object, each, user);
}
