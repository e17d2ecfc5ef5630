/*
 * Rules of the group conf.databricks.
 */
#include "conf/conf.h"

void ice_conf_rules_databricks(struct ice_conf *conf) {
    (void)conf;
}
