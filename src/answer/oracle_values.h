/*
 * Members and values of the canonical dump (iceberg-live-files/1): null where a value is
 * not there, floats by their bits, decimals as text, binary in hex.
 */
#ifndef ICE_ANSWER_ORACLE_VALUES_H
#define ICE_ANSWER_ORACLE_VALUES_H

#include "answer/cells.h"

void ice_key_i64(struct ice_json_writer *w, const char *key, bool has, int64_t value);
void ice_key_str(struct ice_json_writer *w, const char *key, bool has,
                 struct ice_str value);
void ice_key_hex(struct ice_json_writer *w, const char *key, bool has,
                 struct ice_str value);
void ice_key_map(struct ice_json_writer *w, const char *key, bool has,
                 const struct ice_map_i64 *map);
void ice_key_hex_map(struct ice_json_writer *w, const char *key, bool has,
                     const struct ice_map_bytes *map);
void ice_key_list(struct ice_json_writer *w, const char *key, bool has,
                  const struct ice_list_i64 *list);

/* A partition value by the writer's schema alone: a reader of the dump need not know the
 * types of the table. */
void ice_oracle_datum(struct ice_json_writer *w, const struct ice_avro_schema *node,
                      const struct ice_datum *datum);

#endif
