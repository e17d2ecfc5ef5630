/*
 * Keys that no object had, and files that an object has and the tree lacks. Names of data
 * and delete files are not kept: manifests that hold suspects are read once more, each at
 * most once.
 */
#include "check/storage.h"

#include "base/error.h"
#include "check/storage_spelling.h"
#include "check/unfound.h"

#include <stdlib.h>

struct suspect {
    uint32_t manifest; /* number; of other kinds: as owner of the key */
    uint32_t record;
    enum ice_storage_kind kind;
    bool is_listed; /* storage has it: is it the tree that lacks it? */
};

struct missing {
    struct ice_check *ck;
    struct suspect *suspects;
    size_t n, capacity;
    struct ice_spellings spellings;
    bool has_current;    /* an object is the metadata file that is judged */
    uint64_t n_unneeded; /* is gone, and the current state, not copied, may do without */
};

/* A file that no object had, with its name. */
struct absent {
    struct ice_str uri;
    const struct ice_place *at;
    int64_t committed_ms; /* of the commit that named it; INT64_MIN unknown */
    enum ice_rule_id rule;
    enum ice_scope scope;
    bool is_plain;          /* no snapshot needs it */
    bool is_read_elsewhere; /* passes 2 and 3 speak of it where the tree should hold it */
    bool is_listed;         /* an object has it */
    bool *is_not_copied;    /* of a list or manifest */
};

struct ice_str ice_storage_name(const struct ice_check *ck, struct ice_str uri) {
    struct ice_str root = ck->metadata.location, rest;
    return root.size > 0 && ice_uri_is_below(ck->run, uri, root, &rest) && rest.size > 0
               ? rest
               : uri;
}

/* ---- the verdict ---- */

/* Does the tree hold it all the same (behind a link to a directory)? */
static enum ice_status is_in_tree(struct ice_check *ck, struct ice_str uri,
                                  bool *out_mapped, bool *out_there) {
    struct ice_buf scratch;
    struct ice_source *source;
    struct ice_str key;
    struct ice_file_info info;
    ice_buf_init(&scratch, &ck->run->alloc, SIZE_MAX);
    enum ice_status status =
        ice_mapping_resolve(&ck->mapping, uri, &scratch, &source, &key, NULL);
    *out_mapped = status == ICE_OK;
    if (status == ICE_OK)
        status = ice_source_stat(source, key, ck->run, &info, NULL);
    /* what is there but cannot be opened is not missing, and not known to be there */
    *out_there = *out_mapped && status != ICE_ENOENT;
    if (*out_there && status == ICE_EIO)
        ice_emit_not_evaluated(ck->emit, "storage.*", ICE_STR("source.unreadable"), true,
                               ice_storage_name(ck, uri));
    ice_buf_release(&scratch);
    return status == ICE_ENOMEM ? status : ICE_OK;
}

static bool is_later(const struct missing *missing, int64_t committed_ms) {
    const struct ice_storage *s = missing->ck->storage;
    if (s->group->in.taken_ms != INT64_MIN && committed_ms != INT64_MIN)
        return committed_ms > s->group->in.taken_ms;
    return !missing->has_current && s->group->in.newest_ms != INT64_MIN &&
           committed_ms != INT64_MIN &&
           committed_ms - s->group->in.slack_ms > s->group->in.newest_ms;
}

/* Shown is the least of them: they come in the order of hashes, new in every run. */
static enum ice_status outside(struct ice_check *ck, struct ice_str uri) {
    struct ice_storage *s = ck->storage;
    bool is_least = s->n_outside++ == 0 || ice_str_compare(uri, s->outside) < 0;
    if (is_least && !ice_arena_dup(&s->arena, uri, &s->outside))
        return ICE_ENOMEM;
    return ICE_OK;
}

/*
 * The copy was made before the listing: a listing that holds the current metadata file
 * goes on at least to there. One that lacks it and ends before may have broken off, and
 * proves nothing of what would come behind its end.
 */
static bool is_behind_end(const struct missing *missing, struct ice_str folded) {
    struct ice_str end = missing->ck->storage->group->in.ends_at;
    return !missing->has_current && end.size > 0 && ice_str_compare(folded, end) > 0;
}

/* A list or manifest that was not read. Where passes 2 and 3 have called it missing, that
 * holds of the tree alone; else unfound.c says it. */
static enum ice_status judge_listed(struct ice_check *ck, const struct absent *absent) {
    bool is_mapped, is_there;
    ICE_TRY(is_in_tree(ck, absent->uri, &is_mapped, &is_there));
    if (!is_mapped || is_there)
        return ICE_OK;
    *absent->is_not_copied = true;
    if (!ck->unfound.are_held)
        FOUND(ck->emit, ICE_RULE_STORAGE_FILE_NOT_COPIED, absent->at,
              arg_str("path", ice_storage_name(ck, absent->uri)));
    return ICE_OK;
}

static enum ice_status judge(struct missing *missing, const struct absent *absent) {
    struct ice_check *ck = missing->ck;
    struct ice_str folded, name = ice_storage_name(ck, absent->uri), spelled;
    enum ice_severity severity = ice_rule_of(absent->rule)->severity;
    enum ice_rule_id spelling;
    bool is_mapped, is_there;
    if (absent->is_listed && absent->is_not_copied != NULL)
        return judge_listed(ck, absent);
    ICE_TRY(ice_storage_fold(ck, absent->uri, &folded));
    if (!ice_storage_covers(ck, folded) || ck->storage->group->in.has_gap ||
        is_behind_end(missing, folded))
        return outside(ck, absent->uri);
    ICE_TRY(is_in_tree(ck, absent->uri, &is_mapped, &is_there));
    if (ck->options->storage_local && is_there)
        return ICE_OK;
    if (is_mapped && !is_there && absent->is_read_elsewhere) {
        ICE_TRY(ice_storage_fold(ck, absent->uri, &folded));
        return ice_storage_report_recoverable(ck, folded, name, absent->at);
    }
    if (ck->unfound.has_current) { /* it may have gone with a later commit */
        missing->n_unneeded++;
        return ICE_OK;
    }
    if (is_later(missing, absent->committed_ms)) {
        ck->storage->n_unknown++;
        return ICE_OK;
    }
    if (ice_storage_is_young(ck, absent->committed_ms, 0)) {
        FOUND(ck->emit, ICE_RULE_STORAGE_FILE_IN_FLIGHT, absent->at,
              arg_str("path", name), arg_text("what", "is not there yet"));
        return ICE_OK;
    }
    ICE_TRY(ice_storage_fold(ck, absent->uri, &folded));
    ICE_TRY(ice_spellings_find(&missing->spellings, ck, folded, &spelling, &spelled));
    if (spelled.size > 0) {
        FOUND(ck->emit, spelling, absent->at, arg_str("path", name),
              arg_str("found", ice_storage_name(ck, spelled)));
        return ICE_OK;
    }
    if (absent->scope == ICE_SCOPE_UNREACHABLE)
        severity = ice_severity_drop(severity);
    if (absent->is_plain)
        FOUND(ck->emit, absent->rule, absent->at, arg_str("path", name));
    else
        FOUND_AS(ck->emit, absent->rule, severity, absent->at, arg_str("path", name),
                 arg_text("scope", ice_scope_name(absent->scope)),
                 arg_text("affects", ice_scope_affects(absent->scope)));
    return ice_storage_report_recoverable(ck, folded, name, absent->at);
}

/* ---- files that metadata.json and lists name ---- */

static enum ice_status judge_list(struct missing *missing,
                                  const struct ice_storage_key *key,
                                  struct absent *absent) {
    struct ice_check *ck = missing->ck;
    struct ice_snapshot_facts *facts = &ck->snapshots[key->owner];
    struct ice_buf scratch;
    absent->is_not_copied = &facts->is_not_copied;
    absent->rule = ICE_RULE_STORAGE_MANIFEST_LIST_MISSING;
    absent->scope = ice_snapshot_scope(facts);
    absent->is_read_elsewhere = true;
    if (!facts->in_scope)
        return ICE_OK;
    ice_buf_init(&scratch, &ck->run->alloc, SIZE_MAX);
    enum ice_status status = ice_snapshot_manifest_list(
        &ck->metadata, &ck->metadata.snapshots[facts->index], &scratch, &absent->uri);
    if (status == ICE_OK)
        status = judge(missing, absent);
    ice_buf_release(&scratch);
    return status;
}

static enum ice_status judge_manifest(struct missing *missing,
                                      const struct ice_storage_key *key,
                                      struct absent *absent) {
    struct ice_manifest_facts *facts = &missing->ck->manifests[key->owner];
    absent->is_not_copied = &facts->is_not_copied;
    absent->uri = facts->path;
    absent->rule = ICE_RULE_STORAGE_MANIFEST_MISSING;
    absent->scope = ice_manifest_scope(missing->ck, facts);
    absent->is_read_elsewhere = true;
    return judge(missing, absent);
}

static enum ice_status judge_statistics(struct missing *missing,
                                        const struct ice_storage_key *key,
                                        struct absent *absent) {
    const struct ice_statistics *statistics =
        &missing->ck->metadata.statistics[key->owner];
    absent->uri = statistics->path;
    absent->rule = statistics->is_partition ? ICE_RULE_PSTATS_FILE_MISSING
                                            : ICE_RULE_STATS_FILE_MISSING;
    absent->is_plain = true;
    return judge(missing, absent);
}

static enum ice_status judge_log(struct missing *missing,
                                 const struct ice_storage_key *key,
                                 struct absent *absent) {
    absent->uri = missing->ck->metadata.metadata_log[key->owner].file;
    absent->rule = ICE_RULE_METADATA_LOG_FILE_MISSING;
    absent->is_plain = true;
    return judge(missing, absent);
}

static enum ice_status suspect(struct missing *missing,
                               const struct ice_storage_key *key) {
    bool is_entry = key->kind == ICE_STORED_DATA || key->kind == ICE_STORED_DELETES;
    if (is_entry && key->record == UINT32_MAX)
        return ICE_OK;
    if (!ice_array_reserve(&missing->ck->run->alloc, &missing->suspects, missing->n,
                           &missing->capacity, sizeof(*missing->suspects)))
        return ICE_ENOMEM;
    missing->suspects[missing->n++] =
        (struct suspect){.manifest = key->owner,
                         .record = key->record,
                         .kind = (enum ice_storage_kind)key->kind,
                         .is_listed = key->flags & ICE_STORAGE_SEEN};
    return ICE_OK;
}

static enum ice_status judge_named(struct missing *missing, const struct suspect *item) {
    struct ice_check *ck = missing->ck;
    struct ice_storage_key key = {.kind = (uint8_t)item->kind, .owner = item->manifest};
    struct ice_row_place at;
    struct absent absent = {.at = &at.place, .is_listed = item->is_listed};
    ice_storage_place(ck, &key, NULL, &at);
    absent.committed_ms = ice_storage_committed(ck, &key);
    switch (item->kind) {
    case ICE_STORED_MANIFEST:
        return judge_manifest(missing, &key, &absent);
    case ICE_STORED_LIST:
        return judge_list(missing, &key, &absent);
    case ICE_STORED_STATISTICS:
        return judge_statistics(missing, &key, &absent);
    case ICE_STORED_METADATA_LOG:
        return judge_log(missing, &key, &absent);
    case ICE_STORED_DATA:
    case ICE_STORED_DELETES:
    case ICE_STORED_METADATA:
    case ICE_STORED_UNFOUND:
        return ICE_OK;
    }
    return ICE_OK;
}

/* ---- suspects: names from their manifests ---- */

static bool is_entry(const struct suspect *item) {
    return item->kind == ICE_STORED_DATA || item->kind == ICE_STORED_DELETES;
}

/* Not in the order of hashes, which differs from run to run: what metadata names, then
 * entries by manifest. */
static int compare_suspects(const void *left, const void *right) {
    const struct suspect *a = left, *b = right;
    if (is_entry(a) != is_entry(b))
        return is_entry(a) ? 1 : -1;
    if (!is_entry(a) && a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->manifest != b->manifest)
        return a->manifest < b->manifest ? -1 : 1;
    return a->record < b->record ? -1 : a->record > b->record;
}

static enum ice_status judge_entry(struct missing *missing, const struct suspect *item,
                                   const struct ice_manifest *manifest,
                                   const struct ice_manifest_entry *entry) {
    struct ice_check *ck = missing->ck;
    const struct ice_manifest_facts *facts = &ck->manifests[item->manifest];
    const struct ice_storage_key key = {.kind = (uint8_t)item->kind,
                                        .owner = item->manifest};
    struct ice_row_place at;
    struct absent absent = {.uri = entry->file.file_path,
                            .at = &at.place,
                            .committed_ms = ice_storage_committed(ck, &key),
                            .rule = item->kind == ICE_STORED_DATA
                                        ? ICE_RULE_STORAGE_DATA_FILE_MISSING
                                        : ICE_RULE_STORAGE_DELETE_FILE_MISSING,
                            .scope = ice_manifest_scope(ck, facts)};
    ice_row_place_of(&at, ice_storage_name(ck, facts->path),
                     ICE_ORDER_MANIFEST + item->manifest, &manifest->rows);
    ice_row_place_step(&at, ice_manifest_column_name(manifest, ICE_ENTRY_data_file));
    ice_row_place_step(&at, ice_manifest_column_name(manifest, ICE_FILE_file_path));
    return judge(missing, &absent);
}

static enum ice_status ignore_fault(const struct ice_avro_fault *fault, void *user) {
    (void)fault;
    (void)user;
    return ICE_OK;
}

/* Entries as pass 3 has read them: a fault costs the rest of a block there too. */
static enum ice_status name_entries(struct missing *missing, struct suspect *items,
                                    size_t n, struct ice_manifest *manifest) {
    size_t next = 0;
    while (next < n) {
        const struct ice_manifest_entry *entry;
        struct ice_error fault;
        ice_error_clear(&fault);
        enum ice_status status = ice_manifest_next(manifest, &entry, &fault);
        if (status == ICE_DONE)
            return ICE_OK;
        if (status == ICE_EFORMAT || status == ICE_ELIMIT)
            continue;
        if (status < 0)
            return status;
        while (next < n && items[next].record < manifest->rows.record)
            next++;
        if (next < n && items[next].record == manifest->rows.record) {
            ICE_TRY(judge_entry(missing, &items[next], manifest, entry));
            next++;
        }
    }
    return ICE_OK;
}

static enum ice_status name_manifest(struct missing *missing, struct suspect *items,
                                     size_t n, struct ice_error *err) {
    struct ice_check *ck = missing->ck;
    const struct ice_manifest_facts *facts = &ck->manifests[items[0].manifest];
    struct ice_manifest manifest = {0};
    struct ice_stream stream = {0};
    struct ice_file_info info;
    struct ice_place place = ice_place_file(ice_storage_name(ck, facts->path),
                                            ICE_ORDER_MANIFEST + items[0].manifest);
    enum ice_status status =
        ice_check_open(ck, facts->path, &place, ICE_RULE_STORAGE_MANIFEST_MISSING,
                       ICE_SCOPE_HEAD, "storage.*", &stream, &info, err);
    if (status < 0)
        return ice_status_is_final(status) ? status : ICE_OK;
    status = ice_manifest_open(&manifest, ck->run, &stream, ignore_fault, NULL, NULL);
    if (status == ICE_OK)
        status = name_entries(missing, items, n, &manifest);
    ice_manifest_release(&manifest);
    ice_stream_release(&stream);
    if (status == ICE_ENOMEM)
        return ice_error_memory(err);
    if (status == ICE_EIO) /* it could be read before */
        ice_emit_not_evaluated(ck->emit, "storage.*", ICE_STR("source.unreadable"), true,
                               place.at.file);
    return status < 0 && ice_status_is_final(status)
               ? ice_error_set(err, status, NULL, ICE_NO_OFFSET, "stopped")
               : ICE_OK;
}

static enum ice_status name_suspects(struct missing *missing, struct ice_error *err) {
    size_t first = 0;
    if (missing->n > 1)
        qsort(missing->suspects, missing->n, sizeof(*missing->suspects),
              compare_suspects);
    for (; first < missing->n && !is_entry(&missing->suspects[first]); first++) {
        if (judge_named(missing, &missing->suspects[first]) < 0)
            return ice_error_memory(err);
    }
    for (size_t i = first, end; i < missing->n; i = end) {
        end = i + 1;
        while (end < missing->n &&
               missing->suspects[end].manifest == missing->suspects[i].manifest)
            end++;
        ICE_TRY(name_manifest(missing, missing->suspects + i, end - i, err));
    }
    return ICE_OK;
}

/* ---- all ---- */

/* A list or manifest that passes 2 and 3 could not read. */
static bool was_not_read(const struct ice_check *ck, const struct ice_storage_key *key) {
    if (key->kind == ICE_STORED_LIST)
        return ck->snapshots[key->owner].list_state == ICE_READ_NOT;
    return key->kind == ICE_STORED_MANIFEST &&
           ck->manifests[key->owner].state == ICE_READ_NOT;
}

static enum ice_status find_missing(struct missing *missing) {
    struct ice_storage *s = missing->ck->storage;
    for (size_t i = 0; i < s->n; i++) {
        if (s->keys[i].kind == ICE_STORED_METADATA)
            missing->has_current =
                missing->has_current || (s->keys[i].flags & ICE_STORAGE_SEEN);
    }
    ice_unfound_look(missing->ck);
    for (size_t i = 0; i < s->n; i++) {
        bool is_repeat = i > 0 && s->keys[i].hash.low == s->keys[i - 1].hash.low &&
                         s->keys[i].hash.high == s->keys[i - 1].hash.high;
        if (!is_repeat && (!(s->keys[i].flags & ICE_STORAGE_SEEN) ||
                           was_not_read(missing->ck, &s->keys[i])))
            ICE_TRY(suspect(missing, &s->keys[i]));
    }
    return ICE_OK;
}

enum ice_status ice_storage_missing(struct ice_check *ck, struct ice_error *err) {
    struct missing missing = {.ck = ck};
    ice_spellings_init(&missing.spellings, ck);
    enum ice_status status = find_missing(&missing);
    if (status == ICE_ENOMEM)
        status = ice_error_memory(err);
    if (status == ICE_OK)
        status = name_suspects(&missing, err);
    if (missing.n_unneeded > 0)
        ice_emit_not_evaluated(ck->emit, "storage.*",
                               ICE_STR("files of this older state are gone, which the "
                                       "current one, not copied, may not need"),
                               true, ICE_STR_NONE);
    ice_spellings_release(&missing.spellings);
    ice_array_free(&ck->run->alloc, &missing.suspects, &missing.capacity,
                   sizeof(*missing.suspects));
    return status;
}
