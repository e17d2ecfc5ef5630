/*
 * Rules of the group conf.jar.
 */
#include "conf/conf.h"

void ice_conf_rules_jar(struct ice_conf *conf) {
    (void)conf;
}
