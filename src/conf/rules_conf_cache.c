/*
 * Rules on the table cache of a catalog: what it keeps, and how far behind a reader of it
 * can be.
 *
 * Reads: catalogs of judged sessions, --schedule, how long a cluster lives, whether a
 * script streams. Checks: group 35. The words that a setting means are in
 * cache_settings.c.
 */
#include "conf/cache_settings.h"
#include "conf/conf.h"

#include "base/time_text.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    LIMIT_MS = 300000,        /* where no --schedule is given */
    LONG_LIVED_MINUTES = 120, /* autotermination_minutes beyond which a cluster is */
};

/* One catalog with a cache that was understood. */
struct cached {
    struct ice_conf *conf;
    const struct ice_conf_catalog *catalog;
    const struct ice_conf_pair *enabled, *interval; /* NULL: not set */
    struct ice_cache cache;
    char duration[48]; /* of the interval */
};

static const char *duration(int64_t ms, char out[48]) {
    if (ms % 1000 == 0)
        return ice_duration_text(ms, out);
    (void)snprintf(out, 48, "%" PRId64 " ms", ms);
    return out;
}

/* Where the interval is set; else where cache-enabled is; else the catalog. */
static struct ice_conf_at place_of(const struct cached *c) {
    if (c->interval != NULL)
        return ice_conf_at_value(c->interval);
    if (c->enabled != NULL)
        return ice_conf_at_value(c->enabled);
    return ice_conf_at_catalog(c->catalog);
}

static const struct ice_conf_node *cluster_node(const struct ice_conf_session *session,
                                                const char *member) {
    const struct ice_conf_node *node = session->node;
    return session->kind == ICE_CONF_COMPUTE ? ice_conf_member(node, member) : NULL;
}

/* Minutes without use after which a cluster ends; -1: not known, 0: never. */
static int64_t ends_after(const struct ice_conf_session *session) {
    int64_t minutes;
    struct ice_str text =
        ice_conf_node_text(cluster_node(session, "autotermination_minutes"));
    return ice_str_to_i64(text, &minutes) ? minutes : -1;
}

static bool has_bytes(struct ice_str text, const char *word) {
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= text.size; i++) {
        if (memcmp(text.data + i, word, size) == 0)
            return true;
    }
    return false;
}

static bool streams(const struct ice_conf *conf, const struct ice_conf_session *session) {
    static const char *const words[] = {"readStream", "writeStream", "foreachBatch"};
    if (session->kind == ICE_CONF_JOB) {
        struct ice_str name =
            ice_conf_node_text(ice_conf_path(session->node, "Command.Name"));
        if (ice_str_is(name, "gluestreaming"))
            return true;
    }
    for (size_t i = 0; i < conf->n_inputs; i++) {
        const struct ice_conf_input *input = conf->inputs[i];
        if (input->kind != ICE_CONF_PYTHON && input->kind != ICE_CONF_NOTEBOOK)
            continue;
        for (size_t k = 0; k < ICE_COUNT_OF(words); k++) {
            if (has_bytes(input->bytes, words[k]))
                return true;
        }
    }
    return false;
}

/* What ends by itself when its work is done: its name in a message, or NULL. */
static const char *batch_of(const struct ice_conf_session *session) {
    const struct ice_conf_node *node = session->node;
    if (session->kind == ICE_CONF_JOB &&
        ice_str_is(ice_conf_node_text(ice_conf_path(node, "Command.Name")), "glueetl"))
        return "a Glue job";
    if (session->kind == ICE_CONF_COMPUTE && ice_str_is(node->key, "new_cluster"))
        return "a job cluster";
    return NULL;
}

/* ---- the rules ---- */

static void check_keys(struct ice_conf *conf, const struct ice_conf_catalog *catalog) {
    for (size_t i = 0; i < catalog->n_pairs; i++) {
        const struct ice_conf_pair *pair = catalog->pairs[i];
        struct ice_str property = ice_conf_property_of(catalog, pair);
        const char *meant = ice_cache_key_meant(property);
        if (meant != NULL)
            CONF_FOUND(conf, ICE_RULE_CONF_CACHE_KEY_NEAR_MISS, ice_conf_at_pair(pair),
                       arg_str("catalog", catalog->name), arg_str("property", property),
                       arg_text("meant", meant));
    }
}

static void check_values(const struct cached *c) {
    if (c->cache.is_interval_odd)
        CONF_FOUND(
            c->conf, ICE_RULE_CONF_CACHE_VALUE_INVALID, ice_conf_at_value(c->interval),
            arg_text("property", "cache.expiration-interval-ms"),
            arg_str("value", c->interval->value), arg_str("catalog", c->catalog->name),
            arg_text("outcome", "that is no whole number of milliseconds, and the "
                                "catalog does not load"));
    /* harmless for freshness, and perhaps what was meant: not an error */
    if (c->cache.is_enabled_odd)
        CONF_FOUND_AS(
            c->conf, ICE_RULE_CONF_CACHE_VALUE_INVALID, ICE_WARN,
            ice_conf_at_value(c->enabled), arg_text("property", "cache-enabled"),
            arg_str("value", c->enabled->value), arg_str("catalog", c->catalog->name),
            arg_text("outcome", "that counts as false"));
}

static void check_contradiction(const struct cached *c) {
    if (!c->cache.is_on_without_use && !c->cache.is_interval_ignored)
        return;
    CONF_FOUND(c->conf, ICE_RULE_CONF_CACHE_CONTRADICTION, place_of(c),
               arg_str("enabled", c->enabled->value),
               arg_str("interval", c->interval->value),
               arg_str("catalog", c->catalog->name),
               arg_text("outcome", c->cache.is_on_without_use
                                       ? "an interval of 0 means no cache"
                                       : "without a cache there is no interval"));
}

static void check_forever(const struct cached *c, bool is_batch) {
    bool is_old = c->cache.interval_ms >= 0;
    CONF_FOUND_AS(c->conf, ICE_RULE_CONF_CACHE_NEVER_EXPIRES,
                  is_batch ? ICE_WARN : ICE_DEFAULT, place_of(c),
                  arg_str("catalog", c->catalog->name),
                  arg_text("reason", is_old ? "Iceberg before 0.13.0 lets no entry expire"
                                            : "an interval below 0 means no expiry"));
}

/* An interval that outlasts the time between two runs, or five minutes. */
static bool check_schedule(const struct cached *c) {
    const struct ice_conf_request *request = c->conf->request;
    int64_t every = request->has_schedule ? request->schedule_ms : 0;
    int64_t limit = request->has_schedule ? every : LIMIT_MS + 1;
    if (c->cache.interval_ms < limit)
        return false;
    char against[96], text[48], behind[64] = "as far behind as its session is old";
    int64_t most = ice_cache_most_behind(&c->cache, every);
    if (most != INT64_MAX)
        (void)snprintf(behind, sizeof(behind), "%s behind", duration(most, text));
    (void)snprintf(against, sizeof(against), "%s%s",
                   request->has_schedule ? "and the schedule is " : "longer than ",
                   duration(request->has_schedule ? every : LIMIT_MS, text));
    CONF_FOUND(c->conf, ICE_RULE_CONF_CACHE_LONGER_THAN_SCHEDULE, place_of(c),
               arg_str("catalog", c->catalog->name), arg_text("interval", c->duration),
               arg_text("against", against), arg_text("behind", behind));
    return true;
}

static void check_idle(const struct cached *c) {
    char text[64] = "";
    const char *long_lived = NULL;
    int64_t minutes = ends_after(c->catalog->session);
    if (streams(c->conf, c->catalog->session)) {
        long_lived = ", and the job streams";
    } else if (minutes == 0) {
        long_lived = ", and the cluster never ends by itself";
    } else if (minutes > LONG_LIVED_MINUTES) {
        (void)snprintf(text, sizeof(text), ", and the cluster lives %" PRId64 " min idle",
                       minutes);
        long_lived = text;
    }
    CONF_FOUND_AS(c->conf, ICE_RULE_CONF_CACHE_IDLE_TIMEOUT,
                  long_lived != NULL ? ICE_WARN : ICE_DEFAULT, place_of(c),
                  arg_str("catalog", c->catalog->name), arg_text("interval", c->duration),
                  arg_text("long_lived", long_lived != NULL ? long_lived : ""));
}

static void check_cached(const struct cached *c) {
    const char *batch = batch_of(c->catalog->session);
    switch (c->cache.kind) {
    case ICE_CACHE_OFF:
    case ICE_CACHE_REFUSED:
        return;
    case ICE_CACHE_FOREVER:
        /* a batch run ends, and its cache with it */
        check_forever(c, batch != NULL);
        break;
    case ICE_CACHE_IDLE:
        /* the next run of a batch job is another session: it begins without entries */
        if (batch == NULL && !check_schedule(c))
            check_idle(c);
        break;
    }
    if (batch != NULL)
        CONF_FOUND(c->conf, ICE_RULE_CONF_CACHE_ON_FOR_BATCH, place_of(c),
                   arg_str("catalog", c->catalog->name), arg_text("what", batch));
}

static void check_catalog(struct ice_conf *conf, const struct ice_conf_catalog *catalog) {
    struct cached c = {.conf = conf, .catalog = catalog};
    check_keys(conf, catalog);
    c.enabled = ice_conf_catalog_get(catalog, "cache-enabled");
    c.interval = ice_conf_catalog_get(catalog, "cache.expiration-interval-ms");
    const struct ice_conf_pair *manifests =
        ice_conf_catalog_get(catalog, "io.manifest.cache-enabled");
    if (ice_conf_is_true(manifests))
        CONF_FOUND(conf, ICE_RULE_CONF_CACHE_MANIFEST_CACHE, ice_conf_at_pair(manifests),
                   arg_str("catalog", catalog->name));
    if ((c.enabled != NULL && c.enabled->is_hidden) ||
        (c.interval != NULL && c.interval->is_hidden))
        return;
    struct ice_cache_settings settings = {
        .enabled = c.enabled != NULL ? c.enabled->value : ICE_STR_NONE,
        .interval = c.interval != NULL ? c.interval->value : ICE_STR_NONE,
        .is_before_expiry = ice_conf_is_older(catalog->session, "0.13.0"),
    };
    /* an empty value is set, too */
    if (c.enabled != NULL && settings.enabled.data == NULL)
        settings.enabled = ICE_STR("");
    if (c.interval != NULL && settings.interval.data == NULL)
        settings.interval = ICE_STR("");
    c.cache = ice_cache_of(&settings);
    (void)duration(c.cache.interval_ms, c.duration);
    check_values(&c);
    check_contradiction(&c);
    check_cached(&c);
}

void ice_conf_rules_cache(struct ice_conf *conf) {
    ice_conf_check_reads(conf);
    for (size_t i = 0; i < conf->n_catalogs; i++) {
        const struct ice_conf_catalog *catalog = &conf->catalogs[i];
        if (catalog->is_iceberg)
            check_catalog(conf, catalog);
    }
}
