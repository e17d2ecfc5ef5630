/*
 * From a key to an open file below a root directory, one component at a time: no link is
 * ever followed by the system, so nothing outside the root can be reached, whatever the
 * tree holds and however it changes meanwhile.
 */
#ifndef ICE_SOURCE_WALK_H
#define ICE_SOURCE_WALK_H

#include "base/error.h"
#include "base/str.h"

#include <sys/stat.h>

/* Where links lead to: root_fd is the open directory, root_path its absolute path or
 * empty. */
struct ice_walk_root {
    int fd;
    struct ice_str path;
};

enum ice_walk_target { ICE_WALK_FILE, ICE_WALK_DIRECTORY };

/*
 * Open what key names, ready to be read; *out_stat is of the open file. key "" is the
 * root. ICE_ENOENT; ICE_EIO with rule "source.link", "source.type", or
 * "source.unreadable"; ICE_EFORMAT with "source.path" for a key longer than the system
 * can take.
 */
enum ice_status ice_walk_open(const struct ice_walk_root *root, struct ice_str key,
                              enum ice_walk_target target, int *out_fd,
                              struct stat *out_stat, struct ice_error *err);

/* openat, repeated after a signal. */
int ice_walk_openat(int directory, const char *name, int flags);
/* What an errno says; the same words in every locale. */
const char *ice_system_reason(int code);

#endif
