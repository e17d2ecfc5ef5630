/*
 * Rows about a table, kept as far as they are shown.
 */
#include "report/html_facts.h"

#include "base/error.h"
#include "report/graph_report.h"

void ice_html_facts_init(struct ice_html_facts *facts, struct ice_alloc *alloc) {
    *facts = (struct ice_html_facts){.alloc = alloc};
    for (size_t i = 0; i <= ICE_HTML_MANIFESTS; i++)
        ice_buf_init(&facts->manifests[i].path, alloc, SIZE_MAX / 2);
}

void ice_html_facts_release(struct ice_html_facts *facts) {
    if (facts->alloc == NULL)
        return;
    for (size_t i = 0; facts->commits != NULL && i < ICE_HTML_COMMITS; i++)
        ice_buf_release(&facts->commits[i].text);
    ice_free(facts->alloc, facts->commits,
             facts->commits != NULL ? ICE_HTML_COMMITS * sizeof(*facts->commits) : 0);
    ice_array_free(facts->alloc, &facts->points, &facts->cap_points,
                   sizeof(*facts->points));
    for (size_t i = 0; i <= ICE_HTML_MANIFESTS; i++)
        ice_buf_release(&facts->manifests[i].path);
    *facts = (struct ice_html_facts){0};
}

void ice_html_facts_clear(struct ice_html_facts *facts) {
    memset(facts->was_asked, 0, sizeof(facts->was_asked));
    facts->answer = ICE_HTML_NO_ANSWER;
    facts->n_rows = facts->n_points = 0;
    facts->missed = (struct ice_html_missed){0};
    facts->n_shown = 0;
    facts->n_manifests = facts->manifest_bytes = facts->n_delete_manifests = 0;
}

/* ---- words ---- */

bool ice_html_next_word(struct ice_str *list, struct ice_str *out) {
    if (list->size == 0)
        return false;
    size_t comma = ice_str_find(*list, ',');
    *out = comma == SIZE_MAX ? *list : ice_str_first(*list, comma);
    *list = comma == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(*list, comma + 1);
    if (list->size > 0 && list->data[0] == ' ')
        *list = ice_str_from_index(*list, 1);
    return true;
}

bool ice_html_has_word(struct ice_str list, const char *word) {
    struct ice_str one;
    while (ice_html_next_word(&list, &one)) {
        if (ice_str_is(one, word))
            return true;
    }
    return false;
}

/* ---- rows ---- */

struct row {
    const struct ice_column *columns;
    const struct ice_value *values;
    size_t n;
};

static const struct ice_value *value_of(const struct row *row, const char *name) {
    const struct ice_value *value =
        ice_value_named(row->columns, row->values, row->n, name);
    return value == NULL || value->kind == ICE_VALUE_NULL ? NULL : value;
}

static bool number_of(const struct row *row, const char *name, int64_t *out) {
    const struct ice_value *value = value_of(row, name);
    *out = value != NULL ? value->i64 : 0;
    return value != NULL;
}

static struct ice_str text_of(const struct row *row, const char *name) {
    const struct ice_value *value = value_of(row, name);
    return value != NULL ? value->str : ICE_STR_NONE;
}

static int64_t add(int64_t a, int64_t b) {
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return b < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

/* ---- history ---- */

static const char *const number_names[ICE_HTML_NUMBERS] = {
    [ICE_HTML_ADDED_FILES] = "added_data_files",
    [ICE_HTML_DELETED_FILES] = "deleted_data_files",
    [ICE_HTML_ADDED_DELETES] = "added_delete_files",
    [ICE_HTML_REMOVED_DELETES] = "removed_delete_files",
    [ICE_HTML_ADDED_ROWS] = "added_records",
    [ICE_HTML_DELETED_ROWS] = "deleted_records",
    [ICE_HTML_TOTAL_ROWS] = "total_records",
    [ICE_HTML_TOTAL_FILES] = "total_data_files",
    [ICE_HTML_TOTAL_BYTES] = "total_files_size",
};

static const char *const text_names[ICE_HTML_COMMIT_TEXTS] = {
    [ICE_HTML_FILE] = "metadata_file", [ICE_HTML_OPERATION] = "operation",
    [ICE_HTML_WRITER] = "writer",      [ICE_HTML_REFS] = "refs",
    [ICE_HTML_CHANGES] = "changes",    [ICE_HTML_FLAGS] = "flags",
};

static struct ice_html_commit *next_commit(struct ice_html_facts *facts) {
    if (facts->commits == NULL) {
        facts->commits =
            ice_calloc(facts->alloc, ICE_HTML_COMMITS, sizeof(*facts->commits));
        if (facts->commits == NULL)
            return NULL;
        for (size_t i = 0; i < ICE_HTML_COMMITS; i++)
            ice_buf_init(&facts->commits[i].text, facts->alloc, SIZE_MAX / 2);
    }
    return &facts->commits[facts->n_rows % ICE_HTML_COMMITS];
}

static enum ice_status keep_commit(struct ice_html_commit *commit,
                                   const struct row *row) {
    struct ice_lane_commit *lane = &commit->lane;
    *lane = (struct ice_lane_commit){0};
    lane->has_id = number_of(row, "snapshot_id", &lane->id);
    lane->has_parent = number_of(row, "parent_id", &lane->parent);
    commit->has_time = number_of(row, "time", &commit->time_ms);
    lane->is_head = ice_refs_name_main(value_of(row, "refs"));
    commit->has_numbers = 0;
    for (unsigned i = 0; i < ICE_HTML_NUMBERS; i++) {
        if (number_of(row, number_names[i], &commit->numbers[i]))
            commit->has_numbers |= 1U << i;
    }
    ice_buf_clear(&commit->text);
    for (size_t i = 0; i < ICE_HTML_COMMIT_TEXTS; i++) {
        struct ice_str text = text_of(row, text_names[i]);
        ICE_TRY(
            ice_buf_append_str(&commit->text, ice_str_first(text, ICE_HTML_FACT_BYTES)));
        commit->ends[i] = commit->text.size;
    }
    return ICE_OK;
}

static enum ice_status keep_point(struct ice_html_facts *facts,
                                  const struct ice_html_commit *commit) {
    size_t at = (size_t)(facts->n_points % ICE_HTML_POINTS);
    if (!commit->lane.has_id)
        return ICE_OK;
    if (facts->n_points < ICE_HTML_POINTS &&
        !ice_array_reserve(facts->alloc, &facts->points, at, &facts->cap_points,
                           sizeof(*facts->points)))
        return ICE_ENOMEM;
    struct ice_html_point *point = &facts->points[at];
    *point = (struct ice_html_point){.id = commit->lane.id,
                                     .parent = commit->lane.parent,
                                     .has_parent = commit->lane.has_parent,
                                     .time_ms = commit->time_ms,
                                     .has_time = commit->has_time,
                                     .has_numbers =
                                         commit->has_numbers >> ICE_HTML_TOTAL_ROWS};
    memcpy(point->numbers, &commit->numbers[ICE_HTML_TOTAL_ROWS], sizeof(point->numbers));
    facts->n_points++;
    return ICE_OK;
}

/* A file that continues the one that was judged: who reads that one misses it. */
static void count_missed(struct ice_html_missed *missed,
                         const struct ice_html_commit *commit) {
    if (!ice_html_has_word(ice_html_commit_text(commit, ICE_HTML_FLAGS), "newer"))
        return;
    missed->n_files++;
    missed->n_commits += commit->lane.has_id;
    for (size_t i = 0; i < ICE_HTML_TOTAL_ROWS; i++) {
        if ((commit->has_numbers >> i) & 1)
            missed->numbers[i] = add(missed->numbers[i], commit->numbers[i]);
    }
    if (!commit->has_time)
        return;
    if (!missed->has_time)
        missed->first_ms = commit->time_ms;
    missed->last_ms = commit->time_ms;
    missed->has_time = true;
}

static enum ice_status keep_history(struct ice_html_facts *facts, const struct row *row) {
    struct ice_html_commit *commit = next_commit(facts);
    if (commit == NULL)
        return ICE_ENOMEM;
    ICE_TRY(keep_commit(commit, row));
    facts->n_rows++;
    count_missed(&facts->missed, commit);
    return keep_point(facts, commit);
}

/* ---- manifests ---- */

/* The one that is too many stays behind the others: its buffer is used again. */
static enum ice_status keep_manifest(struct ice_html_facts *facts,
                                     const struct row *row) {
    int64_t length, content, added, existing;
    (void)number_of(row, "length", &length);
    (void)number_of(row, "content", &content);
    facts->n_manifests++;
    facts->manifest_bytes += length > 0 ? (uint64_t)length : 0;
    facts->n_delete_manifests += content == 1;
    if (facts->n_shown == ICE_HTML_MANIFESTS &&
        facts->manifests[facts->n_shown - 1].length >= length)
        return ICE_OK;
    bool is_deletes = content == 1;
    (void)number_of(
        row, is_deletes ? "added_delete_files_count" : "added_data_files_count", &added);
    (void)number_of(
        row, is_deletes ? "existing_delete_files_count" : "existing_data_files_count",
        &existing);
    struct ice_html_manifest one = facts->manifests[facts->n_shown];
    one.length = length;
    one.content = content;
    one.n_files = add(added, existing);
    ice_buf_clear(&one.path);
    enum ice_status status = ice_buf_append_str(
        &one.path, ice_str_first(text_of(row, "path"), ICE_HTML_TEXT_BYTES));
    size_t at = facts->n_shown;
    for (; at > 0 && facts->manifests[at - 1].length < length; at--)
        facts->manifests[at] = facts->manifests[at - 1];
    facts->manifests[at] = one;
    if (facts->n_shown < ICE_HTML_MANIFESTS)
        facts->n_shown++;
    return status;
}

enum ice_status ice_html_facts_row(struct ice_html_facts *facts,
                                   const struct ice_column *columns,
                                   const struct ice_value *values, size_t n) {
    const struct row row = {columns, values, n};
    if (values == NULL)
        return ICE_OK;
    switch (facts->answer) {
    case ICE_HTML_HISTORY:
        return keep_history(facts, &row);
    case ICE_HTML_MANIFEST_ROWS:
        return keep_manifest(facts, &row);
    case ICE_HTML_NO_ANSWER:
    case ICE_HTML_ANSWERS:
        break;
    }
    return ICE_EARG;
}

/* ---- what was kept ---- */

size_t ice_html_commits(const struct ice_html_facts *facts) {
    return facts->n_rows < ICE_HTML_COMMITS ? (size_t)facts->n_rows : ICE_HTML_COMMITS;
}

struct ice_html_commit *ice_html_commit(const struct ice_html_facts *facts, size_t i) {
    uint64_t first = facts->n_rows - ice_html_commits(facts);
    return &facts->commits[(first + i) % ICE_HTML_COMMITS];
}

struct ice_str ice_html_commit_text(const struct ice_html_commit *commit,
                                    enum ice_html_commit_text which) {
    size_t start = which == 0 ? 0 : commit->ends[which - 1];
    return commit->text.size == 0
               ? ICE_STR_NONE
               : ice_str_make(commit->text.data + start, commit->ends[which] - start);
}

size_t ice_html_points(const struct ice_html_facts *facts) {
    return facts->n_points < ICE_HTML_POINTS ? (size_t)facts->n_points : ICE_HTML_POINTS;
}

const struct ice_html_point *ice_html_point(const struct ice_html_facts *facts,
                                            size_t i) {
    uint64_t first = facts->n_points - ice_html_points(facts);
    return &facts->points[(first + i) % ICE_HTML_POINTS];
}
