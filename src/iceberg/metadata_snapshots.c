/*
 * Reading snapshots of metadata.json. A table may keep a million of them, so each is one
 * struct and a run of packed bytes in ice_metadata.text (snapshot_pack.h).
 */
#include "iceberg/list_name.h"
#include "iceberg/read.h"
#include "iceberg/snapshot_pack.h"

#include "base/error.h"

/* No key of a metric is longer. */
enum { MOST_KEY_BYTES = 63 };

/* Metric and operation of a summary being read. */
struct summary {
    int64_t metrics[ICE_METRIC_COUNT];
    bool has_metric[ICE_METRIC_COUNT];
    uint8_t operation, flags;
};

/* One snapshot being read; the buffers restart when a key stands twice. */
struct snapshot_reader {
    struct ice_object_reader *r;
    const struct ice_metadata_want *want;
    struct ice_metadata *out;
    struct ice_buf list, manifests, key_id, operation, pairs;
    struct summary summary;
    /* metrics by the size of their key: the first + 1 of a size, the next + 1 of it */
    uint8_t first_of_size[MOST_KEY_BYTES + 1], next_of_size[ICE_METRIC_COUNT];
};

#define ROW_INT(member, name) ICE_MEMBER(ice_snapshot, member, name, INT)
#define ROW_LONG(member, name) ICE_MEMBER(ice_snapshot, member, name, LONG)
#define ROW_STRING(member, name) ICE_MEMBER_HANDED(name, TEXT)
#define ROW_ARRAY(member, name) ICE_MEMBER_HANDED(name, ARRAY)
#define ROW_MAP(member, name) ICE_MEMBER_HANDED(name, MAP)
#define ICE_FIELD(member, name, type, v1, v2, v3, where) ROW_##type(member, name),
static const struct ice_member snapshot_members[] = {
#include "iceberg/fields/snapshot.def"
};
#undef ICE_FIELD
static const struct ice_object_table snapshot_table = {snapshot_members, ICE_SNAP_COUNT,
                                                       ICE_NULLS_KNOWN};

#define ICE_METRIC(token, key)                                                           \
    _Static_assert(sizeof(key) - 1 <= MOST_KEY_BYTES, "key of a metric");
#include "iceberg/fields/metrics.def"
#undef ICE_METRIC
static const struct ice_str metric_keys[] = {
#define ICE_METRIC(token, key) {key, sizeof(key) - 1},
#include "iceberg/fields/metrics.def"
#undef ICE_METRIC
};

static enum ice_status put_varint(struct ice_buf *out, uint64_t value) {
    char bytes[10];
    size_t n = 0;
    while (value >= 0x80) {
        bytes[n++] = (char)(unsigned char)(value | 0x80);
        value >>= 7;
    }
    bytes[n++] = (char)(unsigned char)value;
    return ice_buf_append(out, bytes, n);
}

static enum ice_status put_text(struct ice_buf *out, unsigned tag, struct ice_str text) {
    ICE_TRY(ice_buf_append_char(out, (char)tag));
    ICE_TRY(put_varint(out, text.size));
    return ice_buf_append_str(out, text);
}

/* ---- reading ---- */

static void take_operation(struct summary *summary, struct ice_str text) {
    static const char *const words[] = {
        [ICE_OPERATION_APPEND] = "append",
        [ICE_OPERATION_REPLACE] = "replace",
        [ICE_OPERATION_OVERWRITE] = "overwrite",
        [ICE_OPERATION_DELETE] = "delete",
    };
    summary->operation = ICE_OPERATION_OTHER;
    for (size_t i = ICE_OPERATION_APPEND; i < ICE_COUNT_OF(words); i++) {
        if (ice_str_is(text, words[i]))
            summary->operation = (uint8_t)i;
    }
}

/* Ids of the write-audit-publish pattern are free text: 63 bits of their hash are kept.
 */
static void take_text(struct snapshot_reader *s, enum ice_metric metric,
                      struct ice_str text) {
    s->summary.has_metric[metric] = true;
    s->summary.metrics[metric] = (int64_t)(ice_hash64(text, s->r->run->hash_seed) >> 1);
}

static void sort_metrics(struct snapshot_reader *s) {
    for (size_t i = 0; i < ICE_METRIC_COUNT; i++) {
        uint8_t *first = &s->first_of_size[metric_keys[i].size];
        s->next_of_size[i] = *first;
        *first = (uint8_t)(i + 1);
    }
}

/* The metric of a key, or ICE_METRIC_COUNT. */
static size_t find_metric(const struct snapshot_reader *s, struct ice_str key) {
    if (key.size > MOST_KEY_BYTES)
        return ICE_METRIC_COUNT;
    size_t next = s->first_of_size[key.size];
    while (next > 0 && !ice_str_equal(key, metric_keys[next - 1]))
        next = s->next_of_size[next - 1];
    return next > 0 ? next - 1 : ICE_METRIC_COUNT;
}

static enum ice_status take_metric(struct snapshot_reader *s,
                                   const struct ice_json_event *event) {
    struct summary *summary = &s->summary;
    struct ice_str key = ice_buf_str(&s->r->key);
    const size_t i = find_metric(s, key);
    if (i == ICE_METRIC_COUNT)
        return ICE_OK;
    int64_t value;
    summary->has_metric[i] = ice_str_to_i64(event->text, &value) && value >= 0;
    if (summary->has_metric[i]) {
        summary->metrics[i] = value;
        return ICE_OK;
    }
    if (i == ICE_METRIC_SOURCE_SNAPSHOT_ID)
        return ICE_OK;
    summary->flags |= ICE_SNAPSHOT_METRIC_BAD;
    return ice_object_defect(s->r, ICE_DEFECT_SUMMARY_NUMBER, key, event);
}

/* A value that is no string: told by a flag; kept as its JSON for whom wants all. */
static enum ice_status take_odd_value(struct snapshot_reader *s,
                                      const struct ice_json_event *event) {
    struct ice_object_reader *r = s->r;
    s->summary.flags |= ICE_SNAPSHOT_SUMMARY_VALUE_NOT_STRING;
    ICE_TRY(ice_object_defect(r, ICE_DEFECT_SUMMARY_VALUE, ice_buf_str(&r->key), event));
    if (ice_str_is(ice_buf_str(&r->key), "operation")) {
        s->summary.flags |= ICE_SNAPSHOT_OPERATION_BAD;
        s->summary.operation = ICE_OPERATION_ABSENT;
    }
    if (!s->want->summaries)
        return ice_json_skip(r->json, event, r->err);
    ICE_TRY(put_text(&s->pairs, ICE_PACK_KEY, ice_buf_str(&r->key)));
    ice_buf_clear(&r->pointer);
    ICE_TRY(ice_json_raw(r->json, event, &r->pointer, r->err));
    return put_text(&s->pairs, ICE_PACK_VALUE, ice_buf_str(&r->pointer));
}

static enum ice_status take_pair(struct snapshot_reader *s,
                                 const struct ice_json_event *event) {
    struct ice_str key = ice_buf_str(&s->r->key);
    if (ice_str_is(key, "operation")) {
        take_operation(&s->summary, event->text);
        s->summary.flags &= (uint8_t)~ICE_SNAPSHOT_OPERATION_BAD;
        ice_buf_clear(&s->operation);
        if (s->summary.operation == ICE_OPERATION_OTHER)
            ICE_TRY(put_text(&s->operation, ICE_PACK_OPERATION, event->text));
    } else if (ice_str_is(key, "wap.id")) {
        s->summary.flags |= ICE_SNAPSHOT_WAP_ID;
        take_text(s, ICE_METRIC_WAP_ID, event->text);
    } else if (ice_str_is(key, "published-wap-id")) {
        take_text(s, ICE_METRIC_PUBLISHED_WAP_ID, event->text);
    } else {
        ICE_TRY(take_metric(s, event));
    }
    if (!s->want->summaries)
        return ICE_OK;
    ICE_TRY(put_text(&s->pairs, ICE_PACK_KEY, key));
    return put_text(&s->pairs, ICE_PACK_VALUE, event->text);
}

static void restart_summary(struct snapshot_reader *s) {
    s->summary = (struct summary){0};
    ice_buf_clear(&s->operation);
    ice_buf_clear(&s->pairs);
}

static enum ice_status read_summary(struct snapshot_reader *s) {
    restart_summary(s);
    for (;;) {
        enum ice_status status = ice_object_key(s->r, false);
        if (status != ICE_OK)
            return status < 0 ? status : ICE_OK;
        struct ice_json_event event;
        ICE_TRY(ice_json_next(s->r->json, &event, s->r->err));
        if (event.kind == ICE_JSON_STRING)
            ICE_TRY(take_pair(s, &event));
        else
            ICE_TRY(take_odd_value(s, &event));
    }
}

static enum ice_status read_manifests(struct snapshot_reader *s) {
    ice_buf_clear(&s->manifests);
    for (;;) {
        struct ice_json_event event;
        enum ice_status status =
            ice_array_next(s->r, ICE_JSON_STRING, "manifests", &event);
        if (status != ICE_OK)
            return status < 0 ? status : ICE_OK;
        ICE_TRY(put_text(&s->manifests, ICE_PACK_MANIFEST, event.text));
    }
}

static enum ice_status take_member(struct snapshot_reader *s, size_t member,
                                   const struct ice_json_event *event) {
    switch ((enum ice_snapshot_bit)member) {
    case ICE_SNAP_manifest_list:
        ice_buf_clear(&s->list);
        return ice_buf_append_str(&s->list, event->text);
    case ICE_SNAP_key_id:
        ice_buf_clear(&s->key_id);
        return put_text(&s->key_id, ICE_PACK_KEY_ID, event->text);
    case ICE_SNAP_manifests:
        return read_manifests(s);
    case ICE_SNAP_summary:
        return read_summary(s);
    case ICE_SNAP_snapshot_id:
    case ICE_SNAP_parent_snapshot_id:
    case ICE_SNAP_sequence_number:
    case ICE_SNAP_timestamp_ms:
    case ICE_SNAP_schema_id:
    case ICE_SNAP_first_row_id:
    case ICE_SNAP_added_rows:
    case ICE_SNAP_COUNT:
        break;
    }
    return ICE_OK;
}

/* The first list's directory is the prefix; each list says how much of it it shares. */
static enum ice_status put_list(struct snapshot_reader *s, int64_t snapshot_id) {
    struct ice_metadata *out = s->out;
    struct ice_str list = ice_buf_str(&s->list);
    if (out->list_prefix.data == NULL) {
        size_t slash = ice_str_rfind(list, '/');
        struct ice_str prefix = ice_str_first(list, slash == SIZE_MAX ? 0 : slash + 1);
        if (!ice_arena_dup(&out->arena, prefix, &out->list_prefix))
            return ice_error_memory(s->r->err);
    }
    size_t shared = 0;
    while (shared < list.size && shared < out->list_prefix.size &&
           list.data[shared] == out->list_prefix.data[shared])
        shared++;
    struct ice_str rest = ice_str_from_index(list, shared);
    struct ice_list_name name;
    bool is_snap = ice_list_name_pack(rest, snapshot_id, &name);
    ICE_TRY(
        ice_buf_append_char(&out->text, is_snap ? ICE_PACK_SNAP_LIST : ICE_PACK_LIST));
    ICE_TRY(put_varint(&out->text, shared));
    if (is_snap) {
        ICE_TRY(put_varint(&out->text, name.attempt));
        return ice_buf_append(&out->text, name.uuid, sizeof(name.uuid));
    }
    ICE_TRY(put_varint(&out->text, rest.size));
    return ice_buf_append_str(&out->text, rest);
}

static enum ice_status pack(struct snapshot_reader *s, struct ice_snapshot *snapshot) {
    struct ice_buf *text = &s->out->text;
    snapshot->text = text->size;
    if (ice_snapshot_has(snapshot, ICE_SNAP_manifest_list))
        ICE_TRY(put_list(s, snapshot->snapshot_id));
    if (ice_snapshot_has(snapshot, ICE_SNAP_manifests))
        ICE_TRY(ice_buf_append_str(text, ice_buf_str(&s->manifests)));
    if (ice_snapshot_has(snapshot, ICE_SNAP_key_id))
        ICE_TRY(ice_buf_append_str(text, ice_buf_str(&s->key_id)));
    if (ice_snapshot_has(snapshot, ICE_SNAP_summary)) {
        snapshot->operation = s->summary.operation;
        snapshot->flags = s->summary.flags;
        ICE_TRY(ice_buf_append_str(text, ice_buf_str(&s->operation)));
        for (size_t i = 0; i < ICE_METRIC_COUNT; i++) {
            if (!s->summary.has_metric[i])
                continue;
            ICE_TRY(ice_buf_append_char(text, (char)(ICE_PACK_METRIC + i)));
            ICE_TRY(put_varint(text, (uint64_t)s->summary.metrics[i]));
        }
        ICE_TRY(ice_buf_append_str(text, ice_buf_str(&s->pairs)));
    }
    return ice_buf_append_char(text, ICE_PACK_END);
}

static enum ice_status read_snapshot(struct snapshot_reader *s) {
    struct ice_snapshot snapshot = {0};
    struct ice_bits bits = {0};
    ice_buf_clear(&s->manifests);
    restart_summary(s);
    for (;;) {
        size_t member;
        struct ice_json_event event;
        enum ice_status status =
            ice_object_next(s->r, &snapshot_table, &snapshot, &bits, &member, &event);
        if (status < 0)
            return status;
        if (status == ICE_DONE)
            break;
        ICE_TRY(take_member(s, member, &event));
    }
    snapshot.present = (uint16_t)bits.present;
    snapshot.null = (uint16_t)bits.null;
    snapshot.bad = (uint16_t)bits.bad;
    struct ice_metadata *out = s->out;
    /* slots hold index + 1 in 32 bits */
    if (out->n_snapshots >= UINT32_MAX - 1 ||
        !ice_array_reserve(&s->r->run->alloc, &out->snapshots, out->n_snapshots,
                           &out->cap_snapshots, sizeof(*out->snapshots)))
        return ice_error_memory(s->r->err);
    ICE_TRY(pack(s, &snapshot));
    out->snapshots[out->n_snapshots++] = snapshot;
    return ICE_OK;
}

enum ice_status ice_read_snapshots(struct ice_object_reader *r,
                                   const struct ice_metadata_want *want,
                                   struct ice_metadata *out) {
    struct snapshot_reader s = {.r = r, .want = want, .out = out};
    struct ice_buf *const buffers[] = {&s.list, &s.manifests, &s.key_id, &s.operation,
                                       &s.pairs};
    for (size_t i = 0; i < ICE_COUNT_OF(buffers); i++)
        ice_buf_init(buffers[i], &r->run->alloc, SIZE_MAX / 2);
    sort_metrics(&s);
    out->n_snapshots = 0;
    ice_buf_clear(&out->text);
    enum ice_status status;
    struct ice_json_event event;
    while ((status = ice_array_next(r, ICE_JSON_OBJECT, "snapshots", &event)) == ICE_OK) {
        status = read_snapshot(&s);
        if (status < 0)
            break;
    }
    for (size_t i = 0; i < ICE_COUNT_OF(buffers); i++)
        ice_buf_release(buffers[i]);
    return status < 0 ? status : ICE_OK;
}
