/*
 * Names of metadata files, and keys. Pure.
 */
#include "inputs/target.h"

/* "<stem>.metadata.json" and its compressed forms: the stem, without ".gz" or ".zst" in
 * it. */
static bool split_name(struct ice_str name, struct ice_str *out_stem, bool *out_is_gzip) {
    static const struct {
        const char *suffix;
        bool is_gzip;
    } forms[] = {
        {".gz.metadata.json", true},   {".zst.metadata.json", false},
        {".metadata.json", false},     {".metadata.json.gz", true},
        {".metadata.json.zst", false},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(forms); i++) {
        struct ice_str suffix = ice_str_from(forms[i].suffix);
        if (name.size > suffix.size && ice_str_ends(name, suffix)) {
            *out_stem = ice_str_first(name, name.size - suffix.size);
            *out_is_gzip = forms[i].is_gzip;
            return true;
        }
    }
    return false;
}

bool ice_is_metadata_name(struct ice_str name, bool *out_is_gzip) {
    struct ice_str stem;
    bool is_gzip = false;
    bool is_one =
        name.size > 0 && name.data[0] != '.' && split_name(name, &stem, &is_gzip);
    if (out_is_gzip != NULL)
        *out_is_gzip = is_one && is_gzip;
    return is_one;
}

bool ice_is_hint_of(struct ice_str name, struct ice_str text) {
    return text.size > 0 && ice_str_starts(name, text) &&
           (name.size == text.size || name.data[text.size] == '.');
}

bool ice_is_uuid_name(struct ice_str name) {
    struct ice_str stem;
    bool is_gzip;
    return split_name(name, &stem, &is_gzip) && ice_str_is_uuid(stem);
}

int64_t ice_metadata_name_version(struct ice_str name, bool *out_is_hadoop) {
    struct ice_str stem;
    bool is_gzip;
    *out_is_hadoop = false;
    if (!split_name(name, &stem, &is_gzip) || ice_str_is_uuid(stem))
        return -1;
    bool has_v = stem.data[0] == 'v';
    if (has_v)
        stem = ice_str_from_index(stem, 1);
    size_t dash = ice_str_find(stem, '-');
    if (dash == SIZE_MAX && !has_v)
        return -1;
    struct ice_str digits = ice_str_first(stem, dash);
    int64_t version;
    if (digits.size == 0 || digits.data[0] < '0' || digits.data[0] > '9' ||
        !ice_str_to_i64(digits, &version))
        return -1;
    /* Java looks for "v3", never for "v03" */
    *out_is_hadoop = dash == SIZE_MAX && (digits.size == 1 || digits.data[0] != '0');
    return version;
}

struct ice_str ice_key_parent(struct ice_str key) {
    size_t slash = ice_str_rfind(key, '/');
    return slash == SIZE_MAX ? ICE_STR_NONE : ice_str_first(key, slash);
}

struct ice_str ice_key_name(struct ice_str key) {
    size_t slash = ice_str_rfind(key, '/');
    return slash == SIZE_MAX ? key : ice_str_from_index(key, slash + 1);
}

enum ice_status ice_key_join(struct ice_arena *arena, struct ice_str directory,
                             struct ice_str name, struct ice_str *out) {
    if (directory.size == 0)
        return ice_arena_dup(arena, name, out) ? ICE_OK : ICE_ENOMEM;
    char *text = ice_arena_array(arena, directory.size + 1 + name.size, 1);
    if (text == NULL)
        return ICE_ENOMEM;
    memcpy(text, directory.data, directory.size);
    text[directory.size] = '/';
    if (name.size > 0)
        memcpy(text + directory.size + 1, name.data, name.size);
    *out = ice_str_make(text, directory.size + 1 + name.size);
    return ICE_OK;
}
