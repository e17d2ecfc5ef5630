/*
 * A file system that shows a directory, and fails where the environment says: reads that
 * the C library and the kernel carry out, no library in between.
 *   SOURCE=DIRECTORY faulty_fs MOUNTPOINT -f
 *   FAIL_NAME=NAME   the files and directories that fail, by their last part; or all
 *   FAIL_CALL=CALL   getattr, open, read or readdir: EIO
 *   FAIL_AT=OFFSET   of read: bytes in front of it are given
 *   SHORT=BYTES      no read gives more
 */
#define FUSE_USE_VERSION 31
#include <fuse.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static bool fails(const char *call, const char *path) {
    const char *wanted = getenv("FAIL_CALL"), *name = getenv("FAIL_NAME");
    if (wanted == NULL || strcmp(wanted, call) != 0)
        return false;
    return name == NULL || strcmp(strrchr(path, '/') + 1, name) == 0;
}

static long long number(const char *name, long long otherwise) {
    const char *text = getenv(name);
    return text != NULL ? strtoll(text, NULL, 10) : otherwise;
}

static int place(char out[PATH_BYTES], const char *path) {
    int n = snprintf(out, PATH_BYTES, "%s%s", getenv("SOURCE"), path);
    return n < 0 || n >= PATH_BYTES ? -ENAMETOOLONG : 0;
}

static int see(const char *path, struct stat *out, struct fuse_file_info *file) {
    char real[PATH_BYTES];
    (void)file;
    int status = place(real, path);
    if (status != 0)
        return status;
    if (fails("getattr", path))
        return -EIO;
    return lstat(real, out) == 0 ? 0 : -errno;
}

static int list(const char *path, void *to, fuse_fill_dir_t fill, off_t offset,
                struct fuse_file_info *file, enum fuse_readdir_flags flags) {
    char real[PATH_BYTES];
    (void)offset, (void)file, (void)flags;
    int status = place(real, path);
    if (status != 0)
        return status;
    if (fails("readdir", path))
        return -EIO;
    DIR *directory = opendir(real);
    if (directory == NULL)
        return -errno;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        (void)fill(to, entry->d_name, NULL, 0, 0);
    closedir(directory);
    return 0;
}

static int open_file(const char *path, struct fuse_file_info *file) {
    char real[PATH_BYTES];
    int status = place(real, path);
    if (status != 0)
        return status;
    if (fails("open", path))
        return -EIO;
    int fd = open(real, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    file->fh = (uint64_t)fd;
    file->direct_io = 1; /* each read comes here as it is asked for */
    return 0;
}

static int read_file(const char *path, char *to, size_t size, off_t offset,
                     struct fuse_file_info *file) {
    long long most = number("SHORT", (long long)size);
    long long end = number("FAIL_AT", 0) - offset; /* what is given in front of it */
    if (fails("read", path)) {
        if (end <= 0)
            return -EIO;
        most = end < most ? end : most;
    }
    if ((long long)size > most)
        size = (size_t)most;
    ssize_t n = pread((int)file->fh, to, size, offset);
    return n < 0 ? -errno : (int)n;
}

static int close_file(const char *path, struct fuse_file_info *file) {
    (void)path;
    return close((int)file->fh) == 0 ? 0 : -errno;
}

static const struct fuse_operations operations = {.getattr = see,
                                                  .readdir = list,
                                                  .open = open_file,
                                                  .read = read_file,
                                                  .release = close_file};

int main(int argc, char **argv) {
    if (getenv("SOURCE") == NULL) {
        fprintf(stderr, "SOURCE=DIRECTORY faulty_fs MOUNTPOINT -f\n");
        return 4;
    }
    return fuse_main(argc, argv, &operations, NULL);
}
