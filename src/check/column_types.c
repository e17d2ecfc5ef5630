/*
 * Columns by field id, over all schemas that know them.
 */
#include "check/column_types.h"

#include "base/error.h"

#include <assert.h>

/* Ids from here on are the spec's own (spec: #reserved-field-ids). */
#define FIRST_RESERVED_ID (INT32_MAX - 200 + 1)
enum {
    ID_FILE_PATH = INT32_MAX - 101,
    ID_POS = INT32_MAX - 102,
    ID_ROW_ID = INT32_MAX - 107,
    ID_LAST_UPDATED = INT32_MAX - 108,
};

/* With more types than that one more or less says nothing. */
enum { MAX_TYPES = 8 };
/* Direct look-up reaches this many ids a column. */
enum { DENSE_FACTOR = 8, DENSE_MORE = 256 };

/* What one schema says of the fields around a field. */
enum { AROUND_REPEATED = 1, AROUND_OPTIONAL = 2 };

static uint64_t key_of(const struct ice_columns *columns, int32_t id) {
    return ice_hash_mix((uint32_t)id, columns->hash_seed);
}

static bool find_in(const struct ice_columns *columns, const struct ice_table *table,
                    const struct ice_table_column *items, int32_t id, uint32_t *out) {
    size_t at = SIZE_MAX;
    while (ice_table_next(table, key_of(columns, id), &at, out))
        if (items[*out].id == id)
            return true;
    return false;
}

uint32_t ice_columns_find_slow(const struct ice_columns *columns, int32_t id) {
    uint32_t index;
    if (id >= 0 && (uint32_t)id < columns->n_dense && columns->header_by_id.n == 0)
        return ICE_NO_COLUMN;
    if (find_in(columns, &columns->by_id, columns->items, id, &index) ||
        find_in(columns, &columns->header_by_id, columns->items, id, &index))
        return index;
    return ICE_NO_COLUMN;
}

/* ---- types ---- */

static bool add_type(struct ice_table_column *column, const struct ice_type *type,
                     struct ice_arena *arena, bool is_shown) {
    const struct ice_column_type *known = column->types;
    struct ice_type bare = {.kind = type->kind,
                            .precision = type->precision,
                            .scale = type->scale,
                            .length = type->length};
    while (known && !ice_type_equal(&known->type, &bare))
        known = known->next;
    if (!known) {
        struct ice_column_type *added = ice_arena_alloc(arena, sizeof(*added));
        if (!added)
            return false;
        added->type = bare;
        added->next = column->types;
        known = column->types = added;
        column->n_types++;
    }
    if (is_shown || !column->shown)
        column->shown = &known->type;
    if (column->n_types > MAX_TYPES)
        column->flags |= ICE_COLUMN_AMBIGUOUS;
    return true;
}

static bool can_equal(const struct ice_type *type) {
    return ice_type_is_primitive(type) && type->kind != ICE_TYPE_FLOAT &&
           type->kind != ICE_TYPE_DOUBLE;
}

static uint32_t flags_of(const struct ice_field *field, unsigned around) {
    uint32_t flags = 0;
    enum ice_type_kind kind = field->type.kind;
    if (around)
        flags |= ICE_COLUMN_NESTED;
    if (kind == ICE_TYPE_FLOAT || kind == ICE_TYPE_DOUBLE || kind == ICE_TYPE_VARIANT ||
        kind == ICE_TYPE_BAD)
        flags |= ICE_COLUMN_FLOAT;
    if ((can_equal(&field->type) || kind == ICE_TYPE_BAD) && !(around & AROUND_REPEATED))
        flags |= ICE_COLUMN_CAN_EQUAL;
    return flags;
}

/* Of the fields around fields[index]; what is around its parent is known already. */
static unsigned around_of(const struct ice_schema *schema, size_t index,
                          const uint8_t *around) {
    const struct ice_field *field = &schema->fields[index];
    if (field->parent == ICE_NO_PARENT || field->parent >= index)
        return 0;
    const struct ice_field *parent = &schema->fields[field->parent];
    unsigned out = around[field->parent];
    if (field->role != ICE_ROLE_FIELD)
        out |= AROUND_REPEATED;
    if (!parent->required)
        out |= AROUND_OPTIONAL;
    return out;
}

/* ---- listed schemas ---- */

struct listing {
    struct ice_columns *columns;
    uint32_t *last_schema; /* by column: number of the last schema that had it */
    size_t cap_last;
    uint8_t *around;
    uint32_t number; /* of the schema */
    bool is_current;
};

static struct ice_table_column *listed_column(struct listing *l, int32_t id,
                                              bool *out_new) {
    struct ice_columns *columns = l->columns;
    uint32_t index;
    *out_new = false;
    if (find_in(columns, &columns->by_id, columns->listed, id, &index))
        return &columns->listed[index];
    if (!ice_array_reserve(columns->alloc, &columns->listed, columns->n_listed,
                           &columns->cap_listed, sizeof(*columns->listed)) ||
        !ice_array_reserve(columns->alloc, &l->last_schema, columns->n_listed,
                           &l->cap_last, sizeof(*l->last_schema)) ||
        columns->n_listed >= UINT32_MAX / 2 ||
        ice_table_put(&columns->by_id, key_of(columns, id), (uint32_t)columns->n_listed) <
            0)
        return NULL;
    *out_new = true;
    l->last_schema[columns->n_listed] = UINT32_MAX;
    struct ice_table_column *column = &columns->listed[columns->n_listed++];
    *column = (struct ice_table_column){.id = id};
    return column;
}

static enum ice_status add_schema(struct listing *l, const struct ice_schema *schema) {
    for (size_t i = 0; i < schema->n_fields; i++) {
        const struct ice_field *field = &schema->fields[i];
        bool is_new;
        unsigned around = around_of(schema, i, l->around);
        l->around[i] = (uint8_t)around;
        if (!(field->has & ICE_FIELD_HAS_ID))
            continue;
        struct ice_table_column *column = listed_column(l, field->id, &is_new);
        if (!column)
            return ICE_ENOMEM;
        size_t index = (size_t)(column - l->columns->listed);
        bool is_required = field->required && !around;
        assert(l->last_schema != NULL); /* as there is a column */
        if (l->last_schema[index] == l->number)
            column->flags |= ICE_COLUMN_AMBIGUOUS;
        l->last_schema[index] = l->number;
        column->flags |= ICE_COLUMN_LISTED | flags_of(field, around);
        if (l->is_current)
            column->flags |= ICE_COLUMN_CURRENT;
        if (is_new && is_required)
            column->flags |= ICE_COLUMN_REQUIRED;
        if (!is_required)
            column->flags &= ~(uint32_t)ICE_COLUMN_REQUIRED;
        if (!(column->flags & ICE_COLUMN_AMBIGUOUS) &&
            !add_type(column, &field->type, &l->columns->arena, l->is_current))
            return ICE_ENOMEM;
    }
    l->number++;
    return ICE_OK;
}

static enum ice_status add_reserved(struct listing *l) {
    static const struct {
        int32_t id;
        enum ice_type_kind kind;
    } reserved[] = {{ID_FILE_PATH, ICE_TYPE_STRING},
                    {ID_POS, ICE_TYPE_LONG},
                    {ID_ROW_ID, ICE_TYPE_LONG},
                    {ID_LAST_UPDATED, ICE_TYPE_LONG}};
    for (size_t i = 0; i < ICE_COUNT_OF(reserved); i++) {
        bool is_new;
        struct ice_table_column *column = listed_column(l, reserved[i].id, &is_new);
        struct ice_type type = {.kind = reserved[i].kind};
        if (!column)
            return ICE_ENOMEM;
        column->flags |= ICE_COLUMN_RESERVED;
        if (is_new && !add_type(column, &type, &l->columns->arena, false))
            return ICE_ENOMEM;
    }
    return ICE_OK;
}

static void finish(struct ice_table_column *column) {
    if (column->flags & ICE_COLUMN_AMBIGUOUS) {
        column->types = NULL;
        column->n_types = 0;
        column->flags |= ICE_COLUMN_NESTED | ICE_COLUMN_FLOAT | ICE_COLUMN_CAN_EQUAL;
        column->flags &= ~(uint32_t)(ICE_COLUMN_REQUIRED | ICE_COLUMN_HEADER_REQUIRED);
    }
    ice_column_choose(column);
}

static enum ice_status add_listed(struct listing *l,
                                  const struct ice_metadata *metadata) {
    const struct ice_schema *current = ice_metadata_current_schema(metadata);
    size_t most = metadata->schema.n_fields;
    for (size_t i = 0; i < metadata->n_schemas; i++)
        if (metadata->schemas[i].n_fields > most)
            most = metadata->schemas[i].n_fields;
    if (most > 0 && !(l->around = ice_arena_alloc(&l->columns->arena, most)))
        return ICE_ENOMEM;
    l->is_current = current == &metadata->schema;
    ICE_TRY(add_schema(l, &metadata->schema));
    for (size_t i = 0; i < metadata->n_schemas; i++) {
        l->is_current = current == &metadata->schemas[i];
        ICE_TRY(add_schema(l, &metadata->schemas[i]));
    }
    return ICE_OK;
}

static enum ice_status index_small_ids(struct ice_columns *columns) {
    size_t reach = columns->n_listed * DENSE_FACTOR + DENSE_MORE, last = 0;
    for (size_t i = 0; i < columns->n_listed; i++) {
        int32_t id = columns->listed[i].id;
        if (id >= 0 && (size_t)id < reach && (size_t)id > last)
            last = (size_t)id;
    }
    columns->dense = ice_arena_array(&columns->arena, last + 1, sizeof(*columns->dense));
    if (!columns->dense)
        return ICE_ENOMEM;
    columns->n_dense = last + 1;
    for (size_t i = 0; i < columns->n_listed; i++) {
        int32_t id = columns->listed[i].id;
        if (id >= 0 && (size_t)id <= last)
            columns->dense[id] = (uint32_t)i + 1;
    }
    return ICE_OK;
}

enum ice_status ice_columns_open(struct ice_columns *columns, struct ice_alloc *alloc,
                                 uint64_t hash_seed,
                                 const struct ice_metadata *metadata) {
    struct listing l = {.columns = columns};
    *columns =
        (struct ice_columns){.alloc = alloc, .hash_seed = hash_seed, .is_open = true};
    ice_arena_init(&columns->arena, alloc);
    ice_arena_init(&columns->header_arena, alloc);
    ice_table_init(&columns->by_id, alloc);
    ice_table_init(&columns->header_by_id, alloc);
    ice_buf_init(&columns->header, alloc, SIZE_MAX);
    enum ice_status status = metadata ? add_listed(&l, metadata) : ICE_OK;
    columns->knows_all = columns->n_listed > 0;
    if (status == ICE_OK)
        status = add_reserved(&l);
    if (status == ICE_OK)
        status = index_small_ids(columns);
    for (size_t i = 0; i < columns->n_listed; i++)
        finish(&columns->listed[i]);
    ice_array_free(alloc, &l.last_schema, &l.cap_last, sizeof(*l.last_schema));
    return status;
}

void ice_columns_release(struct ice_columns *columns) {
    if (!columns->is_open)
        return;
    ice_array_free(columns->alloc, &columns->listed, &columns->cap_listed,
                   sizeof(*columns->listed));
    ice_array_free(columns->alloc, &columns->items, &columns->cap,
                   sizeof(*columns->items));
    ice_table_release(&columns->by_id);
    ice_table_release(&columns->header_by_id);
    ice_buf_release(&columns->header);
    ice_arena_release(&columns->arena);
    ice_arena_release(&columns->header_arena);
    *columns = (struct ice_columns){0};
}

/* ---- header schema ---- */

static enum ice_status add_item(struct ice_columns *columns,
                                struct ice_table_column column) {
    if (!ice_array_reserve(columns->alloc, &columns->items, columns->n, &columns->cap,
                           sizeof(*columns->items)))
        return ICE_ENOMEM;
    columns->items[columns->n++] = column;
    return ICE_OK;
}

static enum ice_status add_header_field(struct ice_columns *columns,
                                        const struct ice_field *field, unsigned around) {
    uint32_t index = ice_columns_find(columns, field->id);
    if (index == ICE_NO_COLUMN) {
        index = (uint32_t)columns->n;
        ICE_TRY(add_item(columns, (struct ice_table_column){.id = field->id}));
        ICE_TRY(ice_table_put(&columns->header_by_id, key_of(columns, field->id), index));
    }
    struct ice_table_column *column = &columns->items[index];
    if (column->flags & ICE_COLUMN_HEADER)
        column->flags |= ICE_COLUMN_AMBIGUOUS;
    column->flags |= ICE_COLUMN_HEADER | flags_of(field, around);
    if (field->required && !around)
        column->flags |= ICE_COLUMN_HEADER_REQUIRED;
    if (!(column->flags & ICE_COLUMN_AMBIGUOUS) &&
        !add_type(column, &field->type, &columns->header_arena, true))
        return ICE_ENOMEM;
    return ICE_OK;
}

static enum ice_status add_header(struct ice_columns *columns,
                                  const struct ice_schema *schema) {
    uint8_t *all = ice_arena_alloc(&columns->header_arena, schema->n_fields);
    if (!all)
        return ICE_ENOMEM;
    for (size_t i = 0; i < schema->n_fields; i++) {
        unsigned around = around_of(schema, i, all);
        all[i] = (uint8_t)around;
        if (schema->fields[i].has & ICE_FIELD_HAS_ID)
            ICE_TRY(add_header_field(columns, &schema->fields[i], around));
    }
    return ICE_OK;
}

enum ice_status ice_columns_begin(struct ice_columns *columns, struct ice_str header,
                                  const struct ice_schema *schema) {
    bool has_header = schema != NULL;
    if (columns->generation > 0 && has_header == columns->has_header &&
        (!has_header || ice_str_equal(header, ice_buf_str(&columns->header))))
        return ICE_OK;
    columns->generation++;
    columns->n = 0;
    columns->has_header = false;
    ice_table_clear(&columns->header_by_id);
    ice_arena_reset(&columns->header_arena);
    ice_buf_clear(&columns->header);
    for (size_t i = 0; i < columns->n_listed; i++)
        ICE_TRY(add_item(columns, columns->listed[i]));
    if (has_header) {
        ICE_TRY(ice_buf_append_str(&columns->header, header));
        ICE_TRY(add_header(columns, schema));
    }
    columns->has_header = has_header;
    for (size_t i = 0; i < columns->n; i++)
        finish(&columns->items[i]);
    return ICE_OK;
}
