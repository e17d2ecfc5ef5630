/*
 * Reads: what pass 1 left. Runs the others in their order. Leaves behind: in
 * ck->n_passes_begun how far it came, from which is told what a run that ends at its
 * limit of memory has not looked at.
 */
#include "check/passes.h"

#include "check/history.h"
#include "check/named.h"
#include "check/path_rules.h"
#include "check/place_lines.h"
#include "check/pointers.h"
#include "check/second_opinion.h"
#include "check/storage.h"
#include "check/unfound.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

typedef enum ice_status (*pass_fn)(struct ice_check *ck, struct ice_error *err);
typedef bool (*asked_fn)(const struct ice_check *ck);

enum { UNCHECKED_OF_PASS = 8 };

struct pass {
    const char *phase;
    enum ice_depth least; /* skipped above this depth */
    pass_fn run;
    asked_fn is_asked; /* NULL: always; else it does nothing unless asked */
    /* rules that nobody has looked at, or not at all files, before its end */
    const char *unchecked[UNCHECKED_OF_PASS];
};

static bool has_max_age(const struct ice_check *ck) {
    return ck->options->has_max_age;
}

static bool has_opinions(const struct ice_check *ck) {
    return ck->options->on_block != NULL;
}

/* clang-format off */
static const struct pass passes[] = {
    {"lists", ICE_DEPTH_LIST, ice_pass2_lists, NULL, {"list.*"}},
    {"manifests", ICE_DEPTH_MANIFEST, ice_pass3_manifests, NULL, {"manifest.*"}},
    {"layouts", ICE_DEPTH_METADATA, ice_check_layouts, NULL,
     {"schema.*", "spec.*", "sort.*"}},
    {"pointers", ICE_DEPTH_METADATA, ice_check_relocated, NULL, {"path.table-relocated"}},
    {"pointers", ICE_DEPTH_METADATA, ice_check_pointers, ice_pointers_are_asked,
     {"catalog.*"}},
    {"pointers", ICE_DEPTH_METADATA, ice_check_freshness, has_max_age,
     {"catalog.pointer.freshness"}},
    {"groups", ICE_DEPTH_MANIFEST, ice_pass4_groups, NULL,
     {"live.*", "delete.*", "lineage.*", "summary.*",
      "manifest.entry.sequence-number.changed", "manifest.file.dv.cardinality-high",
      "manifest.file.blob.overlap"}},
    {"groups", ICE_DEPTH_MANIFEST, ice_path_rules, NULL, {"path.*", "v4.*"}},
    {"puffin", ICE_DEPTH_PUFFIN, ice_pass_puffin, NULL, {"puffin.*"}},
    {"second opinion", ICE_DEPTH_LIST, ice_second_opinion, has_opinions,
     {"avro.second-opinion"}},
    {"storage", ICE_DEPTH_METADATA, ice_pass5_storage, ice_storage_is_asked,
     {"storage.*"}},
    {"history", ICE_DEPTH_METADATA, ice_pass6_history, ice_history_is_asked,
     {"history.*"}},
};
/* clang-format on */

/* metadata < list < manifest < puffin */
static int rank_of(enum ice_depth depth) {
    switch (depth) {
    case ICE_DEPTH_METADATA:
        return 0;
    case ICE_DEPTH_LIST:
        return 1;
    case ICE_DEPTH_MANIFEST:
        return 2;
    case ICE_DEPTH_PUFFIN:
        return 3;
    }
    return 2;
}

bool ice_depth_reaches(enum ice_depth depth, enum ice_depth least) {
    return rank_of(depth) >= rank_of(least);
}

enum ice_status ice_check_run_passes(struct ice_check *ck, bool with_history,
                                     struct ice_error *err) {
    if (ice_named_open(ck) < 0 || ice_storage_open(ck, NULL) < 0 ||
        ice_path_rules_open(ck) < 0)
        return ice_error_memory(err);
    enum ice_status status = ICE_OK;
    ice_unfound_hold(ck);
    for (size_t i = 0; i < ICE_COUNT_OF(passes) && status >= 0; i++) {
        if (!ice_depth_reaches(ck->options->depth, passes[i].least) ||
            (!with_history && passes[i].run == ice_pass6_history))
            continue;
        ck->n_passes_begun = i + 1;
        status = passes[i].run(ck, err);
    }
    ice_unfound_tell(ck); /* where pass 5 was not reached */
    if (status < 0)
        return status;
    ck->n_passes_begun = ICE_COUNT_OF(passes);
    return ICE_OK;
}

/* ---- running out of memory is a finding where the limit is ours ---- */

enum { MEMORY_TO_REPORT = 16 << 20 };

static void not_checked(struct ice_check *ck, const char *what) {
    ice_emit_not_evaluated(ck->emit, what, ICE_STR("limit.memory"), true, ICE_STR_NONE);
}

/* What the pass that was begun last, and those behind it, have not looked at. */
static void name_unchecked(struct ice_check *ck) {
    bool are_manifests_told = false;
    for (size_t i = ck->n_passes_begun - 1; i < ICE_COUNT_OF(passes); i++) {
        const struct pass *pass = &passes[i];
        if (!ice_depth_reaches(ck->options->depth, pass->least) ||
            (pass->is_asked != NULL && !pass->is_asked(ck)))
            continue;
        if (are_manifests_told && pass->least == ICE_DEPTH_MANIFEST)
            continue; /* it asks what manifests hold, and they are told */
        for (size_t n = 0; n < UNCHECKED_OF_PASS && pass->unchecked[n] != NULL; n++)
            not_checked(ck, pass->unchecked[n]);
        are_manifests_told = are_manifests_told || pass->run == ice_pass3_manifests;
    }
}

static const char *phase_of(const struct ice_check *ck, enum ice_check_step step) {
    switch (step) {
    case ICE_AT_PASSES:
        return ck->n_passes_begun == 0 ? "metadata"
                                       : passes[ck->n_passes_begun - 1].phase;
    case ICE_AT_LINES:
        return "lines of findings";
    case ICE_AT_MOVES:
        return "moves";
    }
    return "metadata";
}

static void name_lost(struct ice_check *ck, enum ice_check_step step) {
    switch (step) {
    case ICE_AT_PASSES:
        if (ck->n_passes_begun == 0)
            not_checked(ck, "table");
        else
            name_unchecked(ck);
        return;
    case ICE_AT_LINES:
        ice_place_no_lines(ck);
        not_checked(ck, "lines of findings");
        return;
    case ICE_AT_MOVES:
        not_checked(ck, "scan.*");
        return;
    }
}

enum ice_status ice_over_memory(struct ice_check *ck, enum ice_check_step step,
                                enum ice_status status, struct ice_error *err) {
    struct ice_alloc *alloc = &ck->run->alloc;
    bool is_finding_lost = ice_emit_status(ck->emit) < 0;
    if (status >= 0)
        status = ice_emit_status(ck->emit);
    if (status != ICE_ENOMEM || !atomic_load(&alloc->over))
        return status;
    if (alloc->limit <= UINT64_MAX - MEMORY_TO_REPORT)
        alloc->limit += MEMORY_TO_REPORT;
    if (is_finding_lost)
        ice_emit_reset(ck->emit); /* what is left would mislead */
    struct ice_place place = ice_place_file(ck->metadata_file, ICE_ORDER_GROUPS);
    char detail[96];
    (void)snprintf(detail, sizeof(detail), "more than %" PRIu64 " bytes, in phase %s",
                   ck->run->limits.memory, phase_of(ck, step));
    FOUND(ck->emit, ICE_RULE_LIMIT_MEMORY, &place, arg_text("what", "the check"),
          arg_text("detail", detail));
    if (is_finding_lost)
        not_checked(ck, "table");
    else
        name_lost(ck, step);
    ice_error_clear(err);
    return ice_emit_status(ck->emit);
}
