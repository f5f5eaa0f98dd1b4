/* cmd_wait.c - stays with a job until it ends; its exit code is the job's */
#include <stdio.h>

#include "cli/failures.h"
#include "cli/follow.h"
#include "cli/progress.h"
#include "cli/verb.h"

const struct command command_wait;

static int wait_for(struct client *client,
                    const char *word,
                    uint64_t timeout_ms,
                    bool quiet,
                    struct err *err)
{
    struct follow_options options = {.timeout_ms = timeout_ms};
    struct follow_result result;

    if (client_find_job(client, word, &options.job_id, err) < 0)
        return -1;
    options.progress = progress_create(quiet);
    int outcome = follow(client, &options, &result, err);
    progress_destroy(options.progress);
    if (outcome < 0)
        return -1;
    if (result.interrupted)
        return EXIT_INTERRUPTED;
    if (!result.final)
        return err_set(err, ERR_TIMEOUT, "%s has not ended yet: %s", word,
                       result.state);
    if (result.exit_code != 0)
        failures_tell(client, options.job_id);
    printf("%s %s %s/report.html\n", result.job_key, result.state, result.out);
    return (int)result.exit_code;
}

static int run(int argc, char **argv, struct err *err)
{
    struct verb verb = {0};
    uint64_t timeout_ms = UINT64_MAX;
    bool quiet = false;
    struct client *client = NULL;
    char **args;
    const struct option_row rows[] = {
        {"timeout", 't', OPTION_DURATION, &timeout_ms, "TIME",
         "give up after 10s, 5m, ...", NULL},
        {"quiet", 'q', OPTION_FLAG, &quiet, NULL, "no progress on stderr", NULL},
        VERB_CLIENT_ROWS(verb),
        VERB_HELP_ROW(verb),
        {0},
    };

    int parsed = verb_parse(&command_wait, rows, &verb, argc, argv, &args, 1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    int result = client_open(&client, &verb.client, err);
    if (result == 0)
        result = wait_for(client, args[0], timeout_ms, quiet, err);
    client_close(client);
    return result;
}

const struct command command_wait = {
    .name = "wait",
    .args = "JOB",
    .summary = "wait until a job has ended; ends with its exit code",
    .run = run,
};
