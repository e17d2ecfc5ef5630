/*
 * What the rules on schemas, partition specs and sort orders (groups 3 to 5) share. They
 * need metadata.json alone, yet run behind pass 3: how loud a fault of an old entry is
 * depends on whether a manifest names it.
 */
#ifndef ICE_CHECK_LAYOUT_RULES_H
#define ICE_CHECK_LAYOUT_RULES_H

#include "check/pass1.h"

struct ice_layouts {
    struct ice_pass1 p;
    /* what the table lists; of v1 tables without the lists their single forms */
    const struct ice_schema *schemas;
    const struct ice_partition_spec *specs;
    const struct ice_sort_order *orders;
    size_t n_schemas, n_specs, n_orders;
    /* by position: current, default, or named by a kept snapshot or a manifest */
    const bool *schema_needed, *spec_needed, *order_needed;
    /* by position: bits of the lines of commits that read rows with it */
    uint64_t *schema_lines;
    const struct ice_schema *current;   /* NULL: none is known */
    size_t default_spec, default_order; /* position; SIZE_MAX: none */
    struct ice_table property_keys;     /* hash of a key -> position; see has_... */
    bool has_property_keys;             /* filled, which the first question does */
};

/* DESIGN.md "Severity drops": what a finding of a rule on an entry is reported as. */
enum ice_severity ice_layout_severity(bool is_needed, enum ice_rule_id rule);

/* The place of a member ("" none) of a part of the document: its two pointers and the
 * member, joined. Borrowed until the next call. */
const struct ice_place *ice_layout_at(struct ice_layouts *l, struct ice_str outer,
                                      struct ice_str inner, const char *member);

/* A field id that stands once in the schema, or NULL: two fields of one id have
 * schema.field.id.duplicate, and no rule can tell which is meant. */
const struct ice_field *ice_layout_field(const struct ice_schema *schema, int32_t id);
/* Inside a list or a map? */
bool ice_layout_in_collection(const struct ice_schema *schema,
                              const struct ice_field *field);

/*
 * What is wrong with source-id and source-ids of a partition or sort field (has and
 * transform are its own), and whether it has exactly one source.
 */
enum ice_sources {
    ICE_SOURCES_FINE,
    ICE_SOURCES_MISSING,       /* neither is there */
    ICE_SOURCES_EARLY,         /* source-ids alone before version 3 */
    ICE_SOURCES_EARLY_IGNORED, /* ... beside source-id */
    ICE_SOURCES_SINGLE,        /* source-ids of one, where source-id belongs */
    ICE_SOURCES_BOTH,
    ICE_SOURCES_ARITY, /* none, or several of a transform that takes one */
};
enum ice_sources ice_layout_sources(int version, unsigned has, unsigned bad,
                                    size_t n_source_ids,
                                    const struct ice_transform *transform);
static inline bool ice_layout_has_one_source(unsigned has, size_t n_source_ids) {
    return (has & ICE_PART_HAS_SOURCE_ID) ||
           ((has & ICE_PART_HAS_SOURCE_IDS) && n_source_ids == 1);
}
/* bucket[0] or beyond int; else no argument or below 0; else neither. */
bool ice_transform_is_refused(const struct ice_transform *transform);
bool ice_transform_is_odd(const struct ice_transform *transform);

/* Fills l->schema_lines' room for l->n_schemas. Schemas without a common bit never meet
 * in a scan. ICE_ENOMEM. */
enum ice_status ice_schema_lines(const struct ice_layouts *l, uint64_t *out) ICE_MUST_USE;

/* The groups. Statuses below 0: out of memory, or cancelled. */
enum ice_status ice_rules_schemas(struct ice_layouts *l, struct ice_error *err);
enum ice_status ice_rules_schema_names(struct ice_layouts *l, const struct ice_schema *s,
                                       bool is_needed, struct ice_error *err);
enum ice_status ice_rules_schema_types(struct ice_layouts *l, const struct ice_schema *s,
                                       bool is_needed);
void ice_rules_identifiers(struct ice_layouts *l, const struct ice_schema *s);
enum ice_status ice_rules_schema_defaults(struct ice_layouts *l,
                                          const struct ice_schema *s, bool is_needed,
                                          struct ice_error *err);
enum ice_status ice_rules_evolution(struct ice_layouts *l, struct ice_error *err);
enum ice_status ice_rules_added_fields(struct ice_layouts *l, struct ice_error *err);
enum ice_status ice_rules_specs(struct ice_layouts *l, struct ice_error *err);
enum ice_status ice_rules_spec_sources(struct ice_layouts *l, struct ice_error *err);
enum ice_status ice_rules_spec_sets(struct ice_layouts *l, struct ice_error *err);
void ice_rules_orders(struct ice_layouts *l);

#endif
