/* cancel.c - cancels the waiting tasks of jobs, and with --now the running ones */
#include <stdio.h>
#include <stdlib.h>

#include "cli/app/command_options.h"
#include "cli/fleet/running_coordinator.h"
#include "cli/query/job_search.h"
#include "lib/base/mem.h"

const struct command command_cancel;

/* Finds all jobs first, so a wrong word cancels nothing. */
static int
find_jobs(struct client *client, char **words, uint64_t *ids, struct err *err)
{
    for (size_t i = 0; words[i]; i++)
        if (job_search_client(client, words[i], JOB_CHOICE_ONLY, &ids[i], err) < 0)
            return err_wrap(err, "nothing was cancelled");
    return 0;
}

static int cancel(struct client *client,
                  char **words,
                  const uint64_t *ids,
                  bool now,
                  struct err *err)
{
    const union any_message *reply;

    for (size_t i = 0; words[i]; i++) {
        const struct msg_cancel request = {.job_id = ids[i], .now = now};

        if (client_request(client, MSG_CANCEL, &request, MSG_OK, &reply, err) < 0)
            return err_wrap(err, "%s", words[i]);
        printf("%s: %s\n", words[i], reply->ok.text);
    }
    return 0;
}

static size_t count_words(char **words)
{
    size_t count = 0;

    while (words[count])
        count++;
    return count;
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
    uint64_t *ids = xcalloc(count_words(args), sizeof(*ids));
    if (result == 0)
        result = find_jobs(client, args, ids, err);
    if (result == 0)
        result = cancel(client, args, ids, now, err);
    free(ids);
    client_close(client);
    return result;
}

const struct command command_cancel = {
    .name = "cancel",
    .args = "JOB...",
    .summary = "Cancel the waiting tasks of jobs; running tasks finish",
    .details = COMMAND_ONE_JOB_DETAILS,
    .examples = "  muster cancel sweep-7\n"
                "  muster cancel --now sweep-7 sweep-8",
    .run = run,
};
