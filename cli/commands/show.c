/* show.c - lists the tasks, ranks, launches or replays of a job */
#include "cli/app/command_options.h"
#include "cli/query/row_source.h"
#include "cli/view/message_rows.h"

static const char *const task_columns[] = {
    "point", "repeat",     "point_text", "state",     "attempt",  "host",   "card",
    "ranks", "ranks_done", "status",     "exit_code", "launches", "reason", NULL,
};
static const char *const rank_columns[] = {
    "point",    "repeat",      "point_text",  "attempt", "rank", "host",
    "card",     "serial",      "status",      "chip",    "cann", "driver",
    "firmware", "host_kernel", "measurement", NULL,
};
static const char *const launch_columns[] = {
    "point",  "repeat",    "point_text", "rank", "launch",
    "kernel", "code_hash", "tick_ns",    NULL,
};

static const char *const replay_columns[] = {
    "point",       "repeat",         "point_text", "rank",        "launch",
    "kernel",      "replay",         "pass",       "duration_us", "arrived_ns",
    "released_ns", "uncertainty_us", NULL,
};

static const struct list {
    enum message_type row;
    const char *schema;
    const char *const *columns;
} lists[] = {
    {MSG_TASK_ROW, "muster.tasks.v3", task_columns},
    {MSG_RANK_ROW, "muster.ranks.v3", rank_columns},
    {MSG_LAUNCH_ROW, "muster.launches.v3", launch_columns},
    {MSG_REPLAY_ROW, "muster.replays.v2", replay_columns},
};

const struct command command_show;

static void add(const void *row, void *arg)
{
    message_rows_add(arg, row);
}

static int show(const struct command_options *options,
                const struct list *list,
                const char *job_arg,
                struct err *err)
{
    struct row_source *source;
    uint64_t job_id;

    if (row_source_open(&source, &options->client, options->out, err) < 0)
        return -1;
    int result = row_source_find_job(source, job_arg, &job_id, err);
    if (result == 0) {
        struct message_rows *rows = message_rows_create(options->format, list->schema,
                                                        list->row, list->columns);

        result = row_source_each(source, list->row, job_id, add, rows, err);
        result =
            result < 0 ? message_rows_destroy(&rows) : message_rows_finish(&rows, err);
    }
    row_source_close(source);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = COMMAND_OPTIONS_INIT;
    bool ranks = false, launches = false, replays = false;
    char **args;
    const struct option_row rows[] = {
        {"ranks", 0, OPTION_FLAG, &ranks, NULL,
         "List ranks with their card and the versions of the software on their host",
         NULL},
        {"launches", 0, OPTION_FLAG, &launches, NULL,
         "List launches with the hash of their kernel's binary", NULL},
        {"replays", 0, OPTION_FLAG, &replays, NULL,
         "List replays of launches with their durations, arrivals and releases", NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(options),
        COMMAND_OPTIONS_OUT_ROW(options),
        COMMAND_OPTIONS_CLIENT_ROWS(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_show, rows, &options, argc, argv, &args,
                                       1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (ranks + launches + replays > 1)
        return err_set(err, ERR_INPUT,
                       "--ranks, --launches and --replays exclude each other; pass one "
                       "of them");
    return show(&options,
                &lists[ranks      ? 1
                       : launches ? 2
                       : replays  ? 3
                                  : 0],
                args[0], err);
}

const struct command command_show = {
    .name = "show",
    .args = "JOB",
    .summary = "List the tasks of a job: host, card, state, exit code and reason",
    .details =
        "With --ranks each rank of each attempt, with the versions of CANN, driver,\n"
        "firmware, host kernel and muster's measurement at its measurement. With\n"
        "--launches each launch that was measured. JSON and CSV have more "
        "columns.\n" COMMAND_JOB_DETAILS,
    .run = run,
};
