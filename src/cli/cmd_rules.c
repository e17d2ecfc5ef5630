/*
 * icefsck rules [GLOB...]: the catalogue.
 */
#include "cli/rule_rows.h"

#include <string.h>

static bool is_wanted(const struct cli *cli, const struct ice_rule *rule) {
    for (size_t i = 0; i < cli->n_words; i++) {
        if (ice_rule_matches(cli->words[i], rule->name) ||
            ice_rule_find(cli->words[i]) == rule)
            return true;
    }
    return cli->n_words == 0;
}

static bool is_brief(enum cli_format format) {
    return format == CLI_FORMAT_TABLE || format == CLI_FORMAT_TSV;
}

/* The rows of a JSON report stand inside one object. */
static enum ice_status put_around(const struct cli_rows *rows, const struct cli *cli,
                                  const char *text) {
    for (size_t i = 0; i < rows->n; i++) {
        enum ice_status status =
            cli->format == CLI_FORMAT_JSON
                ? cli_sink_write(text, strlen(text), rows->items[i].sink)
                : ICE_OK;
        if (status < 0)
            return status;
    }
    return ICE_OK;
}

int cli_rules(struct cli *cli) {
    for (size_t i = 0; i < cli->n_outputs; i++) {
        if (cli->outputs[i].format != CLI_FORMAT_UNSET &&
            cli->outputs[i].format != cli->format) {
            cli_say("rules writes one format at a time: give it with -f");
            return CLI_USAGE;
        }
    }
    struct cli_rows rows;
    int code = cli_rows_open(cli, &rows);
    if (code != 0)
        return code;
    size_t n = 0;
    enum ice_status status =
        put_around(&rows, cli, "{\"schema\":\"icefsck-rules/1\",\"rules\":");
    if (status == ICE_OK)
        status = cli_rule_row(NULL, is_brief(cli->format), cli_rows_row, &rows);
    for (size_t i = 0; i < ice_rule_count() && status == ICE_OK; i++) {
        if (!is_wanted(cli, ice_rule_at(i)))
            continue;
        status = cli_rule_row(ice_rule_at(i), is_brief(cli->format), cli_rows_row, &rows);
        n++;
    }
    if (n == 0) {
        const struct ice_rule *nearest =
            cli->n_words > 0 ? ice_rule_nearest(cli->words[0]) : NULL;
        cli_say("no rule matches %s%s%s",
                cli->n_words > 0 ? cli_quoted(cli->words[0]) : "",
                nearest != NULL ? "; the nearest is " : "",
                nearest != NULL ? nearest->name : "");
        code = CLI_FOUND;
    }
    rows.tail = cli->format == CLI_FORMAT_JSON ? "}\n" : NULL;
    return cli_rows_close(&rows, code);
}
