/* cancel.c - cancels the waiting tasks of jobs, and with --now the running ones */
#include <stdio.h>

#include "cli/app/command_options.h"
#include "cli/fleet/running_coordinator.h"

const struct command command_cancel;

static int cancel(struct client *client, char **words, bool now, struct err *err)
{
    const union any_message *reply;

    for (; *words; words++) {
        struct msg_cancel request = {.now = now};

        if (client_find_job(client, *words, &request.job_id, err) < 0 ||
            client_request(client, MSG_CANCEL, &request, MSG_OK, &reply, err) < 0)
            return -1;
        printf("%s: %s\n", *words, reply->ok.text);
    }
    return 0;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = COMMAND_OPTIONS_INIT;
    bool now = false;
    struct client *client = NULL;
    char **args;
    const struct option_row rows[] = {
        {"now", 0, OPTION_FLAG, &now, NULL,
         "Also stop running tasks (default: let them finish)", NULL},
        COMMAND_OPTIONS_LIVE_ROW(options),
        COMMAND_OPTIONS_CLIENT_ROWS(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_cancel, rows, &options, argc, argv,
                                       &args, 1, SIZE_MAX, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    int result = running_coordinator_open(&client, &options.client, options.out, err);
    if (result == 0)
        result = cancel(client, args, now, err);
    client_close(client);
    return result;
}

const struct command command_cancel = {
    .name = "cancel",
    .args = "JOB...",
    .summary = "Cancel the waiting tasks of jobs; running tasks finish",
    .details =

        COMMAND_JOB_DETAILS,
    .run = run,
};
