/*
 * Numbers of snapshots, who reaches them, and which of them were asked for.
 *
 * Parents are numbered before children and the main line first, so that the snapshots
 * that list a manifest are few runs of numbers. 8 bytes a snapshot beside its facts.
 */
#include "check/check.h"

#include "base/error.h"
#include "check/pick_snapshot.h"

#include <assert.h>

static const uint32_t UNNUMBERED = UINT32_MAX;

/* Index of the parent in metadata.snapshots, or SIZE_MAX: none, or expired. */
static size_t parent_of(const struct ice_metadata *metadata, size_t index) {
    const struct ice_snapshot *snapshot = &metadata->snapshots[index];
    if (!ice_snapshot_has(snapshot, ICE_SNAP_parent_snapshot_id))
        return SIZE_MAX;
    return ice_metadata_find_snapshot(metadata, snapshot->parent_snapshot_id);
}

/*
 * Number a snapshot and its ancestors that have no number yet, the oldest first. path is
 * scratch. A cycle of parents ends where it closes: those on the path are marked by their
 * place on it.
 */
static void number_line(struct ice_check *ck, size_t index, uint32_t *path) {
    const uint32_t on_path = UNNUMBERED - 1;
    size_t depth = 0;
    while (index != SIZE_MAX && ck->number_of[index] == UNNUMBERED) {
        assert(path != NULL); /* as there is a snapshot */
        ck->number_of[index] = on_path;
        path[depth++] = (uint32_t)index;
        index = parent_of(&ck->metadata, index);
    }
    while (depth > 0) {
        uint32_t number = (uint32_t)ck->n_snapshots++;
        uint32_t at = path[--depth];
        ck->number_of[at] = number;
        ck->snapshots[number].index = at;
    }
}

/* From a head down to what is known to be reachable. */
static void mark_reachable(struct ice_check *ck, int64_t snapshot_id) {
    size_t index = ice_metadata_find_snapshot(&ck->metadata, snapshot_id);
    if (index == SIZE_MAX)
        return;
    ck->snapshots[ck->number_of[index]].is_head = true;
    while (index != SIZE_MAX) {
        struct ice_snapshot_facts *facts = &ck->snapshots[ck->number_of[index]];
        if (facts->is_reachable)
            return;
        facts->is_reachable = true;
        index = parent_of(&ck->metadata, index);
    }
}

static void mark_heads(struct ice_check *ck) {
    const struct ice_metadata *metadata = &ck->metadata;
    if (ice_metadata_has(metadata, ICE_META_current_snapshot_id))
        mark_reachable(ck, metadata->current_snapshot_id);
    for (size_t i = 0; i < metadata->n_refs; i++) {
        if (metadata->refs[i].has_snapshot_id)
            mark_reachable(ck, metadata->refs[i].snapshot_id);
    }
}

/*
 * A snapshot that stands twice under one id: both are judged as the one that is named. */
static void share_duplicates(struct ice_check *ck) {
    for (size_t i = 0; i < ck->metadata.n_snapshots; i++) {
        size_t first = ice_metadata_find_snapshot(&ck->metadata,
                                                  ck->metadata.snapshots[i].snapshot_id);
        if (first == i || first == SIZE_MAX)
            continue;
        const struct ice_snapshot_facts *from = &ck->snapshots[ck->number_of[first]];
        struct ice_snapshot_facts *to = &ck->snapshots[ck->number_of[i]];
        to->is_head = from->is_head;
        to->is_reachable = from->is_reachable;
    }
}

/* main of a table that nothing was committed to: there is nothing that it reaches. */
static bool is_empty_main(const struct ice_metadata *metadata, const char *wanted) {
    return strcmp(wanted, "main") == 0 && !ice_metadata_names_current(metadata) &&
           ice_metadata_find_ref(metadata, ICE_STR("main")) == NULL;
}

static enum ice_status apply_scope(struct ice_check *ck) {
    const char *wanted = ck->options->snapshot;
    for (size_t i = 0; wanted == NULL && i < ck->n_snapshots; i++)
        ck->snapshots[i].in_scope = true;
    if (wanted == NULL || !ck->metadata_readable || is_empty_main(&ck->metadata, wanted))
        return ICE_OK;
    struct ice_error fault;
    ice_error_clear(&fault);
    size_t index;
    enum ice_status status = ice_pick_snapshot(&ck->metadata, wanted, &index, &fault);
    if (status == ICE_OK)
        ck->snapshots[ck->number_of[index]].in_scope = true;
    else if (status == ICE_ENOMEM)
        return status;
    else
        ice_emit_not_evaluated(ck->emit, "--snapshot", ice_str_from(fault.message), true,
                               ck->metadata_file);
    return ICE_OK;
}

enum ice_status ice_check_number_snapshots(struct ice_check *ck, struct ice_error *err) {
    const struct ice_metadata *metadata = &ck->metadata;
    size_t n = metadata->n_snapshots;
    if (n >= UNNUMBERED - 1)
        return ice_error_set(err, ICE_ENOMEM, NULL, ICE_NO_OFFSET, "too many snapshots");
    ck->snapshots = ice_arena_array(&ck->arena, n, sizeof(*ck->snapshots));
    ck->number_of = ice_arena_array(&ck->arena, n, sizeof(*ck->number_of));
    uint32_t *path = n > 0 ? ice_calloc(&ck->run->alloc, n, sizeof(*path)) : NULL;
    if (ck->snapshots == NULL || ck->number_of == NULL || (n > 0 && path == NULL)) {
        if (path != NULL)
            ice_free(&ck->run->alloc, path, n * sizeof(*path));
        return ice_error_memory(err);
    }
    for (size_t i = 0; i < n; i++)
        ck->number_of[i] = UNNUMBERED;
    if (ice_metadata_has(metadata, ICE_META_current_snapshot_id))
        number_line(ck,
                    ice_metadata_find_snapshot(metadata, metadata->current_snapshot_id),
                    path);
    for (size_t i = 0; i < n; i++)
        number_line(ck, i, path);
    if (path != NULL)
        ice_free(&ck->run->alloc, path, n * sizeof(*path));
    mark_heads(ck);
    share_duplicates(ck);
    if (apply_scope(ck) < 0)
        return ice_error_memory(err);
    return ICE_OK;
}

const char *ice_scope_name(enum ice_scope scope) {
    switch (scope) {
    case ICE_SCOPE_HEAD:
        return "head";
    case ICE_SCOPE_OLD:
        return "old";
    case ICE_SCOPE_UNREACHABLE:
        return "unreachable";
    }
    return "head";
}

enum ice_scope ice_snapshot_scope(const struct ice_snapshot_facts *snapshot) {
    if (snapshot->is_head)
        return ICE_SCOPE_HEAD;
    return snapshot->is_reachable ? ICE_SCOPE_OLD : ICE_SCOPE_UNREACHABLE;
}

enum ice_scope ice_manifest_scope(const struct ice_check *ck,
                                  const struct ice_manifest_facts *manifest) {
    enum ice_scope best = ICE_SCOPE_UNREACHABLE;
    for (uint32_t run = 0; run < manifest->n_runs; run++) {
        for (uint32_t number = manifest->runs[run].first;
             number <= manifest->runs[run].last && number < ck->n_snapshots; number++) {
            enum ice_scope scope = ice_snapshot_scope(&ck->snapshots[number]);
            if (scope < best)
                best = scope;
            if (best == ICE_SCOPE_HEAD)
                return best;
        }
    }
    return best;
}

const char *ice_scope_affects(enum ice_scope scope) {
    switch (scope) {
    case ICE_SCOPE_HEAD:
        return "a current state cannot be read";
    case ICE_SCOPE_OLD:
        return "current state not affected, but time travel and rollback are";
    case ICE_SCOPE_UNREACHABLE:
        return "current state not affected, no ref leads to it";
    }
    return "";
}
