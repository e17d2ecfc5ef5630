/*
 * A line of input: a path, or a JSON object about one table. What an object asks for is
 * added to the options of the call, for this table alone.
 */
#include "cli/batch.h"

#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 200 }; /* bytes of a line that cannot be read */

struct line {
    const struct cli *cli;
    json_t *object;
    struct cli_job *job;
};

static void refuse(struct line *line, const char *what, const char *detail) {
    if (line->job->fault == NULL)
        line->job->fault = cli_join(what, ": ", detail);
}

/* A copy of the text, which must not be empty or hold NUL; NULL if it was refused. */
static const char *text_of(struct line *line, const char *key, json_t *value) {
    const char *text = json_string_value(value);
    if (text != NULL && text[0] != '\0' && strlen(text) == json_string_length(value))
        return cli_copy(text, strlen(text));
    refuse(line, key, "it must be a text that is not empty");
    return NULL;
}

/* list and one more, borrowed from the call and copied. */
static const char **add_text(const char *const *list, size_t n, const char *text) {
    const char **more = cli_alloc(n + 1, sizeof(*more));
    if (n > 0)
        memcpy(more, list, n * sizeof(*more));
    more[n] = text;
    return more;
}

static void take_pointer(struct line *line, const char *key, json_t *value) {
    struct ice_options *options = &line->job->options;
    const char *text = text_of(line, key, value);
    options->catalog = NULL; /* it holds the pointers of the call alone */
    if (text != NULL)
        options->pointers = add_text(options->pointers, options->n_pointers++, text);
}

static void take_listing(struct line *line, const char *key, json_t *value) {
    struct ice_options *options = &line->job->options;
    const char *text = text_of(line, key, value);
    if (text != NULL)
        options->listings = add_text(options->listings, options->n_listings++, text);
}

static void take_map(struct line *line, const char *key, json_t *value) {
    struct ice_options *options = &line->job->options;
    if (!json_is_object(value)) {
        refuse(line, key, "it must be an object of FROM: TO");
        return;
    }
    struct ice_map_entry *maps =
        cli_alloc(options->n_maps + json_object_size(value) + 1, sizeof(*maps));
    size_t n = options->n_maps;
    if (n > 0)
        memcpy(maps, options->maps, n * sizeof(*maps));
    for (void *at = json_object_iter(value); at != NULL;
         at = json_object_iter_next(value, at)) {
        const char *from = json_object_iter_key(at);
        const char *text = text_of(line, key, json_object_iter_value(at));
        if (text != NULL && from[0] != '\0')
            maps[n++] =
                (struct ice_map_entry){.from = cli_copy(from, strlen(from)), .to = text};
    }
    options->maps = maps;
    options->n_maps = n;
}

static void take_max_age(struct line *line, const char *key, json_t *value) {
    struct ice_options *options = &line->job->options;
    const char *text = text_of(line, key, value);
    options->has_max_age = true;
    if (text != NULL && !cli_duration(text, &options->max_age_ms))
        refuse(line, key, "it must be a duration: 90s, 15m, 6h, 3d");
}

static void take_metadata(struct line *line, const char *key, json_t *value) {
    line->job->options.metadata = text_of(line, key, value);
}

static void take_path(struct line *line, const char *key, json_t *value) {
    const char *path = text_of(line, key, value);
    if (path != NULL)
        line->job->path = path;
}

static void take_table(struct line *line, const char *key, json_t *value) {
    line->job->name = text_of(line, key, value);
}

static const struct {
    const char *key;
    void (*take)(struct line *line, const char *key, json_t *value);
} keys[] = {
    {"table", take_table},     {"path", take_path}, {"metadata", take_metadata},
    {"pointer", take_pointer}, {"map", take_map},   {"listing", take_listing},
    {"max_age", take_max_age},
};

static const char *key_candidate(size_t index) {
    return index < sizeof(keys) / sizeof(keys[0]) ? keys[index].key : NULL;
}

/* A key that is not known was meant to change the verdict. */
static void take_key(struct line *line, const char *key, json_t *value) {
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (strcmp(keys[i].key, key) != 0)
            continue;
        if (!json_is_null(value))
            keys[i].take(line, key, value);
        return;
    }
    const char *nearest = cli_nearest(key, key_candidate);
    if (nearest != NULL)
        refuse(line, "unknown key", cli_join(key, "; did you mean ", nearest));
    else
        refuse(line, "unknown key",
               cli_join(key, "; there are table, path, metadata, pointer, map, listing, ",
                        "max_age"));
}

static int append(const char *data, size_t size, void *user) {
    return cli_text_append(data, size, user) == ICE_OK ? 0 : -1;
}

/* Equal for lines that ask for the same in another order. */
static const char *settings_of(const json_t *object) {
    struct cli_text text = {0};
    if (json_dump_callback(object, append, &text, JSON_COMPACT | JSON_SORT_KEYS) != 0)
        cli_out_of_memory();
    (void)cli_text_append("", 1, &text);
    return text.data;
}

static void read_object(struct line *line) {
    json_t *object = line->object;
    struct cli_job *job = line->job;
    assert(json_is_object(object)); /* the line begins with its brace */
    for (void *at = json_object_iter(object); at != NULL;
         at = json_object_iter_next(object, at))
        take_key(line, json_object_iter_key(at), json_object_iter_value(at));
    /* a metadata file with its path is enough */
    const char *metadata = job->options.metadata;
    if (job->path[0] == '\0' && metadata != NULL && strchr(metadata, '/') != NULL) {
        job->path = metadata;
        job->options.metadata = line->cli->options.metadata;
    }
    if (job->path[0] == '\0')
        refuse(line, "path", "it is missing: the directory of the table");
    job->settings = settings_of(object);
}

static void parse(struct line *line, const struct cli_item *item) {
    json_error_t error;
    json_t *object = json_loadb(item->text, item->size, JSON_REJECT_DUPLICATES, &error);
    if (object == NULL) {
        if (json_error_code(&error) == json_error_out_of_memory)
            cli_out_of_memory();
        char place[64];
        (void)snprintf(place, sizeof(place), ", at byte %d of it", error.position);
        refuse(line, "the line is no JSON object", cli_join(error.text, place, ""));
        return;
    }
    line->object = object;
    read_object(line);
    json_decref(object);
}

void cli_job_of(const struct cli *cli, const struct cli_item *item, struct cli_job *out) {
    struct line line = {.cli = cli, .job = out};
    *out = (struct cli_job){
        .path = "", .fault = item->fault, .settings = "", .options = cli->options};
    bool is_object = item->text[strspn(item->text, " \t")] == '{' && item->name == NULL;
    if (is_object && item->fault == NULL) {
        parse(&line, item);
    } else {
        out->path = cli_copy(item->text, item->size);
        out->name = item->name;
        if (strlen(out->path) != item->size)
            refuse(&line, "path", "it holds a NUL");
    }
    if (out->path[0] == '\0') /* the line itself tells which it is */
        out->path = cli_copy(item->text, item->size < SHOWN ? item->size : SHOWN);
    out->options.table_name = out->name;
    if (out->fault == NULL && strcmp(out->path, "-") == 0)
        refuse(&line, "-", "standard input holds no table of a batch");
    if (out->fault == NULL && strstr(out->path, "://") != NULL)
        refuse(&line, "it is in the cloud",
               "copy its metadata, and give the copy; icefsck check tells how");
}

const char *cli_job_name(const struct cli_job *job) {
    return job->name != NULL ? job->name : job->path;
}
