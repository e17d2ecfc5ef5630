/*
 * metadata.file.*: the name of the metadata file against its content.
 */
#include "check/pass1.h"

static bool is_digits(struct ice_str text) {
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    }
    return text.size > 0;
}

/* v<N> or <N>-<uuid>, its metadata suffix taken off */
static bool is_usual(struct ice_str name, struct ice_str stem) {
    if (stem.size > 1 && stem.data[0] == 'v' && is_digits(ice_str_from_index(stem, 1)))
        return true;
    size_t dash = ice_str_find(stem, '-');
    return dash != SIZE_MAX && is_digits(ice_str_first(stem, dash)) &&
           ice_is_uuid_name(ice_str_from_index(name, dash + 1));
}

static struct ice_str stem_of(struct ice_str name) {
    static const char *const suffixes[] = {".gz.metadata.json", ".metadata.json.gz",
                                           ".metadata.json.zst", ".metadata.json"};
    for (size_t i = 0; i < ICE_COUNT_OF(suffixes); i++) {
        struct ice_str suffix = ice_str_from(suffixes[i]);
        if (ice_str_ends(name, suffix))
            return ice_str_first(name, name.size - suffix.size);
    }
    return name;
}

static bool contains(struct ice_str text, struct ice_str part) {
    for (size_t i = 0; part.size <= text.size && i <= text.size - part.size; i++) {
        if (ice_str_starts(ice_str_from_index(text, i), part))
            return true;
    }
    return false;
}

/* Java looks for the suffix anywhere in the name. */
static void check_form(struct ice_pass1 *p, struct ice_str name) {
    enum ice_severity severity = ICE_INFO;
    if (!contains(name, ICE_STR(".metadata.json")))
        severity = ICE_WARN;
    else if (is_usual(name, stem_of(name)))
        return;
    FOUND_AS(p->emit, ICE_RULE_METADATA_FILE_NAME_UNPARSEABLE, severity, ice_at(p, ""),
             arg_str("name", name));
}

void ice_rules_file_name(struct ice_pass1 *p, enum ice_magic magic) {
    if (p->ck->target->is_stdin)
        return;
    struct ice_str name = ice_key_name(p->ck->metadata_key);
    bool is_legacy = ice_str_ends(name, ICE_STR(".metadata.json.gz"));
    bool says_gzip = is_legacy || ice_str_ends(name, ICE_STR(".gz.metadata.json")) ||
                     ice_str_ends(name, ICE_STR(".gz"));
    bool is_gzip = magic == ICE_MAGIC_GZIP;
    if (says_gzip != is_gzip && magic != ICE_MAGIC_ZSTD)
        FOUND(p->emit, ICE_RULE_METADATA_FILE_GZIP_NAME_MISMATCH, ice_at(p, ""),
              arg_text("content", is_gzip ? "gzip" : "plain"),
              arg_text("named", says_gzip ? "gzip" : "plain"));
    if (is_legacy)
        FOUND(p->emit, ICE_RULE_METADATA_FILE_GZIP_LEGACY_SUFFIX, ice_at(p, ""),
              ARG_NONE);
    check_form(p, name);
}
