/* completion.h - writes the completion scripts of `muster` for bash, zsh and fish
 *
 * The scripts are made from the option tables of the commands: options, their choices,
 * and whether a value or an argument is a file, a folder or a job. */
#ifndef CLI_SHELL_COMPLETION_H
#define CLI_SHELL_COMPLETION_H

#include <stdio.h>

#include "lib/base/err.h"

extern const char
    *const completion_shells[]; /* the names of the shells, ended by NULL */

int completion_write(const char *shell, FILE *out, struct err *err);

#endif
