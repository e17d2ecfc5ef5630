/*
 * Amazon resource names: arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE.
 */
#ifndef ICE_CONF_ARN_H
#define ICE_CONF_ARN_H

#include "base/str.h"

/*
 * Views into the text that was parsed. Region and account are empty where a service has
 * none in its names (s3). In a policy any part may hold '*' and '?'.
 */
struct ice_arn {
    struct ice_str partition, service, region, account, resource;
};

/*
 * Six parts, all of them there, with partition, service and resource not empty; the
 * resource may hold more colons. false otherwise, and *out is then all-zero.
 */
bool ice_arn_parse(struct ice_str text, struct ice_arn *out);

/* Twelve digits. */
bool ice_arn_is_account(struct ice_str text);

/* Name of the table bucket in arn:…:s3tables:…:bucket/NAME, also if /table/… follows;
 * empty for any other ARN. */
struct ice_str ice_arn_table_bucket(const struct ice_arn *arn);

#endif
