/*
 * Standard input as a source of one file, and the source of a file that an argument
 * names.
 */
#ifndef ICE_INPUTS_STDIN_H
#define ICE_INPUTS_STDIN_H

#include "base/arena.h"
#include "source/source.h"

#define ICE_STDIN_KEY "stdin"

/*
 * Read standard input to its end into an unlinked temporary file (a check reads a file
 * with findings twice) of at most limits.file_bytes; its one key is ICE_STDIN_KEY.
 * ICE_ELIMIT "limit.file", ICE_EIO "source.unreadable".
 */
enum ice_status ice_source_open_stdin(struct ice_source **out, struct ice_run *run,
                                      struct ice_error *err);
/* Can it be read only once: standard input, or <(command) of a shell? */
bool ice_path_is_pipe(const char *path);
/*
 * The source and key of the file that an argument names; "-" is standard input, and pipes
 * are read to their end as that is. A link is
 * followed: the argument may be one. *out_key lives in the arena. ICE_ENOENT.
 */
enum ice_status ice_source_open_argument(struct ice_source **out, struct ice_str *out_key,
                                         struct ice_arena *arena, struct ice_run *run,
                                         const char *path, struct ice_error *err);
/*
 * A part of a stream in such a file, called key (its first 255 bytes): bytes from up to
 * to, and blanks for all before them, so that offsets and lines stay.
 */
enum ice_status ice_source_open_spool(struct ice_source **out, struct ice_run *run,
                                      struct ice_stream *stream, struct ice_str key,
                                      uint64_t from, uint64_t to, struct ice_error *err);
bool ice_path_is_directory(const char *path);

#endif
