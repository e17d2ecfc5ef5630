/*
 * Groups of facts with one key, judged on runs of snapshot numbers: cost follows files
 * and manifests, not snapshots times files.
 */
#ifndef ICE_CHECK_GROUPS_H
#define ICE_CHECK_GROUPS_H

#include "check/suspects.h"

enum ice_group_part {
    ICE_PART_DATA,
    ICE_PART_DELETE, /* position and equality delete files */
    ICE_PART_VECTOR,
    ICE_PART_OF_VECTOR,
    ICE_PART_OF_POSITION,
    ICE_PARTS
};

/* Snapshots that list the manifest of a live item. */
struct ice_group_run {
    uint32_t first, last;
    uint32_t item;
};

struct ice_group_runs {
    struct ice_group_run *items; /* by first */
    size_t n, capacity;
    struct ice_snapshot_run *spans; /* their union: disjoint, not adjacent, ascending */
    size_t n_spans, cap_spans;
};

struct ice_group {
    struct ice_check *ck;
    const struct ice_facts *facts;
    const struct ice_snapshot_sets *sets;
    struct ice_suspects *suspects;
    const struct ice_fact *items;
    size_t n;
    uint32_t *manifests; /* by item */
    uint32_t *said;      /* by item: bits of what was suspected of it already */
    size_t cap_items;
    struct ice_group_runs parts[ICE_PARTS];
    uint32_t *below; /* scratch: snapshots of one manifest with a smaller enter time */
    struct ice_table related; /* pairs of manifests -> are they in one line? */
};

/* A lone live entry that was found clean: mostly all others of its manifest are too. */
struct ice_lone_fact {
    uint32_t origin, low; /* low: kind and status, and a bit that says it is valid */
};

struct ice_groups {
    struct ice_group group;
    struct ice_lone_fact *lone; /* by manifest */
    struct ice_table clean;     /* signatures */
};

enum ice_status ice_groups_open(struct ice_groups *groups, const struct ice_facts *facts,
                                const struct ice_snapshot_sets *sets,
                                struct ice_suspects *suspects) ICE_MUST_USE;
/* Facts in their order; a group is never cut. */
enum ice_status ice_groups_add(struct ice_groups *groups, const struct ice_fact *facts,
                               size_t n) ICE_MUST_USE;
void ice_groups_release(struct ice_groups *groups); /* safe on all-zero */

/* ---- parts of the judgement, each over a group whose runs are made ---- */

enum ice_status ice_group_live_rules(struct ice_group *group) ICE_MUST_USE; /* group 20 */
enum ice_status ice_group_sequence_rules(struct ice_group *group) ICE_MUST_USE; /* 16 */
enum ice_status ice_group_delete_rules(struct ice_group *group) ICE_MUST_USE; /* 19, 17 */
enum ice_status ice_group_lineage_rules(struct ice_group *group) ICE_MUST_USE; /* 11 */

/* Put what saves work when it is met again; where memory is short, nothing is kept. */
static inline enum ice_status ice_group_remember(struct ice_table *table, uint64_t key,
                                                 uint32_t value) {
    if (table->n >= table->capacity / 2 &&
        ice_spill_is_tight(table->alloc,
                           2 * table->capacity * sizeof(struct ice_table_slot)))
        return ICE_OK;
    return ice_table_put(table, key, value);
}

/* group_runs.c */
static inline enum ice_group_part ice_part_of(const struct ice_fact *fact) {
    static const uint8_t parts[ICE_FACT_KINDS] = {
        ICE_PART_DATA,   ICE_PART_DELETE,    ICE_PART_DELETE,
        ICE_PART_VECTOR, ICE_PART_OF_VECTOR, ICE_PART_OF_POSITION};
    return (enum ice_group_part)parts[ice_fact_kind(fact)];
}
enum ice_status ice_group_runs_make(struct ice_group *group) ICE_MUST_USE;
void ice_group_release(struct ice_group *group);
/* Is the file of that part live in the snapshot? */
bool ice_group_is_live(const struct ice_group_runs *runs, uint32_t snapshot);
/* A live item of the part whose manifest the snapshot lists, added by it if there is one;
 * SIZE_MAX. */
size_t ice_group_find_live(const struct ice_group *group, enum ice_group_part part,
                           uint32_t snapshot);
/* First time that this is suspected of the item? bit: below 32. */
static inline bool ice_group_first_time(struct ice_group *group, size_t item,
                                        unsigned bit) {
    bool is_first = !(group->said[item] >> bit & 1);
    group->said[item] |= UINT32_C(1) << bit;
    return is_first;
}
static inline const struct ice_origin *ice_group_origin(const struct ice_group *group,
                                                        size_t item) {
    return &group->facts->origins[group->items[item].origin];
}
/*
 * Each pair of items of two parts that are live in one judged snapshot (the last such). A
 * part that holds a file twice has had its finding: of such pairs some may be left out.
 */
typedef enum ice_status (*ice_pair_fn)(struct ice_group *group, size_t a, size_t b,
                                       uint32_t snapshot);
enum ice_status ice_group_pairs(struct ice_group *group, enum ice_group_part a,
                                enum ice_group_part b, ice_pair_fn pair) ICE_MUST_USE;

#endif
