/*
 * Group 15: the key/value header of a manifest, by itself and against metadata.json.
 */
#include "check/manifest_walk.h"

#include <stdio.h>

static bool has_key(const struct ice_manifest_walk *walk, unsigned bit) {
    return walk->manifest->header & bit;
}
static bool is_good(const struct ice_manifest_walk *walk, unsigned bit) {
    return walk->manifest->header & ~walk->manifest->header_bad & bit;
}

static void found_at(const struct ice_manifest_walk *walk, enum ice_rule_id rule,
                     const char *pointer) {
    struct ice_place place = ice_header_place(walk, pointer);
    FOUND(walk->ck->emit, rule, &place, ARG_NONE);
}

/* The value of a key that says what it should not. */
static void found_text(const struct ice_manifest_walk *walk, enum ice_rule_id rule,
                       const char *pointer, const char *key) {
    struct ice_str text = ICE_STR_NONE;
    struct ice_place place = ice_header_place(walk, pointer);
    (void)ice_avro_header(&walk->manifest->file, key, &text);
    FOUND(walk->ck->emit, rule, &place, arg_str("found", text));
}

/* ---- schema ---- */

/* A listed schema without a usable id may be any. */
static bool is_listed(const struct ice_metadata *metadata, int64_t schema_id,
                      int64_t *out_most) {
    bool found = false;
    *out_most = -1;
    for (size_t i = 0; i < metadata->n_schemas; i++) {
        if (metadata->schemas[i].schema_id == schema_id ||
            metadata->schemas[i].bad_schema_id)
            found = true;
        if (metadata->schemas[i].schema_id > *out_most)
            *out_most = metadata->schemas[i].schema_id;
    }
    return found;
}

static void found_schema_id(const struct ice_manifest_walk *walk, const char *why) {
    struct ice_str text = ICE_STR_NONE;
    struct ice_place place = ice_header_place(walk, "/header/schema-id");
    (void)ice_avro_header(&walk->manifest->file, "schema-id", &text);
    FOUND(walk->ck->emit, ICE_RULE_MANIFEST_HEADER_SCHEMA_ID_MISMATCH, &place,
          arg_str("found", text), arg_text("why", why));
}

static void schema_id(const struct ice_manifest_walk *walk) {
    const struct ice_manifest *manifest = walk->manifest;
    int64_t most;
    if (!has_key(walk, ICE_MHEAD_SCHEMA_ID)) {
        if (walk->version >= 2)
            found_at(walk, ICE_RULE_MANIFEST_HEADER_SCHEMA_ID_MISSING, "/header");
        return;
    }
    if (!is_good(walk, ICE_MHEAD_SCHEMA_ID))
        found_schema_id(walk, "that is no number");
    else if (is_good(walk, ICE_MHEAD_SCHEMA) &&
             manifest->header_schema_id != manifest->header_schema.schema_id)
        found_schema_id(walk, "schema beside it has another id");
    else if (walk->ck->metadata.n_schemas > 0 &&
             !is_listed(&walk->ck->metadata, manifest->header_schema_id, &most) &&
             manifest->header_schema_id > most) /* a smaller one was pruned */
        found_schema_id(walk, "the table never had a schema of that id");
}

static bool any_schema_has(const struct ice_metadata *metadata, int32_t field_id) {
    for (size_t i = metadata->n_schemas; i > 0; i--)
        if (ice_schema_field(&metadata->schemas[i - 1], field_id))
            return true;
    return ice_schema_field(&metadata->schema, field_id) != NULL;
}

/*
 * A schema that was written before the table kept a list of schemas says nothing about
 * its id: only an id that stands there is compared. And it may be that of a schema that
 * was taken off the list since: ids of schemas are given again, those of columns are not.
 */
static void schema_against_table(const struct ice_manifest_walk *walk) {
    const struct ice_manifest *manifest = walk->manifest;
    const struct ice_schema *schema = &manifest->header_schema;
    const struct ice_metadata *metadata = &walk->ck->metadata;
    bool has_id = schema->has_schema_id || is_good(walk, ICE_MHEAD_SCHEMA_ID);
    int64_t id = schema->has_schema_id ? schema->schema_id : manifest->header_schema_id,
            most;
    if (!walk->facts || metadata->n_schemas == 0 || !has_id ||
        !is_listed(metadata, id, &most))
        return;
    for (size_t i = 0; i < schema->n_fields; i++) {
        const struct ice_field *field = &schema->fields[i];
        if (!(field->has & ICE_FIELD_HAS_ID) || any_schema_has(metadata, field->id) ||
            ice_metadata_gave_id(metadata, field->id))
            continue;
        struct ice_place place = ice_header_place(walk, "/header/schema");
        FOUND(walk->ck->emit, ICE_RULE_MANIFEST_HEADER_SCHEMA_MISMATCH, &place,
              arg_str("name", field->name), arg_i64("field_id", field->id));
        return;
    }
}

/* A struct all of whose fields have what a field needs, in types that are known. */
static bool is_whole_schema(const struct ice_schema *schema) {
    for (size_t i = 0; i < schema->n_fields; i++) {
        const struct ice_field *field = &schema->fields[i];
        unsigned needed = ICE_FIELD_HAS_ID | ICE_FIELD_HAS_TYPE;
        if (field->role == ICE_ROLE_FIELD)
            needed |= ICE_FIELD_HAS_NAME | ICE_FIELD_HAS_REQUIRED;
        if ((field->has & needed) != needed || field->bad != 0 ||
            field->type.kind == ICE_TYPE_BAD)
            return false;
    }
    return true;
}

static void schema(const struct ice_manifest_walk *walk) {
    if (!has_key(walk, ICE_MHEAD_SCHEMA))
        found_at(walk, ICE_RULE_MANIFEST_HEADER_SCHEMA_MISSING, "/header");
    else if (!is_good(walk, ICE_MHEAD_SCHEMA) ||
             !is_whole_schema(&walk->manifest->header_schema))
        found_at(walk, ICE_RULE_MANIFEST_HEADER_SCHEMA_INVALID, "/header/schema");
    else
        schema_against_table(walk);
    schema_id(walk);
}

/* ---- spec ---- */

static bool same_sources(const struct ice_partition_field *a,
                         const struct ice_partition_field *b) {
    if (a->n_source_ids > 1 || b->n_source_ids > 1) {
        if (a->n_source_ids != b->n_source_ids)
            return false;
        for (size_t i = 0; i < a->n_source_ids; i++)
            if (a->source_ids[i] != b->source_ids[i])
                return false;
        return true;
    }
    return a->source_id == b->source_id;
}

/* What differs, or NULL. *out_name_only: nothing but a name does. */
static const char *spec_difference(const struct ice_partition_spec *header,
                                   const struct ice_partition_spec *table, bool with_ids,
                                   bool *out_name_only) {
    const char *name = NULL;
    *out_name_only = false;
    if (header->n_fields != table->n_fields)
        return "it has another number of fields";
    for (size_t i = 0; i < header->n_fields; i++) {
        const struct ice_partition_field *a = &header->fields[i], *b = &table->fields[i];
        if (!same_sources(a, b))
            return "another source column";
        if (!ice_transform_equal(&a->transform, &b->transform))
            return "another transform";
        if (with_ids && a->has & b->has & ICE_PART_HAS_FIELD_ID &&
            a->field_id != b->field_id)
            return "another field id";
        if (!ice_str_equal(a->name, b->name))
            name = "a field was renamed";
    }
    *out_name_only = name != NULL;
    return name;
}

static void spec_against_table(const struct ice_manifest_walk *walk) {
    const struct ice_manifest *manifest = walk->manifest;
    int64_t id = is_good(walk, ICE_MHEAD_SPEC_ID) ? manifest->header_spec_id
                 : walk->spec                     ? walk->spec->spec_id
                                                  : 0;
    const struct ice_partition_spec *table =
        id >= INT32_MIN && id <= INT32_MAX
            ? ice_metadata_find_spec(&walk->ck->metadata, (int32_t)id)
            : NULL;
    bool name_only;
    /* old Java wrote v1 field ids by position, or none */
    bool with_ids = walk->ck->version > 1 && walk->version > 1;
    if (!walk->facts || !table || manifest->header_spec_is_object)
        return;
    const char *why =
        spec_difference(&manifest->header_spec, table, with_ids, &name_only);
    if (!why)
        return;
    struct ice_place place = ice_header_place(walk, "/header/partition-spec");
    FOUND_AS(walk->ck->emit, ICE_RULE_MANIFEST_HEADER_PARTITION_SPEC_MISMATCH,
             name_only ? ICE_INFO : ICE_ERROR, &place, arg_i64("spec_id", id),
             arg_text("why", why));
}

static void spec(const struct ice_manifest_walk *walk) {
    struct ice_place place = ice_header_place(walk, "/header/partition-spec");
    if (!has_key(walk, ICE_MHEAD_SPEC))
        found_at(walk, ICE_RULE_MANIFEST_HEADER_PARTITION_SPEC_MISSING, "/header");
    else if (!is_good(walk, ICE_MHEAD_SPEC))
        FOUND(walk->ck->emit, ICE_RULE_MANIFEST_HEADER_PARTITION_SPEC_INVALID, &place,
              arg_text("found", "no JSON that a spec could be"));
    else if (walk->manifest->header_spec_is_object)
        FOUND_AS(walk->ck->emit, ICE_RULE_MANIFEST_HEADER_PARTITION_SPEC_INVALID,
                 ICE_WARN, &place, arg_text("found", "the full spec object"));
    else
        spec_against_table(walk);
    if (has_key(walk, ICE_MHEAD_SPEC_ID) && !is_good(walk, ICE_MHEAD_SPEC_ID))
        found_text(walk, ICE_RULE_MANIFEST_HEADER_PARTITION_SPEC_ID_INVALID,
                   "/header/partition-spec-id", "partition-spec-id");
    else if (!has_key(walk, ICE_MHEAD_SPEC_ID) && walk->version >= 2)
        found_at(walk, ICE_RULE_MANIFEST_HEADER_PARTITION_SPEC_ID_MISSING, "/header");
}

/* ---- version and content ---- */

static void version(const struct ice_manifest_walk *walk) {
    const struct ice_manifest *manifest = walk->manifest;
    int table = walk->ck->version;
    if (!has_key(walk, ICE_MHEAD_VERSION)) {
        if (table >= 2 &&
            (ice_manifest_has_column(manifest, ICE_ENTRY_sequence_number) ||
             ice_manifest_has_column(manifest, ICE_ENTRY_file_sequence_number)))
            found_at(walk, ICE_RULE_MANIFEST_HEADER_FORMAT_VERSION_MISSING, "/header");
        return;
    }
    if (!is_good(walk, ICE_MHEAD_VERSION) || manifest->header_version < 1) {
        found_text(walk, ICE_RULE_MANIFEST_HEADER_FORMAT_VERSION_INVALID,
                   "/header/format-version", "format-version");
        return;
    }
    if (table == 0 || manifest->header_version <= table)
        return;
    /* Java appends what ManifestFiles.write(2, ...) made to a v1 table, and readers take
     * it */
    bool is_harmless =
        manifest->header_version == 2 && !ice_str_is(manifest->header_content, "deletes");
    struct ice_place place = ice_header_place(walk, "/header/format-version");
    FOUND_AS(walk->ck->emit, ICE_RULE_MANIFEST_HEADER_FORMAT_VERSION_ABOVE_TABLE,
             is_harmless ? ICE_WARN : ICE_ERROR, &place,
             arg_i64("found", manifest->header_version), arg_i64("table", table));
}

static void content(const struct ice_manifest_walk *walk) {
    struct ice_str found = walk->manifest->header_content;
    if (walk->version < 2)
        return;
    if (!has_key(walk, ICE_MHEAD_CONTENT)) {
        found_at(walk, ICE_RULE_MANIFEST_HEADER_CONTENT_MISSING, "/header");
        return;
    }
    if (ice_str_is(found, "data") || ice_str_is(found, "deletes"))
        return;
    struct ice_place place = ice_header_place(walk, "/header/content");
    FOUND(walk->ck->emit, ICE_RULE_MANIFEST_HEADER_CONTENT_INVALID, &place,
          arg_str("found", found));
}

void ice_manifest_header_rules(struct ice_manifest_walk *walk) {
    struct ice_check *ck = walk->ck;
    if (!walk->has_header) { /* a plain Avro library: one finding a table, in pass 3 */
        if (ck->n_header_missing++ == 0)
            ck->header_missing_place =
                ice_place_at(walk->file, walk->order, ICE_STR("/header"));
        return;
    }
    schema(walk);
    spec(walk);
    version(walk);
    content(walk);
}
