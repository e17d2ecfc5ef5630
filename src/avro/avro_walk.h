/*
 * Any datum by its writer schema, event by event, with an explicit stack: what dump
 * prints and what rows step over.
 */
#ifndef ICE_AVRO_AVRO_WALK_H
#define ICE_AVRO_AVRO_WALK_H

#include "avro/cursor.h"
#include "avro/plan.h"
#include "base/arena.h"

enum ice_walk_kind {
    ICE_WALK_VALUE, /* a primitive, enum or fixed: datum */
    ICE_WALK_RECORD,
    ICE_WALK_RECORD_END,
    ICE_WALK_ARRAY,
    ICE_WALK_ARRAY_END,
    ICE_WALK_MAP,
    ICE_WALK_MAP_END,
    ICE_WALK_DONE,
    ICE_WALK_FAULT, /* see the cursor */
};

struct ice_walk_event {
    enum ice_walk_kind kind;
    const struct ice_avro_schema *schema; /* never a union */
    bool has_key;
    struct ice_str key; /* field name or map key of the value that begins */
    struct ice_datum datum;
};

/* An open record, array or map. */
struct ice_walk_frame {
    const struct ice_avro_schema *schema;
    size_t next_field;                /* RECORD */
    uint64_t left;                    /* items of the current array or map block */
    const unsigned char *items, *end; /* of the current block, if its size was stated */
    uint64_t index;                   /* of the current item, from 1 */
    bool in_item;
    struct ice_str key; /* of the current member */
};

struct ice_walk {
    struct ice_arena *arena;
    struct ice_walk_frame *frames;
    size_t n_frames, capacity;
    uint64_t depth_limit;
    uint64_t zero_left; /* zero-byte values that the datum may still hold */
    bool skips;         /* only to step over: zero-byte values make no events */
    const struct ice_avro_schema *root; /* not begun yet */
};

void ice_walk_init(struct ice_walk *walk, const struct ice_run *run,
                   struct ice_arena *arena);
/* Begin a datum that may hold zero_left values of no bytes. */
void ice_walk_begin(struct ice_walk *walk, const struct ice_avro_schema *schema,
                    uint64_t zero_left, bool skips);
/* The next event; views are into the cursor's bytes. */
enum ice_walk_kind ice_walk_next(struct ice_walk *walk, struct ice_cursor *c,
                                 struct ice_walk_event *out);
/* Step over one datum of a schema that takes a byte at least. */
bool ice_walk_skip(struct ice_walk *walk, struct ice_cursor *c,
                   const struct ice_avro_schema *schema, uint64_t zero_left);
/* One value of a type that is no record, array, map or union. */
bool ice_walk_primitive(struct ice_cursor *c, const struct ice_avro_schema *schema,
                        struct ice_datum *out);

/* A JSON pointer in the making; a step that does not fit ends it at the ancestor. */
struct ice_avro_path {
    char text[128];
    size_t size;
    bool is_full;
};
void ice_avro_path_step(struct ice_avro_path *path, struct ice_str name);
void ice_avro_path_index(struct ice_avro_path *path, uint64_t index);
/* Steps that are pointer text already. */
void ice_avro_path_raw(struct ice_avro_path *path, struct ice_str text);
/* Where the walk stands, below its datum. */
void ice_walk_path(const struct ice_walk *walk, struct ice_avro_path *path);

#endif
