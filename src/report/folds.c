/*
 * Findings of the table at hand, folded by rule and severity: the first few of each, and
 * how many there are. What a current state needs stands before what only old ones do.
 */
#include "report/report.h"

#include "rule/emit.h"

static struct ice_fold *fold_of(struct ice_report *report,
                                const struct ice_finding *finding) {
    for (size_t i = 0; i < report->n_folds; i++) {
        struct ice_fold *fold = &report->folds[i];
        if (fold->rule == finding->rule && fold->severity == finding->severity)
            return fold;
    }
    if (!ice_array_reserve(&report->alloc, &report->folds, report->n_folds,
                           &report->cap_folds, sizeof(*report->folds)))
        return NULL;
    struct ice_fold *fold = &report->folds[report->n_folds++];
    *fold = (struct ice_fold){.rule = finding->rule, .severity = finding->severity};
    return fold;
}

enum ice_status ice_report_fold(struct ice_report *report,
                                const struct ice_finding *finding) {
    struct ice_fold *fold = fold_of(report, finding);
    if (fold == NULL)
        return ICE_ENOMEM;
    fold->total += 1 + finding->more;
    bool is_current = ice_args_are_current(finding->args, finding->n_args);
    size_t index = is_current ? fold->n_current : fold->n_shown;
    if (index == ICE_FOLD_SHOWN)
        return ICE_OK;
    struct ice_location at = finding->at;
    struct ice_str message;
    if (!ice_arena_dup(&report->arena, at.file, &at.file) ||
        !ice_arena_dup(&report->arena, at.pointer, &at.pointer) ||
        !ice_arena_dup(&report->arena, finding->message, &message))
        return ICE_ENOMEM;
    if (fold->n_shown < ICE_FOLD_SHOWN)
        fold->n_shown++;
    for (size_t i = fold->n_shown - 1; i > index; i--)
        fold->shown[i] = fold->shown[i - 1];
    fold->shown[index] = (struct ice_fold_line){.at = at, .message = message};
    fold->n_current += is_current;
    return ICE_OK;
}

void ice_report_forget_folds(struct ice_report *report) {
    report->n_folds = 0;
    ice_arena_reset(&report->arena);
}
