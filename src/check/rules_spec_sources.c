/*
 * spec.field.source-*: the columns that specs partition by. What every schema says about
 * a source is summed up once, some 40 bytes a source.
 */
#include "check/layout_rules.h"

#include "base/error.h"

/* One source id over all listed schemas. */
struct source {
    uint32_t n_schemas;     /* that have it */
    uint32_t n_collections; /* ... inside a list or map */
    uint32_t n_nested;      /* ... as struct, list, map or variant */
    uint32_t kinds;         /* bits of the primitive kinds it has; BAD counts as one */
};

struct source_rules {
    struct ice_layouts *l;
    struct ice_table by_id; /* source id -> source */
    struct source *sources;
    size_t n_sources, cap_sources;
};

static uint64_t key_of(const struct source_rules *r, int32_t id) {
    return ice_hash_mix((uint64_t)id, r->l->p.ck->run->hash_seed);
}

static struct source *find(const struct source_rules *r, int32_t id) {
    size_t slot = SIZE_MAX;
    uint32_t index;
    return ice_table_next(&r->by_id, key_of(r, id), &slot, &index) ? &r->sources[index]
                                                                   : NULL;
}

static enum ice_status list_source(struct source_rules *r, int32_t id) {
    if (find(r, id) != NULL)
        return ICE_OK;
    if (r->n_sources >= UINT32_MAX ||
        !ice_array_reserve(&r->l->p.ck->run->alloc, &r->sources, r->n_sources,
                           &r->cap_sources, sizeof(*r->sources)))
        return ICE_ENOMEM;
    r->sources[r->n_sources] = (struct source){0};
    return ice_table_put(&r->by_id, key_of(r, id), (uint32_t)r->n_sources++);
}

static bool has_source(const struct ice_partition_field *field) {
    return ice_layout_has_one_source(field->has, field->n_source_ids);
}

static enum ice_status list_sources(struct source_rules *r) {
    for (size_t i = 0; i < r->l->n_specs; i++) {
        for (size_t k = 0; k < r->l->specs[i].n_fields; k++) {
            const struct ice_partition_field *field = &r->l->specs[i].fields[k];
            if (has_source(field))
                ICE_TRY(list_source(r, field->source_id));
        }
    }
    return ICE_OK;
}

static void sum_up(struct source_rules *r) {
    for (size_t i = 0; i < r->l->n_schemas && r->n_sources > 0; i++) {
        const struct ice_schema *s = &r->l->schemas[i];
        for (size_t k = 0; k < s->n_fields; k++) {
            const struct ice_field *field = &s->fields[k];
            struct source *source =
                field->has & ICE_FIELD_HAS_ID ? find(r, field->id) : NULL;
            if (source == NULL)
                continue;
            source->n_schemas++;
            if (ice_layout_in_collection(s, field))
                source->n_collections++;
            if (ice_type_is_primitive(&field->type) || field->type.kind == ICE_TYPE_BAD)
                source->kinds |= UINT32_C(1) << field->type.kind;
            else
                source->n_nested++;
        }
    }
}

/* ---- one field ---- */

struct field_rules {
    struct source_rules *r;
    const struct ice_partition_spec *spec;
    const struct ice_partition_field *field;
    bool is_default;
};

static void report(const struct field_rules *f, enum ice_rule_id rule,
                   enum ice_severity severity) {
    FOUND_AS(f->r->l->p.emit, rule, severity,
             ice_layout_at(f->r->l, f->field->pointer, ICE_STR_NONE, ""),
             arg_i64("spec", f->spec->spec_id), arg_str("name", f->field->name),
             arg_i64("source", f->field->source_id));
}

static void report_type(const struct field_rules *f, enum ice_severity severity,
                        struct ice_str type) {
    FOUND_AS(f->r->l->p.emit, ICE_RULE_SPEC_FIELD_SOURCE_TYPE, severity,
             ice_layout_at(f->r->l, f->field->pointer, ICE_STR_NONE, "/transform"),
             arg_i64("spec", f->spec->spec_id), arg_str("name", f->field->name),
             arg_str("transform", f->field->transform.text),
             arg_i64("source", f->field->source_id), arg_str("type", type));
}

/* May the transform be applied to one of the kinds? */
static bool fits_any(const struct ice_transform *transform, uint32_t kinds) {
    for (int kind = 0; kind < ICE_TYPE_BAD; kind++) {
        const struct ice_type type = {.kind = (enum ice_type_kind)kind};
        if ((kinds >> kind & 1) && ice_transform_allows(transform, &type))
            return true;
    }
    return kinds >> ICE_TYPE_BAD & 1;
}

/*
 * Java binds the transforms of every spec to the current schema; only identity of an old
 * one it takes as it is.
 */
static void check_type(const struct field_rules *f, const struct ice_field *current,
                       const struct source *source) {
    const struct ice_transform *t = &f->field->transform;
    bool is_exempt = t->kind == ICE_TRANSFORM_UNKNOWN ||
                     (t->kind == ICE_TRANSFORM_IDENTITY && !f->is_default);
    if (is_exempt || !(f->field->has & ICE_PART_HAS_TRANSFORM))
        return;
    if (current != NULL) {
        if (ice_type_is_primitive(&current->type) &&
            !ice_transform_allows(t, &current->type))
            report_type(f, ICE_ERROR, current->type.text);
    } else if (!f->is_default && source->kinds != 0 && !fits_any(t, source->kinds)) {
        report_type(f, ICE_WARN, ICE_STR("any type that a schema gives it"));
    }
}

static void check_nesting(const struct field_rules *f, const struct ice_field *current,
                          const struct source *source) {
    const struct ice_layouts *l = f->r->l;
    if (f->is_default) {
        if (current == NULL)
            return;
        if (current->type.kind != ICE_TYPE_BAD && !ice_type_is_primitive(&current->type))
            report(f, ICE_RULE_SPEC_FIELD_SOURCE_NOT_PRIMITIVE, ICE_ERROR);
        if (ice_layout_in_collection(l->current, current))
            report(f, ICE_RULE_SPEC_FIELD_SOURCE_IN_COLLECTION, ICE_ERROR);
        return;
    }
    if (source->n_nested > 0 && source->n_nested == source->n_schemas)
        report(f, ICE_RULE_SPEC_FIELD_SOURCE_NOT_PRIMITIVE, ICE_WARN);
    if (source->n_collections > 0 && source->n_collections == source->n_schemas)
        report(f, ICE_RULE_SPEC_FIELD_SOURCE_IN_COLLECTION, ICE_WARN);
}

static void check_field(const struct field_rules *f) {
    const struct ice_schema *schema = f->r->l->current;
    const struct source *source = find(f->r, f->field->source_id);
    if (!has_source(f->field) || source == NULL || schema == NULL)
        return;
    const struct ice_field *any = ice_schema_field(schema, f->field->source_id);
    const struct ice_field *current = ice_layout_field(schema, f->field->source_id);
    if (any != NULL && current == NULL)
        return; /* two columns have the id: schema.field.id.duplicate */
    if (!f->is_default && source->n_schemas == 0)
        report(f, ICE_RULE_SPEC_FIELD_SOURCE_LOST, ICE_DEFAULT);
    if (f->field->transform.kind == ICE_TRANSFORM_VOID)
        return;
    if (f->is_default && current == NULL)
        report(f, ICE_RULE_SPEC_FIELD_SOURCE_DANGLING, ICE_DEFAULT);
    check_nesting(f, current, source);
    check_type(f, current, source);
}

enum ice_status ice_rules_spec_sources(struct ice_layouts *l, struct ice_error *err) {
    struct source_rules r = {.l = l};
    ice_table_init(&r.by_id, &l->p.ck->run->alloc);
    enum ice_status status = list_sources(&r);
    if (status >= 0)
        sum_up(&r);
    for (size_t i = 0; i < l->n_specs && status >= 0; i++) {
        for (size_t k = 0; k < l->specs[i].n_fields; k++) {
            const struct field_rules f = {&r, &l->specs[i], &l->specs[i].fields[k],
                                          i == l->default_spec};
            check_field(&f);
        }
    }
    ice_table_release(&r.by_id);
    ice_array_free(&l->p.ck->run->alloc, &r.sources, &r.cap_sources, sizeof(*r.sources));
    return status < 0 ? ice_error_memory(err) : ICE_OK;
}
