/*
 * The one loop that reads members of JSON objects by a field table (fields/<name>.def):
 * stores scalars, sets presence bits, raises defects with the pointer of the member.
 * Containers are handed to the caller.
 *
 *   while ((status = ice_object_next(r, &snapshot_table, &target, &bits, &member,
 * &event)) == ICE_OK) switch (member) ... read or skip the value that event began
 */
#ifndef ICE_ICEBERG_OBJECT_H
#define ICE_ICEBERG_OBJECT_H

#include "iceberg/defect.h"
#include "json/reader.h"

#include "base/arena.h"

enum ice_want {
    ICE_WANT_INT,    /* stored: 32 bits */
    ICE_WANT_LONG,   /* stored: 64 bits */
    ICE_WANT_BOOL,   /* stored: bool */
    ICE_WANT_STRING, /* stored: struct ice_str in the arena */
    ICE_WANT_TEXT,   /* a string, handed over */
    ICE_WANT_OBJECT, /* handed over */
    ICE_WANT_MAP,    /* an object with keys of its own, handed over */
    ICE_WANT_ARRAY,  /* handed over */
    ICE_WANT_ANY,    /* any value, null too, handed over */
    ICE_WANT_IGNORE, /* any value, skipped; only its bit counts */
};

struct ice_member {
    const char *key;
    uint8_t key_size;
    uint8_t want;  /* enum ice_want */
    uint8_t width; /* bytes of the stored member */
    uint16_t offset;
};

/* Members of an object whose null is told (json.field.explicit-null). */
enum ice_told_nulls { ICE_NULLS_NONE, ICE_NULLS_KNOWN, ICE_NULLS_PROPERTIES };

struct ice_object_table {
    const struct ice_member *members; /* position is the bit */
    size_t n;                         /* <= 64 */
    enum ice_told_nulls nulls;
};

/* A row of a table from ICE_FIELD(member, json_name, type, ...) for struct `owner`. */
#define ICE_MEMBER(owner, member, name, type)                                            \
    {                                                                                    \
        (name), sizeof(name) - 1, ICE_WANT_##type,                                       \
            sizeof(((struct owner *)NULL)->member), offsetof(struct owner, member)       \
    }
/* ... of a member that is handed over or ignored */
#define ICE_MEMBER_HANDED(name, type)                                                    \
    { (name), sizeof(name) - 1, ICE_WANT_##type, 0, 0 }

struct ice_bits {
    uint64_t present; /* with a usable value */
    uint64_t null;
    uint64_t bad; /* with an unusable value: a defect has said so */
};

/* What the readers of one document share. */
struct ice_object_reader {
    struct ice_json *json;
    struct ice_run *run;
    struct ice_arena *arena;
    ice_defect_fn on_defect; /* may be NULL */
    void *user;
    struct ice_error *err;
    struct ice_buf pointer, key; /* of the defect being told */
    /* a notice of a duplicate waits until it is known whose key it is */
    bool expects_key, has_duplicate, was_duplicate;
    bool met_duplicate; /* anywhere so far */
    uint64_t duplicate_offset;
    struct ice_buf duplicate;
};

void ice_object_reader_init(struct ice_object_reader *r, struct ice_json *json,
                            struct ice_run *run, struct ice_arena *arena,
                            ice_defect_fn on_defect, void *user, struct ice_error *err);
void ice_object_reader_release(struct ice_object_reader *r);
/* For ice_json_init; user is the reader. */
enum ice_status ice_object_notice(enum ice_json_notice notice, uint64_t offset,
                                  struct ice_str pointer, void *user);

/*
 * Behind an OBJECT event: go on to the next member that is handed over. *out_event is its
 * value's first event; read or skip it before the next call. ICE_DONE behind the object's
 * end. bits must start as {0}; the last of two equal keys wins, also against null.
 */
enum ice_status ice_object_next(struct ice_object_reader *r,
                                const struct ice_object_table *table, void *target,
                                struct ice_bits *bits, size_t *out_member,
                                struct ice_json_event *out_event) ICE_MUST_USE;

/*
 * Next key of an object with keys of its own (properties, refs): ICE_OK with the key in
 * r->key, ICE_DONE at its end. known_keys: a key that stands twice is one of the
 * catalogue's. r->was_duplicate: this key stood before.
 */
enum ice_status ice_object_key(struct ice_object_reader *r, bool known_keys) ICE_MUST_USE;

/*
 * Next element of an array: of the wanted kind (OBJECT, STRING), anything else is a
 * defect and left out, as is null. field names the array.
 */
enum ice_status ice_array_next(struct ice_object_reader *r, enum ice_json_kind wanted,
                               const char *field,
                               struct ice_json_event *out) ICE_MUST_USE;
/* All elements of an array of int, in the arena; bad ones are defects and left out. */
enum ice_status ice_array_ints(struct ice_object_reader *r, const char *field,
                               int32_t **out, size_t *out_n) ICE_MUST_USE;

/* Raise a TYPE defect for the value that event began, and skip it. */
enum ice_status ice_object_wrong_type(struct ice_object_reader *r, const char *field,
                                      const char *expected,
                                      const struct ice_json_event *event) ICE_MUST_USE;

/* Raise a defect of another kind for that value; it is not skipped. field: its key. */
enum ice_status ice_object_defect(struct ice_object_reader *r, enum ice_defect_kind kind,
                                  struct ice_str field,
                                  const struct ice_json_event *event) ICE_MUST_USE;

/* Grow an array of an arena by one zeroed element: the array (moved when it was full), or
 * NULL. */
void *ice_arena_push(struct ice_arena *arena, void *items, size_t *n, size_t *capacity,
                     size_t size) ICE_MUST_USE;

#endif
