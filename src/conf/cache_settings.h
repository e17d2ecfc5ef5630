/*
 * What the table cache of a Spark catalog of Iceberg does with its settings, and how far
 * behind it lets a reader fall. Pure: texts and times in, words out.
 *
 * As in SparkCatalog, CachingCatalog and PropertyUtil since 0.13.0: caching is on unless
 * cache-enabled is anything but "true"; an entry lives 30 000 ms after its last use
 * unless cache.expiration-interval-ms says otherwise; 0 is no cache at all; below 0
 * entries never expire. Before 0.13.0 they never do.
 */
#ifndef ICE_CONF_CACHE_SETTINGS_H
#define ICE_CONF_CACHE_SETTINGS_H

#include "base/str.h"

enum { ICE_CACHE_DEFAULT_MS = 30000 };

enum ice_cache_kind {
    ICE_CACHE_OFF,
    ICE_CACHE_IDLE,    /* entries live interval_ms after their last use */
    ICE_CACHE_FOREVER, /* entries live as long as the session */
    ICE_CACHE_REFUSED, /* the interval is no number: the catalog does not load */
};

struct ice_cache_settings {
    /* values as written, data NULL: not set */
    struct ice_str enabled, interval;
    bool is_before_expiry; /* a runtime older than 0.13.0 */
};

struct ice_cache {
    enum ice_cache_kind kind;
    int64_t interval_ms;    /* of IDLE; else as written, or the default */
    bool is_enabled_odd;    /* cache-enabled is neither true nor false: taken for false */
    bool is_interval_odd;   /* the interval is no integer */
    bool is_on_without_use; /* cache-enabled=true, and interval 0 */
    bool is_interval_ignored; /* an interval, and cache-enabled=false */
};

struct ice_cache ice_cache_of(const struct ice_cache_settings *settings);

/*
 * How long after a commit a reader can go on reading the state before it, in ms: 0 not at
 * all, INT64_MAX as long as its session lives. every_ms: the reader uses the table so
 * often (its schedule), 0: not known. An entry that is used again before it expires is
 * kept.
 */
int64_t ice_cache_most_behind(const struct ice_cache *cache, int64_t every_ms);

/* The known cache key that a misspelt one stands for ("cache.enabled"), as it is written
 * behind "spark.sql.catalog.NAME."; NULL if it is right, or is about something else. */
const char *ice_cache_key_meant(struct ice_str key);

#endif
