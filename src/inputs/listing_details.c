/*
 * Some lines an object: its URL and a colon, then indented lines of "Name: value", as
 * gcloud storage ls -L and gsutil ls -L print.
 *
 *   gs://bucket/key#123:
 *     Creation Time:               2022-05-06T07:08:09Z
 *     Content-Length:              1234
 */
#include "inputs/listing_item.h"
#include "base/error.h"
#include "inputs/listing_lines.h"

#include "source/mapping.h"

static const struct {
    const char *name;
    enum ice_listing_role role;
} names[] = {
    {"Creation Time", ICE_ROLE_CREATED}, {"Update Time", ICE_ROLE_TIME},
    {"Content-Length", ICE_ROLE_SIZE},   {"Generation", ICE_ROLE_VERSION},
    {"Hash (MD5)", ICE_ROLE_ETAG},       {"Noncurrent Time", ICE_ROLE_GONE},
    {"Soft Delete Time", ICE_ROLE_SOFT}, {"Soft Deleted Time", ICE_ROLE_SOFT},
};

static struct ice_str strip(struct ice_str text) {
    while (text.size > 0 && text.data[0] == ' ')
        text = ice_str_from_index(text, 1);
    while (text.size > 0 && text.data[text.size - 1] == ' ')
        text.size--;
    return text;
}

/* "gs://bucket/key:", not indented */
static bool is_header(struct ice_str line) {
    return ice_uri_scheme(line) > 0 && line.data[line.size - 1] == ':';
}

bool ice_listing_is_details(struct ice_str first) {
    bool is_inside = false;
    while (first.size > 0) {
        size_t at = ice_str_find(first, '\n');
        struct ice_str line = ice_trim_line(ice_str_first(first, at), true);
        first = at == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(first, at + 1);
        struct ice_str value = strip(line);
        if (is_inside && line.size > value.size && value.size > 14 &&
            ice_str_equal_nocase(ice_str_first(value, 14), ICE_STR("Creation Time:")))
            return true;
        if (line.size == 0)
            continue;
        if (!is_header(line))
            return false;
        is_inside = true;
    }
    return false;
}

/* An indented line; deeper ones, of metadata and access lists, name nothing of ours. */
static enum ice_status take_line(struct ice_listing *listing,
                                 struct ice_listing_item *item, struct ice_str line) {
    struct ice_str text = strip(line);
    size_t colon = ice_str_find(text, ':');
    struct ice_str name = ice_str_first(text, colon);
    struct ice_str value =
        colon == SIZE_MAX ? ICE_STR_NONE : strip(ice_str_from_index(text, colon + 1));
    size_t depth = 0;
    while (depth < line.size && line.data[depth] == ' ')
        depth++;
    for (size_t i = 0; i < ICE_COUNT_OF(names) && depth <= 4 && value.size > 0; i++) {
        if (ice_str_equal_nocase(name, ice_str_from(names[i].name)))
            return ice_listing_item_take(listing, item, names[i].role, value, true);
    }
    return ICE_OK;
}

static enum ice_status read_line(struct ice_listing *listing,
                                 struct ice_listing_item *item, struct ice_str line,
                                 ice_listed_fn each, void *user) {
    if (line.data[0] == ' ' || line.data[0] == '\t')
        return take_line(listing, item, line);
    ICE_TRY(ice_listing_item_tell(listing, item, each, user));
    ice_listing_item_begin(item);
    if (is_header(line))
        return ice_listing_item_take(listing, item, ICE_ROLE_URL,
                                     ice_str_first(line, line.size - 1), true);
    listing->n_bad += !ice_str_starts(line, ICE_STR("TOTAL: "));
    return ICE_OK;
}

enum ice_status ice_listing_read_details(struct ice_listing *listing,
                                         struct ice_stream *stream, ice_listed_fn each,
                                         void *user, struct ice_error *err) {
    struct ice_lines lines;
    struct ice_listing_item item;
    struct ice_str line;
    ice_listing_item_init(&item, &listing->run->alloc);
    enum ice_status status = ice_lines_init(&lines, stream, err);
    while (status == ICE_OK) {
        status = ice_lines_next(&lines, &line, err);
        if (status == ICE_OK && line.size > 0)
            status = read_line(listing, &item, line, each, user);
    }
    if (status == ICE_DONE)
        status = ice_listing_item_tell(listing, &item, each, user);
    if (lines.is_open)
        listing->is_open = true;
    ice_lines_release(&lines);
    ice_listing_item_release(&item);
    return status;
}
