/*
 * S3 Inventory: a manifest.json that names its files with their MD5, and CSV files
 * without a header whose columns the manifest tells. The files are looked for beside the
 * manifest and in the directory "data" beside it or beside its own, as Amazon lays them
 * out. One that is not there, or is another than the manifest says, makes the listing
 * partial: nothing of it is used.
 */
#include "base/error.h"
#include "base/md5.h"
#include "inputs/identify.h"
#include "inputs/listing_item.h"
#include "inputs/target.h"
#include "json/reader.h"

#include <stdio.h>

enum { COLUMNS = 64, FILES = 1000000, TEXT_BYTES = 4096 };

struct part {
    struct ice_str name; /* the last part of its key */
    struct ice_str md5;  /* hex; empty: not told */
};

/* What a manifest says. Texts live in the arena of the listing. */
struct inventory {
    struct ice_listing *listing;
    struct ice_str format, schema;
    struct part *parts;
    size_t n, capacity;
    enum ice_listing_role roles[COLUMNS];
    size_t n_roles;
};

/* ---- the manifest ---- */

static enum ice_status keep(struct inventory *inventory,
                            const struct ice_json_event *value, struct ice_str *out) {
    if (value->kind != ICE_JSON_STRING || value->text.size > TEXT_BYTES)
        return ICE_OK;
    return ice_arena_dup(&inventory->listing->arena, value->text, out) ? ICE_OK
                                                                       : ICE_ENOMEM;
}

static enum ice_status keep_name(struct inventory *inventory,
                                 const struct ice_json_event *value,
                                 struct ice_str *out) {
    struct ice_json_event name = *value;
    if (value->kind == ICE_JSON_STRING)
        name.text = ice_key_name(value->text);
    return keep(inventory, &name, out);
}

static enum ice_status read_part(struct inventory *inventory, struct ice_json *json,
                                 struct ice_error *err) {
    struct ice_json_event event;
    struct part part = {{NULL, 0}, {NULL, 0}};
    for (;;) {
        ICE_TRY(ice_json_next(json, &event, err));
        if (event.kind == ICE_JSON_OBJECT_END)
            break;
        bool is_key = ice_str_is(event.text, "key");
        bool is_md5 = ice_str_equal_nocase(event.text, ICE_STR("md5checksum"));
        ICE_TRY(ice_json_next(json, &event, err));
        if (is_key)
            ICE_TRY(keep_name(inventory, &event, &part.name));
        else if (is_md5)
            ICE_TRY(keep(inventory, &event, &part.md5));
        ICE_TRY(ice_json_skip(json, &event, err));
    }
    if (part.name.size == 0 || inventory->n >= FILES)
        return ICE_OK;
    if (!ice_array_reserve(&inventory->listing->run->alloc, &inventory->parts,
                           inventory->n, &inventory->capacity, sizeof(part)))
        return ice_error_memory(err);
    inventory->parts[inventory->n++] = part;
    return ICE_OK;
}

static enum ice_status read_parts(struct inventory *inventory, struct ice_json *json,
                                  struct ice_error *err) {
    struct ice_json_event event;
    for (;;) {
        ICE_TRY(ice_json_next(json, &event, err));
        if (event.kind == ICE_JSON_ARRAY_END)
            return ICE_OK;
        if (event.kind == ICE_JSON_OBJECT)
            ICE_TRY(read_part(inventory, json, err));
        else
            ICE_TRY(ice_json_skip(json, &event, err));
    }
}

static enum ice_status read_members(struct inventory *inventory, struct ice_json *json,
                                    struct ice_error *err) {
    struct ice_listing *listing = inventory->listing;
    struct ice_json_event event;
    for (;;) {
        ICE_TRY(ice_json_next(json, &event, err));
        if (event.kind == ICE_JSON_OBJECT_END)
            return ICE_OK;
        bool is_format = ice_str_is(event.text, "fileFormat");
        bool is_schema = ice_str_is(event.text, "fileSchema");
        bool is_time = ice_str_is(event.text, "creationTimestamp");
        bool is_files = ice_str_is(event.text, "files");
        ICE_TRY(ice_json_next(json, &event, err));
        if (is_files && event.kind == ICE_JSON_ARRAY) {
            ICE_TRY(read_parts(inventory, json, err));
            continue;
        }
        if (is_format)
            ICE_TRY(keep(inventory, &event, &inventory->format));
        else if (is_schema)
            ICE_TRY(keep(inventory, &event, &inventory->schema));
        else if (is_time &&
                 (event.kind == ICE_JSON_STRING || event.kind == ICE_JSON_NUMBER))
            (void)ice_listing_time(listing, event.text, &listing->taken_ms);
        ICE_TRY(ice_json_skip(json, &event, err));
    }
}

static enum ice_status read_manifest(struct inventory *inventory,
                                     struct ice_stream *stream, struct ice_error *err) {
    struct ice_json json = {0};
    struct ice_json_event event;
    ICE_TRY(ice_json_init(&json, stream, inventory->listing->run, NULL, NULL, err));
    enum ice_status status = ice_json_next(&json, &event, err);
    if (status == ICE_OK && event.kind == ICE_JSON_OBJECT)
        status = read_members(inventory, &json, err);
    ice_json_release(&json);
    return status;
}

/* "Bucket, Key, VersionId, IsLatest, IsDeleteMarker, Size, LastModifiedDate" */
static bool read_schema(struct inventory *inventory) {
    struct ice_str rest = inventory->schema;
    bool has_key = false;
    while (rest.size > 0 && inventory->n_roles < COLUMNS) {
        size_t comma = ice_str_find(rest, ',');
        struct ice_str name = ice_str_first(rest, comma);
        rest = comma == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(rest, comma + 1);
        while (name.size > 0 && name.data[0] == ' ')
            name = ice_str_from_index(name, 1);
        enum ice_listing_role role = ice_listing_role_of(name);
        inventory->roles[inventory->n_roles++] = role;
        has_key = has_key || role == ICE_ROLE_KEY;
    }
    return has_key;
}

static enum ice_status refuse_format(const struct inventory *inventory,
                                     struct ice_error *err) {
    const char *why = "its manifest names no format of its files (fileFormat) that is "
                      "read: CSV";
    if (ice_str_is(inventory->format, "Parquet"))
        why = "the inventory is Parquet: turn it into CSV first, duckdb -csv -c \"select "
              "* from read_parquet('data/*.parquet')\" > inventory.csv";
    else if (ice_str_is(inventory->format, "ORC"))
        why = "the inventory is ORC: turn it into CSV first, python3 -c \"import glob, "
              "pyarrow as a, pyarrow.orc as o, pyarrow.csv as c; "
              "c.write_csv(a.concat_tables(o.read_table(f) for f in "
              "glob.glob('data/*.orc')), 'inventory.csv')\"";
    return ice_error_set(err, ICE_EARG, "source.unknown", ICE_NO_OFFSET, "%s", why);
}

/* ---- its files ---- */

static enum ice_status md5_of(struct ice_source *source, struct ice_str key,
                              struct ice_run *run, unsigned char out[ICE_MD5_BYTES],
                              struct ice_error *err) {
    struct ice_stream stream = {0};
    struct ice_md5 md5;
    struct ice_str bytes;
    ICE_TRY(ice_source_open_endless(source, key, run, &stream, NULL, err));
    ice_md5_init(&md5);
    enum ice_status status = ice_stream_peek(&stream, 1, &bytes, err);
    while (status == ICE_OK && bytes.size > 0) {
        ice_md5_add(&md5, bytes);
        ice_stream_consume(&stream, bytes.size);
        status = ice_stream_peek(&stream, 1, &bytes, err);
    }
    ice_stream_release(&stream);
    ice_md5_finish(&md5, out);
    return status;
}

/* Where a part may lie, from the manifest's directory on. */
static const char *const places[] = {"", "data/"};

static enum ice_status find_part(struct ice_source *source, struct ice_run *run,
                                 struct ice_str name, struct ice_buf *key) {
    for (size_t i = 0; i < ICE_COUNT_OF(places); i++) {
        struct ice_file_info info;
        ice_buf_clear(key);
        ICE_TRY(ice_buf_append_str(key, ice_str_from(places[i])));
        ICE_TRY(ice_buf_append_str(key, name));
        enum ice_status status =
            ice_source_stat(source, ice_buf_str(key), run, &info, NULL);
        if (status == ICE_OK || status == ICE_ENOMEM)
            return status;
    }
    return ICE_ENOENT;
}

static enum ice_status read_rows(struct inventory *inventory, struct ice_source *source,
                                 struct ice_str key, ice_listed_fn each, void *user,
                                 struct ice_error *err) {
    struct ice_listing *listing = inventory->listing;
    struct ice_stream stream = {0};
    ICE_TRY(ice_open_endless(source, key, listing->run, &stream, err));
    enum ice_status status = ice_listing_read_rows(listing, &stream, inventory->roles,
                                                   inventory->n_roles, each, user, err);
    ice_stream_release(&stream);
    return status;
}

/* One part of the inventory, in one of the sources; *out_why: why it was not used. */
static enum ice_status read_file(struct inventory *inventory,
                                 struct ice_source *const *sources, size_t n_sources,
                                 const struct part *part, ice_listed_fn each, void *user,
                                 const char **out_why, struct ice_error *err) {
    struct ice_run *run = inventory->listing->run;
    const bool was_open = inventory->listing->is_open;
    unsigned char digest[ICE_MD5_BYTES];
    struct ice_source *source = NULL;
    struct ice_buf key;
    enum ice_status status = ICE_ENOENT;
    *out_why = NULL;
    ice_buf_init(&key, &run->alloc, SIZE_MAX);
    for (size_t i = 0; i < n_sources && status == ICE_ENOENT; i++) {
        source = sources[i];
        status = find_part(source, run, part->name, &key);
    }
    if (status == ICE_OK && part->md5.size > 0) {
        status = md5_of(source, ice_buf_str(&key), run, digest, err);
        if (status == ICE_OK && !ice_md5_is(digest, part->md5))
            *out_why = "a file of the inventory is not the one that its manifest names: "
                       "its MD5 differs";
    }
    if (status == ICE_OK && *out_why == NULL)
        status = read_rows(inventory, source, ice_buf_str(&key), each, user, err);
    if (part->md5.size > 0) /* an open last row, too, is as it was written */
        inventory->listing->is_open = was_open;
    if (status == ICE_ENOENT) {
        *out_why =
            "a file of the inventory is not beside its manifest.json, nor in data/";
        status = ICE_OK;
    }
    ice_buf_release(&key);
    return status == ICE_ENOMEM ? ice_error_memory(err) : status;
}

static enum ice_status read_files(struct inventory *inventory, ice_listed_fn each,
                                  void *user, struct ice_error *err) {
    struct ice_listing *listing = inventory->listing;
    struct ice_source *sources[2] = {listing->source, NULL};
    struct ice_source *outer = NULL;
    size_t n_sources = listing->source != NULL;
    struct ice_str above;
    enum ice_status status = ICE_OK;
    if (!ice_arena_dup(&listing->arena, ice_key_parent(listing->directory), &above))
        return ice_error_memory(err);
    if (above.size > 0) {
        status = ice_source_open_dir(&outer, above.data, &listing->run->alloc.base, NULL);
        if (status == ICE_ENOMEM)
            return ice_error_memory(err);
        if (status == ICE_OK)
            sources[n_sources++] = outer;
        status = ICE_OK;
    }
    for (size_t i = 0; i < inventory->n && status == ICE_OK; i++) {
        const char *why;
        status = read_file(inventory, sources, n_sources, &inventory->parts[i], each,
                           user, &why, err);
        if (why != NULL)
            listing->partial = why;
    }
    ice_source_free(outer);
    return status;
}

enum ice_status ice_listing_read_inventory(struct ice_listing *listing,
                                           struct ice_stream *stream, ice_listed_fn each,
                                           void *user, struct ice_error *err) {
    struct inventory inventory = {.listing = listing};
    bool is_utc = listing->has_utc_times, is_encoded = listing->is_url_encoded;
    listing->has_utc_times = listing->is_url_encoded = true;
    enum ice_status status = read_manifest(&inventory, stream, err);
    if (status == ICE_OK && !ice_str_is(inventory.format, "CSV"))
        status = refuse_format(&inventory, err);
    else if (status == ICE_OK && !read_schema(&inventory))
        listing->partial = "its manifest tells no column of keys (fileSchema)";
    else if (status == ICE_OK)
        status = read_files(&inventory, each, user, err);
    listing->has_utc_times = is_utc;
    listing->is_url_encoded = is_encoded;
    ice_array_free(&listing->run->alloc, &inventory.parts, &inventory.capacity,
                   sizeof(*inventory.parts));
    return status;
}
