/*
 * What else the two metadata files say differently: specs, sort orders, properties, refs,
 * location, format version. Two states of one file differ in their schema at most.
 */
#include "answer/diff.h"

#include "base/error.h"

#include <inttypes.h>

enum {
    SHOWN = 200,
    MOST_COMPARED = 2000, /* properties and refs, each with each */
};

/* ---- numbers and texts ---- */

static enum ice_status say_layout(struct ice_diff *d, const struct ice_metadata *a,
                                  const struct ice_metadata *b) {
    char from[SHOWN], to[SHOWN];
    if (a->format_version != b->format_version)
        ICE_TRY(ice_diff_say(d, "changes", "format-version",
                             "format version %" PRId64 " is now %" PRId64,
                             a->format_version, b->format_version));
    if (ice_str_equal(a->location, b->location))
        return ICE_OK;
    return ice_diff_say(d, "changes", "location", "%s is now %s",
                        ice_escape(from, sizeof(from), a->location),
                        ice_escape(to, sizeof(to), b->location));
}

/* ---- specs and orders ---- */

/* "ts_day = day(ts), bucket[16](id)": sources by name where the schema has them. */
static enum ice_status source_text(const struct ice_metadata *m, int32_t id,
                                   struct ice_buf *out) {
    const struct ice_schema *schema = ice_metadata_current_schema(m);
    const struct ice_field *field = schema != NULL ? ice_schema_field(schema, id) : NULL;
    if (field == NULL)
        return ice_buf_printf(out, "column %d", id);
    return ice_schema_full_name(schema, field, out);
}

static enum ice_status term_text(const struct ice_metadata *m,
                                 const struct ice_transform *transform, int32_t source,
                                 struct ice_buf *out) {
    if (transform->kind == ICE_TRANSFORM_IDENTITY)
        return source_text(m, source, out);
    ICE_TRY(ice_buf_append_str(out, transform->text));
    ICE_TRY(ice_buf_append_char(out, '('));
    ICE_TRY(source_text(m, source, out));
    return ice_buf_append_char(out, ')');
}

static enum ice_status spec_text(const struct ice_metadata *m, struct ice_buf *out) {
    const struct ice_partition_spec *spec = ice_metadata_find_spec(m, m->default_spec_id);
    if (spec == NULL || spec->n_fields == 0)
        return ice_buf_append_str(out, ICE_STR("unpartitioned"));
    for (size_t i = 0; i < spec->n_fields; i++) {
        const struct ice_partition_field *field = &spec->fields[i];
        if (i > 0)
            ICE_TRY(ice_buf_append_str(out, ICE_STR(", ")));
        ICE_TRY(ice_buf_append_str(out, field->name));
        ICE_TRY(ice_buf_append_str(out, ICE_STR(" = ")));
        ICE_TRY(term_text(m, &field->transform, field->source_id, out));
    }
    return ICE_OK;
}

static enum ice_status order_text(const struct ice_metadata *m, struct ice_buf *out) {
    const struct ice_sort_order *order =
        ice_metadata_find_order(m, m->default_sort_order_id);
    if (order == NULL || order->n_fields == 0)
        return ice_buf_append_str(out, ICE_STR("unsorted"));
    for (size_t i = 0; i < order->n_fields; i++) {
        const struct ice_sort_field *field = &order->fields[i];
        if (i > 0)
            ICE_TRY(ice_buf_append_str(out, ICE_STR(", ")));
        ICE_TRY(term_text(m, &field->transform, field->source_id, out));
        ICE_TRY(ice_buf_append_char(out, ' '));
        ICE_TRY(ice_buf_append_str(out, field->direction));
        ICE_TRY(ice_buf_append_char(out, ' '));
        ICE_TRY(ice_buf_append_str(out, field->null_order));
    }
    return ICE_OK;
}

typedef enum ice_status (*text_fn)(const struct ice_metadata *m, struct ice_buf *out);

/* A new id with the same text is said too: writers and files name it. */
static enum ice_status say_described(struct ice_diff *d, const char *name,
                                     const char *what, int32_t id_a, int32_t id_b,
                                     text_fn text) {
    const struct ice_metadata *a = d->from.document.metadata,
                              *b = d->to.document.metadata;
    struct ice_alloc *alloc = &d->reader->run.alloc;
    struct ice_buf from, to;
    char shown_from[SHOWN], shown_to[SHOWN];
    ice_buf_init(&from, alloc, SIZE_MAX);
    ice_buf_init(&to, alloc, SIZE_MAX);
    enum ice_status status = text(a, &from);
    if (status >= 0)
        status = text(b, &to);
    if (status < 0)
        status = ice_error_memory(d->err);
    else if (id_a != id_b)
        status = ice_diff_say(d, "changes", name, "%s %d (%s) is now %d (%s)", what, id_a,
                              ice_escape(shown_from, SHOWN, ice_buf_str(&from)), id_b,
                              ice_escape(shown_to, SHOWN, ice_buf_str(&to)));
    ice_buf_release(&from);
    ice_buf_release(&to);
    return status;
}

/* ---- properties ---- */

static const struct ice_property *find_property(const struct ice_metadata *m,
                                                struct ice_str key) {
    for (size_t i = 0; i < m->n_properties; i++)
        if (ice_str_equal(m->properties[i].key, key))
            return &m->properties[i];
    return NULL;
}

static enum ice_status say_properties(struct ice_diff *d, const struct ice_metadata *a,
                                      const struct ice_metadata *b) {
    char key[SHOWN], from[SHOWN], to[SHOWN];
    if (a->n_properties > MOST_COMPARED || b->n_properties > MOST_COMPARED)
        return ice_diff_unknown(d, ICE_STR_NONE,
                                "more than %d properties: they were not compared",
                                MOST_COMPARED);
    for (size_t i = 0; i < a->n_properties; i++) {
        const struct ice_property *before = &a->properties[i];
        const struct ice_property *after = find_property(b, before->key);
        if (after != NULL && ice_str_equal(before->value, after->value))
            continue;
        (void)ice_escape(key, sizeof(key), before->key);
        (void)ice_escape(from, sizeof(from), before->value);
        if (after == NULL)
            ICE_TRY(ice_diff_say(d, "changes", "property", "%s is gone, was '%s'", key,
                                 from));
        else
            ICE_TRY(ice_diff_say(d, "changes", "property", "%s is now '%s', was '%s'",
                                 key, ice_escape(to, sizeof(to), after->value), from));
    }
    for (size_t i = 0; i < b->n_properties; i++) {
        if (find_property(a, b->properties[i].key) != NULL)
            continue;
        ICE_TRY(ice_diff_say(d, "changes", "property", "%s is new: '%s'",
                             ice_escape(key, sizeof(key), b->properties[i].key),
                             ice_escape(to, sizeof(to), b->properties[i].value)));
    }
    return ICE_OK;
}

/* ---- refs and snapshots ---- */

/* main is what the relation is about. */
static enum ice_status say_refs(struct ice_diff *d, const struct ice_metadata *a,
                                const struct ice_metadata *b) {
    char name[SHOWN];
    if (a->n_refs > MOST_COMPARED || b->n_refs > MOST_COMPARED)
        return ice_diff_unknown(
            d, ICE_STR_NONE, "more than %d refs: they were not compared", MOST_COMPARED);
    for (size_t i = 0; i < a->n_refs; i++) {
        const struct ice_ref *before = &a->refs[i],
                             *after = ice_metadata_find_ref(b, before->name);
        if (ice_str_is(before->name, "main") ||
            (after != NULL && after->snapshot_id == before->snapshot_id))
            continue;
        (void)ice_escape(name, sizeof(name), before->name);
        if (after == NULL)
            ICE_TRY(ice_diff_say(d, "changes", "ref", "%s is gone, was at %" PRId64, name,
                                 before->snapshot_id));
        else
            ICE_TRY(ice_diff_say(d, "changes", "ref",
                                 "%s is now at %" PRId64 ", was at %" PRId64, name,
                                 after->snapshot_id, before->snapshot_id));
    }
    for (size_t i = 0; i < b->n_refs; i++) {
        if (ice_str_is(b->refs[i].name, "main") ||
            ice_metadata_find_ref(a, b->refs[i].name) != NULL)
            continue;
        ICE_TRY(ice_diff_say(d, "changes", "ref", "%s is new, at %" PRId64,
                             ice_escape(name, sizeof(name), b->refs[i].name),
                             b->refs[i].snapshot_id));
    }
    return ICE_OK;
}

static enum ice_status say_expired(struct ice_diff *d, const struct ice_metadata *a,
                                   const struct ice_metadata *b) {
    uint64_t n = 0;
    for (size_t i = 0; i < a->n_snapshots; i++)
        n += ice_metadata_find_snapshot(b, a->snapshots[i].snapshot_id) == SIZE_MAX;
    return n == 0 ? ICE_OK
                  : ice_diff_say(d, "changes", "snapshots",
                                 "%" PRIu64 " of %zu snapshots are %s", n, a->n_snapshots,
                                 d->ahead.from_is ? "not there yet" : "no longer kept");
}

/* ---- all ---- */

static enum ice_status say_documents(struct ice_diff *d, const struct ice_metadata *a,
                                     const struct ice_metadata *b) {
    ICE_TRY(say_layout(d, a, b));
    ICE_TRY(say_described(d, "spec", "partition spec", a->default_spec_id,
                          b->default_spec_id, spec_text));
    ICE_TRY(say_described(d, "sort-order", "sort order", a->default_sort_order_id,
                          b->default_sort_order_id, order_text));
    ICE_TRY(say_properties(d, a, b));
    ICE_TRY(say_refs(d, a, b));
    return say_expired(d, a, b);
}

enum ice_status ice_diff_changes(struct ice_diff *d) {
    const struct ice_metadata *a = d->from.document.metadata,
                              *b = d->to.document.metadata;
    uint64_t before = d->n_rows;
    bool is_one = a == b || (d->from.reader == d->to.reader &&
                             ice_str_equal(d->from.document.file, d->to.document.file));
    if (!is_one)
        ICE_TRY(say_documents(d, a, b));
    d->differs = d->differs || d->n_rows > before;
    ICE_TRY(ice_diff_schema(d));
    if (d->n_rows > before)
        return ICE_OK;
    return ice_diff_say(d, "changes", "none",
                        is_one ? "both have the same schema"
                               : "format version, location, schema, partition spec, sort "
                                 "order, properties and refs are the same");
}
