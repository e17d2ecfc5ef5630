/*
 * Partition values that went with their column. Once a spec has lost a field and the
 * table its source column, Iceberg Java 1.11 and 1.12 know no type for the field: where
 * they write a manifest of that spec anew, it is Avro's null, with a summary made of the
 * values before or of none. Scans stay right, nobody can filter on a dropped column; but
 * delete files of the spec keep the old values. Which of them were for which file cannot
 * be told any more.
 */
#include "check/manifest_facts.h"
#include "check/manifest_walk.h"
#include "check/set_rules.h"

bool ice_partition_is_lost(const struct ice_manifest_walk *walk,
                           const struct ice_partition_field *field, size_t index) {
    const struct ice_manifest *manifest = walk->manifest;
    const struct ice_avro_schema *tuple = manifest->plan.tuple;
    const struct ice_schema *current = ice_metadata_current_schema(&walk->ck->metadata);
    bool nullable,
        has_header = manifest->header & ~manifest->header_bad & ICE_MHEAD_SCHEMA;
    if (!tuple || index >= tuple->n_fields || !current ||
        !(field->has & ICE_PART_HAS_SOURCE_ID) || field->n_source_ids > 1 ||
        field->transform.kind == ICE_TRANSFORM_VOID)
        return false;
    return ice_avro_not_null(tuple->fields[index].type, &nullable)->type ==
               ICE_AVRO_NULL &&
           !ice_schema_field(current, field->source_id) &&
           !(has_header && ice_schema_field(&manifest->header_schema, field->source_id));
}

/* ---- once a spec ---- */

/* What is known of one spec. */
struct lost {
    uint64_t manifests;
    uint32_t manifest; /* one of them, at a head where there is such */
    uint32_t fields;   /* that are lost in that one, as bits */
    bool at_head;
    /* Sequence numbers, at heads: of the oldest data file in one; the first that no
     * delete file reaches, INT64_MIN: there is none. */
    int64_t oldest, out_of_reach;
};

static uint64_t live(const struct ice_manifest_facts *manifest) {
    return manifest->totals.entries[ICE_STATUS_EXISTING] +
           manifest->totals.entries[ICE_STATUS_ADDED];
}

static bool holds_deletes(const struct ice_manifest_facts *manifest) {
    return manifest->totals.has_contents[ICE_CONTENT_POSITION_DELETES] ||
           manifest->totals.has_contents[ICE_CONTENT_EQUALITY_DELETES];
}

/* Equality deletes are for data files with a smaller number, others also with theirs. */
static int64_t out_of_reach(const struct ice_manifest_facts *manifest) {
    int64_t number = manifest->records->row.sequence_number;
    bool reaches_own = manifest->totals.has_contents[ICE_CONTENT_POSITION_DELETES];
    return number + (reaches_own && number < INT64_MAX ? 1 : 0);
}

/* A number at or below those of its live entries. */
static int64_t oldest_of(const struct ice_manifest_facts *manifest) {
    const struct ice_manifest_totals *totals = &manifest->totals;
    int64_t listed = manifest->records->row.sequence_number;
    if (holds_deletes(manifest) || totals->has_unknown_live)
        return INT64_MIN; /* deletes without values meet files of any partition */
    if (!totals->has_live_sequence ||
        (totals->has_inherited_live && listed < totals->min_live_sequence))
        return listed;
    return totals->min_live_sequence;
}

static void look_at(const struct ice_check *ck, uint32_t number, struct lost *specs) {
    const struct ice_manifest_facts *manifest = &ck->manifests[number];
    const struct ice_metadata *m = &ck->metadata;
    const struct ice_list_record *record = manifest->records;
    if (!record || !ice_record_has(record, ICE_LIST_partition_spec_id) ||
        live(manifest) == 0 || (!manifest->lost_fields && !holds_deletes(manifest)))
        return;
    const struct ice_partition_spec *spec =
        ice_metadata_find_spec(m, record->row.partition_spec_id);
    if (!spec || m->n_specs == 0) /* without specs it stands outside of the array */
        return;
    struct lost *lost = &specs[spec - m->specs];
    bool at_head = ice_manifest_scope(ck, manifest) == ICE_SCOPE_HEAD;
    if (at_head && holds_deletes(manifest) && out_of_reach(manifest) > lost->out_of_reach)
        lost->out_of_reach = out_of_reach(manifest);
    if (!manifest->lost_fields)
        return;
    if (at_head && oldest_of(manifest) < lost->oldest)
        lost->oldest = oldest_of(manifest);
    lost->manifests++;
    if (lost->at_head && !at_head)
        return;
    lost->fields = manifest->lost_fields;
    lost->manifest = number;
    lost->at_head = at_head;
}

static void report(struct ice_check *ck, const struct ice_partition_spec *spec,
                   const struct lost *lost) {
    struct ice_str path = ck->manifests[lost->manifest].path;
    struct ice_place place = ice_place_file(ice_check_file_name(ck, path),
                                            ICE_ORDER_MANIFEST + lost->manifest);
    bool is_hurt = lost->out_of_reach > lost->oldest;
    size_t first = 0;
    while (first < spec->n_fields && !(lost->fields & ice_lost_bit(first)))
        first++;
    if (first == spec->n_fields)
        return;
    FOUND_AS(
        ck->emit, ICE_RULE_MANIFEST_PARTITION_VALUES_LOST, is_hurt ? ICE_WARN : ICE_INFO,
        &place, arg_str("name", spec->fields[first].name),
        arg_i64("spec_id", spec->spec_id), arg_i64("manifests", (int64_t)lost->manifests),
        arg_i64("source_id", spec->fields[first].source_id),
        arg_text("deletes",
                 is_hurt
                     ? "live delete files of the spec may miss the rows that they delete"
                     : "no live delete file of the spec is for them"));
}

enum ice_status ice_lost_partitions_check(struct ice_check *ck) {
    const struct ice_metadata *m = &ck->metadata;
    bool any = false;
    for (size_t i = 0; i < ck->n_manifests && !any; i++)
        any = ck->manifests[i].lost_fields != 0;
    if (!any || m->n_specs == 0)
        return ICE_OK;
    struct lost *specs = ice_calloc(&ck->run->alloc, m->n_specs, sizeof(*specs));
    if (!specs)
        return ICE_ENOMEM;
    for (size_t i = 0; i < m->n_specs; i++) {
        specs[i].oldest = INT64_MAX;
        specs[i].out_of_reach = INT64_MIN;
    }
    for (uint32_t i = 0; i < ck->n_manifests; i++)
        look_at(ck, i, specs);
    for (size_t i = 0; i < m->n_specs; i++)
        report(ck, &m->specs[i], &specs[i]);
    ice_free(&ck->run->alloc, specs, m->n_specs * sizeof(*specs));
    return ICE_OK;
}
