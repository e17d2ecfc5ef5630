/*
 * The other metadata files of the directory, one after another: the chain of those that
 * came before the current one, then what lies beside it. Two documents at a time.
 */
#include "check/history.h"

#include "base/error.h"
#include "check/peeked.h"
#include "check/pointers.h"

/* ---- places and names ---- */

struct ice_place ice_history_place(const struct ice_history_file *file,
                                   struct ice_str pointer) {
    return ice_place_at(file->file, ICE_ORDER_HISTORY + file->name, pointer);
}

struct ice_str ice_history_pointer(struct ice_history *h, const char *array, size_t index,
                                   const char *member) {
    struct ice_buf text;
    struct ice_str out = ICE_STR_NONE;
    ice_buf_init(&text, &h->ck->run->alloc, SIZE_MAX);
    if (ice_buf_printf(&text, "/%s/%zu%s", array, index, member) < 0 ||
        !ice_arena_dup(&h->ck->arena, ice_buf_str(&text), &out))
        ice_emit_no_memory(h->ck->emit);
    ice_buf_release(&text);
    return out;
}

struct ice_str ice_history_logged(const struct ice_metadata *m) {
    if (m->n_metadata_log == 0 || !m->metadata_log[m->n_metadata_log - 1].has_what)
        return ICE_STR_NONE;
    return ice_uri_base_name(m->metadata_log[m->n_metadata_log - 1].file);
}

enum ice_status ice_history_tip_list(struct ice_history *h, const struct ice_metadata *m,
                                     int64_t *out_tip, struct ice_str *out_list) {
    size_t index = ice_metadata_find_snapshot(m, m->current_snapshot_id);
    *out_tip = m->current_snapshot_id;
    *out_list = ICE_STR_NONE;
    if (index == SIZE_MAX)
        return ICE_OK;
    ICE_TRY(
        ice_snapshot_manifest_list(m, &m->snapshots[index], &h->scratch[0], out_list));
    *out_list = ice_uri_base_name(*out_list);
    return ICE_OK;
}

size_t ice_history_find(const struct ice_history *h, struct ice_str name) {
    return ice_pointer_find_name(h->ck->target, name);
}

bool ice_history_is_logged(const struct ice_history *h, size_t index, size_t *out_entry) {
    const struct ice_metadata *m = &h->ck->metadata;
    for (size_t i = 0; i < m->n_metadata_log; i++) {
        if (m->metadata_log[i].has_what &&
            ice_str_equal(ice_uri_base_name(m->metadata_log[i].file),
                          ice_history_name(h, index))) {
            *out_entry = i;
            return true;
        }
    }
    return false;
}

/* ---- reading ---- */

enum ice_status ice_history_read(struct ice_history *h, size_t index,
                                 struct ice_metadata *out, struct ice_history_file *file,
                                 bool *out_done, struct ice_error *err) {
    struct ice_check *ck = h->ck;
    const struct ice_metadata_want want = {.summaries = ck->want_summaries};
    struct ice_stream stream = {0};
    struct ice_file_info info;
    enum ice_magic magic;
    struct ice_error fault;
    struct ice_str key;
    *out_done = false;
    ice_error_clear(&fault);
    if (ice_check_cancelled(ck))
        return ICE_ECANCELLED;
    if (ice_key_join(&ck->arena, ck->target->metadata_dir, ice_history_name(h, index),
                     &key) < 0)
        return ice_error_memory(err);
    *file = (struct ice_history_file){
        .metadata = out, .name = index, .file = ice_target_file_name(ck->target, key)};
    enum ice_status status = ice_open_inflated(ck->target->source, key, ck->run, &stream,
                                               &info, &magic, &fault);
    if (status >= 0)
        status = ice_metadata_read(&stream, ck->run, &want, NULL, NULL, out, &fault);
    ice_stream_release(&stream);
    ck->n_bytes += out->n_bytes;
    ICE_TRY(ice_error_pass_final(err, status, &fault));
    *out_done = status >= 0 && !out->is_view;
    if (*out_done)
        return ICE_OK;
    if (status >= 0)
        (void)ice_error_set(&fault, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
                            "it is of a view, not of a table");
    h->is_unread[index] = true;
    return h->visitor->unread(h, file, &fault, err);
}

/* ---- the chain ---- */

static enum ice_status keep_chain(struct ice_history *h,
                                  const struct ice_history_file *file,
                                  struct ice_error *err) {
    struct ice_chain_file *entry = &h->chain[h->n_chain];
    struct ice_str list;
    *entry = (struct ice_chain_file){.name = file->name, .file = file->file};
    if (ice_history_tip_list(h, file->metadata, &entry->tip, &list) < 0 ||
        !ice_arena_dup(&h->ck->arena, list, &entry->list) ||
        !ice_arena_dup(&h->ck->arena, ice_history_logged(file->metadata), &entry->logged))
        return ice_error_memory(err);
    h->n_chain++;
    h->is_seen[file->name] = true;
    return ICE_OK;
}

/* The newest file of a log that is there and can be read, unless it was met. */
static size_t logged_before(const struct ice_history *h, const struct ice_metadata *m,
                            struct ice_history_link *link) {
    for (size_t i = m->n_metadata_log; i > 0; i--) {
        const struct ice_metadata_log_entry *entry = &m->metadata_log[i - 1];
        if (!entry->has_what)
            continue;
        size_t index = ice_history_find(h, ice_uri_base_name(entry->file));
        if (index == SIZE_MAX || h->is_unread[index])
            continue;
        *link = (struct ice_history_link){.is_logged = true,
                                          .is_adjacent = i == m->n_metadata_log,
                                          .entry = i - 1,
                                          .first_after = i};
        return h->is_seen[index] ? SIZE_MAX : index;
    }
    return SIZE_MAX;
}

/* No other file is of its version, so that it is no question which of them was
 * committed. */
static bool is_alone(const struct ice_target *target, size_t index) {
    const struct ice_metadata_name *name = &target->names[index];
    for (size_t i = index; i > 0 && target->names[i - 1].version == name->version; i--) {
        if (target->names[i - 1].is_hadoop == name->is_hadoop)
            return false;
    }
    for (size_t i = index + 1;
         i < target->n_names && target->names[i].version == name->version; i++) {
        if (target->names[i].is_hadoop == name->is_hadoop)
            return false;
    }
    return true;
}

/* The highest file numbered like `later` above low and below high that was not asked. */
static size_t numbered_before(const struct ice_history *h, size_t later, int64_t low,
                              int64_t high) {
    const struct ice_metadata_name *names = h->ck->target->names;
    for (size_t i = later; i > 0 && names[i - 1].version > low; i--) {
        const struct ice_metadata_name *name = &names[i - 1];
        if (name->version < high && name->is_hadoop == names[later].is_hadoop &&
            !name->is_temp && !h->is_seen[i - 1] && !h->is_unread[i - 1] &&
            !h->is_asked[i - 1] && is_alone(h->ck->target, i - 1))
            return i - 1;
    }
    return SIZE_MAX;
}

/*
 * A log that ends before the version before this one was copied, not written: the files
 * between may tell by what they know of each other's snapshots. low: the version that
 * such a log ends with, -1: it is empty, or of files that are numbered otherwise.
 */
static bool is_frozen(const struct ice_history *h, const struct ice_history_file *later,
                      int64_t *out_low) {
    const struct ice_metadata_name *name = &h->ck->target->names[later->name];
    const struct ice_str logged = ice_history_logged(later->metadata);
    bool is_hadoop;
    int64_t version = ice_metadata_name_version(logged, &is_hadoop);
    *out_low = version >= 0 && is_hadoop == name->is_hadoop ? version : -1;
    return name->version > 0 && *out_low < name->version - 1 &&
           (logged.size == 0 || version >= 0);
}

/* The version that a log begins with; INT64_MIN: it does not tell. */
static int64_t first_logged(const struct ice_history *h,
                            const struct ice_history_file *later) {
    const struct ice_metadata *m = later->metadata;
    bool is_hadoop;
    if (m->n_metadata_log == 0 || !m->metadata_log[0].has_what)
        return INT64_MIN;
    int64_t version =
        ice_metadata_name_version(ice_uri_base_name(m->metadata_log[0].file), &is_hadoop);
    return is_hadoop == h->ck->target->names[later->name].is_hadoop ? version : INT64_MIN;
}

/* The file to ask whether it came before `later`. */
static size_t before_of(const struct ice_history *h, const struct ice_history_file *later,
                        struct ice_history_link *link) {
    const struct ice_metadata *m = later->metadata;
    const struct ice_metadata_name *names = h->ck->target->names;
    const int64_t version = names[later->name].version;
    int64_t low;
    size_t index = SIZE_MAX;
    *link = (struct ice_history_link){.first_after = m->n_metadata_log};
    if (is_frozen(h, later, &low))
        index = numbered_before(h, later->name, low, version);
    if (index == SIZE_MAX)
        index = logged_before(h, m, link);
    if (index == SIZE_MAX && !link->is_logged) { /* trimmed: none of the log is here */
        int64_t first = first_logged(h, later);
        link->first_after = 0;
        index = first > 0 && first <= version ? numbered_before(h, later->name, -1, first)
                                              : SIZE_MAX;
    }
    if (index != SIZE_MAX && !link->is_logged)
        link->is_adjacent =
            link->first_after == m->n_metadata_log && names[index].version == version - 1;
    return index;
}

/* From the current file back, each beside the one that came after it. */
static enum ice_status walk_chain(struct ice_history *h,
                                  const struct ice_history_file *current,
                                  struct ice_error *err) {
    struct ice_metadata documents[2] = {{0}};
    struct ice_history_file later = *current, earlier;
    struct ice_history_link link;
    enum ice_status status = keep_chain(h, current, err);
    size_t turn = 0;
    bool is_read;
    while (status >= 0) {
        size_t index = before_of(h, &later, &link);
        if (index == SIZE_MAX)
            break;
        ice_metadata_release(&documents[turn]);
        status = ice_history_read(h, index, &documents[turn], &earlier, &is_read, err);
        if (status >= 0 && is_read && !link.is_logged &&
            !ice_metadata_comes_of(later.metadata, earlier.metadata, false)) {
            h->is_asked[index] = true; /* it is looked at once more, beside the chain */
            continue;
        }
        h->is_seen[index] = true;
        if (status < 0 || !is_read)
            continue; /* the log may name one before it */
        if (ice_is_other_table(later.metadata, earlier.metadata)) {
            status = h->visitor->other_table(h, &earlier, &later, err);
            break;
        }
        status = h->visitor->pair(h, &earlier, &later, &link, err);
        if (status >= 0)
            status = keep_chain(h, &earlier, err);
        later = earlier;
        turn = 1 - turn;
    }
    ice_metadata_release(&documents[0]);
    ice_metadata_release(&documents[1]);
    return status;
}

/* ---- what is beside it ---- */

/* Files that a log of the chain names are no rivals, read or not; nor is what a crashed
 * commit left, or the other codec of a version. */
static void mark_logged(struct ice_history *h) {
    const struct ice_target *target = h->ck->target;
    const struct ice_metadata *m = &h->ck->metadata;
    for (size_t i = 0; i < m->n_metadata_log; i++) {
        size_t index =
            m->metadata_log[i].has_what
                ? ice_history_find(h, ice_uri_base_name(m->metadata_log[i].file))
                : SIZE_MAX;
        if (index != SIZE_MAX)
            h->is_seen[index] = true;
    }
    for (size_t i = 0, end; i < target->n_names; i = end) {
        bool is_met = false; /* a v<N> file of this version */
        for (end = i; end < target->n_names &&
                      target->names[end].version == target->names[i].version;
             end++)
            is_met = is_met || (target->names[end].is_hadoop && h->is_seen[end]);
        for (size_t k = i; k < end; k++)
            h->is_seen[k] = h->is_seen[k] || target->names[k].is_temp ||
                            (target->names[k].is_hadoop && is_met);
    }
}

static enum ice_status look_beside(struct ice_history *h, struct ice_error *err) {
    struct ice_metadata document = {0};
    struct ice_history_file side;
    bool is_read;
    for (size_t i = 0; i < h->ck->target->n_names; i++) {
        if (h->is_seen[i])
            continue;
        ice_check_progress(h->ck, "history", i, h->ck->target->n_names);
        enum ice_status status = ice_history_read(h, i, &document, &side, &is_read, err);
        if (status >= 0 && is_read && ice_history_meet(h, &side) < 0)
            status = ice_error_memory(err);
        if (status >= 0 && is_read)
            status = h->visitor->side(h, &side, err);
        ice_metadata_release(&document);
        if (status < 0)
            return status;
    }
    ice_history_settle(h);
    return ICE_OK;
}

/* ---- public ---- */

enum ice_status ice_history_init(struct ice_history *h, struct ice_check *ck,
                                 const struct ice_history_visitor *visitor, void *user,
                                 struct ice_error *err) {
    size_t n = ck->target->n_names;
    *h = (struct ice_history){.ck = ck,
                              .visitor = visitor,
                              .user = user,
                              .newer = SIZE_MAX,
                              .untold = SIZE_MAX};
    for (size_t i = 0; i < ICE_COUNT_OF(h->scratch); i++)
        ice_buf_init(&h->scratch[i], &ck->run->alloc, SIZE_MAX);
    h->current = ice_history_find(h, ice_key_name(ck->metadata_key));
    if (h->current == SIZE_MAX)
        return ICE_DONE;
    h->is_seen = ice_arena_array(&ck->arena, n, sizeof(*h->is_seen));
    h->is_unread = ice_arena_array(&ck->arena, n, sizeof(*h->is_unread));
    h->is_asked = ice_arena_array(&ck->arena, n, sizeof(*h->is_asked));
    h->beside = ice_arena_array(&ck->arena, n, sizeof(*h->beside));
    h->chain = ice_arena_array(&ck->arena, n, sizeof(*h->chain));
    if (h->is_seen == NULL || h->is_unread == NULL || h->is_asked == NULL ||
        h->beside == NULL || h->chain == NULL)
        return ice_error_memory(err);
    h->has_branches = ice_history_has_branches(ck);
    if (h->has_branches)
        h->is_held = ice_arena_array(&ck->arena, n, sizeof(*h->is_held));
    return h->has_branches && h->is_held == NULL ? ice_error_memory(err) : ICE_OK;
}

void ice_history_release(struct ice_history *h) {
    for (size_t i = 0; i < ICE_COUNT_OF(h->scratch); i++)
        ice_buf_release(&h->scratch[i]);
}

enum ice_status ice_history_walk(struct ice_history *h, struct ice_error *err) {
    const struct ice_history_file current = {
        .metadata = &h->ck->metadata, .name = h->current, .file = h->ck->metadata_file};
    ICE_TRY(walk_chain(h, &current, err));
    mark_logged(h);
    ICE_TRY(ice_history_mark_branches(h, err));
    return look_beside(h, err);
}

/* Where numbers do not tell, the time does, which stands near the head of the file. */
static enum ice_status is_older(struct ice_history *h, size_t index, bool *out,
                                struct ice_error *err) {
    struct ice_check *ck = h->ck;
    struct ice_peeked file;
    *out = false;
    switch (
        ice_number_order(ice_history_name(h, index), ice_history_name(h, h->current))) {
    case ICE_NUMBERS_SAME:
    case ICE_NUMBERS_LOWER:
        *out = true;
        return ICE_OK;
    case ICE_NUMBERS_HIGHER:
        return ICE_OK;
    case ICE_NUMBERS_UNKNOWN:
        break;
    }
    ICE_TRY(
        ice_peek_metadata(ck, ice_history_name(h, index), ICE_PEEK_UPDATED, &file, err));
    *out = file.updated_ms != INT64_MIN &&
           ice_metadata_has(&ck->metadata, ICE_META_last_updated_ms) &&
           file.updated_ms <= ck->metadata.last_updated_ms;
    return ICE_OK;
}

enum ice_status ice_history_ahead(struct ice_history *h, struct ice_error *err) {
    if (h->has_branches)
        return ICE_OK;
    h->is_seen[h->current] = true;
    mark_logged(h);
    for (size_t i = 0; i < h->ck->target->n_names; i++) {
        if (!h->is_seen[i])
            ICE_TRY(is_older(h, i, &h->is_seen[i], err));
    }
    return look_beside(h, err);
}
