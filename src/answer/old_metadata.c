/*
 * Metadata files that the directory lacks, as listings remember them.
 */
#include "answer/old_metadata.h"

#include "base/error.h"
#include "check/fetch_command.h"

#include <string.h>

static struct ice_str without_slash(struct ice_str text) {
    while (text.size > 0 && text.data[text.size - 1] == '/')
        text.size--;
    return text;
}

enum ice_status ice_metadata_uri(const struct ice_table_reader *reader,
                                 struct ice_str name, struct ice_buf *out) {
    const struct ice_check *ck = &reader->check;
    const struct ice_metadata *m = &ck->metadata;
    struct ice_str folder;
    if (ck->pointer != NULL &&
        ice_str_equal(ice_uri_base_name(ck->pointer->metadata_location), name))
        return ice_buf_append_str(out, ck->pointer->metadata_location);
    for (size_t i = m->n_metadata_log; i > 0; i--) {
        const struct ice_metadata_log_entry *entry = &m->metadata_log[i - 1];
        if (entry->has_what && ice_str_equal(ice_uri_base_name(entry->file), name))
            return ice_buf_append_str(out, entry->file);
    }
    if (ice_metadata_property(m, "write.metadata.path", &folder)) {
        ICE_TRY(ice_buf_append_str(out, without_slash(folder)));
    } else {
        ICE_TRY(ice_buf_append_str(out, without_slash(m->location)));
        ICE_TRY(ice_buf_append_str(out, ICE_STR("/metadata")));
    }
    ICE_TRY(ice_buf_append_char(out, '/'));
    return ice_buf_append_str(out, name);
}

/* ---- listings ---- */

enum ice_status ice_old_metadata_open(struct ice_old_metadata *old,
                                      struct ice_table_reader *reader,
                                      struct ice_error *err) {
    const struct ice_options *options = reader->check.options;
    const struct ice_listing_options how = {.has_zone = options->has_listing_zone,
                                            .zone_minutes =
                                                options->listing_zone_minutes};
    old->reader = reader;
    ice_object_versions_init(&old->versions, &reader->run);
    for (size_t i = 0; i < options->n_listings; i++) {
        struct ice_error fault;
        ice_error_clear(&fault);
        if (strcmp(options->listings[i], "-") == 0)
            continue; /* it is read once, for what storage holds */
        enum ice_status status = ice_object_versions_read(
            &old->versions, options->listings[i], options->listing_format, &how, &fault);
        ICE_TRY(ice_error_pass_final(err, status, &fault));
        ice_error_set_file(&fault, ice_str_from(options->listings[i]));
        if (status < 0)
            ice_table_reader_tell(reader, &fault);
    }
    return ICE_OK;
}

void ice_old_metadata_release(struct ice_old_metadata *old) {
    ice_object_versions_release(&old->versions);
}

/* Is the key that of the URI? A listing may leave scheme and bucket out. */
static bool is_key_of(struct ice_str uri, struct ice_str key) {
    bool is_end = ice_str_ends(uri, key) && key.size > 0;
    size_t before = uri.size - key.size;
    return is_end && (before == 0 || key.data[0] == '/' || uri.data[before - 1] == '/');
}

static enum ice_status make_command(const struct ice_old_metadata *old,
                                    struct ice_str uri,
                                    const struct ice_object_version *version,
                                    bool is_gone, struct ice_buf *command) {
    struct ice_buf folded;
    ice_buf_init(&folded, &old->reader->run.alloc, SIZE_MAX);
    enum ice_status status = ice_uri_fold(uri, &folded);
    const struct ice_old_version wanted = {
        .uri = ice_buf_str(&folded), .id = version->version_id, .is_gone = is_gone};
    if (status >= 0)
        status = ice_fetch_command(&old->reader->run, &wanted, command);
    ice_buf_release(&folded);
    return status;
}

enum ice_status ice_old_metadata_find(const struct ice_old_metadata *old,
                                      struct ice_str name, enum ice_old_kind *out,
                                      struct ice_buf *command) {
    const struct ice_object_version *last = NULL;
    struct ice_buf uri;
    bool is_gone = false;
    *out = ICE_OLD_NONE;
    ice_buf_clear(command);
    ice_buf_init(&uri, &old->reader->run.alloc, SIZE_MAX);
    enum ice_status status = ice_metadata_uri(old->reader, name, &uri);
    for (size_t i = 0; i < old->versions.n && status >= 0; i++) {
        const struct ice_object_version *version = &old->versions.items[i];
        if (!is_key_of(ice_buf_str(&uri), version->key))
            continue;
        is_gone = version->is_deleted; /* sorted by time */
        last = version->is_deleted ? last : version;
    }
    if (last != NULL && !is_gone)
        *out = ICE_OLD_LISTED;
    else if (last != NULL && last->version_id.size > 0) {
        *out = ICE_OLD_GONE;
        status = make_command(old, ice_buf_str(&uri), last, is_gone, command);
    }
    ice_buf_release(&uri);
    return status;
}
