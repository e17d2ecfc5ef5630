/*
 * One manifest while it is read: what its checks share. The rules are in files of their
 * own:
 *
 *   manifest_header_rules.c    the key/value header
 *   partition_struct_rules.c   the schema of the partition tuple against the spec
 *   entry_rules.c              one entry, where it is decoded
 *   partition_ranges.c         what live entries hold in each partition field
 *   file_rules.h               the data_file of an entry
 *   record_rules.c             the records of lists against what was found
 *   summary_rules.c            ... their partition summaries
 *   lost_partitions.c          partition values that went with a dropped column
 */
#ifndef ICE_CHECK_MANIFEST_WALK_H
#define ICE_CHECK_MANIFEST_WALK_H

#include "check/check.h"
#include "check/manifest_facts.h"
#include "check/row_place.h"

/* What live entries hold in one field of the partition tuple. */
struct ice_partition_range {
    struct ice_type type; /* to compare with, from the file's own Avro type */
    bool is_known;        /* there is such a type */
    bool has_null, has_nan, has_value;
    bool has_deleted_null; /* in a deleted entry: explains contains_null */
    bool has_plus_zero, has_minus_zero;
    struct ice_buf least, most; /* single values, in the order of type */
    bool has_numbers;           /* they are whole numbers, these: */
    int64_t least_number, most_number;
    struct ice_buf signed_least, signed_most; /* uuid: in Java's order */
};

struct ice_metrics;               /* metrics.h */
struct ice_unit;                  /* unit.h */
struct ice_partition_value_check; /* partition_value_rules.c */

struct ice_manifest_walk {
    struct ice_check *ck;        /* of the reader: what rules change is the unit's */
    struct ice_metrics *metrics; /* of the reader */
    struct ice_unit *unit;       /* what is left behind; NULL: a lone manifest */
    const struct ice_manifest_facts *facts; /* NULL: a lone manifest */
    struct ice_manifest *manifest;
    struct ice_str file;
    uint64_t order;
    enum ice_scope scope;

    const struct ice_list_record *record;  /* of the first listing, or NULL */
    const struct ice_partition_spec *spec; /* of the table, by that record; or NULL */
    int version;                           /* that wrote it, at most the table's */
    bool has_header;                       /* it has one of the keys of the spec */
    bool has_sequence_rules; /* v2 or later, and the list record has a sequence number */
    struct ice_inherit inherit;
    uint32_t newest_snapshot; /* that lists it, by sequence number; valid if has_newest */
    bool has_newest;

    struct ice_manifest_totals totals;
    /* one a field of the tuple; in the file's arena */
    struct ice_partition_range *ranges;
    size_t n_ranges;
    struct ice_partition_value_check *value_checks; /* one a field; in the same arena */
    size_t n_value_checks;
    uint64_t n_entries;
    uint64_t stored;          /* bytes of the file; not of a lone manifest */
    uint64_t said;            /* ICE_BIT of enum ice_entry_bit: once-a-file findings */
    bool said_no_sequence[3]; /* by status: there is no such column */

    int64_t spec_id;       /* by the record, else the header, else 0 */
    bool knows_partitions; /* facts.c */
    /* Fields of spec whose column here cannot hold them, as in lost_fields: that has been
     * said, and what they hold is not compared with anything. */
    uint32_t wrong_fields;
    uint32_t last_origin; /* facts.c: mostly that of the next entry too */
};

/* Place of a header value. */
static inline struct ice_place ice_header_place(const struct ice_manifest_walk *walk,
                                                const char *pointer) {
    return ice_place_at(walk->file, walk->order, ice_str_from(pointer));
}
/* Place of a column of the last entry. */
void ice_entry_place(const struct ice_manifest_walk *walk, enum ice_entry_bit bit,
                     struct ice_row_place *out);

/* Is the column there by its id, in a type that cannot hold it? avro.field.type has
 * spoken. */
static inline bool ice_column_is_odd(const struct ice_manifest_walk *walk,
                                     enum ice_entry_bit bit) {
    return !(walk->manifest->plan.present >> bit & 1) &&
           ice_manifest_has_column(walk->manifest, bit);
}
/* Has data_file a column of that name without an id? avro.field-id.partial has spoken. */
bool ice_column_lacks_id(const struct ice_manifest_walk *walk, struct ice_str name);

void ice_manifest_header_rules(struct ice_manifest_walk *walk);
void ice_partition_struct_rules(struct ice_manifest_walk *walk);
/*
 * Before the fault of a block is reported: where the tuple has a fixed, and all that was
 * decoded of it begins with its length, *fault becomes
 * manifest.partition.fixed-with-length. Iceberg Java 1.10 to 1.12 write such values so;
 * decoded by the schema, what follows is shifted by a byte, and the first union that a
 * number meets has no such branch.
 */
void ice_partition_fixed_fault(const struct ice_manifest_walk *walk,
                               struct ice_error *fault);
/* Also counts the entry in totals, ranges and facts. */
enum ice_status ice_entry_rules(struct ice_manifest_walk *walk,
                                const struct ice_manifest_entry *entry) ICE_MUST_USE;

enum ice_status ice_partition_ranges_open(struct ice_manifest_walk *walk) ICE_MUST_USE;
void ice_partition_ranges_close(struct ice_manifest_walk *walk);
enum ice_status ice_partition_ranges_add(struct ice_manifest_walk *walk,
                                         const struct ice_tuple *tuple,
                                         bool is_live) ICE_MUST_USE;
/* Index in the tuple of the index-th field of a spec: by id, in v1 by position; SIZE_MAX.
 */
size_t ice_partition_tuple_index(const struct ice_manifest_walk *walk,
                                 const struct ice_partition_spec *spec, size_t index);

/* lost_partitions.c: is the tuple's field at index null in Avro's schema, for the column
 * behind this field of the spec was dropped? */
bool ice_partition_is_lost(const struct ice_manifest_walk *walk,
                           const struct ice_partition_field *field, size_t index);
/* Of lost_fields: the index-th of the spec. Those beyond share the last one. */
static inline uint32_t ice_lost_bit(size_t index) {
    return UINT32_C(1) << (index < 31 ? index : 31);
}

/* is_whole: all entries were read; else only what the header and the size decide. */
void ice_record_rules(const struct ice_manifest_walk *walk,
                      const struct ice_list_record *record, bool is_whole);
/* Does the record tell of more bytes and of more entries than the whole file holds? */
bool ice_record_is_short(const struct ice_manifest_walk *walk,
                         const struct ice_list_record *record);
void ice_summary_rules(const struct ice_manifest_walk *walk,
                       const struct ice_list_record *record, bool is_whole);
/* With --depth list no manifest is read: what all kept records say by themselves. */
void ice_unread_record_rules(struct ice_check *ck);

#endif
