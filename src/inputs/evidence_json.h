/*
 * Evidence in JSON: one walk over all objects of a document, whatever they stand in. An
 * object says something by its members: a message of a log, a report of a REST catalog,
 * an input of a Trino query, a row of a metadata table.
 */
#ifndef ICE_INPUTS_EVIDENCE_JSON_H
#define ICE_INPUTS_EVIDENCE_JSON_H

#include "inputs/evidence.h"
#include "json/reader.h"

enum { ICE_EVIDENCE_DEPTH = 16 }; /* objects further in say nothing */

/* What an object that is open has said so far. */
struct ice_evidence_object {
    bool is_array;
    int outer; /* the role of the member that it is the value of */
    int64_t time_ms;
    bool has_zone, has_time;
    bool is_line; /* of a log: it has a level, a logger or a stream */
    bool is_scan_report, is_commit_report;
    bool has_latest;  /* latest_snapshot_id is there, its value may be null */
    bool has_current; /* made_current_at */
    bool has_snapshot, has_read, has_schema_id;
    int64_t snapshot_id, read_id, schema_id, seconds;
    struct ice_buf message, table, file, catalog, schema;
};

struct ice_evidence_walk {
    struct ice_evidence_reader *reader;
    struct ice_json json;
    uint64_t line;                     /* of the document's first byte */
    bool is_one_line;                  /* all of it stands there */
    const struct ice_evidence *around; /* its time is that of objects without one */
    bool is_log;                       /* found out: an object was a line of a log */
    size_t depth;
    struct ice_evidence_object objects[ICE_EVIDENCE_DEPTH];
};

void ice_evidence_walk_init(struct ice_evidence_walk *walk,
                            struct ice_evidence_reader *reader);
void ice_evidence_walk_release(struct ice_evidence_walk *walk);
/* One document of the stream, to its end. */
enum ice_status ice_evidence_walk_document(struct ice_evidence_walk *walk,
                                           struct ice_stream *stream,
                                           struct ice_error *err);

#endif
