/*
 * The parts of an Amazon resource name.
 */
#include "conf/arn.h"

/* Cut what stands in front of the next colon off rest; false if there is none. */
static bool next_part(struct ice_str *rest, struct ice_str *out) {
    size_t colon = ice_str_find(*rest, ':');
    if (colon == SIZE_MAX)
        return false;
    *out = ice_str_first(*rest, colon);
    *rest = ice_str_from_index(*rest, colon + 1);
    return true;
}

bool ice_arn_parse(struct ice_str text, struct ice_arn *out) {
    struct ice_arn arn = {0};
    struct ice_str word;
    *out = arn;
    if (!next_part(&text, &word) || !ice_str_is(word, "arn") ||
        !next_part(&text, &arn.partition) || !next_part(&text, &arn.service) ||
        !next_part(&text, &arn.region) || !next_part(&text, &arn.account))
        return false;
    if (arn.partition.size == 0 || arn.service.size == 0 || text.size == 0)
        return false;
    arn.resource = text;
    *out = arn;
    return true;
}

bool ice_arn_is_account(struct ice_str text) {
    enum { DIGITS = 12 };
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    }
    return text.size == DIGITS;
}

struct ice_str ice_arn_table_bucket(const struct ice_arn *arn) {
    const struct ice_str kind = ICE_STR("bucket/");
    if (!ice_str_is(arn->service, "s3tables") || !ice_str_starts(arn->resource, kind))
        return ICE_STR_NONE;
    struct ice_str name = ice_str_from_index(arn->resource, kind.size);
    size_t slash = ice_str_find(name, '/');
    return ice_str_first(name, slash);
}
