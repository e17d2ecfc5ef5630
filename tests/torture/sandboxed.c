/*
 * What a child behind cli_sandbox may not do, tried, and what it must be able to do.
 *   sandboxed DIRECTORY
 */
#include "cli/batch_child.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

static void expect(const char *what, bool is_right) {
    if (is_right)
        return;
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    failures++;
}

/* -1 and EPERM or, of calls with an older form, ENOSYS. */
static void expect_refused(const char *what, long result) {
    expect(what, result == -1 && (errno == EPERM || errno == ENOSYS));
}

static void *in_thread(void *user) {
    *(bool *)user = true;
    return NULL;
}

static void try_refused(void) {
    char *const none[] = {NULL};
    char letter = 'x';
    expect_refused("socket", socket(AF_INET, SOCK_STREAM, 0));
    expect_refused("local socket", socket(AF_UNIX, SOCK_STREAM, 0));
    expect_refused("execve", execve("/bin/true", none, none));
    expect_refused("fork", fork());
    expect_refused("a signal to the parent", kill(getppid(), 0));
    expect_refused("tgkill of the parent", syscall(SYS_tgkill, getppid(), getppid(), 0));
    expect_refused("a new file", open("new", O_WRONLY | O_CREAT, 0600));
    expect_refused("writing", open("old", O_WRONLY));
    expect_refused("reading and writing", open("old", O_RDWR));
    expect_refused("truncating", open("old", O_RDONLY | O_TRUNC));
    expect_refused("appending", open("old", O_WRONLY | O_APPEND | O_EXCL));
    expect_refused("openat", openat(AT_FDCWD, "old", O_RDWR));
    expect_refused("removing", unlink("old"));
    expect_refused("renaming", rename("old", "new"));
    expect_refused("a directory", mkdir("new", 0700));
    expect_refused("rights", chmod("old", 0777));
    expect_refused("a link", symlink("old", "new"));
    expect_refused("keys typed", ioctl(STDIN_FILENO, TIOCSTI, &letter));
#ifdef __x86_64__
    expect_refused("a call by the numbers of x32", syscall(0x40000000L + SYS_getpid));
    expect_refused("open by its old number", syscall(SYS_open, "old", O_RDWR, 0));
    expect_refused("creat", syscall(SYS_creat, "new", 0600));
#endif
}

static void try_allowed(void) {
    char bytes[4];
    bool has_run = false;
    pthread_t thread;
    int fd = open("old", O_RDONLY | O_CLOEXEC);
    expect("reading", fd >= 0 && read(fd, bytes, 3) == 3);
    fd = open(".", O_TMPFILE | O_RDWR | O_EXCL, 0600);
    expect("a file without a name", fd >= 0 && write(fd, "abc", 3) == 3);
    expect("a thread", pthread_create(&thread, NULL, in_thread, &has_run) == 0 &&
                           pthread_join(thread, NULL) == 0 && has_run);
    expect("memory", malloc(1 << 20) != NULL);
    expect("its own signals", raise(0) == 0);
}

int main(int argc, char **argv) {
    static struct cli cli;
    int status = -1;
    if (argc != 2 || (mkdir(argv[1], 0700) != 0 && errno != EEXIST) ||
        chdir(argv[1]) != 0 || setenv("TMPDIR", ".", 1) != 0)
        return 2;
    FILE *file = fopen("old", "w");
    if (file == NULL || fputs("old", file) < 0 || fclose(file) != 0)
        return 2;
    pid_t child = fork();
    if (child == 0) {
        cli_sandbox(&cli);
        try_refused();
        try_allowed();
        expect("standard output is not the parent's", printf("half a line") > 0);
        (void)fflush(stdout);
        _exit(failures > 0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 2;
    expect("the file is as it was", access("new", F_OK) != 0 && access("old", R_OK) == 0);
    return failures > 0 || status != 0;
}
