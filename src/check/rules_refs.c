/*
 * ref.*: branches and tags.
 */
#include "check/pass1.h"

#include "base/utf8.h"

static bool is_branch(const struct ice_ref *ref) {
    return ref->has_type && ice_str_equal_nocase(ref->type, ICE_STR("branch"));
}

static bool is_tag(const struct ice_ref *ref) {
    return ref->has_type && ice_str_equal_nocase(ref->type, ICE_STR("tag"));
}

static const struct ice_place *at(struct ice_pass1 *p, const struct ice_ref *ref,
                                  const char *member) {
    return ice_at_key(p, "/refs", ref->name, member);
}

static void check_attributes(struct ice_pass1 *p, const struct ice_ref *ref) {
    struct ice_arg name = arg_str("name", ref->name);
    if ((!ref->has_snapshot_id || !ref->has_type) && !ref->bad)
        FOUND(p->emit, ICE_RULE_REF_ATTRIBUTE_MISSING, at(p, ref, ""), name,
              arg_text("field", ref->has_snapshot_id ? "type" : "snapshot-id"));
    /* PyIceberg refuses other case, Java does not */
    if (ref->has_type && !ice_str_is(ref->type, "branch") &&
        !ice_str_is(ref->type, "tag"))
        FOUND_AS(p->emit, ICE_RULE_REF_TYPE_INVALID,
                 is_branch(ref) || is_tag(ref) ? ICE_WARN : ICE_ERROR,
                 at(p, ref, "/type"), name, arg_str("type", ref->type));
    if (ref->has_snapshot_id && p->m->snapshot_ids_known &&
        ice_metadata_find_snapshot(p->m, ref->snapshot_id) == SIZE_MAX)
        FOUND(p->emit, ICE_RULE_REF_SNAPSHOT_DANGLING, at(p, ref, "/snapshot-id"), name,
              arg_id("id", ref->snapshot_id));
}

/* ---- retention ---- */

struct retention {
    const char *member; /* as a pointer step */
    bool has;
    int64_t value;
    bool of_snapshots; /* not for tags */
};

static void check_retention(struct ice_pass1 *p, const struct ice_ref *ref) {
    const struct retention values[] = {
        {"/min-snapshots-to-keep", ref->has_min_snapshots, ref->min_snapshots_to_keep,
         true},
        {"/max-snapshot-age-ms", ref->has_max_snapshot_age, ref->max_snapshot_age_ms,
         true},
        {"/max-ref-age-ms", ref->has_max_ref_age, ref->max_ref_age_ms, false},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(values); i++) {
        const struct retention *v = &values[i];
        if (!v->has)
            continue;
        struct ice_arg name = arg_str("name", ref->name);
        struct ice_arg field = arg_text("field", v->member + 1);
        if (v->of_snapshots && is_tag(ref))
            FOUND(p->emit, ICE_RULE_REF_RETENTION_ON_TAG, at(p, ref, v->member), name,
                  field);
        if (v->value <= 0)
            FOUND(p->emit, ICE_RULE_REF_RETENTION_NOT_POSITIVE, at(p, ref, v->member),
                  name, field, arg_i64("value", v->value));
    }
}

static void check_age(struct ice_pass1 *p, const struct ice_ref *ref) {
    const struct ice_metadata *m = p->m;
    if (!ref->has_max_ref_age)
        return;
    if (ice_str_is(ref->name, "main")) {
        FOUND(p->emit, ICE_RULE_REF_RETENTION_MAIN_MAX_AGE, at(p, ref, "/max-ref-age-ms"),
              ARG_NONE);
        return;
    }
    size_t index =
        ref->has_snapshot_id ? ice_metadata_find_snapshot(m, ref->snapshot_id) : SIZE_MAX;
    if (index == SIZE_MAX || ref->max_ref_age_ms <= 0 ||
        !ice_snapshot_has(&m->snapshots[index], ICE_SNAP_timestamp_ms))
        return;
    int64_t age = ice_time_difference(p->ck->now_ms, m->snapshots[index].timestamp_ms);
    if (age > ref->max_ref_age_ms)
        FOUND(p->emit, ICE_RULE_REF_EXPIRED, at(p, ref, ""), arg_str("name", ref->name));
}

/* ---- names ---- */

static const char *name_oddity(struct ice_str name) {
    bool only_spaces = true;
    for (size_t i = 0; i < name.size;) {
        uint32_t c = ice_utf8_next(name, &i);
        if (c < 0x20 || (c >= 0x7f && c < 0xa0))
            return "written with control characters";
        only_spaces = only_spaces && c == ' ';
    }
    if (name.size == 0)
        return "empty";
    return only_spaces ? "made of spaces" : NULL;
}

static void check_name(struct ice_pass1 *p, const struct ice_ref *ref) {
    const char *oddity = name_oddity(ref->name);
    if (oddity != NULL)
        FOUND(p->emit, ICE_RULE_REF_NAME_SUSPICIOUS, at(p, ref, ""),
              arg_text("what", oddity));
}

/* ---- main ---- */

static void check_main(struct ice_pass1 *p, const struct ice_ref *ref) {
    const struct ice_metadata *m = p->m;
    if (is_tag(ref))
        FOUND(p->emit, ICE_RULE_REF_MAIN_IS_TAG, at(p, ref, "/type"), ARG_NONE);
    if (!ref->has_snapshot_id || ((m->bad >> ICE_META_current_snapshot_id) & 1))
        return;
    struct ice_arg id = arg_id("id", ref->snapshot_id);
    if (!ice_metadata_names_current(m))
        FOUND(p->emit, ICE_RULE_REF_MAIN_WITHOUT_CURRENT, at(p, ref, "/snapshot-id"), id);
    else if (ref->snapshot_id != m->current_snapshot_id)
        FOUND(p->emit, ICE_RULE_REF_MAIN_NOT_CURRENT, at(p, ref, "/snapshot-id"), id,
              arg_id("current", m->current_snapshot_id));
}

void ice_rules_refs(struct ice_pass1 *p) {
    const struct ice_metadata *m = p->m;
    bool has_main = false;
    for (size_t i = 0; i < m->n_refs; i++) {
        const struct ice_ref *ref = &m->refs[i];
        check_attributes(p, ref);
        check_retention(p, ref);
        check_age(p, ref);
        check_name(p, ref);
        if (!ice_str_is(ref->name, "main"))
            continue;
        has_main = true;
        check_main(p, ref);
    }
    if (ice_metadata_has(m, ICE_META_refs) && !has_main && ice_metadata_names_current(m))
        FOUND(p->emit, ICE_RULE_REF_MAIN_IMPLIED, ice_at(p, "/refs"),
              arg_id("current", m->current_snapshot_id));
}
