/*
 * Pass 1: the metadata file.
 *
 * Reads: the pinned metadata.json, once, as a stream.
 * Checks: groups 1 (json.*, metadata.file.*), 2 (metadata.*), 6 (snapshot.*), 7 (logs),
 * 8 (ref.*), 9 (props.*), 10 (statistics), and of 11 (lineage.*), 12 (key.*) and 21
 * (summary.*) what needs no other file. Groups 3 to 5 come later: layout_rules.c.
 * Leaves behind: metadata, metadata_readable, metadata_fault, version.
 */
#include "check/pass1.h"
#include "check/unread_members.h"

#include "base/error.h"

/* ---- places ---- */

static const struct ice_place *place_of(struct ice_pass1 *p) {
    p->place =
        ice_place_at(p->ck->metadata_file, ICE_ORDER_METADATA, ice_buf_str(&p->pointer));
    return &p->place;
}

/* Out of memory ends the check, whose later passes also name places of this file: sites
 * of findings need not look. */
static void keep(struct ice_pass1 *p, enum ice_status status) {
    if (status < 0)
        ice_emit_no_memory(p->ck->emit);
}

static void add(struct ice_pass1 *p, const char *text) {
    keep(p, ice_buf_append_str(&p->pointer, ice_str_from(text)));
}

const struct ice_place *ice_at(struct ice_pass1 *p, const char *pointer) {
    ice_buf_clear(&p->pointer);
    add(p, pointer);
    return place_of(p);
}

const struct ice_place *ice_at_element(struct ice_pass1 *p, const char *array,
                                       uint64_t index, const char *member) {
    ice_buf_clear(&p->pointer);
    add(p, array);
    keep(p, ice_pointer_append_index(&p->pointer, index));
    add(p, member);
    return place_of(p);
}

const struct ice_place *ice_at_key(struct ice_pass1 *p, const char *map,
                                   struct ice_str key, const char *member) {
    ice_buf_clear(&p->pointer);
    add(p, map);
    keep(p, ice_pointer_append(&p->pointer, key));
    add(p, member);
    return place_of(p);
}

const struct ice_place *ice_at_joined(struct ice_pass1 *p, struct ice_str outer,
                                      struct ice_str inner, const char *member) {
    ice_buf_clear(&p->pointer);
    keep(p, ice_buf_append_str(&p->pointer, outer));
    keep(p, ice_buf_append_str(&p->pointer, inner));
    add(p, member);
    return place_of(p);
}

/* ---- times ---- */

int64_t ice_time_difference(int64_t a, int64_t b) {
    int64_t out;
    if (__builtin_sub_overflow(a, b, &out))
        return a < b ? INT64_MIN : INT64_MAX;
    return out;
}

static bool is_plausible(int64_t ms, int64_t now_ms) {
    const int64_t year_2015 = INT64_C(1420070400000), day = INT64_C(86400000);
    return ms >= year_2015 && ice_time_difference(ms, now_ms) <= day;
}

const char *ice_time_oddity(int64_t ms, int64_t now_ms) {
    if (is_plausible(ms, now_ms))
        return NULL;
    if (ms > 0 && ms <= INT64_MAX / 1000 && is_plausible(ms * 1000, now_ms))
        return "a time in seconds, not milliseconds";
    if (is_plausible(ms / 1000, now_ms))
        return "a time in microseconds, not milliseconds";
    if (is_plausible(ms / 1000000, now_ms))
        return "a time in nanoseconds, not milliseconds";
    return ice_time_difference(ms, now_ms) > 0 ? "in the future" : "before 2015";
}

/* ---- defects of the reader ---- */

static struct ice_str last_step(struct ice_str pointer) {
    size_t slash = ice_str_rfind(pointer, '/');
    return slash == SIZE_MAX ? pointer : ice_str_from_index(pointer, slash + 1);
}

/* U+0000 matters where text names something: in keys, names and paths. */
static bool names_something(struct ice_str pointer) {
    static const char *const members[] = {"name", "location", "manifest-list",
                                          "statistics-path", "metadata-file"};
    struct ice_str step = last_step(pointer);
    if (ice_str_find(step, '\0') != SIZE_MAX)
        return true;
    for (size_t i = 0; i < ICE_COUNT_OF(members); i++) {
        if (ice_str_is(step, members[i]))
            return true;
    }
    /* an inline manifest: /snapshots/2/manifests/0 */
    struct ice_str parent = ice_str_first(pointer, pointer.size - step.size);
    return ice_str_ends(parent, ICE_STR("/manifests/"));
}

/* In version 1 only: missing rules speak for them later. See explicit_nulls_of_v1. */
static bool is_absentable_in_v1(struct ice_str field) {
    return ice_str_is(field, "schemas") || ice_str_is(field, "partition-specs") ||
           ice_str_is(field, "sort-orders");
}

static enum ice_status on_defect(const struct ice_defect *defect, void *user) {
    struct ice_pass1 *p = user;
    struct ice_emit *emit = p->emit;
    struct ice_place place =
        ice_place_at(p->ck->metadata_file, ICE_ORDER_METADATA, defect->pointer);
    if (defect->pointer.size == 0)
        place.at.offset = defect->offset; /* no pointer to find it by */
    struct ice_arg field = arg_str("field", defect->field);
    ice_unread_defect(p->ck, defect);
    switch (defect->kind) {
    case ICE_DEFECT_TYPE:
        if (defect->field.size == 0)
            field.str = last_step(defect->pointer);
        FOUND(emit, ICE_RULE_JSON_TYPE_MISMATCH, &place, field,
              arg_text("expected", defect->expected), arg_text("found", defect->found));
        break;
    case ICE_DEFECT_NOT_INTEGER:
        FOUND(emit, ICE_RULE_JSON_NUMBER_NOT_INTEGER, &place, field,
              arg_str("value", defect->text));
        break;
    case ICE_DEFECT_RANGE:
        FOUND(emit, ICE_RULE_JSON_NUMBER_OUT_OF_RANGE, &place, field,
              arg_str("value", defect->text), arg_text("expected", defect->expected));
        break;
    case ICE_DEFECT_NULL:
        if (!is_absentable_in_v1(defect->field))
            FOUND(emit, ICE_RULE_JSON_FIELD_EXPLICIT_NULL, &place, field);
        break;
    case ICE_DEFECT_UNKNOWN_KEY:
        FOUND(emit, ICE_RULE_JSON_FIELD_UNKNOWN, &place, field);
        break;
    case ICE_DEFECT_BOM:
        FOUND(emit, ICE_RULE_JSON_ENCODING_BOM, &place, ARG_NONE);
        break;
    case ICE_DEFECT_LONE_SURROGATE:
        FOUND(emit, ICE_RULE_JSON_STRING_LONE_SURROGATE, &place, ARG_NONE);
        break;
    case ICE_DEFECT_NUL:
        if (names_something(defect->pointer))
            FOUND(emit, ICE_RULE_JSON_STRING_NUL, &place, ARG_NONE);
        break;
    case ICE_DEFECT_DUPLICATE_KEY:
        /* whether the two values are equal is seen when its line is looked up */
        field.str = defect->field.size > 0 ? defect->field : last_step(defect->pointer);
        FOUND_AS(emit, ICE_RULE_JSON_KEY_DUPLICATE, defect->known ? ICE_ERROR : ICE_WARN,
                 &place, field);
        break;
    case ICE_DEFECT_SUMMARY_VALUE:
        FOUND(emit, ICE_RULE_SNAPSHOT_SUMMARY_VALUE_NOT_STRING, &place, field);
        break;
    case ICE_DEFECT_SUMMARY_NUMBER:
        FOUND(emit, ICE_RULE_SUMMARY_VALUE_NOT_NUMBER, &place, field,
              arg_str("value", defect->text));
        break;
    case ICE_DEFECT_TRAILING_DATA:
        FOUND(emit, ICE_RULE_JSON_TRAILING_DATA, &place, ARG_NONE);
        break;
    }
    return ice_check_cancelled(p->ck) ? ICE_ECANCELLED : ICE_OK;
}

static void null_schema_id(struct ice_pass1 *p, const struct ice_schema *schema) {
    if (schema->null_schema_id)
        FOUND(p->emit, ICE_RULE_JSON_FIELD_EXPLICIT_NULL,
              ice_at_joined(p, schema->pointer, ICE_STR_NONE, "/schema-id"),
              arg_text("field", "schema-id"));
}

static void explicit_nulls_of_v1(struct ice_pass1 *p) {
    static const struct {
        enum ice_metadata_bit bit;
        const char *pointer;
    } fields[] = {
        {ICE_META_table_uuid, "/table-uuid"},
        {ICE_META_schemas, "/schemas"},
        {ICE_META_partition_specs, "/partition-specs"},
        {ICE_META_sort_orders, "/sort-orders"},
    };
    if (p->version != 1)
        return;
    for (size_t i = 0; i < ICE_COUNT_OF(fields); i++) {
        if (p->m->null & ICE_BIT(fields[i].bit))
            FOUND(p->emit, ICE_RULE_JSON_FIELD_EXPLICIT_NULL,
                  ice_at(p, fields[i].pointer), arg_text("field", fields[i].pointer + 1));
    }
    if (ice_metadata_has(p->m, ICE_META_schema))
        null_schema_id(p, &p->m->schema);
    for (size_t i = 0; i < p->m->n_schemas; i++)
        null_schema_id(p, &p->m->schemas[i]);
}

/* ---- reading ---- */

/* A fault of opening or reading the file as a whole. */
static enum ice_status report_fault(struct ice_pass1 *p, const struct ice_error *fault) {
    struct ice_place place = ice_place_file(p->ck->metadata_file, ICE_ORDER_METADATA);
    p->ck->metadata_fault = *fault;
    return ice_check_fault(p->ck, fault, &place, ICE_SCOPE_HEAD, "metadata");
}

/* What was found in a document that is no table is not to be told. */
static void report_view(struct ice_pass1 *p, size_t n_before) {
    for (size_t i = n_before; i < ice_emit_count(p->emit); i++) {
        if (ice_emit_place(p->emit, i)->order == ICE_ORDER_METADATA)
            ice_emit_revise(p->emit, i, ICE_OFF);
    }
    FOUND(p->emit, ICE_RULE_METADATA_FILE_IS_VIEW, ice_at(p, ""),
          arg_text("kind", "a view or a function"));
    ice_emit_not_evaluated(p->emit, "table", ICE_STR("metadata.file.is-view"), false,
                           p->ck->metadata_file);
    struct ice_error *fault = &p->ck->metadata_fault;
    (void)ice_error_set(fault, ICE_EUNSUPPORTED, "metadata.file.is-view", ICE_NO_OFFSET,
                        "the document describes a view or a function, not a table");
}

/* The version by which the rules judge; 0: the document cannot be judged. */
static int judged_version(const struct ice_metadata *m) {
    if (m->format_version >= 1 && m->format_version <= 4)
        return (int)m->format_version;
    if (m->format_version > 4)
        return 0;
    /* absent or nonsense, and said so: what the fields tell */
    if (ice_metadata_has(m, ICE_META_next_row_id))
        return 3;
    return ice_metadata_has(m, ICE_META_last_sequence_number) ? 2 : 1;
}

static enum ice_status run_rules(struct ice_pass1 *p, struct ice_error *err) {
    struct ice_check *ck = p->ck;
    ice_rules_version(p);
    p->version = ck->version = judged_version(p->m);
    if (ck->version == 0) {
        (void)ice_error_set(&ck->metadata_fault, ICE_EUNSUPPORTED,
                            "metadata.format-version.unsupported", ICE_NO_OFFSET,
                            "the format version is not known");
        ice_emit_not_evaluated(p->emit, "metadata",
                               ICE_STR("metadata.format-version.unsupported"), true,
                               ck->metadata_file);
        return ICE_OK;
    }
    ck->metadata_readable = true;
    ice_unread_report(ck);
    explicit_nulls_of_v1(p);
    ICE_TRY(ice_rules_metadata(p, err));
    ICE_TRY(ice_rules_metadata_lists(p, err));
    ICE_TRY(ice_rules_snapshots(p, err));
    ICE_TRY(ice_rules_logs(p, err));
    ice_rules_refs(p);
    ICE_TRY(ice_rules_properties(p, err));
    ICE_TRY(ice_rules_name_mapping(p, err));
    ICE_TRY(ice_rules_statistics(p, err));
    ICE_TRY(ice_rules_lineage(p, err));
    return ice_rules_keys(p, err);
}

static enum ice_status judge(struct ice_pass1 *p, size_t n_before,
                             struct ice_error *err) {
    p->m = &p->ck->metadata;
    if (p->m->is_view) {
        report_view(p, n_before);
        return ICE_OK;
    }
    return run_rules(p, err);
}

enum ice_status ice_pass1_metadata(struct ice_check *ck, struct ice_error *err) {
    struct ice_stream stream = {0};
    struct ice_file_info info;
    enum ice_magic magic = ICE_MAGIC_NONE;
    struct ice_error fault;
    struct ice_pass1 p = {.ck = ck, .emit = ck->emit, .m = &ck->metadata};
    const struct ice_metadata_want want = {.summaries = ck->want_summaries};
    const size_t n_before = ice_emit_count(ck->emit);
    ck->unread.elements = ck->unread.keys = ck->unread.parts = 0;
    ice_error_clear(&fault);
    ice_buf_init(&p.pointer, &ck->run->alloc, SIZE_MAX);
    enum ice_status status = ice_open_inflated(ck->metadata_source, ck->metadata_key,
                                               ck->run, &stream, &info, &magic, &fault);
    if (status >= 0) {
        ice_rules_file_name(&p, magic);
        status = ice_metadata_read(&stream, ck->run, &want, on_defect, &p, &ck->metadata,
                                   &fault);
        ck->n_bytes += ck->metadata.n_bytes;
    }
    if (status >= 0 && magic == ICE_MAGIC_GZIP && ice_gzip_has_trailing(&stream))
        FOUND(ck->emit, ICE_RULE_JSON_TRAILING_DATA, ice_at(&p, ""), ARG_NONE);
    ice_stream_release(&stream);
    if (ice_status_is_final(status))
        status = ice_error_pass_final(err, status, &fault);
    else if (status < 0)
        status = report_fault(&p, &fault);
    else
        status = judge(&p, n_before, err);
    ice_buf_release(&p.pointer);
    return status < 0 ? status : ICE_OK;
}
