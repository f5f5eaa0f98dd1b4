/* cmd_submit.c - hands a job to a coordinator, and does not wait for it */
#include <stdio.h>

#include "cli/forecast.h"
#include "cli/job_file.h"
#include "cli/verb.h"

const struct command command_submit;

static int submit(const struct verb *verb, const char *path, struct err *err)
{
    struct job_file file = {0};
    struct client *client = NULL;
    uint64_t job_id, tasks;
    struct forecast forecast;
    char key[128];

    if (job_file_open(&file, path, err) < 0)
        return -1;
    int result = forecast_make(&forecast, file.job, &verb->client, "", 0, err);
    if (result == 0) {
        forecast_tell(&forecast, stderr);
        result = client_open(&client, &verb->client, err);
    }
    if (result == 0)
        result = job_file_submit(&file, client, &job_id, key, sizeof(key), &tasks, err);
    if (result == 0) {
        printf("%s\n", key);
        fprintf(stderr, "%s: submitted, %llu tasks; muster wait %s\n", key,
                (unsigned long long)tasks, key);
    }
    client_close(client);
    job_file_clear(&file);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct verb verb = {0};
    char **args;
    const struct option_row rows[] = {
        VERB_CLIENT_ROWS(verb),
        VERB_HELP_ROW(verb),
        {0},
    };

    int parsed = verb_parse(&command_submit, rows, &verb, argc, argv, &args, 1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    return submit(&verb, args[0], err);
}

const struct command command_submit = {
    .name = "submit",
    .args = "FILE",
    .summary = "hand a job file to a coordinator; prints the job's key",
    .run = run,
};
