/*
 * Parts of metadata.json other than schemas, specs, orders and snapshots: refs,
 * properties, logs, statistics, encryption keys.
 */
#include "iceberg/read.h"

#include "base/error.h"

#define ROW(owner, member, name, type) ICE_MEMBER(owner, member, name, type)
#define BIT(bits, i) (((bits).present >> (i)) & 1)

static struct ice_object_table table_of(const struct ice_member *members, size_t n) {
    return (struct ice_object_table){members, n, ICE_NULLS_NONE};
}

/* ... of an object whose properties may be absent, and not null */
static struct ice_object_table table_with_properties(const struct ice_member *members,
                                                     size_t n) {
    return (struct ice_object_table){members, n, ICE_NULLS_PROPERTIES};
}

/* ---- maps by key: the last of two equal keys takes the place of the first ---- */

/*
 * Where the value of r->key goes: an earlier item of that key, or a new one. items are
 * structs that begin with their key. SIZE_MAX: out of memory.
 */
static size_t place_key(struct ice_object_reader *r, struct ice_table *by_key,
                        void *items, size_t *n, size_t *capacity, size_t size) {
    struct ice_str key = ice_buf_str(&r->key);
    uint64_t hash = ice_hash64(key, r->run->hash_seed);
    unsigned char *base;
    memcpy(&base, items, sizeof(base));
    size_t at = SIZE_MAX;
    uint32_t index;
    while (ice_table_next(by_key, hash, &at, &index)) {
        struct ice_str old;
        memcpy(&old, base + (size_t)index * size, sizeof(old));
        if (ice_str_equal(old, key))
            return index;
    }
    struct ice_str copy;
    if (*n >= UINT32_MAX ||
        !ice_array_reserve(&r->run->alloc, items, *n, capacity, size) ||
        !ice_arena_dup(r->arena, key, &copy) ||
        ice_table_put(by_key, hash, (uint32_t)*n) < 0)
        return SIZE_MAX;
    memcpy(&base, items, sizeof(base)); /* may have moved */
    memset(base + *n * size, 0, size);
    memcpy(base + *n * size, &copy, sizeof(copy));
    return (*n)++;
}

enum ice_status ice_read_properties(struct ice_object_reader *r,
                                    struct ice_metadata *out) {
    struct ice_table by_key;
    ice_table_init(&by_key, &r->run->alloc);
    out->n_properties = 0;
    enum ice_status status;
    while ((status = ice_object_key(r, false)) == ICE_OK) {
        size_t at = place_key(r, &by_key, &out->properties, &out->n_properties,
                              &out->cap_properties, sizeof(*out->properties));
        struct ice_json_event event;
        status = at == SIZE_MAX ? ice_error_memory(r->err)
                                : ice_json_next(r->json, &event, r->err);
        if (status < 0)
            break;
        struct ice_property *property = &out->properties[at];
        property->value_is_string = event.kind == ICE_JSON_STRING;
        property->value = ICE_STR_NONE;
        if (property->value_is_string) {
            if (!ice_arena_dup(r->arena, event.text, &property->value))
                status = ice_error_memory(r->err);
        } else {
            status = ice_json_skip(r->json, &event, r->err);
        }
        if (status < 0)
            break;
    }
    ice_table_release(&by_key);
    return status < 0 ? status : ICE_OK;
}

#define ROW_INT(member, name) ROW(ice_ref, member, name, INT)
#define ROW_LONG(member, name) ROW(ice_ref, member, name, LONG)
#define ROW_STRING(member, name) ROW(ice_ref, member, name, STRING)
#define ICE_FIELD(member, name, type, v1, v2, v3, where) ROW_##type(member, name),
static const struct ice_member ref_members[] = {
#include "iceberg/fields/ref.def"
};
#undef ICE_FIELD
#undef ROW_INT
#undef ROW_LONG
#undef ROW_STRING

static enum ice_status read_ref(struct ice_object_reader *r, struct ice_ref *out) {
    const struct ice_object_table table =
        table_of(ref_members, ICE_COUNT_OF(ref_members));
    struct ice_bits bits = {0};
    size_t member;
    struct ice_json_event event;
    enum ice_status status = ice_object_next(r, &table, out, &bits, &member, &event);
    if (status < 0)
        return status;
    out->has_snapshot_id = BIT(bits, 0);
    out->has_type = BIT(bits, 1);
    out->has_min_snapshots = BIT(bits, 2);
    out->has_max_snapshot_age = BIT(bits, 3);
    out->has_max_ref_age = BIT(bits, 4);
    out->bad = (bits.bad & 3) != 0;
    return ICE_OK;
}

enum ice_status ice_read_refs(struct ice_object_reader *r, struct ice_metadata *out) {
    struct ice_table by_key;
    ice_table_init(&by_key, &r->run->alloc);
    out->n_refs = 0;
    enum ice_status status;
    while ((status = ice_object_key(r, true)) == ICE_OK) {
        size_t at = place_key(r, &by_key, &out->refs, &out->n_refs, &out->cap_refs,
                              sizeof(*out->refs));
        struct ice_json_event event;
        status = at == SIZE_MAX ? ice_error_memory(r->err)
                                : ice_json_next(r->json, &event, r->err);
        if (status < 0)
            break;
        struct ice_ref *ref = &out->refs[at];
        *ref = (struct ice_ref){.name = ref->name};
        if (event.kind == ICE_JSON_OBJECT) {
            status = read_ref(r, ref);
        } else {
            ref->bad = true;
            status = ice_object_wrong_type(r, "refs", "an object", &event);
        }
        if (status < 0)
            break;
    }
    ice_table_release(&by_key);
    return status < 0 ? status : ICE_OK;
}

/* ---- logs ---- */

#define ROW_LONG(member, name) ROW(ice_log_entry, member, name, LONG)
#define ICE_FIELD(member, name, type, v1, v2, v3, where) ROW_##type(member, name),
static const struct ice_member snapshot_log_members[] = {
#include "iceberg/fields/snapshot_log.def"
};
#undef ROW_LONG
struct metadata_log_text {
    int64_t timestamp_ms;
    struct ice_str metadata_file;
};
#define ROW_LONG(member, name) ROW(metadata_log_text, member, name, LONG)
#define ROW_STRING(member, name) ROW(metadata_log_text, member, name, STRING)
static const struct ice_member metadata_log_members[] = {
#include "iceberg/fields/metadata_log.def"
};
#undef ICE_FIELD
#undef ROW_LONG
#undef ROW_STRING

enum ice_status ice_read_snapshot_log(struct ice_object_reader *r,
                                      struct ice_metadata *out) {
    const struct ice_object_table table =
        table_of(snapshot_log_members, ICE_COUNT_OF(snapshot_log_members));
    out->n_snapshot_log = 0;
    for (;;) {
        struct ice_json_event event;
        enum ice_status status =
            ice_array_next(r, ICE_JSON_OBJECT, "snapshot-log", &event);
        if (status != ICE_OK)
            return status < 0 ? status : ICE_OK;
        struct ice_log_entry entry = {0};
        struct ice_bits bits = {0};
        size_t member;
        ICE_TRY(ice_object_next(r, &table, &entry, &bits, &member, &event));
        entry.has_timestamp = BIT(bits, 0);
        entry.has_what = BIT(bits, 1);
        entry.bad = bits.bad != 0;
        if (!ice_array_reserve(&r->run->alloc, &out->snapshot_log, out->n_snapshot_log,
                               &out->cap_snapshot_log, sizeof(entry)))
            return ice_error_memory(r->err);
        out->snapshot_log[out->n_snapshot_log++] = entry;
    }
}

enum ice_status ice_read_metadata_log(struct ice_object_reader *r,
                                      struct ice_metadata *out) {
    const struct ice_object_table table =
        table_of(metadata_log_members, ICE_COUNT_OF(metadata_log_members));
    out->n_metadata_log = 0;
    for (;;) {
        struct ice_json_event event;
        enum ice_status status =
            ice_array_next(r, ICE_JSON_OBJECT, "metadata-log", &event);
        if (status != ICE_OK)
            return status < 0 ? status : ICE_OK;
        struct metadata_log_text text = {0};
        struct ice_bits bits = {0};
        size_t member;
        ICE_TRY(ice_object_next(r, &table, &text, &bits, &member, &event));
        struct ice_metadata_log_entry entry = {.timestamp_ms = text.timestamp_ms};
        entry.has_timestamp = BIT(bits, 0);
        entry.has_what = BIT(bits, 1);
        entry.bad = bits.bad != 0;
        if (entry.has_what)
            entry.file = text.metadata_file;
        if (!ice_array_reserve(&r->run->alloc, &out->metadata_log, out->n_metadata_log,
                               &out->cap_metadata_log, sizeof(entry)))
            return ice_error_memory(r->err);
        out->metadata_log[out->n_metadata_log++] = entry;
    }
}

/* ---- statistics ---- */

struct blob_text {
    struct ice_str type;
    int64_t snapshot_id, sequence_number;
};
#define ROW_LONG(member, name) ROW(blob_text, member, name, LONG)
#define ROW_STRING(member, name) ROW(blob_text, member, name, STRING)
#define ROW_ARRAY(member, name) ICE_MEMBER_HANDED(name, ARRAY)
#define ROW_MAP(member, name) ICE_MEMBER_HANDED(name, MAP)
#define ROW_IGNORE(member, name) ICE_MEMBER_HANDED(name, IGNORE)
#define ICE_FIELD(member, name, type, v1, v2, v3, where) ROW_##type(member, name),
static const struct ice_member blob_members[] = {
#include "iceberg/fields/blob_metadata.def"
};
#undef ROW_LONG
#undef ROW_STRING
#define ROW_LONG(member, name) ROW(ice_statistics, member, name, LONG)
#define ROW_STRING(member, name) ROW(ice_statistics, member, name, STRING)
static const struct ice_member statistics_members[] = {
#include "iceberg/fields/statistics.def"
};
#undef ROW_LONG
#undef ROW_STRING
#define ROW_STRING(member, name) ROW(ice_encryption_key, member, name, STRING)
static const struct ice_member key_members[] = {
#include "iceberg/fields/encryption_key.def"
};
#undef ICE_FIELD
#undef ROW_STRING

/* The properties of a blob or a key: Java takes texts alone. */
static enum ice_status read_texts(struct ice_object_reader *r,
                                  const struct ice_property **out, size_t *out_n) {
    struct ice_property *items = NULL;
    size_t n = 0, capacity = 0;
    *out = NULL;
    *out_n = 0;
    for (;;) {
        enum ice_status status = ice_object_key(r, false);
        if (status < 0)
            return status;
        if (status == ICE_DONE)
            break;
        items = ice_arena_push(r->arena, items, &n, &capacity, sizeof(*items));
        if (items == NULL ||
            !ice_arena_dup(r->arena, ice_buf_str(&r->key), &items[n - 1].key))
            return ice_error_memory(r->err);
        struct ice_json_event event;
        ICE_TRY(ice_json_next(r->json, &event, r->err));
        items[n - 1].value_is_string = event.kind == ICE_JSON_STRING;
        if (event.kind != ICE_JSON_STRING)
            ICE_TRY(ice_object_wrong_type(r, "", "a string", &event));
        else if (!ice_arena_dup(r->arena, event.text, &items[n - 1].value))
            return ice_error_memory(r->err);
    }
    *out = items;
    *out_n = n;
    return ICE_OK;
}

static enum ice_status read_blob(struct ice_object_reader *r,
                                 struct ice_blob_metadata *out) {
    const struct ice_object_table table =
        table_with_properties(blob_members, ICE_COUNT_OF(blob_members));
    struct blob_text text = {0};
    struct ice_bits bits = {0};
    int32_t *fields = NULL;
    for (;;) {
        size_t member;
        struct ice_json_event event;
        enum ice_status status =
            ice_object_next(r, &table, &text, &bits, &member, &event);
        if (status < 0)
            return status;
        if (status == ICE_DONE)
            break;
        if (event.kind == ICE_JSON_ARRAY)
            ICE_TRY(ice_array_ints(r, "fields", &fields, &out->n_fields));
        else
            ICE_TRY(read_texts(r, &out->properties, &out->n_properties));
    }
    out->has_type = BIT(bits, 0);
    out->has_snapshot_id = BIT(bits, 1);
    out->has_sequence_number = BIT(bits, 2);
    out->has_fields = BIT(bits, 3);
    out->bad = (bits.bad & 15) != 0;
    out->type = out->has_type ? text.type : ICE_STR_NONE;
    out->snapshot_id = text.snapshot_id;
    out->sequence_number = text.sequence_number;
    out->fields = fields;
    if (!out->has_fields)
        out->n_fields = 0;
    return ICE_OK;
}

static enum ice_status read_blobs(struct ice_object_reader *r,
                                  struct ice_statistics *out) {
    struct ice_blob_metadata *items = NULL;
    size_t n = 0, capacity = 0;
    for (;;) {
        struct ice_json_event event;
        enum ice_status status =
            ice_array_next(r, ICE_JSON_OBJECT, "blob-metadata", &event);
        if (status < 0)
            return status;
        if (status == ICE_DONE)
            break;
        items = ice_arena_push(r->arena, items, &n, &capacity, sizeof(*items));
        if (items == NULL)
            return ice_error_memory(r->err);
        ICE_TRY(read_blob(r, &items[n - 1]));
    }
    out->blobs = items;
    out->n_blobs = n;
    return ICE_OK;
}

static enum ice_status pointer_here(struct ice_object_reader *r, struct ice_str *out) {
    ICE_TRY(ice_json_pointer(r->json, &r->pointer));
    return ice_arena_dup(r->arena, ice_buf_str(&r->pointer), out)
               ? ICE_OK
               : ice_error_memory(r->err);
}

static enum ice_status read_statistics(struct ice_object_reader *r, bool is_partition,
                                       struct ice_statistics *out) {
    const struct ice_object_table table =
        table_of(statistics_members, ICE_COUNT_OF(statistics_members));
    struct ice_bits bits = {0};
    out->is_partition = is_partition;
    ICE_TRY(pointer_here(r, &out->pointer));
    for (;;) {
        size_t member;
        struct ice_json_event event;
        enum ice_status status = ice_object_next(r, &table, out, &bits, &member, &event);
        if (status < 0)
            return status;
        if (status == ICE_DONE)
            break;
        ICE_TRY(read_blobs(r, out));
    }
    out->has_snapshot_id = BIT(bits, 0);
    out->has_path = BIT(bits, 1);
    out->has_file_size = BIT(bits, 2);
    out->has_footer_size = BIT(bits, 3);
    out->has_key_metadata = BIT(bits, 4);
    out->has_blobs = BIT(bits, 5);
    out->bad = bits.bad != 0;
    if (!out->has_blobs)
        out->n_blobs = 0;
    return ICE_OK;
}

enum ice_status ice_read_statistics(struct ice_object_reader *r, bool is_partition,
                                    struct ice_metadata *out) {
    size_t kept = 0;
    for (size_t i = 0; i < out->n_statistics; i++) {
        if (out->statistics[i].is_partition != is_partition)
            out->statistics[kept++] = out->statistics[i];
    }
    out->n_statistics = kept;
    for (;;) {
        struct ice_json_event event;
        enum ice_status status =
            ice_array_next(r, ICE_JSON_OBJECT,
                           is_partition ? "partition-statistics" : "statistics", &event);
        if (status != ICE_OK)
            return status < 0 ? status : ICE_OK;
        struct ice_statistics entry = {0};
        ICE_TRY(read_statistics(r, is_partition, &entry));
        if (!ice_array_reserve(&r->run->alloc, &out->statistics, out->n_statistics,
                               &out->cap_statistics, sizeof(entry)))
            return ice_error_memory(r->err);
        out->statistics[out->n_statistics++] = entry;
    }
}

enum ice_status ice_read_encryption_keys(struct ice_object_reader *r,
                                         struct ice_metadata *out) {
    const struct ice_object_table table =
        table_with_properties(key_members, ICE_COUNT_OF(key_members));
    out->n_keys = 0;
    for (;;) {
        struct ice_json_event event;
        enum ice_status status =
            ice_array_next(r, ICE_JSON_OBJECT, "encryption-keys", &event);
        if (status != ICE_OK)
            return status < 0 ? status : ICE_OK;
        struct ice_encryption_key key = {0};
        struct ice_bits bits = {0};
        const struct ice_property *properties; /* nothing is asked of them */
        size_t member, n_properties;
        ICE_TRY(pointer_here(r, &key.pointer));
        while ((status = ice_object_next(r, &table, &key, &bits, &member, &event)) ==
               ICE_OK)
            ICE_TRY(read_texts(r, &properties, &n_properties));
        if (status < 0)
            return status;
        key.has_key_id = BIT(bits, 0);
        key.has_metadata = BIT(bits, 1);
        key.has_encrypted_by = BIT(bits, 2);
        key.bad = (bits.bad & 7) != 0;
        if (!ice_array_reserve(&r->run->alloc, &out->keys, out->n_keys, &out->cap_keys,
                               sizeof(key)))
            return ice_error_memory(r->err);
        out->keys[out->n_keys++] = key;
    }
}
