/*
 * Files of a cache directory.
 *
 *   │ magic 8 │ size 8 │ checksum 16 │ size bytes │
 */
#include "base/cache_dir.h"

#include "base/error.h"
#include "base/spill.h"
#include "base/temp_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    NAME_BYTES = 40,
    TEMPORARY_BYTES = 96,
    PATH_BYTES = 4096,
    MOST_PARENTS = 4096,
    MOST_SWEPT = 20000, /* names looked at in one sweep */
    FOLDERS = 16,
    HOUR = 3600,
    DAY = 24 * HOUR,
    UNUSED = 30 * DAY,
    LEFT_BEHIND = DAY /* a temporary file as old as that is of a run that died */
};
static const uint64_t MOST_BYTES = UINT64_C(1) << 30; /* of one entry */

struct header {
    char magic[8];
    uint64_t size;
    struct ice_hash checksum;
};
static const char magic[8] = {'i', 'c', 'e', 'c', 'a', 'c', 'h', 'e'};

struct seed_file {
    char magic[8];
    uint64_t seed;
    struct ice_hash checksum;
};

/* ---- names ---- */

static void entry_name(struct ice_hash name, char out[NAME_BYTES]) {
    (void)snprintf(out, NAME_BYTES, "%x/%016" PRIx64 "%016" PRIx64,
                   (unsigned)(name.high >> 60), name.high, name.low);
}

/* No two threads have one variable at the same place at the same time. */
static void temporary_name(const char *folder, char out[TEMPORARY_BYTES]) {
    uint64_t here = 0;
    (void)snprintf(out, TEMPORARY_BYTES, "%.8s/tmp-%ld-%" PRIxPTR, folder, (long)getpid(),
                   (uintptr_t)&here);
}

/* The checksum depends on the name: an entry under another one is none. */
static struct ice_hash checksum_of(const struct ice_cache_dir *dir, struct ice_hash name,
                                   struct ice_str bytes) {
    return ice_hash128(bytes, dir->seed ^ name.low ^ name.high);
}

/* ---- files ---- */

static bool read_whole(int fd, void *out, size_t size) {
    char *to = out;
    while (size > 0) {
        ssize_t n = read(fd, to, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        to += n;
        size -= (size_t)n;
    }
    return true;
}

/* openat, which a file system of the network or of a process may interrupt. */
static int open_at(int directory, const char *name, int flags) {
    int fd;
    do
        fd = openat(directory, name, flags, 0600);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* A regular file and nothing that would block. */
static int open_file(int directory, const char *name, struct stat *out) {
    int fd = open_at(directory, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat(fd, out) == 0 && S_ISREG(out->st_mode))
        return fd;
    (void)close(fd);
    errno = EINVAL;
    return -1;
}

/* Written under a temporary name beside it. is_new: an existing one stays. */
static bool write_file(int directory, const char *folder, const char *name, bool is_new,
                       const void *head, size_t head_size, struct ice_str body) {
    char temporary[TEMPORARY_BYTES];
    temporary_name(folder, temporary);
    int fd = open_at(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool is_written = ice_temp_file_write(fd, head, head_size) &&
                      ice_temp_file_write(fd, body.data, body.size);
    is_written = (close(fd) == 0 || errno == EINTR) && is_written;
    if (is_written && !is_new)
        is_written = renameat(directory, temporary, directory, name) == 0;
    else if (is_written)
        is_written = linkat(directory, temporary, directory, name, 0) == 0;
    if (!is_written || is_new)
        (void)unlinkat(directory, temporary, 0);
    return is_written;
}

/* ---- opening ---- */

/* Is one of the roots the directory or above it? It is closed. */
static bool is_in_roots(int fd, const int *roots, size_t n_roots) {
    bool found = false;
    for (int i = 0; fd >= 0 && !found && i < MOST_PARENTS; i++) {
        struct stat own, root;
        struct stat above = {0};
        if (fstat(fd, &own) < 0)
            break;
        for (size_t k = 0; k < n_roots; k++)
            found = found || (fstat(roots[k], &root) == 0 && own.st_dev == root.st_dev &&
                              own.st_ino == root.st_ino);
        int next = open_at(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        (void)close(fd);
        fd = next;
        if (fd >= 0 && fstat(fd, &above) == 0 && above.st_dev == own.st_dev &&
            above.st_ino == own.st_ino)
            break; /* the root of all */
    }
    if (fd >= 0)
        (void)close(fd);
    return found;
}

static int open_directory(const char *path) {
    return open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The directory that holds the last name of path, and that name, which may have slashes
 * behind it. */
static int open_parent(const char *path, const char **out_name) {
    char parent[PATH_BYTES];
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/')
        size--;
    size_t slash = size;
    while (slash > 0 && path[slash - 1] != '/')
        slash--;
    *out_name = path + slash;
    if (slash >= sizeof(parent)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(parent, path, slash);
    parent[slash] = '\0';
    return open_directory(slash == 0 ? "." : parent);
}

static enum ice_status cannot(const char *path, const char *why, struct ice_error *err) {
    char shown[160]; /* the reason behind it has room then */
    return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                         "the cache directory \"%s\" cannot be used: %s",
                         ice_escape(shown, sizeof(shown), ice_str_from(path)), why);
}

static const char *reason(int code) {
    switch (code) {
    case ENOENT:
        return "the directory above it does not exist";
    case ENOTDIR:
        return "it is not a directory";
    case EACCES:
    case EPERM:
        return "permission denied";
    case EROFS:
        return "the file system is read-only";
    case ENOSPC:
        return "no space is left";
    case ENAMETOOLONG:
        return "its name is too long";
    default:
        return "the system refuses it";
    }
}

static enum ice_status make(const char *path, const int *roots, size_t n_roots,
                            struct ice_error *err) {
    const char *name;
    const int parent = open_parent(path, &name);
    if (parent < 0)
        return cannot(path, reason(errno), err);
    if (is_in_roots(open_at(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), roots,
                    n_roots)) {
        (void)close(parent);
        return cannot(path, "it is inside a table, where nothing is written", err);
    }
    const bool is_made = mkdirat(parent, name, 0700) == 0 || errno == EEXIST;
    const int code = errno;
    (void)close(parent);
    return is_made ? ICE_OK : cannot(path, reason(code), err);
}

static bool read_seed(struct ice_cache_dir *dir) {
    struct seed_file file = {0};
    struct stat found;
    const int fd = open_file(dir->fd, "seed", &found);
    if (fd < 0)
        return false;
    const bool is_read = read_whole(fd, &file, sizeof(file));
    (void)close(fd);
    const struct ice_hash sum =
        ice_hash128(ice_str_make(&file.seed, sizeof(file.seed)), 0);
    if (!is_read || memcmp(file.magic, magic, sizeof(magic)) != 0 || file.seed == 0 ||
        sum.low != file.checksum.low || sum.high != file.checksum.high)
        return false;
    dir->seed = file.seed;
    return true;
}

/* A damaged one is replaced: entries of old are then not found any more. */
static bool make_seed(struct ice_cache_dir *dir) {
    struct seed_file file = {0};
    memcpy(file.magic, magic, sizeof(magic));
    if (getrandom(&file.seed, sizeof(file.seed), GRND_NONBLOCK) !=
        (ssize_t)sizeof(file.seed))
        return false;
    file.seed |= 1;
    file.checksum = ice_hash128(ice_str_make(&file.seed, sizeof(file.seed)), 0);
    const bool is_new = faccessat(dir->fd, "seed", F_OK, AT_SYMLINK_NOFOLLOW) != 0;
    (void)write_file(dir->fd, ".", "seed", is_new, &file, sizeof(file), ICE_STR_NONE);
    return read_seed(dir);
}

enum ice_status ice_cache_dir_open(struct ice_cache_dir *dir, const char *path,
                                   const int *roots, size_t n_roots,
                                   struct ice_error *err) {
    *dir = (struct ice_cache_dir){.fd = open_directory(path)};
    if (dir->fd < 0 && errno != ENOENT)
        return cannot(path, reason(errno), err);
    if (dir->fd < 0) {
        ICE_TRY(make(path, roots, n_roots, err));
        dir->fd = open_directory(path);
    }
    enum ice_status status = ICE_OK;
    if (dir->fd < 0)
        status = cannot(path, reason(errno), err);
    else if (is_in_roots(open_at(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), roots,
                         n_roots))
        status = cannot(path, "it is inside a table, where nothing is written", err);
    else if (!read_seed(dir) && !make_seed(dir))
        status = cannot(path, reason(errno), err);
    if (status < 0)
        ice_cache_dir_close(dir);
    return status;
}

void ice_cache_dir_close(struct ice_cache_dir *dir) {
    if (dir->fd >= 0)
        (void)close(dir->fd);
    dir->fd = -1;
}

/* ---- entries ---- */

/* Once a day is enough to know what is in use. */
static void touch(int fd, const struct stat *found) {
    const time_t now = time(NULL);
    if (found->st_mtime + DAY < now || found->st_mtime > now + DAY)
        (void)futimens(fd, NULL);
}

static enum ice_cache_answer read_entry(const struct ice_cache_dir *dir,
                                        struct ice_hash name, int fd, uint64_t stored,
                                        struct ice_buf *out) {
    struct header header;
    if (stored < sizeof(header) || !read_whole(fd, &header, sizeof(header)) ||
        memcmp(header.magic, magic, sizeof(magic)) != 0 ||
        header.size != stored - sizeof(header) || header.size > MOST_BYTES)
        return ICE_CACHE_DAMAGED;
    const size_t size = (size_t)header.size;
    if (ice_spill_is_tight(out->alloc, size) || ice_buf_reserve(out, size) < 0)
        return ICE_CACHE_FAILED;
    if (size > 0 && !read_whole(fd, out->data, size))
        return ICE_CACHE_FAILED;
    out->size = size;
    const struct ice_hash sum = checksum_of(dir, name, ice_buf_str(out));
    return sum.low == header.checksum.low && sum.high == header.checksum.high
               ? ICE_CACHE_HIT
               : ICE_CACHE_DAMAGED;
}

enum ice_cache_answer ice_cache_dir_get(const struct ice_cache_dir *dir,
                                        struct ice_hash name, struct ice_buf *out) {
    char file[NAME_BYTES];
    struct stat found;
    ice_buf_clear(out);
    entry_name(name, file);
    const int fd = open_file(dir->fd, file, &found);
    if (fd < 0)
        return errno == ENOENT ? ICE_CACHE_NONE : ICE_CACHE_FAILED;
    enum ice_cache_answer answer =
        read_entry(dir, name, fd, found.st_size > 0 ? (uint64_t)found.st_size : 0, out);
    if (answer == ICE_CACHE_HIT)
        touch(fd, &found);
    else
        ice_buf_clear(out);
    (void)close(fd);
    return answer;
}

bool ice_cache_dir_put(const struct ice_cache_dir *dir, struct ice_hash name,
                       struct ice_str bytes) {
    char file[NAME_BYTES], folder[2];
    struct header header = {.size = bytes.size,
                            .checksum = checksum_of(dir, name, bytes)};
    if (bytes.size > MOST_BYTES)
        return false;
    memcpy(header.magic, magic, sizeof(magic));
    entry_name(name, file);
    folder[0] = file[0];
    folder[1] = '\0';
    if (mkdirat(dir->fd, folder, 0700) < 0 && errno != EEXIST)
        return false;
    return write_file(dir->fd, folder, file, false, &header, sizeof(header), bytes);
}

/* ---- sweeping ---- */

/* Which folder is due, or -1; the next run of the hour finds none. */
static int due_folder(const struct ice_cache_dir *dir, time_t now) {
    struct stat found;
    unsigned char last = FOLDERS - 1;
    const int fd = open_file(dir->fd, "swept", &found);
    if (fd >= 0) {
        if (!read_whole(fd, &last, 1))
            last = FOLDERS - 1;
        (void)close(fd);
        if (found.st_mtime + HOUR > now && found.st_mtime < now + HOUR)
            return -1;
    }
    const unsigned char next = (unsigned char)((last + 1) % FOLDERS);
    return write_file(dir->fd, ".", "swept", false, &next, 1, ICE_STR_NONE) ? next : -1;
}

static bool is_due(const char *name, const struct stat *found, time_t now) {
    const time_t age = strncmp(name, "tmp-", 4) == 0 ? LEFT_BEHIND : UNUSED;
    return S_ISREG(found->st_mode) && found->st_mtime + age < now;
}

size_t ice_cache_dir_sweep(const struct ice_cache_dir *dir) {
    const time_t now = time(NULL);
    size_t n = 0;
    const int folder = due_folder(dir, now);
    if (folder < 0)
        return 0;
    const char name[2] = {"0123456789abcdef"[folder], '\0'};
    const int fd =
        open_at(dir->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (stream == NULL && fd >= 0)
        (void)close(fd);
    for (int i = 0; stream != NULL && i < MOST_SWEPT; i++) {
        struct stat found;
        const struct dirent *entry = readdir(stream);
        if (entry == NULL)
            break;
        if (fstatat(fd, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
            is_due(entry->d_name, &found, now) && unlinkat(fd, entry->d_name, 0) == 0)
            n++;
    }
    if (stream != NULL)
        (void)closedir(stream);
    return n;
}
