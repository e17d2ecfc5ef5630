/*
 * Snapshots of metadata.json, packed. A table may keep a million of them, so each is one
 * struct and a run of bytes in ice_metadata.text:
 *
 *   items  { tag byte, payload }  0
 *   LIST       varint bytes shared with list_prefix, varint size, the rest of the path
 *   SNAP_LIST  varint shared, varint attempt, 16 bytes: the rest by list_name.h
 *   OPERATION  varint size, text (only what is none of the four words)
 *   KEY_ID     varint size, text
 *   MANIFEST   varint size, text (v1 inline manifests)
 *   KEY VALUE  varint size, text (whole summaries, if wanted)
 *   METRIC + m varint of summary number m
 */
#include "iceberg/list_name.h"
#include "iceberg/read.h"

#include "base/error.h"

enum {
    TAG_END = 0,
    TAG_LIST,
    TAG_SNAP_LIST,
    TAG_OPERATION,
    TAG_KEY_ID,
    TAG_MANIFEST,
    TAG_KEY,
    TAG_VALUE,
    TAG_METRIC = 16,
};

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
                                                       true};

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

/* Our own bytes, written above: no checks. */
static uint64_t get_varint(const char **at) {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        unsigned char byte = (unsigned char)*(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
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

static enum ice_status take_metric(struct snapshot_reader *s,
                                   const struct ice_json_event *event) {
    struct summary *summary = &s->summary;
    struct ice_str key = ice_buf_str(&s->r->key);
    for (size_t i = 0; i < ICE_METRIC_COUNT; i++) {
        if (!ice_str_equal(key, metric_keys[i]))
            continue;
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
    return ICE_OK;
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
    ICE_TRY(put_text(&s->pairs, TAG_KEY, ice_buf_str(&r->key)));
    ice_buf_clear(&r->pointer);
    ICE_TRY(ice_json_raw(r->json, event, &r->pointer, r->err));
    return put_text(&s->pairs, TAG_VALUE, ice_buf_str(&r->pointer));
}

static enum ice_status take_pair(struct snapshot_reader *s,
                                 const struct ice_json_event *event) {
    struct ice_str key = ice_buf_str(&s->r->key);
    if (ice_str_is(key, "operation")) {
        take_operation(&s->summary, event->text);
        s->summary.flags &= (uint8_t)~ICE_SNAPSHOT_OPERATION_BAD;
        ice_buf_clear(&s->operation);
        if (s->summary.operation == ICE_OPERATION_OTHER)
            ICE_TRY(put_text(&s->operation, TAG_OPERATION, event->text));
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
    ICE_TRY(put_text(&s->pairs, TAG_KEY, key));
    return put_text(&s->pairs, TAG_VALUE, event->text);
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
        ICE_TRY(put_text(&s->manifests, TAG_MANIFEST, event.text));
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
        return put_text(&s->key_id, TAG_KEY_ID, event->text);
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
    ICE_TRY(ice_buf_append_char(&out->text, is_snap ? TAG_SNAP_LIST : TAG_LIST));
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
            ICE_TRY(ice_buf_append_char(text, (char)(TAG_METRIC + i)));
            ICE_TRY(put_varint(text, (uint64_t)s->summary.metrics[i]));
        }
        ICE_TRY(ice_buf_append_str(text, ice_buf_str(&s->pairs)));
    }
    return ice_buf_append_char(text, TAG_END);
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

enum ice_status ice_metadata_index_snapshots(struct ice_metadata *out) {
    size_t wanted = 16;
    while (wanted / 2 < out->n_snapshots)
        wanted *= 2;
    if (out->snapshot_slots != NULL)
        ice_free(&out->run->alloc, out->snapshot_slots,
                 out->n_snapshot_slots * sizeof(*out->snapshot_slots));
    out->n_snapshot_slots = 0;
    out->snapshot_slots =
        ice_calloc(&out->run->alloc, wanted, sizeof(*out->snapshot_slots));
    if (out->snapshot_slots == NULL)
        return ICE_ENOMEM;
    out->n_snapshot_slots = wanted;
    out->snapshot_ids_known = ((out->bad >> ICE_META_snapshots) & 1) == 0;
    for (size_t i = 0; i < out->n_snapshots; i++) {
        if (!ice_snapshot_has(&out->snapshots[i], ICE_SNAP_snapshot_id)) {
            out->snapshot_ids_known = false;
            continue;
        }
        /* the first of an id is the one that is found; the others need no slot */
        if (ice_metadata_find_snapshot(out, out->snapshots[i].snapshot_id) != SIZE_MAX)
            continue;
        size_t at = (size_t)ice_hash_mix((uint64_t)out->snapshots[i].snapshot_id,
                                         out->run->hash_seed);
        while (out->snapshot_slots[at & (wanted - 1)] != 0)
            at++;
        out->snapshot_slots[at & (wanted - 1)] = (uint32_t)i + 1;
    }
    return ICE_OK;
}

/* ---- access ---- */

size_t ice_metadata_find_snapshot(const struct ice_metadata *m, int64_t snapshot_id) {
    if (m->n_snapshot_slots == 0)
        return SIZE_MAX;
    size_t mask = m->n_snapshot_slots - 1;
    size_t at = (size_t)ice_hash_mix((uint64_t)snapshot_id, m->run->hash_seed);
    for (; m->snapshot_slots[at & mask] != 0; at++) {
        size_t index = m->snapshot_slots[at & mask] - 1;
        if (m->snapshots[index].snapshot_id == snapshot_id)
            return index;
    }
    return SIZE_MAX;
}

/* One packed item. */
struct item {
    unsigned tag;
    uint64_t shared, number;
    struct ice_str text;
};

static bool next_item(const char **at, struct item *out) {
    out->tag = (unsigned char)*(*at)++;
    if (out->tag == TAG_END)
        return false;
    if (out->tag >= TAG_METRIC) {
        out->number = get_varint(at);
        return true;
    }
    if (out->tag == TAG_LIST || out->tag == TAG_SNAP_LIST)
        out->shared = get_varint(at);
    size_t size = sizeof(((struct ice_list_name *)NULL)->uuid);
    if (out->tag == TAG_SNAP_LIST)
        out->number = get_varint(at);
    else
        size = (size_t)get_varint(at);
    out->text = ice_str_make(*at, size);
    *at += size;
    return true;
}

static bool first_item(const struct ice_metadata *m, const struct ice_snapshot *s,
                       struct item *out) {
    if (s->text >= m->text.size)
        return false;
    const char *at = m->text.data + s->text;
    return next_item(&at, out);
}

/* The nth item with a tag. */
static bool find_item(const struct ice_metadata *m, const struct ice_snapshot *s,
                      unsigned tag, size_t nth, struct item *out) {
    if (s->text >= m->text.size)
        return false;
    const char *at = m->text.data + s->text;
    while (next_item(&at, out)) {
        if (out->tag == tag && nth-- == 0)
            return true;
    }
    return false;
}

enum ice_status ice_snapshot_manifest_list(const struct ice_metadata *m,
                                           const struct ice_snapshot *s,
                                           struct ice_buf *scratch, struct ice_str *out) {
    struct item item;
    ice_buf_clear(scratch);
    *out = ICE_STR_NONE;
    if (!first_item(m, s, &item) || (item.tag != TAG_LIST && item.tag != TAG_SNAP_LIST))
        return ICE_OK; /* pack puts the list first */
    ICE_TRY(ice_buf_append(scratch, m->list_prefix.data, (size_t)item.shared));
    if (item.tag == TAG_SNAP_LIST) {
        struct ice_list_name name = {.attempt = item.number};
        memcpy(name.uuid, item.text.data, sizeof(name.uuid));
        ICE_TRY(ice_list_name_unpack(&name, s->snapshot_id, scratch));
    } else {
        ICE_TRY(ice_buf_append_str(scratch, item.text));
    }
    *out = ice_buf_str(scratch);
    return ICE_OK;
}

bool ice_snapshot_manifest(const struct ice_metadata *m, const struct ice_snapshot *s,
                           size_t index, struct ice_str *out) {
    struct item item;
    if (!find_item(m, s, TAG_MANIFEST, index, &item))
        return false;
    *out = item.text;
    return true;
}

bool ice_snapshot_metric(const struct ice_metadata *m, const struct ice_snapshot *s,
                         enum ice_metric metric, int64_t *out) {
    struct item item;
    if (!find_item(m, s, TAG_METRIC + (unsigned)metric, 0, &item))
        return false;
    *out = (int64_t)item.number;
    return true;
}

void ice_snapshot_metrics(const struct ice_metadata *m, const struct ice_snapshot *s,
                          struct ice_snapshot_metrics *out) {
    struct item item;
    *out = (struct ice_snapshot_metrics){0};
    if (s->text >= m->text.size)
        return;
    const char *at = m->text.data + s->text;
    while (next_item(&at, &item)) {
        if (item.tag < TAG_METRIC)
            continue;
        out->present |= ICE_BIT(item.tag - TAG_METRIC);
        out->values[item.tag - TAG_METRIC] = (int64_t)item.number;
    }
}

struct ice_str ice_snapshot_operation(const struct ice_metadata *m,
                                      const struct ice_snapshot *s) {
    struct item item;
    switch ((enum ice_operation)s->operation) {
    case ICE_OPERATION_ABSENT:
        return ICE_STR_NONE;
    case ICE_OPERATION_APPEND:
        return ICE_STR("append");
    case ICE_OPERATION_REPLACE:
        return ICE_STR("replace");
    case ICE_OPERATION_OVERWRITE:
        return ICE_STR("overwrite");
    case ICE_OPERATION_DELETE:
        return ICE_STR("delete");
    case ICE_OPERATION_OTHER:
        return find_item(m, s, TAG_OPERATION, 0, &item) ? item.text : ICE_STR_NONE;
    }
    return ICE_STR_NONE;
}

struct ice_str ice_snapshot_key_id(const struct ice_metadata *m,
                                   const struct ice_snapshot *s) {
    struct item item;
    return find_item(m, s, TAG_KEY_ID, 0, &item) ? item.text : ICE_STR_NONE;
}

bool ice_snapshot_summary(const struct ice_metadata *m, const struct ice_snapshot *s,
                          size_t index, struct ice_str *out_key,
                          struct ice_str *out_value) {
    struct item item;
    if (!find_item(m, s, TAG_KEY, index, &item))
        return false;
    *out_key = item.text;
    if (!find_item(m, s, TAG_VALUE, index, &item))
        return false;
    *out_value = item.text;
    return true;
}
