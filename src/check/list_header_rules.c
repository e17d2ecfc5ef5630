/*
 * Group 14, the header of a list: its version, and whose list it is (list_origin.c).
 */
#include "check/ancestry.h"
#include "check/list_rules.h"

#include <inttypes.h>
#include <stdio.h>

static struct ice_place header_place(const struct ice_list_walk *walk,
                                     const char *pointer) {
    return ice_place_at(walk->file, walk->order, ice_str_from(pointer));
}

/* Is a value there that should be a number and is none? */
static bool is_no_number(struct ice_str text) {
    return text.size > 0 && !ice_str_is(text, "null");
}

/* ---- parents ---- */

static bool parent_agrees(const struct ice_list_walk *walk, struct ice_str *out_text) {
    if (ice_avro_header(&walk->list->file, "parent-snapshot-id", out_text))
        return ice_list_names_parent(walk->list, walk->snapshot, out_text);
    *out_text = ICE_STR_NONE;
    return ice_snapshot_has(walk->snapshot, ICE_SNAP_parent_snapshot_id) ||
           walk->number == 0;
}

/*
 * A snapshot without a parent is the first of its line if its list says so. PyIceberg
 * 0.12 makes the parent null when it expires it: what was committed before is then an
 * ancestor that nobody can see.
 */
static void judge_chain(const struct ice_list_walk *walk) {
    const struct ice_check *ck = walk->ck;
    struct ice_str text;
    uint32_t parent;
    bool whole = parent_agrees(walk, &text);
    if (ice_snapshot_has(walk->snapshot, ICE_SNAP_parent_snapshot_id))
        whole = whole &&
                ice_snapshot_number(ck, walk->snapshot->parent_snapshot_id, &parent) &&
                parent < walk->number && ck->snapshots[parent].chain_whole;
    ck->snapshots[walk->number].chain_whole = whole;
}

/* ---- whose list it is ---- */

enum ice_status ice_list_header_begin(struct ice_list_walk *walk) {
    if (!walk->snapshot)
        return ICE_OK;
    judge_chain(walk);
    return ice_list_origin_begin(&walk->origin, &walk->ck->metadata, walk->snapshot,
                                 walk->list);
}

/* Why it is no error. */
static const char *why_harmless(const struct ice_list_walk *walk, int64_t id) {
    uint32_t other;
    if (ice_list_id_is_rounded(walk->snapshot->snapshot_id, id))
        return "the metadata file holds it rounded to a double, as a JSON tool leaves it";
    if (ice_snapshot_number(walk->ck, id, &other))
        return "both are snapshots of the table, and nothing else in the list speaks "
               "against the latter";
    return "the table does not keep the former";
}

/* ---- rules ---- */

static void header_snapshot(const struct ice_list_walk *walk, const char *why) {
    const struct ice_snapshot *snapshot = walk->snapshot;
    struct ice_place place = header_place(walk, "/header/snapshot-id");
    struct ice_str text;
    int64_t found;
    if (!ice_snapshot_has(snapshot, ICE_SNAP_snapshot_id))
        return;
    if (!ice_list_header_integer(walk->list, "snapshot-id", &text, &found)) {
        if (is_no_number(text))
            FOUND_AS(walk->ck->emit, ICE_RULE_LIST_HEADER_SNAPSHOT_ID, ICE_WARN, &place,
                     arg_str("found", text), arg_id("expected", snapshot->snapshot_id),
                     arg_text("why", "the former is no number"));
        return;
    }
    if (found == snapshot->snapshot_id)
        return;
    struct ice_arg scope = ARG_NONE;
    enum ice_severity severity = ICE_WARN;
    if (why) {
        enum ice_scope whose = ice_snapshot_scope(&walk->ck->snapshots[walk->number]);
        scope = arg_text("scope", ice_scope_name(whose));
        if (whose != ICE_SCOPE_UNREACHABLE)
            severity = ICE_DEFAULT;
    }
    FOUND_AS(walk->ck->emit, ICE_RULE_LIST_HEADER_SNAPSHOT_ID, severity, &place,
             arg_id("found", found), arg_id("expected", snapshot->snapshot_id),
             arg_text("why", why ? why : why_harmless(walk, found)), scope);
}

static void header_sequence(const struct ice_list_walk *walk) {
    const struct ice_snapshot *snapshot = walk->snapshot;
    struct ice_place place = header_place(walk, "/header/sequence-number");
    struct ice_str text;
    int64_t found;
    if (walk->ck->version < 2 || !ice_snapshot_has(snapshot, ICE_SNAP_sequence_number))
        return;
    if (ice_list_header_integer(walk->list, "sequence-number", &text, &found)) {
        if (found != snapshot->sequence_number)
            FOUND(walk->ck->emit, ICE_RULE_LIST_HEADER_SEQUENCE_NUMBER, &place,
                  arg_i64("found", found),
                  arg_i64("expected", snapshot->sequence_number));
    } else if (is_no_number(text)) {
        FOUND(walk->ck->emit, ICE_RULE_LIST_HEADER_SEQUENCE_NUMBER, &place,
              arg_str("found", text), arg_i64("expected", snapshot->sequence_number));
    }
}

static struct ice_str id_text(bool has, int64_t id, char out[24]) {
    if (!has)
        return ICE_STR("null");
    int size = snprintf(out, 24, "%" PRId64, id);
    return ice_str_make(out, size > 0 ? (size_t)size : 0);
}

static void header_parent(const struct ice_list_walk *walk) {
    const struct ice_snapshot *snapshot = walk->snapshot;
    struct ice_str text;
    char b[24];
    if (parent_agrees(walk, &text) || text.size == 0)
        return;
    struct ice_place place = header_place(walk, "/header/parent-snapshot-id");
    FOUND(walk->ck->emit, ICE_RULE_LIST_HEADER_PARENT, &place, arg_str("found", text),
          arg_str("expected",
                  id_text(ice_snapshot_has(snapshot, ICE_SNAP_parent_snapshot_id),
                          snapshot->parent_snapshot_id, b)));
}

static void header_version(const struct ice_list_walk *walk) {
    const struct ice_manifest_list *list = walk->list;
    const char *why = NULL;
    struct ice_str text;
    struct ice_place place = header_place(walk, "/header/format-version");
    if (!list->has_version_header) {
        if (ice_avro_header(&list->file, "format-version", &text))
            FOUND(walk->ck->emit, ICE_RULE_LIST_HEADER_FORMAT_VERSION, &place,
                  arg_str("found", text), arg_text("why", "that is no number"));
        return;
    }
    uint64_t v2 = ICE_BIT(ICE_LIST_content) | ICE_BIT(ICE_LIST_sequence_number) |
                  ICE_BIT(ICE_LIST_min_sequence_number);
    if (list->header_version < 1)
        why = "there is no such version";
    else if (walk->ck->version > 0 && list->header_version > walk->ck->version)
        why = "the table has a lower one";
    else if (list->header_version < 2 && list->plan.present & v2)
        why = "the list has columns of version 2";
    else if (list->header_version < 3 &&
             list->plan.present & ICE_BIT(ICE_LIST_first_row_id))
        why = "the list has columns of version 3";
    if (!why)
        return;
    FOUND(walk->ck->emit, ICE_RULE_LIST_HEADER_FORMAT_VERSION, &place,
          arg_i64("found", list->header_version), arg_text("why", why));
}

bool ice_list_header_rules(const struct ice_list_walk *walk, bool is_whole) {
    header_version(walk);
    if (!walk->snapshot)
        return false;
    const char *why = ice_list_origin_why(&walk->origin, is_whole);
    header_snapshot(walk, why);
    if (why) /* what else its header says is true of the snapshot that it is of */
        return true;
    header_sequence(walk);
    header_parent(walk);
    return false;
}
