/*
 * Standard input as a source of one file.
 */
#ifndef ICE_INPUTS_STDIN_H
#define ICE_INPUTS_STDIN_H

#include "source/source.h"

#define ICE_STDIN_KEY "stdin"

/*
 * Read standard input to its end into an unlinked temporary file (a check reads a file
 * with findings twice) of at most limits.file_bytes; its one key is ICE_STDIN_KEY.
 * ICE_ELIMIT "limit.file", ICE_EIO "source.unreadable".
 */
enum ice_status ice_source_open_stdin(struct ice_source **out, struct ice_run *run,
                                      struct ice_error *err);
bool ice_path_is_directory(const char *path);

#endif
