/*
 * Defaults of struct ice_limits. With ICE_FUZZ the limits are lower and nothing else
 * changes.
 */
#include "base/limits.h"

void ice_limits_complete(struct ice_limits *limits) {
#ifdef ICE_FUZZ
#define ICE_LIMIT(member, fallback, fuzz, rule, text)                                    \
    if (limits->member == 0)                                                             \
        limits->member = (fuzz);
#else
#define ICE_LIMIT(member, fallback, fuzz, rule, text)                                    \
    if (limits->member == 0)                                                             \
        limits->member = (fallback);
#endif
#include "base/limits.def"
#undef ICE_LIMIT
}

bool ice_limit_at(size_t index, const char **out_name, const char **out_what,
                  uint64_t *out_value) {
    struct ice_limits defaults = {0};
    ice_limits_complete(&defaults);
    const struct {
        const char *name, *what;
        uint64_t value;
    } table[] = {
#define ICE_LIMIT(member, fallback, fuzz, rule, text) {#member, text, defaults.member},
#include "base/limits.def"
#undef ICE_LIMIT
    };
    if (index >= sizeof(table) / sizeof(table[0]))
        return false;
    *out_name = table[index].name;
    *out_what = table[index].what;
    *out_value = table[index].value;
    return true;
}
