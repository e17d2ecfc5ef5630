/*
 * Which Arrow type a kind of value is, once for the C data interface and for IPC.
 *
 *   BOOL bool · I64 int64 · F64 float64 · STR utf8 · BYTES binary · TIME timestamp[ms,
 * UTC] JSON utf8 with the extension name arrow.json · LIST_I64 list<item: int64> MAP_I64
 * map<key: int32, value: int64> · MAP_BYTES map<key: int32, value: binary>
 *
 * A type is a tree of at most four nodes; all nodes of a column lie in one array, parents
 * before children, siblings side by side.
 */
#ifndef ICE_ARROW_TYPE_H
#define ICE_ARROW_TYPE_H

#include "icefsck.h"

/* Of a node; names its Arrow type and its buffers. */
enum ice_arrow_kind {
    ICE_ARROW_BOOL,
    ICE_ARROW_I32,
    ICE_ARROW_I64,
    ICE_ARROW_F64,
    ICE_ARROW_UTF8,
    ICE_ARROW_BINARY,
    ICE_ARROW_TIMESTAMP,
    ICE_ARROW_LIST,
    ICE_ARROW_MAP,
    ICE_ARROW_STRUCT,
};

struct ice_arrow_node {
    const char *name; /* NULL: that of the column */
    enum ice_arrow_kind kind;
    const char *format; /* of the C data interface */
    bool is_nullable;
    uint8_t n_children, first_child; /* index in the tree */
};

struct ice_arrow_type {
    const struct ice_arrow_node *nodes;
    uint8_t n_nodes;
    bool is_json; /* carries the extension name arrow.json */
};

enum { ICE_ARROW_NODES = 4 }; /* of the largest tree */

/* Never NULL; kind NULL counts as STR. */
const struct ice_arrow_type *ice_arrow_type_of(enum ice_value_kind kind);

/* The extension of JSON columns, as key and value of a field. */
#define ICE_ARROW_EXTENSION_KEY "ARROW:extension:name"
#define ICE_ARROW_EXTENSION_JSON "arrow.json"
#define ICE_ARROW_EXTENSION_DATA "ARROW:extension:metadata"

#endif
