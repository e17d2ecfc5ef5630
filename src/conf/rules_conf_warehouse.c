/*
 * Rules of the group conf.warehouse.
 */
#include "conf/conf.h"

void ice_conf_rules_warehouse(struct ice_conf *conf) {
    (void)conf;
}
