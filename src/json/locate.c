/*
 * Finding pointers: they are put into a tree of steps, and the reader's events walk that
 * tree as they go. Memory grows with the pointers and the depth of the text, not with its
 * size.
 */
#include "json/locate.h"

#include "json/token.h"

#include "base/arena.h"
#include "base/error.h"

enum { ROOT = 0, NOWHERE = -1 };

/* One step of some pointer. Nodes stand behind their parents. */
struct node {
    struct ice_str step;
    int32_t parent;
    bool is_asked; /* some item ends here */
    bool seen;
    bool duplicate, differs;
    uint64_t times;        /* values seen here */
    uint64_t parent_times; /* parent's times when this was seen */
    uint64_t hash;         /* of the last value, if it is asked and a member */
    uint64_t offset;
    uint32_t line, column;
};

/* One open array or object. */
struct level {
    int32_t node;
    bool is_object;
    uint64_t index; /* array: of the next element */
    int32_t member; /* object: node of the current key */
    uint64_t key;   /* object: hash of the current key */
    uint64_t hash;  /* of what was read of this value so far */
};

struct finder {
    struct ice_run *run;
    struct ice_json json;
    struct ice_arena arena;
    struct ice_table children;
    struct node *nodes;
    size_t n_nodes, nodes_capacity;
    struct level *levels;
    size_t depth, levels_capacity;
    size_t n_hashing; /* open values whose hash somebody wants */
    size_t n_unseen;  /* nodes asked for and not seen */
};

/* ---- the tree of steps ---- */

static uint64_t key_of(const struct finder *finder, int32_t parent, struct ice_str step) {
    return ice_hash_mix(ice_hash64(step, finder->run->hash_seed),
                        (uint64_t)(uint32_t)parent);
}

static int32_t child_of(const struct finder *finder, int32_t parent,
                        struct ice_str step) {
    size_t at = SIZE_MAX;
    uint32_t child;
    const uint64_t key = key_of(finder, parent, step);
    while (ice_table_next(&finder->children, key, &at, &child)) {
        const struct node *node = &finder->nodes[child];
        if (node->parent == parent && ice_str_equal(node->step, step))
            return (int32_t)child;
    }
    return NOWHERE;
}

static enum ice_status add_node(struct finder *finder, int32_t parent,
                                struct ice_str step, int32_t *out) {
    if (finder->n_nodes >= INT32_MAX ||
        !ice_array_reserve(&finder->run->alloc, &finder->nodes, finder->n_nodes,
                           &finder->nodes_capacity, sizeof(*finder->nodes)))
        return ICE_ENOMEM;
    struct node *node = &finder->nodes[finder->n_nodes];
    *node = (struct node){.parent = parent, .offset = ICE_NO_OFFSET};
    if (!ice_arena_dup(&finder->arena, step, &node->step))
        return ICE_ENOMEM;
    ICE_TRY(ice_table_put(&finder->children, key_of(finder, parent, step),
                          (uint32_t)finder->n_nodes));
    *out = (int32_t)finder->n_nodes++;
    return ICE_OK;
}

/* "~1" is '/', "~0" is '~'. */
static enum ice_status unescape_step(struct ice_str step, struct ice_buf *out) {
    ice_buf_clear(out);
    for (size_t i = 0; i < step.size; i++) {
        char c = step.data[i];
        if (c == '~' && i + 1 < step.size &&
            (step.data[i + 1] == '0' || step.data[i + 1] == '1'))
            c = step.data[++i] == '0' ? '~' : '/';
        ICE_TRY(ice_buf_append_char(out, c));
    }
    return ICE_OK;
}

static enum ice_status add_pointer(struct finder *finder, struct ice_str pointer,
                                   struct ice_buf *scratch, int32_t *out) {
    *out = ROOT;
    while (pointer.size > 0) {
        struct ice_str rest = ice_str_from_index(pointer, pointer.data[0] == '/' ? 1 : 0);
        size_t slash = ice_str_find(rest, '/');
        ICE_TRY(unescape_step(ice_str_first(rest, slash), scratch));
        int32_t child = child_of(finder, *out, ice_buf_str(scratch));
        if (child == NOWHERE)
            ICE_TRY(add_node(finder, *out, ice_buf_str(scratch), &child));
        *out = child;
        pointer = slash == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(rest, slash);
    }
    return ICE_OK;
}

/* ---- the reading ---- */

static uint64_t combine(uint64_t a, uint64_t b) {
    return ice_hash_mix(a, b);
}

static struct level *top(const struct finder *finder) {
    return &finder->levels[finder->depth - 1];
}

/* The node of a value that begins now. */
static int32_t node_of_value(struct finder *finder) {
    if (finder->depth == 0)
        return ROOT;
    struct level *level = top(finder);
    if (level->is_object)
        return level->member;
    if (level->node == NOWHERE)
        return NOWHERE;
    char text[ICE_U64_BYTES];
    size_t size = ice_u64_to_text(level->index++, text);
    return child_of(finder, level->node, ice_str_make(text, size));
}

static bool wants_hash(const struct finder *finder, int32_t node) {
    return node > ROOT && finder->nodes[node].is_asked;
}

/* A value of this node begins at the last event. */
static void visit(struct finder *finder, int32_t at, uint64_t offset) {
    struct node *node = &finder->nodes[at];
    const uint64_t parent_times = at == ROOT ? 0 : finder->nodes[node->parent].times;
    const bool again = node->seen && node->parent_times == parent_times;
    node->duplicate = again;
    if (!again)
        node->differs = false;
    finder->n_unseen -= node->is_asked && !node->seen;
    node->seen = true;
    node->times++;
    node->parent_times = parent_times;
    node->offset = offset;
    ice_json_mark(&finder->json);
    ice_json_position(&finder->json, offset, &node->line, &node->column);
}

/* The value of a node (or NOWHERE) has ended; hash is of all of it. */
static void leave(struct finder *finder, int32_t at, uint64_t hash) {
    if (wants_hash(finder, at)) {
        struct node *node = &finder->nodes[at];
        if (node->duplicate && node->hash != hash)
            node->differs = true;
        node->hash = hash;
        finder->n_hashing--;
    }
    if (finder->depth == 0 || finder->n_hashing == 0)
        return;
    struct level *level = top(finder);
    /* members in any order are the same object */
    if (level->is_object)
        level->hash += combine(level->key, hash);
    else
        level->hash = combine(level->hash, hash);
}

static enum ice_status open_level(struct finder *finder, int32_t node, bool is_object) {
    if (!ice_array_reserve(&finder->run->alloc, &finder->levels, finder->depth,
                           &finder->levels_capacity, sizeof(*finder->levels)))
        return ICE_ENOMEM;
    finder->levels[finder->depth++] = (struct level){
        .node = node, .is_object = is_object, .member = NOWHERE, .hash = is_object};
    return ICE_OK;
}

static void read_key(struct finder *finder, struct ice_str key) {
    struct level *level = top(finder);
    level->member = level->node == NOWHERE ? NOWHERE : child_of(finder, level->node, key);
    if (finder->n_hashing > 0 || wants_hash(finder, level->member))
        level->key = ice_hash64(key, finder->run->hash_seed);
}

static enum ice_status read_event(struct finder *finder,
                                  const struct ice_json_event *event) {
    switch (event->kind) {
    case ICE_JSON_KEY:
        read_key(finder, event->text);
        return ICE_OK;
    case ICE_JSON_OBJECT_END:
    case ICE_JSON_ARRAY_END: {
        const struct level ended = *top(finder);
        finder->depth--;
        leave(finder, ended.node, ended.hash);
        return ICE_OK;
    }
    case ICE_JSON_OBJECT:
    case ICE_JSON_ARRAY:
    case ICE_JSON_STRING:
    case ICE_JSON_NUMBER:
    case ICE_JSON_TRUE:
    case ICE_JSON_FALSE:
    case ICE_JSON_NULL:
        break;
    }
    const int32_t node = node_of_value(finder);
    if (node != NOWHERE)
        visit(finder, node, event->offset);
    if (wants_hash(finder, node))
        finder->n_hashing++;
    if (event->kind == ICE_JSON_OBJECT || event->kind == ICE_JSON_ARRAY)
        return open_level(finder, node, event->kind == ICE_JSON_OBJECT);
    uint64_t hash = 0;
    if (finder->n_hashing > 0)
        hash = combine(ice_hash64(event->text, finder->run->hash_seed), event->kind + 2u);
    leave(finder, node, hash);
    return ICE_OK;
}

static enum ice_status read_all(struct finder *finder, bool keys_are_unique,
                                struct ice_error *err) {
    struct ice_json_event event;
    enum ice_status status;
    while ((status = ice_json_next(&finder->json, &event, err)) == ICE_OK) {
        if (read_event(finder, &event) < 0)
            return ice_error_memory(err);
        if (keys_are_unique && finder->n_unseen == 0)
            return ICE_DONE;
    }
    return status;
}

/* ---- the answers ---- */

/* A node counts if it was seen in the last value of its parent, and so on up. */
static void drop_outdated(struct finder *finder) {
    for (size_t i = 1; i < finder->n_nodes; i++) {
        struct node *node = &finder->nodes[i];
        const struct node *parent = &finder->nodes[node->parent];
        if (!parent->seen || node->parent_times != parent->times)
            node->seen = false;
    }
}

static void answer(const struct finder *finder, int32_t at, struct ice_locate *out) {
    const struct node *node = &finder->nodes[at];
    out->found = node->seen;
    out->duplicate = node->seen && node->duplicate;
    out->duplicate_differs = node->seen && node->differs;
    while (!node->seen && node->parent != NOWHERE)
        node = &finder->nodes[node->parent];
    out->offset = node->seen ? node->offset : ICE_NO_OFFSET;
    out->line = node->seen ? node->line : 0;
    out->column = node->seen ? node->column : 0;
}

static enum ice_status find_all(struct finder *finder, struct ice_stream *stream,
                                bool keys_are_unique, struct ice_locate *items,
                                int32_t *places, size_t n, struct ice_error *err) {
    struct ice_buf scratch;
    ice_buf_init(&scratch, &finder->run->alloc, SIZE_MAX);
    int32_t root;
    enum ice_status status = add_node(finder, NOWHERE, ICE_STR(""), &root);
    for (size_t i = 0; i < n && status >= 0; i++) {
        status = add_pointer(finder, items[i].pointer, &scratch, &places[i]);
        if (status < 0)
            break;
        struct node *node = &finder->nodes[places[i]];
        finder->n_unseen += !node->is_asked;
        node->is_asked = true;
    }
    ice_buf_release(&scratch);
    if (status < 0)
        return ice_error_memory(err);
    struct ice_error ignored;
    ice_error_clear(&ignored);
    ICE_TRY(ice_json_init(&finder->json, stream, finder->run, NULL, NULL, err));
    status = read_all(finder, keys_are_unique, &ignored);
    drop_outdated(finder);
    for (size_t i = 0; i < n; i++)
        answer(finder, places[i], &items[i]);
    if (status >= 0 || status == ICE_EFORMAT || status == ICE_ELIMIT)
        return ICE_OK;
    return ice_error_pass(err, status, &ignored);
}

enum ice_status ice_json_locate(struct ice_stream *stream, struct ice_run *run,
                                bool keys_are_unique, struct ice_locate *items, size_t n,
                                struct ice_error *err) {
    if (n == 0)
        return ICE_OK;
    struct finder finder = {.run = run};
    ice_arena_init(&finder.arena, &run->alloc);
    ice_table_init(&finder.children, &run->alloc);
    enum ice_status status = ICE_OK;
    int32_t *places = ice_calloc(&run->alloc, n, sizeof(*places));
    if (places == NULL)
        status = ice_error_memory(err);
    else
        status = find_all(&finder, stream, keys_are_unique, items, places, n, err);
    ice_json_release(&finder.json);
    ice_array_free(&run->alloc, &finder.nodes, &finder.nodes_capacity,
                   sizeof(struct node));
    ice_array_free(&run->alloc, &finder.levels, &finder.levels_capacity,
                   sizeof(struct level));
    ice_table_release(&finder.children);
    ice_arena_release(&finder.arena);
    if (places != NULL)
        ice_free(&run->alloc, places, n * sizeof(*places));
    return status;
}
