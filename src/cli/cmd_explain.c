/*
 * icefsck explain: the text of one rule, or the symptoms and rules that words or a log
 * are about.
 */
#include "cli/explain_symptoms.h"
#include "cli/rule_rows.h"

#include <string.h>

enum { MAX_RULES = 10, MAX_COMMANDS = 2, LEAST_SHARE = 50 };

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

/* Of answers of one kind, best first: how many are not far behind the best. */
static size_t near_best(const struct ice_answer *answers, size_t n) {
    size_t kept = 0;
    while (kept < n && answers[kept].score * 5 >= answers[0].score * 2)
        kept++;
    return kept;
}

static size_t put_rules_about(struct cli_sink *sink, struct ice_str words,
                              bool is_behind) {
    struct ice_answer answers[MAX_RULES];
    size_t n = ice_answers(ICE_ANSWER_RULE, words, answers, MAX_RULES);
    n = near_best(answers, n);
    if (n > 0 && is_behind)
        put(sink, "\nrules that these words fit:\n");
    for (size_t i = 0; i < n; i++)
        cli_put_rule_line(sink, ice_rule_at(answers[i].index));
    return n;
}

/* Commands that answer most of the question. */
static size_t put_commands_about(struct cli_sink *sink, struct ice_str words) {
    struct ice_answer answers[MAX_COMMANDS];
    size_t n = ice_answers(ICE_ANSWER_COMMAND, words, answers, MAX_COMMANDS), shown = 0;
    n = near_best(answers, n);
    for (size_t i = 0; i < n; i++) {
        const char *question, *line;
        if (answers[i].share < LEAST_SHARE ||
            !ice_question_at(answers[i].index, &question, &line))
            continue;
        put(sink, shown++ == 0 ? "\ncommands that answer:\n" : "");
        put(sink, cli_join("  ", line, "\n      "));
        put(sink, cli_join(question, "\n", ""));
    }
    return shown;
}

/* A name of a rule with a slip in it: words of it would lead astray. */
static bool is_misspelt_rule(const struct cli *cli) {
    const char *word = cli->words[0];
    if (cli->n_words != 1 || strchr(word, '.') == NULL || ice_rule_nearest(word) == NULL)
        return false;
    for (size_t i = 0; i < ice_rule_count(); i++) {
        if (strstr(ice_rule_at(i)->name, word) != NULL)
            return false;
    }
    return true;
}

static size_t search_words(const struct cli *cli, struct cli_sink *sink) {
    const char *text = cli->words[0];
    for (size_t i = 1; i < cli->n_words; i++)
        text = cli_join(text, " ", cli->words[i]);
    struct ice_str words = {text, strlen(text)};
    size_t found = cli_put_symptoms_of_words(sink, text);
    found += put_rules_about(sink, words, found > 0);
    return found + put_commands_about(sink, words);
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
        found = is_misspelt_rule(cli) ? 0 : search_words(cli, sink);
    int closed = cli_sink_close(sink, true);
    if (closed != 0 || failed != 0)
        return closed | failed;
    return found > 0 ? 0 : nothing(cli);
}
