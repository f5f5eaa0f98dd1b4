#include <string.h>

#include "cli/shell/completion_internal.h"
#include "lib/base/mem.h"

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

    for (size_t i = 0; i < COUNT(kinds); i++)
        if (strstr(command->args, kinds[i].word))
            return kinds[i].kind;
    return COMPLETION_NONE;
}

void completion_quoted(const char *text, const char *escaped, FILE *out)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", out); /* the next character opens the quotes again */
        else if (strchr(escaped, *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}
