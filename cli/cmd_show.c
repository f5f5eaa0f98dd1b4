/* cmd_show.c - the tasks of a job, one by one */
#include "cli/rows.h"
#include "cli/verb.h"

static const char *const columns[] = {
    "point", "repeat", "point_text", "state",    "attempt", "host",
    "card",  "status", "exit_code",  "launches", "reason",  NULL,
};

const struct command command_show;

static void add(const void *row, void *arg)
{
    rows_add(arg, row);
}

static int show(const struct verb *verb, const char *word, struct err *err)
{
    struct client *client;
    struct msg_list_tasks question;
    struct err late;

    if (client_open(&client, &verb->client, err) < 0)
        return -1;
    int result = verb_find_job(client, word, &question.job_id, err);
    if (result == 0) {
        struct rows *rows =
            rows_create(verb->format, "muster.tasks.v1", MSG_TASK_ROW, columns);
        result = client_each(client, MSG_LIST_TASKS, &question, MSG_TASK_ROW, add, rows,
                             err);
        int written = rows_finish(&rows, result < 0 ? &late : err);
        result = result < 0 ? result : written;
    }
    client_close(client);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct verb verb = {0};
    char **args;
    const struct option_row rows[] = {
        VERB_OUTPUT_ROW(verb),
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
