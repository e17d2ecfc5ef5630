/*
 * Catalogs that keep branches and tags of one table in one directory: a file beside the
 * chain is no rival there, as another branch may hold it.
 */
#include "check/history.h"

#include "base/error.h"
#include "check/pointers.h"

/* Logs of so many files that other entries name are read; of more only the names count.
 */
enum { MOST_LOGS = 64 };

bool ice_history_has_branches(const struct ice_check *ck) {
    struct ice_str commit;
    if (ck->pointer == NULL)
        return false;
    switch (ck->pointer->format) {
    case ICE_POINTER_NESSIE:
        return true;
    case ICE_POINTER_AUTO:
    case ICE_POINTER_ARGUMENT:
    case ICE_POINTER_REST:
    case ICE_POINTER_LIST:
    case ICE_POINTER_NORMAL: /* the catalog behind it is not said: its mark is */
        return ice_metadata_property(&ck->metadata, "nessie.commit.id", &commit);
    case ICE_POINTER_GLUE:
    case ICE_POINTER_S3TABLES:
    case ICE_POINTER_UNITY:
    case ICE_POINTER_POLARIS:
    case ICE_POINTER_BIGQUERY:
    case ICE_POINTER_SNOWFLAKE:
    case ICE_POINTER_HIVE:
    case ICE_POINTER_JDBC:
    case ICE_POINTER_HINT:
    case ICE_POINTER_FORMATS:
        return false;
    }
    return false;
}

/* Does an entry name this file? */
static bool is_named(const struct ice_history *h, size_t index) {
    const struct ice_pointers *all = h->ck->pointers;
    const struct ice_str name = ice_history_name(h, index);
    const uint64_t key = ice_hash64(name, all->run->hash_seed);
    size_t at = SIZE_MAX;
    uint32_t item;
    while (ice_table_next(&all->by_name, key, &at, &item)) {
        if (ice_str_equal(ice_uri_base_name(all->items[item].metadata_location), name))
            return true;
    }
    return false;
}

/* What came before it is of its branch, too. */
static enum ice_status hold_logged(struct ice_history *h, size_t index,
                                   struct ice_error *err) {
    struct ice_metadata document = {0};
    struct ice_history_file file;
    bool is_read;
    enum ice_status status = ice_history_read(h, index, &document, &file, &is_read, err);
    if (status >= 0 && !is_read)
        h->is_seen[index] = true; /* that was told */
    for (size_t i = 0; status >= 0 && is_read && i < document.n_metadata_log; i++) {
        const struct ice_metadata_log_entry *entry = &document.metadata_log[i];
        size_t logged = entry->has_what
                            ? ice_history_find(h, ice_uri_base_name(entry->file))
                            : SIZE_MAX;
        if (logged != SIZE_MAX)
            h->is_held[logged] = true;
    }
    ice_metadata_release(&document);
    return status;
}

enum ice_status ice_history_mark_branches(struct ice_history *h, struct ice_error *err) {
    const struct ice_target *target = h->ck->target;
    size_t n_logs = 0;
    if (!h->has_branches)
        return ICE_OK;
    for (size_t i = 0; i < target->n_names; i++) {
        if (target->names[i].is_hadoop || h->is_seen[i] || !is_named(h, i))
            continue;
        h->is_held[i] = true;
        if (n_logs++ < MOST_LOGS)
            ICE_TRY(hold_logged(h, i, err));
    }
    return ICE_OK;
}

void ice_history_branch(struct ice_history *h, size_t name) {
    if (h->is_held[name])
        return;
    h->n_branched++;
    h->branched = name;
}

void ice_history_report_branches(struct ice_history *h) {
    struct ice_place place = ice_place_file(h->ck->metadata_file, ICE_ORDER_POINTER);
    if (h->n_branched > 0)
        FOUND(h->ck->emit, ICE_RULE_CATALOG_POINTER_OTHER_BRANCH, &place,
              arg_i64("count", (int64_t)h->n_branched),
              arg_str("current", ice_key_name(h->ck->metadata_key)),
              arg_str("newest", ice_history_name(h, h->branched)));
}
