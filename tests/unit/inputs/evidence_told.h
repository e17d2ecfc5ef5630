/*
 * Evidence as bytes, and the records that must come out of it.
 */
#include "inputs/evidence.h"

#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/failing_run.h"
#include "support/pieces.h"

/* Records as lines of text: kind, line, time, table, snapshot, created, schema, URI. */
struct told {
    char text[8192];
    size_t size;
};

static const char *kind_of(const struct ice_evidence *record) {
    switch (record->kind) {
    case ICE_EVIDENCE_SCAN:
        return "scan";
    case ICE_EVIDENCE_REPORT:
        return record->repeats ? "again" : "report";
    case ICE_EVIDENCE_NO_SCAN:
        return "empty";
    case ICE_EVIDENCE_REFRESH:
        return "refresh";
    case ICE_EVIDENCE_LOADED:
        return "loaded";
    case ICE_EVIDENCE_COMMIT:
        return "commit";
    case ICE_EVIDENCE_QUERY:
        return "query";
    case ICE_EVIDENCE_SESSION:
        return "session";
    }
    return "?";
}

static void put_number(char *out, size_t size, bool has, int64_t number) {
    if (has)
        (void)snprintf(out, size, "%lld", (long long)number);
    else
        (void)snprintf(out, size, "-");
}

static enum ice_status tell(const struct ice_evidence *r, void *user) {
    struct told *told = user;
    char time[32], id[32], created[32], schema[32];
    put_number(time, sizeof(time), r->time_ms != INT64_MIN, r->time_ms);
    put_number(id, sizeof(id), r->has_snapshot_id, r->snapshot_id);
    put_number(created, sizeof(created), r->created_ms != INT64_MIN, r->created_ms);
    put_number(schema, sizeof(schema), r->has_schema_id, r->schema_id);
    int n = snprintf(told->text + told->size, sizeof(told->text) - told->size,
                     "%s %d %s%s [%.*s] %s %s %s [%.*s]\n", kind_of(r), (int)r->line,
                     time, r->has_zone ? "z" : "", ICE_STR_FMT(r->table), id, created,
                     schema, ICE_STR_FMT(r->metadata_location));
    assert_true(n > 0 && (size_t)n < sizeof(told->text) - told->size);
    told->size += (size_t)n;
    return ICE_OK;
}

static struct told read_bytes(struct ice_str bytes, size_t most,
                              const struct ice_listing_options *options) {
    struct ice_run run;
    struct ice_stream stream;
    struct told told = {.size = 0};
    struct pieces pieces = {.bytes = bytes, .most = most, .seed = 7};
    ice_run_init(&run, NULL);
    struct ice_evidence_log log = {
        .run = &run, .options = *options, .format = ice_evidence_detect(&run, bytes)};
    assert_int_not_equal(log.format, ICE_EVIDENCE_FORMATS);
    assert_int_equal(ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL), ICE_OK);
    assert_int_equal(ice_evidence_read_stream(&log, &stream, tell, &told, NULL), ICE_OK);
    ice_stream_release(&stream);
    assert_int_equal(run.alloc.used, 0);
    return told;
}

/* Each request for memory fails in turn: then that is said. */
static void says_without_memory(struct ice_str bytes, const char *expected,
                                const struct ice_listing_options *options) {
    enum ice_evidence_format format;
    struct ice_run run;
    ice_run_init(&run, NULL);
    format = ice_evidence_detect(&run, bytes);
    enum ice_status status = ICE_ENOMEM;
    for (uint64_t k = 1; status != ICE_OK; k++) {
        struct failing failing = {.fail_at = k};
        struct ice_stream stream = {0};
        struct told told = {.size = 0};
        struct pieces pieces = {.bytes = bytes, .most = 9};
        failing_run_init(&run, &failing);
        struct ice_evidence_log log = {
            .run = &run, .options = *options, .format = format};
        (void)ice_evidence_detect(&run, bytes); /* a guess */
        status = ice_stream_init(&stream, &run, &pieces_ops, &pieces, NULL);
        if (status == ICE_OK)
            status = ice_evidence_read_stream(&log, &stream, tell, &told, NULL);
        ice_stream_release(&stream);
        assert_int_equal(failing.used, 0);
        if (status != ICE_OK)
            assert_int_equal(status, ICE_ENOMEM);
        else
            assert_string_equal(told.text, expected);
        if (failing.n >= k)
            status = ICE_ENOMEM; /* it could do without: go on */
    }
}

/* Cut anywhere it is read up to there, or is said to be broken. */
static void says_what_is_left(struct ice_str bytes,
                              const struct ice_listing_options *options) {
    struct ice_run run;
    ice_run_init(&run, NULL);
    const enum ice_evidence_format format = ice_evidence_detect(&run, bytes);
    for (size_t size = 0; size < bytes.size; size++) {
        struct ice_stream stream;
        struct told told = {.size = 0};
        struct ice_evidence_log log = {
            .run = &run, .options = *options, .format = format};
        ice_stream_init_memory(&stream, &run, ice_str_first(bytes, size));
        enum ice_status status =
            ice_evidence_read_stream(&log, &stream, tell, &told, NULL);
        assert_true(status == ICE_OK || status == ICE_EFORMAT);
        ice_stream_release(&stream);
        assert_int_equal(run.alloc.used, 0);
    }
}

/* The same records however the bytes come. */
static void says(const char *bytes, const char *expected) {
    struct ice_listing_options options = {.has_zone = false};
    for (size_t most = 0; most <= 3; most++) {
        struct told told = read_bytes(ice_str_from(bytes), most, &options);
        assert_string_equal(told.text, expected);
    }
    struct told told = read_bytes(ice_str_from(bytes), SIZE_MAX, &options);
    assert_string_equal(told.text, expected);
    says_without_memory(ice_str_from(bytes), expected, &options);
    says_what_is_left(ice_str_from(bytes), &options);
}
