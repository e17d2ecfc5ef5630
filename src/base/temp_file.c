/*
 * Made without a name, or mkstemp, and the name is gone.
 */
#include "base/temp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int ice_temp_file_open(const char *dir) {
    char path[4096];
    if (dir == NULL)
        dir = getenv("TMPDIR");
    if (dir == NULL || dir[0] == '\0')
        dir = "/tmp";
#ifdef O_TMPFILE /* never has a name, where the file system can do that */
    int nameless = open(dir, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    if (nameless >= 0)
        return nameless;
#endif
    int fd;
    do { /* a failure has filled in the name, too */
        int n = snprintf(path, sizeof(path), "%s/icefsck-XXXXXX", dir);
        if (n < 0 || (size_t)n >= sizeof(path)) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = mkstemp(path);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return -1;
    (void)unlink(path);
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

bool ice_temp_file_write(int fd, const void *data, size_t size) {
    const char *from = data;
    while (size > 0) {
        ssize_t n = write(fd, from, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            return false;
        from += n;
        size -= (size_t)n;
    }
    return true;
}
