/*
 * The files of a table, as its manifests name them, against the policies: a location that
 * was changed years ago still holds files.
 * Reads the manifests of the current snapshot of a metadata file among the inputs.
 * Leaves nothing behind; memory does not grow with the number of files.
 */
#include "conf/iam_setup.h"

#include "rule/emit.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_BUCKETS = 16, LONGEST_ARN = 2048 };

/* Files of one bucket that no policy lets the role read. */
struct refused {
    struct ice_str bucket, directory; /* directory: of the first of them */
    uint64_t n;
};

struct walk {
    const struct ice_iam_setup *setup;
    size_t path_column; /* SIZE_MAX until the first row */
    uint64_t n_files, n_refused, n_troubles;
    struct refused refused[MOST_BUCKETS];
    size_t n_buckets;
};

/* "arn:PARTITION:s3:::BUCKET/PATH"; empty if it is longer than any that S3 has. */
static struct ice_str object_arn(const char *prefix, struct ice_str bucket,
                                 struct ice_str path, char out[LONGEST_ARN]) {
    const struct ice_str parts[] = {ice_str_from(prefix), bucket, ICE_STR("/"), path};
    size_t size = 0;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i].size > LONGEST_ARN - size)
            return ICE_STR_NONE;
        if (parts[i].size > 0)
            memcpy(out + size, parts[i].data, parts[i].size);
        size += parts[i].size;
    }
    return ice_str_make(out, size);
}

static bool is_refused(const struct ice_iam_setup *setup, struct ice_str bucket,
                       struct ice_str path) {
    char bytes[LONGEST_ARN];
    const struct ice_str action = ICE_STR("s3:GetObject");
    for (size_t i = 0; i < ICE_IAM_S3_PREFIXES; i++) {
        struct ice_str arn = object_arn(ice_iam_s3_prefixes[i], bucket, path, bytes);
        if (arn.size == 0 ||
            ice_iam_ask(setup->own.statements, setup->own.n, action, arn).answer !=
                ICE_IAM_NOT_GRANTED)
            return false;
    }
    return true;
}

static enum ice_status add_refused(struct walk *w, struct ice_str uri,
                                   struct ice_str bucket) {
    size_t i = 0;
    w->n_refused++;
    while (i < w->n_buckets && !ice_str_equal(w->refused[i].bucket, bucket))
        i++;
    if (i == MOST_BUCKETS)
        return ICE_OK;
    struct refused *refused = &w->refused[i];
    if (i == w->n_buckets) {
        struct ice_arena *arena = w->setup->conf->arena;
        struct ice_str directory = ice_str_first(uri, ice_str_rfind(uri, '/'));
        if (!ice_arena_dup(arena, bucket, &refused->bucket) ||
            !ice_arena_dup(arena, directory, &refused->directory))
            return ICE_ENOMEM;
        w->n_buckets++;
    }
    refused->n++;
    return ICE_OK;
}

static enum ice_status on_row(const struct ice_column *columns,
                              const struct ice_value *values, size_t n, void *user) {
    struct walk *w = user;
    struct ice_str bucket, path;
    for (size_t i = 0; i < n && w->path_column == SIZE_MAX; i++) {
        if (strcmp(columns[i].name, "file_path") == 0)
            w->path_column = i;
    }
    if (values == NULL || w->path_column >= n)
        return ICE_OK;
    struct ice_str uri = values[w->path_column].str;
    if (values[w->path_column].kind != ICE_VALUE_STR ||
        !ice_iam_s3_parts(uri, &bucket, &path))
        return ICE_OK;
    w->n_files++;
    if (!is_refused(w->setup, bucket, path) ||
        ice_iam_is_reported(w->setup, w->setup->n_locations, uri))
        return ICE_OK;
    return add_refused(w, uri, bucket);
}

static void on_trouble(const struct ice_error *trouble, void *user) {
    struct walk *w = user;
    (void)trouble;
    w->n_troubles++;
}

static void tell(const struct walk *w) {
    struct ice_conf *conf = w->setup->conf;
    for (size_t i = 0; i < w->n_buckets; i++) {
        char setting[128];
        (void)snprintf(setting, sizeof(setting),
                       "the directory of %s%" PRIu64 " of %" PRIu64 " files",
                       w->refused[i].n > 1 ? "the first of " : "", w->refused[i].n,
                       w->n_files);
        CONF_FOUND(conf, ICE_RULE_CONF_IAM_DATA_LOCATION,
                   ice_conf_at_start(w->setup->metadata),
                   arg_str("location", w->refused[i].directory),
                   arg_text("action", "s3:GetObject"), arg_text("setting", setting));
    }
}

void ice_iam_file_rules(const struct ice_iam_setup *setup) {
    struct ice_conf *conf = setup->conf;
    struct walk w = {.setup = setup, .path_column = SIZE_MAX};
    const char *what = "conf.iam.data-location of single files";
    if (setup->metadata == NULL || ice_str_is(setup->metadata->name, "-")) {
        ice_conf_not_checked(conf, what,
                             "no metadata.json was given that stands in its table");
        return;
    }
    /* only paths that came from the caller as a C string are names of inputs */
    struct ice_str path = ICE_STR_NONE;
    if (!ice_arena_dup(conf->arena, setup->metadata->name, &path)) {
        ice_emit_no_memory(conf->emit);
        return;
    }
    enum ice_status status = ice_inspect(path.data, "files", false, conf->options, on_row,
                                         on_trouble, &w, NULL);
    if (status == ICE_ENOMEM) {
        ice_emit_no_memory(conf->emit);
        return;
    }
    tell(&w);
    if (status < 0 || w.n_troubles > 0)
        ice_conf_not_checked(conf, what,
                             "manifests of the table cannot be read from here");
}
