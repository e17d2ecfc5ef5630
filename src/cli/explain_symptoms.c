/*
 * From what people see, and from logs, to rules and to commands that find the cause.
 */
#include "cli/explain_symptoms.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PIECE = 1 << 16 };

static void put(struct cli_sink *sink, const char *text) {
    (void)cli_sink_write(text, strlen(text), sink);
}

void cli_put_rule_line(struct cli_sink *sink, const struct ice_rule *rule) {
    char line[96];
    (void)snprintf(line, sizeof(line), "%-5s  %-42s  ", ice_severity_name(rule->severity),
                   rule->name);
    put(sink, line);
    put(sink, rule->message);
    put(sink, "\n");
}

/* "line 118, innermost cause, 3 times" */
static void put_where(struct cli_sink *sink, const struct ice_log_hit *hit) {
    char text[96];
    (void)snprintf(text, sizeof(text), "line %" PRIu64, hit->line);
    put(sink, text);
    if (hit->is_cause)
        put(sink, ", innermost cause");
    if (hit->n > 1) {
        (void)snprintf(text, sizeof(text), ", %" PRIu64 " times", hit->n);
        put(sink, text);
    }
}

static void put_symptom(struct cli_sink *sink, size_t symptom,
                        const struct ice_log_hit *hit, bool is_first) {
    if (!is_first)
        put(sink, "\n");
    put(sink, ice_symptom_name(symptom));
    if (hit != NULL) {
        put(sink, "  (");
        put_where(sink, hit);
        put(sink, ")");
    }
    put(sink, "\n\n");
    put(sink, ice_symptom_about(symptom));
    put(sink, "\n");
    const struct ice_rule *rule;
    for (size_t i = 0; (rule = ice_symptom_rule(symptom, i)) != NULL; i++) {
        put(sink, i == 0 ? "\nmay be, in this order:\n  " : "  ");
        cli_put_rule_line(sink, rule);
    }
    const char *command;
    for (size_t i = 0; (command = ice_symptom_command(symptom, i)) != NULL; i++) {
        put(sink, i == 0 ? "\nto find out, run:\n  " : "  ");
        put(sink, command);
        put(sink, "\n");
    }
}

/* Symptoms that most of the words are about; the best one, and those that are as good. */
static size_t put_likely(struct cli_sink *sink, struct ice_str typed, bool *is_put,
                         size_t found) {
    enum { MOST = 3, LEAST_SHARE = 75 };
    struct ice_answer answers[MOST];
    size_t n = ice_answers(ICE_ANSWER_SYMPTOM, typed, answers, MOST);
    for (size_t i = 0; i < n; i++) {
        if (answers[i].share < LEAST_SHARE ||
            answers[i].score * 4 < answers[0].score * 3 || is_put[answers[i].index])
            continue;
        put_symptom(sink, answers[i].index, NULL, found++ == 0);
    }
    return found;
}

static struct ice_log_search *open_search(void) {
    struct ice_log_search *search;
    if (ice_log_search_open(&search, NULL, NULL) != ICE_OK)
        cli_out_of_memory();
    return search;
}

size_t cli_put_symptoms_of_words(struct cli_sink *sink, const char *words) {
    size_t count = ice_symptom_count(), found = 0;
    bool *is_put = cli_alloc(count, sizeof(*is_put));
    struct ice_log_search *search = open_search();
    struct ice_log_hit hit;
    ice_log_search_feed(search, words, strlen(words));
    while (ice_log_search_next(search, &hit)) {
        if (hit.rule != NULL)
            continue;
        put_symptom(sink, hit.symptom, NULL, found++ == 0);
        is_put[hit.symptom] = true;
    }
    ice_log_search_free(search);
    struct ice_str typed = {words, strlen(words)};
    for (size_t i = 0; i < count; i++) {
        if (is_put[i] || !ice_symptom_is_about(i, typed))
            continue;
        put_symptom(sink, i, NULL, found++ == 0);
        is_put[i] = true;
    }
    if (found == 0)
        found = put_likely(sink, typed, is_put, found);
    cli_free(is_put);
    return found;
}

int cli_put_symptoms_of_log(struct cli_sink *sink, size_t *out_found) {
    char *piece = cli_alloc(PIECE, 1);
    struct ice_log_search *search = open_search();
    struct ice_log_hit hit;
    size_t size, found = 0;
    while ((size = fread(piece, 1, PIECE, stdin)) > 0)
        ice_log_search_feed(search, piece, size);
    cli_free(piece);
    if (ferror(stdin)) {
        cli_say_system("standard input", errno);
        ice_log_search_free(search);
        return CLI_FAILED;
    }
    while (ice_log_search_next(search, &hit)) {
        if (hit.rule != NULL)
            cli_put_rule_line(sink, hit.rule);
        else
            put_symptom(sink, hit.symptom, &hit, found == 0);
        found++;
    }
    ice_log_search_free(search);
    *out_found = found;
    return 0;
}
