/*
 * check --second-opinion: Avro C in a child process decodes again what icefsck has
 * accepted. Two ends of a pair of pipes; same program, same machine: structs are sent as
 * they lie in memory.
 */
#ifndef ICE_CLI_OPINION_H
#define ICE_CLI_OPINION_H

#include "cli/cli.h"

enum {
    CLI_OPINION_SECONDS = 10,      /* of CPU that the child gets for a block */
    CLI_OPINION_WAIT_SECONDS = 60, /* of clock that its answer may take */
    CLI_OPINION_TEXT = 160,
};

/* What goes to the child; behind it the schema, then the records. */
struct cli_opinion_question {
    uint64_t schema_bytes; /* 0: the same as before */
    uint64_t record_bytes;
    uint64_t n_records;
};

/* What comes back; behind it n_records digests. */
struct cli_opinion_answer {
    uint64_t n_records;
    bool has_none;               /* no opinion: text says why */
    bool has_stopped;            /* text says at what */
    char text[CLI_OPINION_TEXT]; /* ends with NUL */
};

/* The first argument of the child. */
#define CLI_OPINION_ARGUMENT "--second-opinion-child"

/* Is this build able to? */
bool cli_opinion_is_built(void);
/* Hang it into the options; the child is started when it is asked first, and ends when
 * its pipe is closed. */
void cli_opinion_hang(struct ice_options *options);
/* ... or now, where no process can be started later. Nothing if it is not hung in. */
void cli_opinion_start(struct ice_options *options);

/* The child: answers questions from standard input until it ends. The exit code. */
int cli_opinion_child(void);
/* Digests of a block by Avro C, into *answer and the memory of out (n_records of them).
 */
struct cli_avro_c;
struct cli_avro_c *cli_avro_c_open(void);
bool cli_avro_c_schema(struct cli_avro_c *reader, const char *text, size_t size,
                       struct cli_opinion_answer *answer);
void cli_avro_c_read(struct cli_avro_c *reader, const char *records, size_t size,
                     uint64_t n_records, uint64_t *out,
                     struct cli_opinion_answer *answer);
const char *cli_avro_c_version(void);

#endif
