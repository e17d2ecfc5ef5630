/*
 * Walking a key. The path that is still to go is a text; a link replaces its own
 * component by its target, ".." (only links bring it) takes the component before it away,
 * and both start over at the root. So every component before the current one is known to
 * be a directory.
 */
#include "source/walk.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

enum { LINKS_MAX = 8, STEPS_MAX = 4096, PATH_SIZE = 2 * PATH_MAX };

#ifdef O_PATH
enum { THROUGH = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
#else
enum { THROUGH = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
#endif

struct walk {
    const struct ice_walk_root *root;
    char path[PATH_SIZE]; /* components with '/' between, ended by NUL */
    int fd;               /* directory of the current component, or root->fd */
    unsigned n_links, n_steps;
};

enum outcome { OPENED, MOVED, FAILED };

int ice_walk_openat(int directory, const char *name, int flags) {
    int fd;
    do
        fd = openat(directory, name, flags);
    while (fd < 0 && errno == EINTR);
    return fd;
}

const char *ice_system_reason(int code) {
    switch (code) {
    case EACCES:
    case EPERM:
        return "permission denied";
    case EIO:
        return "input/output error";
    case EMFILE:
    case ENFILE:
        return "too many open files";
    case ENOENT:
        return "no such file or directory";
    case ENOTDIR:
        return "not a directory";
    case ESTALE:
        return "stale file handle";
    case ENOMEM:
        return "out of memory";
    default:
        return "the system refuses";
    }
}

static enum ice_status fault(struct ice_error *err, const char *rule, const char *text) {
    return ice_error_set(err, ICE_EIO, rule, ICE_NO_OFFSET, "%s", text);
}

static enum ice_status system_fault(int code, struct ice_error *err) {
    if (code == ENOENT || code == ENOTDIR)
        return ICE_ENOENT;
    if (code == ELOOP)
        return fault(err, "source.link", "a link that changes while it is read");
    if (code == ENAMETOOLONG)
        return ice_error_set(err, ICE_EFORMAT, "source.path", ICE_NO_OFFSET,
                             "a part of the path is too long");
    return ice_error_set(err, ICE_EIO, "source.unreadable", ICE_NO_OFFSET,
                         "cannot be opened: %s", ice_system_reason(code));
}

static void leave(struct walk *walk) {
    if (walk->fd != walk->root->fd)
        (void)close(walk->fd);
    walk->fd = walk->root->fd;
}

/* Put text in place of path[from .. to). */
static enum ice_status replace(struct walk *walk, size_t from, size_t to,
                               struct ice_str text, struct ice_error *err) {
    const size_t tail = strlen(walk->path + to);
    if (from + text.size + tail >= sizeof(walk->path))
        return fault(err, "source.link", "links make the path too long");
    memmove(walk->path + from + text.size, walk->path + to, tail + 1);
    if (text.size > 0)
        memcpy(walk->path + from, text.data, text.size);
    leave(walk);
    return ICE_OK;
}

/* The part of an absolute link target below the root; false if it is not below. */
static bool below_root(const struct walk *walk, struct ice_str target,
                       struct ice_str *out) {
    struct ice_str root = walk->root->path;
    if (root.size == 0 || !ice_str_starts(target, root))
        return false;
    *out = ice_str_from_index(target, root.size);
    return ice_str_is(root, "/") || out->size == 0 || out->data[0] == '/';
}

/* path[from .. to) is a link: go on with its target. */
static enum ice_status follow(struct walk *walk, const char *name, size_t from, size_t to,
                              struct ice_error *err) {
    char target[PATH_MAX];
    if (++walk->n_links > LINKS_MAX)
        return fault(err, "source.link", "more than 8 links on the way");
    ssize_t size = readlinkat(walk->fd, name, target, sizeof(target));
    if (size < 0)
        return system_fault(errno == EINVAL ? ELOOP : errno, err);
    struct ice_str text = {target, (size_t)size};
    if (size > 0 && target[0] == '/') {
        if (!below_root(walk, text, &text))
            return fault(err, "source.link", "a link leads out of the source");
        from = 0;
    }
    return replace(walk, from, to, text, err);
}

/* path[from .. to) is "..": take it away with the component before it. */
static enum ice_status go_up(struct walk *walk, size_t from, size_t to,
                             struct ice_error *err) {
    size_t end = from;
    bool is_dot;
    do {
        while (end > 0 && walk->path[end - 1] == '/')
            end--;
        if (end == 0)
            return fault(err, "source.link", "a link leads out of the source");
        const size_t behind = end;
        while (end > 0 && walk->path[end - 1] != '/')
            end--;
        is_dot = behind - end == 1 && walk->path[end] == '.';
    } while (is_dot);
    return replace(walk, end, to, ICE_STR_NONE, err);
}

static bool is_link(const struct walk *walk, const char *name) {
    struct stat found;
    return fstatat(walk->fd, name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISLNK(found.st_mode);
}

/* Step into the directory path[from .. to). */
static enum outcome enter(struct walk *walk, const char *name, size_t from, size_t to,
                          enum ice_status *status, struct ice_error *err) {
    int fd = ice_walk_openat(walk->fd, name, THROUGH);
    if (fd >= 0) {
        leave(walk);
        walk->fd = fd;
        return OPENED;
    }
    const int code = errno;
    if ((code == ENOTDIR || code == ELOOP) && is_link(walk, name)) {
        *status = follow(walk, name, from, to, err);
        return *status < 0 ? FAILED : MOVED;
    }
    *status = system_fault(code, err);
    return FAILED;
}

/* Open the last component. */
static enum outcome open_last(struct walk *walk, const char *name, size_t from, size_t to,
                              enum ice_walk_target target, int *out_fd,
                              struct stat *out_stat, enum ice_status *status,
                              struct ice_error *err) {
    *status = ICE_OK;
    if (fstatat(walk->fd, name, out_stat, AT_SYMLINK_NOFOLLOW) != 0) {
        *status = system_fault(errno, err);
    } else if (S_ISLNK(out_stat->st_mode)) {
        *status = follow(walk, name, from, to, err);
        return *status < 0 ? FAILED : MOVED;
    } else if (target == ICE_WALK_FILE && !S_ISREG(out_stat->st_mode)) {
        /* known before it is opened: opening a device may already do something */
        *status = fault(err, "source.type", "not a regular file");
    } else if (target == ICE_WALK_DIRECTORY && !S_ISDIR(out_stat->st_mode)) {
        *status = ICE_ENOENT;
    }
    if (*status < 0)
        return FAILED;
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC |
                      (target == ICE_WALK_DIRECTORY ? O_DIRECTORY : 0);
    int fd = ice_walk_openat(walk->fd, name, flags);
    if (fd < 0 || fstat(fd, out_stat) != 0)
        *status = system_fault(errno, err);
    else if (target == ICE_WALK_FILE && !S_ISREG(out_stat->st_mode))
        *status = fault(err, "source.type", "not a regular file");
    if (*status < 0) {
        if (fd >= 0)
            (void)close(fd);
        return FAILED;
    }
    *out_fd = fd;
    return OPENED;
}

static bool is_last(const char *rest) {
    while (*rest == '/' || (*rest == '.' && (rest[1] == '/' || rest[1] == '\0')))
        rest++;
    return *rest == '\0';
}

/* One run from the root to the end of the path, or to a component that changes the path.
 */
static enum outcome run(struct walk *walk, enum ice_walk_target target, int *out_fd,
                        struct stat *out_stat, enum ice_status *status,
                        struct ice_error *err) {
    size_t from = 0;
    for (;;) {
        while (walk->path[from] == '/')
            from++;
        const size_t size = strcspn(walk->path + from, "/");
        const size_t to = from + size;
        char name[PATH_MAX];
        if (++walk->n_steps > STEPS_MAX || size >= sizeof(name)) {
            *status = fault(err, "source.link", "too many steps on the way");
            return FAILED;
        }
        memcpy(name, walk->path + from, size);
        name[size] = '\0';
        if (size == 0)
            memcpy(name, ".", 2); /* the root, or a link to a directory with '/' behind */
        if (strcmp(name, "..") == 0) {
            *status = go_up(walk, from, to, err);
            return *status < 0 ? FAILED : MOVED;
        }
        if (is_last(walk->path + to))
            return open_last(walk, name, from, to, target, out_fd, out_stat, status, err);
        if (strcmp(name, ".") != 0) {
            enum outcome outcome = enter(walk, name, from, to, status, err);
            if (outcome != OPENED)
                return outcome;
        }
        from = to;
    }
}

enum ice_status ice_walk_open(const struct ice_walk_root *root, struct ice_str key,
                              enum ice_walk_target target, int *out_fd,
                              struct stat *out_stat, struct ice_error *err) {
    struct walk walk = {.root = root, .fd = root->fd};
    if (key.size >= PATH_MAX)
        return system_fault(ENAMETOOLONG, err);
    if (key.size > 0)
        memcpy(walk.path, key.data, key.size);
    walk.path[key.size] = '\0';
    enum ice_status status = ICE_OK;
    while (run(&walk, target, out_fd, out_stat, &status, err) == MOVED)
        ;
    leave(&walk);
    return status;
}
