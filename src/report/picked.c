/*
 * Which columns are wanted.
 */
#include "report/picked.h"

static bool pick(struct ice_picked *picked, const struct ice_column *columns, size_t n,
                 struct ice_str name) {
    for (size_t i = 0; i < n; i++) {
        if (ice_str_is(name, columns[i].name)) {
            if (picked->n < ICE_ROWS_COLUMNS)
                picked->at[picked->n++] = i;
            return true;
        }
    }
    (void)ice_escape(picked->bad_column, sizeof(picked->bad_column), name);
    return false;
}

enum ice_status ice_pick(struct ice_picked *picked, const struct ice_column *columns,
                         size_t n, struct ice_str list) {
    if (list.size == 0) {
        for (size_t i = 0; i < n && i < ICE_ROWS_COLUMNS; i++)
            picked->at[picked->n++] = i;
    }
    while (list.size > 0) {
        size_t comma = ice_str_find(list, ',');
        struct ice_str name = ice_str_first(list, comma);
        if (name.size > 0 && !pick(picked, columns, n, name))
            return ICE_EARG;
        list = comma == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(list, comma + 1);
    }
    return ICE_OK;
}
