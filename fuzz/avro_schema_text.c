/*
 * Writer schemas: any text is refused with a rule, or becomes a tree whose parts are all
 * in place and whose sizes add up.
 */
#include "avro/avro_schema.h"
#include "fuzz/target.h"

enum { MOST_NODES = 4096, MOST_DEPTH = 32 };

static void check_record(const struct ice_avro_schema *schema) {
    uint64_t least = 0;
    size_t n_sized = 0;
    for (size_t i = 0; i < schema->n_fields; i++) {
        const struct ice_avro_field *field = &schema->fields[i];
        require(field->type != NULL);
        least += field->type->least_size;
        if (n_sized < schema->n_sized_fields && schema->sized_fields[n_sized] == i)
            n_sized++;
        else
            require(field->type->least_size == 0);
        require(ice_avro_field_by_name(schema, field->name) == field);
    }
    require(n_sized == schema->n_sized_fields);
    /* a record that contains itself is counted with one byte where it is met */
    require(schema->least_size <= least || least > INT64_MAX);
}

static void check_union(const struct ice_avro_schema *schema) {
    bool is_nullable;
    require(schema->n_branches > 0 && schema->least_size > 0);
    for (size_t i = 0; i < schema->n_branches; i++)
        require(schema->branches[i]->type != ICE_AVRO_UNION);
    const struct ice_avro_schema *inner = ice_avro_not_null(schema, &is_nullable);
    require(is_nullable == (inner != schema));
}

static void check_node(const struct ice_avro_schema *schema) {
    switch (schema->type) {
    case ICE_AVRO_RECORD:
        require(schema->full_name.data != NULL);
        check_record(schema);
        return;
    case ICE_AVRO_ENUM:
        require(schema->full_name.data != NULL && schema->n_symbols > 0);
        return;
    case ICE_AVRO_FIXED:
        require(schema->full_name.data != NULL && schema->fixed_size <= INT32_MAX);
        require(schema->least_size == schema->fixed_size);
        return;
    case ICE_AVRO_ARRAY:
    case ICE_AVRO_MAP:
        require(schema->items != NULL && schema->least_size == 1);
        return;
    case ICE_AVRO_UNION:
        check_union(schema);
        return;
    case ICE_AVRO_NULL:
        require(schema->least_size == 0);
        return;
    case ICE_AVRO_BOOLEAN:
    case ICE_AVRO_INT:
    case ICE_AVRO_LONG:
    case ICE_AVRO_FLOAT:
    case ICE_AVRO_DOUBLE:
    case ICE_AVRO_BYTES:
    case ICE_AVRO_STRING:
        require(schema->least_size > 0);
        return;
    }
    require(false);
}

/* Nodes still to look at; a graph, so only so many. */
struct todo {
    const struct ice_avro_schema *items[4 * MOST_NODES];
    size_t n;
};

static void push(struct todo *todo, const struct ice_avro_schema *schema) {
    if (todo->n < ICE_COUNT_OF(todo->items))
        todo->items[todo->n++] = schema;
}

static void check_tree(const struct ice_avro_schema *root) {
    static struct todo todo;
    todo.n = 0;
    push(&todo, root);
    for (size_t steps = 0; todo.n > 0 && steps < MOST_NODES; steps++) {
        const struct ice_avro_schema *schema = todo.items[--todo.n];
        check_node(schema);
        for (size_t i = 0; i < schema->n_fields; i++)
            push(&todo, schema->fields[i].type);
        for (size_t i = 0; i < schema->n_branches; i++)
            push(&todo, schema->branches[i]);
        if (schema->items != NULL)
            push(&todo, schema->items);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct ice_avro_attr_names names = {.field = "field-id",
                                                     .element = "element-id",
                                                     .key = "key-id",
                                                     .value = "value-id",
                                                     .original = "iceberg-field-name"};
    struct ice_options options = ICE_OPTIONS_INIT;
    options.hash_seed = 1;
    options.limits.avro_schema_nodes = MOST_NODES;
    options.limits.avro_depth = MOST_DEPTH;
    struct ice_run run;
    struct ice_arena arena;
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    const struct ice_avro_schema *schema;
    struct ice_avro_problems problems;
    ice_run_init(&run, &options);
    ice_arena_init(&arena, &run.alloc);
    const enum ice_status status = ice_avro_schema_parse(
        ice_str_make(data, size), &run, &arena, &names, &schema, &problems, &err);
    require(err.status == status);
    if (status == ICE_OK) {
        require(schema->type == ICE_AVRO_RECORD);
        check_tree(schema);
        for (size_t i = 0; i < problems.n; i++)
            require(problems.items[i].rule != NULL && problems.items[i].what != NULL);
    } else {
        require(status == ICE_EFORMAT || status == ICE_ELIMIT);
        require(err.rule != NULL && err.message[0] != '\0' && schema == NULL);
    }
    require(run.alloc.peak < (1 << 20) + 400 * size);
    ice_arena_release(&arena);
    require(run.alloc.used == 0);
    return 0;
}
