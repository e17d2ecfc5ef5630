/*
 * icefsck batch: what its files share.
 */
#ifndef ICE_CLI_BATCH_H
#define ICE_CLI_BATCH_H

#include "cli/cli.h"

/* ---- batch_input.c: which tables, one at a time ---- */

/* A path, or a line of input that is yet to be read; lives until the next one. */
struct cli_item {
    const char *text; /* ended by NUL, which it may also hold */
    size_t size;
    const char *name;  /* of the table, where -r found it; else NULL */
    const char *fault; /* why it is no table, or NULL */
};
struct cli_items;
/* 0, or an exit code after a message. */
int cli_items_open(const struct cli *cli, struct cli_items **out);
bool cli_items_next(struct cli_items *items, struct cli_item *out);
/* What the input itself cost: exit bits. */
int cli_items_close(struct cli_items *items);

/* ---- batch_line.c: what a line of input asks for ---- */

/* One table. Allocated since the caller's cli_mark. */
struct cli_job {
    const char *path, *name; /* name: of the table, or NULL */
    const char *fault;       /* why it cannot be checked, or NULL */
    const char *settings; /* the line's own options, as a text that equals for equals */
    struct ice_options options;
};
void cli_job_of(const struct cli *cli, const struct cli_item *item, struct cli_job *out);
/* What the table is called before it is read: its name, else its path. */
const char *cli_job_name(const struct cli_job *job);

/* ---- batch_resume.c ---- */

enum { CLI_KEY_SIZE = 33 };

/* What a line of output is known by: which metadata file was judged, and how. */
void cli_key_of(const struct cli *cli, const struct cli_job *job, struct ice_str file,
                char out[CLI_KEY_SIZE]);
/* Into cli->inputs_seen, before the first key. */
void cli_see_inputs(struct cli *cli);
/* May --resume go with these options? If not it was said why. */
bool cli_resume_is_sound(const struct cli *cli);
/* Would a line of the same key say the same of the table? */
bool cli_job_is_settled(const struct cli_job *job);
/* Which of N shards the table belongs to. */
uint64_t cli_shard_of(const struct cli_job *job, uint64_t n_shards);

struct cli_done;
/* The lines of an earlier run. 0, or an exit code after a message. */
int cli_done_read(const char *path, struct cli_done **out);
/* Is there a finished line of that key? *out_code: its exit bits. */
bool cli_done_has(const struct cli_done *done, const char *key, int *out_code);
/* The text of that line, to be freed; false: it cannot be read any more. */
bool cli_done_line(const struct cli_done *done, const char *key, struct cli_text *out);
/* The file ends in a torn line, and is what standard output appends to. */
bool cli_done_is_torn(const struct cli_done *done);
void cli_done_free(struct cli_done *done);

/* ---- batch_check.c: one table to one line ---- */

/* What a line says, for the totals and the exit code. */
struct cli_verdict {
    uint64_t counts[4];        /* by severity */
    uint64_t n_bytes;          /* read */
    uint64_t n_known, n_fixed; /* of the baseline */
    int code;                  /* exit bits */
    bool is_complete;
    size_t line_size;   /* of the text; behind the line are rows of history, if wanted */
    uint64_t n_dropped; /* ... of which so many came before */
};
/* found: gets all findings for --write-baseline, or NULL. */
void cli_job_run(const struct cli *cli, const struct cli_job *job,
                 struct ice_baseline *found, struct cli_text *out,
                 struct cli_verdict *verdict);
/* The line of a table that could not be checked. */
void cli_job_fail(const struct cli *cli, const char *path, const char *name,
                  const char *why, struct cli_text *out, struct cli_verdict *verdict);

/* ---- batch_history.c ---- */

/* Appends the newest commits of the table as lines of JSON, or nothing where they cannot
 * be read. How many older ones were left out. */
uint64_t cli_history_append(const struct cli_job *job, struct cli_text *out);

#endif
