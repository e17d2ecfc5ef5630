/*
 * Rules of the group conf.iam.
 */
#include "conf/conf.h"

void ice_conf_rules_iam(struct ice_conf *conf) {
    (void)conf;
}
