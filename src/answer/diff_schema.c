/*
 * What became of the columns, by field id, and what a reader that still has the old
 * schema would make of the new files.
 *
 * The schema of a state is the current one of its metadata file where the state is that
 * file's current snapshot; else the one that its snapshot names.
 */
#include "answer/diff.h"

#include "base/error.h"

#include <assert.h>
#include <inttypes.h>

enum { NAME = 160, TYPE = 64 };

struct schemas {
    struct ice_diff *d;
    const struct ice_schema *from, *to;
    struct ice_buf name; /* scratch */
};

/* A field that both schemas have, or (one of them NULL) that only one has. */
struct column {
    const struct ice_field *from, *to;
    char name[NAME], new_name[NAME], type[TYPE], new_type[TYPE];
};

static bool is_current(const struct ice_state *state) {
    const struct ice_metadata *m = state->document.metadata;
    return !state->has_snapshot || (ice_metadata_has(m, ICE_META_current_snapshot_id) &&
                                    m->current_snapshot_id == state->snapshot_id);
}

static const struct ice_schema *schema_of(const struct ice_state *state) {
    const struct ice_metadata *m = state->document.metadata;
    const struct ice_snapshot *s = ice_state_snapshot(state);
    const struct ice_schema *own = NULL;
    if (!is_current(state) && s != NULL && ice_snapshot_has(s, ICE_SNAP_schema_id))
        own = ice_metadata_find_schema(m, s->schema_id);
    return own != NULL ? own : ice_metadata_current_schema(m);
}

/* Escaped, for a sentence. */
static enum ice_status show(struct schemas *c, const struct ice_schema *schema,
                            const struct ice_field *field, char name[NAME],
                            char type[TYPE]) {
    ice_buf_clear(&c->name);
    ICE_TRY(ice_schema_full_name(schema, field, &c->name));
    (void)ice_escape(name, NAME, ice_buf_str(&c->name));
    (void)ice_escape(type, TYPE, field->type.text);
    return ICE_OK;
}

/* ---- changes ---- */

static enum ice_status say_changes(struct schemas *c, const struct column *column) {
    const struct ice_field *from = column->from, *to = column->to;
    struct ice_diff *d = c->d;
    assert(from != NULL || to != NULL);
    if (from == NULL)
        return ice_diff_say(d, "changes", "schema", "column %s (id %d) added: %s %s",
                            column->new_name, to->id,
                            to->required ? "required" : "optional", column->new_type);
    if (to == NULL)
        return ice_diff_say(d, "changes", "schema",
                            "column %s (id %d) dropped: it was %s", column->name,
                            from->id, column->type);
    if (strcmp(column->name, column->new_name) != 0)
        ICE_TRY(ice_diff_say(d, "changes", "schema", "column %s (id %d) is now called %s",
                             column->name, from->id, column->new_name));
    if (!ice_type_equal(&from->type, &to->type))
        ICE_TRY(ice_diff_say(d, "changes", "schema",
                             "column %s (id %d) is now %s, was %s", column->new_name,
                             to->id, column->new_type, column->type));
    if (from->required != to->required)
        ICE_TRY(ice_diff_say(d, "changes", "schema", "column %s (id %d) is now %s",
                             column->new_name, to->id,
                             to->required ? "required" : "optional"));
    return ICE_OK;
}

/* ---- risks ---- */

/* A column of another id that has the old one's name now. */
static bool is_name_taken(const struct schemas *c, const struct ice_field *old) {
    for (size_t i = 0; i < c->to->n_fields; i++) {
        const struct ice_field *field = &c->to->fields[i];
        if (field->id != old->id && field->parent == ICE_NO_PARENT &&
            old->parent == ICE_NO_PARENT && ice_str_equal(field->name, old->name))
            return true;
    }
    return false;
}

static enum ice_status say_risks(struct schemas *c, const struct column *column) {
    const struct ice_field *from = column->from, *to = column->to;
    struct ice_diff *d = c->d;
    if (from == NULL)
        return ICE_OK; /* it does not ask for it: said once for all */
    if (to == NULL && is_name_taken(c, from))
        return ice_diff_say(d, "risks", "column-replaced",
                            "%s was dropped and made again: the old schema reads nulls "
                            "for it in new files, the values are under another id",
                            column->name);
    if (to == NULL)
        return ice_diff_say(d, "risks", "column-dropped",
                            "%s was dropped: the old schema %s in new files",
                            column->name,
                            from->required ? "demands it, and its reader fails or reads "
                                             "nulls"
                                           : "reads nulls for it");
    if (!ice_type_equal(&from->type, &to->type))
        ICE_TRY(ice_diff_say(d, "risks", "type-changed",
                             "%s is written as %s now: a reader that takes it for %s "
                             "fails or reads wrong values",
                             column->name, column->new_type, column->type));
    if (from->required && !to->required)
        return ice_diff_say(d, "risks", "nulls",
                            "%s may hold nulls now: the old schema rules them out",
                            column->name);
    return ICE_OK;
}

/* ---- all ---- */

typedef enum ice_status (*column_fn)(struct schemas *c, const struct column *column);

static enum ice_status each_column(struct schemas *c, column_fn each) {
    for (size_t i = 0; i < c->from->n_fields; i++) {
        struct column column = {.from = &c->from->fields[i]};
        column.to = ice_schema_field(c->to, column.from->id);
        ICE_TRY(show(c, c->from, column.from, column.name, column.type));
        if (column.to != NULL)
            ICE_TRY(show(c, c->to, column.to, column.new_name, column.new_type));
        ICE_TRY(each(c, &column));
    }
    for (size_t i = 0; i < c->to->n_fields; i++) {
        struct column column = {.to = &c->to->fields[i]};
        if (ice_schema_field(c->from, column.to->id) != NULL)
            continue;
        ICE_TRY(show(c, c->to, column.to, column.new_name, column.new_type));
        ICE_TRY(each(c, &column));
    }
    return ICE_OK;
}

static enum ice_status say_identifiers(struct schemas *c) {
    bool is_same = c->from->n_identifier_ids == c->to->n_identifier_ids;
    for (size_t i = 0; i < c->from->n_identifier_ids && is_same; i++)
        is_same = c->from->identifier_ids[i] == c->to->identifier_ids[i];
    return is_same ? ICE_OK
                   : ice_diff_say(c->d, "changes", "schema",
                                  "the identifier fields are others now");
}

static enum ice_status say_all(struct schemas *c) {
    struct ice_diff *d = c->d;
    uint64_t before = d->n_rows;
    ICE_TRY(each_column(c, say_changes));
    ICE_TRY(say_identifiers(c));
    if (d->n_rows == before)
        return ICE_OK;
    d->differs = true;
    before = d->n_rows;
    ICE_TRY(each_column(c, say_risks));
    return d->n_rows > before
               ? ICE_OK
               : ice_diff_say(d, "risks", "none",
                              "a reader with the old schema still reads the columns "
                              "that it knows correctly");
}

enum ice_status ice_diff_schema(struct ice_diff *d) {
    struct schemas c = {.d = d, .from = schema_of(&d->from), .to = schema_of(&d->to)};
    if (c.from == NULL || c.to == NULL) {
        const struct ice_state *state = c.from == NULL ? &d->from : &d->to;
        return ice_diff_unknown(d, state->document.file,
                                "the schemas were not compared: its metadata file has "
                                "no current schema");
    }
    ice_buf_init(&c.name, &d->reader->run.alloc, SIZE_MAX);
    enum ice_status status = say_all(&c);
    ice_buf_release(&c.name);
    return status;
}
