/*
 * Arrow types of the kinds of values.
 */
#include "arrow/type.h"

#include "base/compiler.h"

#define LEAF(kind, format)                                                               \
    { NULL, kind, format, true, 0, 0 }

static const struct ice_arrow_node bool_nodes[] = {LEAF(ICE_ARROW_BOOL, "b")};
static const struct ice_arrow_node i64_nodes[] = {LEAF(ICE_ARROW_I64, "l")};
static const struct ice_arrow_node f64_nodes[] = {LEAF(ICE_ARROW_F64, "g")};
static const struct ice_arrow_node utf8_nodes[] = {LEAF(ICE_ARROW_UTF8, "u")};
static const struct ice_arrow_node binary_nodes[] = {LEAF(ICE_ARROW_BINARY, "z")};
static const struct ice_arrow_node time_nodes[] = {LEAF(ICE_ARROW_TIMESTAMP, "tsm:UTC")};
static const struct ice_arrow_node list_nodes[] = {
    {NULL, ICE_ARROW_LIST, "+l", true, 1, 1},
    {"item", ICE_ARROW_I64, "l", true, 0, 0},
};
static const struct ice_arrow_node map_i64_nodes[] = {
    {NULL, ICE_ARROW_MAP, "+m", true, 1, 1},
    {"entries", ICE_ARROW_STRUCT, "+s", false, 2, 2},
    {"key", ICE_ARROW_I32, "i", false, 0, 0},
    {"value", ICE_ARROW_I64, "l", true, 0, 0},
};
static const struct ice_arrow_node map_bytes_nodes[] = {
    {NULL, ICE_ARROW_MAP, "+m", true, 1, 1},
    {"entries", ICE_ARROW_STRUCT, "+s", false, 2, 2},
    {"key", ICE_ARROW_I32, "i", false, 0, 0},
    {"value", ICE_ARROW_BINARY, "z", true, 0, 0},
};

#define TYPE(nodes, is_json)                                                             \
    { nodes, ICE_COUNT_OF(nodes), is_json }

static const struct ice_arrow_type types[] = {
    [ICE_VALUE_NULL] = TYPE(utf8_nodes, false),
    [ICE_VALUE_BOOL] = TYPE(bool_nodes, false),
    [ICE_VALUE_I64] = TYPE(i64_nodes, false),
    [ICE_VALUE_F64] = TYPE(f64_nodes, false),
    [ICE_VALUE_STR] = TYPE(utf8_nodes, false),
    [ICE_VALUE_BYTES] = TYPE(binary_nodes, false),
    [ICE_VALUE_TIME] = TYPE(time_nodes, false),
    [ICE_VALUE_JSON] = TYPE(utf8_nodes, true),
    [ICE_VALUE_MAP_I64] = TYPE(map_i64_nodes, false),
    [ICE_VALUE_MAP_BYTES] = TYPE(map_bytes_nodes, false),
    [ICE_VALUE_LIST_I64] = TYPE(list_nodes, false),
};

const struct ice_arrow_type *ice_arrow_type_of(enum ice_value_kind kind) {
    return &types[kind];
}
