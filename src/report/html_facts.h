/*
 * What a page shows of a table beside its findings: rows of the answers that it asks for,
 * kept as far as a page can show them. Whatever the answer's size, kept are the newest
 * commits with their texts, a few numbers of more of them, and the biggest manifests.
 */
#ifndef ICE_REPORT_HTML_FACTS_H
#define ICE_REPORT_HTML_FACTS_H

#include "report/html_text.h"
#include "report/lanes.h"

enum {
    ICE_HTML_COMMITS = 300,    /* newest rows of history that are drawn */
    ICE_HTML_POINTS = 20000,   /* newest rows of history that a chart knows */
    ICE_HTML_MANIFESTS = 10,   /* biggest manifests that are shown */
    ICE_HTML_FACT_BYTES = 500, /* of a text of a row */
};

enum ice_html_answer {
    ICE_HTML_NO_ANSWER,
    ICE_HTML_HISTORY,
    ICE_HTML_MANIFEST_ROWS,
    ICE_HTML_ANSWERS
};

/* Texts of a commit, one behind the other in its buffer. */
enum ice_html_commit_text {
    ICE_HTML_FILE,
    ICE_HTML_OPERATION,
    ICE_HTML_WRITER,
    ICE_HTML_REFS,
    ICE_HTML_CHANGES,
    ICE_HTML_FLAGS,
    ICE_HTML_COMMIT_TEXTS
};

enum ice_html_number {
    ICE_HTML_ADDED_FILES,
    ICE_HTML_DELETED_FILES,
    ICE_HTML_ADDED_DELETES,
    ICE_HTML_REMOVED_DELETES,
    ICE_HTML_ADDED_ROWS,
    ICE_HTML_DELETED_ROWS,
    ICE_HTML_TOTAL_ROWS,
    ICE_HTML_TOTAL_FILES,
    ICE_HTML_TOTAL_BYTES,
    ICE_HTML_NUMBERS
};

struct ice_html_commit {
    struct ice_lane_commit lane;
    bool has_time;
    int64_t time_ms;
    unsigned has_numbers; /* 1 << enum ice_html_number */
    int64_t numbers[ICE_HTML_NUMBERS];
    struct ice_buf text; /* untrusted */
    size_t ends[ICE_HTML_COMMIT_TEXTS];
};

/* A row of history, for charts. */
struct ice_html_point {
    int64_t id, parent;
    int64_t time_ms;
    bool has_parent, has_time;
    unsigned has_numbers; /* 1 << (number - ICE_HTML_TOTAL_ROWS) */
    int64_t numbers[ICE_HTML_NUMBERS - ICE_HTML_TOTAL_ROWS];
};

struct ice_html_manifest {
    struct ice_buf path; /* untrusted */
    int64_t length, content;
    int64_t n_files; /* live ones */
};

/* What came behind the metadata file that a pointer names. */
struct ice_html_missed {
    uint64_t n_commits, n_files; /* files: of metadata */
    int64_t numbers[ICE_HTML_TOTAL_ROWS];
    bool has_time;
    int64_t first_ms, last_ms;
};

struct ice_html_facts {
    struct ice_alloc *alloc;
    bool was_asked[ICE_HTML_ANSWERS];
    enum ice_html_answer answer; /* that rows belong to */
    /* history: rings, oldest at n % size once they are full */
    struct ice_html_commit *commits;
    struct ice_html_point *points;
    size_t cap_points;
    uint64_t n_rows, n_points;
    struct ice_html_missed missed;
    /* manifests of the current snapshot, the biggest first */
    struct ice_html_manifest manifests[ICE_HTML_MANIFESTS + 1];
    size_t n_shown;
    uint64_t n_manifests, manifest_bytes, n_delete_manifests;
};

void ice_html_facts_init(struct ice_html_facts *facts, struct ice_alloc *alloc);
void ice_html_facts_release(struct ice_html_facts *facts); /* safe on all-zero */
/* For the next table: what is known is forgotten, memory is kept. */
void ice_html_facts_clear(struct ice_html_facts *facts);
enum ice_status ice_html_facts_row(struct ice_html_facts *facts,
                                   const struct ice_column *columns,
                                   const struct ice_value *values, size_t n) ICE_MUST_USE;

/* How many rows of history are kept, and one of them, 0 the oldest. */
size_t ice_html_commits(const struct ice_html_facts *facts);
struct ice_html_commit *ice_html_commit(const struct ice_html_facts *facts, size_t i);
struct ice_str ice_html_commit_text(const struct ice_html_commit *commit,
                                    enum ice_html_commit_text which);
/* Likewise of points. */
size_t ice_html_points(const struct ice_html_facts *facts);
const struct ice_html_point *ice_html_point(const struct ice_html_facts *facts, size_t i);
/* Is a word one of a comma list? */
bool ice_html_has_word(struct ice_str list, const char *word);
/* Takes the next word of a comma list off its front; false at the end. */
bool ice_html_next_word(struct ice_str *list, struct ice_str *out);

#endif
