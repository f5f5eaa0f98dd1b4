/* show.c - lists the tasks, ranks, launches or replays of a job */
#include <string.h>

#include "cli/app/command_options.h"
#include "cli/query/failed_tasks.h"
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
    "point",       "repeat",   "point_text", "rank",    "launch", "kernel",
    "group_found", "restored", "code_hash",  "tick_ns", NULL,
};

static const char *const replay_columns[] = {
    "point",       "repeat",         "point_text", "rank",        "launch",
    "kernel",      "replay",         "pass",       "duration_us", "arrived_ns",
    "released_ns", "uncertainty_us", NULL,
};

static const struct list {
    enum message_type row;
    const char *const *columns;
} lists[] = {
    {MSG_TASK_ROW, task_columns},
    {MSG_RANK_ROW, rank_columns},
    {MSG_LAUNCH_ROW, launch_columns},
    {MSG_REPLAY_ROW, replay_columns},
};

const struct command command_show;

struct shown {
    const struct list *list;
    struct message_rows *rows;
    bool failed_only, wide;
    struct failed_tasks failed;
};

static bool is_failed(const struct shown *shown, const void *row)
{
    uint64_t point, repeat;

    switch (shown->list->row) {
    case MSG_RANK_ROW:
        point = ((const struct msg_rank_row *)row)->point;
        repeat = ((const struct msg_rank_row *)row)->repeat;
        break;
    case MSG_LAUNCH_ROW:
        point = ((const struct msg_launch_row *)row)->point;
        repeat = ((const struct msg_launch_row *)row)->repeat;
        break;
    case MSG_REPLAY_ROW:
        point = ((const struct msg_replay_row *)row)->point;
        repeat = ((const struct msg_replay_row *)row)->repeat;
        break;
    default:
        point = ((const struct msg_task_row *)row)->point;
        repeat = ((const struct msg_task_row *)row)->repeat;
    }
    const struct failed_task *task = failed_tasks_find(&shown->failed, point, repeat);
    return task && strcmp(task->row.state, "failed") == 0;
}

static void add(const void *row, void *arg)
{
    struct shown *shown = arg;

    if (!shown->failed_only || is_failed(shown, row))
        message_rows_add(shown->rows, row);
}

static int print_rows(const struct command_options *options,
                      struct shown *shown,
                      struct row_source *source,
                      const char *job_arg,
                      struct err *err)
{
    const struct list *list = shown->list;
    uint64_t job_id;

    if (row_source_find_job(source, job_arg, &job_id, err) < 0 ||
        (shown->failed_only &&
         failed_tasks_read(&shown->failed, source, job_id, err) < 0))
        return -1;
    shown->rows = message_rows_create(options->format, list->row, list->columns);
    message_rows_set_hint(shown->rows, "--wide prints all columns");
    if (shown->wide)
        message_rows_set_wide(shown->rows);
    if (row_source_each(source, list->row, job_id, add, shown, err) < 0)
        return message_rows_destroy(&shown->rows);
    return message_rows_finish(&shown->rows, err);
}

static int show(const struct command_options *options,
                const struct list *list,
                bool failed_only,
                bool wide,
                const char *job_arg,
                struct err *err)
{
    struct shown shown = {.list = list, .failed_only = failed_only, .wide = wide};
    struct row_source *source;

    if (row_source_open(&source, &options->client, options->out, err) < 0)
        return -1;
    int result = print_rows(options, &shown, source, job_arg, err);
    failed_tasks_clear(&shown.failed);
    row_source_close(source);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = COMMAND_OPTIONS_INIT;
    bool ranks = false, launches = false, replays = false, failed = false;
    bool wide = false;
    char **args;
    const struct option_row rows[] = {
        {"ranks", 0, OPTION_FLAG, &ranks, NULL,
         "List ranks with their card and the versions of the software on their host",
         NULL},
        {"launches", 0, OPTION_FLAG, &launches, NULL,
         "List launches with the hash of their kernel's binary", NULL},
        {"replays", 0, OPTION_FLAG, &replays, NULL,
         "List replays of launches with their durations, arrivals and releases", NULL},
        {"failed", 0, OPTION_FLAG, &failed, NULL,
         "Only tasks that failed; with --ranks, --launches or --replays those of such "
         "tasks",
         NULL},
        {"wide", 0, OPTION_FLAG, &wide, NULL,
         "Print all columns and whole names, also where the terminal is narrower",
         NULL},
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
                failed, wide, args[0], err);
}

const struct command command_show = {
    .name = "show",
    .args = "JOB",
    .summary = "List the tasks of a job: host, card, state, exit code and reason",
    .details =
        "--ranks lists each rank of each attempt, with the versions of CANN, driver,\n"
        "firmware and host kernel, and of muster's measurement, when it ran.\n"
        "--launches lists each measured launch. JSON and CSV have more "
        "columns.\n" COMMAND_JOB_DETAILS,
    .examples = "  muster show sweep-7\n"
                "  muster show --failed --ranks sweep-7\n"
                "  muster show --launches --output csv sweep-7",
    .run = run,
};
