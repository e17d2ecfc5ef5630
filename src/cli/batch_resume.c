/*
 * --resume and --shard: by what a table of a batch is known. A key says which metadata
 * file was judged, by which rules and with which options; a line that carries it need not
 * be made again. Kept are 40 bytes a line of the earlier run.
 */
#include "cli/batch.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

enum { READ_BYTES = 64 << 10 };

/* ---- keys ---- */

static void feed(XXH3_state_t *state, const char *text, size_t size) {
    (void)XXH3_128bits_update(state, &size, sizeof(size)); /* where one ends */
    (void)XXH3_128bits_update(state, text, size);
}

static void feed_text(XXH3_state_t *state, const char *text) {
    feed(state, text, strlen(text));
}

static void feed_rules(XXH3_state_t *state) {
    feed_text(state, ice_version());
    for (size_t i = 0; i < ice_rule_count(); i++) {
        const struct ice_rule *rule = ice_rule_at(i);
        const char severity = (char)('0' + rule->severity);
        feed_text(state, rule->name);
        feed(state, &severity, 1);
    }
}

/* Content, so that a copy of the input has the same key. What cannot be read is told by
 * the check. */
static void feed_file(XXH3_state_t *state, const char *path) {
    FILE *file = fopen(path, "re");
    uint64_t total = 0;
    char *bytes = cli_alloc(READ_BYTES, 1);
    size_t n;
    while (file != NULL && (n = fread(bytes, 1, READ_BYTES, file)) > 0) {
        (void)XXH3_128bits_update(state, bytes, n);
        total += n;
    }
    (void)XXH3_128bits_update(state, &total, sizeof(total));
    cli_free(bytes);
    if (file != NULL)
        (void)fclose(file);
}

/* A pipe would be emptied by looking at it, and a directory says little of its files. */
static bool is_plain_file(const char *path) {
    struct stat info;
    return strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static void feed_files(XXH3_state_t *state, const char *const *paths, size_t first,
                       size_t n) {
    for (size_t i = first; i < n; i++) {
        if (is_plain_file(paths[i]))
            feed_file(state, paths[i]);
    }
}

void cli_see_inputs(struct cli *cli) {
    XXH3_state_t state;
    (void)XXH3_128bits_reset(&state);
    feed_files(&state, cli->options.listings, 0, cli->options.n_listings);
    feed_files(&state, cli->options.pointers, 0, cli->options.n_pointers);
    XXH128_hash_t seen = XXH3_128bits_digest(&state);
    cli->inputs_seen[0] = seen.low64;
    cli->inputs_seen[1] = seen.high64;
}

static const char *first_odd(const char *const *paths, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!is_plain_file(paths[i]))
            return paths[i];
    }
    return NULL;
}

bool cli_resume_is_sound(const struct cli *cli) {
    const struct ice_options *options = &cli->options;
    const char *odd = first_odd(options->listings, options->n_listings);
    if (odd == NULL)
        odd = first_odd(options->pointers, options->n_pointers);
    if (options->storage_local)
        cli_say("--storage local looks at files that come and go without a new metadata "
                "file: leave out --resume");
    else if (odd != NULL)
        cli_say("%s is no regular file, and may hold something else than before: leave "
                "out --resume",
                cli_quoted(odd));
    else if (options->has_max_age && !options->has_now)
        cli_say("--max-age depends on the clock: give --now to both runs, or leave out "
                "--resume");
    else
        return true;
    return false;
}

bool cli_job_is_settled(const struct cli_job *job) {
    return first_odd(job->options.listings, job->options.n_listings) == NULL &&
           first_odd(job->options.pointers, job->options.n_pointers) == NULL &&
           (!job->options.has_max_age || job->options.has_now);
}

void cli_key_of(const struct cli *cli, const struct cli_job *job, struct ice_str file,
                char out[CLI_KEY_SIZE]) {
    XXH3_state_t state;
    XXH128_canonical_t bytes;
    (void)XXH3_128bits_reset(&state);
    feed_rules(&state);
    feed(&state, cli->baseline_text.data, cli->baseline_text.size);
    for (size_t i = 0; i < cli->n_judging; i++) {
        feed_text(&state, cli_options[cli->judging[i].id].name);
        feed_text(&state, cli->judging[i].value != NULL ? cli->judging[i].value : "");
    }
    feed_text(&state, cli_job_name(job));
    feed_text(&state, job->settings);
    (void)XXH3_128bits_update(&state, cli->inputs_seen, sizeof(cli->inputs_seen));
    /* its own stand behind those of the call */
    feed_files(&state, job->options.listings, cli->options.n_listings,
               job->options.n_listings);
    feed_files(&state, job->options.pointers, cli->options.n_pointers,
               job->options.n_pointers);
    if (job->options.has_max_age && job->options.has_now)
        (void)XXH3_128bits_update(&state, &job->options.now_ms,
                                  sizeof(job->options.now_ms));
    feed(&state, file.data, file.size);
    XXH128_canonicalFromHash(&bytes, XXH3_128bits_digest(&state));
    for (size_t i = 0; i < sizeof(bytes.digest); i++)
        (void)snprintf(out + 2 * i, 3, "%02x", bytes.digest[i]);
}

uint64_t cli_shard_of(const struct cli_job *job, uint64_t n_shards) {
    const char *name = cli_job_name(job);
    size_t size = strlen(name);
    while (size > 1 && name[size - 1] == '/')
        size--;
    return XXH3_128bits(name, size).low64 % n_shards;
}

/* ---- an earlier run ---- */

struct done_line {
    uint64_t key[2];
    uint64_t offset, size; /* of the line in its file */
    int code;
};

struct cli_done {
    struct done_line *lines; /* sorted by key */
    size_t n, capacity;
    uint64_t n_read; /* bytes in front of the line at hand */
    FILE *file;
    bool is_torn;
};

static bool key_from(const char *text, uint64_t out[2]) {
    if (text == NULL || strspn(text, "0123456789abcdef") != CLI_KEY_SIZE - 1 ||
        text[CLI_KEY_SIZE - 1] != '\0')
        return false;
    for (size_t i = 0; i < 2; i++) {
        char half[17];
        memcpy(half, text + 16 * i, 16);
        half[16] = '\0';
        out[i] = strtoull(half, NULL, 16);
    }
    return true;
}

static int compare_keys(const void *left, const void *right) {
    const struct done_line *a = left, *b = right;
    size_t at = a->key[0] != b->key[0] ? 0 : 1;
    return (a->key[at] > b->key[at]) - (a->key[at] < b->key[at]);
}

static void add_line(struct cli_done *done, const struct done_line *line) {
    if (done->n == done->capacity) {
        size_t capacity = done->capacity == 0 ? 64 : done->capacity * 2;
        struct done_line *lines = cli_alloc(capacity, sizeof(*lines));
        if (done->n > 0)
            memcpy(lines, done->lines, done->n * sizeof(*lines));
        cli_free(done->lines);
        done->lines = lines;
        done->capacity = capacity;
    }
    done->lines[done->n++] = *line;
}

/* Anything but a whole line of ours with a key is made again. */
static void take_line(struct cli_done *done, const char *text, size_t size) {
    json_error_t error;
    json_t *object = json_loadb(text, size, 0, &error);
    struct done_line line;
    if (object == NULL && json_error_code(&error) == json_error_out_of_memory)
        cli_out_of_memory();
    const json_t *code = json_object_get(json_object_get(object, "summary"), "exit");
    if (json_is_integer(code) &&
        key_from(json_string_value(json_object_get(object, "key")), line.key)) {
        line.offset = done->n_read;
        line.size = size;
        line.code = (int)(json_integer_value(code) & (CLI_FOUND | CLI_INCOMPLETE));
        add_line(done, &line);
    }
    json_decref(object);
}

/* The lines that end in these bytes; the rest waits in *line. */
static void take_bytes(struct cli_done *done, const char *bytes, size_t size,
                       struct cli_text *line) {
    while (size > 0) {
        const char *end = memchr(bytes, '\n', size);
        size_t n = end != NULL ? (size_t)(end - bytes) : size;
        (void)cli_text_append(bytes, n, line);
        if (end == NULL)
            return;
        take_line(done, line->data, line->size);
        done->n_read += line->size + 1;
        line->size = 0;
        bytes += n + 1;
        size -= n + 1;
    }
}

static int read_lines(struct cli_done *done, FILE *file, const char *path) {
    struct cli_text line = {0};
    char *bytes = cli_alloc(READ_BYTES, 1);
    size_t n;
    while ((n = fread(bytes, 1, READ_BYTES, file)) > 0 && !cli_is_interrupted(NULL))
        take_bytes(done, bytes, n, &line);
    int why = errno;
    done->is_torn = line.size > 0;
    cli_free(bytes);
    cli_free(line.data);
    if (ferror(file) == 0)
        return 0;
    cli_say_system(cli_quoted(path), why);
    return CLI_USAGE;
}

static bool is_standard_output(FILE *file) {
    struct stat here, there;
    return fstat(fileno(file), &here) == 0 && fstat(STDOUT_FILENO, &there) == 0 &&
           here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

int cli_done_read(const char *path, struct cli_done **out) {
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        cli_say_system(cli_quoted(path), errno);
        return CLI_USAGE;
    }
    struct cli_done *done = *out = cli_alloc(1, sizeof(*done));
    int code = read_lines(done, file, path);
    bool is_output = is_standard_output(file);
    if (code == 0 && is_output && done->n == 0 && !done->is_torn)
        cli_say("%s is empty: '>' has emptied it; append with '>>'", cli_quoted(path));
    done->is_torn = done->is_torn && is_output;
    done->file = file;
    if (done->n > 0)
        qsort(done->lines, done->n, sizeof(*done->lines), compare_keys);
    return code;
}

static const struct done_line *find_line(const struct cli_done *done, const char *key) {
    struct done_line wanted = {0};
    if (done == NULL || done->n == 0 || !key_from(key, wanted.key))
        return NULL;
    return bsearch(&wanted, done->lines, done->n, sizeof(wanted), compare_keys);
}

bool cli_done_line(const struct cli_done *done, const char *key, struct cli_text *out) {
    const struct done_line *found = find_line(done, key);
    if (found == NULL || found->offset > INT64_MAX || found->size > SIZE_MAX)
        return false;
    char *bytes = cli_alloc((size_t)found->size + 1, 1);
    size_t n = 0;
    if (fseeko(done->file, (off_t)found->offset, SEEK_SET) == 0)
        n = fread(bytes, 1, (size_t)found->size, done->file);
    *out =
        (struct cli_text){.data = bytes, .size = n, .capacity = (size_t)found->size + 1};
    return n == found->size;
}

bool cli_done_has(const struct cli_done *done, const char *key, int *out_code) {
    const struct done_line *found = find_line(done, key);
    if (found != NULL)
        *out_code = found->code;
    return found != NULL;
}

bool cli_done_is_torn(const struct cli_done *done) {
    return done != NULL && done->is_torn;
}

void cli_done_free(struct cli_done *done) {
    if (done != NULL && done->file != NULL)
        (void)fclose(done->file);
    if (done != NULL)
        cli_free(done->lines);
    cli_free(done);
}
