/*
 * The header schema of lists and manifests against the field tables of the spec: ids,
 * types, unions, names. Readers resolve columns by field id (spec: #avro), so a lost id
 * is a lost column. Values of rows are no business of this file.
 */
#include "iceberg/avro_fields.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/hash.h"
#include "json/reader.h"

#include <stdio.h>

#define SCHEMA_POINTER "/header/avro.schema"
/* a pointer longer than this is cut: schema names are a stranger's */
#define MAX_POINTER_BYTES 4096
/* records nested in the field tables: list row > summary, entry > data_file */
#define MAX_LEVELS 4

/* Field ids with a rule of their own, or that writers leave out in peace. */
enum {
    ID_SNAPSHOT_ID = 1,
    ID_PARTITION = 102,
    ID_BLOCK_SIZE = 105,
    ID_CONTENT = 134,
    ID_ADDED_SNAPSHOT_ID = 503,
};

struct level {
    const struct ice_avro_schema *record;
    const struct ice_want *wants;
    const struct ice_avro_need *needs;
    size_t n_wants;
};

struct walk {
    int version;
    struct ice_arena *arena;
    const struct ice_avro_listener *listener;
    struct level levels[MAX_LEVELS]; /* still to be looked at */
    size_t n_levels;
};

static enum ice_status tell(const struct ice_avro_listener *listener,
                            const struct ice_avro_fault *fault) {
    return listener->on_fault ? listener->on_fault(fault, listener->user) : ICE_OK;
}

/* SCHEMA_POINTER, the pointer of a node, and "/fields/N" if index is not SIZE_MAX. */
static bool schema_pointer(struct ice_arena *arena, struct ice_str node, size_t index,
                           struct ice_str *out) {
    struct ice_buf buf;
    ice_buf_init(&buf, arena->alloc, MAX_POINTER_BYTES);
    bool fits = ice_buf_append_str(&buf, ICE_STR(SCHEMA_POINTER)) == ICE_OK;
    enum ice_status status = fits ? ice_buf_append_str(&buf, node) : ICE_ENOMEM;
    if (status == ICE_OK && index != SIZE_MAX)
        status = ice_buf_printf(&buf, "/fields/%zu", index);
    /* beyond the ceiling the pointer just ends early */
    bool ok = status != ICE_ENOMEM && ice_arena_dup(arena, ice_buf_str(&buf), out);
    ice_buf_release(&buf);
    return ok;
}

static enum ice_status tell_field(struct walk *walk, const char *rule,
                                  const struct ice_avro_schema *record, size_t index,
                                  struct ice_str name, int32_t id,
                                  struct ice_str detail) {
    struct ice_avro_fault fault = {
        .rule = rule, .field = name, .id = id, .detail = detail};
    if (!walk->listener->on_fault)
        return ICE_OK;
    if (!schema_pointer(walk->arena, record->pointer, index, &fault.pointer))
        return ICE_ENOMEM;
    return tell(walk->listener, &fault);
}

/* The index-th of the names split by '|'; size 0 behind the last. */
static struct ice_str name_at(const char *names, size_t index) {
    struct ice_str rest = ice_str_from(names);
    for (; index; index--) {
        size_t bar = ice_str_find(rest, '|');
        if (bar == SIZE_MAX)
            return ICE_STR_NONE;
        rest = ice_str_from_index(rest, bar + 1);
    }
    size_t bar = ice_str_find(rest, '|');
    return bar == SIZE_MAX ? rest : ice_str_first(rest, bar);
}

static bool has_name(const char *names, struct ice_str name) {
    for (size_t i = 0;; i++) {
        struct ice_str known = name_at(names, i);
        if (known.size == 0)
            return false;
        if (ice_str_equal(known, name))
            return true;
    }
}

static bool is_whole_number(const struct ice_avro_schema *node, bool int_only) {
    return node->type == ICE_AVRO_INT || (!int_only && node->type == ICE_AVRO_LONG);
}

/* An Avro array of records with an int key and a value: how maps with int keys are
 * written. */
static bool is_pair_array(const struct ice_avro_schema *node, enum ice_want_kind kind) {
    if (node->type != ICE_AVRO_ARRAY)
        return false;
    bool nullable = false;
    const struct ice_avro_schema *pair = ice_avro_not_null(node->items, &nullable);
    if (pair->type != ICE_AVRO_RECORD || pair->n_fields != 2)
        return false;
    const struct ice_avro_schema *key =
        ice_avro_not_null(pair->fields[0].type, &nullable);
    const struct ice_avro_schema *value =
        ice_avro_not_null(pair->fields[1].type, &nullable);
    if (key->type != ICE_AVRO_INT)
        return false;
    if (kind == ICE_WANT_MAP_I64)
        return is_whole_number(value, false);
    return value->type == ICE_AVRO_BYTES || value->type == ICE_AVRO_FIXED;
}

static bool is_usable(const struct ice_want *want, const struct ice_avro_schema *node) {
    bool nullable = false;
    switch (want->kind) {
    case ICE_WANT_BOOL:
        return node->type == ICE_AVRO_BOOLEAN;
    case ICE_WANT_I32:
        return is_whole_number(node, true);
    case ICE_WANT_I64:
        return is_whole_number(node, false);
    case ICE_WANT_STR:
        return node->type == ICE_AVRO_STRING;
    case ICE_WANT_BYTES:
        return node->type == ICE_AVRO_BYTES || node->type == ICE_AVRO_FIXED;
    case ICE_WANT_RECORD:
    case ICE_WANT_TUPLE:
        return node->type == ICE_AVRO_RECORD;
    case ICE_WANT_LIST_I64: /* PyIceberg declares equality_ids as longs, always null */
        return node->type == ICE_AVRO_ARRAY &&
               is_whole_number(ice_avro_not_null(node->items, &nullable), false);
    case ICE_WANT_LIST:
        return node->type == ICE_AVRO_ARRAY &&
               ice_avro_not_null(node->items, &nullable)->type == ICE_AVRO_RECORD;
    case ICE_WANT_MAP_I64:
    case ICE_WANT_MAP_BYTES:
        return is_pair_array(node, want->kind);
    }
    return false;
}

static enum ice_need need_of(const struct walk *walk, const struct ice_want *want,
                             const struct ice_avro_need *need) {
    /* Java declares it optional in v1 too, since ids are inherited */
    if (walk->version == 1 && want->id == ID_SNAPSHOT_ID)
        return ICE_NEED_OPT;
    return (enum ice_need)need->version[walk->version - 1];
}

static bool may_be_left_out(int32_t id) {
    return id == ID_PARTITION || id == ID_BLOCK_SIZE || id == ID_CONTENT;
}

/* Ids of the elements of lists, and of the keys and values of maps (FIELDS of the spec).
 */
static const struct {
    int32_t id, parts[2];
} part_ids[] = {{108, {117, 118}}, {109, {119, 120}}, {110, {121, 122}},
                {137, {138, 139}}, {111, {123, 124}}, {125, {126, 127}},
                {128, {129, 130}}, {132, {133, 0}},   {135, {136, 0}},
                {507, {508, 0}}};

static bool is_part_id(int32_t id, size_t part, int32_t found) {
    for (size_t i = 0; i < ICE_COUNT_OF(part_ids); i++)
        if (part_ids[i].id == id)
            return part_ids[i].parts[part] == found;
    return true;
}

/* An id of an element, key or value; *rule: what is wrong with it, or NULL. */
static const char *part_rule(int32_t id, size_t part, const struct ice_avro_attr *found) {
    if (!found->has)
        return "avro.field-id.element-missing";
    return is_part_id(id, part, found->value) ? NULL : "avro.field-id.mismatch";
}

/* Lists and maps: ids of elements, keys, values; the logical type that makes Java see a
 * map. */
static enum ice_status check_container(struct walk *walk,
                                       const struct ice_avro_schema *record, size_t index,
                                       const struct ice_want *want,
                                       const struct ice_avro_schema *node) {
    const struct ice_avro_field *field = &record->fields[index];
    bool nullable = false;
    if (want->kind == ICE_WANT_LIST || want->kind == ICE_WANT_LIST_I64) {
        const char *rule = part_rule(want->id, 0, &node->element_id);
        return rule == NULL ? ICE_OK
                            : tell_field(walk, rule, record, index, field->name, want->id,
                                         ICE_STR("element"));
    }
    const struct ice_avro_schema *pair = ice_avro_not_null(node->items, &nullable);
    static const char *const parts[] = {"key", "value"};
    for (size_t i = 0; i < ICE_COUNT_OF(parts); i++) {
        const char *rule = part_rule(want->id, i, &pair->fields[i].id);
        if (rule != NULL)
            ICE_TRY(tell_field(walk, rule, record, index, field->name, want->id,
                               ice_str_from(parts[i])));
    }
    if (!ice_str_is(node->logical_type, "map"))
        return tell_field(walk, "avro.map.logical-type", record, index, field->name,
                          want->id, ICE_STR_NONE);
    return ICE_OK;
}

static enum ice_status descend(struct walk *walk, const struct ice_want *want,
                               const struct ice_avro_need *need,
                               const struct ice_avro_schema *node) {
    bool nullable = false;
    if (want->kind == ICE_WANT_LIST)
        node = ice_avro_not_null(node->items, &nullable);
    else if (want->kind != ICE_WANT_RECORD && want->kind != ICE_WANT_TUPLE)
        return ICE_OK;
    if (walk->n_levels < MAX_LEVELS)
        walk->levels[walk->n_levels++] =
            (struct level){node, want->children, need->children, want->n_children};
    return ICE_OK;
}

static enum ice_status check_type(struct walk *walk, const struct ice_avro_schema *record,
                                  size_t index, const struct ice_want *want,
                                  const struct ice_avro_need *need) {
    const struct ice_avro_field *field = &record->fields[index];
    bool nullable = false;
    const struct ice_avro_schema *node = ice_avro_not_null(field->type, &nullable);
    bool required = need_of(walk, want, need) == ICE_NEED_REQ;
    if (node->type == ICE_AVRO_UNION)
        return tell_field(walk, "avro.field.union", record, index, field->name, want->id,
                          ICE_STR_NONE);
    /* a column that is never set may be of type null */
    if (node->type == ICE_AVRO_NULL && !required)
        return ICE_OK;
    if (!is_usable(want, node))
        return tell_field(walk, "avro.field.type", record, index, field->name, want->id,
                          ice_str_from(ice_avro_type_name(node->type)));
    /* Java up to 1.0 declared added_snapshot_id optional in v1, and every reader takes
     * that */
    bool old_java = walk->version == 1 && want->id == ID_ADDED_SNAPSHOT_ID;
    if (required && nullable && !old_java)
        ICE_TRY(tell_field(walk, "avro.field.nullable-required", record, index,
                           field->name, want->id, ICE_STR_NONE));
    switch (want->kind) {
    case ICE_WANT_LIST:
    case ICE_WANT_LIST_I64:
    case ICE_WANT_MAP_I64:
    case ICE_WANT_MAP_BYTES:
        ICE_TRY(check_container(walk, record, index, want, node));
        break;
    case ICE_WANT_BOOL:
    case ICE_WANT_I32:
    case ICE_WANT_I64:
    case ICE_WANT_STR:
    case ICE_WANT_BYTES:
    case ICE_WANT_RECORD:
    case ICE_WANT_TUPLE:
        break;
    }
    return descend(walk, want, need, node);
}

/* with_id: also a field that has an id. */
static const struct ice_avro_field *by_any_name(const struct ice_avro_schema *record,
                                                const char *names, bool with_id) {
    for (size_t i = 0;; i++) {
        struct ice_str name = name_at(names, i);
        if (name.size == 0)
            return NULL;
        const struct ice_avro_field *field = ice_avro_field_by_name(record, name);
        if (field && (with_id || !field->id.has))
            return field;
    }
}

/* A column that nothing requires, and whose name is there without its id. */
static enum ice_status check_lost_id(struct walk *walk,
                                     const struct ice_avro_schema *record,
                                     const struct ice_want *want, enum ice_need need) {
    const struct ice_avro_field *lost = by_any_name(record, want->name, true);
    if (!lost || need != ICE_NEED_OPT)
        return ICE_OK;
    return tell_field(walk, "avro.field-id.mismatch", record,
                      (size_t)(lost - record->fields), lost->name, want->id,
                      ICE_STR("column"));
}

static enum ice_status check_want(struct walk *walk, const struct ice_avro_schema *record,
                                  const struct ice_want *want,
                                  const struct ice_avro_need *need) {
    const struct ice_avro_field *field = ice_avro_field_by_id(record, want->id);
    if (field) {
        size_t index = (size_t)(field - record->fields);
        if (!has_name(want->name, field->name))
            ICE_TRY(tell_field(walk, "avro.field.name-differs", record, index,
                               field->name, want->id, name_at(want->name, 0)));
        return check_type(walk, record, index, want, need);
    }
    const enum ice_need needed = need_of(walk, want, need);
    if (needed != ICE_NEED_REQ)
        return check_lost_id(walk, record, want, needed);
    const struct ice_avro_field *bare = by_any_name(record, want->name, false);
    if (bare)
        return tell_field(walk, "avro.field-id.partial", record,
                          (size_t)(bare - record->fields), bare->name, want->id,
                          ICE_STR_NONE);
    if (may_be_left_out(want->id))
        return ICE_OK;
    return tell_field(walk, "avro.field.missing", record, SIZE_MAX,
                      name_at(want->name, 0), want->id, ICE_STR_NONE);
}

static enum ice_status check_duplicates(struct walk *walk,
                                        const struct ice_avro_schema *record) {
    struct ice_table seen;
    ice_table_init(&seen, walk->arena->alloc);
    enum ice_status status = ICE_OK;
    for (size_t i = 0; status == ICE_OK && i < record->n_fields && i < UINT32_MAX; i++) {
        const struct ice_avro_field *field = &record->fields[i];
        if (!field->id.has)
            continue;
        uint64_t key = (uint64_t)(uint32_t)field->id.value;
        size_t at = SIZE_MAX;
        uint32_t first = 0;
        if (ice_table_next(&seen, key, &at, &first))
            status = tell_field(walk, "avro.field-id.duplicate", record, i, field->name,
                                field->id.value, record->fields[first].name);
        else
            status = ice_table_put(&seen, key, (uint32_t)i);
    }
    ice_table_release(&seen);
    return status;
}

enum ice_status ice_avro_check_fields(const struct ice_avro_schema *record,
                                      const struct ice_want *wants,
                                      const struct ice_avro_need *needs, size_t n_wants,
                                      int version, struct ice_arena *arena,
                                      const struct ice_avro_listener *listener) {
    struct walk walk = {.version = version < 1   ? 1
                                   : version > 3 ? 3
                                                 : version,
                        .arena = arena,
                        .listener = listener};
    if (!ice_avro_has_ids(record))
        return tell_field(&walk, "avro.field-id.none", record, SIZE_MAX, ICE_STR_NONE, -1,
                          ICE_STR_NONE);
    walk.levels[walk.n_levels++] = (struct level){record, wants, needs, n_wants};
    while (walk.n_levels) {
        struct level level = walk.levels[--walk.n_levels];
        ICE_TRY(check_duplicates(&walk, level.record));
        for (size_t i = 0; i < level.n_wants; i++)
            ICE_TRY(check_want(&walk, level.record, &level.wants[i], &level.needs[i]));
    }
    return ICE_OK;
}

static enum ice_status tell_header(struct ice_avro_file *file, struct ice_run *run,
                                   const struct ice_avro_listener *listener) {
    struct ice_buf pointer;
    ice_buf_init(&pointer, &run->alloc, MAX_POINTER_BYTES);
    enum ice_status status = ICE_OK;
    for (size_t i = 0; status == ICE_OK && i < file->n_header; i++) {
        const struct ice_avro_header_entry *entry = &file->header[i];
        if (!entry->duplicate)
            continue;
        ice_buf_clear(&pointer);
        status = ice_buf_append_str(&pointer, ICE_STR("/header"));
        if (status == ICE_OK)
            status = ice_pointer_append(&pointer, entry->key);
        if (status == ICE_ELIMIT)
            status = ICE_OK; /* a cut pointer will do */
        if (status == ICE_OK)
            status = tell(listener,
                          &(struct ice_avro_fault){.rule = "avro.header.key-duplicate",
                                                   .lower = !entry->differs,
                                                   .pointer = ice_buf_str(&pointer),
                                                   .field = entry->key,
                                                   .id = -1});
    }
    ice_buf_release(&pointer);
    if (status == ICE_OK &&
        (file->codec == ICE_CODEC_BZIP2 || file->codec == ICE_CODEC_XZ))
        status = tell(listener,
                      &(struct ice_avro_fault){.rule = "avro.codec.rare",
                                               .pointer = ICE_STR("/header/avro.codec"),
                                               .id = -1,
                                               .detail = file->codec_name});
    return status;
}

static enum ice_status tell_problems(const struct ice_avro_problems *problems,
                                     struct ice_arena *arena,
                                     const struct ice_avro_listener *listener) {
    if (!listener->on_fault)
        return ICE_OK;
    for (size_t i = 0; i < problems->n; i++) {
        const struct ice_avro_problem *problem = &problems->items[i];
        struct ice_avro_fault fault = {.rule = problem->rule,
                                       .lower = problem->beyond_ascii,
                                       .field = problem->name,
                                       .id = -1,
                                       .detail = ice_str_from(problem->what)};
        if (!schema_pointer(arena, problem->pointer, SIZE_MAX, &fault.pointer))
            return ICE_ENOMEM;
        char detail[160], name[96];
        if (strcmp(problem->rule, "avro.schema.invalid") == 0) {
            (void)snprintf(detail, sizeof(detail), "%s of %s", problem->what,
                           ice_escape(name, sizeof(name), problem->name));
            fault.detail = ice_str_from(detail);
        }
        ICE_TRY(tell(listener, &fault));
    }
    return ICE_OK;
}

enum ice_status ice_avro_open_schema(struct ice_avro_file *file, struct ice_run *run,
                                     struct ice_stream *stream,
                                     const struct ice_avro_listener *listener,
                                     bool any_root, const struct ice_avro_schema **out,
                                     struct ice_error *err) {
    const struct ice_avro_attr_names names = {.field = "field-id",
                                              .element = "element-id",
                                              .key = "key-id",
                                              .value = "value-id",
                                              .original = "iceberg-field-name",
                                              .any_root = any_root};
    ICE_TRY(ice_avro_open(file, run, stream, err));
    ICE_TRY(tell_header(file, run, listener));
    struct ice_str text = ICE_STR_NONE;
    if (!ice_avro_header(file, "avro.schema", &text)) {
        ice_error_set_pointer(err, ICE_STR("/header"));
        return ice_error_set(err, ICE_EFORMAT, "avro.schema.unparseable", ICE_NO_OFFSET,
                             "the header has no avro.schema");
    }
    struct ice_avro_problems problems = {0};
    enum ice_status status =
        ice_avro_schema_parse(text, run, &file->arena, &names, out, &problems, err);
    if (status < 0) {
        ice_error_set_pointer(err, ICE_STR(SCHEMA_POINTER));
        return status;
    }
    return tell_problems(&problems, &file->arena, listener);
}

struct ice_str ice_avro_column_name(const struct ice_avro_schema *record,
                                    const struct ice_want *want) {
    const struct ice_avro_field *field =
        record ? ice_avro_field_by_id(record, want->id) : NULL;
    if (!field && record)
        field = by_any_name(record, want->name, false);
    return field ? field->name : name_at(want->name, 0);
}

bool ice_avro_header_integer(const struct ice_avro_file *file, const char *key,
                             int64_t *out, bool *out_bad) {
    struct ice_str text = ICE_STR_NONE;
    *out_bad = false;
    if (!ice_avro_header(file, key, &text))
        return false;
    *out_bad = !ice_str_to_i64(text, out);
    return !*out_bad;
}

const struct ice_avro_mark ice_avro_list_mark = {"manifest list", 500, "manifest_path"};
const struct ice_avro_mark ice_avro_manifest_mark = {"manifest", 2, "data_file"};

static bool has_mark(const struct ice_avro_schema *record,
                     const struct ice_avro_mark *mark) {
    return ice_avro_field_by_id(record, mark->id) != NULL ||
           ice_avro_field_by_name(record, ice_str_from(mark->name)) != NULL;
}

enum ice_status ice_avro_expect_kind(const struct ice_avro_schema *record,
                                     const struct ice_avro_mark *own,
                                     const struct ice_avro_mark *other,
                                     struct ice_error *err) {
    if (has_mark(record, own) || !has_mark(record, other))
        return ICE_OK;
    return ice_error_set(err, ICE_EFORMAT, "avro.file.wrong-kind", ICE_NO_OFFSET,
                         "the file is a %s, not a %s: its rows have %s, not %s",
                         other->kind, own->kind, other->name, own->name);
}
