#include "cli/app/command.h"

#include <stddef.h>
#include <string.h>

static const struct command *const *all;

const struct exit_text exit_texts[] = {
    {EXIT_GOOD, "Success; for a job: all tasks are done"},
    {EXIT_SOME_FAILED, "Some tasks failed, or a check found a problem"},
    {EXIT_USAGE, "Wrong usage, or an invalid job file or other input"},
    {EXIT_UNREACHABLE, "The coordinator does not reply, or denies the request"},
    {EXIT_REGRESSION, "A comparison found a regression"},
    {EXIT_UNDECIDED, "Incomplete: tasks were cancelled, or a comparison is undecided"},
    {EXIT_TIMEOUT, "A time limit was reached"},
    {EXIT_INTERNAL, "An internal error, or the store could not be read or written"},
    {EXIT_INTERRUPTED, "Interrupted by a signal, such as Ctrl-C"},
    {0, NULL},
};

enum exit_code exit_code_of(enum err_code code)
{
    switch (code) {
    case ERR_INPUT:
    case ERR_LIMIT:
    case ERR_NOT_FOUND:
        return EXIT_USAGE;
    case ERR_UNREACHABLE:
    case ERR_DENIED:
    case ERR_CONFLICT:
        return EXIT_UNREACHABLE;
    case ERR_TIMEOUT:
        return EXIT_TIMEOUT;
    default:
        return EXIT_INTERNAL;
    }
}

void command_set_all(const struct command *const *commands)
{
    all = commands;
}

const struct command *const *command_all(void)
{
    return all;
}

const struct command *command_find(const char *name)
{
    for (const struct command *const *it = all; *it; it++)
        if (strcmp((*it)->name, name) == 0)
            return *it;
    return NULL;
}
