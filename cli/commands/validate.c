/* validate.c - prints all errors of job files, or the number of their tasks */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/app/command_options.h"
#include "cli/app/job_file.h"
#include "cli/app/job_warnings.h"
#include "lib/base/text.h"
#include "lib/job/job.h"

const struct command command_validate;

static int print_size(const struct job *job, const char *path, struct err *err)
{
    struct job_forecast forecast;

    if (job_forecast(job, NULL, &forecast, err) < 0) {
        fprintf(stderr, "%s: %s\n", path, err->text);
        return -1;
    }
    printf("%s: valid, %" PRIu64 " point%s, %" PRIu64 " task%s\n", path,
           forecast.points, forecast.points == 1 ? "" : "s", forecast.tasks,
           forecast.tasks == 1 ? "" : "s");
    return 0;
}

static void print_warnings(const struct job *job, const char *path)
{
    char *folder = job_file_folder(path);
    struct text out = {0};

    if (folder)
        job_warnings_print(job, path, folder, &out);
    fflush(stdout);
    fputs(text_get(&out), stderr);
    text_clear(&out);
    free(folder);
}

static int validate(const char *path, struct err *err)
{
    struct problems problems = {0};
    struct job *job = NULL;
    int result = job_parse_file(&job, path, &problems, err);

    if (result == 0)
        result = print_size(job, path, err);
    else if (problems.count)
        job_file_print_problems(&problems, path);
    else
        fprintf(stderr, "%s\n", err->text);
    if (result == 0)
        print_warnings(job, path);
    problems_clear(&problems);
    job_destroy(job);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = {0};
    char **args;
    int code = EXIT_GOOD;
    const struct option_row rows[] = {
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_validate, rows, &options, argc, argv,
                                       &args, 1, SIZE_MAX, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    for (; *args; args++)
        if (validate(*args, err) < 0)
            code = exit_code_of(err->code);
    return code;
}

const struct command command_validate = {
    .name = "validate",
    .args = "FILE...",
    .summary = "Check job files and print all their errors",
    .details =
        "Errors have file, line, column and key; exit code 2. Warnings are about "
        "programs\n"
        "and kernel files that this host does not have, and about axes without use.\n\n"
        "A path with a slash in operator.command, kernel or library is relative to "
        "the\n"
        "folder of the job file; a name without one is found in the PATH of the "
        "worker.\n"
        "The program runs in operator.cwd, which is relative to the same folder.\n\n"
        "Metrics of profile.metrics: Default (all tables below), PipeUtilization,\n"
        "ArithmeticUtilization, L2Cache, Memory, MemoryL0, MemoryUB,\n"
        "ResourceConflictRatio, BasicInfo; and Occupancy, Roofline, MemoryDetail, "
        "Source,\n"
        "PcSampling, PipeTimeline, InstrTimeline, KernelScale; with tool: simulator\n"
        "TimelineDetail, PMSampling, OverHead and ResourceConflictRatio.\n\n"
        "  muster validate job.yaml\n"
        "  muster validate jobs/*.yaml",
    .run = run,
};
