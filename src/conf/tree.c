/*
 * Building the tree from the reader's events, and walking it. The way up is in the nodes,
 * so neither needs a stack.
 */
#include "conf/tree.h"

#include "base/error.h"
#include "stream/stream.h"

#include <assert.h>

enum { MOST_NODES = 1000000 };

struct builder {
    struct ice_arena *arena;
    struct ice_conf_node *root, *at; /* at: the object or array that is open */
    struct ice_str key;
    uint64_t key_offset;
    size_t n_nodes;
};

static bool add(struct builder *b, const struct ice_json_event *event) {
    struct ice_conf_node *node = ice_arena_alloc(b->arena, sizeof(*node));
    if (node == NULL || !ice_arena_dup(b->arena, event->text, &node->text))
        return false;
    bool is_member = b->at != NULL && b->at->kind == ICE_JSON_OBJECT;
    node->kind = event->kind;
    node->offset = event->offset;
    node->key = is_member ? b->key : ICE_STR_NONE;
    node->key_offset = is_member ? b->key_offset : event->offset;
    node->parent = b->at;
    if (b->at == NULL) {
        b->root = node;
    } else if (b->at->last == NULL) {
        b->at->first = b->at->last = node;
    } else {
        node->index = b->at->last->index + 1;
        b->at->last->next = node;
        b->at->last = node;
    }
    if (event->kind == ICE_JSON_OBJECT || event->kind == ICE_JSON_ARRAY)
        b->at = node;
    return true;
}

static enum ice_status take(struct builder *b, const struct ice_json_event *event,
                            struct ice_error *err) {
    switch (event->kind) {
    case ICE_JSON_OBJECT_END:
    case ICE_JSON_ARRAY_END:
        assert(b->at != NULL); /* the reader closes what it opened */
        b->at = b->at->parent;
        return ICE_OK;
    case ICE_JSON_KEY:
        b->key_offset = event->offset;
        return ice_arena_dup(b->arena, event->text, &b->key) ? ICE_OK
                                                             : ice_error_memory(err);
    case ICE_JSON_OBJECT:
    case ICE_JSON_ARRAY:
    case ICE_JSON_STRING:
    case ICE_JSON_NUMBER:
    case ICE_JSON_TRUE:
    case ICE_JSON_FALSE:
    case ICE_JSON_NULL:
        break;
    }
    if (b->n_nodes++ == MOST_NODES)
        return ice_error_set(err, ICE_ELIMIT, "limit.file", event->offset,
                             "more than %d values in one document", MOST_NODES);
    return add(b, event) ? ICE_OK : ice_error_memory(err);
}

enum ice_status ice_conf_tree_read(struct ice_str bytes, struct ice_arena *arena,
                                   struct ice_run *run, struct ice_conf_node **out,
                                   struct ice_error *err) {
    struct builder b = {.arena = arena};
    struct ice_stream stream;
    struct ice_json json = {0};
    struct ice_json_event event;
    *out = NULL;
    ice_stream_init_memory(&stream, run, bytes);
    enum ice_status status = ice_json_init(&json, &stream, run, NULL, NULL, err);
    while (status == ICE_OK && (status = ice_json_next(&json, &event, err)) == ICE_OK)
        status = take(&b, &event, err);
    ice_json_release(&json);
    ice_stream_release(&stream);
    *out = b.root;
    return status == ICE_DONE ? ICE_OK : status;
}

const struct ice_conf_node *ice_conf_member(const struct ice_conf_node *node,
                                            const char *key) {
    const struct ice_conf_node *found = NULL;
    if (node == NULL || node->kind != ICE_JSON_OBJECT)
        return NULL;
    for (const struct ice_conf_node *n = node->first; n != NULL; n = n->next) {
        if (ice_str_is(n->key, key))
            found = n;
    }
    return found;
}

const struct ice_conf_node *ice_conf_path(const struct ice_conf_node *node,
                                          const char *path) {
    while (node != NULL) {
        char key[64];
        size_t size = strcspn(path, ".");
        if (size >= sizeof(key))
            return NULL;
        memcpy(key, path, size);
        key[size] = '\0';
        node = ice_conf_member(node, key);
        if (path[size] == '\0')
            break;
        path += size + 1;
    }
    return node;
}

struct ice_str ice_conf_node_text(const struct ice_conf_node *node) {
    if (node == NULL)
        return ICE_STR_NONE;
    switch (node->kind) {
    case ICE_JSON_STRING:
    case ICE_JSON_NUMBER:
        return node->text;
    case ICE_JSON_TRUE:
        return ICE_STR("true");
    case ICE_JSON_FALSE:
        return ICE_STR("false");
    case ICE_JSON_OBJECT:
    case ICE_JSON_OBJECT_END:
    case ICE_JSON_ARRAY:
    case ICE_JSON_ARRAY_END:
    case ICE_JSON_KEY:
    case ICE_JSON_NULL:
        break;
    }
    return ICE_STR_NONE;
}

bool ice_conf_pointer(const struct ice_conf_node *node, struct ice_arena *arena,
                      struct ice_run *run, struct ice_str *out) {
    const struct ice_conf_node *way[256];
    size_t n = 0;
    struct ice_buf buf;
    *out = ICE_STR_NONE;
    for (; node != NULL && node->parent != NULL && n < 256; node = node->parent)
        way[n++] = node;
    ice_buf_init(&buf, &run->alloc, SIZE_MAX / 2);
    bool done = true;
    while (done && n-- > 0) {
        bool is_member = way[n]->parent->kind == ICE_JSON_OBJECT;
        done = (is_member ? ice_pointer_append(&buf, way[n]->key)
                          : ice_pointer_append_index(&buf, way[n]->index)) == ICE_OK;
    }
    done = done && ice_arena_dup(arena, ice_buf_str(&buf), out);
    ice_buf_release(&buf);
    return done;
}

const struct ice_conf_node *ice_conf_walk(const struct ice_conf_node *root,
                                          const struct ice_conf_node *node) {
    if (node->first != NULL)
        return node->first;
    while (node != root && node->next == NULL)
        node = node->parent;
    return node == root ? NULL : node->next;
}

/* ---- back through escapes ---- */

static unsigned hex4(struct ice_str bytes, size_t at) {
    unsigned value = 0;
    for (size_t i = 0; i < 4; i++) {
        int digit = at + i < bytes.size ? ice_hex_digit(bytes.data[at + i]) : -1;
        value = value * 16 + (digit < 0 ? 0 : (unsigned)digit);
    }
    return value;
}

/* How many bytes of the document the escape at `at` has, and how many it stands for. */
static size_t escape_bytes(struct ice_str bytes, size_t at, size_t *out_means) {
    *out_means = 1;
    if (at + 1 >= bytes.size || bytes.data[at + 1] != 'u')
        return 2;
    unsigned unit = hex4(bytes, at + 2);
    bool is_pair = unit >= 0xD800 && unit < 0xDC00 && at + 7 < bytes.size &&
                   bytes.data[at + 6] == '\\' && bytes.data[at + 7] == 'u' &&
                   (hex4(bytes, at + 8) & 0xFC00) == 0xDC00;
    *out_means = is_pair ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    return is_pair ? 12 : 6;
}

uint64_t ice_conf_text_offset(struct ice_str bytes, const struct ice_conf_node *node,
                              size_t index) {
    if (node->kind != ICE_JSON_STRING || node->offset >= bytes.size)
        return node->offset;
    size_t at = (size_t)node->offset + 1;
    while (index > 0 && at < bytes.size && bytes.data[at] != '"') {
        size_t means = 1;
        size_t size = bytes.data[at] == '\\' ? escape_bytes(bytes, at, &means) : 1;
        if (means > index)
            break;
        index -= means;
        at += size;
    }
    return at;
}
