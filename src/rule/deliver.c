/*
 * Handing out what emit.c kept: sorted, with message and fingerprint. Texts of a finding
 * live until the callback returns.
 */
#include "rule/emit_state.h"

#include "base/buf.h"
#include "base/error.h"
#include "rule/baseline.h"
#include "rule/message.h"

#include <assert.h>
#include <stdlib.h>

/* Findings without a record (header, container, JSON) stand before rows, by offset. */
static int compare_positions(const struct ice_location *a, const struct ice_location *b) {
    bool a_row = a->record != ICE_NO_OFFSET, b_row = b->record != ICE_NO_OFFSET;
    if (a_row != b_row)
        return a_row ? 1 : -1;
    /* an unknown offset means the file as a whole: first, by wrapping to 0 */
    uint64_t x = a_row ? a->record : a->offset + 1, y = b_row ? b->record : b->offset + 1;
    return (x > y) - (x < y);
}

static int compare_kept(const void *left, const void *right) {
    const struct ice_kept *a = *(const struct ice_kept *const *)left;
    const struct ice_kept *b = *(const struct ice_kept *const *)right;
    int order = (a->at.order > b->at.order) - (a->at.order < b->at.order);
    if (order == 0)
        order = ice_str_compare(a->at.at.file, b->at.at.file);
    if (order == 0)
        order = compare_positions(&a->at.at, &b->at.at);
    if (order == 0 && a->id != b->id)
        order = strcmp(ice_rule_of(a->id)->name, ice_rule_of(b->id)->name);
    if (order == 0)
        order = ice_str_compare(a->at.at.pointer, b->at.at.pointer);
    return order != 0 ? order : (a > b) - (a < b); /* as found */
}

/* The last kept one of a rule in a file says how many more there were, and so does the
 * last of a rule for files of which nothing was kept. */
static void spread_left_out(struct ice_emit *emit, struct ice_kept **sorted, size_t n) {
    for (size_t i = n; i > 0; i--) {
        struct ice_kept *kept = sorted[i - 1];
        struct ice_kept_group *group = &emit->groups[kept->group];
        struct ice_rule_tally *rule = &emit->tallies[kept->id];
        kept->more = group->n_left_out + rule->n_left_out;
        group->n_left_out = rule->n_left_out = 0;
    }
}

/*
 * One for every format and for baselines: the rule, the table, and what of the place
 * stays when the table moves on, no line and no offset. A table without a uuid goes by
 * its name.
 */
static enum ice_status fingerprint(const struct ice_emit *emit, struct ice_buf *buf,
                                   const struct ice_kept *kept, struct ice_str table,
                                   struct ice_str uuid, uint64_t *out) {
    const struct ice_str head[] = {ice_str_from(ice_rule_of(kept->id)->name),
                                   uuid.size > 0 ? uuid : table};
    ice_buf_clear(buf);
    for (size_t i = 0; i < ICE_COUNT_OF(head); i++) {
        ICE_TRY(ice_buf_append_str(buf, head[i]));
        ICE_TRY(ice_buf_append_char(buf, '\0'));
    }
    enum ice_status status =
        emit->stable != NULL ? emit->stable(emit->stable_user, &kept->at, buf) : ICE_DONE;
    if (status == ICE_DONE) {
        ICE_TRY(ice_buf_append_str(buf, kept->at.at.file));
        ICE_TRY(ice_buf_append_char(buf, '\0'));
        status = ice_buf_append_str(buf, kept->at.at.pointer);
    }
    if (status == ICE_OK)
        status = ice_buf_append_char(buf, '\0');
    *out = ice_hash64(ice_buf_str(buf), 0);
    return status;
}

static enum ice_status hand_out(struct ice_buf *buf, const struct ice_kept *kept,
                                struct ice_str table, struct ice_str uuid,
                                ice_finding_fn on_finding, void *user,
                                struct ice_error *err) {
    struct ice_finding finding = {.rule = ice_rule_of(kept->id),
                                  .severity = kept->severity,
                                  .table = table,
                                  .at = kept->at.at,
                                  .other = kept->other,
                                  .args = kept->args,
                                  .n_args = kept->n_args,
                                  .more = kept->more,
                                  .fingerprint = kept->fingerprint,
                                  .table_uuid = uuid,
                                  .is_known = kept->is_known};
    ice_buf_clear(buf);
    enum ice_status status =
        ice_message_fill(buf, finding.rule->message, kept->args, kept->n_args);
    if (status < 0)
        return ice_error_memory(err);
    finding.message = ice_buf_str(buf);
    status = on_finding(&finding, user);
    if (status == ICE_ENOMEM)
        return ice_error_memory(err);
    return status == ICE_OK
               ? ICE_OK
               : ice_error_set(err, status, NULL, ICE_NO_OFFSET, "the report stopped");
}

/* limit.findings says once that the caps left something out. */
static void say_left_out(struct ice_emit *emit) {
    enum ice_rule_id id;
    if (emit->n_left_out == 0 || !ice_rule_id_of("limit.findings", &id))
        return;
    struct ice_place place = ice_place_file(ICE_STR_NONE, UINT64_MAX);
    emit->closing = true;
    FOUND(emit, id, &place, arg_i64("kept", (int64_t)(emit->n_kept - emit->n_gone)),
          arg_i64("left_out", (int64_t)emit->n_left_out));
}

static void fill_summary(const struct ice_emit *emit, struct ice_summary *summary) {
    memcpy(summary->counts, emit->counts, sizeof(summary->counts));
    summary->not_evaluated = emit->missed;
    summary->n_not_evaluated = emit->n_missed;
    summary->complete = !emit->any_asked && !summary->interrupted;
    bool failed = false;
    for (int level = ICE_INFO; level <= ICE_ERROR; level++) {
        if (emit->fail_on != ICE_OFF && level >= (int)emit->fail_on &&
            emit->counts[level] > 0)
            failed = true;
    }
    summary->exit_code = (failed ? 1 : 0) | (summary->complete ? 0 : 2);
}

/* ---- what is known ---- */

/* What was not looked at may be there still. */
static bool is_looked_at(const struct ice_emit *emit, const struct ice_summary *summary,
                         struct ice_str rule) {
    char name[96];
    enum ice_rule_id id;
    if (rule.size >= sizeof(name))
        return true;
    memcpy(name, rule.data, rule.size);
    name[rule.size] = '\0';
    if (!ice_rule_id_of(name, &id))
        return true; /* of another release: it will not come back */
    return ice_emit_is_on(emit, id) &&
           ice_rule_not_asked(ice_rule_of(id), summary, &emit->asked) == NULL &&
           ice_line_over(emit->missed, emit->n_missed, ice_rule_of(id),
                         ICE_COVERS_PART) == NULL;
}

static void count_fixed(const struct ice_emit *emit, const struct ice_baseline_view *view,
                        struct ice_summary *summary) {
    struct ice_str rule;
    uint64_t left;
    bool is_whole = !emit->any_asked && !summary->interrupted;
    for (size_t i = 0; is_whole && ice_baseline_left(view, i, &rule, &left); i++) {
        if (left > 0 && is_looked_at(emit, summary, rule))
            summary->n_fixed += left;
    }
}

/* Fingerprints of all, and which are known; counts go on without those. */
static enum ice_status know(struct ice_emit *emit, struct ice_kept **sorted, size_t n,
                            struct ice_str table, struct ice_str uuid,
                            struct ice_buf *buf, struct ice_summary *summary) {
    struct ice_baseline_view view;
    ICE_TRY(
        ice_baseline_view_open(&view, emit->baseline, table, uuid, &emit->run->alloc));
    enum ice_status status = ICE_OK;
    summary->has_baseline = emit->baseline != NULL;
    for (size_t i = 0; i < n && status == ICE_OK; i++) {
        struct ice_kept *kept = sorted[i];
        status = fingerprint(emit, buf, kept, table, uuid, &kept->fingerprint);
        kept->is_known = status == ICE_OK && kept->more == 0 &&
                         ice_baseline_takes(&view, kept->fingerprint, kept->severity);
        if (kept->is_known && emit->counts[kept->severity] > 0) {
            emit->counts[kept->severity]--;
            summary->n_known++;
        }
    }
    if (status == ICE_OK)
        count_fixed(emit, &view, summary);
    ice_baseline_view_release(&view);
    return status;
}

static enum ice_status deliver_sorted(struct ice_emit *emit, struct ice_kept **sorted,
                                      struct ice_str table, struct ice_str uuid,
                                      ice_finding_fn on_finding, void *user,
                                      struct ice_summary *summary,
                                      struct ice_error *err) {
    size_t n = 0;
    for (size_t i = 0; i < emit->n_kept; i++) {
        assert(sorted != NULL); /* as there are some */
        if (emit->kept[i].severity != ICE_OFF)
            sorted[n++] = &emit->kept[i];
    }
    if (n > 0)
        qsort(sorted, n, sizeof(struct ice_kept *), compare_kept);
    spread_left_out(emit, sorted, n);
    struct ice_buf buf;
    ice_buf_init(&buf, &emit->run->alloc, SIZE_MAX / 2);
    enum ice_status status = know(emit, sorted, n, table, uuid, &buf, summary);
    if (status < 0)
        status = ice_error_memory(err);
    else
        fill_summary(emit, summary);
    for (size_t i = 0; i < n && status == ICE_OK && on_finding != NULL; i++)
        status = hand_out(&buf, sorted[i], table, uuid, on_finding, user, err);
    ice_buf_release(&buf);
    return status;
}

enum ice_status ice_emit_deliver(struct ice_emit *emit, struct ice_str table,
                                 struct ice_str uuid, ice_finding_fn on_finding,
                                 void *user, struct ice_summary *summary,
                                 struct ice_error *err) {
    say_left_out(emit);
    if (emit->status < 0)
        return ice_error_memory(err);
    size_t size = emit->n_kept * sizeof(struct ice_kept *);
    struct ice_kept **sorted = NULL;
    if (size > 0 && (sorted = ice_malloc(&emit->run->alloc, size)) == NULL)
        return ice_error_memory(err);
    enum ice_status status =
        deliver_sorted(emit, sorted, table, uuid, on_finding, user, summary, err);
    if (sorted != NULL)
        ice_free(&emit->run->alloc, sorted, size);
    return status;
}
