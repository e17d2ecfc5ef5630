/*
 * The child's end of --second-opinion: limits first, then one question after another. It
 * opens no file and starts no process; what it may take is bounded by the kernel.
 */
#include "cli/opinion.h"

#include "cli/batch_child.h"

#include <sys/resource.h>
#include <unistd.h>

/* The largest block that a check gives out, and a schema of the largest size. */
enum { MOST_BYTES = 1 << 30 };

/* So much CPU from now on; the signal behind it ends the process. */
static void limit_time(void) {
    struct rusage used;
    struct rlimit limit;
    if (getrusage(RUSAGE_SELF, &used) != 0 || getrlimit(RLIMIT_CPU, &limit) != 0)
        return;
    const rlim_t seconds = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 2;
    limit.rlim_cur = seconds + CLI_OPINION_SECONDS;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_CPU, &limit);
}

struct state {
    struct cli_avro_c *reader;
    struct cli_opinion_answer refusal; /* of the schema; has_none: it is refused */
};

/* schema, records and digests have the room that the question says. */
static bool answer_one(struct state *state, const struct cli_opinion_question *question,
                       char *schema, char *records, uint64_t *digests) {
    if (!cli_read_all(STDIN_FILENO, schema, (size_t)question->schema_bytes) ||
        !cli_read_all(STDIN_FILENO, records, (size_t)question->record_bytes))
        return false;
    limit_time();
    if (question->schema_bytes > 0) {
        state->refusal = (struct cli_opinion_answer){0};
        (void)cli_avro_c_schema(state->reader, schema, (size_t)question->schema_bytes,
                                &state->refusal);
    }
    struct cli_opinion_answer answer = state->refusal;
    if (!answer.has_none)
        cli_avro_c_read(state->reader, records, (size_t)question->record_bytes,
                        question->n_records, digests, &answer);
    return cli_write_all(STDOUT_FILENO, &answer, sizeof(answer)) &&
           cli_write_all(STDOUT_FILENO, digests,
                         (size_t)answer.n_records * sizeof(*digests));
}

static bool go_on(struct state *state) {
    struct cli_opinion_question question;
    if (!cli_read_all(STDIN_FILENO, &question, sizeof(question)) ||
        question.schema_bytes > MOST_BYTES || question.record_bytes > MOST_BYTES ||
        question.n_records > MOST_BYTES)
        return false;
    char *schema = cli_alloc((size_t)question.schema_bytes + 1, 1);
    char *records = cli_alloc((size_t)question.record_bytes + 1, 1);
    uint64_t *digests = cli_alloc((size_t)question.n_records + 1, sizeof(*digests));
    const bool good = answer_one(state, &question, schema, records, digests);
    cli_free(schema);
    cli_free(records);
    cli_free(digests);
    return good;
}

int cli_opinion_child(void) {
    const struct rlimit none = {0, 0};
    const struct cli cli = {.options = ICE_OPTIONS_INIT};
    struct state state = {.reader = cli_avro_c_open()};
    (void)setrlimit(RLIMIT_NOFILE, &none);
    (void)setrlimit(RLIMIT_FSIZE, &none);
    cli_sandbox(&cli); /* its answers keep standard output: no file can stand there */
    if (state.reader == NULL)
        return CLI_FAILED;
    while (go_on(&state))
        continue;
    return 0;
}
