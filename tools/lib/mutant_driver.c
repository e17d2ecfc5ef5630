/*
 * main() of a build with mutants: runs icefsck on fixtures, each in a child of its own.
 *
 *     driver MUTANTS < wishes > answers
 *
 * MUTANTS: one above the highest number. A wish is a line:
 *
 *     add DIRECTORY<TAB>ARGUMENT<TAB>...     one fixture more, run without a mutant;
 *                                            answer: run CODE LENGTH, the output, and a
 *                                            line of numbers: mutants that differed
 *     MUTANT FIXTURE FIXTURE ...             run till an answer is not the first one;
 *                                            answer: run FIXTURE CODE LENGTH, or "same"
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

unsigned ice_mutant;
unsigned char *ice_mutant_differs;

int icefsck_main(int argc, char **argv);

enum { ARGUMENTS = 64, SECONDS = 5, MEMORY = 1 << 30, LONGEST = 1 << 26 };

struct fixture {
    char *line, *argv[ARGUMENTS];
    int argc, code;
    char *out;
    size_t size;
};

static struct fixture *fixtures;
static size_t n_fixtures, n_mutants;
static int out_file;

static void die(const char *what) {
    perror(what);
    exit(3);
}

static void be_child(const struct fixture *f, unsigned mutant) {
    const struct rlimit memory = {MEMORY, MEMORY}, no_core = {0, 0},
                        size = {LONGEST, LONGEST};
    (void)setrlimit(RLIMIT_AS, &memory);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)setrlimit(RLIMIT_FSIZE, &size);
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || chdir(f->argv[0]) != 0 || dup2(null, 0) < 0 ||
        dup2(out_file, 1) < 0 || dup2(null, 2) < 0)
        _exit(99);
    alarm(SECONDS);
    ice_mutant = mutant;
    exit(icefsck_main(f->argc - 1, (char **)f->argv + 1));
}

/* Run one; its output is left in out_file. */
static int run(const struct fixture *f, unsigned mutant, size_t *size) {
    int status;
    struct stat st;
    if (ftruncate(out_file, 0) != 0 || lseek(out_file, 0, SEEK_SET) != 0)
        die("output");
    pid_t child = fork();
    if (child < 0)
        die("fork");
    if (child == 0)
        be_child(f, mutant);
    while (waitpid(child, &status, 0) < 0)
        ;
    if (fstat(out_file, &st) != 0)
        die("output");
    *size = (size_t)st.st_size;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static char *output(size_t size) {
    char *out = malloc(size + 1);
    if (!out || pread(out_file, out, size, 0) != (ssize_t)size)
        die("output");
    return out;
}

static void add(char *line) {
    fixtures = realloc(fixtures, (n_fixtures + 1) * sizeof(*fixtures));
    if (!fixtures)
        die("memory");
    struct fixture *f = &fixtures[n_fixtures++];
    *f = (struct fixture){.line = strdup(line)};
    for (char *word = strtok(f->line, "\t"); word && f->argc < ARGUMENTS - 1;
         word = strtok(NULL, "\t"))
        f->argv[f->argc++] = word;
    memset(ice_mutant_differs, 0, n_mutants);
    f->code = run(f, 0, &f->size);
    f->out = output(f->size);
    printf("run %d %zu\n", f->code, f->size);
    fwrite(f->out, 1, f->size, stdout);
    for (size_t i = 0; i < n_mutants; i++)
        if (ice_mutant_differs[i])
            printf("%zu ", i);
    printf("\n");
}

static void judge(char *line) {
    char *rest;
    unsigned mutant = (unsigned)strtoul(line, &rest, 10);
    while (*rest == ' ') {
        size_t at = strtoul(rest, &rest, 10), size;
        if (at >= n_fixtures)
            break;
        const struct fixture *f = &fixtures[at];
        int code = run(f, mutant, &size);
        char *out = output(size);
        if (code != f->code || size != f->size || memcmp(out, f->out, size) != 0) {
            printf("run %zu %d %zu\n", at, code, size);
            fwrite(out, 1, size, stdout);
            free(out);
            return;
        }
        free(out);
    }
    printf("same\n");
}

int main(int argc, char **argv) {
    char *line = NULL;
    size_t room = 0;
    if (argc != 2)
        return 4;
    n_mutants = strtoul(argv[1], NULL, 10);
    ice_mutant_differs = mmap(NULL, n_mutants + 1, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    out_file = memfd_create("output", MFD_CLOEXEC);
    if (ice_mutant_differs == MAP_FAILED || out_file < 0)
        die("start");
    while (getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "add ", 4) == 0)
            add(line + 4);
        else
            judge(line);
        fflush(stdout);
    }
    return 0;
}
