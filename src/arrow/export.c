/*
 * Batches and their schema through Arrow's C data interface.
 *
 * All nodes of a tree lie in one block of memory, and each node that is not yet released
 * holds a reference to it: so a consumer may move a child out and release it last.
 */
#include "arrow/export.h"

#include <stdatomic.h>
#include <string.h>

/* ---- schema -------------------------------------------------------------------------
 */

struct schema_node {
    struct ArrowSchema schema;
    struct ArrowSchema *children[2];
};

struct schema_tree {
    struct ice_alloc alloc;
    _Atomic size_t refs;
    size_t n_columns;
    struct schema_node *nodes;     /* ICE_ARROW_NODES a column */
    struct ArrowSchema **children; /* of the root */
    char **names;                  /* of the columns */
    char json[96];                 /* metadata of JSON columns */
};

static void free_schema(struct schema_tree *tree) {
    size_t n = tree->n_columns > 0 ? tree->n_columns : 1;
    for (size_t i = 0; tree->names != NULL && i < tree->n_columns; i++)
        ice_sized_free(&tree->alloc, tree->names[i]);
    ice_free(&tree->alloc, tree->names, n * sizeof(*tree->names));
    ice_free(&tree->alloc, tree->children, n * sizeof(struct ArrowSchema *));
    ice_free(&tree->alloc, tree->nodes, n * ICE_ARROW_NODES * sizeof(*tree->nodes));
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, &tree->alloc.base, UINT64_MAX);
    ice_free(&alloc, tree, sizeof(*tree));
}

static void release_schema(struct ArrowSchema *schema) {
    struct schema_tree *tree = schema->private_data;
    for (int64_t i = 0; i < schema->n_children; i++) {
        struct ArrowSchema *child = schema->children[i];
        if (child->release != NULL)
            child->release(child);
    }
    schema->release = NULL;
    if (atomic_fetch_sub(&tree->refs, 1) == 1)
        free_schema(tree);
}

/* Pairs as the interface wants them: their count, then each key and value with its
 * length. */
static void put_metadata(char *out, const char *const *texts, int32_t n) {
    int32_t n_pairs = n / 2;
    memcpy(out, &n_pairs, sizeof(n_pairs));
    out += sizeof(n_pairs);
    for (int32_t i = 0; i < n; i++) {
        int32_t size = (int32_t)strlen(texts[i]);
        memcpy(out, &size, sizeof(size));
        memcpy(out + sizeof(size), texts[i], (size_t)size);
        out += sizeof(size) + (size_t)size;
    }
}

static struct schema_tree *new_schema(const struct ice_allocator *allocator, size_t n) {
    static const char *const json[] = {ICE_ARROW_EXTENSION_KEY, ICE_ARROW_EXTENSION_JSON,
                                       ICE_ARROW_EXTENSION_DATA, ""};
    _Static_assert(sizeof(int32_t) * 5 + sizeof(ICE_ARROW_EXTENSION_KEY) +
                           sizeof(ICE_ARROW_EXTENSION_JSON) +
                           sizeof(ICE_ARROW_EXTENSION_DATA) <=
                       sizeof(((struct schema_tree *)0)->json),
                   "room for the metadata");
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, allocator, UINT64_MAX);
    struct schema_tree *tree = ice_calloc(&alloc, 1, sizeof(*tree));
    if (tree == NULL)
        return NULL;
    ice_alloc_init(&tree->alloc, allocator, UINT64_MAX);
    tree->n_columns = n;
    n = n > 0 ? n : 1;
    tree->nodes = ice_calloc(&tree->alloc, n * ICE_ARROW_NODES, sizeof(*tree->nodes));
    tree->children = ice_calloc(&tree->alloc, n, sizeof(struct ArrowSchema *));
    tree->names = ice_calloc(&tree->alloc, n, sizeof(*tree->names));
    put_metadata(tree->json, json, (int32_t)ICE_COUNT_OF(json));
    if (tree->nodes != NULL && tree->children != NULL && tree->names != NULL)
        return tree;
    free_schema(tree);
    return NULL;
}

static void fill_schema(struct schema_tree *tree, size_t column,
                        enum ice_value_kind kind) {
    const struct ice_arrow_type *type = ice_arrow_type_of(kind);
    struct schema_node *nodes = &tree->nodes[column * ICE_ARROW_NODES];
    for (size_t i = 0; i < type->n_nodes; i++) {
        const struct ice_arrow_node *node = &type->nodes[i];
        for (size_t k = 0; k < node->n_children; k++)
            nodes[i].children[k] = &nodes[node->first_child + k].schema;
        nodes[i].schema = (struct ArrowSchema){
            .format = node->format,
            .name = node->name != NULL ? node->name : tree->names[column],
            .metadata = type->is_json ? tree->json : NULL,
            .flags = node->is_nullable ? ARROW_FLAG_NULLABLE : 0,
            .n_children = node->n_children,
            .children = nodes[i].children,
            .release = release_schema,
            .private_data = tree,
        };
        atomic_fetch_add(&tree->refs, 1);
    }
    tree->children[column] = &nodes[0].schema;
}

enum ice_status ice_arrow_export_schema(const struct ice_allocator *allocator,
                                        const struct ice_column *columns, size_t n,
                                        struct ArrowSchema *out) {
    struct schema_tree *tree = new_schema(allocator, n);
    if (tree == NULL)
        return ICE_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        size_t size = strlen(columns[i].name) + 1;
        tree->names[i] = ice_sized_malloc(&tree->alloc, size);
        if (tree->names[i] == NULL) {
            free_schema(tree);
            return ICE_ENOMEM;
        }
        memcpy(tree->names[i], columns[i].name, size);
        fill_schema(tree, i, columns[i].kind);
    }
    *out = (struct ArrowSchema){
        .format = "+s",
        .name = "",
        .n_children = (int64_t)n,
        .children = tree->children,
        .release = release_schema,
        .private_data = tree,
    };
    atomic_fetch_add(&tree->refs, 1);
    return ICE_OK;
}

/* ---- rows ---------------------------------------------------------------------------
 */

struct array_node {
    struct ArrowArray array;
    struct ArrowArray *children[2];
    const void *buffers[ICE_ARROW_BUFFERS];
};

struct array_tree {
    struct ice_arrow_batch *batch;
    _Atomic size_t refs;
    struct array_node *nodes;     /* ICE_ARROW_NODES a column */
    struct ArrowArray **children; /* of the root */
    const void *no_buffer[1];     /* of the root: a struct without nulls */
};

static void free_arrays(struct array_tree *tree) {
    struct ice_arrow_batch *batch = tree->batch;
    size_t n = batch->n_columns > 0 ? batch->n_columns : 1;
    ice_free(&batch->alloc, tree->children, n * sizeof(struct ArrowArray *));
    ice_free(&batch->alloc, tree->nodes, n * ICE_ARROW_NODES * sizeof(*tree->nodes));
    ice_free(&batch->alloc, tree, sizeof(*tree));
    ice_arrow_batch_free(batch);
}

static void release_array(struct ArrowArray *array) {
    struct array_tree *tree = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        struct ArrowArray *child = array->children[i];
        if (child->release != NULL)
            child->release(child);
    }
    array->release = NULL;
    if (atomic_fetch_sub(&tree->refs, 1) == 1)
        free_arrays(tree);
}

static struct array_tree *new_arrays(struct ice_arrow_batch *batch) {
    size_t n = batch->n_columns > 0 ? batch->n_columns : 1;
    struct array_tree *tree = ice_calloc(&batch->alloc, 1, sizeof(*tree));
    if (tree == NULL) {
        ice_arrow_batch_free(batch);
        return NULL;
    }
    tree->batch = batch;
    tree->nodes = ice_calloc(&batch->alloc, n * ICE_ARROW_NODES, sizeof(*tree->nodes));
    tree->children = ice_calloc(&batch->alloc, n, sizeof(struct ArrowArray *));
    if (tree->nodes != NULL && tree->children != NULL)
        return tree;
    free_arrays(tree);
    return NULL;
}

static void fill_arrays(struct array_tree *tree, size_t index) {
    static const int64_t nothing[8]; /* what an empty buffer points to */
    const struct ice_arrow_column *column = &tree->batch->columns[index];
    struct array_node *nodes = &tree->nodes[index * ICE_ARROW_NODES];
    for (size_t i = 0; i < column->type->n_nodes; i++) {
        const struct ice_arrow_part *part = &column->parts[i];
        struct ice_str buffers[ICE_ARROW_BUFFERS];
        size_t n_buffers = ice_arrow_part_buffers(part, buffers);
        for (size_t k = 0; k < n_buffers; k++)
            nodes[i].buffers[k] = buffers[k].size > 0 ? buffers[k].data
                                  : k > 0             ? (const void *)nothing
                                                      : NULL;
        for (size_t k = 0; k < part->node->n_children; k++)
            nodes[i].children[k] = &nodes[part->node->first_child + k].array;
        nodes[i].array = (struct ArrowArray){
            .length = (int64_t)part->length,
            .null_count = (int64_t)part->n_nulls,
            .n_buffers = (int64_t)n_buffers,
            .n_children = part->node->n_children,
            .buffers = nodes[i].buffers,
            .children = nodes[i].children,
            .release = release_array,
            .private_data = tree,
        };
        atomic_fetch_add(&tree->refs, 1);
    }
    tree->children[index] = &nodes[0].array;
}

enum ice_status ice_arrow_export_batch(struct ice_arrow_batch *batch,
                                       struct ArrowArray *out) {
    struct array_tree *tree = new_arrays(batch);
    if (tree == NULL)
        return ICE_ENOMEM;
    for (size_t i = 0; i < batch->n_columns; i++)
        fill_arrays(tree, i);
    *out = (struct ArrowArray){
        .length = (int64_t)batch->n_rows,
        .n_buffers = 1,
        .n_children = (int64_t)batch->n_columns,
        .buffers = tree->no_buffer,
        .children = tree->children,
        .release = release_array,
        .private_data = tree,
    };
    atomic_fetch_add(&tree->refs, 1);
    return ICE_OK;
}
