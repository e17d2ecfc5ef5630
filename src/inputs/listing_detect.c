/*
 * Which form of listing a JSON document is, from the names of its members.
 */
#include "inputs/listing.h"

#include "json/reader.h"

struct seen {
    const char *name;
    bool is_there;
};

enum {
    SEEN_CONTENTS,
    SEEN_VERSIONS,
    SEEN_MARKERS,
    SEEN_RCLONE,
    SEEN_ITEMS,
    SEEN_URL,
    SEEN_PROPERTIES,
    SEEN_CONTENT_LENGTH,
    SEEN_COVERS,
    SEEN_URI,
    SEEN_NAME,
    SEEN_KEY,
    SEEN_PATH,
    SEEN_SIZE,
    SEEN_REQUEST,
    SEEN_KEY_COUNT,
    SEEN_SCHEMA,
    SEEN_CHECKSUM,
    SEEN_RECORD,
    SEEN_COUNT
};

/* Names of members down to the items; what the peek cut off no longer counts. */
static void see_members(struct ice_run *run, struct ice_str first, struct seen *seen,
                        bool *out_any) {
    struct ice_stream stream;
    struct ice_json json = {0};
    struct ice_json_event event;
    ice_stream_init_memory(&stream, run, first);
    if (ice_json_init(&json, &stream, run, NULL, NULL, NULL) == ICE_OK) {
        while (ice_json_next(&json, &event, NULL) == ICE_OK &&
               ice_json_depth(&json) > 0) {
            if (event.kind != ICE_JSON_KEY || ice_json_depth(&json) > 3)
                continue;
            *out_any = true;
            for (size_t i = 0; i < SEEN_COUNT; i++)
                seen[i].is_there =
                    seen[i].is_there || ice_str_is(event.text, seen[i].name);
        }
    }
    ice_json_release(&json);
    ice_stream_release(&stream);
}

enum ice_listing_format ice_listing_detect_json(struct ice_run *run,
                                                struct ice_str first) {
    struct seen seen[SEEN_COUNT] = {
        [SEEN_CONTENTS] = {"Contents", false},
        [SEEN_VERSIONS] = {"Versions", false},
        [SEEN_MARKERS] = {"DeleteMarkers", false},
        [SEEN_RCLONE] = {"ModTime", false},
        [SEEN_ITEMS] = {"items", false},
        [SEEN_URL] = {"url", false},
        [SEEN_PROPERTIES] = {"properties", false},
        [SEEN_CONTENT_LENGTH] = {"contentLength", false},
        [SEEN_COVERS] = {"covers", false},
        [SEEN_URI] = {"uri", false},
        [SEEN_NAME] = {"name", false},
        [SEEN_KEY] = {"key", false},
        [SEEN_PATH] = {"path", false},
        [SEEN_SIZE] = {"size", false},
        [SEEN_REQUEST] = {"RequestCharged", false},
        [SEEN_KEY_COUNT] = {"KeyCount", false},
        [SEEN_SCHEMA] = {"fileSchema", false},
        [SEEN_CHECKSUM] = {"MD5checksum", false},
        [SEEN_RECORD] = {"record_type", false},
    };
    bool is_any = false;
    see_members(run, first, seen, &is_any);
    if (seen[SEEN_SCHEMA].is_there &&
        (seen[SEEN_CHECKSUM].is_there || seen[SEEN_KEY].is_there))
        return ICE_LISTING_S3_INVENTORY;
    if (seen[SEEN_RECORD].is_there && seen[SEEN_KEY].is_there)
        return ICE_LISTING_S3_JOURNAL;
    if (seen[SEEN_VERSIONS].is_there || seen[SEEN_MARKERS].is_there)
        return ICE_LISTING_S3_VERSIONS;
    if (seen[SEEN_CONTENTS].is_there || seen[SEEN_REQUEST].is_there ||
        seen[SEEN_KEY_COUNT].is_there || !is_any)
        return ICE_LISTING_S3_OBJECTS; /* nothing inside: no object of any form */
    if (seen[SEEN_RCLONE].is_there)
        return ICE_LISTING_RCLONE_JSON;
    if (seen[SEEN_COVERS].is_there ||
        (seen[SEEN_URI].is_there && seen[SEEN_SIZE].is_there))
        return ICE_LISTING_OWN;
    if (seen[SEEN_NAME].is_there && seen[SEEN_CONTENT_LENGTH].is_there)
        return seen[SEEN_PROPERTIES].is_there ? ICE_LISTING_AZ_BLOB : ICE_LISTING_AZ_FS;
    if (seen[SEEN_ITEMS].is_there && seen[SEEN_NAME].is_there)
        return ICE_LISTING_GCS_JSON;
    if (seen[SEEN_URL].is_there && seen[SEEN_SIZE].is_there && !seen[SEEN_KEY].is_there)
        return ICE_LISTING_GCLOUD_JSON;
    if ((seen[SEEN_KEY].is_there || seen[SEEN_PATH].is_there) && seen[SEEN_SIZE].is_there)
        return ICE_LISTING_JSON;
    return ICE_LISTING_COUNT;
}
