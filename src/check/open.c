/*
 * Opening files that metadata names: what is absent, unmapped or unreadable is reported
 * here, once, so that passes only ask whether they got a stream.
 */
#include "check/check.h"

#include "base/error.h"
#include "check/unfound.h"

/* A path that climbs is not inside the root, whatever it begins with. */
static bool has_dots(struct ice_str path) {
    while (path.size > 0) {
        size_t slash = ice_str_find(path, '/');
        if (ice_str_is(ice_str_first(path, slash), ".."))
            return true;
        path = slash == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(path, slash + 1);
    }
    return false;
}

struct ice_str ice_check_file_name(struct ice_check *ck, struct ice_str uri) {
    struct ice_str rest, name;
    struct ice_str root = ck->metadata.location;
    if (root.size == 0 || !ice_uri_is_below(ck->run, uri, root, &rest) ||
        rest.size == 0 || has_dots(rest))
        rest = uri;
    /* out of memory: the borrowed text lives at least as long as the finding's site */
    return ice_arena_dup(&ck->arena, rest, &name) ? name : rest;
}

static enum ice_severity missing_severity(enum ice_rule_id rule, enum ice_scope scope) {
    enum ice_severity severity = ice_rule_of(rule)->severity;
    return scope == ICE_SCOPE_UNREACHABLE ? ice_severity_drop(severity) : severity;
}

/* What to give --map: the directory above "metadata", or the one that holds the file. */
static struct ice_str map_prefix(struct ice_str uri) {
    size_t slash = ice_str_rfind(uri, '/');
    struct ice_str directory = slash == SIZE_MAX ? uri : ice_str_first(uri, slash);
    if (ice_str_ends(directory, ICE_STR("/metadata")))
        directory.size -= sizeof("/metadata") - 1;
    return directory;
}

void ice_check_unmapped(struct ice_check *ck, struct ice_str uri,
                        const struct ice_place *named_at, const char *what) {
    FOUND(ck->emit, ICE_RULE_SOURCE_UNMAPPED, named_at, arg_str("uri", uri),
          arg_str("prefix", map_prefix(uri)));
    ice_emit_not_evaluated(ck->emit, what, ICE_STR("source.unmapped"), true,
                           ice_check_file_name(ck, uri));
}

static void report_missing(struct ice_check *ck, struct ice_str uri,
                           const struct ice_place *named_at, enum ice_rule_id rule,
                           enum ice_scope scope, const char *what) {
    const struct ice_unfound item = {.rule = rule,
                                     .severity = missing_severity(rule, scope),
                                     .place = *named_at,
                                     .uri = uri,
                                     .name = ice_check_file_name(ck, uri),
                                     .scope = scope,
                                     .what = what};
    ice_unfound_found(ck, &item);
}

/* A fault in finding or opening a file: its own place is the file as a whole. */
static enum ice_status report_fault(struct ice_check *ck, struct ice_str uri,
                                    uint64_t order, const struct ice_error *fault,
                                    enum ice_scope scope, const char *what) {
    struct ice_place place = ice_place_file(ice_check_file_name(ck, uri), order);
    ICE_TRY(ice_check_fault(ck, fault, &place, scope, what));
    return fault->status;
}

/* Remembered for ice_check_fault: is it still the same file? */
static enum ice_status remember(struct ice_check *ck, struct ice_source *source,
                                struct ice_str key, const struct ice_file_info *info) {
    char shown[400];
    if (ck->options->on_note != NULL)
        ice_check_note(ck, 2, "reading %s", ice_escape(shown, sizeof(shown), key));
    ck->n_bytes += info->size;
    ck->opened_source = source;
    ck->opened_info = *info;
    ice_buf_clear(&ck->opened_key);
    return ice_buf_append_str(&ck->opened_key, key);
}

/* Nothing is reported: *fault says why. *out_mapped: a source covers the URI. */
static enum ice_status open_uri(struct ice_check *ck, struct ice_str uri,
                                struct ice_stream *out, struct ice_file_info *info,
                                bool *out_mapped, struct ice_error *fault) {
    struct ice_buf scratch;
    struct ice_source *source = NULL;
    struct ice_str key;
    ice_error_clear(fault);
    *out = (struct ice_stream){0};
    *info = (struct ice_file_info){.mtime_ms = INT64_MIN};
    *out_mapped = false;
    if (ice_check_cancelled(ck))
        return ice_error_set(fault, ICE_ECANCELLED, NULL, ICE_NO_OFFSET, "interrupted");
    ice_buf_init(&scratch, &ck->run->alloc, SIZE_MAX);
    enum ice_status status =
        ice_mapping_resolve(&ck->mapping, uri, &scratch, &source, &key, fault);
    *out_mapped = status == ICE_OK;
    if (status == ICE_OK)
        status = ice_source_open_stream(source, key, ck->run, out, info, fault);
    if (status == ICE_OK && remember(ck, source, key, info) < 0) {
        ice_stream_release(out);
        status = ice_error_memory(fault);
    }
    ice_buf_release(&scratch);
    return status;
}

enum ice_status ice_check_open(struct ice_check *ck, struct ice_str uri,
                               const struct ice_place *named_at,
                               enum ice_rule_id missing_rule, enum ice_scope scope,
                               const char *what, struct ice_stream *out,
                               struct ice_file_info *info, struct ice_error *err) {
    struct ice_error fault;
    bool is_mapped;
    enum ice_status status = open_uri(ck, uri, out, info, &is_mapped, &fault);
    if (status == ICE_OK)
        return ICE_OK;
    if (ice_status_is_final(status))
        return ice_error_pass(err, status, &fault);
    if (status != ICE_ENOENT)
        return report_fault(ck, uri, named_at->order, &fault, scope, what);
    if (is_mapped)
        report_missing(ck, uri, named_at, missing_rule, scope, what);
    else
        ice_check_unmapped(ck, uri, named_at, what);
    return ICE_ENOENT;
}

enum ice_status ice_check_open_present(struct ice_check *ck, struct ice_str uri,
                                       uint64_t order, enum ice_scope scope,
                                       const char *what, struct ice_stream *out,
                                       bool *out_mapped, struct ice_error *err) {
    struct ice_error fault;
    struct ice_file_info info;
    enum ice_status status = open_uri(ck, uri, out, &info, out_mapped, &fault);
    if (status == ICE_OK || status == ICE_ENOENT)
        return status;
    if (ice_status_is_final(status))
        return ice_error_pass(err, status, &fault);
    return report_fault(ck, uri, order, &fault, scope, what);
}

enum ice_status ice_check_open_target(struct ice_check *ck, struct ice_str *out_file,
                                      struct ice_stream *out, struct ice_file_info *info,
                                      struct ice_error *err) {
    const struct ice_target *target = ck->target;
    struct ice_error fault;
    ice_error_clear(&fault);
    *out = (struct ice_stream){0};
    *info = (struct ice_file_info){.mtime_ms = INT64_MIN};
    *out_file = ice_target_file_name(target, target->file_key);
    enum ice_status status = ice_source_open_stream(target->source, target->file_key,
                                                    ck->run, out, info, &fault);
    if (status == ICE_OK && remember(ck, target->source, target->file_key, info) < 0) {
        ice_stream_release(out);
        status = ice_error_memory(&fault);
    }
    if (status == ICE_OK)
        return ICE_OK;
    if (ice_status_is_final(status))
        return ice_error_pass(err, status, &fault);
    struct ice_place place = ice_place_file(*out_file, ICE_ORDER_LIST);
    ICE_TRY(ice_check_fault(ck, &fault, &place, ICE_SCOPE_HEAD,
                            ice_input_kind_name(target->is)));
    return status;
}
