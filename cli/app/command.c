#include "cli/app/command.h"

#include <stddef.h>
#include <string.h>

static const struct command *const *all;

enum exit_code exit_code_of(enum err_code code)
{
    switch (code) {
    case ERR_INPUT:
    case ERR_LIMIT:
    case ERR_NOT_FOUND:
        return EXIT_USAGE;
    case ERR_UNREACHABLE:
    case ERR_DENIED:
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
