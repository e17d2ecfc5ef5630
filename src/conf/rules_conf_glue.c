/*
 * Rules of the group conf.glue.
 */
#include "conf/conf.h"

void ice_conf_rules_glue(struct ice_conf *conf) {
    (void)conf;
}
