/*
 * Symptoms in the answers of explain.
 */
#ifndef ICE_CLI_EXPLAIN_SYMPTOMS_H
#define ICE_CLI_EXPLAIN_SYMPTOMS_H

#include "cli/cli.h"

/* "severity  name  message" of one rule, ended by a line end. */
void cli_put_rule_line(struct cli_sink *sink, const struct ice_rule *rule);

/* What words that a person typed, joined by blanks, are about. How many. */
size_t cli_put_symptoms_of_words(struct cli_sink *sink, const char *words);
/* What a log on stdin shows. 0 and how many in *out_found, or an exit code after a
 * message. */
int cli_put_symptoms_of_log(struct cli_sink *sink, size_t *out_found);

#endif
