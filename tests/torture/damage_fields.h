/*
 * Which fields of a table two states of a file disagree about. Names are those of the
 * Iceberg spec: "manifest.data_file.lower_bounds",
 * "metadata.snapshots.summary.operation".
 */
#ifndef ICE_TEST_DAMAGE_FIELDS_H
#define ICE_TEST_DAMAGE_FIELDS_H

#include "icefsck.h"

#include <jansson.h>

/* All that a reader gets from a file: the document that `dump` prints, parsed. NULL if
 * there is none. *out_leaked counts bytes not given back. */
json_t *damage_model(struct ice_str bytes, uint64_t *out_leaked);

/* Call note for every field that differs; one may come several times. kind: "metadata",
 * "list", "manifest" or "hint". */
typedef void (*damage_note_fn)(const char *field, void *user);
void damage_compare(const char *kind, const json_t *whole, const json_t *damaged,
                    damage_note_fn note, void *user);

#endif
