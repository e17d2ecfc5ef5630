/*
 * Rules of the group conf.rest.
 */
#include "conf/conf.h"

void ice_conf_rules_rest(struct ice_conf *conf) {
    (void)conf;
}
