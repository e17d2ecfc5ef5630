/*
 * icefsck explain: the text of one rule, or the symptoms and rules that words or a log
 * are about.
 */
#include "cli/explain_symptoms.h"
#include "cli/rule_rows.h"

#include <string.h>

enum { MAX_MATCHES = 40 };

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

/* The rules whose texts hold all words; a line between them and what stands above. */
static size_t search_rules(struct cli_sink *sink, const char *text, bool is_behind) {
    const char **words = NULL;
    size_t n = 0, found = 0;
    split(text, &words, &n);
    for (size_t i = 0; i < ice_rule_count() && n > 0; i++) {
        const struct ice_rule *rule = ice_rule_at(i);
        size_t k = 0;
        while (k < n && is_about(rule, words[k]))
            k++;
        if (k < n)
            continue;
        if (found == 0 && is_behind)
            put(sink, "\nrules with these words:\n");
        if (found++ < MAX_MATCHES)
            cli_put_rule_line(sink, rule);
    }
    if (found > MAX_MATCHES)
        put(sink, "... and more; add a word\n");
    return found;
}

static size_t search_words(const struct cli *cli, struct cli_sink *sink) {
    const char *text = cli->words[0];
    for (size_t i = 1; i < cli->n_words; i++)
        text = cli_join(text, " ", cli->words[i]);
    size_t found = cli_put_symptoms_of_words(sink, text);
    return found + search_rules(sink, text, found > 0);
}

static int nothing(const struct cli *cli) {
    const char *word = cli->words[0];
    if (strcmp(word, "-") == 0) {
        cli_say("no rule is named in this text, and it shows no symptom that is known");
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
        cli_say("explain takes a rule, words, or - for a log, as in: icefsck explain "
                "SHOW TABLES is empty");
        return CLI_USAGE;
    }
    struct cli_sink *sink = cli_sink_stdout();
    const struct ice_rule *rule = cli->n_words == 1 ? ice_rule_find(cli->words[0]) : NULL;
    size_t found = 1;
    int failed = 0;
    if (rule != NULL)
        put_rule(sink, rule);
    else if (strcmp(cli->words[0], "-") == 0)
        failed = cli_put_symptoms_of_log(sink, &found);
    else
        found = search_words(cli, sink);
    int closed = cli_sink_close(sink, true);
    if (closed != 0 || failed != 0)
        return closed | failed;
    return found > 0 ? 0 : nothing(cli);
}
