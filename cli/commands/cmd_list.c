/* cmd_list.c - all jobs, or all workers, of a coordinator */
#include "cli/app/command_options.h"
#include "cli/fleet/running_coordinator.h"
#include "cli/query/row_source.h"
#include "cli/view/message_rows.h"

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

static int list(const struct verb *verb, bool workers, struct err *err)
{
    struct source *source;

    if (source_open(&source, &verb->client, verb->out, err) < 0)
        return -1;
    struct rows *rows =
        workers ? rows_create(verb->format, "muster.workers.v1", MSG_WORKER_ROW,
                              worker_columns)
                : rows_create(verb->format, "muster.jobs.v1", MSG_JOB_ROW, job_columns);
    int result =
        source_each(source, workers ? MSG_WORKER_ROW : MSG_JOB_ROW, 0, add, rows, err);
    source_close(source);
    return result < 0 ? rows_drop(&rows) : rows_finish(&rows, err);
}

static int run(int argc, char **argv, struct err *err)
{
    struct verb verb = VERB_INIT;
    bool workers = false;
    char **args;
    const struct option_row rows[] = {
        {"workers", 'w', OPTION_FLAG, &workers, NULL, "the workers instead of the jobs",
         NULL},
        VERB_OUTPUT_ROW(verb),
        VERB_OUT_ROW(verb),
        VERB_CLIENT_ROWS(verb),
        VERB_HELP_ROW(verb),
        {0},
    };

    int parsed = verb_parse(&command_list, rows, &verb, argc, argv, &args, 0, 0, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (workers) /* only a coordinator knows them */
        live_find(&verb.client, verb.out);
    return list(&verb, workers, err);
}

const struct command command_list = {
    .name = "list",
    .args = "[OPTIONS]",
    .summary = "all jobs and how far they are, or all workers",
    .run = run,
};
