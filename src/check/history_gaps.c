/*
 * Version numbers between two files of one log that neither a log nor a file has.
 */
#include "check/history.h"

bool ice_version_gap(const struct ice_target *target, struct ice_str earlier,
                     struct ice_str later, int64_t *out_from, int64_t *out_to) {
    bool is_hadoop[2];
    int64_t before = ice_metadata_name_version(earlier, &is_hadoop[0]);
    int64_t after = ice_metadata_name_version(later, &is_hadoop[1]);
    if (before < 0 || after < 2 || before >= after - 1 || is_hadoop[0] != is_hadoop[1])
        return false;
    for (size_t i = 0; i < target->n_names; i++) {
        int64_t version = target->names[i].version;
        if (version > before && version < after)
            return false; /* of a commit that lost: a fork's matter */
    }
    *out_from = before + 1;
    *out_to = after - 1;
    return true;
}

static void check_pair(struct ice_history *h, struct ice_str earlier,
                       struct ice_str later, const struct ice_place *place) {
    int64_t from, to;
    if (earlier.size > 0 && ice_version_gap(h->ck->target, earlier, later, &from, &to))
        FOUND(h->ck->emit, ICE_RULE_HISTORY_VERSION_GAP, place, arg_i64("from", from),
              arg_i64("to", to), arg_str("earlier", earlier), arg_str("later", later));
}

/* Neighbours in the log of the current file, and it behind the last of them. */
static void check_log(struct ice_history *h) {
    const struct ice_metadata *m = &h->ck->metadata;
    struct ice_str before = ICE_STR_NONE;
    for (size_t i = 0; i <= m->n_metadata_log; i++) {
        bool is_end = i == m->n_metadata_log;
        struct ice_str name = is_end ? ice_history_name(h, h->current)
                              : m->metadata_log[i].has_what
                                  ? ice_uri_base_name(m->metadata_log[i].file)
                                  : ICE_STR_NONE;
        struct ice_place place = ice_place_at(
            h->ck->metadata_file, ICE_ORDER_HISTORY + h->current,
            is_end ? ICE_STR("/metadata-log")
                   : ice_history_pointer(h, "metadata-log", i, "/metadata-file"));
        check_pair(h, before, name, &place);
        before = name;
    }
}

void ice_history_gaps(struct ice_history *h) {
    size_t entry;
    check_log(h);
    for (size_t i = 1; i < h->n_chain; i++) {
        const struct ice_chain_file *file = &h->chain[i];
        struct ice_place place = ice_place_at(file->file, ICE_ORDER_HISTORY + file->name,
                                              ICE_STR("/metadata-log"));
        if (!ice_history_is_logged(h, file->name, &entry) || entry == 0)
            check_pair(h, file->logged, ice_history_name(h, file->name), &place);
    }
}
