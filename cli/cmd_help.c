/* cmd_help.c - all verbs, from their own descriptors */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

static int one(const char *name, struct err *err)
{
    for (const struct command *const *it = commands; *it; it++)
        if (strcmp((*it)->name, name) == 0)
            return (*it)->run(2, (char *[]){(char *)(*it)->name, "--help", NULL}, err);
    return err_set(err, ERR_INPUT, "unknown command '%s'", name);
}

static int run(int argc, char **argv, struct err *err)
{
    if (argc == 2 && strcmp(argv[1], "--help") != 0)
        return one(argv[1], err);
    if (argc > 1) {
        puts("usage: muster help [COMMAND]");
        return EXIT_GOOD;
    }
    puts("muster calls a fleet of NPUs to order: it runs operators over shapes and "
         "cards,\n"
         "replays each launch under the profiler, keeps what was captured, and "
         "reports.\n"
         "\n"
         "usage: muster COMMAND [ARGS]        muster COMMAND --help tells more\n");
    for (const struct command *const *it = commands; *it; it++)
        printf("  %-10s %s\n", (*it)->name, (*it)->summary);
    puts("\nFirst steps: muster run configs/examples/quickstart.yaml");
    return EXIT_GOOD;
}

const struct command command_help = {
    .name = "help",
    .args = "[COMMAND]",
    .summary = "this list, or what one command takes",
    .run = run,
};
