/*
 * Checks of one manifest list, called where it is opened and where each row is decoded.
 */
#ifndef ICE_CHECK_LIST_RULES_H
#define ICE_CHECK_LIST_RULES_H

#include "check/check.h"
#include "check/list_origin.h"
#include "check/row_place.h"

struct ice_list_walk {
    struct ice_check *ck;
    struct ice_manifest_list *list;
    const struct ice_list_names *names;
    const struct ice_snapshot *snapshot; /* NULL: a lone list, nobody names it */
    uint32_t number;                     /* of the snapshot */
    struct ice_str file;
    uint64_t order;
    int version;     /* that judges the rows: of the file, at most the table's */
    uint64_t n_rows; /* good ones so far */
    uint64_t said;   /* ICE_BIT(ICE_LIST_...) of once-a-list findings */
    struct ice_list_origin origin;
};

/* Version, names and required fields; copies the names into the arena if they are new. */
enum ice_status ice_list_walk_begin(struct ice_list_walk *walk) ICE_MUST_USE;

/* list_header_rules.c. Before the rows: what they must show, and chain_whole. */
enum ice_status ice_list_header_begin(struct ice_list_walk *walk) ICE_MUST_USE;
/* list.header.*, behind the rows. Is the list proven to be another snapshot's? */
bool ice_list_header_rules(const struct ice_list_walk *walk, bool is_whole);
/* Everything that one row and metadata.json decide. */
void ice_list_row_rules(struct ice_list_walk *walk, const struct ice_manifest_file *row);
/* list.empty; only after a list that was read whole. */
void ice_list_end_rules(const struct ice_list_walk *walk);

/*
 * Of a row that has added_snapshot_id and sequence_number, in the list of the snapshot
 * own: why the two do not belong together, or NULL.
 */
const char *ice_list_sequence_fault(const struct ice_check *ck,
                                    const struct ice_snapshot *own,
                                    const struct ice_manifest_file *row);
/* Place of a column of the last row. */
void ice_list_place(const struct ice_list_walk *walk, enum ice_list_bit bit,
                    struct ice_row_place *out);

#endif
