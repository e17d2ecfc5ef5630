/*
 * Group 25, the rows that compare what the catalog says with the metadata it points to.
 *
 * Reads: ck->pointer, metadata; nothing is opened. Leaves nothing behind.
 */
#include "check/pointers.h"

#include "base/error.h"
#include "check/kinship.h"

/* Is the file that was read the one that the entry names? */
static bool is_about_this_file(const struct ice_check *ck) {
    return ck->target->is_document ||
           ice_str_equal(ice_uri_base_name(ck->pointer->metadata_location),
                         ice_key_name(ck->metadata_key));
}

static void check_identity(const struct ice_check *ck, const struct ice_place *place) {
    const struct ice_pointer *entry = ck->pointer;
    const struct ice_metadata *m = &ck->metadata;
    if (ice_is_other_uuid(entry->table_uuid, m->table_uuid))
        FOUND(ck->emit, ICE_RULE_CATALOG_POINTER_UUID, place,
              arg_str("catalog", entry->table_uuid), arg_str("uuid", m->table_uuid));
    if (entry->location.size > 0 && m->location.size > 0 &&
        !ice_uri_is_same(ck->run, entry->location, m->location))
        FOUND(ck->emit, ICE_RULE_CATALOG_LOCATION, place,
              arg_str("catalog", entry->location), arg_str("location", m->location));
    struct ice_str rest;
    if (!ck->is_relocated && m->location.size > 0 &&
        !ice_uri_is_below(ck->run, entry->metadata_location, m->location, &rest))
        FOUND(ck->emit, ICE_RULE_CATALOG_POINTER_OUTSIDE_LOCATION, place,
              arg_str("path", entry->metadata_location),
              arg_str("location", m->location));
}

/* Catalogs of many formats mark Iceberg tables so; others hold nothing else. */
static void check_type(const struct ice_check *ck, const struct ice_place *place) {
    const struct ice_pointer *entry = ck->pointer;
    bool is_marked = entry->format == ICE_POINTER_GLUE ||
                     entry->format == ICE_POINTER_BIGQUERY ||
                     (entry->format == ICE_POINTER_HIVE && entry->table_type.size > 0);
    if (is_marked && entry->metadata_location.size > 0 &&
        !ice_str_equal_nocase(entry->table_type, ICE_STR("ICEBERG")))
        FOUND(ck->emit, ICE_RULE_CATALOG_TABLE_TYPE, place,
              arg_str("type", entry->table_type));
}

static void check_snapshot(const struct ice_check *ck, const struct ice_place *place) {
    const struct ice_pointer *entry = ck->pointer;
    const struct ice_metadata *m = &ck->metadata;
    int64_t current =
        ice_metadata_has(m, ICE_META_current_snapshot_id) ? m->current_snapshot_id : -1;
    bool has_copy = entry->has_snapshot_id && entry->snapshot_id >= 0;
    if (has_copy && entry->snapshot_id != current)
        FOUND(ck->emit, ICE_RULE_CATALOG_SNAPSHOT_ID, place,
              arg_id("catalog", entry->snapshot_id), arg_id("current", current));
}

/* ---- the entry before ---- */

/*
 * The file that is numbered just before the current one, where the log ends earlier: old
 * PyIceberg copies the log of Spark or Java and adds nothing to it.
 */
static bool is_numbered_before(const struct ice_check *ck, struct ice_str previous,
                               struct ice_str last) {
    bool is_hadoop[2];
    int64_t version = ice_metadata_name_version(previous, &is_hadoop[0]);
    int64_t own =
        ice_metadata_name_version(ice_key_name(ck->metadata_key), &is_hadoop[1]);
    return version >= 0 && version == own - 1 && is_hadoop[0] == is_hadoop[1] &&
           ice_number_order(last, previous) == ICE_NUMBERS_LOWER &&
           ice_pointer_find_name(ck->target, previous) != SIZE_MAX;
}

static void check_previous(const struct ice_check *ck, const struct ice_place *place) {
    const struct ice_pointer *entry = ck->pointer;
    const struct ice_metadata *m = &ck->metadata;
    struct ice_str previous = entry->previous_metadata_location;
    if (previous.size == 0)
        return;
    if (ice_uri_is_same(ck->run, previous, entry->metadata_location)) {
        FOUND(ck->emit, ICE_RULE_CATALOG_PREVIOUS_EQUALS_CURRENT, place,
              arg_str("path", previous));
        return;
    }
    const struct ice_metadata_log_entry *last =
        m->n_metadata_log > 0 ? &m->metadata_log[m->n_metadata_log - 1] : NULL;
    if (last != NULL && last->has_what &&
        !ice_uri_is_same(ck->run, previous, last->file) &&
        !is_numbered_before(ck, ice_uri_base_name(previous),
                            ice_uri_base_name(last->file)))
        FOUND(ck->emit, ICE_RULE_CATALOG_PREVIOUS_MISMATCH, place,
              arg_str("previous", previous), arg_str("last", last->file));
    bool is_beside = ice_uri_is_same(ck->run, ice_key_parent(previous),
                                     ice_key_parent(entry->metadata_location));
    if (is_beside && ck->metadata_source == ck->target->source &&
        ck->target->kind == ICE_TARGET_TABLE &&
        ice_pointer_find_name(ck->target, ice_uri_base_name(previous)) == SIZE_MAX)
        FOUND(ck->emit, ICE_RULE_CATALOG_PREVIOUS_MISSING_FILE, place,
              arg_str("path", previous));
}

/* ---- columns ---- */

static bool has_column(const struct ice_pointer *entry, struct ice_str name) {
    for (size_t i = 0; i < entry->n_columns; i++) {
        if (ice_str_equal_nocase(entry->columns[i], name))
            return true;
    }
    return false;
}

static bool has_field(const struct ice_schema *schema, struct ice_str name) {
    for (size_t i = 0; i < schema->n_fields; i++) {
        if (schema->fields[i].parent == ICE_NO_PARENT &&
            ice_str_equal_nocase(schema->fields[i].name, name))
            return true;
    }
    return false;
}

/* Columns beyond this are not compared: catalogs cut long lists, too. */
enum { MOST_COLUMNS = 2000 };

static void check_columns(const struct ice_check *ck, const struct ice_place *place) {
    const struct ice_pointer *entry = ck->pointer;
    const struct ice_schema *schema = ice_metadata_current_schema(&ck->metadata);
    struct ice_str odd = ICE_STR_NONE;
    bool is_catalogs = false;
    if (schema == NULL || entry->n_columns == 0 || entry->n_columns > MOST_COLUMNS ||
        schema->n_fields > MOST_COLUMNS)
        return;
    for (size_t i = 0; odd.size == 0 && i < schema->n_fields; i++) {
        const struct ice_field *field = &schema->fields[i];
        if (field->parent == ICE_NO_PARENT && !has_column(entry, field->name))
            odd = field->name;
    }
    for (size_t i = 0; odd.size == 0 && i < entry->n_columns; i++) {
        if (!has_field(schema, entry->columns[i])) {
            odd = entry->columns[i];
            is_catalogs = true;
        }
    }
    if (odd.size > 0)
        FOUND(ck->emit, ICE_RULE_CATALOG_COLUMNS, place, arg_str("column", odd),
              arg_text("where", is_catalogs ? "the catalog" : "the table"));
}

/* ---- two names for one table ---- */

/* Registered twice, and committed to through both names since: another file of the same
 * directory, of the same uuid. */
static enum ice_status has_diverged(struct ice_check *ck, const struct ice_pointer *other,
                                    struct ice_str directory, bool *out,
                                    struct ice_error *err) {
    struct ice_str key, uuid, unused;
    struct ice_error fault;
    *out = false;
    /* asked of all entries for each table: the beginning settles nearly all of them */
    if (!ice_str_starts(other->metadata_location, directory))
        return ICE_OK;
    const struct ice_str name = ice_uri_base_name(other->metadata_location);
    if (other->metadata_location.size == 0 || ck->metadata.table_uuid.size == 0 ||
        ck->target->kind != ICE_TARGET_TABLE ||
        !ice_str_equal(ice_key_parent(other->metadata_location), directory) ||
        ice_pointer_find_name(ck->target, name) == SIZE_MAX)
        return ICE_OK;
    if (ice_key_join(&ck->arena, ck->target->metadata_dir, name, &key) < 0)
        return ice_error_memory(err);
    ice_error_clear(&fault);
    enum ice_status status = ice_metadata_peek_identity(
        ck->target->source, key, ck->run, &ck->arena, &uuid, &unused, &fault);
    ICE_TRY(ice_error_pass_final(err, status, &fault));
    *out = status >= 0 && ice_is_same_uuid(uuid, ck->metadata.table_uuid);
    return ICE_OK;
}

static enum ice_status check_shared(struct ice_check *ck, const struct ice_place *place,
                                    struct ice_error *err) {
    const struct ice_pointer *entry = ck->pointer;
    const struct ice_str directory = ice_key_parent(entry->metadata_location);
    for (size_t i = 0; i < ck->pointers->n; i++) {
        const struct ice_pointer *other = &ck->pointers->items[i];
        /* another input may call the same table otherwise */
        if (ice_pointer_is_same_name(entry, other) || other->table.size == 0 ||
            !ice_str_equal(entry->file, other->file))
            continue;
        bool is_one_table =
            ice_str_equal(other->metadata_location, entry->metadata_location) ||
            ice_is_same_uuid(other->table_uuid, entry->table_uuid);
        if (!is_one_table)
            ICE_TRY(has_diverged(ck, other, directory, &is_one_table, err));
        if (!is_one_table)
            continue;
        FOUND(ck->emit, ICE_RULE_CATALOG_POINTER_SHARED, place,
              arg_str("table", entry->table), arg_str("other", other->table));
        return ICE_OK;
    }
    return ICE_OK;
}

enum ice_status ice_check_pointers(struct ice_check *ck, struct ice_error *err) {
    if (ck->pointer == NULL || ck->pointer->format == ICE_POINTER_HINT)
        return ICE_OK;
    struct ice_place place = ice_pointer_place(ck, ck->pointer);
    check_type(ck, &place);
    ICE_TRY(check_shared(ck, &place, err));
    if (ck->pointer->metadata_location.size == 0 || ck->pointer_is_missing)
        return ICE_OK;
    check_identity(ck, &place);
    if (!is_about_this_file(ck))
        return ICE_OK;
    check_snapshot(ck, &place);
    check_previous(ck, &place);
    check_columns(ck, &place);
    return ICE_OK;
}
