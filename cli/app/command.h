/* command.h - a verb of `muster`, and the numbers with which the program ends
 *
 * A verb is a file cli/commands/NAME.c with its function and its descriptor; main.c
 * lists them, and the help is printed from that list. Result on stdout, everything else
 * on stderr.
 */
#ifndef CLI_APP_COMMAND_H
#define CLI_APP_COMMAND_H

#include "lib/base/err.h"

enum exit_code {
    EXIT_GOOD = 0,
    EXIT_SOME_FAILED = 1, /* some tasks failed */
    EXIT_USAGE = 2,       /* usage, or a bad job file */
    EXIT_UNREACHABLE = 3, /* no coordinator, or not allowed */
    EXIT_REGRESSION = 4,  /* slower than the baseline */
    EXIT_UNDECIDED = 5,   /* undecided or incomplete */
    EXIT_TIMEOUT = 6,
    EXIT_INTERNAL = 7, /* a bug, or the store could not be read or written */
    EXIT_INTERRUPTED = 130,
};

struct command {
    const char *name;
    const char *args;    /* as the usage line shows them */
    const char *summary; /* one line, no full stop */
    const char *details; /* more for its --help, or NULL */
    const char *const
        *words; /* what its first argument may be, ended by NULL; or NULL */
    /* argv[0] is the verb. The exit code; or -1 with err, whose text main prints and
     * whose code gives the exit code. */
    int (*run)(int argc, char **argv, struct err *err);
};

/* Returns the exit code for an error that a command returned. */
enum exit_code exit_code_of(enum err_code code);

/* Sets the list of all commands, ended by NULL and borrowed. main() calls this function
 * before it runs a command, so that help and completion can list all of them. */
void command_set_all(const struct command *const *commands);
const struct command *const *command_all(void);
/* Returns the command of this name, or NULL. */
const struct command *command_find(const char *name);

#endif
