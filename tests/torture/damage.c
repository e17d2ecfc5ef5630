/*
 * The damage campaign: every small damage to every file of whole tables of real writers,
 * and what a check says to each. A run is reported, harmless or undetectable; the fields
 * in which damage cannot be seen are a list that may only shrink.
 *
 *   damage [--all | --sample N] [--jobs N] [--fields FILE] BASES [TABLE...]
 *   damage --case N BASES TABLE       one run, with its findings
 *
 * Fails on a crash, a hang (CPU_SECONDS a run), a leak, silence where the bytes are
 * written down twice, and a field that FILE does not list; --all also on a field of FILE
 * that did not occur.
 */
#include "torture/damage_run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_TABLES = 16, MOST_FIELDS = 1024, MOST_WORKERS = 64, CPU_SECONDS = 10 };

static const char *const default_tables[] = {"java-v1-zstd",   "spark-v2-codecs",
                                             "duckdb-v2-part", "pyiceberg-v2-codecs",
                                             "java-v3-dv",     "rust-v3-gzip"};

struct field {
    char name[200];
    uint64_t n, example; /* runs; number of one */
};

/* What a worker has seen; shared with the parent, which outlives a crash. */
struct tally {
    uint64_t current; /* number of the case it works on */
    uint64_t n[MOST_TABLES][FILE_KINDS][CLASS_COUNT];
    uint64_t leaks, leak_example, silent, silent_example;
    char silent_where[32];
    struct field fields[MOST_FIELDS];
    size_t n_fields;
};

struct campaign {
    struct damage_table tables[MOST_TABLES];
    size_t n_tables;
    uint64_t n_cases, n_runs; /* that there are; that are taken */
    const char *fields_path;
    struct ice_str fields; /* what it holds, or NULL */
    unsigned jobs;
    bool is_all;
    struct tally *tallies; /* [jobs] */
    int failures;
};

/* ---- cases over all tables ---- */

static struct damage_table *table_of(struct campaign *c, uint64_t *number) {
    size_t i = 0;
    while (*number >= c->tables[i].n_cases)
        *number -= c->tables[i++].n_cases;
    return &c->tables[i];
}

/* The k-th of the runs: all, or one of each of n_runs equal stretches. */
static uint64_t number_of(const struct campaign *c, uint64_t k) {
    if (c->n_runs >= c->n_cases)
        return k;
    uint64_t stretch = c->n_cases / c->n_runs;
    uint64_t hash = (k + 1) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return k * stretch + (hash >> 17) % stretch;
}

static void describe(struct campaign *c, uint64_t number, char *out, size_t size) {
    uint64_t inner = number;
    const struct damage_table *table = table_of(c, &inner);
    struct damage_case it = damage_case_of(table, inner);
    const struct ice_str key = table->files.files[it.subject->index].key;
    (void)snprintf(out, size, "--case %llu: %s %.*s %s %zu %zu",
                   (unsigned long long)number, table->name, (int)key.size, key.data,
                   damage_name(it.damage.kind), it.damage.first, it.damage.second);
}

/*
 * The reviewed list: "field<TAB>why nothing contradicts it", '#' begins a comment. The
 * why, or NULL. "unread: ...": no reader looks at the field.
 */
static const char *listed(const struct campaign *c, const char *name) {
    size_t n = strlen(name);
    for (const char *line = c->fields.data; line != NULL && *line != '\0';) {
        if (strncmp(line, name, n) == 0 && line[n] == '\t')
            return line + n + 1;
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    return NULL;
}

/* ---- a worker ---- */

struct noting {
    const struct campaign *c;
    struct tally *tally;
    uint64_t number;
    bool is_read; /* a field that readers look at differs */
};

static void note_field(const char *name, void *user) {
    struct noting *noting = user;
    struct tally *tally = noting->tally;
    const char *why = listed(noting->c, name);
    size_t i = 0;
    if (why == NULL || strncmp(why, "unread:", 7) != 0)
        noting->is_read = true;
    while (i < tally->n_fields && strcmp(tally->fields[i].name, name) != 0)
        i++;
    if (i == MOST_FIELDS)
        return;
    struct field *field = &tally->fields[i];
    if (i == tally->n_fields) {
        (void)snprintf(field->name, sizeof(field->name), "%s", name);
        tally->n_fields++;
    }
    if (field->n > 0 && field->example == noting->number)
        return;
    field->n++;
    field->example = noting->number;
}

/* Which second copy of the damaged bytes should have told? */
static const char *redundancy(const struct damage_case *it) {
    if (it->other != NULL)
        return NULL;
    if (it->subject->kind == FILE_MANIFEST && damage_moves(it->damage.kind))
        return "manifest_length";
    return damage_redundancy(&it->subject->file, &it->damage);
}

static void run_case(struct campaign *c, struct tally *tally, uint64_t number) {
    uint64_t inner = number;
    struct damage_table *table = table_of(c, &inner);
    struct damage_case it = damage_case_of(table, inner);
    struct noting noting = {.c = c, .tally = tally, .number = number};
    tally->current = number;
    struct damage_result result = damage_case_run(table, &it, false, note_field, &noting);
    if (result.class == CLASS_UNDETECTABLE && !noting.is_read)
        result.class = CLASS_UNREAD;
    tally->n[table - c->tables][it.subject->kind][result.class]++;
    if (result.leaked > 0) {
        tally->leaks++;
        tally->leak_example = number;
    }
    const char *twice = result.class == CLASS_UNDETECTABLE ? redundancy(&it) : NULL;
    if (twice != NULL) {
        tally->silent++;
        tally->silent_example = number;
        (void)snprintf(tally->silent_where, sizeof(tally->silent_where), "%s", twice);
    }
}

/* A run that takes too long is ended by SIGPROF. */
static void work(struct campaign *c, unsigned worker) {
    const struct itimerval limit = {.it_value = {.tv_sec = CPU_SECONDS}};
    for (uint64_t k = worker; k < c->n_runs; k += c->jobs) {
        (void)setitimer(ITIMER_PROF, &limit, NULL);
        run_case(c, &c->tallies[worker], number_of(c, k));
    }
}

static void run_all(struct campaign *c) {
    pid_t pids[MOST_WORKERS];
    const size_t bytes = c->jobs * sizeof(*c->tallies);
    c->tallies =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->tallies == MAP_FAILED)
        exit(2);
    for (unsigned i = 0; i < c->jobs; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            work(c, i);
            _exit(0);
        }
    }
    for (unsigned i = 0; i < c->jobs; i++) {
        int status = 0;
        if (pids[i] > 0 && waitpid(pids[i], &status, 0) == pids[i] && status == 0)
            continue;
        char text[400];
        describe(c, c->tallies[i].current, text, sizeof(text));
        bool hangs = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF;
        printf("FAILED: %s (wait status %d): %s\n", hangs ? "a hang" : "a crash", status,
               text);
        c->failures++;
    }
}

/* ---- the report ---- */

static uint64_t sum(const struct campaign *c, size_t table, size_t kind, size_t class) {
    uint64_t n = 0;
    for (unsigned i = 0; i < c->jobs; i++)
        n += c->tallies[i].n[table][kind][class];
    return n;
}

static void print_line(const char *table, const char *kind, const uint64_t *n) {
    static const enum damage_class shown[] = {CLASS_REPORTED, CLASS_NOTED, CLASS_HARMLESS,
                                              CLASS_UNREAD, CLASS_UNDETECTABLE};
    printf("%-20s %-9s", table, kind);
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
        printf(" %12llu", (unsigned long long)n[shown[i]]);
    printf("\n");
}

static void print_counts(const struct campaign *c) {
    uint64_t all[CLASS_COUNT] = {0};
    printf("%-20s %-9s %12s %12s %12s %12s %12s\n", "table", "file", "reported", "noted",
           "harmless", "unread", "undetectable");
    for (size_t t = 0; t < c->n_tables; t++)
        for (size_t kind = 0; kind < FILE_KINDS; kind++) {
            uint64_t n[CLASS_COUNT], runs = 0;
            for (size_t class = 0; class < CLASS_COUNT; class ++) {
                n[class] = sum(c, t, kind, class);
                all[class] += n[class];
                runs += n[class];
            }
            if (runs > 0)
                print_line(c->tables[t].name,
                           damage_file_kind_name((enum damage_file_kind)kind), n);
        }
    print_line("all", "", all);
    printf("%llu more changed no byte\n", (unsigned long long)all[CLASS_SAME]);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct field *)a)->name, ((const struct field *)b)->name);
}

/* Fields of all workers, into the first tally. */
static void join_fields(struct campaign *c) {
    struct tally *all = &c->tallies[0];
    for (unsigned i = 1; i < c->jobs; i++)
        for (size_t f = 0; f < c->tallies[i].n_fields; f++) {
            const struct field *field = &c->tallies[i].fields[f];
            struct noting noting = {.c = c, .tally = all, .number = field->example};
            note_field(field->name, &noting);
            for (size_t k = 0; k < all->n_fields; k++)
                if (strcmp(all->fields[k].name, field->name) == 0)
                    all->fields[k].n += field->n - 1;
        }
    qsort(all->fields, all->n_fields, sizeof(all->fields[0]), by_name);
}

static void fail_with_case(struct campaign *c, const char *what, uint64_t number) {
    char text[400];
    describe(c, number, text, sizeof(text));
    printf("FAILED: %s: %s\n", what, text);
    c->failures++;
}

static void judge_tallies(struct campaign *c) {
    for (unsigned i = 0; i < c->jobs; i++) {
        const struct tally *tally = &c->tallies[i];
        char what[96];
        if (tally->leaks > 0)
            fail_with_case(c, "memory was not given back", tally->leak_example);
        (void)snprintf(what, sizeof(what), "%llu silent in spite of %s",
                       (unsigned long long)tally->silent, tally->silent_where);
        if (tally->silent > 0)
            fail_with_case(c, what, tally->silent_example);
    }
}

static void judge_unseen(struct campaign *c) {
    const struct tally *all = &c->tallies[0];
    for (const char *line = c->fields.data; line != NULL && *line != '\0';) {
        const char *tab = strchr(line, '\t'), *end = strchr(line, '\n');
        size_t n = tab != NULL ? (size_t)(tab - line) : 0;
        bool seen = *line == '#' || *line == '\n';
        for (size_t i = 0; i < all->n_fields && !seen; i++)
            seen = strlen(all->fields[i].name) == n &&
                   memcmp(all->fields[i].name, line, n) == 0;
        if (!seen) {
            printf("FAILED: %.*s is listed in %s, but all damage to it was seen\n",
                   (int)n, line, c->fields_path);
            c->failures++;
        }
        line = end != NULL ? end + 1 : NULL;
    }
}

static void judge_fields(struct campaign *c) {
    const struct tally *all = &c->tallies[0];
    char what[400];
    printf("\nundetectable, by field:\n");
    for (size_t i = 0; i < all->n_fields; i++) {
        const struct field *field = &all->fields[i];
        bool known = listed(c, field->name) != NULL;
        describe(c, field->example, what, sizeof(what));
        printf("%9llu %s%s\n", (unsigned long long)field->n, field->name,
               known ? "" : "   NOT LISTED");
        if (known)
            continue;
        printf("          such as %s\n", what);
        c->failures += c->fields_path != NULL;
    }
    if (c->fields_path != NULL && c->is_all)
        judge_unseen(c);
}

static void campaign_run(struct campaign *c) {
    struct timespec begin, end;
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    run_all(c);
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    join_fields(c);
    printf("%llu of %llu cases in %lld s\n", (unsigned long long)c->n_runs,
           (unsigned long long)c->n_cases, (long long)(end.tv_sec - begin.tv_sec));
    print_counts(c);
    judge_fields(c);
    judge_tallies(c);
}

static void show_case(struct campaign *c, uint64_t number) {
    char text[400];
    static struct tally tally;
    struct noting noting = {.c = c, .tally = &tally, .number = number};
    uint64_t inner = number;
    describe(c, number, text, sizeof(text));
    struct damage_table *table = table_of(c, &inner);
    struct damage_case it = damage_case_of(table, inner);
    puts(text);
    struct damage_result result = damage_case_run(table, &it, true, note_field, &noting);
    static const char *const names[] = {"changes no byte", "reported", "noted",
                                        "harmless",        "unread",   "undetectable"};
    puts(names[result.class]);
    for (size_t i = 0; i < tally.n_fields; i++)
        printf("  %s\n", tally.fields[i].name);
}

static int usage(void) {
    fputs(
        "usage: damage [--all | --sample N] [--jobs N] [--fields FILE] BASES [TABLE...]\n"
        "       damage --case N BASES [TABLE...]\n",
        stderr);
    return 4;
}

int main(int argc, char **argv) {
    static struct campaign c = {.n_runs = 10000, .jobs = 1};
    const char *one = NULL;
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "1";
        c.is_all |= strcmp(argv[i], "--all") == 0;
        if (strcmp(argv[i], "--all") == 0)
            continue;
        if (strcmp(argv[i], "--sample") == 0)
            c.n_runs = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--jobs") == 0)
            c.jobs = (unsigned)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--fields") == 0)
            c.fields_path = value;
        else if (strcmp(argv[i], "--case") == 0)
            one = value;
        else
            return usage();
        i++;
    }
    if (i >= argc || c.jobs < 1 || c.jobs > MOST_WORKERS || argc - i > MOST_TABLES)
        return usage();
    const char *bases = argv[i++];
    const size_t n_default = sizeof(default_tables) / sizeof(default_tables[0]);
    c.n_tables = i < argc ? (size_t)(argc - i) : n_default;
    for (size_t t = 0; t < c.n_tables; t++) {
        damage_table_open(&c.tables[t], bases,
                          i < argc ? argv[i + (int)t] : default_tables[t]);
        c.n_cases += c.tables[t].n_cases;
        printf("%s: %zu files that a check reads, %zu that it does not, %zu pairs\n",
               c.tables[t].name, c.tables[t].n_subjects, c.tables[t].n_unread,
               c.tables[t].n_pairs);
    }
    if (c.is_all || c.n_runs > c.n_cases)
        c.n_runs = c.n_cases;
    if (c.fields_path != NULL)
        c.fields = table_file_read(c.fields_path);
    if (one != NULL)
        show_case(&c, strtoull(one, NULL, 10));
    else
        campaign_run(&c);
    for (size_t t = 0; t < c.n_tables; t++)
        damage_table_free(&c.tables[t]);
    free((void *)(uintptr_t)c.fields.data);
    return c.failures > 0;
}
