/*
 * A table of which nothing came back.
 */
#include "cli/cli.h"

#include <string.h>

static struct ice_str str_of(const char *text) {
    return (struct ice_str){text, strlen(text)};
}

void cli_failure_of(struct cli_failure *out, const char *path, const char *name,
                    const char *why) {
    out->line = (struct ice_not_evaluated){
        .what = str_of("table"), .why = str_of(why), .file = str_of(path), .asked = true};
    out->summary = (struct ice_summary){.table = str_of(name != NULL ? name : path),
                                        .not_evaluated = &out->line,
                                        .n_not_evaluated = 1,
                                        .exit_code = CLI_INCOMPLETE};
}
