/*
 * A list whose value is no list has no element, and an element that is no object is left
 * out: rules see a table that has less, and would be silent about the rest. The defect
 * alone does not say so, as a baseline or --only hides it.
 */
#include "check/unread_members.h"

#include <stdio.h>

/* A member, an element's own member without which nothing is known of it, and the rules
 * that it feeds. */
static const struct member {
    enum ice_metadata_bit bit;
    const char *name, *key;
    const char *rules[2];
    bool has_elements, names_files;
} members[] = {
    {ICE_META_snapshots, "snapshots", "snapshot-id", {"snapshot.*", "ref.*"}, true, true},
    {ICE_META_refs, "refs", "snapshot-id", {"ref.*"}, true, false},
    {ICE_META_schema, "schema", NULL, {"schema.*"}, false, false},
    {ICE_META_schemas, "schemas", "schema-id", {"schema.*"}, true, false},
    {ICE_META_partition_spec, "partition-spec", NULL, {"spec.*"}, false, false},
    {ICE_META_partition_specs, "partition-specs", "spec-id", {"spec.*"}, true, false},
    {ICE_META_sort_orders, "sort-orders", "order-id", {"sort.*"}, true, false},
    {ICE_META_properties, "properties", NULL, {"props.*"}, false, false},
    {ICE_META_snapshot_log, "snapshot-log", NULL, {"snapshot-log.*"}, true, false},
    {ICE_META_metadata_log,
     "metadata-log",
     "metadata-file",
     {"metadata-log.*"},
     true,
     true},
    {ICE_META_statistics, "statistics", "statistics-path", {"stats.*"}, true, true},
    {ICE_META_partition_statistics,
     "partition-statistics",
     "statistics-path",
     {"pstats.*"},
     true,
     true},
    {ICE_META_encryption_keys, "encryption-keys", "key-id", {"key.*"}, true, false},
};

/* ---- while it is read ---- */

/* Takes "/step" off a pointer; without its slash. */
static struct ice_str take_step(struct ice_str *pointer) {
    struct ice_str step = ice_pointer_step(*pointer);
    *pointer = ice_str_from_index(*pointer, step.size);
    return ice_str_from_index(step, 1);
}

static bool is_unusable(enum ice_defect_kind kind) {
    return kind == ICE_DEFECT_TYPE || kind == ICE_DEFECT_NOT_INTEGER ||
           kind == ICE_DEFECT_RANGE;
}

void ice_unread_defect(struct ice_check *ck, const struct ice_defect *defect) {
    struct ice_str rest = defect->pointer;
    struct ice_str name = take_step(&rest);
    if (!is_unusable(defect->kind) || rest.size == 0)
        return; /* of a whole member the reader keeps a bit */
    (void)take_step(&rest);
    const bool is_element = rest.size == 0;
    struct ice_str key = take_step(&rest);
    for (size_t i = 0; i < ICE_COUNT_OF(members); i++) {
        const struct member *member = &members[i];
        if (!ice_str_is(name, member->name))
            continue;
        ck->unread.parts |= ICE_BIT(member->bit);
        if (!member->has_elements)
            continue;
        if (is_element)
            ck->unread.elements |= ICE_BIT(member->bit);
        else if (rest.size == 0 && member->key != NULL && ice_str_is(key, member->key))
            ck->unread.keys |= ICE_BIT(member->bit);
    }
}

/* ---- behind that ---- */

static bool is_any_on(const struct ice_emit *emit, const char *glob) {
    for (size_t i = 0; i < ICE_RULE_ID_COUNT; i++) {
        const enum ice_rule_id id = (enum ice_rule_id)i;
        if (ice_emit_is_on(emit, id) && ice_rule_matches(glob, ice_rule_of(id)->name))
            return true;
    }
    return false;
}

/* What stands behind a snapshot that is not known. */
static void report_lost_snapshots(struct ice_check *ck, struct ice_str why) {
    const enum ice_depth depth = ck->options->depth;
    if (depth != ICE_DEPTH_METADATA)
        ice_emit_not_evaluated(ck->emit, "list.*", why, true, ck->metadata_file);
    if (depth == ICE_DEPTH_MANIFEST || depth == ICE_DEPTH_PUFFIN)
        ice_emit_not_evaluated(ck->emit, "manifest.*", why, true, ck->metadata_file);
}

static bool is_lost(const struct ice_metadata *m, const struct ice_unread *unread,
                    const struct member *member) {
    return ((m->bad | unread->elements) & ICE_BIT(member->bit)) != 0;
}

/* A part is what is lost if nothing worse is known. */
static void say_why(const struct ice_metadata *m, const struct ice_unread *unread,
                    const struct member *member, const char *part,
                    char why[ICE_UNREAD_WHY]) {
    const bool is_whole = (m->bad & ICE_BIT(member->bit)) != 0;
    (void)snprintf(why, ICE_UNREAD_WHY, "%s%s could not be read",
                   is_whole                     ? ""
                   : is_lost(m, unread, member) ? "an element of "
                                                : part,
                   member->name);
}

static void report_member(struct ice_check *ck, const struct member *member) {
    char text[ICE_UNREAD_WHY];
    if (!is_lost(&ck->metadata, &ck->unread, member) &&
        !(ck->unread.keys & ICE_BIT(member->bit)))
        return;
    say_why(&ck->metadata, &ck->unread, member, "an id or path in ", text);
    const struct ice_str why = ice_str_from(text);
    for (size_t i = 0; i < ICE_COUNT_OF(member->rules); i++) {
        if (member->rules[i] != NULL && is_any_on(ck->emit, member->rules[i]))
            ice_emit_not_evaluated(ck->emit, member->rules[i], why, true,
                                   ck->metadata_file);
    }
    if (member->bit == ICE_META_snapshots && is_lost(&ck->metadata, &ck->unread, member))
        report_lost_snapshots(ck, why);
}

void ice_unread_report(struct ice_check *ck) {
    for (size_t i = 0; i < ICE_COUNT_OF(members); i++)
        report_member(ck, &members[i]);
}

/* Null, or left out where the version of the file demands one. */
static const char *why_none(const struct ice_metadata *m, enum ice_metadata_bit bit) {
    const uint64_t in_v2 = ICE_BIT(ICE_META_schemas) | ICE_BIT(ICE_META_partition_specs) |
                           ICE_BIT(ICE_META_sort_orders);
    const bool is_null = (m->null & ICE_BIT(bit)) != 0;
    if (m->format_version >= 2 && (in_v2 & ICE_BIT(bit)) != 0)
        return is_null ? "null" : m->present & ICE_BIT(bit) ? NULL : "missing";
    return is_null ? "null: some readers refuse the table, others take it as left out"
                   : NULL;
}

bool ice_unread_next(const struct ice_metadata *m, const struct ice_unread *unread,
                     uint64_t *which, bool with_parts, const char **out_name,
                     char why[ICE_UNREAD_WHY]) {
    for (size_t i = 0; i < ICE_COUNT_OF(members); i++) {
        const uint64_t bit = ICE_BIT(members[i].bit) & *which;
        *which &= ~bit;
        if (bit == 0)
            continue;
        const bool is_unread =
            is_lost(m, unread, &members[i]) || (with_parts && (unread->parts & bit) != 0);
        const char *none = is_unread ? NULL : why_none(m, members[i].bit);
        if (is_unread)
            say_why(m, unread, &members[i], "a part of ", why);
        else if (none != NULL)
            (void)snprintf(why, ICE_UNREAD_WHY, "%s is %s", members[i].name, none);
        else
            continue;
        *out_name = members[i].name;
        return true;
    }
    return false;
}

bool ice_unread_names_files(const struct ice_check *ck) {
    for (size_t i = 0; i < ICE_COUNT_OF(members); i++) {
        /* a snapshot without an id still names its list */
        const bool is_by_key = members[i].bit != ICE_META_snapshots;
        if (members[i].names_files &&
            (is_lost(&ck->metadata, &ck->unread, &members[i]) ||
             (is_by_key && (ck->unread.keys & ICE_BIT(members[i].bit)) != 0)))
            return true;
    }
    return false;
}
