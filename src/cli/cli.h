/*
 * The command: what its files share. It sees the library through icefsck.h alone.
 */
#ifndef ICE_CLI_CLI_H
#define ICE_CLI_CLI_H

#include "icefsck.h"

/* Exit bits, or-ed; docs/EXIT-CODES.md. */
enum {
    CLI_FOUND = 1,
    CLI_INCOMPLETE = 2,
    CLI_USAGE = 4,
    CLI_FAILED = 8,
    CLI_INTERRUPTED = 130,
    CLI_PIPE_CLOSED = 141,
};

enum cli_command {
#define CLI_COMMAND(id, name, run, arguments, about, exit_1) CLI_CMD_##id,
#include "cli/commands.def"
#undef CLI_COMMAND
    CLI_CMD_COUNT
};

enum cli_format {
    CLI_FORMAT_UNSET,
    CLI_FORMAT_HUMAN,
    CLI_FORMAT_SHORT,
    CLI_FORMAT_JSON,
    CLI_FORMAT_NDJSON,
    CLI_FORMAT_SARIF,
    CLI_FORMAT_JUNIT,
    CLI_FORMAT_GITHUB,
    CLI_FORMAT_MARKDOWN,
    CLI_FORMAT_HTML,
    CLI_FORMAT_TABLE,
    CLI_FORMAT_TSV,
    CLI_FORMAT_ARROW,
    CLI_FORMAT_ORACLE,
    CLI_FORMAT_GRAPH, /* no word for -f: --graph */
};

enum cli_when { CLI_AUTO, CLI_ALWAYS, CLI_NEVER };

/* Where an option was given: a list given nearer to the user replaces one given farther.
 */
enum cli_origin { CLI_FROM_FILE, CLI_FROM_ENVIRONMENT, CLI_FROM_ARGUMENTS };

struct cli_setting;

struct cli_output {
    enum cli_format format; /* UNSET: that of -f, instead of stdout */
    const char *file;
    const char *place; /* where it was given, for a message; NULL: as an argument */
};

/* Bytes that grow. */
struct cli_text {
    char *data;
    size_t size, capacity;
};

/* All options of a call, resolved. Everything lives until the end of the process. */
struct cli {
    enum cli_command command;
    const char **words; /* behind the command */
    size_t n_words;
    bool is_implied; /* no command was named: check */
    bool wants_help, wants_version;

    enum cli_format format;
    const char *place, *format_place; /* of the option at hand, of -f: as of an output */
    struct cli_output *outputs;
    size_t n_outputs;
    enum cli_origin only_from, outputs_from;
    bool quiet;
    int verbose;
    enum cli_when color, progress;
    bool recursive, list_files, readable_bounds, graph, no_config;
    bool manual;            /* help --man */
    const char *completion; /* help --completion: the shell */
    const char *files_from, *columns, *config;
    const char *table_columns; /* of a drawn table, where no columns were given */
    bool has_fail_on;
    enum ice_severity min_severity;

    const char *from, *to; /* diff */
    const char **partitions;
    size_t n_partitions;
    bool has_older_than;
    int64_t older_than_ms;
    uint64_t n_rounds; /* of bench; 0: the default */

    struct ice_conf_request conf; /* lint-conf; words and arrays below */
    const char **known_catalogs;

    /* batch */
    bool isolate, has_jobs;
    bool wants_history;       /* a report shows the commits of each table */
    uint64_t shard, n_shards; /* n_shards 0: all tables */
    const char *resume;
    int64_t timeout_ms;
    uint64_t inputs_seen[2];     /* what the listings and pointers of all tables hold */
    struct cli_setting *judging; /* options that verdicts depend on, as given */
    size_t n_judging;

    const char *baseline, *write_baseline;
    struct ice_baseline *known, *found; /* of these, while tables are checked */
    struct cli_text baseline_text;      /* of baseline */
    struct cli_text found_text;         /* what children found */
    struct cli_sink *found_sink;

    struct ice_options options; /* of the library; arrays below */
    struct ice_override *overrides;
    const char **only;
    struct ice_map_entry *maps;
    const char **listings;
    const char **pointers;
};

/* ---- commands: return the exit code ---- */

#define CLI_COMMAND(id, name, run, arguments, about, exit_1) int run(struct cli *cli);
#include "cli/commands.def"
#undef CLI_COMMAND

/* ---- options.c ---- */

/* 0, or CLI_USAGE after a message. */
int cli_parse(struct cli *cli, int argc, char **argv);
/* Is the word a command? */
bool cli_command_of(const char *word, enum cli_command *out);
const char *cli_command_name(enum cli_command command);
/* The command nearest to a misspelt one, or NULL. */
const char *cli_nearest_command(const char *word);

struct cli_option {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* NULL: none */
    unsigned commands;    /* bit 1 << enum cli_command */
    const char *about;
};
/* Ended by a NULL name. */
extern const struct cli_option cli_options[];

/* ---- apply.c: one option of a call ---- */

enum cli_option_id {
#define CLI_OPTION(id, name, letter, argument, commands, about) CLI_OPT_##id,
#define CLI_LATER(name, has_argument)
#include "cli/options.def"
#undef CLI_OPTION
#undef CLI_LATER
    CLI_OPT_COUNT
};

/* Put an option into *cli. 0, or CLI_USAGE after a message. value NULL if it takes none.
 */
int cli_apply(struct cli *cli, enum cli_option_id id, const char *value,
              enum cli_origin origin);
/* apply_end.c: what only holds for options together. 0, or CLI_USAGE after a message. */
int cli_apply_end(struct cli *cli);
/* The formats of cli->command, the default first, behind the last CLI_FORMAT_UNSET.
 * is_report: into the files of -o, which in a batch are other ones than the lines. */
const enum cli_format *cli_formats_of(const struct cli *cli, bool is_report);

/* ---- config.c: options of the configuration file and of ICEFSCK_OPTS ---- */

struct cli_setting {
    enum cli_option_id id;
    const char *value;
    unsigned line; /* of the configuration file, from 1; 0: not from one */
};
struct cli_settings {
    struct cli_setting *items;
    size_t n;
};
int cli_read_environment(struct cli_settings *out);
/* path NULL: the default places; none there is fine. *out_path: the file that was read.
 */
/* How a message names a line of that file: FILE:LINE. */
const char *cli_line_place(unsigned line, const char *path);
int cli_read_config(const char *path, struct cli_settings *out, const char **out_path);
void cli_settings_add(struct cli_settings *settings, enum cli_option_id id,
                      const char *value);
/* "name", "name=value" or, with next, "name value" without its dashes. CLI_USAGE after a
 * message. */
int cli_long_option(const char *text, const char *next, struct cli_settings *out,
                    bool *out_took_next);

/* ---- values.c: false if the text is none ---- */

bool cli_number(const char *text, uint64_t most, uint64_t *out);
bool cli_size(const char *text, uint64_t *out);       /* "64M", "1GiB", bytes */
bool cli_time(const char *text, int64_t *out_ms);     /* ISO 8601; without zone UTC */
bool cli_duration(const char *text, int64_t *out_ms); /* "90s", "15m", "6h", "3d" */
bool cli_zone(const char *text, int *out_minutes);    /* "UTC", "+02:00" */
bool cli_severity(const char *text, enum ice_severity *out); /* error warn info off */
bool cli_format_of(const char *text, size_t size, enum cli_format *out);
const char *cli_format_name(enum cli_format format);

/* ---- messages.c: one line to stderr, "icefsck: ...", untrusted bytes escaped ---- */

void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Until the next call messages begin with the place that an option was given at; it lives
 * as long. NULL: with none. */
void cli_say_of(const char *place);
/* "WHAT: why", by an errno; a lack of memory ends the process, as everywhere. */
void cli_say_system(const char *what, int code);
/* Text of an argument or file, escaped, in quotes; lives until 8 more were asked for. */
const char *cli_quoted(const char *text);
/* "file: message (at /pointer)", and the exit code that belongs to the status. */
int cli_say_error(const char *path, const struct ice_error *err);
/* The candidate nearest to a misspelt word, or NULL; candidates(i) is NULL behind the
 * last. */
const char *cli_nearest(const char *word, const char *(*candidates)(size_t index));
/* The same among words that are separated by blanks. */
const char *cli_nearest_word(const char *word, const char *words);

/* ---- command_memory.c ---- */

/* Zeroed; never NULL: without memory the process ends with CLI_FAILED.
 */
void *cli_alloc(size_t count, size_t size);
void cli_free_all(void);   /* at the end of the process */
void cli_free(void *data); /* of cli_alloc and what builds on it; NULL is fine */
/* Two marks, and all that was allocated between them is freed. */
size_t cli_mark(void);
void cli_free_between(size_t before, size_t behind);
/* Make room for one more item of an array that grows by doubling. */
void *cli_grow(void *items, size_t n, size_t size);
/* An ice_write_fn; user is a struct cli_text. Free data with cli_free. */
enum ice_status cli_text_append(const char *data, size_t size, void *user);
char *cli_copy(const char *text, size_t size);
char *cli_join(const char *a, const char *b, const char *c);
/* In main.c: says it and ends the process. */
_Noreturn void cli_out_of_memory(void);

/* ---- sink.c: where a report goes ---- */

struct cli_sink;

/* Standard output. */
struct cli_sink *cli_sink_stdout(void);
/* A file that appears only when the sink is closed. NULL after a message. */
struct cli_sink *cli_sink_file(const char *path);
/* A file that is written behind what it holds. NULL after a message. */
struct cli_sink *cli_sink_append(const char *path);
/* An ice_write_fn; user is the sink. */
enum ice_status cli_sink_write(const char *data, size_t size, void *user);
/* Hand on what was written so far. */
void cli_sink_flush(struct cli_sink *sink);
bool cli_sink_is_terminal(const struct cli_sink *sink);
/* Close and put in place (keep), or throw away. 0, CLI_FAILED after a message,
 * CLI_PIPE_CLOSED. */
int cli_sink_close(struct cli_sink *sink, bool keep);
bool cli_sink_failed(const struct cli_sink *sink);

/* ---- inputs.c: what several tables share ---- */

/* Reads options.pointers once for all tables, into options.catalog; NULL where there are
 * none. The caller frees *out. 0, or an exit code after a message. */
int cli_open_catalog(struct cli *cli, struct ice_catalog **out);
/* How many of --pointer, and how many of --listing, are standard input. */
size_t cli_stdin_pointers(const struct cli *cli);
size_t cli_stdin_listings(const struct cli *cli);
void cli_say_stdin_twice(void);
/* The directory of the table at path: "metadata" and a file in it belong to the one
 * above. "" for "-" and NULL. */
const char *cli_directory_of(const char *path);

/* ---- rows_out.c: rows to stdout and to the files of -o ---- */

struct cli_rows {
    struct {
        struct ice_rows *rows;
        struct cli_sink *sink;
        enum cli_format format;
        const char *tail; /* written behind this one, tail_size bytes */
        size_t tail_size;
    } * items;
    size_t n;
    bool has_trouble;
    bool is_bad_column; /* a message was given */
    const char *tail;   /* written behind all, or NULL */
};
/* 0, or an exit code after a message. */
int cli_rows_open(const struct cli *cli, struct cli_rows *out);
/* An ice_row_fn and an ice_trouble_fn; user is the struct cli_rows. */
enum ice_status cli_rows_row(const struct ice_column *columns,
                             const struct ice_value *values, size_t n, void *user);
void cli_rows_trouble(const struct ice_error *trouble, void *user);
bool cli_rows_failed(const struct cli_rows *rows);
/* The answer has ended with status: notes and progress too, and a failure is said. Exit
 * bits. */
int cli_rows_answered(const struct cli_rows *rows, const char *path,
                      enum ice_status status, struct ice_error *err);
/* Ends the reports; code: what the run has so far. The exit code of the command. */
int cli_rows_close(struct cli_rows *rows, int code);

enum ice_format cli_library_format(enum cli_format format);

/* ---- findings_out.c: findings to stdout and to the files of -o ---- */

struct cli_target;
struct cli_findings {
    struct cli *cli;
    struct cli_target *targets;
    size_t n_targets;
    double started;         /* cli_seconds() of the table at hand */
    const char *path, *key; /* of the table at hand, as in ice_report_options */
};
/* 0, or an exit code after a message. batch: the files of -o alone. */
int cli_findings_open(struct cli *cli, struct cli_findings *out);
/* Where the files of the next table lie, as ice_report_directory. */
void cli_findings_directory(struct cli_findings *findings, const char *directory);
/* An ice_finding_fn; user is the struct cli_findings. */
enum ice_status cli_findings_one(const struct ice_finding *finding, void *user);
enum ice_status cli_findings_summary(struct cli_findings *findings,
                                     const struct ice_summary *summary);
/* Rows of history as lines of JSON, newest last; n_dropped came before them. */
struct cli_history {
    const char *rows;
    size_t size;
    uint64_t n_dropped;
};
/* batch_report.c: a table as a line of batch, and its commits. ICE_EFORMAT: it is none.
 */
enum ice_status cli_findings_line(struct cli_findings *findings, const char *text,
                                  size_t size, const struct cli_history *history);
/* batch_history.c: gives the reports those rows; nothing where there are none. */
enum ice_status cli_findings_history(struct cli_findings *findings,
                                     const struct cli_history *history);
/* What the reports show beside findings; NULL beyond the last. */
const char *cli_findings_want(const struct cli_findings *findings, size_t index);
/* As ice_report_answer and ice_report_row, which is an ice_row_fn. */
enum ice_status cli_findings_answer(struct cli_findings *findings, const char *what);
enum ice_status cli_findings_row(const struct ice_column *columns,
                                 const struct ice_value *values, size_t n, void *user);
bool cli_findings_failed(const struct cli_findings *findings);
/* Ends the reports; code: what the run has so far. The exit code of the command. */
int cli_findings_close(struct cli_findings *findings, int code);

/* ---- facts_out.c ---- */

/* Options for an answer behind a check: no notes, and nothing read that is read once. */
void cli_answer_quietly(struct ice_options *options);
/* on_trouble of such an answer: it says nothing, since the findings did. */
void cli_trouble_is_known(const struct ice_error *trouble, void *user);
/* Gives the reports what they want of the table at path, behind its findings. */
enum ice_status cli_findings_facts(struct cli_findings *findings, const char *path,
                                   const struct ice_options *options);

/* ---- pipes.c: false on a failure, or an end before size bytes ---- */

bool cli_write_all(int fd, const void *data, size_t size);
bool cli_read_all(int fd, void *data, size_t size);
/* What is there of it; both are moved on. */
bool cli_read_some(int fd, char **at, size_t *size);

/* ---- known_findings.c: --baseline and --write-baseline ---- */

/* 0, or an exit code after a message. */
int cli_baseline_open(struct cli *cli);
/* Findings of a child, as ice_baseline_write wrote them. */
void cli_baseline_take(struct cli *cli, const char *text, size_t size);
/* code: what the run has so far. The exit code of the command. */
int cli_baseline_close(struct cli *cli, int code);

/* ---- signals.c ---- */

void cli_signals_start(void);
bool cli_is_interrupted(void *unused); /* fits options.cancelled */
/* Files to be removed if the process ends at once, and no more. */
void cli_signals_remove(const char *path);
void cli_signals_keep(const char *path);
/* In a child: they are its parent's. */
void cli_signals_keep_all(void);
/* Without cleaning up but for those files; fit for a signal handler. */
_Noreturn void cli_end_at_once(int code);

/* ---- watch.c: notes and progress on stderr ---- */

/* Hang -v notes, progress and signals into cli->options. */
void cli_watch(struct cli *cli);
/* The next table begins: number counts from 1. n_tables 0: not known. */
void cli_watch_table(size_t number, size_t n_tables);
/* So many tables are done in children, with so many bytes read. */
void cli_watch_done(size_t n_tables, uint64_t bytes);
void cli_watch_end(void);
double cli_seconds(void); /* a monotonic clock */

/* ---- cloud.c ---- */

/* A cloud URI among the words: says how to copy it and returns true. recursive: -r was
 * given. */
bool cli_refuse_cloud(const struct cli *cli, bool recursive);

/* ---- table_failure.c ---- */

/* The summary of a table of which nothing came back: silence is no pass. Borrows its
 * texts, and must stay where it is. */
struct cli_failure {
    struct ice_not_evaluated line;
    struct ice_summary summary;
};
void cli_failure_of(struct cli_failure *out, const char *path, const char *name,
                    const char *why);

/* ---- tables_below.c: -r ---- */

struct cli_below;
struct cli_found {
    const char *path, *name; /* name: relative to the root, NULL for the root itself */
    bool is_table;
    const char *trouble; /* what could not be searched, or NULL */
};
struct cli_below *cli_below_open(const char *root);
/* The next table or trouble; false at the end or when interrupted. The strings of *out
 * live until the next call. */
bool cli_below_next(struct cli_below *below, struct cli_found *out);
void cli_below_free(struct cli_below *below);

/* ---- find.c ---- */

struct cli_paths {
    const char **paths, **names; /* names: of the table, NULL: derived */
    size_t n;
};
/* The PATHs of the call: words, --files-from, and tables below with -r. Exit bits. */
int cli_find_paths(const struct cli *cli, struct cli_paths *out);

#endif
