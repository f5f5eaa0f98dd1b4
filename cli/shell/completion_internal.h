/* completion_internal.h - shared by the completions of all shells; for completion*.c */
#ifndef CLI_SHELL_COMPLETION_INTERNAL_H
#define CLI_SHELL_COMPLETION_INTERNAL_H

#include <stdio.h>

#include "cli/app/command_options.h"

enum completion_kind {
    COMPLETION_NONE, /* no value, or no arguments */
    COMPLETION_UNKNOWN,
    COMPLETION_WORDS,
    COMPLETION_FILE,
    COMPLETION_FOLDER,
    COMPLETION_JOB,
    COMPLETION_COMMAND,
};

/* Return what to suggest for the value of an option and for an argument. */
enum completion_kind completion_value_kind(const struct option_row *row);
enum completion_kind completion_argument_kind(const struct command *command);
/* Writes text for single quotes, with a backslash before each character of `escaped`.
 */
void completion_quoted(const char *text, const char *escaped, FILE *out);

/* The script of a shell consists of a head, a part per command, and a tail. */
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
