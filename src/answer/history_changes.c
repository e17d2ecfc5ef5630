/*
 * What one metadata file changed against the one before, beside new snapshots: a few
 * words for a row.
 */
#include "answer/history_story.h"

#include <inttypes.h>

enum {
    MOST_COMPARED = 1000, /* refs and properties, each with each */
    MOST_NAMED = 3,       /* of one kind; the others are counted */
};

struct changes {
    const struct ice_metadata *e, *l; /* earlier, later */
    struct ice_buf *out;
    enum ice_status status; /* the first that failed */
};

/* ---- words ---- */

static void keep(struct changes *c, enum ice_status status) {
    if (c->status >= 0)
        c->status = status;
}

static void begin(struct changes *c) {
    if (c->out->size > 0)
        keep(c, ice_buf_append_str(c->out, ICE_STR("; ")));
}

static void say_numbers(struct changes *c, const char *what, int64_t from, int64_t to) {
    begin(c);
    keep(c, ice_buf_printf(c->out, "%s %" PRId64 " to %" PRId64, what, from, to));
}

static void say_count(struct changes *c, uint64_t count, const char *what) {
    begin(c);
    keep(c, ice_buf_printf(c->out, "%" PRIu64 " %s", count, what));
}

static void say_name(struct changes *c, const char *what, struct ice_str name,
                     const char *then) {
    begin(c);
    keep(c, ice_buf_append_str(c->out, ice_str_from(what)));
    keep(c, ice_buf_append_str(c->out, name));
    keep(c, ice_buf_append_str(c->out, ice_str_from(then)));
}

/* ---- layout ---- */

static bool has_both(const struct changes *c, enum ice_metadata_bit bit) {
    return ice_metadata_has(c->e, bit) && ice_metadata_has(c->l, bit);
}

static void check_layout(struct changes *c) {
    const struct ice_metadata *e = c->e, *l = c->l;
    if (e->format_version != l->format_version)
        say_numbers(c, "format version", e->format_version, l->format_version);
    if (has_both(c, ICE_META_current_schema_id) &&
        e->current_schema_id != l->current_schema_id)
        say_numbers(c, "schema", e->current_schema_id, l->current_schema_id);
    else if (l->n_schemas > e->n_schemas)
        say_count(c, l->n_schemas - e->n_schemas, "schemas added");
    if (has_both(c, ICE_META_default_spec_id) && e->default_spec_id != l->default_spec_id)
        say_numbers(c, "partition spec", e->default_spec_id, l->default_spec_id);
    else if (l->n_specs > e->n_specs && e->n_specs > 0)
        say_count(c, l->n_specs - e->n_specs, "partition specs added");
    if (has_both(c, ICE_META_default_sort_order_id) &&
        e->default_sort_order_id != l->default_sort_order_id)
        say_numbers(c, "sort order", e->default_sort_order_id, l->default_sort_order_id);
    if (e->location.size > 0 && !ice_str_equal(e->location, l->location))
        say_name(c, "location ", l->location, "");
    if (e->n_statistics != l->n_statistics)
        say_numbers(c, "statistics files", (int64_t)e->n_statistics,
                    (int64_t)l->n_statistics);
}

/* ---- properties ---- */

static const struct ice_property *find_property(const struct ice_metadata *m,
                                                struct ice_str key) {
    for (size_t i = 0; i < m->n_properties; i++) {
        if (ice_str_equal(m->properties[i].key, key))
            return &m->properties[i];
    }
    return NULL;
}

/* Properties of a that b lacks, or has with another value. */
static uint64_t compare_properties(struct changes *c, const struct ice_metadata *a,
                                   const struct ice_metadata *b, bool is_gone) {
    uint64_t n = 0;
    for (size_t i = 0; i < a->n_properties; i++) {
        const struct ice_property *x = &a->properties[i];
        const struct ice_property *y = find_property(b, x->key);
        if (y != NULL && (is_gone || ice_str_equal(x->value, y->value)))
            continue;
        if (n++ < MOST_NAMED)
            say_name(c, "property ", x->key, is_gone ? " removed" : " set");
    }
    return n > MOST_NAMED ? n - MOST_NAMED : 0;
}

static void check_properties(struct changes *c) {
    if (c->e->n_properties > MOST_COMPARED || c->l->n_properties > MOST_COMPARED)
        return;
    uint64_t more = compare_properties(c, c->l, c->e, false);
    more += compare_properties(c, c->e, c->l, true);
    if (more > 0)
        say_count(c, more, "more properties changed");
}

/* ---- refs ---- */

static void say_ref(struct changes *c, const struct ice_ref *ref, bool is_gone) {
    bool is_tag = ice_str_equal_nocase(ref->type, ICE_STR("tag"));
    say_name(c, is_tag ? "tag " : "branch ", ref->name, is_gone ? " dropped" : "");
    if (!is_gone && ref->has_snapshot_id)
        keep(c, ice_buf_printf(c->out, " to %" PRId64, ref->snapshot_id));
}

/* main has a story of its own. */
static void check_refs(struct changes *c) {
    uint64_t n = 0;
    if (c->e->n_refs > MOST_COMPARED || c->l->n_refs > MOST_COMPARED)
        return;
    for (size_t i = 0; i < c->l->n_refs; i++) {
        const struct ice_ref *ref = &c->l->refs[i],
                             *before = ice_metadata_find_ref(c->e, ref->name);
        if (ice_str_is(ref->name, "main") ||
            (before != NULL && before->snapshot_id == ref->snapshot_id))
            continue;
        if (n++ < MOST_NAMED)
            say_ref(c, ref, false);
    }
    for (size_t i = 0; i < c->e->n_refs; i++) {
        if (ice_str_is(c->e->refs[i].name, "main") ||
            ice_metadata_find_ref(c->l, c->e->refs[i].name) != NULL)
            continue;
        if (n++ < MOST_NAMED)
            say_ref(c, &c->e->refs[i], true);
    }
    if (n > MOST_NAMED)
        say_count(c, n - MOST_NAMED, "more refs moved");
}

/* ---- main and what went ---- */

static void check_main(struct changes *c) {
    int64_t from = c->e->current_snapshot_id, to = c->l->current_snapshot_id;
    const char *how = "";
    switch (ice_history_move(c->e, c->l)) {
    case ICE_MOVE_ON:
        return;
    case ICE_MOVE_BACK:
        how = "main went back from";
        break;
    case ICE_MOVE_CLEARED:
        begin(c);
        keep(c,
             ice_buf_printf(c->out, "main left %" PRId64 " and has no snapshot", from));
        return;
    case ICE_MOVE_ANEW:
        how = "main began anew, from";
        break;
    case ICE_MOVE_LOST:
        how = "main lost a commit, from";
        break;
    case ICE_MOVE_JUMP:
        how = "main jumped from";
        break;
    }
    say_numbers(c, how, from, to);
}

static void check_expired(struct changes *c) {
    uint64_t n = 0;
    for (size_t i = 0; i < c->e->n_snapshots; i++)
        n += ice_metadata_find_snapshot(c->l, c->e->snapshots[i].snapshot_id) == SIZE_MAX;
    if (n > 0)
        say_count(c, n, n == 1 ? "snapshot expired" : "snapshots expired");
}

enum ice_status ice_story_changes(const struct ice_metadata *earlier,
                                  const struct ice_metadata *later, struct ice_buf *out) {
    struct changes c = {.e = earlier, .l = later, .out = out, .status = ICE_OK};
    check_main(&c);
    check_layout(&c);
    check_refs(&c);
    check_expired(&c);
    check_properties(&c);
    return c.status;
}
