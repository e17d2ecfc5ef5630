/*
 * What the rules on one metadata.json share; inside pass 1 only.
 */
#ifndef ICE_CHECK_PASS1_H
#define ICE_CHECK_PASS1_H

#include "check/check.h"

struct ice_pass1 {
    struct ice_check *ck;
    struct ice_emit *emit;
    const struct ice_metadata *m;
    int version;            /* 1 .. 4 */
    struct ice_buf pointer; /* scratch of the places below */
    struct ice_place place;
};

/*
 * The place of a JSON pointer in the metadata file; of an element of an array and a
 * member of it ("/snapshots", 3, "/timestamp-ms"); of a member of a map, its key escaped.
 * Borrowed until the next call.
 */
const struct ice_place *ice_at(struct ice_pass1 *p, const char *pointer);
const struct ice_place *ice_at_element(struct ice_pass1 *p, const char *array,
                                       uint64_t index, const char *member);
const struct ice_place *ice_at_key(struct ice_pass1 *p, const char *map,
                                   struct ice_str key, const char *member);
/* ... of a part of the document by its pointer: outer, inner and member joined. */
const struct ice_place *ice_at_joined(struct ice_pass1 *p, struct ice_str outer,
                                      struct ice_str inner, const char *member);

/* Neither there with a usable value nor with one that a defect has named. null is absent.
 */
static inline bool ice_is_absent(const struct ice_metadata *m,
                                 enum ice_metadata_bit bit) {
    return (((m->present | m->bad) >> bit) & 1) == 0;
}
static inline bool ice_snapshot_lacks(const struct ice_snapshot *s,
                                      enum ice_snapshot_bit bit) {
    return (((s->present | s->bad) >> bit) & 1) == 0;
}

/* Clocks of writers may differ by so much (Java, rust and go agree). */
#define ICE_CLOCK_SKEW_MS INT64_C(60000)

/* a - b, at the ends of 64 bits where it does not fit. */
int64_t ice_time_difference(int64_t a, int64_t b);
/* What is wrong with a time in ms ("before 2015", "in seconds" ...), or NULL. */
const char *ice_time_oddity(int64_t ms, int64_t now_ms);

/* The name of the file against its content; magic is what was taken off. */
void ice_rules_file_name(struct ice_pass1 *p, enum ice_magic magic);
/* Groups of RULES. Statuses below 0: out of memory. */
void ice_rules_version(struct ice_pass1 *p);
enum ice_status ice_rules_metadata(struct ice_pass1 *p, struct ice_error *err);
enum ice_status ice_rules_metadata_lists(struct ice_pass1 *p, struct ice_error *err);
enum ice_status ice_rules_snapshots(struct ice_pass1 *p, struct ice_error *err);
/* After pass 2: snapshot.sequence-number.missing, where a snapshot's own list tells it.
 */
enum ice_status ice_rules_listed_sequence(struct ice_check *ck, struct ice_error *err);
enum ice_status ice_rules_logs(struct ice_pass1 *p, struct ice_error *err);
void ice_rules_refs(struct ice_pass1 *p);
enum ice_status ice_rules_properties(struct ice_pass1 *p, struct ice_error *err);
enum ice_status ice_rules_name_mapping(struct ice_pass1 *p, struct ice_error *err);
enum ice_status ice_rules_statistics(struct ice_pass1 *p, struct ice_error *err);
enum ice_status ice_rules_lineage(struct ice_pass1 *p, struct ice_error *err);
enum ice_status ice_rules_keys(struct ice_pass1 *p, struct ice_error *err);

/* A number of a snapshot or a hash of its text, to find equal ones by sorting. */
struct ice_keyed {
    uint64_t key;
    uint32_t index;
};
/* By key, then index. */
void ice_keyed_sort(struct ice_keyed *items, size_t n);

#endif
