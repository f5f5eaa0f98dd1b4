/* reparse.c - parses the stored captures of a job again, without measuring again */
#include "cli/app/command_options.h"
#include "cli/fleet/job_request.h"

const struct command command_reparse;

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
    options.reparse = &request;
    return job_request_run(
        &(struct job_request){MSG_REPARSE, &request, &request.job_id}, &common.client,
        &options, args[0], err);
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
        "command ends at once; 'muster wait' waits for the "
        "job.\n" COMMAND_ONE_JOB_DETAILS,
    .examples = "  muster reparse sweep-7\n"
                "  muster reparse --all sweep-7",
    .run = run,
};
