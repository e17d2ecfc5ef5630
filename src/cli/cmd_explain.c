/*
 * icefsck explain: the text of one rule, or the rules that words or a log are about.
 */
#include "cli/rule_rows.h"

#include <stdio.h>
#include <string.h>

enum { MAX_LOG_BYTES = 1 << 20, MAX_MATCHES = 40 };

static char fold(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Is word, letter case aside, somewhere in text? */
static bool contains(const char *text, const char *word) {
    for (; *text != '\0'; text++) {
        size_t i = 0;
        while (word[i] != '\0' && fold(text[i]) == fold(word[i]))
            i++;
        if (word[i] == '\0')
            return true;
    }
    return false;
}

static void put(struct cli_sink *sink, const char *text) {
    (void)cli_sink_write(text, strlen(text), sink);
}

static void put_part(struct cli_sink *sink, const char *title, const char *text) {
    if (text[0] == '\0')
        return;
    put(sink, title);
    put(sink, text);
    put(sink, "\n");
}

static void put_rule(struct cli_sink *sink, const struct ice_rule *rule) {
    char versions[32], needs[96];
    cli_versions_text(rule->versions, versions);
    cli_needs_text(rule->needs, needs);
    const char *group = ice_rule_group_title(rule->group);
    put(sink, rule->name);
    put(sink, "\n\n");
    put_part(sink, "severity    ",
             cli_join(ice_severity_name(rule->severity),
                      rule->demoted ? " (error with --strict)" : "", ""));
    if (rule->status != ICE_RULE_ACTIVE)
        put_part(sink, "status      ", cli_status_text(rule->status));
    put_part(sink, "versions    ", versions);
    put_part(sink, "needs       ", needs);
    put_part(sink, "group       ", group != NULL ? group : "");
    if (rule->spec[0] != '\0')
        put_part(sink, "spec        https://iceberg.apache.org/spec/#", rule->spec);
    put_part(sink, "\nmessage     ", rule->message);
    put_part(sink, "\nwhy         ", rule->why);
    put_part(sink, "refused by  ", rule->refused_by);
    put_part(sink, "fix         ", rule->fix);
}

static void put_line(struct cli_sink *sink, const struct ice_rule *rule) {
    char line[96];
    (void)snprintf(line, sizeof(line), "%-5s  %-42s  ", ice_severity_name(rule->severity),
                   rule->name);
    put(sink, line);
    put(sink, rule->message);
    put(sink, "\n");
}

static bool is_about(const struct ice_rule *rule, const char *word) {
    return contains(rule->name, word) || contains(rule->message, word) ||
           contains(rule->why, word) || contains(rule->refused_by, word) ||
           contains(rule->fix, word);
}

/* The words of an argument, at blanks. */
static void split(const char *text, const char ***words, size_t *n) {
    while (*text != '\0') {
        size_t size = strcspn(text, " \t\n");
        if (size > 0) {
            *words = cli_grow(*words, *n, sizeof(**words));
            (*words)[(*n)++] = cli_copy(text, size);
        }
        text += size + (text[size] != '\0' ? 1 : 0);
    }
}

static size_t search_words(struct cli *cli, struct cli_sink *sink) {
    const char **words = NULL;
    size_t n = 0, found = 0;
    for (size_t i = 0; i < cli->n_words; i++)
        split(cli->words[i], &words, &n);
    for (size_t i = 0; i < ice_rule_count() && n > 0; i++) {
        const struct ice_rule *rule = ice_rule_at(i);
        size_t k = 0;
        while (k < n && is_about(rule, words[k]))
            k++;
        if (k < n)
            continue;
        if (found++ < MAX_MATCHES)
            put_line(sink, rule);
    }
    if (found > MAX_MATCHES)
        put(sink, "... and more; add a word\n");
    return found;
}

/* The rules whose names a log holds. */
static size_t search_log(struct cli_sink *sink) {
    char *text = cli_alloc(MAX_LOG_BYTES + 1, 1);
    size_t size = fread(text, 1, MAX_LOG_BYTES, stdin), found = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\0')
            text[i] = ' ';
    }
    for (size_t i = 0; i < ice_rule_count(); i++) {
        if (!contains(text, ice_rule_at(i)->name))
            continue;
        put_line(sink, ice_rule_at(i));
        found++;
    }
    return found;
}

static int nothing(const struct cli *cli) {
    const char *word = cli->words[0];
    if (strcmp(word, "-") == 0) {
        cli_say("no rule is named in this text");
        return CLI_FOUND;
    }
    const struct ice_rule *nearest = ice_rule_nearest(word);
    if (nearest != NULL)
        cli_say("no rule %s; did you mean %s?", cli_quoted(word), nearest->name);
    else
        cli_say("no rule is about %s; icefsck rules lists all", cli_quoted(word));
    return CLI_FOUND;
}

int cli_explain(struct cli *cli) {
    if (cli->n_words == 0) {
        cli_say("explain takes a rule or words, as in: icefsck explain avro.truncated");
        return CLI_USAGE;
    }
    struct cli_sink *sink = cli_sink_stdout();
    const struct ice_rule *rule = cli->n_words == 1 ? ice_rule_find(cli->words[0]) : NULL;
    size_t found = 1;
    if (rule != NULL)
        put_rule(sink, rule);
    else if (strcmp(cli->words[0], "-") == 0)
        found = search_log(sink);
    else
        found = search_words(cli, sink);
    int closed = cli_sink_close(sink, true);
    return closed != 0 ? closed : found > 0 ? 0 : nothing(cli);
}
