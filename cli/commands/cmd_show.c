/* cmd_show.c - the tasks of a job, one by one */
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
    rows_add(arg, row);
}

static int show(const struct verb *verb, const char *word, struct err *err)
{
    struct source *source;
    uint64_t job_id;

    if (source_open(&source, &verb->client, verb->out, err) < 0)
        return -1;
    int result = source_find_job(source, word, &job_id, err);
    if (result == 0) {
        struct rows *rows =
            rows_create(verb->format, "muster.tasks.v1", MSG_TASK_ROW, columns);

        result = source_each(source, MSG_TASK_ROW, job_id, add, rows, err);
        result = result < 0 ? rows_drop(&rows) : rows_finish(&rows, err);
    }
    source_close(source);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct verb verb = VERB_INIT;
    char **args;
    const struct option_row rows[] = {
        VERB_OUTPUT_ROW(verb),
        VERB_OUT_ROW(verb),
        VERB_CLIENT_ROWS(verb),
        VERB_HELP_ROW(verb),
        {0},
    };

    int parsed = verb_parse(&command_show, rows, &verb, argc, argv, &args, 1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    return show(&verb, args[0], err);
}

const struct command command_show = {
    .name = "show",
    .args = "JOB",
    .summary = "the tasks of a job: where each ran, how it ended, and why",
    .run = run,
};
