/*
 * The digest of one datum, of all its fields by its writer schema: what a second decoder
 * is compared by.
 */
#ifndef ICE_AVRO_DATUM_DIGEST_H
#define ICE_AVRO_DATUM_DIGEST_H

#include "avro/avro_walk.h"
#include "avro/container.h"

/* Reads one datum of the file; false on a fault, which the cursor then names. */
bool ice_datum_digest(struct ice_avro_file *file, struct ice_walk *walk,
                      struct ice_cursor *c, const struct ice_avro_schema *schema,
                      uint64_t *out);

#endif
