/*
 * The key/value header of a manifest (spec: #manifests). Internal to the manifest reader.
 */
#ifndef ICE_ICEBERG_MANIFEST_HEADER_H
#define ICE_ICEBERG_MANIFEST_HEADER_H

#include "iceberg/manifest.h"

/*
 * Fill the header... members from the open container. A value that cannot be read sets
 * its header_bad bit and is no failure; ICE_ENOMEM and ICE_ELIMIT are.
 */
enum ice_status ice_manifest_header_read(struct ice_manifest *manifest,
                                         struct ice_run *run,
                                         struct ice_error *err) ICE_MUST_USE;

#endif
