/*
 * What reports show of a table beside its findings: answers that are asked for when the
 * table was checked. They read metadata files and lists again, never a manifest.
 */
#include "cli/cli.h"

#include <string.h>

void cli_trouble_is_known(const struct ice_error *trouble, void *user) {
    (void)trouble; /* the findings say it */
    (void)user;
}

static enum ice_status answer(struct cli_findings *findings, const char *what,
                              const char *path, const struct ice_options *options) {
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    enum ice_status status = cli_findings_answer(findings, what);
    if (status < 0)
        return status;
    if (strcmp(what, "history") == 0)
        status = ice_history(path, options, cli_findings_row, cli_trouble_is_known,
                             findings, &err);
    else
        status = ice_inspect(path, what, false, options, cli_findings_row,
                             cli_trouble_is_known, findings, &err);
    /* what a table cannot answer is not there; the check has told why */
    return status == ICE_ENOMEM || cli_findings_failed(findings) ? status : ICE_OK;
}

void cli_answer_quietly(struct ice_options *options) {
    options->on_note = NULL;
    options->on_progress = NULL;
    options->on_block = NULL; /* what it has to say was said */
    options->n_listings = 0;  /* standard input is read but once */
    options->storage_local = false;
}

enum ice_status cli_findings_facts(struct cli_findings *findings, const char *path,
                                   const struct ice_options *options) {
    struct ice_options quiet = *options;
    const char *what;
    cli_answer_quietly(&quiet);
    for (size_t i = 0; (what = cli_findings_want(findings, i)) != NULL; i++) {
        enum ice_status status = answer(findings, what, path, &quiet);
        if (status < 0)
            return status;
    }
    return ICE_OK;
}
