/*
 * What a finding speaks against: the metadata file as a whole, or the snapshots that
 * reach the place where it stands. A fault of a list or a manifest counts against every
 * snapshot that lists it: better too harsh here, since the state that will be advised is
 * checked once more alone.
 */
#include "answer/rescue_run.h"

#include "base/error.h"

/* ---- verdicts ---- */

/* Is the file missing or damaged, or another's? Then it must come back as it was. */
static bool is_about_loss(const char *rule) {
    if (strcmp(rule, "storage.file.not-copied") == 0)
        return false;
    return strncmp(rule, "storage.", 8) == 0 || strncmp(rule, "avro.", 5) == 0 ||
           strcmp(rule, "json.truncated") == 0 ||
           strcmp(rule, "list.header.snapshot-id") == 0;
}

bool ice_rescue_lacks_files(const struct ice_rescue_verdict *verdict) {
    for (const struct ice_rescue_fault *f = verdict->first; f != NULL; f = f->next) {
        if (f->is_lost)
            return true;
    }
    return false;
}

enum ice_status ice_rescue_blame(struct ice_rescue *r, struct ice_rescue_verdict *verdict,
                                 enum ice_rescue_health health, const char *rule,
                                 struct ice_str file, struct ice_str message) {
    if (health > verdict->health)
        verdict->health = health;
    for (const struct ice_rescue_fault *f = verdict->first; f != NULL; f = f->next) {
        bool is_same = f->is_lost || ice_str_equal(f->message, message);
        if (is_same && strcmp(f->rule, rule) == 0 && ice_str_equal(f->file, file))
            return ICE_OK; /* of another snapshot that shares it */
    }
    if (verdict->n_faults++ >= ICE_RESCUE_KEPT)
        return ICE_OK;
    struct ice_rescue_fault *fault = ice_arena_alloc(&r->arena, sizeof(*fault));
    if (fault == NULL || !ice_arena_dup(&r->arena, file, &fault->file) ||
        !ice_arena_dup(&r->arena, message, &fault->message))
        return ice_error_memory(r->err);
    fault->rule = rule;
    fault->is_lost = is_about_loss(rule);
    if (verdict->last != NULL)
        verdict->last->next = fault;
    else
        verdict->first = fault;
    verdict->last = fault;
    return ICE_OK;
}

void ice_rescue_blame_snapshot(struct ice_rescue_run *run, size_t number,
                               enum ice_rescue_health health, const char *rule,
                               struct ice_str file, struct ice_str message) {
    struct ice_rescue *r = run->r;
    size_t at = run->verdict_of[number];
    if (run->status >= 0 && at != SIZE_MAX)
        run->status =
            ice_rescue_blame(r, &r->snapshots[at].verdict, health, rule, file, message);
}

void ice_rescue_blame_manifest(struct ice_rescue_run *run, size_t number,
                               enum ice_rescue_health health, const char *rule,
                               struct ice_str file, struct ice_str message) {
    const struct ice_manifest_facts *facts = &run->ck.manifests[number];
    for (uint32_t i = 0; i < facts->n_runs; i++)
        for (uint32_t n = facts->runs[i].first; n <= facts->runs[i].last; n++)
            ice_rescue_blame_snapshot(run, n, health, rule, file, message);
}

/* ---- what a finding speaks against ---- */

/* A number behind a prefix of a JSON pointer; false: there is none. */
static bool number_in(struct ice_str pointer, struct ice_str prefix, uint64_t *out) {
    uint64_t value = 0;
    size_t digits = 0;
    if (!ice_str_starts(pointer, prefix))
        return false;
    for (size_t i = prefix.size; i < pointer.size && digits < 18; i++, digits++) {
        char c = pointer.data[i];
        if (c < '0' || c > '9')
            break;
        value = value * 10 + (uint64_t)(c - '0');
    }
    *out = value;
    return digits > 0;
}

/* Does it make a state unfit? Severities of files that no ref leads to are one lower, yet
 * a state to go back to needs them. */
static bool counts(const struct ice_finding *finding) {
    if (finding->severity == ICE_ERROR)
        return true;
    return ice_str_is(ice_args_scope(finding->args, finding->n_args), "unreachable") &&
           finding->rule->severity == ICE_ERROR;
}

/* Which file is current, and what the others say of it, is no fault of a state. */
static bool is_about_states(const struct ice_rule *rule) {
    static const char *const others[] = {"hint.", "catalog.", "history."};
    for (size_t i = 0; i < ICE_COUNT_OF(others); i++) {
        if (strncmp(rule->name, others[i], strlen(others[i])) == 0)
            return false;
    }
    return true;
}

/* What could not be looked at is not broken. */
static enum ice_rescue_health health_of(const struct ice_rule *rule) {
    return strncmp(rule->name, "source.", 7) == 0 || strncmp(rule->name, "limit.", 6) == 0
               ? ICE_RESCUE_UNSURE
               : ICE_RESCUE_BROKEN;
}

/*
 * Groups from the Avro container on are about what one snapshot reaches. All before is
 * about the document, which readers take or refuse as a whole, but for a schema that only
 * time travel to a snapshot asks for.
 */
static bool is_about_content(const struct ice_rule *rule) {
    return (rule->group >= 13 && rule->group <= 23) ||
           strcmp(rule->name, "snapshot.schema-id.dangling") == 0;
}

static bool is_other_snapshot(const struct ice_rescue_run *run,
                              const struct ice_finding *finding) {
    uint64_t index;
    return is_about_content(finding->rule) &&
           number_in(finding->at.pointer, ICE_STR("/snapshots/"), &index) &&
           index != run->scope;
}

/* What is wrong is the file that is missing, not the one that names it. */
static struct ice_str faulty_file(const struct ice_finding *finding) {
    struct ice_str path = ice_args_text(finding->args, finding->n_args, "path");
    bool is_of_storage = strncmp(finding->rule->name, "storage.", 8) == 0;
    return is_of_storage && path.data != NULL ? path : finding->at.file;
}

static void blame_by_document(struct ice_rescue_run *run,
                              const struct ice_finding *finding,
                              enum ice_rescue_health health) {
    const struct ice_check *ck = &run->ck;
    uint64_t index;
    if (is_about_content(finding->rule) && ck->number_of != NULL &&
        number_in(finding->at.pointer, ICE_STR("/snapshots/"), &index) &&
        index < ck->metadata.n_snapshots)
        ice_rescue_blame_snapshot(run, ck->number_of[index], health, finding->rule->name,
                                  faulty_file(finding), finding->message);
    else if (run->status >= 0)
        run->status = ice_rescue_blame(run->r, &run->own, health, finding->rule->name,
                                       faulty_file(finding), finding->message);
}

static uint64_t place_key(const struct ice_rescue_run *run, uint64_t snapshot,
                          uint64_t record) {
    return ice_hash_mix(snapshot << 32 ^ record, run->r->reader->run.hash_seed);
}

/* A record of a list stands in later lists word for word. */
static void blame_by_list(struct ice_rescue_run *run, size_t number,
                          const struct ice_finding *finding,
                          enum ice_rescue_health health) {
    const struct ice_check *ck = &run->ck;
    uint64_t record;
    size_t at = SIZE_MAX;
    uint32_t i;
    ice_rescue_blame_snapshot(run, number, health, finding->rule->name,
                              faulty_file(finding), finding->message);
    if (!number_in(finding->at.pointer, ICE_STR("/records/"), &record))
        return;
    while (
        ice_table_next(&run->records_by_place, place_key(run, number, record), &at, &i)) {
        if (ck->records[i]->snapshot == number && ck->records[i]->record == record)
            ice_rescue_blame_manifest(run, ck->records[i]->manifest, health,
                                      finding->rule->name, faulty_file(finding),
                                      finding->message);
    }
}

/* Snapshots and manifests of this name. A file without either speaks against all. */
static void blame_by_place(struct ice_rescue_run *run,
                           const struct ice_finding *finding) {
    const struct ice_check *ck = &run->ck;
    enum ice_rescue_health health = health_of(finding->rule);
    bool is_known = false;
    if (ice_str_equal(finding->at.file, ck->metadata_file)) {
        blame_by_document(run, finding, health);
        return;
    }
    uint64_t key = ice_hash64(finding->at.file, run->r->reader->run.hash_seed);
    size_t at = SIZE_MAX;
    uint32_t i;
    while (ice_table_next(&run->lists_by_name, key, &at, &i)) {
        if (!ice_str_equal(ck->snapshots[i].list_file, finding->at.file))
            continue;
        is_known = true;
        blame_by_list(run, i, finding, health);
    }
    for (at = SIZE_MAX; ice_table_next(&run->manifests_by_name, key, &at, &i);) {
        if (!ice_str_equal(run->manifests[i], finding->at.file))
            continue;
        is_known = true;
        ice_rescue_blame_manifest(run, i, health, finding->rule->name,
                                  faulty_file(finding), finding->message);
    }
    if (!is_known && run->status >= 0)
        run->status = ice_rescue_blame(run->r, &run->own, health, finding->rule->name,
                                       faulty_file(finding), finding->message);
}

enum ice_status ice_rescue_keep_fetch(struct ice_rescue *r, struct ice_str file,
                                      struct ice_str command) {
    for (const struct ice_rescue_fault *f = r->fetch; f != NULL; f = f->next) {
        if (ice_str_equal(f->file, file))
            return ICE_OK;
    }
    if (r->n_fetch >= ICE_RESCUE_FETCHED)
        return ICE_OK;
    struct ice_rescue_fault *fetch = ice_arena_alloc(&r->arena, sizeof(*fetch));
    if (fetch == NULL || !ice_arena_dup(&r->arena, file, &fetch->file) ||
        !ice_arena_dup(&r->arena, command, &fetch->message))
        return ice_error_memory(r->err);
    fetch->rule = "storage.file.recoverable";
    if (r->last_fetch != NULL)
        r->last_fetch->next = fetch;
    else
        r->fetch = fetch;
    r->last_fetch = fetch;
    r->n_fetch++;
    return ICE_OK;
}

/* A deleted file whose old version is still there. */
static enum ice_status keep_recoverable(struct ice_rescue *r,
                                        const struct ice_finding *finding) {
    return ice_rescue_keep_fetch(
        r, ice_args_text(finding->args, finding->n_args, "path"),
        ice_args_text(finding->args, finding->n_args, "command"));
}

enum ice_status ice_rescue_on_finding(const struct ice_finding *finding, void *user) {
    struct ice_rescue_run *run = user;
    if (strcmp(finding->rule->name, "storage.file.recoverable") == 0)
        return keep_recoverable(run->r, finding);
    if (strcmp(finding->rule->name, "storage.file.not-copied") == 0)
        return run->is_alone ? ice_rescue_blame(run->r, &run->own, ICE_RESCUE_UNSURE,
                                                finding->rule->name, faulty_file(finding),
                                                finding->message)
                             : ICE_OK; /* the facts tell, of which snapshots */
    if (!counts(finding) || !is_about_states(finding->rule))
        return ICE_OK;
    if (!run->is_alone)
        blame_by_place(run, finding);
    else if (!is_other_snapshot(run, finding))
        run->status =
            ice_rescue_blame(run->r, &run->own, health_of(finding->rule),
                             finding->rule->name, faulty_file(finding), finding->message);
    return run->status;
}

/* What places of findings are told apart by. */
enum ice_status ice_rescue_index_places(struct ice_rescue_run *run) {
    struct ice_check *ck = &run->ck;
    uint64_t seed = run->r->reader->run.hash_seed;
    enum ice_status status = ICE_OK;
    run->manifests =
        ice_arena_array(&ck->arena, ck->n_manifests, sizeof(*run->manifests));
    if (run->manifests == NULL)
        return ice_error_memory(run->r->err);
    for (size_t i = 0; i < ck->n_manifests && status >= 0; i++) {
        run->manifests[i] = ice_check_file_name(ck, ck->manifests[i].path);
        status = ice_table_put(&run->manifests_by_name,
                               ice_hash64(run->manifests[i], seed), (uint32_t)i);
    }
    for (size_t i = 0; i < ck->n_snapshots && status >= 0; i++) {
        if (ck->snapshots[i].in_scope)
            status =
                ice_table_put(&run->lists_by_name,
                              ice_hash64(ck->snapshots[i].list_file, seed), (uint32_t)i);
    }
    for (size_t i = 0; i < ck->n_records && status >= 0; i++)
        status = ice_table_put(
            &run->records_by_place,
            place_key(run, ck->records[i]->snapshot, ck->records[i]->record),
            (uint32_t)i);
    return status < 0 ? ice_error_memory(run->r->err) : ICE_OK;
}
