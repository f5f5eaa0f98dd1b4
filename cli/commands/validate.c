/* validate.c - prints all errors of job files, or the number of their tasks */
#include <inttypes.h>
#include <stdio.h>

#include "cli/app/command_options.h"
#include "cli/app/job_file.h"
#include "lib/job/job.h"

const struct command command_validate;

static int print_size(const struct job *job, const char *path, struct err *err)
{
    struct job_forecast forecast;

    if (job_forecast(job, &forecast, err) < 0) {
        fprintf(stderr, "%s: %s\n", path, err->text);
        return -1;
    }
    printf("%s: valid, %" PRIu64 " points, %" PRIu64 " tasks\n", path, forecast.points,
           forecast.tasks);
    return 0;
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
    .run = run,
};
