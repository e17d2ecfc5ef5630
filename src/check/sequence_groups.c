/*
 * A file that the same snapshot added must have one data sequence number in all snapshots
 * of one ancestry (spec: #manifest-entry-fields). Suspects are read a second time, each
 * manifest once, for their paths: that also confirms what only hashes said.
 */
#include "check/sequence_groups.h"

#include "base/error.h"
#include "check/ancestry.h"
#include "check/row_place.h"

/* Entries of one file that are looked at for an earlier one with another number. */
enum { MAX_LOOK_BACK = 1024 };

/* One of the two entries that disagree, as it is found in its manifest. */
struct side {
    uint32_t manifest, entry;
    int64_t sequence_number;
    uint64_t block, offset;
    struct ice_str path, column; /* in the arena of the check; size 0: not found again */
};

struct suspect {
    struct side earlier, later;
};

struct groups {
    struct ice_check *ck;
    struct suspect *suspects;
    size_t n, capacity;
    struct side **sides; /* of all suspects, by manifest and entry */
    uint32_t *below; /* scratch: snapshots of one manifest with a smaller enter time */
    struct ice_table related; /* pairs of manifests that were compared */
    uint32_t last_a, last_b;  /* the last pair ... */
    bool last_related;        /* ... and its answer */
};

/* ---- are two manifests in one line of snapshots? ---- */

static void count_below(struct groups *g, const struct ice_manifest_facts *facts) {
    const struct ice_check *ck = g->ck;
    memset(g->below, 0, (ck->n_snapshots + 1) * sizeof(*g->below));
    for (uint32_t run = 0; run < facts->n_runs; run++)
        for (uint32_t i = facts->runs[run].first; i <= facts->runs[run].last; i++)
            g->below[ck->snapshots[i].enter + 1] = 1;
    for (size_t i = 0; i < ck->n_snapshots; i++)
        g->below[i + 1] += g->below[i];
}

/* Does a snapshot that lists b equal or descend from one that lists a? */
static bool leads_to(struct groups *g, uint32_t a, uint32_t b) {
    const struct ice_check *ck = g->ck;
    const struct ice_manifest_facts *from = &ck->manifests[a];
    count_below(g, &ck->manifests[b]);
    for (uint32_t run = 0; run < from->n_runs; run++)
        for (uint32_t i = from->runs[run].first; i <= from->runs[run].last; i++)
            if (g->below[ck->snapshots[i].leave] > g->below[ck->snapshots[i].enter])
                return true;
    return false;
}

static enum ice_status find_related(struct groups *g, uint32_t a, uint32_t b) {
    if (g->last_a == a && g->last_b == b)
        return ICE_OK;
    g->last_a = a;
    g->last_b = b;
    uint64_t key = ice_hash_mix((uint64_t)a << 32 | b, g->ck->run->hash_seed);
    size_t at = SIZE_MAX;
    uint32_t known;
    if (ice_table_next(&g->related, key, &at, &known)) {
        g->last_related = known;
        return ICE_OK;
    }
    g->last_related = leads_to(g, a, b) || leads_to(g, b, a);
    return ice_table_put(&g->related, key, g->last_related);
}

/* ---- suspects ---- */

static struct side side_of(const struct ice_sequence_fact *fact) {
    return (struct side){.manifest = fact->manifest,
                         .entry = fact->entry,
                         .sequence_number = fact->sequence_number};
}

static enum ice_status check_entry(struct groups *g,
                                   const struct ice_sequence_fact *group, size_t index) {
    const struct ice_sequence_fact *later = &group[index];
    size_t last = index > MAX_LOOK_BACK ? index - MAX_LOOK_BACK : 0;
    for (size_t i = index; i > last; i--) {
        const struct ice_sequence_fact *earlier = &group[i - 1];
        if (earlier->sequence_number == later->sequence_number ||
            earlier->manifest == later->manifest)
            continue;
        ICE_TRY(find_related(g, earlier->manifest, later->manifest));
        if (!g->last_related)
            continue;
        if (!ice_array_reserve(&g->ck->run->alloc, &g->suspects, g->n, &g->capacity,
                               sizeof(*g->suspects)))
            return ICE_ENOMEM;
        g->suspects[g->n++] =
            (struct suspect){.earlier = side_of(earlier), .later = side_of(later)};
        return ICE_OK;
    }
    return ICE_OK;
}

static enum ice_status check_group(struct groups *g,
                                   const struct ice_sequence_fact *group, size_t n) {
    bool differ = false;
    for (size_t i = 1; i < n; i++)
        differ = differ || group[i].sequence_number != group[0].sequence_number;
    for (size_t i = 1; differ && i < n; i++)
        ICE_TRY(check_entry(g, group, i));
    return ICE_OK;
}

static enum ice_status find_suspects(struct groups *g,
                                     const struct ice_sequence_fact *facts, size_t n) {
    size_t first = 0;
    for (size_t i = 1; i <= n; i++) {
        if (i < n && facts[i].key.high == facts[first].key.high &&
            facts[i].key.low == facts[first].key.low)
            continue;
        if (i - first > 1)
            ICE_TRY(check_group(g, facts + first, i - first));
        first = i;
    }
    return ICE_OK;
}

/* ---- names ---- */

static bool side_is_after(const struct side *a, const struct side *b) {
    return a->manifest != b->manifest ? a->manifest > b->manifest : a->entry > b->entry;
}

static void sift_down(struct side **heap, size_t at, size_t n) {
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && side_is_after(heap[child + 1], heap[child]))
            child++;
        if (!side_is_after(heap[child], heap[at]))
            return;
        struct side *kept = heap[at];
        heap[at] = heap[child];
        heap[child] = kept;
    }
}

static void sort_sides(struct side **sides, size_t n) {
    for (size_t i = n / 2; i > 0; i--)
        sift_down(sides, i - 1, n);
    for (size_t end = n; end > 1; end--) {
        struct side *kept = sides[0];
        sides[0] = sides[end - 1];
        sides[end - 1] = kept;
        sift_down(sides, 0, end - 1);
    }
}

static bool keep_name(struct ice_check *ck, const struct ice_manifest *manifest,
                      const struct ice_manifest_entry *entry, struct side *side) {
    side->block = manifest->rows.block.index;
    side->offset = manifest->rows.block.offset;
    return ice_arena_dup(&ck->arena, entry->file.file_path, &side->path) &&
           ice_arena_dup(&ck->arena,
                         ice_manifest_column_name(manifest, ICE_ENTRY_sequence_number),
                         &side->column);
}

/* All sides of one manifest, in one reading. A file that can no longer be read names
 * none. */
static enum ice_status read_names(struct ice_check *ck, struct side **sides, size_t n,
                                  struct ice_error *err) {
    const struct ice_manifest_facts *facts = &ck->manifests[sides[0]->manifest];
    struct ice_place place = ice_place_file(ice_check_file_name(ck, facts->path),
                                            ICE_ORDER_MANIFEST + sides[0]->manifest);
    struct ice_stream stream = {0};
    struct ice_manifest manifest = {0};
    struct ice_file_info info;
    struct ice_error fault;
    const struct ice_manifest_entry *entry = NULL;
    enum ice_status status =
        ice_check_open(ck, facts->path, &place, ICE_RULE_STORAGE_MANIFEST_MISSING,
                       ice_manifest_scope(ck, facts), "manifest", &stream, &info, err);
    if (status < 0)
        return ice_status_is_final(status) ? status : ICE_OK;
    ck->n_bytes -= info.size; /* counted in pass 3 */
    ice_error_clear(&fault);
    status = ice_manifest_open(&manifest, ck->run, &stream, NULL, NULL, &fault);
    for (size_t i = 0; status == ICE_OK && i < n;) {
        status = ice_manifest_next(&manifest, &entry, &fault);
        for (; status == ICE_OK && i < n && sides[i]->entry <= manifest.rows.record; i++)
            if (sides[i]->entry == manifest.rows.record &&
                !keep_name(ck, &manifest, entry, sides[i]))
                status = ICE_ENOMEM;
    }
    ice_manifest_release(&manifest);
    ice_stream_release(&stream);
    return status == ICE_ENOMEM ? ice_error_memory(err) : ICE_OK;
}

static enum ice_status name_suspects(struct groups *g, struct ice_error *err) {
    size_t n = 2 * g->n;
    g->sides = ice_calloc(&g->ck->run->alloc, n, sizeof(*g->sides));
    if (!g->sides)
        return ice_error_memory(err);
    for (size_t i = 0; i < g->n; i++) {
        g->sides[2 * i] = &g->suspects[i].earlier;
        g->sides[2 * i + 1] = &g->suspects[i].later;
    }
    sort_sides(g->sides, n);
    size_t first = 0;
    for (size_t i = 1; i <= n; i++) {
        if (i < n && g->sides[i]->manifest == g->sides[first]->manifest)
            continue;
        ICE_TRY(read_names(g->ck, g->sides + first, i - first, err));
        first = i;
    }
    return ICE_OK;
}

static void place_side(struct ice_check *ck, const struct side *side,
                       struct ice_row_place *out) {
    ice_row_place_begin(out, ice_check_file_name(ck, ck->manifests[side->manifest].path),
                        ICE_ORDER_MANIFEST + side->manifest, side->entry);
    out->place.at.block = side->block;
    out->place.at.offset = side->offset;
    ice_row_place_step(out, side->column);
}

static void report(struct ice_check *ck, const struct suspect *suspect) {
    const struct side *earlier = &suspect->earlier, *later = &suspect->later;
    struct ice_row_place here, there;
    if (later->path.size == 0 || !ice_str_equal(earlier->path, later->path))
        return;
    place_side(ck, later, &here);
    place_side(ck, earlier, &there);
    FOUND_VS(ck->emit, ICE_RULE_MANIFEST_ENTRY_SEQUENCE_NUMBER_CHANGED, ICE_DEFAULT,
             &here.place, &there.place, arg_str("path", later->path),
             arg_i64("found", later->sequence_number),
             arg_i64("other", earlier->sequence_number),
             arg_str("manifest", there.place.at.file));
}

enum ice_status ice_sequence_groups_check(struct ice_check *ck,
                                          const struct ice_sequence_fact *facts, size_t n,
                                          struct ice_error *err) {
    struct groups g = {.ck = ck, .last_a = UINT32_MAX, .last_b = UINT32_MAX};
    struct ice_alloc *alloc = &ck->run->alloc;
    enum ice_status status = ICE_OK;
    ice_table_init(&g.related, alloc);
    g.below = ice_calloc(alloc, ck->n_snapshots + 1, sizeof(*g.below));
    if (!g.below || find_suspects(&g, facts, n) < 0) {
        status = ice_error_memory(err);
        goto done;
    }
    if (g.n > 0)
        status = name_suspects(&g, err);
    for (size_t i = 0; status == ICE_OK && i < g.n; i++)
        report(ck, &g.suspects[i]);
done:
    if (g.sides)
        ice_free(alloc, g.sides, 2 * g.n * sizeof(*g.sides));
    if (g.below)
        ice_free(alloc, g.below, (ck->n_snapshots + 1) * sizeof(*g.below));
    ice_array_free(alloc, &g.suspects, &g.capacity, sizeof(*g.suspects));
    ice_table_release(&g.related);
    return status;
}
