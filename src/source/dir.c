/*
 * A local directory. Files are read with pread: no mapping, so a file that shrinks
 * meanwhile cannot kill the process, and no position is shared between threads.
 */
#include "source/source_state.h"
#include "source/walk.h"

#include "base/alloc.h"
#include "base/error.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* read() of more is cut by Linux anyway */
enum { READ_MAX = 1 << 30 };

struct dir {
    struct ice_alloc alloc;
    struct ice_walk_root root;
    char *path; /* root.path */
};

struct open_file {
    int fd;
};

static struct ice_file_info info_of(const struct stat *found) {
    struct ice_file_info info = {.mtime_ms = INT64_MIN,
                                 .identity = (uint64_t)found->st_ino};
    info.size = found->st_size > 0 ? (uint64_t)found->st_size : 0;
    int64_t ms;
    if (!__builtin_mul_overflow((int64_t)found->st_mtim.tv_sec, (int64_t)1000, &ms) &&
        !__builtin_add_overflow(ms, (int64_t)(found->st_mtim.tv_nsec / 1000000), &ms))
        info.mtime_ms = ms;
    if (found->st_ctim.tv_sec > 0)
        info.changed_ns = (uint64_t)found->st_ctim.tv_sec * UINT64_C(1000000000) +
                          (uint64_t)found->st_ctim.tv_nsec;
    return info;
}

static enum ice_status dir_open(void *user, struct ice_str key, void **out_file,
                                struct ice_file_info *out_info, struct ice_error *err) {
    struct dir *dir = user;
    struct stat found;
    int fd;
    ICE_TRY(ice_walk_open(&dir->root, key, ICE_WALK_FILE, &fd, &found, err));
    struct open_file *file = ice_malloc(&dir->alloc, sizeof(*file));
    if (file == NULL) {
        (void)close(fd);
        return ice_error_memory(err);
    }
    file->fd = fd;
    *out_file = file;
    *out_info = info_of(&found);
    return ICE_OK;
}

static enum ice_status dir_read_at(void *user, void *file, uint64_t offset, void *buffer,
                                   size_t size, size_t *out_size, struct ice_error *err) {
    (void)user;
    const struct open_file *open_file = file;
    *out_size = 0;
    if (offset > INT64_MAX - READ_MAX)
        return ICE_OK;
    ssize_t got;
    do
        got = pread(open_file->fd, buffer, size < READ_MAX ? size : READ_MAX,
                    (off_t)offset);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return ice_error_set(err, ICE_EIO, "source.unreadable", offset,
                             "cannot be read: %s", ice_system_reason(errno));
    *out_size = (size_t)got;
    return ICE_OK;
}

static void dir_close(void *user, void *file) {
    struct dir *dir = user;
    struct open_file *open_file = file;
    (void)close(open_file->fd);
    ice_free(&dir->alloc, open_file, sizeof(*open_file));
}

/* ---- listing ---- */

struct lister {
    struct dir *dir;
    struct ice_str directory;
    int fd;
    enum ice_status (*each)(struct ice_str, bool, const struct ice_file_info *, void *);
    void *context;
};

/*
 * A link counts as the file it leads to. Links to directories are left out: with them a
 * walk of the tree need not end. What cannot be opened is listed as a file, so that
 * whoever opens it learns why.
 */
static enum ice_status list_link(const struct lister *lister, struct ice_str name) {
    char key[2 * PATH_MAX];
    int length = snprintf(key, sizeof(key), "%.*s%s%.*s", ICE_STR_FMT(lister->directory),
                          lister->directory.size > 0 ? "/" : "", ICE_STR_FMT(name));
    /* the directory is open, so its key is shorter than PATH_MAX */
    assert(length > 0 && (size_t)length < sizeof(key));
    const struct ice_str whole = {key, (size_t)length};
    struct ice_file_info info = {.size = UINT64_MAX, .mtime_ms = INT64_MIN};
    struct stat found;
    int fd = -1;
    if (ice_walk_open(&lister->dir->root, whole, ICE_WALK_DIRECTORY, &fd, &found, NULL) ==
        ICE_OK) {
        (void)close(fd);
        return ICE_OK;
    }
    if (ice_walk_open(&lister->dir->root, whole, ICE_WALK_FILE, &fd, &found, NULL) ==
        ICE_OK) {
        info = info_of(&found);
        (void)close(fd);
    }
    return lister->each(name, false, &info, lister->context);
}

static enum ice_status list_entry(const struct lister *lister, const char *entry) {
    struct ice_str name = ice_str_from(entry);
    struct ice_file_info info = {.size = UINT64_MAX, .mtime_ms = INT64_MIN};
    struct stat found;
    if (strcmp(entry, ".") == 0 || strcmp(entry, "..") == 0)
        return ICE_OK;
    if (fstatat(lister->fd, entry, &found, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? ICE_OK
                               : lister->each(name, false, &info, lister->context);
    if (S_ISLNK(found.st_mode))
        return list_link(lister, name);
    if (S_ISREG(found.st_mode))
        info = info_of(&found);
    return lister->each(name, S_ISDIR(found.st_mode), &info, lister->context);
}

static enum ice_status dir_list(void *user, struct ice_str directory,
                                enum ice_status (*each)(struct ice_str, bool,
                                                        const struct ice_file_info *,
                                                        void *),
                                void *context, struct ice_error *err) {
    struct dir *dir = user;
    struct lister lister = {dir, directory, -1, each, context};
    struct stat found;
    ICE_TRY(ice_walk_open(&dir->root, directory, ICE_WALK_DIRECTORY, &lister.fd, &found,
                          err));
    DIR *stream = fdopendir(lister.fd);
    if (stream == NULL) {
        (void)close(lister.fd);
        return ice_error_memory(err);
    }
    enum ice_status status = ICE_OK;
    while (status >= 0) {
        errno = 0;
        const struct dirent *entry = readdir(stream);
        if (entry != NULL)
            status = list_entry(&lister, entry->d_name);
        else if (errno != 0)
            status = ice_error_set(err, ICE_EIO, "source.unreadable", ICE_NO_OFFSET,
                                   "the directory cannot be listed");
        else
            break;
    }
    (void)closedir(stream);
    return status;
}

/* ---- the source ---- */

static void dir_free(void *user) {
    struct dir *dir = user;
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, &dir->alloc.base, UINT64_MAX);
    if (dir->root.fd >= 0)
        (void)close(dir->root.fd);
    if (dir->path != NULL)
        ice_free(&alloc, dir->path, dir->root.path.size + 1);
    ice_free(&alloc, dir, sizeof(*dir));
}

static const struct ice_source_ops dir_ops = {
    dir_open, dir_read_at, dir_close, dir_list, dir_free,
};

int ice_source_directory(const struct ice_source *source) {
    return source->ops.open == dir_open ? ((const struct dir *)source->user)->root.fd
                                        : -1;
}

/* The absolute path of the root, so that absolute links into it are known as such. */
static enum ice_status set_path(struct dir *dir, const char *path,
                                struct ice_error *err) {
    char absolute[PATH_MAX];
    if (realpath(path, absolute) == NULL)
        return ICE_OK; /* no absolute link is followed then */
    size_t size = strlen(absolute);
    dir->path = ice_malloc(&dir->alloc, size + 1);
    if (dir->path == NULL)
        return ice_error_memory(err);
    memcpy(dir->path, absolute, size + 1);
    dir->root.path = (struct ice_str){dir->path, size};
    return ICE_OK;
}

enum ice_status ice_source_open_dir(struct ice_source **out, const char *path,
                                    const struct ice_allocator *allocator,
                                    struct ice_error *err) {
    struct ice_alloc alloc;
    *out = NULL;
    ice_alloc_init(&alloc, allocator, UINT64_MAX);
    struct dir *dir = ice_calloc(&alloc, 1, sizeof(*dir));
    if (dir == NULL)
        return ice_error_memory(err);
    ice_alloc_init(&dir->alloc, allocator, UINT64_MAX);
    dir->root.fd = ice_walk_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum ice_status status = ICE_OK;
    if (dir->root.fd < 0) {
        const int code = errno;
        const bool is_missing = code == ENOENT || code == ENOTDIR;
        status = ice_error_set(err, is_missing ? ICE_ENOENT : ICE_EIO,
                               is_missing ? NULL : "source.unreadable", ICE_NO_OFFSET,
                               "cannot open the directory: %s", ice_system_reason(code));
        ice_error_set_file(err, ice_str_from(path));
    } else {
        status = set_path(dir, path, err);
    }
    if (status < 0) {
        dir_free(dir);
        return status;
    }
    ICE_TRY(ice_source_open_ops(out, &dir_ops, dir, allocator, err));
    (*out)->is_shared = true;
    return ICE_OK;
}
