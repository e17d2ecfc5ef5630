/*
 * The catalog cache, read from its settings.
 */
#include "conf/cache_settings.h"

#include "base/compiler.h"
#include "base/near.h"

static const char *const known_keys[] = {
    "cache-enabled",
    "cache.expiration-interval-ms",
    "cache.case-sensitive",
};
/* Keys of other caches, not to be taken for misspelt ones. */
static const char *const other_keys[] = {
    "io.manifest.cache-enabled",
    "io.manifest.cache.expiration-interval-ms",
    "io.manifest.cache.max-total-bytes",
    "io.manifest.cache.max-content-length",
    "client.pool.cache.eviction-interval-ms",
    "rest-metrics-reporting-enabled",
    "scan-planning-cache-enabled",
};

/* Java's Long.parseLong: digits behind one sign, no blanks. */
static bool parse_long(struct ice_str text, int64_t *out) {
    if (text.size > 1 && text.data[0] == '+' && text.data[1] != '-')
        text = ice_str_from_index(text, 1);
    return ice_str_to_i64(text, out);
}

struct ice_cache ice_cache_of(const struct ice_cache_settings *settings) {
    struct ice_cache cache = {.interval_ms = ICE_CACHE_DEFAULT_MS};
    bool has_enabled = settings->enabled.data != NULL;
    bool has_interval = settings->interval.data != NULL;
    bool is_on = !has_enabled || ice_str_equal_nocase(settings->enabled, ICE_STR("true"));
    cache.is_enabled_odd = has_enabled && !is_on &&
                           !ice_str_equal_nocase(settings->enabled, ICE_STR("false"));
    if (has_interval)
        cache.is_interval_odd = !parse_long(settings->interval, &cache.interval_ms);
    if (cache.is_interval_odd) {
        cache.kind = ICE_CACHE_REFUSED;
        return cache;
    }
    cache.is_on_without_use =
        has_enabled && is_on && has_interval && cache.interval_ms == 0;
    cache.is_interval_ignored = !is_on && has_interval && cache.interval_ms != 0;
    if (!is_on || (cache.interval_ms == 0 && !settings->is_before_expiry))
        cache.kind = ICE_CACHE_OFF;
    else if (cache.interval_ms < 0 || settings->is_before_expiry)
        cache.kind = ICE_CACHE_FOREVER;
    else
        cache.kind = ICE_CACHE_IDLE;
    return cache;
}

int64_t ice_cache_most_behind(const struct ice_cache *cache, int64_t every_ms) {
    switch (cache->kind) {
    case ICE_CACHE_OFF:
    case ICE_CACHE_REFUSED:
        return 0;
    case ICE_CACHE_FOREVER:
        return INT64_MAX;
    case ICE_CACHE_IDLE:
        break;
    }
    bool is_kept = every_ms > 0 && every_ms <= cache->interval_ms;
    return is_kept ? INT64_MAX : cache->interval_ms;
}

const char *ice_cache_key_meant(struct ice_str key) {
    for (size_t i = 0; i < ICE_COUNT_OF(known_keys); i++) {
        if (ice_str_is(key, known_keys[i]))
            return NULL;
    }
    for (size_t i = 0; i < ICE_COUNT_OF(other_keys); i++) {
        if (ice_str_is(key, other_keys[i]))
            return NULL;
    }
    for (size_t i = 0; i < ICE_COUNT_OF(known_keys); i++) {
        struct ice_str known = ice_str_from(known_keys[i]);
        if (ice_words_alike(key, known, true) || ice_edit_distance(key, known) <= 2)
            return known_keys[i];
    }
    /* the unit, or the word in front of it, forgotten */
    if (ice_words_alike(key, ICE_STR("cache.expiration-interval"), true) ||
        ice_words_alike(key, ICE_STR("cache.expiration-ms"), true) ||
        ice_words_alike(key, ICE_STR("cache.expiration"), true) ||
        ice_words_alike(key, ICE_STR("expiration-interval-ms"), true))
        return "cache.expiration-interval-ms";
    if (ice_words_alike(key, ICE_STR("cache"), true) ||
        ice_words_alike(key, ICE_STR("caching-enabled"), true) ||
        ice_words_alike(key, ICE_STR("enable-cache"), true))
        return "cache-enabled";
    return NULL;
}
