/* list.c - lists the jobs of a coordinator or store, or the workers */
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
    message_rows_add(arg, row);
}

static int list(const struct command_options *options, bool workers, struct err *err)
{
    struct row_source *source;

    if (row_source_open(&source, &options->client, options->out, err) < 0)
        return -1;
    struct message_rows *rows =
        workers ? message_rows_create(options->format, "muster.workers.v2",
                                      MSG_WORKER_ROW, worker_columns)
                : message_rows_create(options->format, "muster.jobs.v3", MSG_JOB_ROW,
                                      job_columns);
    int result = row_source_each(source, workers ? MSG_WORKER_ROW : MSG_JOB_ROW, 0, add,
                                 rows, err);
    row_source_close(source);
    return result < 0 ? message_rows_destroy(&rows) : message_rows_finish(&rows, err);
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = COMMAND_OPTIONS_INIT;
    bool workers = false;
    char **args;
    const struct option_row rows[] = {
        {"workers", 'w', OPTION_FLAG, &workers, NULL,
         "List the connected workers instead of the jobs", NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(options),
        COMMAND_OPTIONS_OUT_ROW(options),
        COMMAND_OPTIONS_CLIENT_ROWS(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_list, rows, &options, argc, argv, &args,
                                       0, 0, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (workers) /* workers are not in the store */
        running_coordinator_find(&options.client, options.out);
    return list(&options, workers, err);
}

const struct command command_list = {
    .name = "list",
    .args = "[OPTIONS]",
    .summary = "List all jobs and their progress, or all workers",
    .run = run,
};
