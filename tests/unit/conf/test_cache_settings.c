/*
 * The catalog cache: what its settings mean, and how far behind a reader can be.
 */
#include "support/cmocka_all.h"

#include "conf/cache_settings.h"

static struct ice_cache cache_of(const char *enabled, const char *interval) {
    struct ice_cache_settings settings = {ice_str_from(enabled), ice_str_from(interval),
                                          false};
    return ice_cache_of(&settings);
}

static void kinds(void **state) {
    (void)state;
    static const struct {
        const char *enabled, *interval;
        enum ice_cache_kind kind;
    } cases[] = {
        {NULL, NULL, ICE_CACHE_IDLE},
        {"true", NULL, ICE_CACHE_IDLE},
        {"TRUE", "1", ICE_CACHE_IDLE},
        {"false", NULL, ICE_CACHE_OFF},
        {"yes", NULL, ICE_CACHE_OFF},
        {"", NULL, ICE_CACHE_OFF},
        {" true", NULL, ICE_CACHE_OFF},
        {NULL, "0", ICE_CACHE_OFF},
        {"true", "0", ICE_CACHE_OFF},
        {NULL, "-1", ICE_CACHE_FOREVER},
        {"false", "-1", ICE_CACHE_OFF},
        {NULL, "30s", ICE_CACHE_REFUSED},
        {NULL, "30000L", ICE_CACHE_REFUSED},
        {NULL, "", ICE_CACHE_REFUSED},
        {NULL, " 1", ICE_CACHE_REFUSED},
        {NULL, "+5", ICE_CACHE_IDLE},
        {NULL, "+-5", ICE_CACHE_REFUSED},
        {NULL, "9223372036854775807", ICE_CACHE_IDLE},
        {NULL, "9223372036854775808", ICE_CACHE_REFUSED},
        {NULL, "-9223372036854775808", ICE_CACHE_FOREVER},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ice_cache cache = cache_of(cases[i].enabled, cases[i].interval);
        if (cache.kind != cases[i].kind)
            fail_msg("'%s' '%s': %d", cases[i].enabled ? cases[i].enabled : "-",
                     cases[i].interval ? cases[i].interval : "-", (int)cache.kind);
    }
    assert_int_equal(cache_of(NULL, NULL).interval_ms, 30000);
    assert_int_equal(cache_of(NULL, "5").interval_ms, 5);
}

static void what_is_odd(void **state) {
    (void)state;
    assert_true(cache_of("yes", NULL).is_enabled_odd);
    assert_false(cache_of("False", NULL).is_enabled_odd);
    assert_false(cache_of(NULL, NULL).is_enabled_odd);
    assert_true(cache_of(NULL, "30s").is_interval_odd);
    assert_true(cache_of("true", "0").is_on_without_use);
    assert_false(cache_of(NULL, "0").is_on_without_use);
    assert_false(cache_of("true", "1").is_on_without_use);
    assert_true(cache_of("false", "30000").is_interval_ignored);
    assert_false(cache_of("false", "0").is_interval_ignored);
    assert_false(cache_of("false", NULL).is_interval_ignored);
}

static void before_expiry_nothing_expires(void **state) {
    (void)state;
    struct ice_cache_settings old = {ICE_STR_NONE, ICE_STR_NONE, true};
    assert_int_equal(ice_cache_of(&old).kind, ICE_CACHE_FOREVER);
    old.interval = ICE_STR("0");
    assert_int_equal(ice_cache_of(&old).kind, ICE_CACHE_FOREVER);
    old.enabled = ICE_STR("false");
    assert_int_equal(ice_cache_of(&old).kind, ICE_CACHE_OFF);
}

static void most_behind(void **state) {
    (void)state;
    struct ice_cache cache = cache_of(NULL, "60000");
    assert_int_equal(ice_cache_most_behind(&cache, 0), 60000);
    assert_int_equal(ice_cache_most_behind(&cache, 60001), 60000);
    assert_int_equal(ice_cache_most_behind(&cache, 60000), INT64_MAX);
    assert_int_equal(ice_cache_most_behind(&cache, 1), INT64_MAX);
    cache = cache_of("false", NULL);
    assert_int_equal(ice_cache_most_behind(&cache, 1), 0);
    cache = cache_of(NULL, "-1");
    assert_int_equal(ice_cache_most_behind(&cache, 0), INT64_MAX);
    cache = cache_of(NULL, "x");
    assert_int_equal(ice_cache_most_behind(&cache, 0), 0);
}

static void misspelt_keys(void **state) {
    (void)state;
    static const struct {
        const char *key, *meant;
    } cases[] = {
        {"cache-enabled", NULL},
        {"cache.expiration-interval-ms", NULL},
        {"io.manifest.cache-enabled", NULL},
        {"catalog-impl", NULL},
        {"warehouse", NULL},
        {"", NULL},
        {"cache.enabled", "cache-enabled"},
        {"cache_enabled", "cache-enabled"},
        {"cacheEnabled", "cache-enabled"},
        {"cache-enable", "cache-enabled"},
        {"cache-expiration-interval-ms", "cache.expiration-interval-ms"},
        {"cache.expiration.interval.ms", "cache.expiration-interval-ms"},
        {"cache.expiration-interval", "cache.expiration-interval-ms"},
        {"cache.expiry-interval-ms", NULL},
        {"cache", "cache-enabled"},
        {"caching-enabled", "cache-enabled"},
        {"table.cache-ttl", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *meant = ice_cache_key_meant(ice_str_from(cases[i].key));
        if ((meant == NULL) != (cases[i].meant == NULL) ||
            (meant != NULL && strcmp(meant, cases[i].meant) != 0))
            fail_msg("%s: %s", cases[i].key, meant ? meant : "right");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),         cmocka_unit_test(what_is_odd),
        cmocka_unit_test(most_behind),   cmocka_unit_test(before_expiry_nothing_expires),
        cmocka_unit_test(misspelt_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
