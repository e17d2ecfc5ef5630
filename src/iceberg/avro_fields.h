/*
 * The Avro side that lists and manifests share: opening a container with its schema, and
 * the walk of that schema against fields/<struct>.def. Used by manifest_list.c and
 * manifest.c only.
 */
#ifndef ICE_ICEBERG_AVRO_FIELDS_H
#define ICE_ICEBERG_AVRO_FIELDS_H

#include "avro/plan.h"
#include "iceberg/avro_fault.h"

/* The version columns of the .def files. */
enum ice_need { ICE_NEED_NO, ICE_NEED_OPT, ICE_NEED_REQ, ICE_NEED_DEP };

/* What the spec says about a wanted field; a table of these runs beside its ice_want
 * table. */
struct ice_avro_need {
    uint8_t version[3];                   /* enum ice_need for v1, v2, v3 */
    const struct ice_avro_need *children; /* RECORD, LIST: beside want.children */
};

/* Who hears of faults. */
struct ice_avro_listener {
    ice_avro_fault_fn on_fault; /* may be NULL */
    void *user;
};

/*
 * Open a container and parse its schema into file->arena. Duplicate header keys, rare
 * codecs and problems of a readable schema go to the listener. any_root: a schema that
 * is no record will do. Fails like ice_avro_open and ice_avro_schema_parse; the caller
 * releases the file in any case.
 */
enum ice_status ice_avro_open_schema(struct ice_avro_file *file, struct ice_run *run,
                                     struct ice_stream *stream,
                                     const struct ice_avro_listener *listener,
                                     bool any_root, const struct ice_avro_schema **out,
                                     struct ice_error *err);

/*
 * Compare a record schema with the fields that version (1, 2, 3) of the spec has. Returns
 * what the listener returned, or ICE_ENOMEM.
 */
enum ice_status ice_avro_check_fields(const struct ice_avro_schema *record,
                                      const struct ice_want *wants,
                                      const struct ice_avro_need *needs, size_t n_wants,
                                      int version, struct ice_arena *arena,
                                      const struct ice_avro_listener *listener);

/* A field that every file of a kind has, and no file of another. */
struct ice_avro_mark {
    const char *kind; /* "manifest" */
    int32_t id;
    const char *name;
};
extern const struct ice_avro_mark ice_avro_list_mark, ice_avro_manifest_mark;

/*
 * ICE_OK, or ICE_EFORMAT (rule "avro.file.wrong-kind") of a file that lacks the mark of
 * the kind that it should be and has the other one: it was copied over.
 */
enum ice_status ice_avro_expect_kind(const struct ice_avro_schema *record,
                                     const struct ice_avro_mark *own,
                                     const struct ice_avro_mark *other,
                                     struct ice_error *err);

/* The file's name for a wanted column of a record; the spec's where the record has none.
 */
struct ice_str ice_avro_column_name(const struct ice_avro_schema *record,
                                    const struct ice_want *want);

/* A header value that is a decimal integer. false: absent, or (*out_bad) something else.
 */
bool ice_avro_header_integer(const struct ice_avro_file *file, const char *key,
                             int64_t *out, bool *out_bad);

#endif
