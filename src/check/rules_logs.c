/*
 * snapshot-log.* and metadata-log.*, as far as metadata.json alone shows them.
 */
#include "check/pass1.h"

#include "base/error.h"

static const int64_t DEFAULT_PREVIOUS_VERSIONS = 100;

/* ---- snapshot-log ---- */

static void check_snapshot_entry(struct ice_pass1 *p, size_t i,
                                 const struct ice_log_entry *entry, bool is_first_of_id) {
    const struct ice_metadata *m = p->m;
    if (!entry->has_what)
        return;
    size_t index = ice_metadata_find_snapshot(m, entry->snapshot_id);
    if (index == SIZE_MAX) {
        if (m->snapshot_ids_known)
            FOUND(p->emit, ICE_RULE_SNAPSHOT_LOG_ENTRY_DANGLING,
                  ice_at_element(p, "/snapshot-log", i, "/snapshot-id"),
                  arg_id("id", entry->snapshot_id));
        return;
    }
    const struct ice_snapshot *s = &m->snapshots[index];
    int64_t off = ice_time_difference(entry->timestamp_ms, s->timestamp_ms);
    if (is_first_of_id && entry->has_timestamp &&
        ice_snapshot_has(s, ICE_SNAP_timestamp_ms) &&
        (off > ICE_CLOCK_SKEW_MS || off < -ICE_CLOCK_SKEW_MS))
        FOUND(p->emit, ICE_RULE_SNAPSHOT_LOG_TIMESTAMP_MISMATCH,
              ice_at_element(p, "/snapshot-log", i, "/timestamp-ms"),
              arg_id("id", entry->snapshot_id), arg_i64("seconds", off / 1000));
}

static void check_snapshot_neighbours(struct ice_pass1 *p, size_t i,
                                      const struct ice_log_entry *before,
                                      const struct ice_log_entry *entry) {
    int64_t late = ice_time_difference(before->timestamp_ms, entry->timestamp_ms);
    if (before->has_timestamp && entry->has_timestamp && late > ICE_CLOCK_SKEW_MS)
        FOUND(p->emit, ICE_RULE_SNAPSHOT_LOG_ORDER,
              ice_at_element(p, "/snapshot-log", i, "/timestamp-ms"),
              arg_i64("seconds", late / 1000));
    if (before->has_what && entry->has_what && before->snapshot_id == entry->snapshot_id)
        FOUND(p->emit, ICE_RULE_SNAPSHOT_LOG_REPEAT,
              ice_at_element(p, "/snapshot-log", i, "/snapshot-id"),
              arg_id("id", entry->snapshot_id));
}

static void check_snapshot_log_end(struct ice_pass1 *p) {
    const struct ice_metadata *m = p->m;
    if (m->n_snapshot_log == 0 || !ice_metadata_names_current(m))
        return;
    const struct ice_log_entry *last = &m->snapshot_log[m->n_snapshot_log - 1];
    if (last->has_what && last->snapshot_id != m->current_snapshot_id)
        FOUND(p->emit, ICE_RULE_SNAPSHOT_LOG_LAST_NOT_CURRENT,
              ice_at_element(p, "/snapshot-log", m->n_snapshot_log - 1, "/snapshot-id"),
              arg_id("last", last->snapshot_id),
              arg_id("current", m->current_snapshot_id));
}

/* One bit a snapshot: it was met in the log. */
static bool is_first_time(uint8_t *met, const struct ice_metadata *m,
                          const struct ice_log_entry *entry) {
    size_t index =
        entry->has_what ? ice_metadata_find_snapshot(m, entry->snapshot_id) : SIZE_MAX;
    if (index == SIZE_MAX)
        return false;
    bool is_first = !((met[index / 8] >> (index % 8)) & 1);
    met[index / 8] |= (uint8_t)(1u << (index % 8));
    return is_first;
}

static enum ice_status check_snapshot_log(struct ice_pass1 *p, struct ice_error *err) {
    const struct ice_metadata *m = p->m;
    struct ice_alloc *alloc = &p->ck->run->alloc;
    const size_t n_met = m->n_snapshots / 8 + 1;
    uint8_t *met = ice_calloc(alloc, n_met, 1);
    if (met == NULL)
        return ice_error_memory(err);
    for (size_t i = 0; i < m->n_snapshot_log; i++) {
        const struct ice_log_entry *entry = &m->snapshot_log[i];
        if ((!entry->has_timestamp || !entry->has_what) && !entry->bad)
            FOUND(p->emit, ICE_RULE_SNAPSHOT_LOG_ENTRY_MALFORMED,
                  ice_at_element(p, "/snapshot-log", i, ""),
                  arg_text("field", entry->has_what ? "timestamp-ms" : "snapshot-id"));
        if (i > 0)
            check_snapshot_neighbours(p, i, entry - 1, entry);
        check_snapshot_entry(p, i, entry, is_first_time(met, m, entry));
    }
    ice_free(alloc, met, n_met);
    check_snapshot_log_end(p);
    return ICE_OK;
}

/* ---- metadata-log ---- */

static int64_t version_of(struct ice_str file) {
    bool is_hadoop;
    return ice_metadata_name_version(ice_uri_base_name(file), &is_hadoop);
}

/* v<N> names are the same in every table; a name with a UUID is one file's. */
static bool is_self(struct ice_pass1 *p, struct ice_str file) {
    struct ice_str own = ice_key_name(p->ck->metadata_key), rest;
    if (p->ck->target->is_stdin || !ice_str_equal(ice_uri_base_name(file), own))
        return false;
    bool is_hadoop;
    (void)ice_metadata_name_version(own, &is_hadoop);
    return !is_hadoop || ice_uri_is_below(p->ck->run, file, p->m->location, &rest);
}

static void check_metadata_entry(struct ice_pass1 *p, size_t i) {
    const struct ice_metadata_log_entry *entry = &p->m->metadata_log[i];
    if ((!entry->has_timestamp || !entry->has_what) && !entry->bad)
        FOUND(p->emit, ICE_RULE_METADATA_LOG_ENTRY_MALFORMED,
              ice_at_element(p, "/metadata-log", i, ""),
              arg_text("field", entry->has_what ? "timestamp-ms" : "metadata-file"));
    if (entry->has_what && entry->file.size == 0)
        FOUND_AS(p->emit, ICE_RULE_METADATA_LOG_ENTRY_MALFORMED, ICE_WARN,
                 ice_at_element(p, "/metadata-log", i, "/metadata-file"),
                 arg_text("field", "metadata-file: the name is empty"));
    if (entry->has_what && is_self(p, entry->file))
        FOUND(p->emit, ICE_RULE_METADATA_LOG_CONTAINS_SELF,
              ice_at_element(p, "/metadata-log", i, "/metadata-file"), ARG_NONE);
    if (i == 0)
        return;
    const struct ice_metadata_log_entry *before = entry - 1;
    int64_t late = ice_time_difference(before->timestamp_ms, entry->timestamp_ms);
    if (before->has_timestamp && entry->has_timestamp && late > ICE_CLOCK_SKEW_MS)
        FOUND(p->emit, ICE_RULE_METADATA_LOG_ORDER,
              ice_at_element(p, "/metadata-log", i, "/timestamp-ms"),
              arg_i64("seconds", late / 1000));
    int64_t a = before->has_what ? version_of(before->file) : -1;
    int64_t b = entry->has_what ? version_of(entry->file) : -1;
    if (a >= 0 && b - a > 1)
        FOUND(p->emit, ICE_RULE_METADATA_LOG_VERSION_GAP,
              ice_at_element(p, "/metadata-log", i, "/metadata-file"),
              arg_i64("version", b), arg_i64("before", a));
}

static enum ice_status check_metadata_repeats(struct ice_pass1 *p,
                                              struct ice_error *err) {
    struct ice_table seen;
    enum ice_status status = ICE_OK;
    ice_table_init(&seen, &p->ck->run->alloc);
    for (size_t i = 0; i < p->m->n_metadata_log && status >= 0; i++) {
        const struct ice_metadata_log_entry *entry = &p->m->metadata_log[i];
        uint64_t key = ice_hash64(entry->file, p->ck->run->hash_seed);
        size_t at = SIZE_MAX;
        uint32_t first;
        bool is_new = true;
        if (!entry->has_what)
            continue;
        while (is_new && ice_table_next(&seen, key, &at, &first))
            is_new = !ice_str_equal(p->m->metadata_log[first].file, entry->file);
        if (is_new)
            status = ice_table_put(&seen, key, (uint32_t)i);
        else
            FOUND(p->emit, ICE_RULE_METADATA_LOG_DUPLICATE,
                  ice_at_element(p, "/metadata-log", i, "/metadata-file"),
                  arg_str("path", entry->file), arg_i64("first", first));
    }
    ice_table_release(&seen);
    return status < 0 ? ice_error_memory(err) : ICE_OK;
}

static void check_metadata_log_size(struct ice_pass1 *p) {
    struct ice_str text;
    int64_t max = DEFAULT_PREVIOUS_VERSIONS;
    if (ice_metadata_property(p->m, "write.metadata.previous-versions-max", &text) &&
        !ice_str_to_i64(text, &max))
        max = DEFAULT_PREVIOUS_VERSIONS;
    if (max >= 0 && p->m->n_metadata_log > (uint64_t)max)
        FOUND(p->emit, ICE_RULE_METADATA_LOG_SIZE, ice_at(p, "/metadata-log"),
              arg_i64("count", (int64_t)p->m->n_metadata_log), arg_i64("max", max));
}

/*
 * In a Hadoop table the number is the version, and a commit names the file before. Where
 * that file is here and the log ends elsewhere, another state stands under this name.
 * Files of a catalog that were renamed to v<N> keep a log of other names.
 */
static bool skips_sibling(const struct ice_pass1 *p, struct ice_str logged, int64_t own) {
    const struct ice_target *target = p->ck->target;
    bool of_log, of_own;
    (void)ice_metadata_name_version(ice_uri_base_name(logged), &of_log);
    (void)ice_metadata_name_version(ice_key_name(p->ck->metadata_key), &of_own);
    for (size_t i = 0; of_log && of_own && i < target->n_names; i++)
        if (target->names[i].is_hadoop && target->names[i].version == own - 1)
            return true;
    return false;
}

static void check_predecessor(struct ice_pass1 *p) {
    const struct ice_metadata *m = p->m;
    if (m->n_metadata_log == 0 || p->ck->target->is_stdin)
        return;
    const struct ice_metadata_log_entry *entry = &m->metadata_log[m->n_metadata_log - 1];
    int64_t last = entry->has_what ? version_of(entry->file) : -1;
    int64_t own = version_of(ice_key_name(p->ck->metadata_key));
    if (last < 0 || own < 0 || last == own - 1)
        return;
    bool skips = last != own && skips_sibling(p, entry->file, own);
    FOUND_AS(p->emit, ICE_RULE_METADATA_LOG_LAST_NOT_PREDECESSOR,
             skips ? ICE_WARN : ICE_DEFAULT,
             ice_at_element(p, "/metadata-log", m->n_metadata_log - 1, "/metadata-file"),
             arg_i64("last", last), arg_i64("own", own),
             arg_text("so", skips ? ", although the file of the version before is here: "
                                    "another state stands in the place of this version"
                                  : ""));
}

enum ice_status ice_rules_logs(struct ice_pass1 *p, struct ice_error *err) {
    ICE_TRY(check_snapshot_log(p, err));
    for (size_t i = 0; i < p->m->n_metadata_log; i++)
        check_metadata_entry(p, i);
    ICE_TRY(check_metadata_repeats(p, err));
    check_metadata_log_size(p);
    check_predecessor(p);
    return ICE_OK;
}
