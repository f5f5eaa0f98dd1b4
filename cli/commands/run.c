/* run.c - runs a job file on a private fleet and writes its report */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/app/command_options.h"
#include "cli/app/job_file.h"
#include "cli/app/job_template.h"
#include "cli/capture/out_folder.h"
#include "cli/confirm/gate_confirmation.h"
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

/* Divides the words at "--" and returns the program behind it, or NULL. */
static char **take_program(int *argc, char **argv)
{
    for (int i = 1; i < *argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            *argc = i;
            argv[i] = NULL;
            return argv + i + 1;
        }
    return NULL;
}

/* Makes a job of a program, which runs in the current folder. */
static int
open_program(struct job_file *file, struct job_template *job, struct err *err)
{
    char *folder = getcwd(NULL, 0);

    if (!folder)
        return err_errno(err, "reading the name of the current folder");
    job->folder = folder;
    char *yaml = job_template_write(job);
    int result = job_file_from_text(file, yaml, "command line", err);
    if (result == 0)
        file->folder = folder;
    else
        free(folder);
    free(yaml);
    return result;
}

static int
open_job(struct job_file *file, struct job_template *job, char **args, struct err *err)
{
    if (job->words && *args)
        return err_set(err, ERR_INPUT,
                       "'%s' is in front of '-- PROGRAM'; pass either a job file or a "
                       "program",
                       *args);
    if (job->words && !*job->words)
        return err_set(err, ERR_INPUT, "no program behind '--'; name one");
    if (job->words)
        return open_program(file, job, err);
    if (!*args)
        return err_set(err, ERR_INPUT,
                       "an argument is missing; usage: muster run %s, or muster run "
                       "[OPTIONS] -- PROGRAM [ARGS...]",
                       command_run.args);
    if (job->metrics || job->ranks)
        return err_set(err, ERR_INPUT,
                       "%s is for '-- PROGRAM'; a job file has its own key %s",
                       job->metrics ? "--metrics" : "--ranks",
                       job->metrics ? "profile.metrics" : "operator.ranks");
    return job_file_open(file, *args, err);
}

static int run(int argc, char **argv, struct err *err)
{
    struct job_template job = {.words = take_program(&argc, argv)};
    struct command_options common = COMMAND_OPTIONS_INIT;
    struct private_run_options options = PRIVATE_RUN_INIT;
    struct job_file file = {0};
    char **args;
    const struct option_row rows[] = {
        {"metrics", 'm', OPTION_TEXT, &job.metrics, "LIST",
         "Metrics of '-- PROGRAM', divided by commas (default: Default)", NULL},
        {"ranks", 0, OPTION_COUNT, &job.ranks, "N",
         "Cards of '-- PROGRAM', with one process each (default: 1)", NULL},
        PRIVATE_RUN_ROWS(options),
        COMMAND_OPTIONS_HELP_ROW(common),
        {0},
    };

    int result = command_options_parse(&command_run, rows, &common, argc, argv, &args,
                                       0, 1, err);
    if (result)
        return result < 0 ? -1 : EXIT_GOOD;
    if (open_job(&file, &job, args, err) < 0)
        return -1;
    find_unfinished(options.out);
    out_folder_warn(command_run.name, options.out);
    options.confirm = gate_confirmation_run;
    result = private_run(&options, &file, err);
    job_file_clear(&file);
    return result;
}

const struct command command_run = {
    .name = "run",
    .args = "[OPTIONS] FILE",
    .summary = "Run a job file or a program on a private fleet and write its report",
    .details =
        "Starts a coordinator and one worker per card for this job, and stops them\n"
        "at its end. Progress goes to stderr, the path of the report to stdout.\n"
        "After Ctrl-C no task starts, and running tasks have the time of --grace to\n"
        "end. A second Ctrl-C or the end of that time stops them. Captured data is\n"
        "parsed and reported in each case. Exit codes: 0 all tasks done, 1 some\n"
        "tasks failed, 2 invalid job file, 5 incomplete, 130 interrupted.\n\n"
        "  muster run job.yaml\n"
        "  muster run --hardware --cards 4 job.yaml\n"
        "  muster run -- ./matmul --m 512     without a job file, in this folder\n"
        "  muster run --metrics Roofline --ranks 2 -- ./all_reduce",
    .run = run,
};
