#include "cli/app/exec_program.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/app/command_options.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"

static int exec_program(const char *name, char **argv, struct err *err)
{
    char path[PATH_MAX];

    if (file_next_to_program(path, sizeof(path), name, err) < 0)
        return -1;
    argv[0] = path;
    execv(path, argv);
    return err_errno(err, "starting %s", path);
}

int exec_program_run(const struct command *command,
                     const char *name,
                     struct option_row *rows,
                     const bool *help,
                     size_t most,
                     int argc,
                     char **argv,
                     struct err *err)
{
    struct command_options options = {0};
    char **original_argv = xmemdup(argv, ((size_t)argc + 1) * sizeof(*argv)), **args;

    for (struct option_row *row = rows; row->name; row++)
        if (row->target == help)
            row->target = &options.help; /* a options's own way */
    int result =
        command_options_parse(command, rows, &options, argc, argv, &args, 0, most, err);
    if (result == 0)
        result = exec_program(name, original_argv, err);
    else if (result > 0)
        result = EXIT_GOOD;
    free(original_argv);
    return result;
}
