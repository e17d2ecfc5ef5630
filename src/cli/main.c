/*
 * The command icefsck: start, dispatch, end.
 */
#include "cli/opinion.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int (*const runs[])(struct cli *) = {
#define CLI_COMMAND(id, name, run, arguments, about, exit_1) run,
#include "cli/commands.def"
#undef CLI_COMMAND
};

void cli_out_of_memory(void) {
    static const char text[] = "icefsck: out of memory\n";
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    cli_end_at_once(CLI_FAILED);
}

/* A file opened later must not get the number of a standard stream that was closed. */
static bool fill_standard_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY) != fd)
            return false;
    }
    return true;
}

static int run(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], CLI_OPINION_ARGUMENT) == 0)
        return cli_opinion_child();
    struct cli cli = {.options = ICE_OPTIONS_INIT, .min_severity = ICE_WARN};
    int code = cli_parse(&cli, argc, argv);
    if (code != 0)
        return code;
    if (cli.wants_help)
        return cli_help(&cli);
    if (cli.wants_version)
        return cli_version(&cli);
    if (argc == 1) {
        cli_say("nothing to do; see icefsck --help, or: icefsck check ./orders");
        return CLI_USAGE;
    }
    code = runs[cli.command](&cli);
    return cli_is_interrupted(NULL) && code != CLI_PIPE_CLOSED ? CLI_INTERRUPTED : code;
}

int main(int argc, char **argv) {
    if (!fill_standard_streams())
        return CLI_FAILED;
    cli_signals_start();
    int code = run(argc, argv);
    cli_free_all();
    return code;
}
