/* cmd_version.c - which muster this is */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

static int run(int argc, char **argv, struct err *err)
{
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        puts("usage: muster version");
        return EXIT_GOOD;
    }
    if (argc > 1)
        return err_set(err, ERR_INPUT, "takes no arguments, found '%s'", argv[1]);
    puts("muster " MUSTER_VERSION);
    return EXIT_GOOD;
}

const struct command command_version = {
    .name = "version",
    .args = "",
    .summary = "which muster this is",
    .run = run,
};
