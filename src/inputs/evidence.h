/*
 * Evidence: which state of a table a reader used, by its own words. It never decides what
 * is current. Read as a stream, one record after another; nothing is kept of them.
 *
 *   evidence.c        opening, recognising, the last read of a table
 *   evidence_text.c   logs, a line at a time
 *   evidence_line.c   what one line of a log says
 *   evidence_json.c   documents of JSON: logs, reports, queries, rows
 *   evidence_rows.c   rows of metadata tables as CSV, TSV, or drawn
 */
#ifndef ICE_INPUTS_EVIDENCE_H
#define ICE_INPUTS_EVIDENCE_H

#include "base/arena.h"
#include "base/buf.h"
#include "inputs/listing.h"
#include "source/source.h"

/* What an input was taken for. */
enum ice_evidence_format {
    ICE_EVIDENCE_LOG,  /* lines of a driver log: log4j 1 and 2, logback, JSON lines */
    ICE_EVIDENCE_JSON, /* documents: exported logs, ReportMetricsRequest, Trino queries */
    ICE_EVIDENCE_ROWS, /* metadata_log_entries or history, asked in the same session */
    ICE_EVIDENCE_FORMATS,
};

/* What a record says. */
enum ice_evidence_kind {
    ICE_EVIDENCE_SCAN,    /* a scan was planned: snapshot_id, created_ms */
    ICE_EVIDENCE_REPORT,  /* a scan was planned, as its metrics report says: snapshot_id,
                             schema_id */
    ICE_EVIDENCE_NO_SCAN, /* the table had no snapshot when it was scanned */
    ICE_EVIDENCE_REFRESH, /* a metadata file was loaded, for no table that is named:
                             metadata_location */
    ICE_EVIDENCE_LOADED, /* a catalog loaded the table, from metadata_location if that was
                            printed. Of a metadata table ("db.t.history") there is none:
                            a caching catalog shows it from the state that it holds of
                            db.t, whatever was loaded for it */
    ICE_EVIDENCE_COMMIT, /* this process committed: snapshot_id, or the table alone */
    ICE_EVIDENCE_QUERY,  /* an input of a Trino query: snapshot_id */
    ICE_EVIDENCE_SESSION, /* a row of a metadata table: metadata_location, snapshot_id, at
                             least one; time_ms is the row's. No table: whoever asked
                             knows which it was of. The newest is what the session saw */
};

/* One record. Texts are as the reader printed them, borrowed for the call, and empty
 * where it does not say. */
struct ice_evidence {
    enum ice_evidence_kind kind;
    uint64_t line;        /* of the file, from 1 */
    int64_t time_ms;      /* when it was printed; INT64_MIN: unknown */
    bool has_zone;        /* time_ms: the file named its zone. Else as of the options */
    struct ice_str table; /* with catalog and namespace, as the engine names it */
    bool has_snapshot_id;
    int64_t snapshot_id;
    int64_t created_ms; /* the snapshot's own time; INT64_MIN: unknown */
    bool has_schema_id;
    int64_t schema_id;
    struct ice_str metadata_location;
    bool repeats; /* REPORT: the scan that the last SCAN told already */
};
/* Anything but ICE_OK stops the reading with that status. */
typedef enum ice_status (*ice_evidence_fn)(const struct ice_evidence *record, void *user);

/* One input, open. */
struct ice_evidence_log {
    struct ice_run *run;
    struct ice_source *source;
    struct ice_str key;
    struct ice_arena arena;
    enum ice_evidence_format format;
    struct ice_listing_options options; /* the zone of times that name none */

    /* found out by reading */
    uint64_t n_lines;
    uint64_t n_records;
    uint64_t n_reads;     /* records that ice_evidence_is_read */
    bool has_local_times; /* a time named no zone, and none was given */
};

/*
 * From the first bytes (64 KiB, inflated) of an input; FORMATS: it is none. A driver log
 * is told by its lines, however few of them speak of Iceberg. Pure, but a
 * guess where ice_alloc_refusals has grown meanwhile.
 */
enum ice_evidence_format ice_evidence_detect(struct ice_run *run, struct ice_str first);
/* "driver log" */
const char *ice_evidence_what(enum ice_evidence_format format);

/*
 * Open a file ("-": standard input), gzip and zstd taken off, and tell what it is. Faults
 * of opening as of sources; ICE_EUNSUPPORTED "source.unknown" where it is no evidence.
 */
enum ice_status ice_evidence_open(struct ice_evidence_log *log, struct ice_run *run,
                                  const char *path,
                                  const struct ice_listing_options *options,
                                  struct ice_error *err);
/* Safe twice, on all-zero, and after an _open that failed. */
void ice_evidence_release(struct ice_evidence_log *log);

/*
 * Read all of it from its start; may be called again. Afterwards, n_records 0: there is
 * nothing of Iceberg's in it, and ice_evidence_advice says what to do.
 */
enum ice_status ice_evidence_read(struct ice_evidence_log *log, ice_evidence_fn each,
                                  void *user, struct ice_error *err);
/* The same from a stream of its bytes, inflated; needs run, format and options only. */
enum ice_status ice_evidence_read_stream(struct ice_evidence_log *log,
                                         struct ice_stream *stream, ice_evidence_fn each,
                                         void *user, struct ice_error *err);

/* Is the record about the table that is asked for? */
typedef bool (*ice_evidence_match_fn)(const struct ice_evidence *record, void *user);
/*
 * The last read (as of _is_read; of SESSION the newest) that matches, its texts copied to
 * the log's arena. ICE_DONE: there is none.
 */
enum ice_status ice_evidence_last(struct ice_evidence_log *log,
                                  ice_evidence_match_fn is_of, void *user,
                                  struct ice_evidence *out, struct ice_error *err);

/* Does the record say which state was read (a snapshot, or that there was none)? */
bool ice_evidence_is_read(const struct ice_evidence *record);
/*
 * May the logged name ("spark_catalog.db.t", "db.t", a path) mean the table of this name
 * ("t", "db.t")? Whole parts are compared from the end, letter case counts.
 */
bool ice_evidence_names(struct ice_str logged, struct ice_str table);
/* For an input without a record: which logger to raise. No full stop. */
const char *ice_evidence_advice(void);

/* ---- between the files of this folder ---- */

struct ice_evidence_reader {
    struct ice_evidence_log *log;
    ice_evidence_fn each;
    void *user;
    struct ice_error *err;
    struct ice_buf line;   /* the head of the line that is read */
    struct ice_buf report; /* a metrics report that goes on over lines, or empty */
    struct ice_buf uri;    /* of a refresh that no table was named for yet, or empty */
    struct ice_evidence uri_head;    /* its line and time */
    struct ice_evidence report_head; /* its line and time */
    unsigned report_lines;
    struct ice_buf scanned; /* table of the last SCAN */
    int64_t scanned_id;
};

enum ice_status ice_evidence_read_text(struct ice_evidence_reader *reader,
                                       struct ice_stream *stream);
enum ice_status ice_evidence_read_documents(struct ice_evidence_reader *reader,
                                            struct ice_stream *stream);
enum ice_status ice_evidence_read_rows(struct ice_evidence_reader *reader,
                                       struct ice_stream *stream);
/* The head of the next line, without its end and the blanks there; ICE_DONE behind the
 * last. Borrowed from reader->line. */
enum ice_status ice_evidence_next_line(struct ice_evidence_reader *reader,
                                       struct ice_stream *stream, struct ice_str *out);
struct ice_str ice_evidence_trim(struct ice_str line, bool is_first);
/* What one line says: records told, in their order. base: its number, and its time if
 * something around it knows that. */
enum ice_status ice_evidence_line(struct ice_evidence_reader *reader, struct ice_str line,
                                  const struct ice_evidence *base);
/* Behind the last line of the input. */
enum ice_status ice_evidence_end(struct ice_evidence_reader *reader);
/* Behind the last line of a message. */
enum ice_status ice_evidence_flush(struct ice_evidence_reader *reader);
/* Does it hold one of the fixed texts? */
bool ice_evidence_speaks(struct ice_str line);
/* ... or a member by which an object of JSON says something? */
bool ice_evidence_mentions(struct ice_str line);
/* ... or a report of a REST catalog? */
bool ice_evidence_holds_report(struct ice_str line);
/* The report in a line of an access log, with what is behind it; empty: there is none. */
struct ice_str ice_evidence_body(struct ice_str line);
/* Set the time of a record from the front of a line, if there is one. */
void ice_evidence_time_in_front(struct ice_evidence_log *log, struct ice_str line,
                                struct ice_evidence *out);
/* Does it begin as lines of logs do: a time, and a level behind it? */
bool ice_evidence_is_log_line(struct ice_str line);
/* "INFO", "WARN" ...: in capitals, as loggers write them. */
bool ice_evidence_is_level(struct ice_str word);
/* Is it an object of JSON, by its first and last byte? */
bool ice_evidence_is_object_line(struct ice_str line);
/* Does it begin with the header of one of the metadata tables? */
bool ice_evidence_is_table(struct ice_run *run, struct ice_str first);
/* Of JSON: FORMATS: it says nothing that is known. */
enum ice_evidence_format ice_evidence_detect_json(struct ice_run *run,
                                                  struct ice_str first);
/* Set the time of a record, if text is one. */
void ice_evidence_time(struct ice_evidence_log *log, struct ice_str text,
                       struct ice_evidence *out);
/* Hand one record out. */
enum ice_status ice_evidence_tell(struct ice_evidence_reader *reader,
                                  const struct ice_evidence *record);
void ice_evidence_reader_init(struct ice_evidence_reader *reader,
                              struct ice_evidence_log *log, ice_evidence_fn each,
                              void *user, struct ice_error *err);
void ice_evidence_reader_release(struct ice_evidence_reader *reader);

#endif
