/*
 * Places in the current metadata file by ids. A commit writes a new file, expiry takes
 * snapshots and log entries away, and writers put lists in another order: none of that
 * may make a known finding new.
 */
#include "check/stable_place.h"

#include "base/chars.h"
#include "base/error.h"

#include <inttypes.h>

/* Of more partition fields it is not looked whether an id stands twice. */
enum { MOST_FIELDS = 1000 };

/* A pointer: what has been put in its stable form, and what is left of it. */
struct path {
    const struct ice_metadata *m;
    struct ice_str whole;
    size_t done; /* bytes of whole */
    struct ice_buf *out;
};

/* ---- steps ---- */

static struct ice_str rest_of(const struct path *p) {
    return ice_str_from_index(p->whole, p->done);
}

static struct ice_str next_step(const struct path *p) {
    return ice_pointer_step(rest_of(p));
}

/* "/12"; SIZE_MAX if that is none. */
static size_t index_of(struct ice_str step) {
    size_t index = 0;
    if (step.size < 2 || step.size > 10)
        return SIZE_MAX;
    for (size_t i = 1; i < step.size; i++) {
        if (!ice_is_digit(step.data[i]))
            return SIZE_MAX;
        index = index * 10 + (size_t)(step.data[i] - '0');
    }
    return index;
}

static bool is_done_by(const struct path *p, size_t more, struct ice_str pointer) {
    return ice_str_equal(ice_str_first(p->whole, p->done + more), pointer);
}

static enum ice_status put_id(struct path *p, size_t step, const char *name, int64_t id) {
    p->done += step;
    return ice_buf_printf(p->out, "/%s=%" PRId64, name, id);
}

/* ---- fields of a schema: the tree lies flat, parents before children ---- */

/* The child of parent in whose subtree field i lies. */
static uint32_t child_of(const struct ice_schema *schema, uint32_t i, uint32_t parent) {
    while (schema->fields[i].parent != parent && schema->fields[i].parent < i)
        i = schema->fields[i].parent;
    return i;
}

/* Behind the subtree of child, whose siblings end at end. */
static uint32_t end_of(const struct ice_schema *schema, uint32_t child, uint32_t end) {
    uint32_t low = child + 1;
    while (low < end) {
        uint32_t middle = low + (end - low) / 2;
        if (child_of(schema, middle, schema->fields[child].parent) == child)
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

/* The first of [low, end) in a child of that position or a later one. */
static uint32_t at_position(const struct ice_schema *schema, uint32_t parent,
                            uint32_t low, uint32_t end, size_t position) {
    while (low < end) {
        uint32_t middle = low + (end - low) / 2;
        if (schema->fields[child_of(schema, middle, parent)].position < position)
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

/* Is a pointer that of the field or of a part of it? */
static bool is_in(struct ice_str pointer, struct ice_str field) {
    return ice_str_starts(pointer, field) &&
           (pointer.size == field.size || pointer.data[field.size] == '/');
}

/* The child of a field in [*low, *end) that a pointer leads into; *low and *end become
 * the bounds of its own children. ICE_NO_PARENT: none. */
static uint32_t child_to(const struct ice_schema *schema, uint32_t parent,
                         struct ice_str pointer, uint32_t *low, uint32_t *end) {
    uint32_t child = *low;
    if (child >= *end)
        return ICE_NO_PARENT;
    if (schema->fields[child].role == ICE_ROLE_FIELD) {
        struct ice_str array = schema->fields[child].pointer; /* .../fields/0 */
        size_t slash = ice_str_rfind(array, '/');
        struct path p = {.whole = pointer, .done = slash};
        if (slash == SIZE_MAX || slash > pointer.size)
            return ICE_NO_PARENT;
        size_t index = index_of(next_step(&p));
        child =
            index == SIZE_MAX ? *end : at_position(schema, parent, child, *end, index);
    } else if (!is_in(pointer, schema->fields[child].pointer)) {
        child = end_of(schema, child, *end);
    }
    if (child >= *end || !is_in(pointer, schema->fields[child].pointer))
        return ICE_NO_PARENT;
    *end = end_of(schema, child, *end);
    *low = child + 1;
    return child;
}

/* The innermost field that goes by its id. */
static enum ice_status put_field(struct path *p, const struct ice_schema *schema) {
    struct ice_str pointer = rest_of(p);
    const struct ice_field *named = NULL;
    uint32_t low = 0, end = (uint32_t)schema->n_fields, at = ICE_NO_PARENT;
    while ((at = child_to(schema, at, pointer, &low, &end)) != ICE_NO_PARENT) {
        const struct ice_field *field = &schema->fields[at];
        if ((field->has & ICE_FIELD_HAS_ID) &&
            ice_schema_field(schema, field->id) == field)
            named = field;
    }
    return named == NULL ? ICE_OK : put_id(p, named->pointer.size, "field-id", named->id);
}

/* ---- elements: p->done stands behind the array, step is "/" and the number ---- */

typedef enum ice_status (*put_fn)(struct path *p, struct ice_str step, size_t index);

static enum ice_status put_schema(struct path *p, struct ice_str step, size_t index) {
    const struct ice_metadata *m = p->m;
    if (index >= m->n_schemas || !m->schemas[index].has_schema_id ||
        ice_metadata_find_schema(m, m->schemas[index].schema_id) != &m->schemas[index] ||
        !is_done_by(p, step.size, m->schemas[index].pointer))
        return ICE_OK;
    ICE_TRY(put_id(p, step.size, "schema-id", m->schemas[index].schema_id));
    return put_field(p, &m->schemas[index]);
}

/* The id that no earlier field of the spec has. */
static bool has_own_id(const struct ice_partition_spec *spec, size_t index) {
    if (!(spec->fields[index].has & ICE_PART_HAS_FIELD_ID) || index >= MOST_FIELDS)
        return false;
    for (size_t i = 0; i < index; i++) {
        if ((spec->fields[i].has & ICE_PART_HAS_FIELD_ID) &&
            spec->fields[i].field_id == spec->fields[index].field_id)
            return false;
    }
    return true;
}

/* Stands in front of "/fields/3" or, of the bare array, "/3". */
static enum ice_status put_partition_field(struct path *p,
                                           const struct ice_partition_spec *spec) {
    const struct path before = *p;
    if (ice_str_is(next_step(p), "/fields"))
        p->done += next_step(p).size;
    struct ice_str step = next_step(p);
    size_t index = index_of(step);
    if (index < spec->n_fields && has_own_id(spec, index) &&
        is_done_by(p, step.size, spec->fields[index].pointer))
        return put_id(p, step.size, "field-id", spec->fields[index].field_id);
    *p = before;
    return ICE_OK;
}

static enum ice_status put_spec(struct path *p, struct ice_str step, size_t index) {
    const struct ice_metadata *m = p->m;
    if (index >= m->n_specs || !m->specs[index].has_spec_id ||
        ice_metadata_find_spec(m, m->specs[index].spec_id) != &m->specs[index] ||
        !is_done_by(p, step.size, m->specs[index].pointer))
        return ICE_OK;
    ICE_TRY(put_id(p, step.size, "spec-id", m->specs[index].spec_id));
    return put_partition_field(p, &m->specs[index]);
}

static enum ice_status put_order(struct path *p, struct ice_str step, size_t index) {
    const struct ice_metadata *m = p->m;
    if (index >= m->n_orders || !m->orders[index].has_order_id ||
        ice_metadata_find_order(m, m->orders[index].order_id) != &m->orders[index] ||
        !is_done_by(p, step.size, m->orders[index].pointer))
        return ICE_OK;
    return put_id(p, step.size, "order-id", m->orders[index].order_id);
}

static enum ice_status put_snapshot(struct path *p, struct ice_str step, size_t index) {
    const struct ice_metadata *m = p->m;
    if (index >= m->n_snapshots ||
        !ice_snapshot_has(&m->snapshots[index], ICE_SNAP_snapshot_id) ||
        ice_metadata_find_snapshot(m, m->snapshots[index].snapshot_id) != index)
        return ICE_OK;
    return put_id(p, step.size, "snapshot-id", m->snapshots[index].snapshot_id);
}

/* Entries of logs, statistics and keys: two that are equal in this are one. */
static enum ice_status put_snapshot_log(struct path *p, struct ice_str step,
                                        size_t index) {
    const struct ice_metadata *m = p->m;
    if (index >= m->n_snapshot_log || !m->snapshot_log[index].has_timestamp ||
        !m->snapshot_log[index].has_what)
        return ICE_OK;
    ICE_TRY(put_id(p, step.size, "timestamp-ms", m->snapshot_log[index].timestamp_ms));
    return put_id(p, 0, "snapshot-id", m->snapshot_log[index].snapshot_id);
}

static enum ice_status put_text(struct path *p, size_t step, const char *name,
                                struct ice_str text) {
    p->done += step;
    ICE_TRY(ice_buf_printf(p->out, "/%s=", name));
    return ice_pointer_append(p->out, text);
}

static enum ice_status put_metadata_log(struct path *p, struct ice_str step,
                                        size_t index) {
    const struct ice_metadata *m = p->m;
    if (index >= m->n_metadata_log || !m->metadata_log[index].has_what)
        return ICE_OK;
    return put_text(p, step.size, "metadata-file", m->metadata_log[index].file);
}

static enum ice_status put_key(struct path *p, struct ice_str step, size_t index) {
    const struct ice_metadata *m = p->m;
    if (index >= m->n_keys || !m->keys[index].has_key_id ||
        !is_done_by(p, step.size, m->keys[index].pointer))
        return ICE_OK;
    return put_text(p, step.size, "key-id", m->keys[index].key_id);
}

/* Both kinds lie in one array, first all of the one and then all of the other. */
static size_t first_of_kind(const struct ice_metadata *m, bool is_partition) {
    size_t low = 0, high = m->n_statistics;
    if (high == 0 || m->statistics[0].is_partition == is_partition)
        return 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->statistics[middle].is_partition == is_partition)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static enum ice_status put_statistics_of(struct path *p, struct ice_str step,
                                         size_t index, bool is_partition) {
    const struct ice_metadata *m = p->m;
    size_t at = first_of_kind(m, is_partition) + index;
    if (at >= m->n_statistics || !m->statistics[at].has_snapshot_id ||
        !is_done_by(p, step.size, m->statistics[at].pointer))
        return ICE_OK;
    ICE_TRY(put_id(p, step.size, "snapshot-id", m->statistics[at].snapshot_id));
    return m->statistics[at].has_path
               ? put_text(p, 0, "statistics-path", m->statistics[at].path)
               : ICE_OK;
}

static enum ice_status put_statistics(struct path *p, struct ice_str step, size_t index) {
    return put_statistics_of(p, step, index, false);
}

static enum ice_status put_partition_statistics(struct path *p, struct ice_str step,
                                                size_t index) {
    return put_statistics_of(p, step, index, true);
}

/* ---- all ---- */

static const struct {
    const char *array;
    put_fn put;
} arrays[] = {
    {"/snapshots", put_snapshot},
    {"/schemas", put_schema},
    {"/partition-specs", put_spec},
    {"/sort-orders", put_order},
    {"/snapshot-log", put_snapshot_log},
    {"/metadata-log", put_metadata_log},
    {"/statistics", put_statistics},
    {"/partition-statistics", put_partition_statistics},
    {"/encryption-keys", put_key},
};

static enum ice_status put_pointer(struct path *p) {
    struct ice_str head = next_step(p);
    ICE_TRY(ice_buf_append_str(p->out, head));
    p->done = head.size;
    if (ice_str_is(head, "/schema"))
        return put_field(p, &p->m->schema);
    if (ice_str_is(head, "/partition-spec"))
        return put_partition_field(p, &p->m->spec);
    for (size_t i = 0; i < ICE_COUNT_OF(arrays); i++) {
        size_t index = index_of(next_step(p));
        if (ice_str_is(head, arrays[i].array) && index != SIZE_MAX)
            return arrays[i].put(p, next_step(p), index);
    }
    return ICE_OK;
}

/* The entry of a log by the file that it names: the same place as that file has while it
 * is the current one. Other findings of the history stand in files that stay. */
static enum ice_status put_logged(struct path *p, struct ice_str current) {
    if (!ice_str_is(next_step(p), "/metadata-log"))
        return ICE_DONE;
    p->done = next_step(p).size;
    size_t index = index_of(next_step(p));
    if (index >= p->m->n_metadata_log || !p->m->metadata_log[index].has_what)
        return ICE_DONE;
    p->done += next_step(p).size;
    if (!ice_str_is(rest_of(p), "/metadata-file"))
        return ICE_DONE;
    size_t slash = ice_str_rfind(current, '/');
    struct ice_str name = ice_uri_base_name(p->m->metadata_log[index].file);
    ICE_TRY(ice_buf_append_str(
        p->out, ice_str_first(current, slash == SIZE_MAX ? 0 : slash + 1)));
    ICE_TRY(ice_buf_append_str(p->out, name));
    static const char array[] = "\0/metadata-log";
    return ice_buf_append(p->out, array, sizeof(array) - 1);
}

enum ice_status ice_stable_place(void *user, const struct ice_place *place,
                                 struct ice_buf *out) {
    static const char file[] = "the current metadata file";
    const struct ice_check *ck = user;
    struct path p = {.m = &ck->metadata, .whole = place->at.pointer, .out = out};
    if (ck->metadata_file.size == 0 || !ice_str_equal(place->at.file, ck->metadata_file))
        return ICE_DONE;
    if (place->order >= ICE_ORDER_HISTORY)
        return put_logged(&p, ck->metadata_file);
    ICE_TRY(ice_buf_append(out, file, sizeof(file))); /* with the zero that ends it */
    ICE_TRY(put_pointer(&p));
    return ice_buf_append_str(out, rest_of(&p));
}
