/*
 * One file as one JSON document, where the pointers of findings resolve.
 */
#ifndef ICE_ICEBERG_DUMP_H
#define ICE_ICEBERG_DUMP_H

#include "stream/stream.h"

/*
 * JSON (metadata.json, catalog exports, a version hint) comes out indented and otherwise
 * as it stands: strings and numbers by their tokens, repeated keys repeated. An Avro
 * container is
 *
 *   {"header": {key: value, ...}, "records": [record, ...]}
 *
 * with avro.schema, iceberg.schema, schema and partition-spec as the JSON that they hold,
 * other header values as strings, and null for each record of a lost block, so that
 * indexes hold.
 *
 * A file that breaks on the way is one on_trouble a broken place; the document is closed
 * and ICE_OK returned. Fails, and then has written nothing: ICE_EFORMAT if nothing could
 * be read, ICE_EUNSUPPORTED for other kinds of files. Statuses of write end it at once.
 * The stream is what is left after gzip or zstd; user is that of write and on_trouble.
 */
enum ice_status ice_dump_stream(struct ice_stream *stream, struct ice_run *run,
                                ice_write_fn write, ice_trouble_fn on_trouble, void *user,
                                struct ice_error *err);

#endif
