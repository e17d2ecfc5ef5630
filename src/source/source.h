/*
 * Where bytes are: a local directory, memory, or storage of the caller's, behind one ops
 * table (icefsck.h). Nothing outside the root of a source is ever opened: keys are
 * checked before any file is touched, and the directory source walks them component by
 * component.
 */
#ifndef ICE_SOURCE_SOURCE_H
#define ICE_SOURCE_SOURCE_H

#include "base/arena.h"
#include "stream/stream.h"

/*
 * Faults by rule (err->rule): "source.path" (key with "..", ".", empty part, NUL, or over
 * limits.path_bytes; nothing was opened), "source.link" (loop, or link out of the root),
 * "source.type" (not a regular file), "source.unreadable" (no permission, read error). A
 * missing file is ICE_ENOENT with no rule; a path fault is ICE_EFORMAT, the others
 * ICE_EIO.
 */

/* May several threads open and read files of it at a time? Not of what the caller
 * brought: an object belongs to one thread. */
bool ice_source_is_shared(const struct ice_source *source);

/* A file as a stream, nothing inflated. The stream reads with read_at and owns the
 * handle. */
enum ice_status ice_source_open_stream(struct ice_source *source, struct ice_str key,
                                       struct ice_run *run, struct ice_stream *out,
                                       struct ice_file_info *out_info,
                                       struct ice_error *err);

/* ... of which nothing is kept, such as a listing: limits.file_bytes does not hold. */
enum ice_status ice_source_open_endless(struct ice_source *source, struct ice_str key,
                                        struct ice_run *run, struct ice_stream *out,
                                        struct ice_file_info *out_info,
                                        struct ice_error *err);

/* The root of a local directory, open; the source's. -1: it is no local one. */
int ice_source_directory(const struct ice_source *source);

/* Is there such a file? ICE_OK with *out_info, ICE_ENOENT, or a fault as above. */
enum ice_status ice_source_stat(struct ice_source *source, struct ice_str key,
                                struct ice_run *run, struct ice_file_info *out_info,
                                struct ice_error *err);

/*
 * One directory, sorted by name (bytes), so that nothing depends on directory order.
 * Names live in the arena. ICE_ENOENT if there is no such directory. Of a local tree: a
 * link to a file counts as that file, links to directories are left out (a walk would not
 * end), and what cannot be opened is listed as a file of size UINT64_MAX.
 */
struct ice_source_entry {
    struct ice_str name;
    bool is_directory;
    struct ice_file_info info;
};
enum ice_status ice_source_list(struct ice_source *source, struct ice_str directory,
                                struct ice_run *run, struct ice_arena *arena,
                                struct ice_source_entry **out, size_t *out_n,
                                struct ice_error *err);

#endif
