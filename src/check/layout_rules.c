/*
 * The second half of pass 1: schemas, partition specs and sort orders.
 *
 * reads          what pass 1 has read, and which entries the manifests of passes 2 and 3
 *                name
 * checks         groups 3, 4, 5
 * leaves behind  nothing
 *
 * It runs behind pass 3, since a fault of an entry that nothing needs drops by one level.
 * Where manifests were not asked for, only metadata.json says what is needed.
 */
#include "check/layout_rules.h"

#include "base/error.h"
#include "check/named.h"

enum ice_severity ice_layout_severity(bool is_needed, enum ice_rule_id rule) {
    return is_needed ? ICE_DEFAULT : ice_severity_drop(ice_rule_of(rule)->severity);
}

const struct ice_place *ice_layout_at(struct ice_layouts *l, struct ice_str outer,
                                      struct ice_str inner, const char *member) {
    return ice_at_joined(&l->p, outer, inner, member);
}

const struct ice_field *ice_layout_field(const struct ice_schema *schema, int32_t id) {
    uint64_t key = ice_hash_mix((uint64_t)id, schema->hash_seed);
    size_t at = SIZE_MAX;
    uint32_t first, second;
    if (schema->n_fields == 0 || !ice_table_next(&schema->by_id, key, &at, &first))
        return NULL;
    return ice_table_next(&schema->by_id, key, &at, &second) ? NULL
                                                             : &schema->fields[first];
}

bool ice_layout_in_collection(const struct ice_schema *schema,
                              const struct ice_field *field) {
    while (field->role == ICE_ROLE_FIELD && field->parent != ICE_NO_PARENT)
        field = &schema->fields[field->parent];
    return field->role != ICE_ROLE_FIELD;
}

/* ---- sources and transforms, of partition and sort fields alike ---- */

enum ice_sources ice_layout_sources(int version, unsigned has, unsigned bad,
                                    size_t n_source_ids,
                                    const struct ice_transform *transform) {
    const bool has_one = has & ICE_PART_HAS_SOURCE_ID;
    const bool has_list = has & ICE_PART_HAS_SOURCE_IDS;
    if (!((has | bad) & (ICE_PART_HAS_SOURCE_ID | ICE_PART_HAS_SOURCE_IDS)))
        return ICE_SOURCES_MISSING;
    if (!has_list || (bad & (ICE_PART_HAS_SOURCE_ID | ICE_PART_HAS_SOURCE_IDS)))
        return ICE_SOURCES_FINE;
    if (version < 3)
        return has_one ? ICE_SOURCES_EARLY_IGNORED : ICE_SOURCES_EARLY;
    if (has_one)
        return ICE_SOURCES_BOTH;
    const bool takes_one = transform->kind != ICE_TRANSFORM_UNKNOWN;
    if (n_source_ids == 0 || (n_source_ids > 1 && takes_one))
        return ICE_SOURCES_ARITY;
    return n_source_ids == 1 && takes_one ? ICE_SOURCES_SINGLE : ICE_SOURCES_FINE;
}

static bool takes_argument(const struct ice_transform *transform) {
    return transform->kind == ICE_TRANSFORM_BUCKET ||
           transform->kind == ICE_TRANSFORM_TRUNCATE;
}

bool ice_transform_is_refused(const struct ice_transform *transform) {
    return takes_argument(transform) && transform->has_argument &&
           (transform->argument == 0 ||
            (transform->argument_big && transform->argument > 0));
}

bool ice_transform_is_odd(const struct ice_transform *transform) {
    return takes_argument(transform) &&
           (!transform->has_argument || transform->argument < 0);
}

/* ---- what is listed and needed ---- */

static void find_lists(struct ice_layouts *l) {
    const struct ice_metadata *m = l->p.m;
    l->schemas = m->schemas;
    l->n_schemas = m->n_schemas;
    if (m->n_schemas == 0 && ice_metadata_has(m, ICE_META_schema)) {
        l->schemas = &m->schema;
        l->n_schemas = 1;
    }
    l->specs = m->specs;
    l->n_specs = m->n_specs;
    if (m->n_specs == 0 && ice_metadata_has(m, ICE_META_partition_spec)) {
        l->specs = &m->spec;
        l->n_specs = 1;
    }
    l->orders = m->orders;
    l->n_orders = m->n_orders;
    l->current = ice_metadata_current_schema(m);
    l->default_spec = l->default_order = SIZE_MAX;
    if (l->specs == &m->spec)
        l->default_spec = 0;
    for (size_t i = 0; i < m->n_specs && ice_metadata_has(m, ICE_META_default_spec_id);
         i++) {
        if (l->default_spec == SIZE_MAX && m->specs[i].spec_id == m->default_spec_id)
            l->default_spec = i;
    }
    for (size_t i = 0;
         i < m->n_orders && ice_metadata_has(m, ICE_META_default_sort_order_id); i++) {
        if (l->default_order == SIZE_MAX &&
            m->orders[i].order_id == m->default_sort_order_id)
            l->default_order = i;
    }
}

/* What lists and snapshots name; passes 3 has added the rest. */
static void take_names(struct ice_layouts *l) {
    struct ice_check *ck = l->p.ck;
    const struct ice_metadata *m = l->p.m;
    for (size_t i = 0; i < ck->n_records; i++) {
        const struct ice_list_record *record = ck->records[i];
        if (record->present & ICE_BIT(ICE_LIST_partition_spec_id))
            ice_named_add(ck, ICE_NAMED_SPEC, record->row.partition_spec_id);
    }
    for (size_t i = 0; i < m->n_snapshots; i++) {
        if (ice_snapshot_has(&m->snapshots[i], ICE_SNAP_schema_id))
            ice_named_add(ck, ICE_NAMED_SCHEMA, m->snapshots[i].schema_id);
    }
    if (ice_metadata_has(m, ICE_META_current_schema_id))
        ice_named_add(ck, ICE_NAMED_SCHEMA, m->current_schema_id);
    if (ice_metadata_has(m, ICE_META_default_spec_id))
        ice_named_add(ck, ICE_NAMED_SPEC, m->default_spec_id);
    if (ice_metadata_has(m, ICE_META_default_sort_order_id))
        ice_named_add(ck, ICE_NAMED_ORDER, m->default_sort_order_id);
    static const bool single = true;
    l->schema_needed = ck->named[ICE_NAMED_SCHEMA].is_named;
    l->spec_needed = ck->named[ICE_NAMED_SPEC].is_named;
    l->order_needed = ck->named[ICE_NAMED_ORDER].is_named;
    if (l->schemas == &m->schema)
        l->schema_needed = &single;
    if (l->specs == &m->spec)
        l->spec_needed = &single;
}

static enum ice_status run_groups(struct ice_layouts *l, struct ice_error *err) {
    ICE_TRY(ice_rules_schemas(l, err));
    ICE_TRY(ice_rules_evolution(l, err));
    ICE_TRY(ice_rules_added_fields(l, err));
    ICE_TRY(ice_rules_specs(l, err));
    ICE_TRY(ice_rules_spec_sources(l, err));
    ICE_TRY(ice_rules_spec_sets(l, err));
    ice_rules_orders(l);
    return ICE_OK;
}

enum ice_status ice_check_layouts(struct ice_check *ck, struct ice_error *err) {
    struct ice_layouts l = {
        .p = {.ck = ck, .emit = ck->emit, .m = &ck->metadata, .version = ck->version}};
    ice_buf_init(&l.p.pointer, &ck->run->alloc, SIZE_MAX);
    ice_table_init(&l.property_keys, &ck->run->alloc);
    find_lists(&l);
    take_names(&l);
    enum ice_status status = ICE_OK;
    l.schema_lines = ice_arena_array(&ck->arena, l.n_schemas, sizeof(*l.schema_lines));
    if (l.schema_lines == NULL || ice_schema_lines(&l, l.schema_lines) < 0)
        status = ice_error_memory(err);
    if (status >= 0)
        status = run_groups(&l, err);
    ice_table_release(&l.property_keys);
    ice_buf_release(&l.p.pointer);
    return status;
}
