/*
 * Settings in the text of scripts.
 */
#include "conf/setup.h"

enum ice_status ice_conf_facts_text(struct ice_conf *conf, struct ice_conf_input *input) {
    (void)conf;
    (void)input;
    return ICE_OK;
}
