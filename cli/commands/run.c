/* run.c - a job from its file to its report, on a private fleet */
#include <stdio.h>
#include <stdlib.h>

#include "cli/app/command_options.h"
#include "cli/app/job_file.h"
#include "cli/fleet/private_run.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/store/store.h"

const struct command command_run;

static int tell_unfinished(const struct store_job *job, void *arg, struct err *err)
{
    (void)arg;
    (void)err;
    if (!job_state_is_final(job->state))
        fprintf(stderr, "%s of an earlier run is unfinished, and goes on too\n",
                job->key);
    return 0;
}

/* A store that is not there, or cannot be read, is for the coordinator to judge. */
static void look_for_unfinished(const char *out)
{
    char *folder = xasprintf("%s/store", out);
    struct store *store = NULL;
    struct err none;

    if (store_open(&store, folder, STORE_READ, &none) == 0)
        store_each_job(store, 0, tell_unfinished, NULL, &none);
    store_close(store);
    free(folder);
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options common = COMMAND_OPTIONS_INIT;
    struct private_run options = PRIVATE_RUN_INIT;
    struct job_file file = {0};
    char **args;
    const struct option_row rows[] = {
        PRIVATE_RUN_ROWS(options),
        COMMAND_OPTIONS_HELP_ROW(common),
        {0},
    };

    int result =
        command_options_parse(&command_run, rows, &common, argc, argv, &args, 1, 1, err);
    if (result)
        return result < 0 ? -1 : EXIT_GOOD;
    if (job_file_open(&file, args[0], err) < 0)
        return -1;
    look_for_unfinished(options.out);
    result = private_run(&options, &file, err);
    job_file_clear(&file);
    return result;
}

const struct command command_run = {
    .name = "run",
    .args = "[OPTIONS] FILE",
    .summary = "run a job on a private fleet, to its report",
    .details =
        "Progress goes to stderr, the path of the report to stdout. After Ctrl-C "
        "nothing\n"
        "more starts, and what runs has a grace to end by itself; Ctrl-C again, or "
        "the\n"
        "end of the grace, ends it. What was captured is parsed and reported either "
        "way.\n"
        "Exit codes: 0 good, 1 some tasks failed, 2 a bad job file, 5 incomplete,\n"
        "130 interrupted.",
    .run = run,
};
