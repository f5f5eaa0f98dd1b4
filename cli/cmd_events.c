/* cmd_events.c - what happened, line by line, from a cursor on */
#include "cli/rows.h"
#include "cli/source.h"
#include "cli/verb.h"

static const char *const columns[] = {
    "seq", "at_wall_ns", "kind", "job_id", "task_id", "text", NULL,
};

const struct command command_events;

static void add(const void *row, void *arg)
{
    rows_add(arg, row);
}

static int
list(const struct verb *verb, const char *word, uint64_t since, struct err *err)
{
    struct source *source;
    uint64_t job_id = 0;

    if (source_open(&source, &verb->client, verb->out, err) < 0)
        return -1;
    int result = word ? source_find_job(source, word, &job_id, err) : 0;
    if (result == 0) {
        struct rows *rows =
            rows_create(verb->format, "muster.events.v1", MSG_EVENT_ROW, columns);

        result = source_events(source, job_id, since, add, rows, err);
        result = result < 0 ? rows_drop(&rows) : rows_finish(&rows, err);
    }
    source_close(source);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct verb verb = VERB_INIT;
    uint64_t since = 0;
    char **args;
    const struct option_row rows[] = {
        {"since", 0, OPTION_U64, &since, "SEQ", "only what came behind this one", NULL},
        VERB_OUTPUT_ROW(verb),
        VERB_OUT_ROW(verb),
        VERB_CLIENT_ROWS(verb),
        VERB_HELP_ROW(verb),
        {0},
    };

    int parsed = verb_parse(&command_events, rows, &verb, argc, argv, &args, 0, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    return list(&verb, args[0], since, err);
}

const struct command command_events = {
    .name = "events",
    .args = "[JOB]",
    .summary = "what happened to jobs, tasks and workers, oldest first",
    .run = run,
};
