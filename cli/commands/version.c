/* version.c - prints the version of muster */
#include <stdio.h>

#include "cli/app/command_options.h"

const struct command command_version;

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = {0};
    char **args;
    const struct option_row rows[] = {
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_version, rows, &options, argc, argv,
                                       &args, 0, 0, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    puts("muster " MUSTER_VERSION);
    return EXIT_GOOD;
}

const struct command command_version = {
    .name = "version",
    .args = "",
    .summary = "Print the version of muster",
    .examples = "  muster version",
    .run = run,
};
