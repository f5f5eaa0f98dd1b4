/* command.h - the descriptor of a command of `muster`, and the exit codes
 *
 * A command is a file cli/commands/NAME.c with its function and its descriptor.
 * commands.def lists the descriptors; help, manual pages and completions are printed
 * from that list. A command writes its result to stdout and everything else to stderr.
 */
#ifndef CLI_APP_COMMAND_H
#define CLI_APP_COMMAND_H

#include "lib/base/err.h"

enum exit_code {
    EXIT_GOOD = 0,
    EXIT_SOME_FAILED = 1, /* some tasks failed */
    EXIT_USAGE = 2,       /* wrong usage or an invalid job file */
    EXIT_UNREACHABLE = 3, /* the coordinator does not reply or denies the request */
    EXIT_REGRESSION = 4,  /* a comparison found a regression */
    EXIT_UNDECIDED = 5,   /* tasks were cancelled, or a comparison is undecided */
    EXIT_TIMEOUT = 6,
    EXIT_INTERNAL = 7, /* a bug, or the store could not be read or written */
    EXIT_INTERRUPTED = 130,
};

struct command {
    const char *name;
    const char *args;           /* arguments for the usage line */
    const char *summary;        /* one line without a full stop */
    const char *details;        /* more lines for --help, or NULL */
    const char *examples;       /* lines for --help, or NULL: the details have some */
    const char *const *choices; /* of the first argument, ended by NULL; or NULL */
    /* argv[0] is the name. Returns the exit code, or -1 with err: then main() prints
     * err and returns exit_code_of() its code. */
    int (*run)(int argc, char **argv, struct err *err);
};

/* The meaning of each exit code; ends with a NULL text. */
extern const struct exit_text {
    enum exit_code code;
    const char *text;
} exit_texts[];

/* Returns the exit code for an error that a command returned. */
enum exit_code exit_code_of(enum err_code code);

/* Sets the list of all commands, ended by NULL and borrowed. main() calls this function
 * before it runs a command, so that help and completion can list all of them. */
void command_set_all(const struct command *const *commands);
const struct command *const *command_all(void);
/* Returns the command of this name, or NULL. */
const struct command *command_find(const char *name);

#endif
