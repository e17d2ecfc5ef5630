/*
 * The schema as callers see it: parsing in three steps, and questions about the result.
 */
#include "avro/avro_schema.h"

#include "avro/avro_node.h"
#include "base/error.h"

enum ice_status ice_avro_schema_fail(struct ice_avro_parser *p, enum ice_status status,
                                     const char *rule, struct ice_str pointer,
                                     const char *what, struct ice_str subject) {
    if (p->err == NULL || p->err->status < 0)
        return status;
    char safe[96] = "";
    if (subject.size > 0)
        (void)ice_escape(safe, sizeof(safe), ice_str_first(subject, 64));
    (void)ice_error_set(p->err, status, rule, ICE_NO_OFFSET, "%s%s%s%s", what,
                        subject.size ? ": \"" : "", safe, subject.size ? "\"" : "");
    char where[sizeof(p->err->pointer)] = "/header/avro.schema";
    size_t size = strlen(where);
    if (pointer.size > 0 && pointer.size < sizeof(where) - size) {
        memcpy(where + size, pointer.data, pointer.size);
        size += pointer.size;
    }
    ice_error_set_pointer(p->err, ice_str_make(where, size));
    return status;
}

enum ice_status ice_avro_add_problem(struct ice_avro_parser *p,
                                     struct ice_avro_problem problem) {
    struct ice_avro_problems *list = p->problems;
    if (list == NULL)
        return ICE_OK;
    if (list->n == list->capacity) {
        const size_t capacity = list->capacity ? list->capacity * 2 : 4;
        struct ice_avro_problem *grown =
            ice_arena_array(p->arena, capacity, sizeof(*grown));
        if (grown == NULL)
            return ice_error_memory(p->err);
        if (list->n > 0)
            memcpy(grown, list->items, list->n * sizeof(*grown));
        list->items = grown;
        list->capacity = capacity;
    }
    list->items[list->n++] = problem;
    return ICE_OK;
}

static enum ice_status parse(struct ice_avro_parser *p, struct ice_str text) {
    ICE_TRY(ice_avro_read_nodes(p, text));
    const struct ice_avro_node *root = p->nodes[0];
    if (!root->is_union && root->inner == NULL && root->type.data == NULL)
        return ice_avro_schema_fail(p, ICE_EFORMAT, "avro.schema.unparseable",
                                    ICE_STR_NONE, "the schema has no type", ICE_STR_NONE);
    ICE_TRY(ice_avro_resolve(p));
    if (!p->names->any_root && p->nodes[0]->target->schema->type != ICE_AVRO_RECORD)
        return ice_avro_schema_fail(p, ICE_EFORMAT, "avro.schema.unparseable",
                                    ICE_STR_NONE, "the schema is not a record",
                                    ICE_STR_NONE);
    return ice_avro_check_finite(p);
}

enum ice_status ice_avro_schema_parse(struct ice_str text, struct ice_run *run,
                                      struct ice_arena *arena,
                                      const struct ice_avro_attr_names *names,
                                      const struct ice_avro_schema **out,
                                      struct ice_avro_problems *problems,
                                      struct ice_error *err) {
    static const struct ice_avro_attr_names no_names = {0};
    *out = NULL;
    if (problems != NULL)
        *problems = (struct ice_avro_problems){0};
    struct ice_avro_parser p = {.run = run,
                                .arena = arena,
                                .names = names ? names : &no_names,
                                .problems = problems,
                                .err = err};
    ice_arena_init(&p.work, &run->alloc);
    ice_table_init(&p.defined, &run->alloc);
    const enum ice_status status = parse(&p, text);
    if (status == ICE_OK)
        *out = p.nodes[0]->target->schema;
    ice_table_release(&p.defined);
    ice_arena_release(&p.work);
    return status;
}

const struct ice_avro_schema *ice_avro_not_null(const struct ice_avro_schema *schema,
                                                bool *is_nullable) {
    *is_nullable = false;
    if (schema->type != ICE_AVRO_UNION || schema->n_branches != 2)
        return schema;
    const bool first = schema->branches[0]->type == ICE_AVRO_NULL;
    if (!first && schema->branches[1]->type != ICE_AVRO_NULL)
        return schema;
    *is_nullable = true;
    return schema->branches[first ? 1 : 0];
}

const struct ice_avro_field *ice_avro_field_by_id(const struct ice_avro_schema *record,
                                                  int32_t id) {
    for (size_t i = 0; i < record->n_fields; i++)
        if (record->fields[i].id.has && record->fields[i].id.value == id)
            return &record->fields[i];
    return NULL;
}

const struct ice_avro_field *ice_avro_field_by_name(const struct ice_avro_schema *record,
                                                    struct ice_str name) {
    for (size_t i = 0; i < record->n_fields; i++)
        if (ice_str_equal(record->fields[i].name, name))
            return &record->fields[i];
    return NULL;
}

const char *ice_avro_type_name(enum ice_avro_type type) {
    static const char *const names[] = {
        [ICE_AVRO_NULL] = "null",     [ICE_AVRO_BOOLEAN] = "boolean",
        [ICE_AVRO_INT] = "int",       [ICE_AVRO_LONG] = "long",
        [ICE_AVRO_FLOAT] = "float",   [ICE_AVRO_DOUBLE] = "double",
        [ICE_AVRO_BYTES] = "bytes",   [ICE_AVRO_STRING] = "string",
        [ICE_AVRO_RECORD] = "record", [ICE_AVRO_ENUM] = "enum",
        [ICE_AVRO_ARRAY] = "array",   [ICE_AVRO_MAP] = "map",
        [ICE_AVRO_UNION] = "union",   [ICE_AVRO_FIXED] = "fixed",
    };
    return names[type];
}

bool ice_avro_has_ids(const struct ice_avro_schema *schema) {
    return schema->has_ids;
}
