/*
 * metadata.*, lists: schemas, partition specs and sort orders with their current or
 * default id, and the single forms of version 1. What is in an entry: groups 3 to 5.
 */
#include "check/pass1.h"

#include "base/error.h"

/* One of the three lists, as the rules see it. */
struct list {
    enum ice_metadata_bit list_bit, current_bit;
    const char *list_pointer, *current_pointer;
    size_t n;
    int32_t current;
    enum ice_rule_id empty, duplicate, current_missing, current_dangling;
    bool empty_in_v1;     /* the rule on an empty list runs for version 1 too */
    bool zero_is_implied; /* order 0: readers know it without its being listed */
};

static bool id_at(const struct ice_metadata *m, const struct list *list, size_t index,
                  int version, int32_t *out) {
    bool has, bad;
    if (list->list_bit == ICE_META_schemas) {
        has = m->schemas[index].has_schema_id;
        bad = m->schemas[index].bad_schema_id;
        *out = m->schemas[index].schema_id;
        /* version 1 may leave it out: 0 */
        return has || (version == 1 && !bad);
    }
    if (list->list_bit == ICE_META_partition_specs) {
        *out = m->specs[index].spec_id;
        return m->specs[index].has_spec_id;
    }
    *out = m->orders[index].order_id;
    return m->orders[index].has_order_id;
}

static enum ice_status check_ids(struct ice_pass1 *p, const struct list *list,
                                 struct ice_error *err) {
    struct ice_table seen;
    ice_table_init(&seen, &p->ck->run->alloc);
    enum ice_status status = ICE_OK;
    for (size_t i = 0; i < list->n && status >= 0; i++) {
        int32_t id;
        size_t at = SIZE_MAX;
        uint32_t first;
        if (!id_at(p->m, list, i, p->version, &id))
            continue;
        uint64_t key = ice_hash_mix((uint64_t)id, p->ck->run->hash_seed);
        if (ice_table_next(&seen, key, &at, &first))
            FOUND(p->emit, list->duplicate, ice_at_element(p, list->list_pointer, i, ""),
                  arg_i64("id", id), arg_i64("first", first));
        else if (ice_table_put(&seen, key, (uint32_t)i) < 0)
            status = ice_error_memory(err);
    }
    ice_table_release(&seen);
    return status;
}

static void check_current(struct ice_pass1 *p, const struct list *list) {
    const struct ice_metadata *m = p->m;
    bool is_there = ice_metadata_has(m, list->list_bit);
    if (ice_is_absent(m, list->current_bit) && (p->version >= 2 || is_there))
        FOUND(p->emit, list->current_missing, ice_at(p, ""), ARG_NONE);
    if (!ice_metadata_has(m, list->current_bit) || list->n == 0)
        return;
    for (size_t i = 0; i < list->n; i++) {
        int32_t id;
        /* an entry without a usable id may be the one that is meant */
        if (!id_at(m, list, i, p->version, &id) || id == list->current)
            return;
    }
    bool is_implied = list->zero_is_implied && list->current == 0;
    FOUND_AS(p->emit, list->current_dangling, is_implied ? ICE_WARN : ICE_ERROR,
             ice_at(p, list->current_pointer), arg_i64("id", list->current));
}

static enum ice_status check_list(struct ice_pass1 *p, const struct list *list,
                                  struct ice_error *err) {
    if (ice_metadata_has(p->m, list->list_bit) && list->n == 0 &&
        (list->empty_in_v1 || p->version >= 2)) {
        bool is_implied = list->zero_is_implied && list->current == 0 &&
                          ice_metadata_has(p->m, list->current_bit);
        FOUND_AS(p->emit, list->empty, is_implied ? ICE_WARN : ICE_ERROR,
                 ice_at(p, list->list_pointer), ARG_NONE);
    }
    check_current(p, list);
    return check_ids(p, list, err);
}

/* ---- entries that say the same ---- */

static uint64_t mix_text(uint64_t hash, struct ice_str text, uint64_t seed) {
    return ice_hash_mix(hash ^ ice_hash64(text, seed), seed);
}

/* Equal schemas have equal fingerprints. */
static uint64_t schema_print(const struct ice_schema *schema, uint64_t seed) {
    uint64_t hash = schema->n_fields;
    for (size_t i = 0; i < schema->n_fields; i++) {
        const struct ice_field *field = &schema->fields[i];
        const struct ice_type *type = &field->type;
        hash = ice_hash_mix(hash ^ (uint64_t)field->id, seed);
        hash = ice_hash_mix(hash ^ (uint64_t)type->kind ^ (field->required ? 256u : 0u),
                            seed);
        hash = ice_hash_mix(hash ^ (uint64_t)(type->precision ^ type->length), seed);
        hash = ice_hash_mix(hash ^ (uint64_t)type->scale, seed);
        hash = mix_text(hash, field->name, seed);
        hash = mix_text(hash, field->doc, seed);
        hash = mix_text(hash, field->initial_default, seed);
        hash = mix_text(hash, field->write_default, seed);
    }
    return hash;
}

static uint64_t spec_print(const struct ice_partition_spec *spec, uint64_t seed) {
    uint64_t hash = spec->n_fields;
    for (size_t i = 0; i < spec->n_fields; i++) {
        const struct ice_partition_field *field = &spec->fields[i];
        hash = ice_hash_mix(hash ^ (uint64_t)field->source_id, seed);
        hash = ice_hash_mix(hash ^ (uint64_t)field->transform.kind, seed);
        hash = ice_hash_mix(hash ^ (uint64_t)field->transform.argument, seed);
        hash = mix_text(hash, field->name, seed);
    }
    return hash;
}

/* Same ordered sources, transforms and names. with_ids: and field ids where both have
 * one. */
static bool spec_says_the_same(const struct ice_partition_spec *a,
                               const struct ice_partition_spec *b, bool with_ids) {
    if (a->n_fields != b->n_fields)
        return false;
    for (size_t i = 0; i < a->n_fields; i++) {
        const struct ice_partition_field *x = &a->fields[i], *y = &b->fields[i];
        if (x->source_id != y->source_id || !ice_str_equal(x->name, y->name) ||
            !ice_transform_equal(&x->transform, &y->transform) ||
            x->n_source_ids != y->n_source_ids)
            return false;
        for (size_t k = 0; k < x->n_source_ids; k++) {
            if (x->source_ids[k] != y->source_ids[k])
                return false;
        }
        if (with_ids && (x->has & y->has & ICE_PART_HAS_FIELD_ID) &&
            x->field_id != y->field_id)
            return false;
    }
    return true;
}

static enum ice_status check_identical_schemas(struct ice_pass1 *p,
                                               struct ice_error *err) {
    const struct ice_metadata *m = p->m;
    const uint64_t seed = p->ck->run->hash_seed;
    struct ice_table seen;
    ice_table_init(&seen, &p->ck->run->alloc);
    enum ice_status status = ICE_OK;
    for (size_t i = 0; i < m->n_schemas && status >= 0; i++) {
        const struct ice_schema *schema = &m->schemas[i];
        uint64_t key = schema_print(schema, seed);
        size_t at = SIZE_MAX;
        uint32_t first;
        bool is_new = true;
        while (is_new && ice_table_next(&seen, key, &at, &first))
            is_new = !ice_schema_equal(schema, &m->schemas[first], true);
        if (is_new)
            status = ice_table_put(&seen, key, (uint32_t)i);
        else if (schema->schema_id != m->schemas[first].schema_id)
            FOUND(p->emit, ICE_RULE_METADATA_SCHEMAS_IDENTICAL,
                  ice_at_element(p, "/schemas", i, ""), arg_i64("id", schema->schema_id),
                  arg_i64("first", m->schemas[first].schema_id));
    }
    ice_table_release(&seen);
    return status < 0 ? ice_error_memory(err) : ICE_OK;
}

static enum ice_status check_equivalent_specs(struct ice_pass1 *p,
                                              struct ice_error *err) {
    const struct ice_metadata *m = p->m;
    const uint64_t seed = p->ck->run->hash_seed;
    struct ice_table seen;
    ice_table_init(&seen, &p->ck->run->alloc);
    enum ice_status status = ICE_OK;
    for (size_t i = 0; i < m->n_specs && status >= 0; i++) {
        const struct ice_partition_spec *spec = &m->specs[i];
        uint64_t key = spec_print(spec, seed);
        size_t at = SIZE_MAX;
        uint32_t first;
        bool is_new = true;
        if (!spec->has_spec_id || !spec->has_fields)
            continue;
        while (is_new && ice_table_next(&seen, key, &at, &first))
            is_new = !spec_says_the_same(spec, &m->specs[first], false);
        if (is_new)
            status = ice_table_put(&seen, key, (uint32_t)i);
        else if (spec->spec_id != m->specs[first].spec_id)
            FOUND(p->emit, ICE_RULE_METADATA_PARTITION_SPECS_EQUIVALENT,
                  ice_at_element(p, "/partition-specs", i, ""),
                  arg_i64("id", spec->spec_id),
                  arg_i64("first", m->specs[first].spec_id));
    }
    ice_table_release(&seen);
    return status < 0 ? ice_error_memory(err) : ICE_OK;
}

/* ---- the single forms of version 1 ---- */

static void check_single_missing(struct ice_pass1 *p, enum ice_metadata_bit single,
                                 enum ice_metadata_bit list, enum ice_rule_id rule,
                                 const char *list_name) {
    if (!ice_is_absent(p->m, single) || ((p->m->bad >> list) & 1))
        return;
    bool has_list = ice_metadata_has(p->m, list);
    FOUND_AS(p->emit, rule, has_list ? ICE_WARN : ICE_ERROR, ice_at(p, ""),
             arg_text("also", has_list ? "" : list_name));
}

static void check_single_mismatch(struct ice_pass1 *p) {
    const struct ice_metadata *m = p->m;
    if (ice_metadata_has(m, ICE_META_schema) &&
        ice_metadata_has(m, ICE_META_current_schema_id) && m->n_schemas > 0) {
        const struct ice_schema *current =
            ice_metadata_find_schema(m, m->current_schema_id);
        if (current != NULL && !ice_schema_equal(&m->schema, current, false))
            FOUND(p->emit, ICE_RULE_METADATA_SCHEMA_V1_MISMATCH, ice_at(p, "/schema"),
                  arg_i64("id", m->current_schema_id));
    }
    if (ice_metadata_has(m, ICE_META_partition_spec) &&
        ice_metadata_has(m, ICE_META_default_spec_id) && m->n_specs > 0) {
        const struct ice_partition_spec *spec =
            ice_metadata_find_spec(m, m->default_spec_id);
        if (spec != NULL && !spec_says_the_same(&m->spec, spec, true))
            FOUND(p->emit, ICE_RULE_METADATA_PARTITION_SPEC_V1_MISMATCH,
                  ice_at(p, "/partition-spec"), arg_i64("id", m->default_spec_id));
    }
}

static void check_single_forms(struct ice_pass1 *p) {
    const struct ice_metadata *m = p->m;
    if (p->version == 1) {
        check_single_missing(p, ICE_META_schema, ICE_META_schemas,
                             ICE_RULE_METADATA_SCHEMA_V1_MISSING, ", and so is schemas");
        check_single_missing(p, ICE_META_partition_spec, ICE_META_partition_specs,
                             ICE_RULE_METADATA_PARTITION_SPEC_V1_MISSING,
                             ", and so is partition-specs");
        check_single_mismatch(p);
        return;
    }
    if ((m->present | m->null | m->bad) & ICE_BIT(ICE_META_schema))
        FOUND(p->emit, ICE_RULE_METADATA_SCHEMA_OBSOLETE_FIELD, ice_at(p, "/schema"),
              arg_text("field", "schema"));
    if ((m->present | m->null | m->bad) & ICE_BIT(ICE_META_partition_spec))
        FOUND(p->emit, ICE_RULE_METADATA_SCHEMA_OBSOLETE_FIELD,
              ice_at(p, "/partition-spec"), arg_text("field", "partition-spec"));
}

/* ---- last-partition-id ---- */

static void take_field_ids(const struct ice_partition_spec *spec, bool *has,
                           int32_t *largest) {
    for (size_t i = 0; i < spec->n_fields; i++) {
        if (!(spec->fields[i].has & ICE_PART_HAS_FIELD_ID))
            continue;
        if (!*has || spec->fields[i].field_id > *largest)
            *largest = spec->fields[i].field_id;
        *has = true;
    }
}

static void check_last_partition_id(struct ice_pass1 *p) {
    const struct ice_metadata *m = p->m;
    bool has = false;
    int32_t largest = 0;
    for (size_t i = 0; i < m->n_specs; i++)
        take_field_ids(&m->specs[i], &has, &largest);
    if (m->n_specs == 0 && ice_metadata_has(m, ICE_META_partition_spec))
        take_field_ids(&m->spec, &has, &largest);
    if (ice_metadata_has(m, ICE_META_last_partition_id) && has &&
        m->last_partition_id < largest)
        FOUND_AS(p->emit, ICE_RULE_METADATA_LAST_PARTITION_ID_TOO_SMALL,
                 p->version == 1 ? ICE_WARN : ICE_ERROR, ice_at(p, "/last-partition-id"),
                 arg_i64("value", m->last_partition_id), arg_i64("largest", largest));
}

enum ice_status ice_rules_metadata_lists(struct ice_pass1 *p, struct ice_error *err) {
    const struct ice_metadata *m = p->m;
    const struct list schemas = {
        ICE_META_schemas,
        ICE_META_current_schema_id,
        "/schemas",
        "/current-schema-id",
        m->n_schemas,
        m->current_schema_id,
        ICE_RULE_METADATA_SCHEMAS_EMPTY,
        ICE_RULE_METADATA_SCHEMAS_DUPLICATE_ID,
        ICE_RULE_METADATA_CURRENT_SCHEMA_ID_MISSING,
        ICE_RULE_METADATA_CURRENT_SCHEMA_ID_DANGLING,
        false,
        false,
    };
    const struct list specs = {
        ICE_META_partition_specs,
        ICE_META_default_spec_id,
        "/partition-specs",
        "/default-spec-id",
        m->n_specs,
        m->default_spec_id,
        ICE_RULE_METADATA_PARTITION_SPECS_EMPTY,
        ICE_RULE_METADATA_PARTITION_SPECS_DUPLICATE_ID,
        ICE_RULE_METADATA_DEFAULT_SPEC_ID_MISSING,
        ICE_RULE_METADATA_DEFAULT_SPEC_ID_DANGLING,
        true,
        false,
    };
    const struct list orders = {
        ICE_META_sort_orders,
        ICE_META_default_sort_order_id,
        "/sort-orders",
        "/default-sort-order-id",
        m->n_orders,
        m->default_sort_order_id,
        ICE_RULE_METADATA_SORT_ORDERS_EMPTY,
        ICE_RULE_METADATA_SORT_ORDERS_DUPLICATE_ID,
        ICE_RULE_METADATA_DEFAULT_SORT_ORDER_ID_MISSING,
        ICE_RULE_METADATA_DEFAULT_SORT_ORDER_ID_DANGLING,
        true,
        true,
    };
    ICE_TRY(check_list(p, &schemas, err));
    ICE_TRY(check_list(p, &specs, err));
    ICE_TRY(check_list(p, &orders, err));
    ICE_TRY(check_identical_schemas(p, err));
    ICE_TRY(check_equivalent_specs(p, err));
    check_single_forms(p);
    check_last_partition_id(p);
    return ICE_OK;
}
