/*
 * Which columns of an answer are wanted, by a comma list of names.
 */
#ifndef ICE_REPORT_PICKED_H
#define ICE_REPORT_PICKED_H

#include "base/str.h"

enum { ICE_ROWS_COLUMNS = 64 };

struct ice_picked {
    size_t at[ICE_ROWS_COLUMNS]; /* as indices into a row, in the order of the list */
    size_t n;
    char bad_column[64]; /* name in the list that no row has, or "" */
};

/* list empty: all columns. ICE_EARG: see bad_column. */
enum ice_status ice_pick(struct ice_picked *picked, const struct ice_column *columns,
                         size_t n, struct ice_str list);

#endif
