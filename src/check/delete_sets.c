/*
 * Live delete files beside each other, and beside all data files of their partition. The
 * latter at the heads of refs only: it is about what scans cost now.
 */
#include "base/error.h"
#include "check/set_rules.h"

#include <stdlib.h>

enum { MOST_HEADS = 64 };

struct sets {
    struct ice_facts *facts;
    const struct ice_snapshot_sets *snapshots;
    struct ice_suspects *suspects;
    uint32_t head;
    /* at the head: least data sequence number of live data files, by partition that is
     * asked for, and of all */
    struct ice_table partitions; /* digest -> position in least */
    int64_t *least;
    size_t n_least, cap_least;
    int64_t least_of_all;
};

static enum ice_status suspect(struct sets *s, enum ice_rule_id rule, uint32_t entry,
                               uint32_t other, uint32_t snapshot) {
    return ice_suspect_add(s->suspects, (struct ice_suspect){.rule = rule,
                                                             .severity = ICE_DEFAULT,
                                                             .entry = entry,
                                                             .other = other,
                                                             .snapshot = snapshot,
                                                             .before = ICE_NO_NUMBER,
                                                             .row = -1});
}

static const struct ice_manifest_facts *manifest_of(const struct sets *s,
                                                    uint32_t entry) {
    return &s->facts->ck->manifests[ice_fact_manifest(s->facts, entry)];
}

/* ---- blobs ---- */

static int compare_blobs(const void *a, const void *b) {
    const struct ice_delete_fact *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* The last judged snapshot that lists both manifests; ICE_NO_NUMBER. */
static uint32_t listed_together(const struct sets *s, uint32_t a, uint32_t b) {
    const struct ice_manifest_facts *x = manifest_of(s, a), *y = manifest_of(s, b);
    uint32_t i = x->n_runs, k = y->n_runs;
    while (i > 0 && k > 0) {
        const struct ice_snapshot_run *p = &x->runs[i - 1], *q = &y->runs[k - 1];
        uint32_t first = p->first > q->first ? p->first : q->first;
        uint32_t last = p->last < q->last ? p->last : q->last;
        uint32_t found =
            first <= last ? ice_last_judged(s->snapshots, first, last) : ICE_NO_NUMBER;
        if (found != ICE_NO_NUMBER)
            return found;
        if (p->first > q->first)
            i--;
        else
            k--;
    }
    return ICE_NO_NUMBER;
}

static bool has_range(const struct ice_delete_fact *blob) {
    return blob->offset >= 0 && blob->size > 0 && blob->offset <= INT64_MAX - blob->size;
}

static enum ice_status check_blobs(struct sets *s) {
    enum { MAX_LOOK_BACK = 64 };
    const struct ice_delete_fact *all = s->facts->deletes;
    for (size_t i = 1; i < s->facts->n_deletes; i++) {
        if (all[i].kind != ICE_FACT_VECTOR || !has_range(&all[i]))
            continue;
        for (size_t back = 1; back <= i && back <= MAX_LOOK_BACK; back++) {
            const struct ice_delete_fact *other = &all[i - back];
            if (other->kind != ICE_FACT_VECTOR || other->key != all[i].key)
                break;
            /* one blob twice is a duplicate vector */
            if (!has_range(other) || other->offset == all[i].offset ||
                other->offset + other->size <= all[i].offset)
                continue;
            uint32_t snapshot = listed_together(s, all[i].entry, other->entry);
            if (snapshot == ICE_NO_NUMBER)
                continue;
            ICE_TRY(suspect(s, ICE_RULE_MANIFEST_FILE_BLOB_OVERLAP, all[i].entry,
                            other->entry, snapshot));
            break;
        }
    }
    return ICE_OK;
}

/* ---- whole partitions ---- */

static bool is_asked(const struct ice_delete_fact *one) {
    return one->kind == ICE_FACT_EQUALITY ||
           (one->kind == ICE_FACT_POSITION && !one->names_file);
}

static bool is_live(const struct sets *s, uint32_t entry) {
    return ice_manifest_is_listed(manifest_of(s, entry), s->head);
}

static uint64_t key_of(const struct sets *s, uint32_t partition) {
    return ice_hash_mix(partition, s->facts->ck->run->hash_seed);
}

static bool find(const struct sets *s, uint32_t partition, uint32_t *out) {
    size_t at = SIZE_MAX;
    return ice_table_next(&s->partitions, key_of(s, partition), &at, out);
}

static enum ice_status ask(struct sets *s, uint32_t partition) {
    uint32_t found;
    if (find(s, partition, &found))
        return ICE_OK;
    if (!ice_array_reserve(&s->facts->ck->run->alloc, &s->least, s->n_least,
                           &s->cap_least, sizeof(*s->least)))
        return ICE_ENOMEM;
    s->least[s->n_least] = INT64_MAX;
    return ice_table_put(&s->partitions, key_of(s, partition), (uint32_t)s->n_least++);
}

static void look_at_data(struct sets *s) {
    const struct ice_facts *facts = s->facts;
    uint32_t found;
    for (size_t i = 0; i < facts->n; i++) {
        const struct ice_fact *fact = &facts->items[i];
        if (ice_fact_kind(fact) != ICE_FACT_DATA ||
            ice_fact_status(fact) == ICE_STATUS_DELETED)
            continue;
        int64_t number =
            facts->origins[fact->origin].sequence_number; /* unknown: least */
        bool in_partition = find(s, fact->partition, &found);
        if (number >= s->least_of_all && (!in_partition || number >= s->least[found]))
            continue;
        if (!is_live(s, fact->entry))
            continue;
        if (number < s->least_of_all)
            s->least_of_all = number;
        if (in_partition && number < s->least[found])
            s->least[found] = number;
    }
}

enum { SAID_DANGLING = 1, SAID_GLOBAL = 2, SAID_SCOPE = 4 };

static bool first_time(struct ice_delete_fact *one, unsigned bit) {
    bool is_first = !(one->said & bit);
    one->said = (uint8_t)(one->said | bit);
    return is_first;
}

static bool is_partitioned(const struct ice_metadata *m) {
    for (size_t i = 0; i < m->n_specs; i++)
        for (size_t k = 0; k < m->specs[i].n_fields; k++)
            if (m->specs[i].fields[k].transform.kind != ICE_TRANSFORM_VOID)
                return true;
    return false;
}

/* Of several heads the newest says it. */
static enum ice_status judge(struct sets *s, struct ice_delete_fact *one) {
    const struct ice_metadata *m = &s->facts->ck->metadata;
    int64_t number = s->facts->origins[one->origin].sequence_number;
    bool is_equality = one->kind == ICE_FACT_EQUALITY;
    uint32_t found = 0;
    bool known = find(s, one->partition, &found);
    int64_t least = is_equality && one->is_unpartitioned ? s->least_of_all
                    : known                              ? s->least[found]
                                                         : INT64_MAX;
    bool applies = number == INT64_MIN || one->partition == 0 ||
                   (is_equality ? least < number : least <= number);
    if (!applies && first_time(one, SAID_DANGLING))
        ICE_TRY(suspect(s,
                        is_equality ? ICE_RULE_DELETE_EQUALITY_DANGLING
                                    : ICE_RULE_DELETE_POSITION_DANGLING,
                        one->entry, ICE_NO_NUMBER, s->head));
    if (is_equality && one->is_unpartitioned && is_partitioned(m) &&
        first_time(one, SAID_GLOBAL))
        ICE_TRY(suspect(s, ICE_RULE_DELETE_EQUALITY_GLOBAL, one->entry, ICE_NO_NUMBER,
                        s->head));
    if (one->leaves_partitions && m->n_specs > 1 && first_time(one, SAID_SCOPE))
        ICE_TRY(suspect(s, ICE_RULE_DELETE_EQUALITY_PARTITION_SCOPE, one->entry,
                        ICE_NO_NUMBER, s->head));
    return ICE_OK;
}

static enum ice_status check_head(struct sets *s) {
    const struct ice_facts *facts = s->facts;
    ice_table_clear(&s->partitions);
    s->n_least = 0;
    s->least_of_all = INT64_MAX;
    bool any = false;
    for (size_t i = 0; i < facts->n_deletes; i++) {
        if (!is_asked(&facts->deletes[i]) || !is_live(s, facts->deletes[i].entry))
            continue;
        any = true;
        ICE_TRY(ask(s, facts->deletes[i].partition));
    }
    if (!any)
        return ICE_OK;
    look_at_data(s);
    for (size_t i = 0; i < facts->n_deletes; i++)
        if (is_asked(&facts->deletes[i]) && is_live(s, facts->deletes[i].entry))
            ICE_TRY(judge(s, &facts->deletes[i]));
    return ICE_OK;
}

static enum ice_status check_heads(struct sets *s) {
    struct ice_check *ck = s->facts->ck;
    size_t n_heads = 0;
    for (uint32_t i = s->snapshots->n; i-- > 0;) {
        if (!ck->snapshots[i].is_head || !s->snapshots->judged[i])
            continue;
        if (n_heads++ == MOST_HEADS) {
            ice_emit_not_evaluated(ck->emit, "delete.*.dangling",
                                   ICE_STR("more than 64 heads of refs"), true,
                                   ICE_STR_NONE);
            return ICE_OK;
        }
        s->head = i;
        ICE_TRY(check_head(s));
    }
    return ICE_OK;
}

enum ice_status ice_delete_sets_check(struct ice_facts *facts,
                                      const struct ice_snapshot_sets *sets,
                                      struct ice_suspects *suspects) {
    struct sets s = {.facts = facts, .snapshots = sets, .suspects = suspects};
    struct ice_alloc *alloc = &facts->ck->run->alloc;
    enum ice_status status = ICE_OK;
    if (facts->n_deletes == 0 || facts->ck->version < 2)
        return ICE_OK;
    ice_table_init(&s.partitions, alloc);
    qsort(facts->deletes, facts->n_deletes, sizeof(*facts->deletes), compare_blobs);
    if (facts->ck->version >= 3)
        status = check_blobs(&s);
    if (status == ICE_OK)
        status = check_heads(&s);
    ice_array_free(alloc, &s.least, &s.cap_least, sizeof(*s.least));
    ice_table_release(&s.partitions);
    return status;
}
