/*
 * What catalogs say about the table that is checked.
 */
#ifndef ICE_CHECK_POINTERS_H
#define ICE_CHECK_POINTERS_H

#include "check/check.h"

/* Reads every --pointer into ck->pointers, once a check; nothing where options.catalog
 * has them. */
enum ice_status ice_pointers_open(struct ice_check *ck, struct ice_error *err);

bool ice_pointers_are_asked(const struct ice_check *ck);
/* Of several metadata files that of the highest number was taken, and nothing says that
 * it is the current one. */
bool ice_pointer_is_guessed(const struct ice_check *ck);

/* Where the entry that is about this table leads. */
enum ice_pointed {
    ICE_POINTED_NONE,      /* no entry is about this table, or it has no location */
    ICE_POINTED_HERE,      /* names[index] of the target */
    ICE_POINTED_ELSEWHERE, /* a file of a mapped source */
    ICE_POINTED_MISSING,   /* a file that should be here, and is not */
    ICE_POINTED_UNMAPPED,  /* a place that nothing maps */
};

struct ice_pointed_at {
    enum ice_pointed kind;
    size_t index;
    struct ice_source *source;
    struct ice_str key;
    struct ice_str name; /* of the file */
};

/*
 * How sure it is that an entry is about the target's directory. NO: it is not; LONELY: it
 * says of no directory, and is the only one.
 */
enum ice_pointer_match {
    ICE_MATCH_NO,
    ICE_MATCH_LONELY,
    ICE_MATCH_LOCATION,
    ICE_MATCH_UUID,
    ICE_MATCH_FILE,
};

/*
 * out[i]: of the i-th entry of ck->pointers. For answers; the mapping of --map must have
 * been made (ice_check_read_metadata).
 */
enum ice_status ice_rate_pointers(struct ice_check *ck, enum ice_pointer_match *out,
                                  struct ice_error *err);

/*
 * Finds the entry of ck->pointers that is about the target (ck->pointer), and says what
 * could not be read or found. For pass 0, which may run twice.
 */
enum ice_status ice_find_pointer(struct ice_check *ck, struct ice_pointed_at *out,
                                 struct ice_error *err);

/* catalog.pointer.absent, of ck->pointer. */
void ice_report_absent_pointer(struct ice_check *ck);

/* Index of a metadata file of the target by its name; SIZE_MAX: it has none of it. */
size_t ice_pointer_find_name(const struct ice_target *target, struct ice_str name);
/* Do both name one table of one catalog? */
bool ice_pointer_is_same_name(const struct ice_pointer *a, const struct ice_pointer *b);
/* An entry that points to a file of the directory that is not the current one, and whose
 * table has the name of the check's entry, or another; NULL: there is none. */
const struct ice_pointer *ice_other_entry(const struct ice_check *ck, bool has_same_name);

/* Group 25 as far as it compares an entry with the metadata; behind pass 1. */
enum ice_status ice_check_pointers(struct ice_check *ck, struct ice_error *err);

/* path.table-relocated (relocated.c); behind pass 1, before _check_pointers. */
enum ice_status ice_check_relocated(struct ice_check *ck, struct ice_error *err);

/* How old the data of a table is: by commits of main that changed rows. */
enum { ICE_USUAL_COMMITS = 20 };
struct ice_freshness {
    const struct ice_snapshot *change; /* the newest such commit that is kept, or NULL */
    const struct ice_snapshot *oldest; /* the oldest commit of main that was looked at */
    int64_t usual_ms; /* median of the intervals between the last 20 of them */
    bool has_usual;
};
void ice_freshness_of(const struct ice_metadata *m, struct ice_freshness *out);

/* --max-age (freshness.c); behind pass 1. */
enum ice_status ice_check_freshness(struct ice_check *ck, struct ice_error *err);

/* "db.orders", as the catalog calls it; in ck->arena. Empty where it has no name. */
enum ice_status ice_pointer_table_name(struct ice_check *ck, struct ice_str *out,
                                       struct ice_error *err);

/* A place at the input that the entry came from. */
struct ice_place ice_pointer_place(const struct ice_check *ck,
                                   const struct ice_pointer *pointer);

#endif
