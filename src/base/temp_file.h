/*
 * A temporary file without a name: unlinked as soon as it is open, so that nothing stays
 * behind, whatever ends the process.
 */
#ifndef ICE_BASE_TEMP_FILE_H
#define ICE_BASE_TEMP_FILE_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>

/* dir NULL: TMPDIR, else /tmp. The descriptor, the caller's to close and closed by exec;
 * -1: errno says why. */
int ice_temp_file_open(const char *dir) ICE_MUST_USE;
/* All of it, behind what was written before. false: errno says why. */
bool ice_temp_file_write(int fd, const void *data, size_t size) ICE_MUST_USE;

#endif
