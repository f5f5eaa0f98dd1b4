/* main.c - `muster COMMAND ...`: runs a command and prints its error */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/app/command.h"
#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

#define COMMAND(name) extern const struct command command_##name;
#include "cli/commands/commands.def"
#undef COMMAND

static const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "cli/commands/commands.def"
#undef COMMAND
    NULL,
};

static const char *nearest(const char *name)
{
    const char *names[64] = {NULL};

    for (size_t i = 0; commands[i] && i + 1 < COUNT(names); i++)
        names[i] = commands[i]->name;
    return text_nearest(name, names);
}

/* Flushes stdout. A closed pipe is no error, because its reader has read enough. */
static bool flush_result(struct err *err)
{
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE)
        return true;
    err_errno(err, "writing the result to stdout");
    return false;
}

int main(int argc, char **argv)
{
    struct err err = {0};
    const char *name = argc > 1 ? argv[1] : "help";

    command_set_all(commands);
    fd_open_standard();
    log_open("muster", LOG_WARNING);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0)
        name = "version";

    const struct command *command = command_find(name);
    if (!command) {
        const char *near = nearest(name);

        fprintf(stderr, "muster: unknown command '%s'", name);
        if (near)
            fprintf(stderr, " (did you mean '%s'?)", near);
        fputs("; 'muster help' lists the commands\n", stderr);
        return EXIT_USAGE;
    }
    int result = argc > 1 ? command->run(argc - 1, argv + 1, &err)
                          : command->run(1, (char *[]){"help", NULL}, &err);
    if (result == 0 && !flush_result(&err))
        result = -1;
    if (result >= 0)
        return result;
    fprintf(stderr, "muster %s: %s\n", command->name, err.text);
    return exit_code_of(err.code);
}
