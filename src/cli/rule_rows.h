/*
 * Rules as rows and as words.
 */
#ifndef ICE_CLI_RULE_ROWS_H
#define ICE_CLI_RULE_ROWS_H

#include "cli/cli.h"

/* "all", "v2,v3" */
void cli_versions_text(unsigned versions, char out[32]);
/* "list,manifest" */
void cli_needs_text(unsigned needs, char out[96]);
const char *cli_status_text(enum ice_rule_status status);
/* One rule as a row, brief for eyes or whole for machines; NULL: the columns alone. */
enum ice_status cli_rule_row(const struct ice_rule *rule, bool is_brief,
                             ice_row_fn on_row, void *user);

#endif
