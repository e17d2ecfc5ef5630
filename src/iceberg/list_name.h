/*
 * Names of manifest lists, packed. Nearly every writer names a list
 *   snap-<snapshot id>-<attempt>-<uuid>.avro
 * and a table may keep a million of them: 17 bytes or so instead of 69.
 */
#ifndef ICE_ICEBERG_LIST_NAME_H
#define ICE_ICEBERG_LIST_NAME_H

#include "base/buf.h"

struct ice_list_name {
    uint64_t attempt;
    unsigned char uuid[16];
};

/* Does name have that form, letter for letter, with this id? Then it is *out. */
bool ice_list_name_pack(struct ice_str name, int64_t snapshot_id,
                        struct ice_list_name *out);
/* Append the name. */
enum ice_status ice_list_name_unpack(const struct ice_list_name *name,
                                     int64_t snapshot_id, struct ice_buf *out);

#endif
