/*
 * Is the catalog registered, and as what?
 */
#include "conf/conf.h"

static void check_definition(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    if (c->definition == NULL)
        CONF_FOUND(conf, ICE_RULE_CONF_CATALOG_NOT_DEFINED, ice_conf_at_pair(c->first),
                   arg_str("name", c->name), arg_i64("count", (int64_t)c->n_pairs));
}

void ice_conf_rules_catalog(struct ice_conf *conf) {
    for (size_t i = 0; i < conf->n_catalogs; i++)
        check_definition(conf, &conf->catalogs[i]);
}
