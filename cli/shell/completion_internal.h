/* completion_internal.h - what the shells' completions share; for completion*.c alone
 */
#ifndef CLI_SHELL_COMPLETION_INTERNAL_H
#define CLI_SHELL_COMPLETION_INTERNAL_H

#include <stdio.h>

#include "cli/app/command_options.h"

enum completion_kind {
    COMPLETION_NONE, /* there is no value, or there are no arguments */
    COMPLETION_UNKNOWN,
    COMPLETION_WORDS,
    COMPLETION_FILE,
    COMPLETION_FOLDER,
    COMPLETION_JOB,
    COMPLETION_COMMAND,
};

enum completion_kind completion_value_kind(const struct option_row *row);
enum completion_kind completion_argument_kind(const struct command *command);
/* Inside single quotes, with a backslash before each letter of `escaped`. */
void completion_quoted(const char *text, const char *escaped, FILE *out);

/* A shell's file: its head, a piece a command, its tail. */
void completion_bash_head(FILE *out);
void completion_bash_command(const struct command *command,
                             const struct option_row *rows,
                             void *out);
void completion_bash_tail(FILE *out);
void completion_zsh_head(FILE *out);
void completion_zsh_command(const struct command *command,
                            const struct option_row *rows,
                            void *out);
void completion_zsh_tail(FILE *out);
void completion_fish_head(FILE *out);
void completion_fish_command(const struct command *command,
                             const struct option_row *rows,
                             void *out);
void completion_fish_tail(FILE *out);

#endif
