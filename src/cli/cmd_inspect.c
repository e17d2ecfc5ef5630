/*
 * icefsck inspect WHAT PATH: rows of a table.
 */
#include "cli/cli.h"

#include <string.h>

static const char *name_candidate(size_t index) {
    return ice_inspect_names()[index];
}

static bool is_known(const char *what) {
    for (size_t i = 0; name_candidate(i) != NULL; i++) {
        if (strcmp(what, name_candidate(i)) == 0)
            return true;
    }
    return false;
}

static int unknown(const char *what) {
    const char *nearest = cli_nearest(what, name_candidate);
    if (nearest != NULL) {
        cli_say("nothing called %s to inspect; did you mean %s?", cli_quoted(what),
                nearest);
        return CLI_USAGE;
    }
    char *list = cli_copy("", 0);
    for (size_t i = 0; name_candidate(i) != NULL; i++)
        list = cli_join(list, i > 0 ? " " : "", name_candidate(i));
    cli_say("nothing called %s to inspect; there are %s", cli_quoted(what), list);
    return CLI_USAGE;
}

struct document {
    struct cli_sink *sink;
    bool has_trouble;
};

static enum ice_status write_document(const char *data, size_t size, void *user) {
    const struct document *document = user;
    return cli_is_interrupted(NULL) ? ICE_ECANCELLED
                                    : cli_sink_write(data, size, document->sink);
}

static void document_trouble(const struct ice_error *trouble, void *user) {
    struct document *document = user;
    document->has_trouble = true;
    cli_watch_end();
    (void)cli_say_error("input", trouble);
}

/* stdout, or the one file of -o */
static struct cli_sink *document_sink(const struct cli *cli) {
    return cli->n_outputs > 0 ? cli_sink_file(cli->outputs[cli->n_outputs - 1].file)
                              : cli_sink_stdout();
}

static int end_document(struct document *document, const char *path,
                        enum ice_status status, struct ice_error *err) {
    int code = document->has_trouble ? CLI_INCOMPLETE : 0;
    cli_watch_end();
    if (err->status >= 0)
        err->status = status;
    if (status < 0 && !cli_sink_failed(document->sink))
        code |= cli_say_error(path, err);
    int closed = cli_sink_close(document->sink, true);
    return closed == CLI_PIPE_CLOSED ? closed : code | closed;
}

int cli_inspect(struct cli *cli) {
    if (cli->n_words > 0 && !is_known(cli->words[0]))
        return unknown(cli->words[0]);
    if (cli->n_words != 2) {
        cli_say(
            "inspect takes WHAT and one PATH, as in: icefsck inspect snapshots ./orders");
        return CLI_USAGE;
    }
    const char *what = cli->words[0], *path = cli->words[1];
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    enum ice_status status;
    cli_watch(cli);
    if (cli->format == CLI_FORMAT_ORACLE) {
        struct document document = {.sink = document_sink(cli)};
        if (document.sink == NULL)
            return CLI_FAILED;
        status = ice_inspect_live_oracle(path, &cli->options, write_document,
                                         document_trouble, &document, &err);
        return end_document(&document, path, status, &err);
    }
    struct cli_rows rows;
    int code = cli_rows_open(cli, &rows);
    if (code != 0)
        return code;
    status = ice_inspect(path, what, cli->readable_bounds, &cli->options, cli_rows_row,
                         cli_rows_trouble, &rows, &err);
    code |= cli_rows_answered(&rows, path, status, &err);
    return cli_rows_close(&rows, code);
}

int cli_dump(struct cli *cli) {
    if (cli->n_words != 1) {
        cli_say("dump takes one FILE, as in: icefsck dump metadata/snap-1.avro");
        return CLI_USAGE;
    }
    struct document document = {.sink = document_sink(cli)};
    if (document.sink == NULL)
        return CLI_FAILED;
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    cli_watch(cli);
    enum ice_status status = ice_dump(cli->words[0], &cli->options, write_document,
                                      document_trouble, &document, &err);
    return end_document(&document, cli->words[0], status, &err);
}
