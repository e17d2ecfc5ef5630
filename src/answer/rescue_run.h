/*
 * One run of the passes over a metadata file, between rescue_judge.c that starts it and
 * rescue_blame.c that tells apart what it found.
 */
#ifndef ICE_ANSWER_RESCUE_RUN_H
#define ICE_ANSWER_RESCUE_RUN_H

#include "answer/rescue.h"

struct ice_rescue_run {
    struct ice_rescue *r;
    struct ice_check ck;
    struct ice_rescue_verdict own; /* on the metadata file */
    size_t *verdict_of; /* by snapshot number: in r->snapshots; SIZE_MAX: not judged */
    struct ice_str *manifests; /* names of manifests, as findings have them */
    struct ice_table manifests_by_name, lists_by_name, records_by_place;
    bool is_alone;          /* everything counts against the one snapshot in scope */
    size_t scope;           /* ... its index in the metadata */
    struct ice_buf text;    /* scratch */
    enum ice_status status; /* of keeping what was found */
};

/* Add a fault to a verdict; one that it has is not added again. */
enum ice_status ice_rescue_blame(struct ice_rescue *r, struct ice_rescue_verdict *verdict,
                                 enum ice_rescue_health health, const char *rule,
                                 struct ice_str file,
                                 struct ice_str message) ICE_MUST_USE;
/* ... to that of a snapshot by its number, and of all that list a manifest. A failure is
 * kept in run->status. */
void ice_rescue_blame_snapshot(struct ice_rescue_run *run, size_t number,
                               enum ice_rescue_health health, const char *rule,
                               struct ice_str file, struct ice_str message);
void ice_rescue_blame_manifest(struct ice_rescue_run *run, size_t number,
                               enum ice_rescue_health health, const char *rule,
                               struct ice_str file, struct ice_str message);
/* A lost file, and the command that brings an old version of it back. */
enum ice_status ice_rescue_keep_fetch(struct ice_rescue *r, struct ice_str file,
                                      struct ice_str command) ICE_MUST_USE;
/* Names that findings have for lists and manifests; behind the passes. */
enum ice_status ice_rescue_index_places(struct ice_rescue_run *run) ICE_MUST_USE;
/* An ice_finding_fn; user is the run. */
enum ice_status ice_rescue_on_finding(const struct ice_finding *finding, void *user);

#endif
