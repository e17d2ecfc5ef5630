/*
 * Life of the facts: opened, given up, sorted; and which manifest an entry is of.
 */
#include "check/facts.h"

#include "base/error.h"

#include <stdio.h>

enum ice_status ice_facts_open(struct ice_check *ck) {
    struct ice_facts *facts = ice_arena_alloc(&ck->arena, sizeof(*facts));
    if (!facts)
        return ICE_ENOMEM;
    facts->ck = ck;
    ice_table_init(&facts->origins_by_value, &ck->run->alloc);
    ice_buf_init(&facts->folded, &ck->run->alloc, SIZE_MAX);
    ice_sorter_init(&facts->items, &ck->spill, &ice_sorted_facts);
    ice_sorter_init(&facts->ranges, &ck->spill, &ice_sorted_ranges);
    ice_sorter_init(&facts->blobs, &ck->spill, &ice_sorted_blobs);
    ice_sorter_init(&facts->partitions, &ck->spill, &ice_sorted_partitions);
    ice_sorter_init(&facts->commit_partitions, &ck->spill, &ice_sorted_commit_partitions);
    ck->facts = facts;
    if (ck->n_manifests == 0)
        return ICE_OK;
    facts->bases = ice_calloc(&ck->run->alloc, ck->n_manifests + 1, sizeof(uint32_t));
    facts->sums = ice_calloc(&ck->run->alloc, ck->n_manifests, sizeof(*facts->sums));
    return facts->bases && facts->sums ? ICE_OK : ICE_ENOMEM;
}

static size_t nearest_count(const struct ice_facts *facts) {
    return (size_t)(facts->n_entries >> facts->shift) + 1;
}

static void drop(struct ice_facts *facts) {
    struct ice_alloc *alloc = &facts->ck->run->alloc;
    ice_sorter_release(&facts->items);
    ice_sorter_release(&facts->ranges);
    ice_sorter_release(&facts->blobs);
    ice_sorter_release(&facts->partitions);
    ice_sorter_release(&facts->commit_partitions);
    ice_array_free(alloc, &facts->origins, &facts->cap_origins, sizeof(*facts->origins));
    ice_table_release(&facts->origins_by_value);
    ice_free(alloc, facts->asked, ICE_ASKED_BITS / 8);
    if (facts->nearest)
        ice_free(alloc, facts->nearest, nearest_count(facts) * sizeof(uint32_t));
    facts->asked = NULL;
    facts->nearest = NULL;
    facts->n_origins = 0;
}

void ice_facts_free(struct ice_check *ck) {
    struct ice_facts *facts = ck->facts;
    if (!facts)
        return;
    drop(facts);
    ice_free(&ck->run->alloc, facts->bases, (ck->n_manifests + 1) * sizeof(uint32_t));
    ice_free(&ck->run->alloc, facts->sums, ck->n_manifests * sizeof(*facts->sums));
    ice_buf_release(&facts->folded);
    ck->facts = NULL;
}

void ice_facts_give_up(struct ice_facts *facts, struct ice_str why) {
    static const char *const questions[] = {"live.*",
                                            "delete.*",
                                            "lineage.file.*",
                                            "manifest.entry.sequence-number.changed",
                                            "manifest.file.dv.cardinality-high",
                                            "manifest.file.blob.overlap",
                                            "summary.partition-count"};
    if (facts->dropped)
        return;
    drop(facts);
    facts->dropped = true;
    for (size_t i = 0; i < ICE_COUNT_OF(questions); i++)
        ice_emit_not_evaluated(facts->ck->emit, questions[i], why, true, ICE_STR_NONE);
}

enum ice_status ice_facts_sorted(struct ice_facts *facts, enum ice_status status) {
    char why[200];
    if (status != ICE_EIO)
        return status;
    (void)snprintf(why, sizeof(why),
                   "entries beyond --max-memory need a temporary file in TMPDIR: %s",
                   strerror(facts->ck->spill.fault));
    ice_facts_give_up(facts, ice_str_from(why));
    return ICE_OK;
}

/* ---- sorted ---- */

/* A manifest that was not opened begins where the next one does. */
static void close_bases(struct ice_facts *facts) {
    const struct ice_check *ck = facts->ck;
    uint32_t next = (uint32_t)facts->n_entries;
    facts->bases[ck->n_manifests] = next;
    for (size_t i = ck->n_manifests; i > 0; i--) {
        if (ck->manifests[i - 1].state == ICE_READ_NOT_YET ||
            ck->manifests[i - 1].state == ICE_READ_NOT)
            facts->bases[i - 1] = next;
        next = facts->bases[i - 1];
    }
}

static enum ice_status find_nearest(struct ice_facts *facts) {
    const struct ice_check *ck = facts->ck;
    while (facts->n_entries >> facts->shift > 2 * (uint64_t)ck->n_manifests)
        facts->shift++;
    facts->nearest =
        ice_calloc(&ck->run->alloc, nearest_count(facts), sizeof(*facts->nearest));
    if (!facts->nearest)
        return ICE_ENOMEM;
    uint32_t manifest = 0;
    for (size_t i = 0; i < nearest_count(facts); i++) {
        while (manifest + 1 < ck->n_manifests &&
               facts->bases[manifest + 1] <= i << facts->shift)
            manifest++;
        facts->nearest[i] = manifest;
    }
    return ICE_OK;
}

enum ice_status ice_facts_finish(struct ice_facts *facts) {
    if (facts->dropped || facts->ck->n_manifests == 0)
        return ICE_OK;
    close_bases(facts);
    ICE_TRY(find_nearest(facts));
    ICE_TRY(ice_sorter_close(&facts->items));
    ICE_TRY(ice_sorter_close(&facts->ranges));
    ICE_TRY(ice_sorter_close(&facts->commit_partitions));
    return ice_sorter_close(&facts->blobs);
}

uint32_t ice_fact_manifest(const struct ice_facts *facts, uint32_t entry) {
    uint32_t manifest = facts->nearest[entry >> facts->shift];
    while (facts->bases[manifest + 1] <= entry)
        manifest++;
    return manifest;
}
