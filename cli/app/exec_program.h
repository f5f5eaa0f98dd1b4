/* exec_program.h - commands that replace this process by another program of muster */
#ifndef CLI_APP_EXEC_PROGRAM_H
#define CLI_APP_EXEC_PROGRAM_H

#include "cli/app/command.h"
#include "lib/base/options.h"

/* Parses the options with the table of the program, then starts the program. `help` is
 * the target of --help in that table; at most `most` arguments may follow the options.
 * Returns only an exit code, or -1 with err. */
int exec_program_run(const struct command *command,
                     const char *name,
                     struct option_row *rows,
                     const bool *help,
                     size_t most,
                     int argc,
                     char **argv,
                     struct err *err);

#endif
