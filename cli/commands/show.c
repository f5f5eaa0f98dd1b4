/* show.c - lists the tasks of a job */
#include "cli/app/command_options.h"
#include "cli/query/row_source.h"
#include "cli/view/message_rows.h"

static const char *const columns[] = {
    "point", "repeat",     "point_text", "state",     "attempt",  "host",   "card",
    "ranks", "ranks_done", "status",     "exit_code", "launches", "reason", NULL,
};

const struct command command_show;

static void add(const void *row, void *arg)
{
    message_rows_add(arg, row);
}

static int
show(const struct command_options *options, const char *job_arg, struct err *err)
{
    struct row_source *source;
    uint64_t job_id;

    if (row_source_open(&source, &options->client, options->out, err) < 0)
        return -1;
    int result = row_source_find_job(source, job_arg, &job_id, err);
    if (result == 0) {
        struct message_rows *rows = message_rows_create(
            options->format, "muster.tasks.v2", MSG_TASK_ROW, columns);

        result = row_source_each(source, MSG_TASK_ROW, job_id, add, rows, err);
        result =
            result < 0 ? message_rows_destroy(&rows) : message_rows_finish(&rows, err);
    }
    row_source_close(source);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = COMMAND_OPTIONS_INIT;
    char **args;
    const struct option_row rows[] = {
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
    return show(&options, args[0], err);
}

const struct command command_show = {
    .name = "show",
    .args = "JOB",
    .summary = "List the tasks of a job: host, card, state, exit code and reason",
    .details =

        COMMAND_JOB_DETAILS,
    .run = run,
};
