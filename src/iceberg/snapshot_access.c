/*
 * Snapshots of metadata.json, as packed: finding one by its id, and what stands in it.
 */
#include "iceberg/list_name.h"
#include "iceberg/read.h"
#include "iceberg/snapshot_pack.h"

#include "base/error.h"

/* ---- by id ---- */

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

/* ---- packed items ---- */

/* Our own bytes, written by metadata_snapshots.c: no checks. */
static uint64_t get_varint(const char **at) {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        unsigned char byte = (unsigned char)*(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}

/* One packed item. */
struct item {
    unsigned tag; /* enum ice_pack_tag */
    uint64_t shared, number;
    struct ice_str text;
};

static bool next_item(const char **at, struct item *out) {
    *out = (struct item){0};
    out->tag = (unsigned char)*(*at)++;
    if (out->tag == ICE_PACK_END)
        return false;
    if (out->tag >= ICE_PACK_METRIC) {
        out->number = get_varint(at);
        return true;
    }
    if (out->tag == ICE_PACK_LIST || out->tag == ICE_PACK_SNAP_LIST)
        out->shared = get_varint(at);
    size_t size = sizeof(((struct ice_list_name *)NULL)->uuid);
    if (out->tag == ICE_PACK_SNAP_LIST)
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
    if (!first_item(m, s, &item) ||
        (item.tag != ICE_PACK_LIST && item.tag != ICE_PACK_SNAP_LIST))
        return ICE_OK; /* pack puts the list first */
    ICE_TRY(ice_buf_append(scratch, m->list_prefix.data, (size_t)item.shared));
    if (item.tag == ICE_PACK_SNAP_LIST) {
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
    if (!find_item(m, s, ICE_PACK_MANIFEST, index, &item))
        return false;
    *out = item.text;
    return true;
}

bool ice_snapshot_metric(const struct ice_metadata *m, const struct ice_snapshot *s,
                         enum ice_metric metric, int64_t *out) {
    struct item item;
    if (!find_item(m, s, ICE_PACK_METRIC + (unsigned)metric, 0, &item))
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
        if (item.tag < ICE_PACK_METRIC)
            continue;
        out->present |= ICE_BIT(item.tag - ICE_PACK_METRIC);
        out->values[item.tag - ICE_PACK_METRIC] = (int64_t)item.number;
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
        return find_item(m, s, ICE_PACK_OPERATION, 0, &item) ? item.text : ICE_STR_NONE;
    }
    return ICE_STR_NONE;
}

struct ice_str ice_snapshot_key_id(const struct ice_metadata *m,
                                   const struct ice_snapshot *s) {
    struct item item;
    return find_item(m, s, ICE_PACK_KEY_ID, 0, &item) ? item.text : ICE_STR_NONE;
}

bool ice_snapshot_summary(const struct ice_metadata *m, const struct ice_snapshot *s,
                          size_t index, struct ice_str *out_key,
                          struct ice_str *out_value) {
    struct item item;
    if (!find_item(m, s, ICE_PACK_KEY, index, &item))
        return false;
    *out_key = item.text;
    if (!find_item(m, s, ICE_PACK_VALUE, index, &item))
        return false;
    *out_value = item.text;
    return true;
}
