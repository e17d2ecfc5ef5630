/*
 * Rules of the group conf.cache.
 */
#include "conf/conf.h"

void ice_conf_rules_cache(struct ice_conf *conf) {
    (void)conf;
}
