/*
 * What each option means.
 */
#include "cli/opinion.h"
#include "cli/pages.h"

#include <stdlib.h>
#include <string.h>

static int bad_word(enum cli_option_id id, const char *value, const char *wanted,
                    const char *nearest) {
    cli_say("option --%s: %s is no %s%s%s%s", cli_options[id].name, cli_quoted(value),
            wanted, nearest != NULL ? "; did you mean " : "",
            nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
    return CLI_USAGE;
}

static int bad_value(enum cli_option_id id, const char *value, const char *wanted) {
    const char *words;
    (void)cli_value_kind(id, CLI_CMD_CHECK, &words);
    return bad_word(id, value, wanted, cli_nearest_word(value, words));
}

/* Position of value among words (a NULL-ended list), or -1. */
static int word_of(const char *value, const char *const *words) {
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(value, words[i]) == 0)
            return i;
    }
    return -1;
}

static const char *const iam_profiles[] = {"glue-read", "glue-write", "s3tables-etl",
                                           "rest-vended", NULL};
static const char *const platforms[] = {"glue", "databricks", "emr", "spark", NULL};

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

/* One of a few words, which stands for itself. */
static int apply_word(enum cli_option_id id, const char *value, const char *const *words,
                      const char **out) {
    if (word_of(value, words) >= 0) {
        *out = value;
        return 0;
    }
    char *list = cli_copy("", 0);
    for (size_t i = 0; words[i] != NULL; i++)
        list = cli_join(list, i > 0 ? ", " : "", words[i]);
    return bad_value(id, value, cli_join("word that it knows: ", list, ""));
}

static int apply_known_catalog(struct cli *cli, const char *value) {
    size_t n = cli->conf.n_known_catalogs;
    cli->known_catalogs = cli_grow(cli->known_catalogs, n, sizeof(*cli->known_catalogs));
    cli->known_catalogs[n] = value;
    cli->conf.known_catalogs = cli->known_catalogs;
    cli->conf.n_known_catalogs = n + 1;
    return 0;
}

static int apply_format(struct cli *cli, const char *value) {
    cli->format_place = cli->place;
    if (cli_format_of(value, strlen(value), &cli->format))
        return 0;
    const char *words;
    (void)cli_value_kind(CLI_OPT_FORMAT, cli->command, &words);
    return bad_word(CLI_OPT_FORMAT, value, cli_join("format: ", words, ""),
                    cli_nearest_word(value, words));
}

static int apply_output(struct cli *cli, const char *value) {
    struct cli_output output = {.file = value, .place = cli->place};
    const char *colon = strchr(value, ':');
    if (colon != NULL) {
        size_t size = (size_t)(colon - value);
        if (cli_format_of(value, size, &output.format))
            output.file = colon + 1;
    }
    if (output.file[0] == '\0' || strcmp(output.file, "-") == 0)
        return bad_value(CLI_OPT_OUTPUT, value, "file");
    cli->outputs = cli_grow(cli->outputs, cli->n_outputs, sizeof(*cli->outputs));
    cli->outputs[cli->n_outputs++] = output;
    return 0;
}

/* A rule or glob that names nothing is most likely a slip. */
static int know_rules(const char *glob) {
    if (ice_rule_find(glob) != NULL)
        return 0;
    for (size_t i = 0; i < ice_rule_count(); i++) {
        if (ice_rule_matches(glob, ice_rule_at(i)->name))
            return 0;
    }
    const struct ice_rule *nearest = ice_rule_nearest(glob);
    if (nearest != NULL)
        cli_say("unknown rule %s; did you mean %s?", cli_quoted(glob), nearest->name);
    else
        cli_say("no rule matches %s; icefsck rules lists them", cli_quoted(glob));
    return CLI_USAGE;
}

static int apply_severity(struct cli *cli, const char *value) {
    const char *equals = strrchr(value, '=');
    enum ice_severity level;
    if (equals == NULL || !cli_severity(equals + 1, &level))
        return bad_word(
            CLI_OPT_SEVERITY, value, "RULE=error, warn, info or off",
            equals == NULL ? NULL : cli_nearest_word(equals + 1, "error warn info off"));
    const char *glob = cli_copy(value, (size_t)(equals - value));
    size_t n = cli->options.n_overrides;
    cli->overrides = cli_grow(cli->overrides, n, sizeof(*cli->overrides));
    cli->overrides[n] = (struct ice_override){.glob = glob, .severity = level};
    cli->options.overrides = cli->overrides;
    cli->options.n_overrides = n + 1;
    return know_rules(glob);
}

static int apply_only(struct cli *cli, const char *value) {
    while (*value != '\0') {
        size_t size = strcspn(value, ",");
        const char *glob = cli_copy(value, size);
        value += size + (value[size] == ',' ? 1 : 0);
        if (size == 0)
            continue;
        cli->only = cli_grow(cli->only, cli->options.n_only, sizeof(*cli->only));
        cli->only[cli->options.n_only++] = glob;
        cli->options.only = cli->only;
        int code = know_rules(glob);
        if (code != 0)
            return code;
    }
    return 0;
}

static int apply_map(struct cli *cli, const char *value) {
    const char *equals = strrchr(value, '=');
    if (equals == NULL || equals == value || equals[1] == '\0')
        return bad_value(CLI_OPT_MAP, value, "FROM=TO: s3://lake/wh/db/orders=./orders");
    size_t n = cli->options.n_maps;
    cli->maps = cli_grow(cli->maps, n, sizeof(*cli->maps));
    cli->maps[n] = (struct ice_map_entry){
        .from = cli_copy(value, (size_t)(equals - value)), .to = equals + 1};
    cli->options.maps = cli->maps;
    cli->options.n_maps = n + 1;
    return 0;
}

static int apply_pointer(struct cli *cli, const char *value) {
    size_t n = cli->options.n_pointers;
    if (value[0] == '\0')
        return bad_value(CLI_OPT_POINTER, value, "FILE or NAME=URI");
    cli->pointers = cli_grow(cli->pointers, n, sizeof(*cli->pointers));
    cli->pointers[n] = value;
    cli->options.pointers = cli->pointers;
    cli->options.n_pointers = n + 1;
    return 0;
}

static int apply_pointer_format(struct cli *cli, const char *value) {
    static const char *const words[] = {
        "glue",    "s3tables", "rest",     "hive",      "jdbc", "hint",   "nessie",
        "polaris", "unity",    "bigquery", "snowflake", "list", "normal", NULL};
    if (word_of(value, words) < 0)
        return bad_value(
            CLI_OPT_POINTER_FORMAT, value,
            "pointer format: glue, s3tables, rest, hive, jdbc, hint, nessie, "
            "polaris, unity, bigquery, snowflake, list, normal");
    cli->options.pointer_format = value;
    return 0;
}

static int apply_when(enum cli_option_id id, const char *value, const char *const *words,
                      enum cli_when *out, const char *wanted) {
    int word = word_of(value, words);
    if (word < 0)
        return bad_value(id, value, wanted);
    *out = (enum cli_when)word;
    return 0;
}

static int apply_depth(struct cli *cli, const char *value) {
    static const char *const words[] = {"manifest", "metadata", "list", "puffin", NULL};
    int word = word_of(value, words);
    if (word < 0)
        return bad_value(CLI_OPT_DEPTH, value, "depth: metadata, list, manifest, puffin");
    cli->options.depth = (enum ice_depth)word;
    return 0;
}

static int apply_profile(struct cli *cli, const char *value) {
    static const char *const words[] = {"default", "strict", "reader", NULL};
    int word = word_of(value, words);
    if (word < 0)
        return bad_value(CLI_OPT_PROFILE, value, "profile: default, strict, reader");
    cli->options.profile = (enum ice_profile)word;
    return 0;
}

static int apply_level(enum cli_option_id id, const char *value, enum ice_severity *out) {
    if (id == CLI_OPT_FAIL_ON && strcmp(value, "never") == 0)
        *out = ICE_OFF;
    else if (!cli_severity(value, out) || *out == ICE_OFF)
        return bad_value(id, value,
                         id == CLI_OPT_FAIL_ON ? "level: error, warn, info, never"
                                               : "level: error, warn, info");
    return 0;
}

static int apply_now(struct cli *cli, const char *value) {
    cli->options.has_now = true;
    return cli_time(value, &cli->options.now_ms)
               ? 0
               : bad_value(CLI_OPT_NOW, value, "time: 2026-03-01T09:00:00Z");
}

static int apply_at(struct cli *cli, const char *value) {
    cli->options.has_at = true;
    return cli_time(value, &cli->options.at_ms)
               ? 0
               : bad_value(CLI_OPT_AT, value, "time: 2026-03-01T09:00:00Z");
}

static int apply_listing(struct cli *cli, const char *value) {
    size_t n = cli->options.n_listings;
    cli->listings = cli_grow(cli->listings, n, sizeof(*cli->listings));
    cli->listings[n] = value;
    cli->options.listings = cli->listings;
    cli->options.n_listings = n + 1;
    return 0;
}

static int apply_partition(struct cli *cli, const char *value) {
    if (strchr(value, '=') == NULL)
        return bad_value(CLI_OPT_PARTITION, value, "partition: NAME=VALUE");
    cli->partitions =
        cli_grow(cli->partitions, cli->n_partitions, sizeof(*cli->partitions));
    cli->partitions[cli->n_partitions++] = value;
    return 0;
}

static int apply_storage(struct cli *cli, const char *value) {
    if (strcmp(value, "local") != 0)
        return bad_value(CLI_OPT_STORAGE, value, "storage: local");
    cli->options.storage_local = true;
    return 0;
}

static int apply_duration(enum cli_option_id id, const char *value, int64_t *out_ms) {
    return cli_duration(value, out_ms)
               ? 0
               : bad_value(id, value, "duration: 90s, 15m, 6h, 3d");
}

static int apply_shard(struct cli *cli, const char *value) {
    const char *slash = strchr(value, '/');
    if (slash == NULL ||
        !cli_number(cli_copy(value, (size_t)(slash - value)), UINT32_MAX, &cli->shard) ||
        !cli_number(slash + 1, UINT32_MAX, &cli->n_shards) || cli->shard >= cli->n_shards)
        return bad_value(CLI_OPT_SHARD, value, "part I/N of a batch, I from 0 to N-1");
    return 0;
}

static int apply_jobs(struct cli *cli, const char *value) {
    uint64_t jobs;
    if (!cli_number(value, 1024, &jobs))
        return bad_value(CLI_OPT_JOBS, value, "number from 0 to 1024");
    cli->options.jobs = (unsigned)jobs;
    cli->has_jobs = true;
    return 0;
}

static int apply_second_opinion(struct cli *cli) {
    if (!cli_opinion_is_built()) {
        cli_say("--second-opinion is not in this build: it needs Avro C (libavro-dev)");
        return CLI_USAGE;
    }
    cli_opinion_hang(&cli->options);
    return 0;
}

static int apply_size(enum cli_option_id id, const char *value, uint64_t *out) {
    return cli_size(value, out) ? 0 : bad_value(id, value, "size: 500000, 64M, 2G");
}

static int apply_max_depth(struct cli *cli, const char *value) {
    uint64_t depth;
    if (!cli_number(value, 100000, &depth) || depth == 0)
        return bad_value(CLI_OPT_MAX_DEPTH, value, "number from 1 to 100000");
    cli->options.limits.json_depth = cli->options.limits.avro_depth = depth;
    return 0;
}

static int apply_max_findings(struct cli *cli, const char *value) {
    struct ice_limits *limits = &cli->options.limits;
    uint64_t n;
    if (!cli_number(value, UINT64_MAX - 1, &n))
        return bad_value(CLI_OPT_MAX_FINDINGS, value, "number");
    limits->findings_per_file = n == 0 ? UINT64_MAX : n;
    limits->findings_per_rule = n == 0 ? UINT64_MAX : n > 1000 ? n : 0;
    limits->findings_per_table = n == 0 ? UINT64_MAX : n > 100000 ? n : 0;
    return 0;
}

/* Lists of a farther place give way to the arguments. */
static void give_way(struct cli *cli, enum cli_option_id id, enum cli_origin origin) {
    if (id == CLI_OPT_ONLY && origin != cli->only_from) {
        cli->options.n_only = 0;
        cli->only_from = origin;
    }
    if (id == CLI_OPT_OUTPUT && origin != cli->outputs_from) {
        cli->n_outputs = 0;
        cli->outputs_from = origin;
    }
}

int cli_apply(struct cli *cli, enum cli_option_id id, const char *value,
              enum cli_origin origin) {
    static const char *const color_words[] = {"auto", "always", "never", NULL};
    static const char *const progress_words[] = {"auto", "on", "off", NULL};
    give_way(cli, id, origin);
    switch (id) {
    case CLI_OPT_FORMAT:
        return apply_format(cli, value);
    case CLI_OPT_OUTPUT:
        return apply_output(cli, value);
    case CLI_OPT_QUIET:
        cli->quiet = true;
        return 0;
    case CLI_OPT_VERBOSE:
        cli->verbose++;
        return 0;
    case CLI_OPT_COLOR:
        return apply_when(id, value, color_words, &cli->color,
                          "time: auto, always, never");
    case CLI_OPT_PROGRESS:
        return apply_when(id, value, progress_words, &cli->progress,
                          "time: auto, on, off");
    case CLI_OPT_RECURSIVE:
        cli->recursive = true;
        return 0;
    case CLI_OPT_FILES_FROM:
        cli->files_from = value;
        return 0;
    case CLI_OPT_SHARD:
        return apply_shard(cli, value);
    case CLI_OPT_RESUME:
        cli->resume = value;
        return 0;
    case CLI_OPT_ISOLATE:
        cli->isolate = true;
        return 0;
    case CLI_OPT_TIMEOUT:
        return apply_duration(id, value, &cli->timeout_ms);
    case CLI_OPT_METADATA:
        cli->options.metadata = value;
        return 0;
    case CLI_OPT_POINTER:
        return apply_pointer(cli, value);
    case CLI_OPT_POINTER_FORMAT:
        return apply_pointer_format(cli, value);
    case CLI_OPT_SNAPSHOT:
        cli->options.snapshot = value;
        return 0;
    case CLI_OPT_DEPTH:
        return apply_depth(cli, value);
    case CLI_OPT_MAP:
        return apply_map(cli, value);
    case CLI_OPT_NOW:
        return apply_now(cli, value);
    case CLI_OPT_FROM:
        cli->from = value;
        return 0;
    case CLI_OPT_TO:
        cli->to = value;
        return 0;
    case CLI_OPT_PARTITION:
        return apply_partition(cli, value);
    case CLI_OPT_OLDER_THAN:
        cli->has_older_than = true;
        return apply_duration(id, value, &cli->older_than_ms);
    case CLI_OPT_LISTING:
        return apply_listing(cli, value);
    case CLI_OPT_LISTING_FORMAT:
        cli->options.listing_format = value;
        return 0;
    case CLI_OPT_LISTING_TZ:
        cli->options.has_listing_zone = true;
        return cli_zone(value, &cli->options.listing_zone_minutes)
                   ? 0
                   : bad_value(id, value, "zone: UTC, +02:00");
    case CLI_OPT_ALLOW_EMPTY_LISTING:
        cli->options.allow_empty_listing = true;
        return 0;
    case CLI_OPT_BASE:
        cli->options.base = value;
        return 0;
    case CLI_OPT_STORAGE:
        return apply_storage(cli, value);
    case CLI_OPT_TRUST_MTIME:
        cli->options.trust_mtime = true;
        return 0;
    case CLI_OPT_GRACE:
        cli->options.has_grace = true;
        return apply_duration(id, value, &cli->options.grace_ms);
    case CLI_OPT_MAX_AGE:
        cli->options.has_max_age = true;
        return apply_duration(id, value, &cli->options.max_age_ms);
    case CLI_OPT_AT:
        return apply_at(cli, value);
    case CLI_OPT_LIST_FILES:
        cli->list_files = true;
        return 0;
    case CLI_OPT_MIN_SEVERITY:
        return apply_level(id, value, &cli->min_severity);
    case CLI_OPT_FAIL_ON:
        cli->has_fail_on = true;
        return apply_level(id, value, &cli->options.fail_on);
    case CLI_OPT_SEVERITY:
        return apply_severity(cli, value);
    case CLI_OPT_ONLY:
        return apply_only(cli, value);
    case CLI_OPT_PROFILE:
        return apply_profile(cli, value);
    case CLI_OPT_STRICT:
        return apply_profile(cli, "strict");
    case CLI_OPT_COLUMNS:
        cli->columns = value;
        return 0;
    case CLI_OPT_READABLE_BOUNDS:
        cli->readable_bounds = true;
        return 0;
    case CLI_OPT_REPEAT:
        if (!cli_number(value, 1000, &cli->n_rounds) || cli->n_rounds == 0)
            return bad_value(id, value, "number from 1 to 1000");
        return 0;
    case CLI_OPT_GRAPH:
        cli->graph = true;
        return 0;
    case CLI_OPT_JOBS:
        return apply_jobs(cli, value);
    case CLI_OPT_CACHE:
        cli->options.cache_dir = value;
        return 0;
    case CLI_OPT_SECOND_OPINION:
        return apply_second_opinion(cli);
    case CLI_OPT_MAX_MEMORY:
        return apply_size(id, value, &cli->options.limits.memory);
    case CLI_OPT_MAX_FILE:
        return apply_size(id, value, &cli->options.limits.file_bytes);
    case CLI_OPT_MAX_DEPTH:
        return apply_max_depth(cli, value);
    case CLI_OPT_MAX_FINDINGS:
        return apply_max_findings(cli, value);
    case CLI_OPT_CONFIG:
        cli->config = value;
        return 0;
    case CLI_OPT_NO_CONFIG:
        cli->no_config = true;
        return 0;
    case CLI_OPT_BASELINE:
        cli->baseline = value;
        return 0;
    case CLI_OPT_WRITE_BASELINE:
        cli->write_baseline = value;
        return 0;
    case CLI_OPT_IAM_PROFILE:
        return apply_word(id, value, iam_profiles, &cli->conf.iam_profile);
    case CLI_OPT_PLATFORM:
        return apply_word(id, value, platforms, &cli->conf.platform);
    case CLI_OPT_SCHEDULE:
        cli->conf.has_schedule = true;
        return cli_duration(value, &cli->conf.schedule_ms)
                   ? 0
                   : bad_value(id, value, "duration, as 15m or 1h");
    case CLI_OPT_REGION:
        cli->conf.region = value;
        return 0;
    case CLI_OPT_KNOWN_CATALOG:
        return apply_known_catalog(cli, value);
    case CLI_OPT_MAN:
        cli->manual = true;
        return 0;
    case CLI_OPT_COMPLETION:
        return apply_word(id, value, shells, &cli->completion);
    case CLI_OPT_COUNT:
        break;
    }
    return CLI_USAGE;
}
