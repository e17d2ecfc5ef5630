/*
 * icefsck pointers INPUT... [PATH...]: rows, then what was found, table by table.
 */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What is written behind the rows of one output. */
struct tail {
    char *text;
    size_t size, capacity;
    struct ice_report *report; /* NULL: this format has rows only */
};

struct pointers {
    struct cli *cli;
    struct cli_rows rows;
    struct tail *tails; /* by output */
    bool has_rows_only; /* findings must be said on stderr, then */
    bool is_shown;      /* the table at hand has something to be said */
};

/* ---- what goes behind the rows ---- */

static enum ice_status hold(const char *data, size_t size, void *user) {
    struct tail *tail = user;
    if (tail->size + size > tail->capacity) {
        size_t capacity = (tail->size + size) * 2;
        char *larger = cli_alloc(capacity, 1);
        if (tail->size > 0)
            memcpy(larger, tail->text, tail->size);
        tail->text = larger;
        tail->capacity = capacity;
    }
    memcpy(tail->text + tail->size, data, size);
    tail->size += size;
    return ICE_OK;
}

static void hold_text(struct tail *tail, const char *text) {
    (void)hold(text, strlen(text), tail);
}

static enum ice_format format_of(enum cli_format format) {
    return format == CLI_FORMAT_TABLE ? ICE_FORMAT_HUMAN : cli_library_format(format);
}

static int open_tails(struct pointers *p) {
    const struct ice_report_options options = {.min_severity = ICE_INFO};
    struct ice_error err = {0};
    p->tails = cli_alloc(p->rows.n, sizeof(*p->tails));
    for (size_t i = 0; i < p->rows.n; i++) {
        struct tail *tail = &p->tails[i];
        enum cli_format format = p->rows.items[i].format;
        if (format == CLI_FORMAT_TSV || format == CLI_FORMAT_ARROW) {
            p->has_rows_only = true;
            continue;
        }
        if (format == CLI_FORMAT_JSON) {
            static const char head[] = "{\"schema\":\"icefsck-pointers/1\",\"rows\":";
            (void)cli_sink_write(head, sizeof(head) - 1, p->rows.items[i].sink);
            hold_text(tail, ",\"report\":");
        }
        if (ice_report_open(&tail->report, format_of(format), &options, NULL, hold, tail,
                            &err) < 0)
            return cli_say_error("report", &err) | CLI_FAILED;
    }
    return 0;
}

static void close_tails(struct pointers *p) {
    for (size_t i = 0; i < p->rows.n; i++) {
        struct tail *tail = &p->tails[i];
        if (tail->report != NULL)
            (void)ice_report_finish(tail->report);
        ice_report_free(tail->report);
        if (p->rows.items[i].format == CLI_FORMAT_JSON)
            hold_text(tail, "}\n");
        p->rows.items[i].tail = tail->text;
        p->rows.items[i].tail_size = tail->size;
    }
}

/* ---- callbacks ---- */

static enum ice_status on_row(const struct ice_column *columns,
                              const struct ice_value *values, size_t n, void *user) {
    struct pointers *p = user;
    return cli_rows_row(columns, values, n, &p->rows);
}

static enum ice_status on_finding(const struct ice_finding *finding, void *user) {
    struct pointers *p = user;
    p->is_shown = true;
    for (size_t i = 0; i < p->rows.n; i++) {
        if (p->tails[i].report == NULL)
            continue;
        enum ice_status status = ice_report_finding(finding, p->tails[i].report);
        if (status < 0)
            return status;
    }
    if (p->has_rows_only)
        cli_say("%s: %s: %s [%s]",
                cli_quoted(cli_copy(finding->table.data, finding->table.size)),
                ice_severity_name(finding->severity),
                cli_quoted(cli_copy(finding->message.data, finding->message.size)),
                finding->rule->name);
    return ICE_OK;
}

/* A drawn table has a row for each; only what is wrong needs more words. */
static enum ice_status on_summary(const struct ice_summary *summary, void *user) {
    struct pointers *p = user;
    const struct ice_report_options options = {.min_severity = ICE_INFO};
    bool is_shown = p->is_shown || !summary->complete;
    p->is_shown = false;
    for (size_t i = 0; i < p->rows.n; i++) {
        bool is_human = p->rows.items[i].format == CLI_FORMAT_TABLE;
        if (p->tails[i].report == NULL || (is_human && !is_shown))
            continue;
        if (is_human && p->tails[i].size == 0)
            hold_text(&p->tails[i], "\n");
        enum ice_status status =
            ice_report_summary(p->tails[i].report, summary, &options);
        if (status < 0)
            return status;
    }
    return ICE_OK;
}

static void on_trouble(const struct ice_error *trouble, void *user) {
    struct pointers *p = user;
    if (trouble->status < 0) {
        cli_rows_trouble(trouble, &p->rows);
        return;
    }
    cli_watch_end();
    cli_say("%s", trouble->message);
}

/* ---- */

static bool is_directory(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* -r: directories among the words give way to the tables below them. */
static int find_words(const struct cli *cli, struct cli_paths *out) {
    struct cli alone = *cli;
    int code = 0;
    if (!cli->recursive)
        return cli_find_paths(cli, out);
    for (size_t i = 0; i < cli->n_words; i++) {
        struct cli_paths found = {0};
        alone.words = &cli->words[i];
        alone.n_words = 1;
        alone.files_from = NULL;
        alone.recursive = is_directory(cli->words[i]);
        code |= cli_find_paths(&alone, &found);
        for (size_t k = 0; k < found.n; k++) {
            out->paths = cli_grow(out->paths, out->n, sizeof(*out->paths));
            out->paths[out->n++] = found.paths[k];
        }
    }
    return code;
}

/* Standard input can be read once. */
static bool is_stdin_wanted_twice(const struct cli *cli, const struct cli_paths *words) {
    size_t n = 0;
    for (size_t i = 0; i < cli->options.n_pointers; i++)
        n += strcmp(cli->options.pointers[i], "-") == 0;
    for (size_t i = 0; i < cli->options.n_listings; i++)
        n += strcmp(cli->options.listings[i], "-") == 0;
    for (size_t i = 0; i < words->n; i++)
        n += strcmp(words->paths[i], "-") == 0;
    if (n > 1)
        cli_say("standard input can be read once: write it to a file, and name that");
    return n > 1;
}

int cli_pointers(struct cli *cli) {
    struct pointers p = {.cli = cli};
    struct cli_paths words = {0};
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    int code = 0, bits = 0;
    if (cli->n_words == 0 && cli->options.n_pointers == 0 && cli->files_from == NULL) {
        cli_say("pointers takes exports of catalogs and tables, as in: icefsck pointers "
                "glue-tables.json --map s3://lake=./lake");
        return CLI_USAGE;
    }
    if (cli->n_words > 0 || cli->files_from != NULL)
        code = find_words(cli, &words);
    if ((code & CLI_USAGE) != 0 || is_stdin_wanted_twice(cli, &words))
        return CLI_USAGE;
    if (!cli->has_fail_on)
        cli->options.fail_on = ICE_WARN;
    cli->table_columns = cli->options.has_at
                             ? "name,current,since,until,snapshot_id,evidence"
                             : "name,state,current,newest,last_change,age,usual,why";
    int opened = cli_rows_open(cli, &p.rows);
    if (opened != 0)
        return opened;
    code |= open_tails(&p);
    cli_watch(cli);
    const struct ice_pointer_calls calls = {.on_row = on_row,
                                            .on_finding = on_finding,
                                            .on_summary = on_summary,
                                            .on_trouble = on_trouble,
                                            .user = &p};
    enum ice_status status =
        ice_list_pointers(words.paths, words.n, &cli->options, &calls, &bits, &err);
    code |= cli_rows_answered(&p.rows, "pointers", status, &err);
    close_tails(&p);
    return cli_rows_close(&p.rows, status < 0 ? code : code | bits);
}
