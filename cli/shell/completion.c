#include "cli/shell/completion.h"

#include <string.h>

#include "cli/shell/completion_internal.h"

const char *const completion_shells[] = {"bash", "zsh", "fish", NULL};

static const struct shell {
    void (*head)(FILE *out);
    verb_table_fn *command;
    void (*tail)(FILE *out);
} shells[] = {
    {completion_bash_head, completion_bash_command, completion_bash_tail},
    {completion_zsh_head, completion_zsh_command, completion_zsh_tail},
    {completion_fish_head, completion_fish_command, completion_fish_tail},
};

enum completion_kind completion_value_kind(const struct option_row *row)
{
    if (row->kind == OPTION_FLAG)
        return COMPLETION_NONE;
    if (row->kind == OPTION_CHOICE)
        return COMPLETION_WORDS;
    if (strcmp(row->value, "FILE") == 0 || strcmp(row->value, "PATH") == 0)
        return COMPLETION_FILE;
    if (strcmp(row->value, "DIR") == 0 || strcmp(row->value, "FOLDER") == 0)
        return COMPLETION_FOLDER;
    return COMPLETION_UNKNOWN;
}

enum completion_kind completion_argument_kind(const struct command *command)
{
    static const struct {
        const char *word;
        enum completion_kind kind;
    } kinds[] = {{"JOB", COMPLETION_JOB},
                 {"FILE", COMPLETION_FILE},
                 {"DIR", COMPLETION_FOLDER},
                 {"COMMAND", COMPLETION_COMMAND}};

    /* what stands behind the last bracket or space: "[--out DIR] JOB" wants a job */
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strstr(command->args, kinds[i].word))
            return kinds[i].kind;
    return COMPLETION_NONE;
}

void completion_quoted(const char *text, const char *escaped, FILE *out)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", out); /* and the quote itself opens again */
        else if (strchr(escaped, *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

int completion_write(const char *name, FILE *out, struct err *err)
{
    for (size_t i = 0; completion_shells[i]; i++) {
        if (strcmp(completion_shells[i], name) != 0)
            continue;
        shells[i].head(out);
        for (const struct command *const *it = commands; *it; it++)
            if (command_options_read_table(*it, shells[i].command, out, err) < 0)
                return -1;
        shells[i].tail(out);
        return 0;
    }
    return err_set(err, ERR_INPUT, "'%s' is no shell that is known: bash, zsh, fish",
                   name);
}
