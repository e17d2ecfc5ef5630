/*
 * A small JSON document as a tree whose nodes know where they stand. For configuration,
 * whose files are small: all of it is in memory, and grows with the input.
 */
#ifndef ICE_CONF_TREE_H
#define ICE_CONF_TREE_H

#include "base/arena.h"
#include "base/run.h"
#include "json/reader.h"

/* Views live in the arena that the tree was read into. */
struct ice_conf_node {
    enum ice_json_kind kind; /* OBJECT, ARRAY, STRING, NUMBER, TRUE, FALSE, NULL */
    struct ice_str key;      /* of a member of an object; empty in arrays */
    struct ice_str text;     /* STRING: unescaped; NUMBER: as written */
    uint64_t offset;         /* of the value's first byte */
    uint64_t key_offset;     /* of its key's first byte; of elements that of the value */
    uint32_t index;          /* among its siblings, from 0 */
    struct ice_conf_node *parent, *first, *last, *next;
};

/*
 * Read one document. Errors are those of the JSON reader; *out is then what was read
 * before, or NULL.
 */
enum ice_status ice_conf_tree_read(struct ice_str bytes, struct ice_arena *arena,
                                   struct ice_run *run, struct ice_conf_node **out,
                                   struct ice_error *err) ICE_MUST_USE;

/* The member of an object, the last one if it stands twice; NULL: there is none, or node
 * is NULL or no object. */
const struct ice_conf_node *ice_conf_member(const struct ice_conf_node *node,
                                            const char *key);
/* ... along a path of members, as "Job.Command.Name". */
const struct ice_conf_node *ice_conf_path(const struct ice_conf_node *node,
                                          const char *path);
/* Of a string or number its text, of true and false that word; empty for all else. */
struct ice_str ice_conf_node_text(const struct ice_conf_node *node);
static inline bool ice_conf_is(const struct ice_conf_node *node,
                               enum ice_json_kind kind) {
    return node != NULL && node->kind == kind;
}
/* RFC 6901 pointer of a node, in the arena. false: out of memory. */
bool ice_conf_pointer(const struct ice_conf_node *node, struct ice_arena *arena,
                      struct ice_run *run, struct ice_str *out);
/* Next node in document order below root, which begins it; NULL behind the last. */
const struct ice_conf_node *ice_conf_walk(const struct ice_conf_node *root,
                                          const struct ice_conf_node *node);
/*
 * Where byte `index` of a string's unescaped text stands in bytes, the document that the
 * string stands in: behind its quote, and behind escapes in front of it.
 */
uint64_t ice_conf_text_offset(struct ice_str bytes, const struct ice_conf_node *node,
                              size_t index);

#endif
