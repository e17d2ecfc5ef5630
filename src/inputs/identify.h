/*
 * What is this file? From its first bytes (64 KiB are enough) and its name. Pure.
 */
#ifndef ICE_INPUTS_IDENTIFY_H
#define ICE_INPUTS_IDENTIFY_H

#include "source/source.h"

enum ice_input_kind {
    ICE_INPUT_METADATA,
    ICE_INPUT_VIEW,
    ICE_INPUT_MANIFEST_LIST,
    ICE_INPUT_MANIFEST,
    ICE_INPUT_AVRO,
    ICE_INPUT_PARQUET,
    ICE_INPUT_ORC,
    ICE_INPUT_PUFFIN,
    ICE_INPUT_SQLITE,
    ICE_INPUT_ARCHIVE,
    ICE_INPUT_HINT,
    ICE_INPUT_JSON,
    ICE_INPUT_EMPTY,
    ICE_INPUT_UNKNOWN,
    ICE_INPUT_ENCRYPTED,
};

/* first: the first bytes after inflating gzip or zstd. */
enum ice_input_kind ice_identify(struct ice_str name, struct ice_str first);
/* "Iceberg table metadata", "manifest list" ..., with its article left out. */
const char *ice_input_kind_name(enum ice_input_kind kind);

/*
 * Open a stream with gzip or zstd taken off where the bytes (not the name) say so.
 * *out_magic: what was taken off.
 */
enum ice_status ice_open_inflated(struct ice_source *source, struct ice_str key,
                                  struct ice_run *run, struct ice_stream *out,
                                  struct ice_file_info *out_info,
                                  enum ice_magic *out_magic, struct ice_error *err);
/* The same of a file of any size, of which nothing is kept. */
enum ice_status ice_open_endless(struct ice_source *source, struct ice_str key,
                                 struct ice_run *run, struct ice_stream *out,
                                 struct ice_error *err);

#endif
