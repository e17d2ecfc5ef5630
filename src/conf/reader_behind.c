/*
 * What a reader's log says that it read, against the metadata of the table: how far
 * behind it was left. The cache that let it is told by the other rules of the group.
 *
 * Reads: conf->reads, metadata.json files of the setup. Checks: conf.cache.reader-behind.
 */
#include "conf/conf.h"

#include "base/time_text.h"

/* One snapshot of a metadata.json. */
struct snapshot {
    int64_t id, time_ms;
};

static bool number_of(const struct ice_conf_node *node, const char *member,
                      int64_t *out) {
    return ice_str_to_i64(ice_conf_node_text(ice_conf_member(node, member)), out);
}

static bool snapshot_of(const struct ice_conf_node *node, struct snapshot *out) {
    return number_of(node, "snapshot-id", &out->id) &&
           number_of(node, "timestamp-ms", &out->time_ms);
}

static bool find(const struct ice_conf_node *list, int64_t id, struct snapshot *out) {
    for (const struct ice_conf_node *node = list->first; node != NULL;
         node = node->next) {
        if (snapshot_of(node, out) && out->id == id)
            return true;
    }
    return false;
}

/* Is the read one of this table? Then it is judged. */
static bool judge(struct ice_conf *conf, const struct ice_conf_read *read,
                  const struct ice_conf_input *metadata) {
    const struct ice_conf_node *list = ice_conf_member(metadata->root, "snapshots");
    struct snapshot was, is, other;
    int64_t current;
    if (list == NULL || !number_of(metadata->root, "current-snapshot-id", &current) ||
        !find(list, read->snapshot_id, &was))
        return false;
    if (!find(list, current, &is) || is.time_ms <= was.time_ms)
        return true;
    int64_t count = 0, behind_ms;
    for (const struct ice_conf_node *node = list->first; node != NULL; node = node->next)
        count += snapshot_of(node, &other) && other.time_ms > was.time_ms &&
                 other.time_ms <= is.time_ms;
    if (__builtin_sub_overflow(is.time_ms, was.time_ms, &behind_ms))
        behind_ms = INT64_MAX;
    char text[48];
    CONF_FOUND(conf, ICE_RULE_CONF_CACHE_READER_BEHIND, ice_conf_at_start(read->input),
               arg_i64("line", read->line < INT64_MAX ? (int64_t)read->line : INT64_MAX),
               arg_str("table", read->table), arg_id("id", read->snapshot_id),
               arg_i64("count", count),
               arg_text("behind", ice_duration_text(behind_ms, text)),
               arg_str("metadata", metadata->name));
    return true;
}

void ice_conf_check_reads(struct ice_conf *conf) {
    for (size_t i = 0; i < conf->n_reads; i++) {
        bool is_known = false;
        for (size_t k = 0; k < conf->n_inputs && !is_known; k++) {
            if (conf->inputs[k]->kind == ICE_CONF_METADATA)
                is_known = judge(conf, &conf->reads[i], conf->inputs[k]);
        }
        if (!is_known)
            ice_conf_not_checked(
                conf, "conf.cache.reader-behind",
                "no metadata.json given that has a snapshot that the log "
                "says was read");
    }
}
