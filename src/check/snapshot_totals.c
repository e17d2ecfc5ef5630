/*
 * The sweep over snapshot numbers.
 */
#include "check/snapshot_totals.h"

#include "check/ancestry.h"

/* Manifests by the snapshot where something happens to them: begin, end, are added. */
struct events {
    size_t *first; /* by snapshot, one more at the end */
    uint32_t *manifests;
    size_t n;
};

enum { BEGINS, ENDS, ADDED, KINDS };

struct sweep {
    struct ice_check *ck;
    struct events events[KINDS];
};

/* The snapshot that added a manifest, if it lists it; ICE_NO_NUMBER. */
static uint32_t adder_of(const struct ice_check *ck,
                         const struct ice_manifest_facts *manifest) {
    uint32_t adder;
    if (!manifest->records ||
        !ice_record_has(manifest->records, ICE_LIST_added_snapshot_id) ||
        !ice_snapshot_number(ck, manifest->records->row.added_snapshot_id, &adder) ||
        !ice_manifest_is_listed(manifest, adder))
        return ICE_NO_NUMBER;
    return adder;
}

typedef void (*event_fn)(struct sweep *sweep, int kind, uint32_t snapshot,
                         uint32_t manifest);

static void each_event(struct sweep *sweep, event_fn fn) {
    struct ice_check *ck = sweep->ck;
    for (uint32_t m = 0; m < ck->n_manifests; m++) {
        const struct ice_manifest_facts *manifest = &ck->manifests[m];
        uint32_t adder = adder_of(ck, manifest);
        for (uint32_t r = 0; r < manifest->n_runs; r++) {
            fn(sweep, BEGINS, manifest->runs[r].first, m);
            fn(sweep, ENDS, manifest->runs[r].last + 1, m);
        }
        if (adder != ICE_NO_NUMBER)
            fn(sweep, ADDED, adder, m);
    }
}

static void count(struct sweep *sweep, int kind, uint32_t snapshot, uint32_t manifest) {
    (void)manifest;
    sweep->events[kind].n++;
    sweep->events[kind].first[snapshot + 1]++;
}

static void store(struct sweep *sweep, int kind, uint32_t snapshot, uint32_t manifest) {
    struct events *events = &sweep->events[kind];
    events->manifests[events->first[snapshot]++] = manifest;
}

static enum ice_status collect(struct sweep *sweep) {
    struct ice_alloc *alloc = &sweep->ck->run->alloc;
    size_t n = sweep->ck->n_snapshots;
    for (int kind = 0; kind < KINDS; kind++) {
        sweep->events[kind].first = ice_calloc(alloc, n + 2, sizeof(size_t));
        if (!sweep->events[kind].first)
            return ICE_ENOMEM;
    }
    each_event(sweep, count);
    for (int kind = 0; kind < KINDS; kind++) {
        struct events *events = &sweep->events[kind];
        for (size_t s = 0; s <= n; s++)
            events->first[s + 1] += events->first[s];
        events->manifests = ice_calloc(alloc, events->n + 1, sizeof(uint32_t));
        if (!events->manifests)
            return ICE_ENOMEM;
    }
    each_event(sweep, store);
    for (int kind = 0; kind < KINDS; kind++) { /* storing moved each to its end */
        size_t *first = sweep->events[kind].first;
        memmove(first + 1, first, (n + 1) * sizeof(*first));
        first[0] = 0;
    }
    return ICE_OK;
}

static void release(struct sweep *sweep) {
    struct ice_alloc *alloc = &sweep->ck->run->alloc;
    for (int kind = 0; kind < KINDS; kind++) {
        struct events *events = &sweep->events[kind];
        ice_free(alloc, events->first, (sweep->ck->n_snapshots + 2) * sizeof(size_t));
        if (events->manifests)
            ice_free(alloc, events->manifests, (events->n + 1) * sizeof(uint32_t));
    }
}

static void add_files(struct ice_totals *totals, const struct ice_manifest_sums *sums,
                      int status, bool plus) {
    void (*move)(struct ice_wide *, const struct ice_wide *) =
        plus ? ice_wide_sum : ice_wide_less;
    uint64_t sign = plus ? 1 : UINT64_MAX; /* modulo 2^64 */
    for (int content = 0; content < 3; content++) {
        const struct ice_file_sums *from = &sums->files[status][content];
        totals->files[content].files += sign * from->files;
        move(&totals->files[content].rows, &from->rows);
        move(&totals->files[content].sizes, &from->sizes);
    }
    totals->vectors += sign * sums->vectors[status];
    move(&totals->vector_sizes, &sums->vector_sizes[status]);
    move(&totals->vector_files, &sums->vector_files[status]);
}

static void list(struct ice_snapshot_totals *totals, const struct ice_check *ck,
                 uint32_t manifest, bool plus) {
    const struct ice_manifest_sums *sums = &ck->facts->sums[manifest];
    const struct ice_list_record *record = ck->manifests[manifest].records;
    uint64_t sign = plus ? 1 : UINT64_MAX;
    add_files(&totals->live, sums, ICE_STATUS_EXISTING, plus);
    add_files(&totals->live, sums, ICE_STATUS_ADDED, plus);
    totals->live.n_unknown += sums->unknown ? sign : 0;
    totals->n_listed += sign;
    if (!record || !ice_record_has(record, ICE_LIST_added_snapshot_id))
        totals->n_unassigned += sign;
}

static void change(struct ice_snapshot_totals *totals, const struct ice_check *ck,
                   uint32_t manifest) {
    const struct ice_manifest_sums *sums = &ck->facts->sums[manifest];
    add_files(&totals->added, sums, ICE_STATUS_ADDED, true);
    add_files(&totals->removed, sums, ICE_STATUS_DELETED, true);
    totals->added.n_unknown += sums->unknown;
    totals->removed.n_unknown += sums->unknown;
    totals->n_created++;
}

enum ice_status ice_snapshot_totals_walk(const struct ice_snapshot_sets *sets,
                                         ice_totals_fn each, void *user) {
    struct sweep sweep = {.ck = sets->ck};
    struct ice_snapshot_totals totals = {.sets = sets};
    enum ice_status status = collect(&sweep);
    for (uint32_t s = 0; status == ICE_OK && s < sets->n; s++) {
        const struct events *begins = &sweep.events[BEGINS], *ends = &sweep.events[ENDS];
        const struct events *added = &sweep.events[ADDED];
        totals.number = s;
        totals.n_begun = begins->first[s + 1] - begins->first[s];
        totals.n_ended = ends->first[s + 1] - ends->first[s];
        for (size_t i = ends->first[s]; i < ends->first[s + 1]; i++)
            list(&totals, sets->ck, ends->manifests[i], false);
        for (size_t i = begins->first[s]; i < begins->first[s + 1]; i++)
            list(&totals, sets->ck, begins->manifests[i], true);
        totals.added = totals.removed = (struct ice_totals){0};
        totals.n_created = 0;
        for (size_t i = added->first[s]; i < added->first[s + 1]; i++)
            change(&totals, sets->ck, added->manifests[i]);
        each(&totals, user);
    }
    release(&sweep);
    return status;
}
