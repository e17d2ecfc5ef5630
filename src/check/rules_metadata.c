/*
 * metadata.*, scalars: format version, uuid, location, counters, times, current snapshot.
 * Its lists of schemas, specs and orders: rules_metadata_lists.c.
 */
#include "check/pass1.h"

void ice_rules_version(struct ice_pass1 *p) {
    const struct ice_metadata *m = p->m;
    if (ice_is_absent(m, ICE_META_format_version))
        FOUND(p->emit, ICE_RULE_METADATA_FORMAT_VERSION_MISSING, ice_at(p, ""), ARG_NONE);
    if (!ice_metadata_has(m, ICE_META_format_version))
        return;
    if (m->format_version < 1 || m->format_version > 4)
        FOUND(p->emit, ICE_RULE_METADATA_FORMAT_VERSION_UNSUPPORTED,
              ice_at(p, "/format-version"), arg_i64("version", m->format_version));
    if (m->format_version == 4)
        FOUND(p->emit, ICE_RULE_METADATA_FORMAT_VERSION_DRAFT,
              ice_at(p, "/format-version"), ARG_NONE);
}

/* ---- what must be there ---- */

struct required {
    enum ice_metadata_bit bit;
    enum ice_rule_id rule;
    int first, last;             /* versions */
    enum ice_severity elsewhere; /* in other versions; ICE_OFF: not required there */
};

static void check_required(struct ice_pass1 *p) {
    static const struct required fields[] = {
        {ICE_META_table_uuid, ICE_RULE_METADATA_TABLE_UUID_MISSING, 2, 4, ICE_INFO},
        {ICE_META_location, ICE_RULE_METADATA_LOCATION_MISSING, 1, 3, ICE_OFF},
        {ICE_META_last_sequence_number, ICE_RULE_METADATA_LAST_SEQUENCE_NUMBER_MISSING, 2,
         4, ICE_OFF},
        {ICE_META_last_updated_ms, ICE_RULE_METADATA_LAST_UPDATED_MS_MISSING, 1, 4,
         ICE_OFF},
        {ICE_META_last_column_id, ICE_RULE_METADATA_LAST_COLUMN_ID_MISSING, 1, 4,
         ICE_OFF},
        {ICE_META_schemas, ICE_RULE_METADATA_SCHEMAS_MISSING, 2, 4, ICE_OFF},
        {ICE_META_partition_specs, ICE_RULE_METADATA_PARTITION_SPECS_MISSING, 2, 4,
         ICE_OFF},
        {ICE_META_last_partition_id, ICE_RULE_METADATA_LAST_PARTITION_ID_MISSING, 2, 4,
         ICE_OFF},
        {ICE_META_sort_orders, ICE_RULE_METADATA_SORT_ORDERS_MISSING, 2, 4, ICE_OFF},
        {ICE_META_next_row_id, ICE_RULE_LINEAGE_NEXT_ROW_ID_MISSING, 3, 4, ICE_OFF},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(fields); i++) {
        const struct required *field = &fields[i];
        if (!ice_is_absent(p->m, field->bit))
            continue;
        bool is_required = p->version >= field->first && p->version <= field->last;
        enum ice_severity severity = is_required ? ICE_DEFAULT : field->elsewhere;
        if (severity != ICE_OFF)
            FOUND_AS(p->emit, field->rule, severity, ice_at(p, ""), ARG_NONE);
    }
}

/* ---- uuid and location ---- */

/* 32 hex digits once dashes, braces and urn:uuid: are taken off */
static bool is_some_uuid(struct ice_str text) {
    const struct ice_str urn = ICE_STR("urn:uuid:");
    if (text.size >= urn.size && ice_str_equal_nocase(ice_str_first(text, urn.size), urn))
        text = ice_str_from_index(text, urn.size);
    size_t digits = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (ice_hex_digit(c) >= 0)
            digits++;
        else if (c != '-' && c != '{' && c != '}')
            return false;
    }
    return digits == 32;
}

static void check_uuid(struct ice_pass1 *p) {
    struct ice_str uuid = p->m->table_uuid;
    if (!ice_metadata_has(p->m, ICE_META_table_uuid) || ice_str_is_uuid(uuid))
        return;
    bool is_some = is_some_uuid(uuid);
    FOUND_AS(p->emit, ICE_RULE_METADATA_TABLE_UUID_MALFORMED,
             is_some ? ICE_WARN : ICE_ERROR, ice_at(p, "/table-uuid"),
             arg_str("value", uuid),
             arg_text("what", is_some ? "a UUID in another spelling than 8-4-4-4-12"
                                      : "no UUID"));
}

static void check_location(struct ice_pass1 *p) {
    struct ice_str location = p->m->location;
    if (!ice_metadata_has(p->m, ICE_META_location))
        return;
    if (ice_uri_scheme(location) == 0)
        FOUND_AS(p->emit, ICE_RULE_METADATA_LOCATION_NOT_ABSOLUTE,
                 ice_str_starts(location, ICE_STR("/")) ? ICE_INFO : ICE_WARN,
                 ice_at(p, "/location"), arg_str("value", location));
    if (ice_str_ends(location, ICE_STR("/")))
        FOUND(p->emit, ICE_RULE_METADATA_LOCATION_TRAILING_SLASH, ice_at(p, "/location"),
              arg_str("value", location));
}

/* ---- last-sequence-number ---- */

/* The snapshot with the largest sequence number; NULL: none has a number. */
static const struct ice_snapshot *largest_sequence(const struct ice_metadata *m) {
    const struct ice_snapshot *found = NULL;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        const struct ice_snapshot *s = &m->snapshots[i];
        if (ice_snapshot_has(s, ICE_SNAP_sequence_number) &&
            (found == NULL || s->sequence_number > found->sequence_number))
            found = s;
    }
    return found;
}

static int64_t newest_timestamp(const struct ice_metadata *m) {
    int64_t newest = INT64_MIN;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        if (ice_snapshot_has(&m->snapshots[i], ICE_SNAP_timestamp_ms) &&
            m->snapshots[i].timestamp_ms > newest)
            newest = m->snapshots[i].timestamp_ms;
    }
    return newest;
}

/* snapshot-log names a snapshot as new as the newest that is kept, and it is gone. */
static bool newest_was_expired(const struct ice_metadata *m) {
    int64_t newest = newest_timestamp(m);
    for (size_t i = 0; i < m->n_snapshot_log; i++) {
        const struct ice_log_entry *entry = &m->snapshot_log[i];
        if (entry->has_what && entry->has_timestamp && entry->timestamp_ms >= newest &&
            ice_metadata_find_snapshot(m, entry->snapshot_id) == SIZE_MAX)
            return true;
    }
    return false;
}

static void check_last_sequence_number(struct ice_pass1 *p) {
    const struct ice_metadata *m = p->m;
    if (!ice_metadata_has(m, ICE_META_last_sequence_number))
        return;
    const int64_t value = m->last_sequence_number;
    const char *pointer = "/last-sequence-number";
    if (p->version == 1) {
        if (value != 0)
            FOUND(p->emit, ICE_RULE_METADATA_LAST_SEQUENCE_NUMBER_IN_V1,
                  ice_at(p, pointer), arg_i64("value", value));
        return;
    }
    if (value < 0)
        FOUND(p->emit, ICE_RULE_METADATA_LAST_SEQUENCE_NUMBER_NEGATIVE,
              ice_at(p, pointer), arg_i64("value", value));
    const struct ice_snapshot *largest = largest_sequence(m);
    int64_t number =
        largest != NULL && largest->sequence_number > 0 ? largest->sequence_number : 0;
    if (largest != NULL && value >= 0 && value < largest->sequence_number)
        FOUND(p->emit, ICE_RULE_METADATA_LAST_SEQUENCE_NUMBER_TOO_SMALL,
              ice_at(p, pointer), arg_i64("value", value),
              arg_id("snapshot", largest->snapshot_id),
              arg_i64("largest", largest->sequence_number));
    else if (m->n_snapshots > 0 && value > number && !newest_was_expired(m))
        FOUND(p->emit, ICE_RULE_METADATA_LAST_SEQUENCE_NUMBER_AHEAD, ice_at(p, pointer),
              arg_i64("value", value), arg_i64("largest", number));
}

/* ---- last-updated-ms ---- */

static void check_last_updated_against(struct ice_pass1 *p, enum ice_rule_id rule,
                                       bool has_last, int64_t last, int64_t snapshot_id) {
    int64_t value = p->m->last_updated_ms;
    if (has_last && ice_time_difference(last, value) > ICE_CLOCK_SKEW_MS)
        FOUND(p->emit, rule, ice_at(p, "/last-updated-ms"), arg_id("value", value),
              arg_id("last", last), arg_id("snapshot", snapshot_id));
}

static void check_last_updated(struct ice_pass1 *p) {
    const struct ice_metadata *m = p->m;
    if (!ice_metadata_has(m, ICE_META_last_updated_ms))
        return;
    const char *oddity = ice_time_oddity(m->last_updated_ms, p->ck->now_ms);
    if (oddity != NULL)
        FOUND(p->emit, ICE_RULE_METADATA_LAST_UPDATED_MS_IMPLAUSIBLE,
              ice_at(p, "/last-updated-ms"), arg_id("value", m->last_updated_ms),
              arg_text("what", oddity));
    if (m->n_snapshot_log > 0) {
        const struct ice_log_entry *last = &m->snapshot_log[m->n_snapshot_log - 1];
        check_last_updated_against(
            p, ICE_RULE_METADATA_LAST_UPDATED_MS_BEFORE_SNAPSHOT_LOG, last->has_timestamp,
            last->timestamp_ms, last->snapshot_id);
    }
    if (m->n_metadata_log > 0) {
        const struct ice_metadata_log_entry *last =
            &m->metadata_log[m->n_metadata_log - 1];
        check_last_updated_against(p,
                                   ICE_RULE_METADATA_LAST_UPDATED_MS_BEFORE_METADATA_LOG,
                                   last->has_timestamp, last->timestamp_ms, 0);
    }
    const struct ice_snapshot *newest = NULL;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        const struct ice_snapshot *s = &m->snapshots[i];
        if (ice_snapshot_has(s, ICE_SNAP_timestamp_ms) &&
            (newest == NULL || s->timestamp_ms > newest->timestamp_ms))
            newest = s;
    }
    if (newest != NULL)
        check_last_updated_against(p, ICE_RULE_METADATA_LAST_UPDATED_MS_BEFORE_SNAPSHOT,
                                   true, newest->timestamp_ms, newest->snapshot_id);
}

/* ---- last-column-id ---- */

struct largest_ids {
    bool has_top, has_any;
    int32_t top, any;
};

static void take_ids(const struct ice_schema *schema, struct largest_ids *ids) {
    for (size_t i = 0; i < schema->n_fields; i++) {
        const struct ice_field *field = &schema->fields[i];
        if (!(field->has & ICE_FIELD_HAS_ID))
            continue;
        if (!ids->has_any || field->id > ids->any)
            ids->any = field->id;
        ids->has_any = true;
        if (field->parent != ICE_NO_PARENT)
            continue;
        if (!ids->has_top || field->id > ids->top)
            ids->top = field->id;
        ids->has_top = true;
    }
}

static void check_last_column_id(struct ice_pass1 *p) {
    const struct ice_metadata *m = p->m;
    if (!ice_metadata_has(m, ICE_META_last_column_id))
        return;
    struct largest_ids ids = {0};
    for (size_t i = 0; i < m->n_schemas; i++)
        take_ids(&m->schemas[i], &ids);
    if (m->n_schemas == 0 && ice_metadata_has(m, ICE_META_schema))
        take_ids(&m->schema, &ids);
    bool top = ids.has_top && m->last_column_id < ids.top;
    bool any = ids.has_any && m->last_column_id < ids.any;
    if (top || any)
        FOUND_AS(p->emit, ICE_RULE_METADATA_LAST_COLUMN_ID_TOO_SMALL,
                 top ? ICE_ERROR : ICE_WARN, ice_at(p, "/last-column-id"),
                 arg_i64("value", m->last_column_id), arg_i64("largest", ids.any));
}

/* ---- properties and the current snapshot ---- */

static void check_properties(struct ice_pass1 *p) {
    for (size_t i = 0; i < p->m->n_properties; i++) {
        const struct ice_property *property = &p->m->properties[i];
        if (!property->value_is_string)
            FOUND(p->emit, ICE_RULE_METADATA_PROPERTIES_NOT_STRING_MAP,
                  ice_at_key(p, "/properties", property->key, ""),
                  arg_str("key", property->key));
    }
}

static void check_current_snapshot(struct ice_pass1 *p) {
    const struct ice_metadata *m = p->m;
    const char *pointer = "/current-snapshot-id";
    const int64_t id = m->current_snapshot_id;
    if (ice_metadata_names_current(m) && m->snapshot_ids_known &&
        ice_metadata_find_snapshot(m, id) == SIZE_MAX)
        FOUND(p->emit, ICE_RULE_METADATA_CURRENT_SNAPSHOT_ID_DANGLING, ice_at(p, pointer),
              arg_id("id", id));
    if (ice_metadata_names_current(m) && id <= 0)
        FOUND(p->emit, ICE_RULE_METADATA_CURRENT_SNAPSHOT_ID_NOT_POSITIVE,
              ice_at(p, pointer), arg_id("id", id));
    if (ice_metadata_has(m, ICE_META_current_snapshot_id) && id == -1)
        FOUND_AS(p->emit, ICE_RULE_METADATA_CURRENT_SNAPSHOT_ID_MINUS_ONE,
                 p->version >= 3 ? ICE_WARN : ICE_INFO, ice_at(p, pointer), ARG_NONE);
    bool is_bad = (m->bad >> ICE_META_current_snapshot_id) & 1;
    if (!ice_metadata_names_current(m) && !is_bad && m->n_snapshots > 0)
        FOUND(p->emit, ICE_RULE_METADATA_CURRENT_SNAPSHOT_ID_NONE_WITH_HISTORY,
              ice_metadata_has(m, ICE_META_current_snapshot_id) ? ice_at(p, pointer)
                                                                : ice_at(p, ""),
              arg_i64("count", (int64_t)m->n_snapshots));
}

enum ice_status ice_rules_metadata(struct ice_pass1 *p, struct ice_error *err) {
    (void)err;
    check_required(p);
    check_uuid(p);
    check_location(p);
    check_last_sequence_number(p);
    check_last_updated(p);
    check_last_column_id(p);
    check_properties(p);
    check_current_snapshot(p);
    return ICE_OK;
}
