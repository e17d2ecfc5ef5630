/*
 * Messages of the command itself, on stderr.
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *origin; /* of the option that messages are about, or NULL */

void cli_say_of(const char *place) {
    origin = place;
}

void cli_say(const char *format, ...) {
    va_list args;
    va_start(args, format);
    (void)fputs("icefsck: ", stderr);
    if (origin != NULL)
        (void)fprintf(stderr, "%s: ", origin);
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
    va_end(args);
}

void cli_say_system(const char *what, int code) {
    if (code == ENOMEM)
        cli_out_of_memory();
    cli_say("%s: %s", what, strerror(code));
}

const char *cli_quoted(const char *text) {
    enum { TEXTS = 8, SIZE = 1024 };
    static char texts[TEXTS][SIZE];
    static unsigned next;
    char *out = texts[next++ % TEXTS];
    out[0] = '\'';
    ice_escape(out + 1, SIZE - 2, (struct ice_str){text, strlen(text)});
    size_t size = strlen(out);
    out[size] = '\'';
    out[size + 1] = '\0';
    return out;
}

static int exit_of(enum ice_status status) {
    switch (status) {
    case ICE_DONE:
    case ICE_OK:
        return 0;
    case ICE_EARG:
        return CLI_USAGE;
    case ICE_ENOMEM:
        return CLI_FAILED;
    case ICE_ECANCELLED:
        return CLI_INTERRUPTED;
    case ICE_EIO:
    case ICE_ENOENT:
    case ICE_EFORMAT:
    case ICE_EUNSUPPORTED:
    case ICE_ELIMIT:
        return CLI_INCOMPLETE;
    }
    return CLI_FAILED;
}

int cli_say_error(const char *path, const struct ice_error *err) {
    char place[160] = "";
    if (err->pointer[0] != '\0') {
        char pointer[128];
        ice_escape(pointer, sizeof(pointer),
                   (struct ice_str){err->pointer, strlen(err->pointer)});
        (void)snprintf(place, sizeof(place), " (at %s)", pointer);
    } else if (err->offset != ICE_NO_OFFSET && err->offset > 0) {
        (void)snprintf(place, sizeof(place), " (at byte %llu)",
                       (unsigned long long)err->offset);
    }
    const char *message =
        err->message[0] != '\0' ? err->message : ice_status_name(err->status);
    const char *file = err->file[0] != '\0' ? err->file : path;
    if (err->status != ICE_ECANCELLED)
        cli_say("%s: %s%s", cli_quoted(file), message, place);
    return exit_of(err->status);
}

enum { LONGEST_WORD = 48 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Letters to insert, remove, replace, or exchange with their neighbour. */
static size_t distance(const char *a, const char *b) {
    size_t rows[3][LONGEST_WORD + 1], a_size = strlen(a), b_size = strlen(b);
    for (size_t j = 0; j <= b_size; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3], *above_that = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            row[j] = above[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0);
            row[j] = least(row[j], least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], above_that[j - 2] + 1);
        }
    }
    return rows[a_size % 3][b_size];
}

/* Farther is no likeness. */
static size_t farthest(const char *word) {
    size_t size = strlen(word);
    return size == 0 || size > LONGEST_WORD ? 0 : 2 + size / 4;
}

/* Is the candidate nearer than *best, which it then becomes? */
static bool is_nearer(const char *word, const char *candidate, size_t *best) {
    if (*best == 0 || strlen(candidate) > LONGEST_WORD)
        return false;
    size_t steps = distance(word, candidate);
    if (steps >= *best || steps >= strlen(word))
        return false;
    *best = steps;
    return true;
}

const char *cli_nearest(const char *word, const char *(*candidates)(size_t index)) {
    const char *nearest = NULL;
    size_t best = farthest(word);
    for (size_t i = 0; candidates(i) != NULL; i++) {
        if (is_nearer(word, candidates(i), &best))
            nearest = candidates(i);
    }
    return nearest;
}

const char *cli_nearest_word(const char *word, const char *words) {
    const char *nearest = NULL;
    size_t best = farthest(word);
    while (*words != '\0') {
        size_t size = strcspn(words, " ");
        const char *candidate = cli_copy(words, size);
        if (is_nearer(word, candidate, &best))
            nearest = candidate;
        words += size;
        words += *words == ' ';
    }
    return nearest;
}
