/*
 * Turning what a decoder could not do into findings: the one place where a status becomes
 * a rule.
 */
#include "check/check.h"

/* Decoders name their rule; sources of the caller's may leave it out. */
static enum ice_rule_id rule_of_fault(const struct ice_error *fault) {
    enum ice_rule_id id;
    if (fault->rule != NULL && ice_rule_id_of(fault->rule, &id))
        return id;
    switch (fault->status) {
    case ICE_ENOENT: /* it was there when the directory was read */
        return ICE_RULE_SOURCE_CHANGED;
    case ICE_ELIMIT:
        return ICE_RULE_LIMIT_FILE;
    case ICE_EFORMAT:
    case ICE_EUNSUPPORTED:
        return ICE_RULE_SOURCE_UNKNOWN;
    case ICE_DONE:
    case ICE_OK:
    case ICE_EARG:
    case ICE_ENOMEM:
    case ICE_EIO:
    case ICE_ECANCELLED:
        return ICE_RULE_SOURCE_UNREADABLE;
    }
    return ICE_RULE_SOURCE_UNREADABLE;
}

/* What the fault knows better than the place it was met at. */
static struct ice_place place_of_fault(const struct ice_error *fault,
                                       const struct ice_place *place) {
    struct ice_place exact = *place;
    if (fault->offset != ICE_NO_OFFSET)
        exact.at.offset = fault->offset;
    if (fault->line != 0) {
        exact.at.line = fault->line;
        exact.at.column = fault->column;
    }
    if (fault->pointer[0] != '\0')
        exact.at.pointer = ice_str_from(fault->pointer);
    return exact;
}

bool ice_same_file(const struct ice_file_info *a, const struct ice_file_info *b) {
    return a->size == b->size && a->mtime_ms == b->mtime_ms && a->identity == b->identity;
}

/* Was the file opened last replaced, cut or removed while it was read? */
static bool has_changed(const struct ice_check *ck) {
    struct ice_file_info now = {.mtime_ms = INT64_MIN};
    if (ck->opened_source == NULL)
        return false;
    enum ice_status status = ice_source_stat(
        ck->opened_source, ice_buf_str(&ck->opened_key), ck->run, &now, NULL);
    if (status == ICE_OK)
        return !ice_same_file(&now, &ck->opened_info);
    return status == ICE_ENOENT;
}

enum ice_status ice_check_fault(struct ice_check *ck, const struct ice_error *fault,
                                const struct ice_place *place, enum ice_scope scope,
                                const char *what) {
    if (ice_status_is_final(fault->status))
        return fault->status;
    enum ice_rule_id id = rule_of_fault(fault);
    if (fault->status == ICE_EFORMAT && has_changed(ck))
        id = ICE_RULE_SOURCE_CHANGED;
    const struct ice_rule *rule = ice_rule_of(id);
    struct ice_place exact = place_of_fault(fault, place);
    enum ice_severity severity = rule->severity;
    if (id == ICE_RULE_AVRO_CODEC_UNSUPPORTED && fault->status == ICE_EUNSUPPORTED)
        severity = ICE_WARN; /* one of Avro's, but not built in: the table may be sound */
    else if (scope == ICE_SCOPE_UNREACHABLE)
        severity = ice_severity_drop(severity);
    FOUND_AS(ck->emit, id, severity, &exact,
             arg_text("detail", fault->message[0] != '\0'
                                    ? fault->message
                                    : ice_status_name(fault->status)),
             arg_text("what", what), arg_text("scope", ice_scope_name(scope)));
    ice_emit_not_evaluated(ck->emit, what, ice_str_from(rule->name), true, exact.at.file);
    return ICE_OK;
}

/* E/W rules drop by one level, E/I rules by two. */
static enum ice_severity lower_severity(enum ice_rule_id id) {
    enum ice_severity severity = ice_severity_drop(ice_rule_of(id)->severity);
    return id == ICE_RULE_AVRO_NAME_ILLEGAL ? ice_severity_drop(severity) : severity;
}

enum ice_status ice_check_avro_fault(const struct ice_avro_fault *fault, void *user) {
    struct ice_fault_sink *sink = user;
    enum ice_rule_id id;
    if (!ice_rule_id_of(fault->rule, &id))
        return ICE_OK;
    struct ice_place place = sink->place;
    place.at.pointer = fault->pointer;
    enum ice_severity severity = ice_rule_of(id)->severity;
    if (fault->lower)
        severity = lower_severity(id);
    sink->any_error = sink->any_error || severity == ICE_ERROR;
    FOUND_AS(sink->ck->emit, id, severity, &place, arg_str("field", fault->field),
             arg_i64("id", fault->id), arg_str("detail", fault->detail));
    return ICE_OK;
}
