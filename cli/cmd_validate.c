/* cmd_validate.c - says all that is wrong with job files, or how much work they are */
#include <inttypes.h>
#include <stdio.h>

#include "base/options.h"
#include "cli/command.h"
#include "cli/job_file.h"
#include "job/job.h"

static int tell_good(const struct job *job, const char *path, struct err *err)
{
    struct job_forecast forecast;

    if (job_forecast(job, &forecast, err) < 0)
        return -1;
    printf("%s: good: %" PRIu64 " points, %" PRIu64 " tasks\n", path, forecast.points,
           forecast.tasks);
    return 0;
}

static int validate(const char *path, struct err *err)
{
    struct problems problems = {0};
    struct job *job = NULL;
    int result = job_parse_file(&job, path, &problems, err);

    if (result == 0)
        result = tell_good(job, path, err);
    else if (problems.count)
        job_file_tell(&problems, path);
    else
        fprintf(stderr, "%s\n", err->text);
    problems_clear(&problems);
    job_destroy(job);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    static bool help;
    static const struct option_row rows[] = {
        {"help", 'h', OPTION_FLAG, &help, NULL, "print this", NULL},
        {0},
    };
    char **args;
    int code = EXIT_GOOD;

    if (options_parse(rows, argc, argv, &args, err) < 0)
        return -1;
    if (help) {
        puts("usage: muster validate FILE...\n");
        options_print(rows, stdout);
        return EXIT_GOOD;
    }
    if (!*args)
        return err_set(err, ERR_INPUT, "which job file?");
    for (; *args; args++)
        if (validate(*args, err) < 0)
            code = exit_code_of(err->code);
    return code;
}

const struct command command_validate = {
    .name = "validate",
    .args = "FILE...",
    .summary = "check job files and say all that is wrong with them",
    .run = run,
};
