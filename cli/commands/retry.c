/* retry.c - runs again what failed of a job, and only that */
#include <stdio.h>
#include <stdlib.h>

#include "cli/app/command_options.h"
#include "cli/app/job_file.h"
#include "cli/app/stored_job.h"
#include "cli/fleet/private_run.h"

const struct command command_retry;

static int ask(const struct command_options *common,
               const char *word,
               struct msg_retry *request,
               struct err *err)
{
    struct client *client = NULL;
    const union any_message *answer;
    int result = client_open(&client, &common->client, err);

    if (result == 0)
        result = client_find_job(client, word, &request->job_id, err);
    if (result == 0)
        result = client_ask(client, MSG_RETRY, request, MSG_OK, &answer, err);
    if (result == 0)
        printf("%s: %s\n", word, answer->ok.text);
    client_close(client);
    return result;
}

/* On a fleet of our own, from the store that the job was run with. */
static int run_again(struct private_run *options,
                     const char *word,
                     struct msg_retry *request,
                     struct err *err)
{
    struct job_file file = {0};
    struct stored_job job;

    if (stored_job_find(&job, options->out, word, err) < 0)
        return -1;
    int result = job_file_from_text(&file, job.yaml, job.key, err);
    if (result == 0) {
        request->job_id = options->resumed = job.job_id;
        options->retry = request;
        result = private_run(options, &file, err);
        job_file_clear(&file);
    }
    stored_job_clear(&job);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options common = COMMAND_OPTIONS_INIT;
    struct private_run options = PRIVATE_RUN_INIT;
    struct msg_retry request = {0};
    struct option_texts classes = {0};
    char **args;
    const struct option_row rows[] = {
        {"failed", 0, OPTION_FLAG, &request.failed_only, NULL,
         "what failed only, not what was cancelled", NULL},
        {"class", 0, OPTION_TEXTS, &classes, "CLASS",
         "what failed so only: worker-lost, timeout, exit-code, signal, rank-missing, "
         "not-injected; may be said several times",
         NULL},
        PRIVATE_RUN_ROWS(options),
        COMMAND_OPTIONS_CLIENT_ROWS(common),
        COMMAND_OPTIONS_HELP_ROW(common),
        {0},
    };

    int result = command_options_parse(&command_retry, rows, &common, argc, argv, &args,
                                       1, 1, err);
    if (result)
        return result < 0 ? -1 : EXIT_GOOD;
    request.classes = (struct text_list){classes.items, classes.count};
    result = client_is_named(&common.client) ? ask(&common, args[0], &request, err)
                                           : run_again(&options, args[0], &request, err);
    free(classes.items);
    return result;
}

const struct command command_retry = {
    .name = "retry",
    .args = "[OPTIONS] JOB",
    .summary = "run again what failed of a job or was cancelled, and only that",
    .details =
        "With a coordinator these tasks wait again, and 'muster wait' stays with "
        "them.\n"
        "Without one the job is taken from the store below --out and run on a private\n"
        "fleet, to its report. What is done stays; attempts go on counting.",
    .run = run,
};
