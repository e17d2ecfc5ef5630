/*
 * schema.evolution.* and schema.default.initial-changed: one field id in several schemas.
 *
 * Of each id the ways it stands in schemas are kept, equal ones once, so that a field is
 * compared with few others however many schemas list it: some 60 bytes a distinct way.
 * Needed schemas come first: what two of them disagree about is said at its full level,
 * unless REPLACE TABLE lies between them.
 */
#include "check/layout_rules.h"

#include "base/error.h"
#include "iceberg/default_value.h"

/* Ways that are kept of one id; a table that shows more has been told so already. */
enum { MOST_WAYS = 8 };

/* A field as it stands in one schema or more. */
struct way {
    const struct ice_schema *schema;
    const struct ice_field *field;
    int64_t parent; /* id of the enclosing field; INT64_MIN: top level */
    uint64_t lines; /* of all schemas that have it so */
    uint32_t next;  /* way of the same id, NONE at the end */
};
#define NONE UINT32_MAX

struct evolution {
    struct ice_layouts *l;
    struct ice_table by_id;        /* id -> first way */
    struct ice_table hard_sources; /* source ids that specs hash or keep as they are */
    struct way *ways;
    size_t n_ways, cap_ways;
};

static int64_t parent_of(const struct ice_schema *s, const struct ice_field *field) {
    if (field->parent == ICE_NO_PARENT)
        return INT64_MIN;
    return s->fields[field->parent].id;
}

/* ---- promotion (spec: #schema-evolution) ---- */

static bool is_pair(enum ice_type_kind a, enum ice_type_kind b, enum ice_type_kind x,
                    enum ice_type_kind y) {
    return (a == x && b == y) || (a == y && b == x);
}

static bool is_date_promotion(enum ice_type_kind a, enum ice_type_kind b) {
    return is_pair(a, b, ICE_TYPE_DATE, ICE_TYPE_TIMESTAMP) ||
           is_pair(a, b, ICE_TYPE_DATE, ICE_TYPE_TIMESTAMP_NS);
}

/* In either direction: ids are used again, so the order of schemas proves nothing. */
static bool is_linked(const struct ice_type *a, const struct ice_type *b, int version) {
    if (a->kind == ICE_TYPE_DECIMAL && b->kind == ICE_TYPE_DECIMAL)
        return a->scale == b->scale;
    if (ice_type_equal(a, b) || is_pair(a->kind, b->kind, ICE_TYPE_INT, ICE_TYPE_LONG) ||
        is_pair(a->kind, b->kind, ICE_TYPE_FLOAT, ICE_TYPE_DOUBLE))
        return true;
    return version >= 3 && (a->kind == ICE_TYPE_UNKNOWN || b->kind == ICE_TYPE_UNKNOWN ||
                            is_date_promotion(a->kind, b->kind));
}

/* ---- two ways of one id ---- */

static bool is_same_way(const struct evolution *e, const struct way *a,
                        const struct way *b) {
    bool same_default = e->l->p.version < 3 ||
                        ice_default_same(&a->field->type, a->field->initial_default,
                                         &b->field->type, b->field->initial_default);
    return a->parent == b->parent && same_default &&
           ice_type_equal(&a->field->type, &b->field->type);
}

/* What a new way disagrees about with the older ones, each question once. */
struct told {
    bool type, partition, parent, value;
};

static void compare(struct evolution *e, const struct way *new_way, const struct way *old,
                    bool is_needed, struct told *told) {
    struct ice_layouts *l = e->l;
    const struct ice_schema *s = new_way->schema;
    const struct ice_field *a = new_way->field, *b = old->field;
    struct ice_arg id = arg_i64("id", a->id), name = arg_str("name", a->name);
    struct ice_arg other = arg_i64("other", old->schema->schema_id);
    struct ice_arg type = arg_str("type", a->type.text);
    struct ice_arg other_type = arg_str("other_type", b->type.text);
    size_t slot = SIZE_MAX;
    uint32_t spec;
    if (!told->type && !is_linked(&a->type, &b->type, l->p.version)) {
        enum ice_rule_id rule = ICE_RULE_SCHEMA_EVOLUTION_ILLEGAL_PROMOTION;
        told->type = true;
        FOUND_AS(l->p.emit, rule, ice_layout_severity(is_needed, rule),
                 ice_layout_at(l, s->pointer, a->pointer, ""), id, name, type, other,
                 other_type);
    }
    uint64_t key = ice_hash_mix((uint64_t)a->id, s->hash_seed);
    if (!told->partition && l->p.version >= 3 &&
        is_date_promotion(a->type.kind, b->type.kind) &&
        ice_table_next(&e->hard_sources, key, &slot, &spec)) {
        enum ice_rule_id rule = ICE_RULE_SCHEMA_EVOLUTION_PARTITION_SOURCE;
        told->partition = true;
        FOUND_AS(l->p.emit, rule, ice_layout_severity(is_needed, rule),
                 ice_layout_at(l, s->pointer, a->pointer, ""), id, name, type, other,
                 other_type, arg_i64("spec", l->specs[spec].spec_id));
    }
    if (!told->parent && new_way->parent != old->parent) {
        enum ice_rule_id rule = ICE_RULE_SCHEMA_EVOLUTION_MOVED;
        told->parent = true;
        FOUND_AS(l->p.emit, rule, ice_layout_severity(is_needed, rule),
                 ice_layout_at(l, s->pointer, a->pointer, ""), id, name, other);
    }
    if (!told->value && l->p.version >= 3 &&
        !ice_default_same(&a->type, a->initial_default, &b->type, b->initial_default)) {
        enum ice_rule_id rule = ICE_RULE_SCHEMA_DEFAULT_INITIAL_CHANGED;
        told->value = true;
        FOUND_AS(l->p.emit, rule, ice_layout_severity(is_needed, rule),
                 ice_layout_at(l, s->pointer, a->pointer, ""), id, name, other,
                 arg_str("value",
                         a->initial_default.size ? a->initial_default : ICE_STR("null")),
                 arg_str("other_value",
                         b->initial_default.size ? b->initial_default : ICE_STR("null")));
    }
}

static enum ice_status keep_way(struct evolution *e, const struct way *way, uint64_t key,
                                uint32_t last) {
    uint32_t index = (uint32_t)e->n_ways;
    if (e->n_ways >= NONE ||
        !ice_array_reserve(&e->l->p.ck->run->alloc, &e->ways, e->n_ways, &e->cap_ways,
                           sizeof(*e->ways)))
        return ICE_ENOMEM;
    e->ways[e->n_ways++] = *way;
    if (last == NONE)
        return ice_table_put(&e->by_id, key, index);
    e->ways[last].next = index;
    return ICE_OK;
}

/* With the ways before it; those of its own lines first, for those are told in full. */
static void compare_all(struct evolution *e, const struct way *way, uint32_t first,
                        bool is_needed) {
    struct told told = {0};
    for (uint32_t i = first; i != NONE; i = e->ways[i].next) {
        if (e->ways[i].lines & way->lines)
            compare(e, way, &e->ways[i], is_needed, &told);
    }
    for (uint32_t i = first; i != NONE; i = e->ways[i].next) {
        if ((e->ways[i].lines & way->lines) == 0)
            compare(e, way, &e->ways[i], false, &told);
    }
}

/* A way that was met before is now met in more lines: with the others of those only. */
static void meet_lines(struct evolution *e, const struct way *way, uint32_t first,
                       uint32_t same, bool is_needed) {
    const uint64_t added = way->lines & ~e->ways[same].lines;
    struct told told = {0};
    e->ways[same].lines |= added;
    for (uint32_t i = first; added != 0 && i != NONE; i = e->ways[i].next) {
        if (i != same && (e->ways[i].lines & added))
            compare(e, way, &e->ways[i], is_needed, &told);
    }
}

static enum ice_status take_field(struct evolution *e, size_t index,
                                  const struct ice_field *field, bool is_needed) {
    const struct ice_schema *s = &e->l->schemas[index];
    if (!(field->has & ICE_FIELD_HAS_ID) || field->type.kind == ICE_TYPE_BAD ||
        ice_layout_field(s, field->id) == NULL)
        return ICE_OK;
    const struct way way = {s, field, parent_of(s, field), e->l->schema_lines[index],
                            NONE};
    uint64_t key = ice_hash_mix((uint64_t)field->id, s->hash_seed);
    size_t slot = SIZE_MAX, n = 0;
    uint32_t first = NONE, last = NONE;
    (void)ice_table_next(&e->by_id, key, &slot, &first);
    for (uint32_t i = first; i != NONE; i = e->ways[i].next) {
        if (is_same_way(e, &way, &e->ways[i])) {
            meet_lines(e, &way, first, i, is_needed);
            return ICE_OK;
        }
        last = i;
        n++;
    }
    if (n >= MOST_WAYS)
        return ICE_OK;
    compare_all(e, &way, first, is_needed);
    return keep_way(e, &way, key, last);
}

/* ---- all ---- */

/* year, month and day give the same value for a date and its timestamp. */
static enum ice_status take_hard_sources(struct evolution *e) {
    const struct ice_layouts *l = e->l;
    for (size_t i = 0; i < l->n_specs; i++) {
        for (size_t k = 0; k < l->specs[i].n_fields; k++) {
            const struct ice_partition_field *field = &l->specs[i].fields[k];
            enum ice_transform_kind kind = field->transform.kind;
            if (kind != ICE_TRANSFORM_BUCKET && kind != ICE_TRANSFORM_IDENTITY &&
                kind != ICE_TRANSFORM_UNKNOWN)
                continue;
            uint64_t key =
                ice_hash_mix((uint64_t)field->source_id, l->p.ck->run->hash_seed);
            ICE_TRY(ice_table_put(&e->hard_sources, key, (uint32_t)i));
        }
    }
    return ICE_OK;
}

static enum ice_status take_schemas(struct evolution *e, bool is_needed) {
    for (size_t i = 0; i < e->l->n_schemas; i++) {
        const struct ice_schema *s = &e->l->schemas[i];
        if (e->l->schema_needed[i] != is_needed)
            continue;
        if (ice_check_cancelled(e->l->p.ck))
            return ICE_ECANCELLED;
        for (size_t k = 0; k < s->n_fields; k++)
            ICE_TRY(take_field(e, i, &s->fields[k], is_needed));
    }
    return ICE_OK;
}

enum ice_status ice_rules_evolution(struct ice_layouts *l, struct ice_error *err) {
    struct ice_alloc *alloc = &l->p.ck->run->alloc;
    struct evolution e = {.l = l};
    if (l->n_schemas < 2)
        return ICE_OK;
    ice_table_init(&e.by_id, alloc);
    ice_table_init(&e.hard_sources, alloc);
    enum ice_status status = take_hard_sources(&e);
    if (status >= 0)
        status = take_schemas(&e, true);
    if (status >= 0)
        status = take_schemas(&e, false);
    ice_table_release(&e.by_id);
    ice_table_release(&e.hard_sources);
    ice_array_free(alloc, &e.ways, &e.cap_ways, sizeof(*e.ways));
    return status == ICE_ENOMEM ? ice_error_memory(err) : status;
}
