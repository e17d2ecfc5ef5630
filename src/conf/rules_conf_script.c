/*
 * Rules of the group conf.script.
 */
#include "conf/conf.h"

void ice_conf_rules_script(struct ice_conf *conf) {
    (void)conf;
}
