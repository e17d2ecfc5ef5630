/*
 * manifest.file.blob.overlap: deletion vectors that share bytes of one Puffin file, in a
 * snapshot that lists both.
 */
#include "base/error.h"
#include "check/set_rules.h"

enum { MOST_BEFORE = 64 }; /* blobs that begin before one are compared with it */

struct overlaps {
    const struct ice_facts *facts;
    const struct ice_snapshot_sets *sets;
    struct ice_suspects *suspects;
    struct ice_blob_fact before[MOST_BEFORE]; /* the last ones, in a ring */
    size_t n_before;                          /* all so far */
};

static const struct ice_manifest_facts *manifest_of(const struct overlaps *o,
                                                    uint32_t entry) {
    return &o->facts->ck->manifests[ice_fact_manifest(o->facts, entry)];
}

/* The last judged snapshot that lists both manifests; ICE_NO_NUMBER. */
static uint32_t listed_together(const struct overlaps *o, uint32_t a, uint32_t b) {
    const struct ice_manifest_facts *x = manifest_of(o, a), *y = manifest_of(o, b);
    uint32_t i = x->n_runs, k = y->n_runs;
    while (i > 0 && k > 0) {
        const struct ice_snapshot_run *p = &x->runs[i - 1], *q = &y->runs[k - 1];
        uint32_t first = p->first > q->first ? p->first : q->first;
        uint32_t last = p->last < q->last ? p->last : q->last;
        uint32_t found =
            first <= last ? ice_last_judged(o->sets, first, last) : ICE_NO_NUMBER;
        if (found != ICE_NO_NUMBER)
            return found;
        if (p->first > q->first)
            i--;
        else
            k--;
    }
    return ICE_NO_NUMBER;
}

static bool has_range(const struct ice_blob_fact *blob) {
    return blob->offset >= 0 && blob->size > 0 && blob->offset <= INT64_MAX - blob->size;
}

static enum ice_status check_blob(struct overlaps *o, const struct ice_blob_fact *blob) {
    for (size_t back = 1; back <= o->n_before && back <= MOST_BEFORE; back++) {
        const struct ice_blob_fact *other =
            &o->before[(o->n_before - back) % MOST_BEFORE];
        if (other->key != blob->key)
            return ICE_OK;
        /* one blob twice is a duplicate vector */
        if (!has_range(other) || other->offset == blob->offset ||
            other->offset + other->size <= blob->offset)
            continue;
        uint32_t snapshot = listed_together(o, blob->entry, other->entry);
        if (snapshot == ICE_NO_NUMBER)
            continue;
        return ice_suspect_add(
            o->suspects, (struct ice_suspect){.rule = ICE_RULE_MANIFEST_FILE_BLOB_OVERLAP,
                                              .severity = ICE_DEFAULT,
                                              .entry = blob->entry,
                                              .other = other->entry,
                                              .snapshot = snapshot,
                                              .before = ICE_NO_NUMBER,
                                              .row = -1});
    }
    return ICE_OK;
}

static enum ice_status check_blobs(const void *records, size_t n, void *user) {
    const struct ice_blob_fact *blobs = records;
    struct overlaps *o = user;
    for (size_t i = 0; i < n; i++) {
        if (has_range(&blobs[i]))
            ICE_TRY(check_blob(o, &blobs[i]));
        o->before[o->n_before++ % MOST_BEFORE] = blobs[i];
    }
    return ICE_OK;
}

enum ice_status ice_blob_overlaps_check(const struct ice_facts *facts,
                                        const struct ice_snapshot_sets *sets,
                                        struct ice_suspects *suspects) {
    struct overlaps o = {.facts = facts, .sets = sets, .suspects = suspects};
    if (facts->ck->version < 3)
        return ICE_OK;
    return ice_sorter_read(&facts->blobs, NULL, check_blobs, &o);
}
