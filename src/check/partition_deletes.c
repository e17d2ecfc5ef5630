/*
 * Delete files that name no data file, beside all data files of their partition (or of
 * the table), at the heads of refs only: it is about what scans cost now.
 *
 * Both are sorted by partition and data sequence number. In one walk over a partition
 * the set of heads grows that see a data file old enough for the deletes that follow;
 * where a delete is live at a head outside that set, nothing is left for it to delete.
 */
#include "base/error.h"
#include "check/set_rules.h"

#include <string.h>

/* ---- sets of heads ---- */

static void add_range(uint64_t *set, uint32_t from, uint32_t to) {
    while (from < to) {
        uint32_t bit = from % 64;
        uint32_t n = to - from < 64 - bit ? to - from : 64 - bit;
        set[from / 64] |= (n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1) << bit;
        from += n;
    }
}

static void add_manifest(const struct ice_partition_deletes *d, uint64_t *set,
                         const struct ice_manifest_facts *manifest) {
    for (uint32_t r = 0; r < manifest->n_runs; r++)
        add_range(set, d->rank[manifest->runs[r].first],
                  d->rank[manifest->runs[r].last + 1]);
}

/* The newest head that lists the manifest and is not in the set (NULL: empty). */
static uint32_t newest_outside(const struct ice_partition_deletes *d, const uint64_t *set,
                               const struct ice_manifest_facts *manifest) {
    for (uint32_t r = manifest->n_runs; r > 0; r--) {
        uint32_t from = d->rank[manifest->runs[r - 1].first];
        for (uint32_t i = d->rank[manifest->runs[r - 1].last + 1]; i > from;) {
            i--;
            if (!set || !(set[i / 64] >> i % 64 & 1))
                return d->heads[i];
            if (set[i / 64] == UINT64_MAX && i / 64 * 64 > from)
                i = i / 64 * 64; /* the whole word is */
        }
    }
    return ICE_NO_NUMBER;
}

static const struct ice_manifest_facts *manifest_of(const struct ice_partition_deletes *d,
                                                    uint32_t entry) {
    return &d->facts->ck->manifests[ice_fact_manifest(d->facts, entry)];
}

/* ---- open ---- */

static enum ice_status rank_heads(struct ice_partition_deletes *d) {
    const struct ice_check *ck = d->facts->ck;
    struct ice_alloc *alloc = &d->facts->ck->run->alloc;
    uint32_t n = d->sets->n;
    d->rank = ice_calloc(alloc, (size_t)n + 1, sizeof(*d->rank));
    if (!d->rank)
        return ICE_ENOMEM;
    for (uint32_t s = 0; s < n; s++)
        d->rank[s + 1] =
            d->rank[s] + (ck->snapshots[s].is_head && d->sets->judged[s] ? 1 : 0);
    d->n_heads = d->rank[n];
    if (d->n_heads == 0)
        return ICE_OK;
    d->heads = ice_calloc(alloc, d->n_heads, sizeof(*d->heads));
    if (!d->heads)
        return ICE_ENOMEM;
    for (uint32_t s = 0; s < n; s++)
        if (d->rank[s + 1] > d->rank[s])
            d->heads[d->rank[s]] = s;
    return ICE_OK;
}

enum ice_status ice_partition_deletes_open(struct ice_partition_deletes *deletes,
                                           struct ice_facts *facts,
                                           const struct ice_snapshot_sets *sets,
                                           struct ice_suspects *suspects) {
    struct ice_check *ck = facts->ck;
    struct ice_alloc *alloc = &ck->run->alloc;
    *deletes = (struct ice_partition_deletes){
        .facts = facts, .sets = sets, .suspects = suspects};
    if (facts->partitions.total == 0 || ck->version < 2)
        return ICE_OK;
    ICE_TRY(rank_heads(deletes));
    if (deletes->n_heads == 0)
        return ICE_OK;
    deletes->n_words = deletes->n_heads / 64 + 1;
    deletes->unknown = ice_calloc(alloc, deletes->n_words, sizeof(uint64_t));
    deletes->covered = ice_calloc(alloc, deletes->n_words, sizeof(uint64_t));
    deletes->least = ice_calloc(alloc, ck->n_manifests, sizeof(*deletes->least));
    deletes->least_entry = ice_calloc(alloc, ck->n_manifests, sizeof(uint32_t));
    deletes->marks = ice_calloc(alloc, ck->n_manifests, sizeof(uint32_t));
    if (!deletes->unknown || !deletes->covered || !deletes->least ||
        !deletes->least_entry || !deletes->marks)
        return ICE_ENOMEM;
    for (size_t i = 0; i < ck->n_manifests; i++)
        deletes->least_entry[i] = ICE_NO_NUMBER;
    return ICE_OK;
}

void ice_partition_deletes_release(struct ice_partition_deletes *deletes) {
    if (!deletes->facts)
        return;
    struct ice_check *ck = deletes->facts->ck;
    struct ice_alloc *alloc = &ck->run->alloc;
    ice_free(alloc, deletes->rank, ((size_t)deletes->sets->n + 1) * sizeof(uint32_t));
    ice_free(alloc, deletes->heads, deletes->n_heads * sizeof(uint32_t));
    ice_free(alloc, deletes->unknown, deletes->n_words * sizeof(uint64_t));
    ice_free(alloc, deletes->covered, deletes->n_words * sizeof(uint64_t));
    ice_free(alloc, deletes->least, ck->n_manifests * sizeof(*deletes->least));
    ice_free(alloc, deletes->least_entry, ck->n_manifests * sizeof(uint32_t));
    ice_free(alloc, deletes->marks, ck->n_manifests * sizeof(uint32_t));
    *deletes = (struct ice_partition_deletes){0};
}

/* ---- data files ---- */

static void note_least(struct ice_partition_deletes *d, uint32_t manifest, uint32_t entry,
                       int64_t number) {
    if (d->least_entry[manifest] != ICE_NO_NUMBER && d->least[manifest] <= number)
        return;
    d->least[manifest] = number;
    d->least_entry[manifest] = entry;
}

enum ice_status ice_partition_deletes_add(struct ice_partition_deletes *deletes,
                                          const struct ice_fact *fact) {
    struct ice_facts *facts = deletes->facts;
    if (!deletes->marks || ice_fact_kind(fact) != ICE_FACT_DATA ||
        ice_fact_status(fact) == ICE_STATUS_DELETED)
        return ICE_OK;
    const struct ice_partition_fact data = {
        .sequence_number = facts->origins[fact->origin].sequence_number,
        .partition = fact->partition,
        .entry = fact->entry,
        .side = ICE_SIDE_DATA};
    if (facts->asks_whole_table)
        note_least(deletes, ice_fact_manifest(facts, fact->entry), fact->entry,
                   data.sequence_number);
    const struct ice_manifest_facts *manifest = manifest_of(deletes, fact->entry);
    if (fact->partition == 0 || manifest->lost_fields)
        add_manifest(deletes, deletes->unknown, manifest);
    return ice_facts_ask_for(facts, fact->partition)
               ? ice_sorter_add(&facts->partitions, &data)
               : ICE_OK;
}

/* For deletes of the whole table the oldest data file of each manifest is enough. */
static enum ice_status add_least(struct ice_partition_deletes *d) {
    for (size_t i = 0; d->facts->asks_whole_table && i < d->facts->ck->n_manifests; i++) {
        const struct ice_partition_fact data = {.sequence_number = d->least[i],
                                                .entry = d->least_entry[i],
                                                .side = ICE_SIDE_DATA,
                                                .whole_table = true};
        if (data.entry != ICE_NO_NUMBER)
            ICE_TRY(ice_sorter_add(&d->facts->partitions, &data));
    }
    return ICE_OK;
}

/* ---- judged ---- */

static bool same_partition(const struct ice_partition_fact *a,
                           const struct ice_partition_fact *b) {
    return a->whole_table == b->whole_table &&
           (a->whole_table || a->partition == b->partition);
}

static bool is_partitioned(const struct ice_metadata *m) {
    for (size_t i = 0; i < m->n_specs; i++)
        for (size_t k = 0; k < m->specs[i].n_fields; k++)
            if (m->specs[i].fields[k].transform.kind != ICE_TRANSFORM_VOID)
                return true;
    return false;
}

static enum ice_status suspect(struct ice_partition_deletes *d, enum ice_rule_id rule,
                               uint32_t entry, uint32_t head) {
    if (head == ICE_NO_NUMBER)
        return ICE_OK;
    return ice_suspect_add(d->suspects, (struct ice_suspect){.rule = rule,
                                                             .severity = ICE_DEFAULT,
                                                             .entry = entry,
                                                             .other = ICE_NO_NUMBER,
                                                             .snapshot = head,
                                                             .before = ICE_NO_NUMBER,
                                                             .row = -1});
}

/* Of several heads the newest says it. */
static enum ice_status judge(struct ice_partition_deletes *d,
                             const struct ice_partition_fact *one) {
    const struct ice_metadata *m = &d->facts->ck->metadata;
    const struct ice_manifest_facts *manifest = manifest_of(d, one->entry);
    bool is_equality = one->side == ICE_SIDE_EQUALITY;
    if (one->sequence_number != INT64_MIN && (one->partition != 0 || one->whole_table))
        ICE_TRY(suspect(d,
                        is_equality ? ICE_RULE_DELETE_EQUALITY_DANGLING
                                    : ICE_RULE_DELETE_POSITION_DANGLING,
                        one->entry, newest_outside(d, d->covered, manifest)));
    if (one->whole_table && is_partitioned(m))
        ICE_TRY(suspect(d, ICE_RULE_DELETE_EQUALITY_GLOBAL, one->entry,
                        newest_outside(d, NULL, manifest)));
    if (one->leaves_partitions && m->n_specs > 1)
        ICE_TRY(suspect(d, ICE_RULE_DELETE_EQUALITY_PARTITION_SCOPE, one->entry,
                        newest_outside(d, NULL, manifest)));
    return ICE_OK;
}

static enum ice_status walk(const void *records, size_t n, void *user) {
    struct ice_partition_deletes *d = user;
    const struct ice_partition_fact *facts = records;
    for (size_t i = 0; i < n; i++) {
        const struct ice_partition_fact *one = &facts[i];
        if (!d->has_last || !same_partition(&d->last, one)) {
            memcpy(d->covered, d->unknown, d->n_words * sizeof(uint64_t));
            d->mark++;
        }
        d->last = *one;
        d->has_last = true;
        if (one->side != ICE_SIDE_DATA) {
            ICE_TRY(judge(d, one));
            continue;
        }
        uint32_t manifest = ice_fact_manifest(d->facts, one->entry);
        if (d->marks[manifest] != d->mark) /* a later one sees no more heads */
            add_manifest(d, d->covered, &d->facts->ck->manifests[manifest]);
        d->marks[manifest] = d->mark;
    }
    return ICE_OK;
}

enum ice_status ice_partition_deletes_check(struct ice_partition_deletes *deletes) {
    if (!deletes->marks)
        return ICE_OK;
    ICE_TRY(add_least(deletes));
    ICE_TRY(ice_sorter_close(&deletes->facts->partitions));
    return ice_sorter_read(&deletes->facts->partitions, NULL, walk, deletes);
}
