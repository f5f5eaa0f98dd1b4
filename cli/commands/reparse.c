/* reparse.c - parses the stored captures of a job again, without measuring again */
#include <stdio.h>

#include "cli/app/command_options.h"
#include "cli/app/job_file.h"
#include "cli/app/stored_job.h"
#include "cli/fleet/private_run.h"

const struct command command_reparse;

static int send_request(const struct command_options *common,
                        const char *job_arg,
                        struct msg_reparse *request,
                        struct err *err)
{
    struct client *client = NULL;
    const union any_message *reply;
    int result = client_open(&client, &common->client, err);

    if (result == 0)
        result = client_find_job(client, job_arg, &request->job_id, err);
    if (result == 0)
        result = client_request(client, MSG_REPARSE, request, MSG_OK, &reply, err);
    if (result == 0)
        printf("%s: %s\n", job_arg, reply->ok.text);
    client_close(client);
    return result;
}

/* Starts a private coordinator on the store of the job, and no worker. */
static int run_on_private_fleet(struct private_run_options *options,
                                const char *job_arg,
                                struct msg_reparse *request,
                                struct err *err)
{
    struct job_file file = {0};
    struct stored_job job;

    if (stored_job_find(&job, options->out, job_arg, err) < 0)
        return -1;
    int result = job_file_from_text(&file, job.yaml, job.key, err);
    if (result == 0) {
        request->job_id = options->resumed_id = job.job_id;
        options->reparse = request;
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
    struct msg_reparse request = {0};
    char **args;
    const struct option_row rows[] = {
        {"all", 'a', OPTION_FLAG, &request.all, NULL,
         "Also parse results again that were parsed completely", NULL},
        {"out", 0, OPTION_TEXT, &options.out, "DIR",
         "Folder for results, reports and the store (default: out)", NULL},
        {"quiet", 'q', OPTION_FLAG, &options.quiet, NULL, "Print no progress to stderr",
         NULL},
        COMMAND_OPTIONS_CLIENT_ROWS(common),
        COMMAND_OPTIONS_HELP_ROW(common),
        {0},
    };

    int result = command_options_parse(&command_reparse, rows, &common, argc, argv,
                                       &args, 1, 1, err);
    if (result)
        return result < 0 ? -1 : EXIT_GOOD;
    return client_is_named(&common.client)
               ? send_request(&common, args[0], &request, err)
               : run_on_private_fleet(&options, args[0], &request, err);
}

const struct command command_reparse = {
    .name = "reparse",
    .args = "[OPTIONS] JOB",
    .summary = "Parse the stored captures of a job again, without measuring again",
    .details =
        "Parses the latest attempt of each task whose captures are stored and were\n"
        "not parsed completely, for example because the disk was full. With --all\n"
        "every task is parsed again, for example by a newer version of muster. Files,\n"
        "figures and reports are replaced. A task whose operator ended well is done\n"
        "afterwards; a task whose operator failed stays failed, with the figures of\n"
        "its complete launches. The job must have ended. With a coordinator the\n"
        "command ends at once; 'muster wait' waits for the job.\n" COMMAND_JOB_DETAILS,
    .run = run,
};
