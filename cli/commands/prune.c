/* prune.c - removes old jobs, or only their files */
#include "cli/prune/prune.h"

#include "cli/app/command_options.h"

const struct command command_prune;

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = COMMAND_OPTIONS_INIT;
    struct prune_options wanted = {0};
    char **args;
    const struct option_row rows[] = {
        {"older", 0, OPTION_DURATION, &wanted.older_ms, "TIME",
         "Only jobs that ended longer ago, such as 30d (default: all named jobs)",
         NULL},
        {"keep-figures", 0, OPTION_FLAG, &wanted.keep_figures, NULL,
         "Remove captures and files of launches, and keep the job, its figures and "
         "reports",
         NULL},
        {"yes", 'y', OPTION_FLAG, &wanted.yes, NULL,
         "Remove; without this option the jobs are only listed", NULL},
        {"out", 0, OPTION_TEXT, &options.out, "DIR", "Folder of results (default: out)",
         NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_prune, rows, &options, argc, argv,
                                       &args, 0, SIZE_MAX, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (!wanted.older_ms && !*args)
        return err_set(err, ERR_INPUT,
                       "pass --older with a time above 0, such as --older 30d, or name "
                       "jobs");
    wanted.out = options.out;
    wanted.jobs = args;
    wanted.format = (enum row_output_format)options.format;
    return prune(&wanted, err);
}

const struct command command_prune = {
    .name = "prune",
    .args = "[OPTIONS] [JOB...]",
    .summary = "Remove old jobs, or only their captures and files",
    .details =
        "Prints each job with its size on disk; --yes removes them. Jobs that have "
        "not\n"
        "ended and nights of baselines stay. No coordinator may use the store. When "
        "the\n"
        "command is killed, nothing is damaged; the next call removes the rest.\n\n"
        "  muster prune --older 30d                       list what would be removed\n"
        "  muster prune --older 30d --keep-figures --yes\n"
        "  muster prune sweep-7 --yes\n\n" COMMAND_ONE_JOB_DETAILS,
    .run = run,
};
