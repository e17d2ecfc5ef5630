/*
 * Which schemas meet in one line of commits. REPLACE TABLE begins a line anew, with a
 * snapshot that has no parent: no reader ever sees rows of the schemas before with those
 * that come then, though the table lists all of them.
 */
#include "check/layout_rules.h"

#include "base/error.h"

/* Lines beyond share bits: schemas then meet too often, not too seldom. */
enum { LINE_BITS = 63 };
#define NEW_LINE (UINT64_C(1) << LINE_BITS) /* no snapshot is of it yet */

/* Lines of a table: sets of snapshots, joined by their parents. */
struct lines {
    const struct ice_metadata *m;
    uint32_t *up;  /* towards the one that stands for the set; [n_snapshots]: the set of
                      all whose ancestry ends with a snapshot that is not listed */
    uint64_t *bit; /* of the one that stands for a set; 0: none yet */
    unsigned n_lines;
};

static uint32_t find(const struct lines *lines, uint32_t i) {
    while (lines->up[i] != i) {
        lines->up[i] = lines->up[lines->up[i]];
        i = lines->up[i];
    }
    return i;
}

static void join_parents(struct lines *lines) {
    const struct ice_metadata *m = lines->m;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        const struct ice_snapshot *s = &m->snapshots[i];
        if (!ice_snapshot_has(s, ICE_SNAP_parent_snapshot_id))
            continue;
        size_t parent = ice_metadata_find_snapshot(m, s->parent_snapshot_id);
        if (parent == SIZE_MAX)
            parent = m->n_snapshots;
        lines->up[find(lines, (uint32_t)i)] = find(lines, (uint32_t)parent);
    }
}

static uint64_t bit_of(struct lines *lines, size_t snapshot) {
    uint32_t at = find(lines, (uint32_t)snapshot);
    if (lines->bit[at] == 0)
        lines->bit[at] = UINT64_C(1) << (lines->n_lines++ % LINE_BITS);
    return lines->bit[at];
}

/* Branches are read with the current schema, whatever they were written with. */
static uint64_t bits_of_current(struct lines *lines) {
    const struct ice_metadata *m = lines->m;
    uint64_t bits = 0;
    size_t at = ice_metadata_find_snapshot(m, m->current_snapshot_id);
    if (at != SIZE_MAX)
        bits |= bit_of(lines, at);
    for (size_t i = 0; i < m->n_refs; i++) {
        if (ice_str_equal(m->refs[i].type, ICE_STR("tag")) || !m->refs[i].has_snapshot_id)
            continue;
        at = ice_metadata_find_snapshot(m, m->refs[i].snapshot_id);
        if (at != SIZE_MAX)
            bits |= bit_of(lines, at);
    }
    return bits != 0 ? bits : NEW_LINE;
}

static enum ice_status fill(struct lines *lines, const struct ice_layouts *l,
                            struct ice_table *by_id, uint64_t *out) {
    const struct ice_metadata *m = lines->m;
    uint64_t everywhere = 0;
    size_t slot;
    uint32_t index;
    for (size_t i = 0; i < l->n_schemas; i++) {
        uint64_t key = ice_hash_mix((uint64_t)l->schemas[i].schema_id, m->run->hash_seed);
        slot = SIZE_MAX;
        if (!ice_table_next(by_id, key, &slot, &index))
            ICE_TRY(ice_table_put(by_id, key, (uint32_t)i));
    }
    for (size_t i = 0; i < m->n_snapshots; i++) {
        const struct ice_snapshot *s = &m->snapshots[i];
        uint64_t key = ice_hash_mix((uint64_t)s->schema_id, m->run->hash_seed);
        slot = SIZE_MAX;
        if (ice_snapshot_has(s, ICE_SNAP_schema_id) &&
            ice_table_next(by_id, key, &slot, &index))
            out[index] |= bit_of(lines, i);
        else
            everywhere |= bit_of(lines, i);
    }
    for (size_t i = 0; i < l->n_schemas; i++) {
        if (&l->schemas[i] == l->current)
            out[i] |= bits_of_current(lines);
        /* one that manifests alone name may be of any line; what nothing names has no
         * rows */
        if (out[i] == 0 && l->schema_needed[i])
            out[i] = UINT64_MAX;
        out[i] |= everywhere;
    }
    return ICE_OK;
}

enum ice_status ice_schema_lines(const struct ice_layouts *l, uint64_t *out) {
    const struct ice_metadata *m = l->p.m;
    struct ice_alloc *alloc = &l->p.ck->run->alloc;
    const size_t n = m->n_snapshots + 1;
    struct lines lines = {.m = m};
    struct ice_table by_id;
    enum ice_status status = ICE_ENOMEM;
    ice_table_init(&by_id, alloc);
    lines.up = ice_calloc(alloc, n, sizeof(*lines.up));
    lines.bit = ice_calloc(alloc, n, sizeof(*lines.bit));
    if (lines.up != NULL && lines.bit != NULL) {
        for (size_t i = 0; i < n; i++)
            lines.up[i] = (uint32_t)i;
        join_parents(&lines);
        status = fill(&lines, l, &by_id, out);
    }
    ice_table_release(&by_id);
    ice_free(alloc, lines.up, n * sizeof(*lines.up));
    ice_free(alloc, lines.bit, n * sizeof(*lines.bit));
    return status;
}
