/*
 * All of some bytes into a pipe, or out of one.
 */
#include "cli/cli.h"

#include <errno.h>
#include <unistd.h>

bool cli_write_all(int fd, const void *data, size_t size) {
    const char *at = data;
    while (size > 0) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            at += n;
            size -= (size_t)n;
        }
    }
    return true;
}

bool cli_read_some(int fd, char **at, size_t *size) {
    ssize_t n = read(fd, *at, *size);
    if (n == 0 || (n < 0 && errno != EINTR))
        return false;
    if (n > 0) {
        *at += n;
        *size -= (size_t)n;
    }
    return true;
}

bool cli_read_all(int fd, void *data, size_t size) {
    char *at = data;
    while (size > 0) {
        if (!cli_read_some(fd, &at, &size))
            return false;
    }
    return true;
}
