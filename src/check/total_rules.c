/*
 * Groups 21, 20 and 19 as far as totals decide them: the numbers of a summary beside what
 * the manifests of the snapshot hold, and what its operation allows.
 */
#include "base/size.h"
#include "check/ancestry.h"
#include "check/snapshot_totals.h"

enum { MANY_DELETE_FILES = 10, MANY_DELETED_ROWS = 1000000 }; /* a data file */

static const char *const keys[ICE_METRIC_COUNT] = {
#define ICE_METRIC(token, key) key,
#include "iceberg/fields/metrics.def"
#undef ICE_METRIC
};

struct rules {
    struct ice_check *ck;
    const struct ice_snapshot_sets *sets;
    const struct ice_snapshot_totals *totals;
    const struct ice_snapshot *snapshot;
    uint64_t *data_files; /* live ones by snapshot, for the children */
    bool *over;           /* a total of the snapshot overflows */
    bool *restarted; /* its totals, or those that it carries on, began at 0 once more */
    bool *unsized;   /* it, or one before it, says of added files no size; or that is not
                        known, as the one before has expired */
};

/* ---- one number of a summary ---- */

static bool metric(const struct rules *r, enum ice_metric metric, int64_t *out) {
    *out = 0;
    return ice_snapshot_metric(&r->ck->metadata, r->snapshot, metric, out);
}

static void place_key(const struct rules *r, const char *key, struct ice_row_place *out) {
    out->place = ice_place_file(r->ck->metadata_file, ICE_ORDER_METADATA);
    out->place.at.pointer = ice_str_make(out->pointer, 0);
    ice_row_place_step(out, ICE_STR("snapshots"));
    ice_row_place_index(out, r->ck->snapshots[r->totals->number].index);
    if (key[0] == '\0')
        return;
    ice_row_place_step(out, ICE_STR("summary"));
    ice_row_place_step(out, ice_str_from(key));
}

static struct ice_arg id_arg(const struct rules *r) {
    return arg_id("id", r->snapshot->snapshot_id);
}

static void found_as(const struct rules *r, enum ice_rule_id rule,
                     enum ice_severity severity, enum ice_metric m, int64_t found,
                     int64_t counted) {
    struct ice_row_place at;
    place_key(r, keys[m], &at);
    FOUND_AS(r->ck->emit, rule, severity, &at.place, arg_text("field", keys[m]),
             id_arg(r), arg_i64("found", found), arg_i64("counted", counted));
}

static void found_total(const struct rules *r, enum ice_rule_id rule, enum ice_metric m,
                        int64_t found, int64_t counted) {
    found_as(r, rule, ICE_DEFAULT, m, found, counted);
}

/* other: also right. */
static void total(const struct rules *r, enum ice_rule_id rule, enum ice_metric m,
                  int64_t counted, int64_t other) {
    int64_t found;
    if (metric(r, m, &found) && found != counted && found != other)
        found_total(r, rule, m, found, counted);
}

static bool rows(const struct ice_file_sums *sums, int64_t *out) {
    return ice_wide_value(&sums->rows, out);
}

/* All sizes, with vectors by the size of their file, and by that of their blob. */
static bool sizes(const struct ice_totals *totals, int64_t *out_file, int64_t *out_blob) {
    struct ice_wide sum = {0};
    for (int content = 0; content < 3; content++)
        ice_wide_sum(&sum, &totals->files[content].sizes);
    if (!ice_wide_value(&sum, out_file))
        return false;
    ice_wide_less(&sum, &totals->vector_files);
    ice_wide_sum(&sum, &totals->vector_sizes);
    return ice_wide_value(&sum, out_blob);
}

/*
 * Spark's add_files, snapshot and migrate commit manifests: Iceberg Java takes files and
 * rows from those, but no sizes, and adds 0 to the total.
 */
static bool is_unsized(const struct rules *r) {
    const struct ice_metadata *m = &r->ck->metadata;
    const uint32_t parent = r->sets->parent[r->totals->number];
    int64_t data, deletes, size;
    (void)metric(r, ICE_METRIC_ADDED_DATA_FILES, &data);
    (void)metric(r, ICE_METRIC_ADDED_DELETE_FILES, &deletes);
    if ((data > 0 || deletes > 0) && !metric(r, ICE_METRIC_ADDED_FILES_SIZE, &size))
        return true;
    if (parent != ICE_NO_NUMBER)
        return r->unsized[parent];
    return ice_snapshot_has(r->snapshot, ICE_SNAP_parent_snapshot_id) &&
           ice_metadata_find_snapshot(m, r->snapshot->parent_snapshot_id) == SIZE_MAX;
}

static void check_sizes(const struct rules *r) {
    int64_t found, counted = 0, other = 0;
    (void)sizes(&r->totals->live, &counted, &other);
    if (!metric(r, ICE_METRIC_TOTAL_FILES_SIZE, &found) || found == counted ||
        found == other)
        return;
    bool is_known = r->unsized[r->totals->number] && found < counted;
    found_as(r, ICE_RULE_SUMMARY_TOTAL_FILES_SIZE, is_known ? ICE_INFO : ICE_DEFAULT,
             ICE_METRIC_TOTAL_FILES_SIZE, found, counted);
}

static void check_totals(const struct rules *r) {
    const struct ice_totals *live = &r->totals->live;
    const struct ice_file_sums *files = live->files;
    int64_t n;
    total(r, ICE_RULE_SUMMARY_TOTAL_DATA_FILES, ICE_METRIC_TOTAL_DATA_FILES,
          (int64_t)files[0].files, (int64_t)files[0].files);
    n = (int64_t)(files[1].files + files[2].files);
    total(r, ICE_RULE_SUMMARY_TOTAL_DELETE_FILES, ICE_METRIC_TOTAL_DELETE_FILES, n, n);
    if (live->n_unknown > 0)
        return;
    /* none is too large: then check_overflow has spoken, and nobody comes here */
    (void)rows(&files[0], &n);
    total(r, ICE_RULE_SUMMARY_TOTAL_RECORDS, ICE_METRIC_TOTAL_RECORDS, n, n);
    (void)rows(&files[1], &n);
    total(r, ICE_RULE_SUMMARY_TOTAL_POSITION_DELETES, ICE_METRIC_TOTAL_POSITION_DELETES,
          n, n);
    (void)rows(&files[2], &n);
    total(r, ICE_RULE_SUMMARY_TOTAL_EQUALITY_DELETES, ICE_METRIC_TOTAL_EQUALITY_DELETES,
          n, n);
    check_sizes(r);
}

/* ---- what a commit adds and removes ---- */

/* A number of the summary beside what was counted; other: also right. */
struct pair {
    enum ice_metric metric;
    int64_t counted, other;
    bool is_known;
};

/* What is not there is not judged: many writers leave out all but a few. */
static void compare(const struct rules *r, enum ice_rule_id rule,
                    const struct pair *pairs, size_t n) {
    int64_t found;
    for (size_t i = 0; i < n; i++)
        if (metric(r, pairs[i].metric, &found) && pairs[i].is_known &&
            found != pairs[i].counted && found != pairs[i].other)
            found_total(r, rule, pairs[i].metric, found, pairs[i].counted);
}

struct change_rule {
    enum ice_rule_id files_rule, rows_rule;
    enum ice_metric data, deletes, positions, equalities, vectors;
    enum ice_metric records, position_rows, equality_rows, size;
};

/*
 * Vectors stand apart from position delete files where the writer knows them, among them
 * where it does not.
 */
static void compare_change(const struct rules *r, const struct ice_totals *change,
                           const struct change_rule *rule, int64_t repeats) {
    const struct ice_file_sums *files = change->files;
    int64_t vectors = (int64_t)change->vectors, declared, n[3] = {0}, size = 0, blob = 0;
    bool knows_vectors = metric(r, rule->vectors, &declared);
    int64_t data = (int64_t)files[0].files, positions = (int64_t)files[1].files;
    int64_t equalities = (int64_t)files[2].files, deletes = positions + equalities;
    const struct pair counts[] = {
        {rule->data, data, data + repeats, true},
        {rule->deletes, deletes, deletes, true},
        {rule->positions, positions - vectors,
         knows_vectors ? positions - vectors : positions, true},
        {rule->equalities, equalities, equalities, true},
        {rule->vectors, vectors, 0, true},
    };
    compare(r, rule->files_rule, counts, ICE_COUNT_OF(counts));
    bool known = change->n_unknown == 0;
    for (int i = 0; i < 3; i++)
        known = known && rows(&files[i], &n[i]);
    known = known && sizes(change, &size, &blob);
    const struct pair sums[] = {
        {rule->records, n[0], n[0], known && repeats == 0},
        {rule->position_rows, n[1], n[1], known},
        {rule->equality_rows, n[2], n[2], known},
        {rule->size, size, blob, known && repeats == 0},
    };
    compare(r, rule->rows_rule, sums, ICE_COUNT_OF(sums));
}

static void check_changes(const struct rules *r) {
    static const struct change_rule added = {
        ICE_RULE_SUMMARY_ADDED_FILES,
        ICE_RULE_SUMMARY_ADDED_RECORDS,
        ICE_METRIC_ADDED_DATA_FILES,
        ICE_METRIC_ADDED_DELETE_FILES,
        ICE_METRIC_ADDED_POSITION_DELETE_FILES,
        ICE_METRIC_ADDED_EQUALITY_DELETE_FILES,
        ICE_METRIC_ADDED_DVS,
        ICE_METRIC_ADDED_RECORDS,
        ICE_METRIC_ADDED_POSITION_DELETES,
        ICE_METRIC_ADDED_EQUALITY_DELETES,
        ICE_METRIC_ADDED_FILES_SIZE,
    };
    static const struct change_rule removed = {
        ICE_RULE_SUMMARY_REMOVED_FILES,
        ICE_RULE_SUMMARY_REMOVED_RECORDS,
        ICE_METRIC_DELETED_DATA_FILES,
        ICE_METRIC_REMOVED_DELETE_FILES,
        ICE_METRIC_REMOVED_POSITION_DELETE_FILES,
        ICE_METRIC_REMOVED_EQUALITY_DELETE_FILES,
        ICE_METRIC_REMOVED_DVS,
        ICE_METRIC_DELETED_RECORDS,
        ICE_METRIC_REMOVED_POSITION_DELETES,
        ICE_METRIC_REMOVED_EQUALITY_DELETES,
        ICE_METRIC_REMOVED_FILES_SIZE,
    };
    int64_t repeats;
    (void)metric(r, ICE_METRIC_DELETED_DUPLICATE_FILES, &repeats);
    compare_change(r, &r->totals->added, &added, 0);
    compare_change(r, &r->totals->removed, &removed, repeats);
}

/* ---- totals that began anew ---- */

/* The parent is gone: by what the snapshot holds. Else rules_summaries.c has spoken. */
static void found_restart(const struct rules *r) {
    const struct ice_check *ck = r->ck;
    const struct ice_metadata *m = &ck->metadata;
    uint32_t current;
    bool is_current = ice_metadata_has(m, ICE_META_current_snapshot_id) &&
                      ice_snapshot_number(ck, m->current_snapshot_id, &current) &&
                      ice_is_ancestor(ck, r->totals->number, current);
    struct ice_row_place at;
    place_key(r, "", &at);
    ice_row_place_step(&at, ICE_STR("summary"));
    FOUND_AS(ck->emit, ICE_RULE_SUMMARY_TOTALS_RESTARTED,
             is_current ? ICE_WARN : ICE_INFO, &at.place, id_arg(r),
             arg_id("parent", r->snapshot->parent_snapshot_id));
}

static bool restarts(const struct rules *r) {
    const struct ice_metadata *m = &r->ck->metadata;
    uint32_t parent = r->sets->parent[r->totals->number];
    struct ice_snapshot_metrics own, before;
    int64_t files;
    if (!ice_snapshot_has(r->snapshot, ICE_SNAP_parent_snapshot_id) ||
        ice_snapshot_has_bad_metrics(r->snapshot))
        return false;
    ice_snapshot_metrics(m, r->snapshot, &own);
    if (parent != ICE_NO_NUMBER) {
        const struct ice_snapshot *snapshot = ice_numbered(r->ck, parent);
        ice_snapshot_metrics(m, snapshot, &before);
        return !ice_snapshot_has_bad_metrics(snapshot) &&
               ice_totals_restart(&own, &before);
    }
    if (ice_metadata_find_snapshot(m, r->snapshot->parent_snapshot_id) != SIZE_MAX ||
        !r->sets->judged[r->totals->number] || !ice_totals_restart(&own, NULL) ||
        !metric(r, ICE_METRIC_TOTAL_DATA_FILES, &files) ||
        (uint64_t)files >= r->totals->live.files[0].files)
        return false;
    found_restart(r);
    return true;
}

static uint64_t all_files(const struct ice_totals *totals) {
    return totals->files[0].files + totals->files[1].files + totals->files[2].files;
}

static void check_operation(const struct rules *r) {
    const struct ice_snapshot_totals *t = r->totals;
    uint64_t removed = all_files(&t->removed);
    uint64_t deletes = t->added.files[1].files + t->added.files[2].files;
    enum ice_operation operation = (enum ice_operation)r->snapshot->operation;
    struct ice_row_place at;
    place_key(r, "operation", &at);
    if (operation == ICE_OPERATION_APPEND && removed + deletes > 0)
        FOUND(r->ck->emit, ICE_RULE_SUMMARY_OPERATION_APPEND_REMOVES, &at.place,
              id_arg(r), arg_i64("removed", (int64_t)removed),
              arg_i64("deletes", (int64_t)deletes));
    if (operation == ICE_OPERATION_DELETE && t->added.files[0].files > 0)
        FOUND(r->ck->emit, ICE_RULE_SUMMARY_OPERATION_DELETE_ADDS, &at.place, id_arg(r),
              arg_i64("files", (int64_t)t->added.files[0].files));
    if (operation != ICE_OPERATION_ABSENT && operation != ICE_OPERATION_REPLACE &&
        removed + all_files(&t->added) == 0)
        FOUND(r->ck->emit, ICE_RULE_SUMMARY_OPERATION_NOOP, &at.place, id_arg(r));
}

/* ---- manifests ---- */

static void count_manifests(const struct rules *r, uint32_t parent, uint64_t *out_kept,
                            uint64_t *out_replaced) {
    const struct ice_snapshot_totals *t = r->totals;
    if (parent + 1 == t->number) {
        *out_kept = t->n_listed - t->n_begun;
        *out_replaced = t->n_ended;
        return;
    }
    *out_kept = *out_replaced = 0;
    for (size_t m = 0; m < r->ck->n_manifests; m++) {
        const struct ice_manifest_facts *manifest = &r->ck->manifests[m];
        if (!ice_manifest_is_listed(manifest, parent))
            continue;
        *(ice_manifest_is_listed(manifest, t->number) ? out_kept : out_replaced) += 1;
    }
}

static void manifest_number(const struct rules *r, enum ice_metric m, uint64_t counted) {
    struct ice_row_place at;
    int64_t found;
    if (!metric(r, m, &found) || (uint64_t)found == counted)
        return;
    place_key(r, keys[m], &at);
    FOUND(r->ck->emit, ICE_RULE_SUMMARY_MANIFESTS, &at.place, arg_text("field", keys[m]),
          id_arg(r), arg_i64("found", found), arg_i64("counted", (int64_t)counted));
}

static void check_manifests(const struct rules *r) {
    const struct ice_snapshot_totals *t = r->totals;
    uint64_t kept, replaced;
    int64_t ignored;
    manifest_number(r, ICE_METRIC_MANIFESTS_CREATED, t->n_created);
    if (!ice_judged_with_parent(r->sets, t->number) ||
        (!metric(r, ICE_METRIC_MANIFESTS_KEPT, &ignored) &&
         !metric(r, ICE_METRIC_MANIFESTS_REPLACED, &ignored)))
        return;
    count_manifests(r, r->sets->parent[t->number], &kept, &replaced);
    manifest_number(r, ICE_METRIC_MANIFESTS_KEPT, kept);
    /* other commits count only what they merged and filtered */
    if (metric(r, ICE_METRIC_ENTRIES_PROCESSED, &ignored))
        manifest_number(r, ICE_METRIC_MANIFESTS_REPLACED, replaced);
}

/* ---- groups 20 and 19 ---- */

static void check_overflow(const struct rules *r) {
    const struct ice_totals *live = &r->totals->live;
    uint32_t number = r->totals->number, parent = r->sets->parent[number];
    int64_t n, other = 0;
    const char *what = NULL;
    struct ice_row_place at;
    if (!rows(&live->files[0], &n) || !rows(&live->files[1], &n) ||
        !rows(&live->files[2], &n))
        what = "record counts";
    else if (!sizes(live, &n, &other))
        what = "sizes";
    r->over[number] = what != NULL;
    if (!what || (parent != ICE_NO_NUMBER && r->over[parent]))
        return;
    place_key(r, "", &at);
    FOUND(r->ck->emit, ICE_RULE_LIVE_TOTAL_OVERFLOW, &at.place, arg_text("what", what),
          arg_id("snapshot_id", r->snapshot->snapshot_id));
}

static void check_empty(const struct rules *r) {
    const struct ice_metadata *m = &r->ck->metadata;
    uint32_t number = r->totals->number;
    uint64_t files = r->totals->live.files[0].files;
    struct ice_row_place at;
    r->data_files[number] = files;
    if (files > 0 || !ice_metadata_has(m, ICE_META_current_snapshot_id) ||
        m->current_snapshot_id != r->snapshot->snapshot_id ||
        !ice_judged_with_parent(r->sets, number))
        return;
    uint32_t parent = r->sets->parent[number];
    if (r->data_files[parent] == 0)
        return;
    place_key(r, "", &at);
    FOUND(r->ck->emit, ICE_RULE_LIVE_EMPTY_CURRENT, &at.place,
          arg_id("snapshot_id", r->snapshot->snapshot_id),
          arg_id("parent_id", ice_numbered(r->ck, parent)->snapshot_id),
          arg_i64("files", (int64_t)r->data_files[parent]));
}

static void check_load(const struct rules *r) {
    const struct ice_file_sums *files = r->totals->live.files;
    uint64_t deletes = files[1].files + files[2].files, data = files[0].files;
    int64_t positions, equalities, deleted;
    struct ice_row_place at;
    if (!r->ck->snapshots[r->totals->number].is_head || r->ck->version < 2 || data == 0 ||
        !rows(&files[1], &positions) || !rows(&files[2], &equalities) ||
        !ice_i64_add(positions, equalities, &deleted))
        return;
    if (deletes / data < MANY_DELETE_FILES &&
        (uint64_t)deleted / data < MANY_DELETED_ROWS)
        return;
    place_key(r, "", &at);
    FOUND(r->ck->emit, ICE_RULE_DELETE_LOAD_HIGH, &at.place,
          arg_id("snapshot_id", r->snapshot->snapshot_id),
          arg_i64("delete_files", (int64_t)deletes), arg_i64("deleted_rows", deleted),
          arg_i64("data_files", (int64_t)data));
}

static void check_snapshot(const struct ice_snapshot_totals *totals, void *user) {
    struct rules *r = user;
    uint32_t parent = r->sets->parent[totals->number];
    r->totals = totals;
    r->snapshot = ice_numbered(r->ck, totals->number);
    r->restarted[totals->number] =
        (parent != ICE_NO_NUMBER && r->restarted[parent]) || restarts(r);
    r->unsized[totals->number] = is_unsized(r);
    if (!r->sets->judged[totals->number])
        return;
    check_overflow(r);
    check_empty(r);
    check_load(r);
    if (!r->over[totals->number] && !r->restarted[totals->number])
        check_totals(r);
    /* manifests came, but none by this snapshot: its id, or theirs, is not what it was */
    if (totals->n_unassigned > 0 || (totals->n_created == 0 && totals->n_begun > 0) ||
        r->ck->snapshots[totals->number].is_disputed)
        return;
    check_changes(r);
    check_operation(r);
    check_manifests(r);
}

enum ice_status ice_total_rules(const struct ice_snapshot_sets *sets) {
    struct ice_check *ck = sets->ck;
    struct rules r = {.ck = ck, .sets = sets};
    enum ice_status status = ICE_ENOMEM;
    if (sets->n == 0)
        return ICE_OK;
    r.data_files = ice_calloc(&ck->run->alloc, sets->n, sizeof(*r.data_files));
    r.over = ice_calloc(&ck->run->alloc, sets->n, sizeof(*r.over));
    r.restarted = ice_calloc(&ck->run->alloc, sets->n, sizeof(*r.restarted));
    r.unsized = ice_calloc(&ck->run->alloc, sets->n, sizeof(*r.unsized));
    if (r.data_files && r.over && r.restarted && r.unsized)
        status = ice_snapshot_totals_walk(sets, check_snapshot, &r);
    ice_free(&ck->run->alloc, r.data_files, sets->n * sizeof(*r.data_files));
    ice_free(&ck->run->alloc, r.over, sets->n * sizeof(*r.over));
    ice_free(&ck->run->alloc, r.restarted, sets->n * sizeof(*r.restarted));
    ice_free(&ck->run->alloc, r.unsized, sets->n * sizeof(*r.unsized));
    return status;
}
