/*
 * ice_list_pointers: a row for each entry of the catalogs and for each table that no
 * entry names. Tables that are given come first, then entries that nothing of them was
 * about.
 */
#include "answer/pointer_at.h"
#include "answer/pointer_reads.h"
#include "answer/pointer_words.h"
#include "answer/row_builder.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

struct listing {
    struct ice_run run;
    struct ice_arena kept;  /* for the whole call */
    struct ice_arena arena; /* for one row */
    const struct ice_pointer_calls *calls;
    struct ice_options options; /* of the checks */
    struct ice_pointer_words words;
    struct ice_catalog *catalog;
    bool *is_told; /* by row of the catalog */
    struct ice_row row;
    struct ice_object_versions versions; /* of the listings */
    struct ice_reads reads;              /* of the logs */
    struct ice_buf uri;                  /* scratch */
    int exit_code;
    struct ice_error *err;
};

/* ---- one table ---- */

static enum ice_status deliver(struct listing *l, struct ice_check *ck,
                               const struct ice_pointer_verdict *v) {
    struct ice_summary summary = {.table = v->name};
    ice_check_summarise(ck, &summary);
    if (!ck->pinned)
        summary.picked_by = NULL;
    ICE_TRY(ice_emit_deliver(ck->emit, v->name, summary.table_uuid, l->calls->on_finding,
                             l->calls->user, &summary, l->err));
    l->exit_code |= summary.exit_code;
    return l->calls->on_summary(&summary, l->calls->user);
}

/* verdict and findings of an opened check */
static enum ice_status tell(struct listing *l, struct ice_check *ck,
                            const struct ice_catalog_row *row, const char *lost) {
    struct ice_pointer_verdict verdict;
    ck->wanted_pointer = row != NULL ? row->entry : NULL;
    ck->answers_pointers = true;
    struct ice_listed_place place = {
        .run = &l->run,
        .versions = &l->versions,
        .base = ice_str_from(l->options.base),
        .is_only = l->catalog->n_rows + l->words.n_tables < 2,
        .uri = &l->uri,
    };
    ICE_TRY(ice_judge_pointer(ck, row, &place, &verdict, l->err));
    if (verdict.state == ICE_STATE_UNKNOWN && verdict.why.size == 0)
        verdict.why = ice_str_from(lost);
    if (!l->options.has_at) {
        ICE_TRY(ice_put_pointer(&l->row, ck, &verdict, l->err));
        ICE_TRY(ice_put_reads(&l->row, ck, &verdict, &l->reads, l->err));
        return deliver(l, ck, &verdict);
    }
    bool is_known;
    ICE_TRY(ice_put_pointers_at(&l->row, ck, &verdict, l->catalog, &place,
                                l->options.at_ms, &is_known, l->err));
    if (!is_known)
        ice_emit_not_evaluated(ck->emit, "--at",
                               ICE_STR("nothing goes back to that time"), true,
                               verdict.current);
    return deliver(l, ck, &verdict);
}

static enum ice_status tell_document(struct listing *l,
                                     const struct ice_catalog_row *row) {
    struct ice_target target;
    struct ice_check check = {0};
    enum ice_status status = ice_catalog_open_document(&l->catalog->pointers, row->entry,
                                                       &l->run, &target, l->err);
    if (status >= 0)
        status = ice_check_init(&check, &l->run, &l->options, &target, l->err);
    if (status >= 0)
        status = tell(l, &check, row, "");
    ice_check_release(&check);
    ice_target_release(&target);
    return status;
}

/* An entry of which nothing in storage is known. asked: it should have been. */
static enum ice_status tell_alone(struct listing *l, const struct ice_catalog_row *row,
                                  const char *lost, bool asked) {
    const struct ice_target nothing = {.kind = ICE_TARGET_EMPTY, .hint_version = -1};
    struct ice_check check = {0};
    enum ice_status status =
        ice_check_init(&check, &l->run, &l->options, &nothing, l->err);
    if (status >= 0 && lost[0] != '\0')
        ice_emit_not_evaluated(check.emit, "storage", ice_str_from(lost), asked,
                               row->entry->metadata_location);
    if (status >= 0)
        status = tell(l, &check, row, lost);
    ice_check_release(&check);
    return status;
}

/* ---- tables that are given ---- */

static void trouble(const struct listing *l, const char *path,
                    const struct ice_error *fault) {
    struct ice_error copy = *fault;
    ice_error_set_file(&copy, ice_str_from(path));
    if (l->calls->on_trouble != NULL)
        l->calls->on_trouble(&copy, l->calls->user);
}

/* A path, opened for a check. */
struct opened {
    struct ice_target target;
    struct ice_check check;
    bool is_table;
};

static enum ice_status open_path(struct listing *l, const char *path,
                                 const struct ice_options *options, struct opened *out,
                                 struct ice_error *fault) {
    *out = (struct opened){0};
    ice_error_clear(fault);
    ICE_TRY(ice_target_open(&out->target, &l->run, path, fault));
    ICE_TRY(ice_catalog_look_inside(l->catalog, &l->run, &out->target, fault));
    out->is_table =
        out->target.kind == ICE_TARGET_TABLE || out->target.kind == ICE_TARGET_METADATA;
    if (!out->is_table)
        return ice_error_set(fault, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
                             "no table: neither it nor its metadata directory holds a "
                             "metadata file");
    return ice_check_init(&out->check, &l->run, options, &out->target, fault);
}

static void close_path(struct opened *opened) {
    ice_check_release(&opened->check);
    ice_target_release(&opened->target);
}

/* For one entry, or none. */
static enum ice_status tell_path(struct listing *l, const char *path,
                                 const struct ice_catalog_row *row) {
    struct opened opened;
    struct ice_error fault;
    enum ice_status status = open_path(l, path, &l->options, &opened, &fault);
    bool is_open = status >= 0;
    if (is_open)
        status = tell(l, &opened.check, row, "");
    close_path(&opened);
    if (is_open)
        return status;
    ICE_TRY(ice_error_pass_final(l->err, status, &fault));
    if (row != NULL)
        return tell_alone(l, row,
                          "nothing of it lies where --map leads: it was not copied, or "
                          "is gone",
                          true);
    trouble(l, path, &fault);
    l->exit_code |= 2;
    return ICE_OK;
}

/* Which entries are about the table of a path? *out: by row of the catalog. */
static enum ice_status match(struct listing *l, const char *path, bool *out,
                             bool *out_any) {
    struct ice_pointers *p = &l->catalog->pointers;
    struct opened opened;
    struct ice_options options = l->options;
    enum ice_pointer_match *rates;
    struct ice_error fault;
    *out_any = false;
    ice_arena_reset(&l->arena);
    rates = ice_arena_array(&l->arena, p->n, sizeof(enum ice_pointer_match));
    if (rates == NULL)
        return ice_error_memory(l->err);
    options.on_note = NULL; /* the path is read again for each entry */
    enum ice_status status = open_path(l, path, &options, &opened, &fault);
    opened.check.answers_pointers = true;
    if (status ==
        ICE_EIO) { /* nothing is known of it: least of all that no entry names it */
        trouble(l, path, &fault);
        *out_any = true;
        memset(out, 0, l->catalog->n_rows * sizeof(*out));
    }
    if (status >= 0)
        status = ice_check_read_metadata(&opened.check, &fault);
    if (status >= 0)
        status = ice_rate_pointers(&opened.check, rates, &fault);
    for (size_t i = 0; status >= 0 && i < l->catalog->n_rows; i++) {
        const struct ice_catalog_row *row = &l->catalog->rows[i];
        out[i] = false;
        for (size_t k = row->first; k < row->first + row->n; k++)
            out[i] = out[i] || rates[l->catalog->versions[k] - p->items] != ICE_MATCH_NO;
        *out_any = *out_any || out[i];
    }
    close_path(&opened);
    return ice_error_pass_final(l->err, status, &fault);
}

static enum ice_status tell_given(struct listing *l) {
    bool *hits = ice_arena_array(&l->kept, l->catalog->n_rows, sizeof(*hits));
    if (hits == NULL)
        return ice_error_memory(l->err);
    for (size_t i = 0; i < l->words.n_tables; i++) {
        bool any = false;
        if (l->catalog->n_rows > 0)
            ICE_TRY(match(l, l->words.tables[i], hits, &any));
        if (!any)
            ICE_TRY(tell_path(l, l->words.tables[i], NULL));
        for (size_t k = 0; any && k < l->catalog->n_rows; k++) {
            if (!hits[k])
                continue;
            l->is_told[k] = true;
            ICE_TRY(tell_path(l, l->words.tables[i], &l->catalog->rows[k]));
        }
    }
    return ICE_OK;
}

static enum ice_status tell_rest(struct listing *l) {
    for (size_t i = 0; i < l->catalog->n_rows; i++) {
        const struct ice_catalog_row *row = &l->catalog->rows[i];
        if (l->is_told[i])
            continue;
        if (row->directory != NULL)
            ICE_TRY(tell_path(l, row->directory, row));
        else if (row->entry->document_end > 0)
            ICE_TRY(tell_document(l, row));
        else
            ICE_TRY(tell_alone(l, row, "no --map and no directory leads to it", false));
    }
    return ICE_OK;
}

/* ---- inputs ---- */

/* A listing that cannot be read to its end, or shows no metadata file, is trouble. */
static enum ice_status pass_listing(struct listing *l, const char *path,
                                    enum ice_status status,
                                    const struct ice_error *fault) {
    struct ice_error empty;
    if (status == ICE_ENOMEM || status == ICE_ECANCELLED)
        return ice_error_pass_final(l->err, status, fault);
    if (status < 0) {
        trouble(l, path, fault);
        l->exit_code |= 2;
        l->versions.partial = "it could not be read to its end";
    } else if (l->versions.n == 0 && !l->options.allow_empty_listing) {
        ice_error_clear(&empty);
        (void)ice_error_set(&empty, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
                            "the listing shows no metadata file: a mistyped prefix lists "
                            "nothing, without an error");
        trouble(l, path, &empty);
        l->exit_code |= 2;
    }
    return ICE_OK;
}

static void note_listing(const struct listing *l, const char *path, size_t n) {
    char text[600], shown[400];
    if (l->options.on_note == NULL)
        return;
    (void)snprintf(text, sizeof(text), "%s: listing, versions of metadata files: %zu",
                   ice_escape(shown, sizeof(shown), ice_str_from(path)), n);
    l->options.on_note(1, ice_str_from(text), l->options.user);
}

static enum ice_status tell_faults(struct listing *l) {
    const struct ice_pointers *p = &l->catalog->pointers;
    for (size_t i = 0; i < p->n_faults; i++) {
        struct ice_error fault = p->faults[i].error;
        ice_error_set_file(&fault, p->faults[i].file);
        if (l->calls->on_trouble != NULL)
            l->calls->on_trouble(&fault, l->calls->user);
        l->exit_code |= 2;
    }
    return ICE_OK;
}

static void note_log(const struct listing *l, const char *path, const char *what,
                     size_t n) {
    char text[600], shown[400];
    if (l->options.on_note == NULL)
        return;
    (void)snprintf(text, sizeof(text), "%s: %s, states that were read: %zu",
                   ice_escape(shown, sizeof(shown), ice_str_from(path)), what, n);
    l->options.on_note(1, ice_str_from(text), l->options.user);
}

/* One that cannot be read, or tells of no read, is trouble. */
static enum ice_status read_logs(struct listing *l) {
    const struct ice_listing_options how = {.has_zone = l->options.has_listing_zone,
                                            .zone_minutes =
                                                l->options.listing_zone_minutes};
    for (size_t i = 0; i < l->words.n_logs; i++) {
        struct ice_error fault;
        ice_error_clear(&fault);
        const char *what = "";
        size_t before = l->reads.n;
        enum ice_status status =
            ice_reads_add(&l->reads, l->words.logs[i], &how, &what, &fault);
        if (status == ICE_ENOMEM || status == ICE_ECANCELLED)
            return ice_error_pass_final(l->err, status, &fault);
        if (status >= 0) {
            note_log(l, l->words.logs[i], what, l->reads.n - before);
            continue;
        }
        trouble(l, l->words.logs[i], &fault);
        l->exit_code |= 2;
    }
    if (l->reads.n_dropped > 0 && l->calls->on_trouble != NULL) {
        struct ice_error note;
        ice_error_clear(&note);
        (void)snprintf(note.message, sizeof(note.message),
                       "the logs tell of more than %d states: the last are shown",
                       ICE_MOST_READS);
        l->calls->on_trouble(&note, l->calls->user);
    }
    return ICE_OK;
}

static enum ice_status tell_other_reads(struct listing *l) {
    const struct ice_target nothing = {.kind = ICE_TARGET_EMPTY, .hint_version = -1};
    struct ice_check check = {0};
    if (l->options.has_at)
        return ICE_OK;
    enum ice_status status =
        ice_check_init(&check, &l->run, &l->options, &nothing, l->err);
    if (status >= 0)
        status = ice_put_other_reads(&l->row, &check, &l->reads, l->err);
    ice_check_release(&check);
    return status;
}

static enum ice_status read_listings(struct listing *l) {
    const struct ice_listing_options how = {.has_zone = l->options.has_listing_zone,
                                            .zone_minutes =
                                                l->options.listing_zone_minutes};
    for (size_t i = 0; i < l->words.n_listings; i++) {
        const char *path = l->words.listings[i];
        struct ice_error fault;
        size_t before = l->versions.n;
        ice_error_clear(&fault);
        enum ice_status status = ice_object_versions_read(
            &l->versions, path, l->options.listing_format, &how, &fault);
        ICE_TRY(pass_listing(l, path, status, &fault));
        note_listing(l, path, l->versions.n - before);
    }
    return ICE_OK;
}

/*
 * An export with no entry is an answer. It is none to who asks for a table, and neither
 * is one that names tables without their pointers, or a listing to compare with nothing.
 */
static void tell_nothing(struct listing *l) {
    const struct ice_pointer_words *words = &l->words;
    struct ice_error note;
    const char *text = ice_catalog_nothing(l->catalog);
    bool is_unanswered = words->n_tables > 0 || l->catalog->pointers.n_inventories > 0;
    if (l->catalog->n_rows > 0 || l->catalog->pointers.n_faults > 0)
        return;
    if (words->n_pointers == 0) {
        if (words->n_tables > 0 || words->n_logs > 0 || l->exit_code != 0)
            return;
        is_unanswered = true;
        text = "a listing alone names no current file: give the export of a catalog with "
               "it, or the table's directory";
    }
    if (is_unanswered)
        l->exit_code |= 2;
    if (l->calls->on_trouble == NULL)
        return;
    ice_error_clear(&note);
    (void)snprintf(note.message, sizeof(note.message), "%s", text);
    l->calls->on_trouble(&note, l->calls->user);
}

/* Rules that a pointer is judged by, and those of files that cannot be read: the latter
 * alone where a time is asked for. */
enum { N_FAULTS = 6 };
static const char *const rules[] = {"source.*",
                                    "limit.*",
                                    "json.truncated",
                                    "json.syntax.invalid",
                                    "json.encoding.not-utf8",
                                    "json.root.not-object",
                                    "storage.orphan.metadata-newer",
                                    "catalog.*",
                                    "hint.*",
                                    "history.fork.*",
                                    "history.commit.lost-side",
                                    "history.last-updated.regressed",
                                    "history.foreign-table",
                                    "history.uuid.changed",
                                    "metadata-log.foreign-uuid",
                                    "path.table-relocated"};

static enum ice_status open_inputs(struct listing *l, const char *const *words,
                                   size_t n_words, const struct ice_options *options) {
    ICE_TRY(ice_sort_pointer_words(&l->run, &l->kept, options, words, n_words, &l->words,
                                   l->err));
    l->options.pointers = l->words.pointers;
    l->options.n_pointers = l->words.n_pointers;
    ICE_TRY(ice_catalog_open(&l->catalog, &l->options, l->err));
    l->options.catalog = l->catalog;
    l->options.catalog_table = 0;
    l->options.n_listings = 0;
    l->options.storage_local = false;
    l->options.depth = ICE_DEPTH_METADATA;
    if (l->options.n_only == 0) {
        l->options.only = rules;
        l->options.n_only = l->options.has_at ? N_FAULTS : ICE_COUNT_OF(rules);
    }
    l->is_told = ice_arena_array(&l->kept, l->catalog->n_rows, sizeof(*l->is_told));
    if (l->is_told == NULL)
        return ice_error_memory(l->err);
    for (size_t i = 0; i < l->catalog->n_rows; i++)
        l->is_told[i] = false;
    return ICE_OK;
}

enum ice_status ice_list_pointers(const char *const *words, size_t n_words,
                                  const struct ice_options *options,
                                  const struct ice_pointer_calls *calls, int *out_exit,
                                  struct ice_error *err) {
    struct listing l = {.calls = calls, .err = err, .options = *options};
    ice_run_init(&l.run, options);
    ice_arena_init(&l.arena, &l.run.alloc);
    ice_arena_init(&l.kept, &l.run.alloc);
    ice_object_versions_init(&l.versions, &l.run);
    ice_reads_init(&l.reads, &l.run);
    ice_buf_init(&l.uri, &l.run.alloc, SIZE_MAX);
    const struct ice_column *shown =
        options->has_at ? ice_pointer_at_columns : ice_pointer_columns;
    ice_row_init(&l.row, &l.run, shown, calls->on_row, calls->user);
    enum ice_status status = open_inputs(&l, words, n_words, options);
    if (status >= 0)
        status = calls->on_row(shown, NULL, l.row.n_columns, calls->user);
    if (status >= 0)
        status = read_listings(&l);
    if (status >= 0)
        status = read_logs(&l);
    if (status >= 0)
        status = tell_faults(&l);
    if (status >= 0)
        tell_nothing(&l);
    if (status >= 0)
        status = tell_given(&l);
    if (status >= 0)
        status = tell_rest(&l);
    if (status >= 0)
        status = tell_other_reads(&l);
    *out_exit = l.exit_code;
    ice_row_release(&l.row);
    ice_buf_release(&l.uri);
    ice_reads_release(&l.reads);
    ice_object_versions_release(&l.versions);
    ice_catalog_free(l.catalog);
    ice_arena_release(&l.kept);
    ice_arena_release(&l.arena);
    return status;
}
