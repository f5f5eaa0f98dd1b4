/* retry.c - runs the failed and cancelled tasks of a job again */
#include <stdio.h>
#include <stdlib.h>

#include "cli/app/command_options.h"
#include "cli/app/job_file.h"
#include "cli/app/stored_job.h"
#include "cli/fleet/private_run.h"

const struct command command_retry;

static int send_request(const struct command_options *common,
                        const char *job_arg,
                        struct msg_retry *request,
                        struct err *err)
{
    struct client *client = NULL;
    const union any_message *reply;
    int result = client_open(&client, &common->client, err);

    if (result == 0)
        result = client_find_job(client, job_arg, &request->job_id, err);
    if (result == 0)
        result = client_request(client, MSG_RETRY, request, MSG_OK, &reply, err);
    if (result == 0)
        printf("%s: %s\n", job_arg, reply->ok.text);
    client_close(client);
    return result;
}

/* Starts a private fleet on the store of the job. */
static int run_on_private_fleet(struct private_run_options *options,
                                const char *job_arg,
                                struct msg_retry *request,
                                struct err *err)
{
    struct job_file file = {0};
    struct stored_job job;

    if (stored_job_find(&job, options->out, job_arg, err) < 0)
        return -1;
    int result = job_file_from_text(&file, job.yaml, job.key, err);
    if (result == 0) {
        request->job_id = options->resumed_id = job.job_id;
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
    struct private_run_options options = PRIVATE_RUN_INIT;
    struct msg_retry request = {0};
    struct option_texts classes = {0};
    char **args;
    const struct option_row rows[] = {
        {"failed", 0, OPTION_FLAG, &request.failed_only, NULL,
         "Retry failed tasks only, not cancelled tasks", NULL},
        {"class", 0, OPTION_TEXTS, &classes, "CLASS",
         "Retry only tasks with this cause: worker-lost, timeout, exit-code, signal, "
         "rank-missing, not-injected or nothing-profiled; repeatable (default: all)",
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
    result = client_is_named(&common.client)
                 ? send_request(&common, args[0], &request, err)
                 : run_on_private_fleet(&options, args[0], &request, err);
    free(classes.items);
    return result;
}

const struct command command_retry = {
    .name = "retry",
    .args = "[OPTIONS] JOB",
    .summary = "Run the failed and cancelled tasks of a job again",
    .details =
        "With a coordinator the tasks return to its queue, and the command ends at\n"
        "once; 'muster wait' waits for them. Without a coordinator the command runs\n"
        "them on a private fleet, with the store below --out. Results of finished\n"
        "tasks stay.\n" COMMAND_JOB_DETAILS,
    .run = run,
};
