/* cmd_list.c - all jobs, or all workers, of a coordinator */
#include "cli/rows.h"
#include "cli/verb.h"

static const char *const job_columns[] = {
    "job_key", "state",     "tasks", "waiting",           "running", "done",
    "failed",  "cancelled", "user",  "submitted_wall_ns", NULL,
};
static const char *const worker_columns[] = {
    "host",    "card",      "model",       "simulated", "state",
    "job_key", "silent_ms", "ranks_ended", NULL,
};

const struct command command_list;

static void add(const void *row, void *arg)
{
    rows_add(arg, row);
}

static int
list(struct client *client, const struct verb *verb, bool workers, struct err *err)
{
    struct rows *rows =
        workers ? rows_create(verb->format, "muster.workers.v1", MSG_WORKER_ROW,
                              worker_columns)
                : rows_create(verb->format, "muster.jobs.v1", MSG_JOB_ROW, job_columns);
    struct msg_list_jobs jobs = {.active_only = false};
    struct msg_list_workers all = {.idle_only = false};
    int result = workers ? client_each(client, MSG_LIST_WORKERS, &all, MSG_WORKER_ROW,
                                       add, rows, err)
                         : client_each(client, MSG_LIST_JOBS, &jobs, MSG_JOB_ROW, add,
                                       rows, err);
    struct err late;
    int written = rows_finish(&rows, result < 0 ? &late : err);

    return result < 0 ? result : written;
}

static int run(int argc, char **argv, struct err *err)
{
    struct verb verb = {0};
    bool workers = false;
    struct client *client = NULL;
    char **args;
    const struct option_row rows[] = {
        {"workers",    'w', OPTION_FLAG, &workers, NULL, "the workers instead of the jobs",
         NULL},
        VERB_OUTPUT_ROW(verb),
        VERB_CLIENT_ROWS(verb),
        VERB_HELP_ROW(verb),
        {0},
    };

    int parsed = verb_parse(&command_list, rows, &verb, argc, argv, &args, 0, 0, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    int result = client_open(&client, &verb.client, err);
    if (result == 0)
        result = list(client, &verb, workers, err);
    client_close(client);
    return result;
}

const struct command command_list = {
    .name = "list",
    .args = "[OPTIONS]",
    .summary = "all jobs and how far they are, or all workers",
    .run = run,
};
