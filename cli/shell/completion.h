/* completion.h - what a shell must know to complete `muster`, from the commands' tables
 *
 * Options, their choices, whether a value or an argument is a file, a folder or a job:
 * all of it is read off the table that the command itself parses by. */
#ifndef CLI_SHELL_COMPLETION_H
#define CLI_SHELL_COMPLETION_H

#include <stdio.h>

#include "lib/base/err.h"

extern const char *const completion_shells[]; /* bash, zsh, fish; ended by NULL */

int completion_write(const char *shell, FILE *out, struct err *err);

#endif
