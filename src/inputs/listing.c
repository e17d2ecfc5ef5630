/*
 * Listings: opening, recognising, and which reader reads them.
 */
#include "inputs/listing.h"
#include "inputs/text_cells.h"

#include "base/error.h"
#include "inputs/identify.h"
#include "inputs/stdin.h"
#include "inputs/target.h"

#include <limits.h>
#include <stdlib.h>

enum { PEEK_BYTES = 64 * 1024 };

struct form {
    const char *name;
    enum ice_key_scope scope;
    const char *what;
};

static const struct form forms[] = {
#define ICE_LISTING(token, name, scope, what) {name, scope, what},
#include "inputs/listings.def"
#undef ICE_LISTING
};

enum ice_key_scope ice_listing_scope(enum ice_listing_format format) {
    return format < ICE_LISTING_COUNT ? forms[format].scope : ICE_KEY_RELATIVE;
}

const char *ice_listing_name(enum ice_listing_format format) {
    return format < ICE_LISTING_COUNT ? forms[format].name : "unknown";
}

const char *ice_listing_what(enum ice_listing_format format) {
    return format < ICE_LISTING_COUNT ? forms[format].what : "unknown";
}

/* ---- recognising ---- */

enum ice_listing_format ice_listing_detect(struct ice_run *run, struct ice_str first) {
    struct ice_str text = ice_text_start(first);
    if (text.size == 0)
        return ICE_LISTING_PATHS; /* of nothing: an empty listing of any form */
    /* "[2024-01-02 03:04:05 UTC]": no JSON */
    bool is_date = text.size > 5 && text.data[0] == '[' && text.data[5] == '-';
    if (text.data[0] == '{' || (text.data[0] == '[' && !is_date))
        return ice_listing_detect_json(run, text);
    bool is_journal;
    if (ice_listing_is_table(text, &is_journal))
        return is_journal ? ICE_LISTING_S3_JOURNAL : ICE_LISTING_TABLE;
    return ice_listing_detect_text(first); /* blanks in front are part of a line */
}

static enum ice_status refuse(struct ice_error *err, const char *path, const char *what) {
    char shown[128];
    return ice_error_set(err, ICE_EARG, "source.unknown", ICE_NO_OFFSET,
                         "--listing %s %s",
                         ice_escape(shown, sizeof(shown), ice_str_from(path)), what);
}

static enum ice_status named_format(const char *name, enum ice_listing_format *out,
                                    struct ice_error *err) {
    for (int i = 0; i < ICE_LISTING_COUNT; i++) {
        if (strcmp(forms[i].name, name) == 0) {
            *out = (enum ice_listing_format)i;
            return ICE_OK;
        }
    }
    char shown[64];
    return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                         "there is no listing format '%s'",
                         ice_escape(shown, sizeof(shown), ice_str_from(name)));
}

/* What people take for listings, and why it is none; or NULL. */
static const char *no_text(struct ice_str first) {
    switch (ice_magic_of(first)) {
    case ICE_MAGIC_PARQUET:
    case ICE_MAGIC_ORC:
        return "is Parquet or ORC: turn it into CSV first, for instance with duckdb -csv "
               "-c \"select * from 'FILE'\"";
    case ICE_MAGIC_ZIP:
    case ICE_MAGIC_TAR:
        return "is an archive: unpack it first";
    case ICE_MAGIC_AVRO:
    case ICE_MAGIC_PUFFIN:
    case ICE_MAGIC_SQLITE:
    case ICE_MAGIC_PNG:
    case ICE_MAGIC_AGS1:
        return "is no listing";
    case ICE_MAGIC_UTF16:
        return "is UTF-16 text, as PowerShell writes with >: write it as UTF-8 "
               "(Out-File -Encoding utf8)";
    case ICE_MAGIC_GZIP:
    case ICE_MAGIC_ZSTD:
    case ICE_MAGIC_NONE:
        break;
    }
    return NULL;
}

/* Text of tools that cannot be read reliably, with the way out. */
static const char *no_form(struct ice_str first) {
    struct ice_str text = ice_text_start(first);
    struct ice_str line = ice_str_first(text, ice_str_find(text, '\n'));
    struct ice_str next =
        ice_str_from_index(text, line.size < text.size ? line.size + 1 : line.size);
    if (ice_str_starts(line, ICE_STR("CONTENTS\t")) ||
        ice_str_starts(line, ICE_STR("VERSIONS\t")) ||
        ice_str_starts(line, ICE_STR("Contents:")) ||
        ice_str_starts(line, ICE_STR("Versions:")) ||
        ice_str_starts(line, ICE_STR("-----")))
        return "is what the AWS CLI prints as text, yaml or table: use --output json";
    if (ice_str_starts(line, ICE_STR("total ")) ||
        ice_str_starts(next, ICE_STR("total ")))
        return "is what ls -l prints, which cannot be read back: use "
               "find -type f -printf '%s\\t%T@\\t%p\\n'";
    return NULL;
}

static enum ice_status recognise(struct ice_listing *listing, const char *path,
                                 const char *format, struct ice_error *err) {
    struct ice_stream stream = {0};
    struct ice_str first;
    const uint64_t refused = ice_alloc_refusals(&listing->run->alloc);
    enum ice_status status =
        ice_open_endless(listing->source, listing->key, listing->run, &stream, err);
    if (status < 0)
        return status;
    status = ice_stream_peek_first(&stream, PEEK_BYTES, &first, err);
    const char *why = status == ICE_OK ? no_text(first) : NULL;
    if (status == ICE_OK && why == NULL && format == NULL)
        why = no_form(first);
    if (why != NULL)
        status = refuse(err, path, why);
    if (status == ICE_OK && format != NULL)
        status = named_format(format, &listing->format, err);
    else if (status == ICE_OK)
        listing->format = ice_listing_detect(listing->run, first);
    if (status == ICE_OK && ice_alloc_refusals(&listing->run->alloc) != refused)
        status = ice_error_memory(err);
    ice_stream_release(&stream);
    if (status == ICE_OK && listing->format == ICE_LISTING_COUNT)
        status =
            refuse(err, path, "is no listing that is known; --listing-format names one");
    return status;
}

/* ---- opening ---- */

/* Where an inventory looks for its files; standard input has no such place. */
static enum ice_status keep_directory(struct ice_listing *listing, const char *path,
                                      struct ice_error *err) {
    char absolute[PATH_MAX];
    if (strcmp(path, "-") == 0 || realpath(path, absolute) == NULL)
        return ICE_OK;
    struct ice_str directory = ice_key_parent(ice_str_from(absolute));
    return ice_arena_dup(&listing->arena, directory, &listing->directory)
               ? ICE_OK
               : ice_error_memory(err);
}

enum ice_status ice_listing_open(struct ice_listing *listing, struct ice_run *run,
                                 const char *path, const char *format,
                                 const struct ice_listing_options *options,
                                 struct ice_error *err) {
    *listing = (struct ice_listing){.run = run, .options = *options};
    ice_arena_init(&listing->arena, &run->alloc);
    enum ice_status status = ice_source_open_argument(&listing->source, &listing->key,
                                                      &listing->arena, run, path, err);
    if (status == ICE_OK)
        status = keep_directory(listing, path, err);
    if (status == ICE_OK)
        status = recognise(listing, path, format, err);
    ice_error_set_file(err, ice_str_from(path));
    return status;
}

void ice_listing_release(struct ice_listing *listing) {
    if (listing->run == NULL)
        return;
    ice_source_free(listing->source);
    ice_array_free(&listing->run->alloc, &listing->covers, &listing->cap_covers,
                   sizeof(*listing->covers));
    ice_arena_release(&listing->arena);
    *listing = (struct ice_listing){0};
}

/* ---- reading ---- */

enum ice_status ice_listing_tell(struct ice_listing *listing,
                                 const struct ice_listed *object, ice_listed_fn each,
                                 void *user) {
    if (object->key.size == 0) {
        listing->n_bad++;
        return ICE_OK;
    }
    if (!object->is_old && !object->is_deleted)
        listing->n_objects++;
    return each(object, user);
}

/* Query results come as CSV or as JSON; their times are of UTC. */
static enum ice_status read_journal(struct ice_listing *listing,
                                    struct ice_stream *stream, ice_listed_fn each,
                                    void *user, struct ice_error *err) {
    struct ice_str first;
    ICE_TRY(ice_stream_peek_first(stream, PEEK_BYTES, &first, err));
    struct ice_str text = ice_text_start(first);
    bool is_json = text.size > 0 && (text.data[0] == '{' || text.data[0] == '[');
    listing->has_utc_times = true;
    return is_json ? ice_listing_read_json(listing, stream, each, user, err)
                   : ice_listing_read_table(listing, stream, each, user, err);
}

static enum ice_status read_form(struct ice_listing *listing, struct ice_stream *stream,
                                 ice_listed_fn each, void *user, struct ice_error *err) {
    switch (listing->format) {
    case ICE_LISTING_S3_OBJECTS:
    case ICE_LISTING_S3_VERSIONS:
    case ICE_LISTING_RCLONE_JSON:
    case ICE_LISTING_GCLOUD_JSON:
    case ICE_LISTING_GCS_JSON:
    case ICE_LISTING_AZ_BLOB:
    case ICE_LISTING_AZ_FS:
    case ICE_LISTING_JSON:
    case ICE_LISTING_OWN:
        return ice_listing_read_json(listing, stream, each, user, err);
    case ICE_LISTING_TABLE:
        return ice_listing_read_table(listing, stream, each, user, err);
    case ICE_LISTING_S3_JOURNAL:
        return read_journal(listing, stream, each, user, err);
    case ICE_LISTING_S3_INVENTORY:
        return ice_listing_read_inventory(listing, stream, each, user, err);
    case ICE_LISTING_GCLOUD_DETAILS:
        return ice_listing_read_details(listing, stream, each, user, err);
    case ICE_LISTING_S3_LS:
    case ICE_LISTING_S5CMD:
    case ICE_LISTING_MC:
    case ICE_LISTING_RCLONE_LSF:
    case ICE_LISTING_RCLONE_LSL:
    case ICE_LISTING_GSUTIL:
    case ICE_LISTING_HDFS:
    case ICE_LISTING_FIND:
    case ICE_LISTING_TSV:
    case ICE_LISTING_PATHS:
        return ice_listing_read_text(listing, stream, each, user, err);
    case ICE_LISTING_COUNT:
        break;
    }
    return ICE_OK;
}

/* Every tool ends its last line. A cut inside one leaves a key or a size that is wrong,
 * and what stood behind it looks lost. */
enum ice_status ice_listing_read_stream(struct ice_listing *listing,
                                        struct ice_stream *stream, ice_listed_fn each,
                                        void *user, struct ice_error *err) {
    listing->n_objects = listing->n_bad = 0;
    listing->taken_ms = INT64_MIN;
    listing->is_open = false;
    enum ice_status status = read_form(listing, stream, each, user, err);
    if (listing->is_open && listing->partial == NULL)
        listing->partial = "its last line has no end, so it may be cut off there";
    return status;
}

enum ice_status ice_listing_read(struct ice_listing *listing, ice_listed_fn each,
                                 void *user, struct ice_error *err) {
    struct ice_stream stream = {0};
    enum ice_status status =
        ice_open_endless(listing->source, listing->key, listing->run, &stream, err);
    if (status == ICE_OK)
        status = ice_listing_read_stream(listing, &stream, each, user, err);
    ice_stream_release(&stream);
    return status;
}
