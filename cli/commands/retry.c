/* retry.c - runs the failed and cancelled tasks of a job again */
#include <stdlib.h>

#include "cli/app/command_options.h"
#include "cli/confirm/gate_confirmation.h"
#include "cli/fleet/job_request.h"

const struct command command_retry;

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
         "rank-missing, not-injected, nothing-profiled or too-few-launches; repeatable "
         "(default: all)",
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
    options.retry = &request;
    options.confirm = gate_confirmation_run;
    request.classes = (struct text_list){classes.items, classes.count};
    result =
        job_request_run(&(struct job_request){MSG_RETRY, &request, &request.job_id},
                        &common.client, &options, args[0], err);
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
        "tasks stay.\n" COMMAND_ONE_JOB_DETAILS,
    .examples = "  muster retry --failed sweep-7\n"
                "  muster retry --failed --class worker-lost sweep-7",
    .run = run,
};
