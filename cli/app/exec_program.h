/* exec_program.h - verbs that become another program of ours, whose options they share
 */
#ifndef CLI_APP_EXEC_PROGRAM_H
#define CLI_APP_EXEC_PROGRAM_H

#include "cli/app/command.h"
#include "lib/base/options.h"

/* `help` is the target of the row of that name in the program's own table. Comes back
 * only with an exit code, or -1. */
int exec_program_run(const struct command *command,
                     const char *name,
                     struct option_row *rows,
                     const bool *help,
                     int argc,
                     char **argv,
                     struct err *err);

#endif
