/*
 * Schemas, specs and orders are put down member by member: pointers and gaps between
 * members say nothing.
 */
#include "check/seen.h"

#include "base/pack.h"
#include "check/unit_pack.h"
#include "rule/emit_pack.h"

static void pack_ids(struct ice_pack *pack, const int32_t *ids, size_t n) {
    ice_pack_u64(pack, n);
    ice_pack_bytes(pack, ids, n * sizeof(*ids));
}

static void pack_type(struct ice_pack *pack, const struct ice_type *type) {
    ice_pack_u64(pack, (uint64_t)type->kind);
    ice_pack_str(pack, type->text); /* the rest is read from it */
}

static void pack_field(struct ice_pack *pack, const struct ice_field *field) {
    ice_pack_i64(pack, field->id);
    ice_pack_u64(pack, field->parent);
    ice_pack_u64(pack, field->position);
    ice_pack_u64(pack, (uint64_t)field->role);
    ice_pack_u64(pack, field->has);
    ice_pack_u64(pack, field->bad);
    ice_pack_flag(pack, field->required);
    pack_type(pack, &field->type);
    ice_pack_str(pack, field->name);
    ice_pack_str(pack, field->doc);
    ice_pack_str(pack, field->initial_default);
    ice_pack_str(pack, field->write_default);
    ice_pack_str(pack, field->pointer);
}

static void pack_schema(struct ice_pack *pack, const struct ice_schema *schema) {
    ice_pack_flag(pack, schema->has_schema_id);
    ice_pack_flag(pack, schema->bad_schema_id);
    ice_pack_i64(pack, schema->schema_id);
    ice_pack_flag(pack, schema->is_struct);
    ice_pack_flag(pack, schema->bad_root);
    ice_pack_u64(pack, schema->n_fields);
    for (size_t i = 0; i < schema->n_fields; i++)
        pack_field(pack, &schema->fields[i]);
    ice_pack_flag(pack, schema->has_identifier_ids);
    pack_ids(pack, schema->identifier_ids, schema->n_identifier_ids);
    ice_pack_str(pack, schema->pointer);
}

static void pack_spec(struct ice_pack *pack, const struct ice_partition_spec *spec) {
    ice_pack_flag(pack, spec->has_spec_id);
    ice_pack_flag(pack, spec->has_fields);
    ice_pack_flag(pack, spec->bad_spec_id);
    ice_pack_flag(pack, spec->bad_fields);
    ice_pack_i64(pack, spec->spec_id);
    ice_pack_str(pack, spec->pointer);
    ice_pack_u64(pack, spec->n_fields);
    for (size_t i = 0; i < spec->n_fields; i++) {
        const struct ice_partition_field *field = &spec->fields[i];
        ice_pack_u64(pack, field->has);
        ice_pack_u64(pack, field->bad);
        ice_pack_i64(pack, field->source_id);
        pack_ids(pack, field->source_ids, field->n_source_ids);
        ice_pack_i64(pack, field->field_id);
        ice_pack_str(pack, field->name);
        ice_pack_str(pack, field->transform.text);
        ice_pack_str(pack, field->pointer);
    }
}

static void pack_order(struct ice_pack *pack, const struct ice_sort_order *order) {
    ice_pack_flag(pack, order->has_order_id);
    ice_pack_flag(pack, order->has_fields);
    ice_pack_flag(pack, order->bad_order_id);
    ice_pack_flag(pack, order->bad_fields);
    ice_pack_i64(pack, order->order_id);
    ice_pack_u64(pack, order->n_fields);
    for (size_t i = 0; i < order->n_fields; i++) {
        const struct ice_sort_field *field = &order->fields[i];
        ice_pack_u64(pack, field->has);
        ice_pack_u64(pack, field->bad);
        ice_pack_i64(pack, field->source_id);
        pack_ids(pack, field->source_ids, field->n_source_ids);
        ice_pack_str(pack, field->transform.text);
        ice_pack_str(pack, field->direction);
        ice_pack_str(pack, field->null_order);
    }
}

static void pack_numbers(struct ice_pack *pack, const struct ice_metadata *m) {
    const uint64_t changing =
        ICE_BIT(ICE_META_current_snapshot_id) | ICE_BIT(ICE_META_snapshots) |
        ICE_BIT(ICE_META_snapshot_log) | ICE_BIT(ICE_META_metadata_log) |
        ICE_BIT(ICE_META_refs) | ICE_BIT(ICE_META_statistics) |
        ICE_BIT(ICE_META_partition_statistics) | ICE_BIT(ICE_META_last_updated_ms) |
        ICE_BIT(ICE_META_last_sequence_number) | ICE_BIT(ICE_META_next_row_id);
    ice_pack_u64(pack, m->present & ~changing);
    ice_pack_u64(pack, m->null & ~changing);
    ice_pack_u64(pack, m->bad & ~changing);
    ice_pack_i64(pack, m->format_version);
    ice_pack_i64(pack, m->last_column_id);
    ice_pack_i64(pack, m->current_schema_id);
    ice_pack_i64(pack, m->default_spec_id);
    ice_pack_i64(pack, m->last_partition_id);
    ice_pack_i64(pack, m->default_sort_order_id);
}

static void pack_metadata(struct ice_pack *pack, const struct ice_metadata *m) {
    pack_numbers(pack, m);
    ice_pack_str(pack, m->table_uuid);
    ice_pack_str(pack, m->location);
    pack_schema(pack, &m->schema);
    ice_pack_u64(pack, m->n_schemas);
    for (size_t i = 0; i < m->n_schemas; i++)
        pack_schema(pack, &m->schemas[i]);
    pack_spec(pack, &m->spec);
    ice_pack_u64(pack, m->n_specs);
    for (size_t i = 0; i < m->n_specs; i++)
        pack_spec(pack, &m->specs[i]);
    ice_pack_u64(pack, m->n_orders);
    for (size_t i = 0; i < m->n_orders; i++)
        pack_order(pack, &m->orders[i]);
    ice_pack_u64(pack, m->n_properties);
    for (size_t i = 0; i < m->n_properties; i++) {
        ice_pack_str(pack, m->properties[i].key);
        ice_pack_str(pack, m->properties[i].value);
        ice_pack_flag(pack, m->properties[i].value_is_string);
    }
    ice_pack_u64(pack, m->n_keys);
}

/* How much memory there is, and how many findings a table keeps, decides nothing. */
static void pack_limits(struct ice_pack *pack, struct ice_limits limits) {
    limits.memory = 0;
    ice_pack_bytes(pack, &limits, sizeof(limits));
}

enum ice_status ice_seen_of_table(const struct ice_check *ck, struct ice_hash *out) {
    struct ice_pack pack;
    ice_pack_init(&pack, &ck->run->alloc, SIZE_MAX);
    ice_pack_u64(&pack, ICE_UNIT_FORMAT);
    ice_pack_str(&pack, ice_str_from(ice_version()));
    ice_emit_pack_options(&pack, ck->emit);
    pack_limits(&pack, ck->run->limits);
    ice_pack_u64(&pack, ck->run->hash_seed);
    ice_pack_i64(&pack, ck->version);
    ice_pack_flag(&pack, ck->paths != NULL);
    pack_metadata(&pack, &ck->metadata);
    const enum ice_status status = pack.status;
    *out = ice_hash128(ice_buf_str(&pack.buf), ck->run->hash_seed);
    ice_pack_release(&pack);
    return status < 0 ? ICE_ENOMEM : ICE_OK;
}
