/*
 * One entry of a catalog, or one table without an entry, against what storage holds.
 */
#ifndef ICE_ANSWER_POINTER_STATE_H
#define ICE_ANSWER_POINTER_STATE_H

#include "check/pointers.h"
#include "answer/pointer_listing.h"
#include "inputs/catalog.h"

enum ice_pointer_state {
    ICE_STATE_UNKNOWN,
    ICE_STATE_CURRENT,
    ICE_STATE_STALE,
    ICE_STATE_DANGLING,
    ICE_STATE_FORKED,
    ICE_STATE_FOREIGN,
    ICE_STATE_ABSENT,
    ICE_STATE_UNREGISTERED,
};
const char *ice_pointer_state_name(enum ice_pointer_state state);

/* What is known of one. Texts live in the check's arena, or longer. */
struct ice_pointer_verdict {
    const struct ice_catalog_row *row; /* NULL: no entry is about this table */
    struct ice_str name;               /* of the table */
    const char *source; /* where there is no entry: "version-hint.text", or NULL */
    enum ice_pointer_state state;
    struct ice_str why;     /* in words; may be empty */
    struct ice_str current; /* metadata file by the pointer, as it says it */
    struct ice_str newest;  /* newest metadata file of the table in storage, by name */
    size_t n_newer;    /* commits by which the newest one is ahead, 0: none, unknown */
    bool is_recreated; /* files of another table-uuid lie there, or did */
    bool is_read;      /* the metadata file was: freshness is valid */
    struct ice_freshness freshness;
};

/*
 * Runs the rules of pointers on an opened check (kind TABLE, METADATA; anything else: the
 * entry alone). ck->wanted_pointer is the row's entry, or NULL. place: what listings
 * hold; its directory is set here. It lives as long as the check.
 */
enum ice_status ice_judge_pointer(struct ice_check *ck, const struct ice_catalog_row *row,
                                  struct ice_listed_place *place,
                                  struct ice_pointer_verdict *out, struct ice_error *err);

/* The verdict as a row of these columns. */
extern const struct ice_column ice_pointer_columns[];
struct ice_row;
enum ice_status ice_put_pointer(struct ice_row *row, struct ice_check *ck,
                                const struct ice_pointer_verdict *verdict,
                                struct ice_error *err);

#endif
