/* run.c - runs a job file on a private fleet and writes its report */
#include <stdio.h>
#include <stdlib.h>

#include "cli/app/command_options.h"
#include "cli/app/job_file.h"
#include "cli/capture/out_folder.h"
#include "cli/fleet/private_run.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/store/store.h"

const struct command command_run;

static int print_unfinished(const struct store_job *job, void *arg, struct err *err)
{
    (void)arg;
    (void)err;
    if (!job_state_is_final(job->state))
        fprintf(
            stderr,
            "muster run: job %s of an earlier run has not ended and continues too\n",
            job->key);
    return 0;
}

/* Reports jobs of the store that have not ended. Errors are left to the coordinator,
 * which opens the same store. */
static void find_unfinished(const char *out)
{
    char *folder = xasprintf("%s/store", out);
    struct store *store = NULL;
    struct err none;

    if (store_open(&store, folder, STORE_READ, &none) == 0)
        store_each_job(store, 0, print_unfinished, NULL, &none);
    store_close(store);
    free(folder);
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options common = COMMAND_OPTIONS_INIT;
    struct private_run_options options = PRIVATE_RUN_INIT;
    struct job_file file = {0};
    char **args;
    const struct option_row rows[] = {
        PRIVATE_RUN_ROWS(options),
        COMMAND_OPTIONS_HELP_ROW(common),
        {0},
    };

    int result = command_options_parse(&command_run, rows, &common, argc, argv, &args,
                                       1, 1, err);
    if (result)
        return result < 0 ? -1 : EXIT_GOOD;
    if (job_file_open(&file, args[0], err) < 0)
        return -1;
    find_unfinished(options.out);
    out_folder_warn(command_run.name, options.out);
    result = private_run(&options, &file, err);
    job_file_clear(&file);
    return result;
}

const struct command command_run = {
    .name = "run",
    .args = "[OPTIONS] FILE",
    .summary = "Run a job on a private fleet and write its report",
    .details =
        "Starts a coordinator and one worker per card for this job, and stops them\n"
        "at its end. Progress goes to stderr, the path of the report to stdout.\n"
        "After Ctrl-C no task starts, and running tasks have the time of --grace to\n"
        "end. A second Ctrl-C or the end of that time stops them. Captured data is\n"
        "parsed and reported in each case. Exit codes: 0 all tasks done, 1 some\n"
        "tasks failed, 2 invalid job file, 5 incomplete, 130 interrupted.",
    .run = run,
};
