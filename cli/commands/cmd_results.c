/* cmd_results.c - the figures of a job, and where each comes from */
#include <stdbool.h>
#include <string.h>

#include "cli/app/command_options.h"
#include "cli/query/row_source.h"
#include "cli/view/message_rows.h"
#include "lib/base/text.h"

static const char *const columns[] = {
    "point",  "repeat", "point_text", "host", "device",    "kernel",
    "launch", "metric", "value",      "unit", "simulated", NULL,
};

const struct command command_results;

struct wanted {
    struct rows *rows;
    const char *metric; /* pattern */
    bool any;           /* there was one */
};

static void add(const void *row, void *arg)
{
    const struct msg_result_row *result = row;
    struct wanted *wanted = arg;

    if (!text_matches(result->metric, wanted->metric))
        return;
    wanted->any = true;
    rows_add(wanted->rows, row);
}

static int
results(const struct verb *verb, const char *metric, const char *word, struct err *err)
{
    struct source *source;
    uint64_t job_id;

    if (source_open(&source, &verb->client, verb->out, err) < 0)
        return -1;
    int result = source_find_job(source, word, &job_id, err);
    if (result == 0) {
        struct wanted wanted = {
            .rows =
                rows_create(verb->format, "muster.results.v1", MSG_RESULT_ROW, columns),
            .metric = metric,
        };

        result = source_each(source, MSG_RESULT_ROW, job_id, add, &wanted, err);
        if (result == 0 && !wanted.any && strcmp(metric, "*") != 0)
            result = err_set(err, ERR_NOT_FOUND, "%s has no figure '%s'", word, metric);
        result = result < 0 ? rows_drop(&wanted.rows) : rows_finish(&wanted.rows, err);
    }
    source_close(source);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct verb verb = VERB_INIT;
    const char *metric = "*";
    char **args;
    const struct option_row rows[] = {
        {"metric", 'm', OPTION_TEXT, &metric, "PATTERN",
         "only these metrics, e.g. 'duration*'", NULL},
        VERB_OUTPUT_ROW(verb),
        VERB_OUT_ROW(verb),
        VERB_CLIENT_ROWS(verb),
        VERB_HELP_ROW(verb),
        {0},
    };

    int parsed =
        verb_parse(&command_results, rows, &verb, argc, argv, &args, 1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    return results(&verb, metric, args[0], err);
}

const struct command command_results = {
    .name = "results",
    .args = "JOB",
    .summary = "the figures of a job, with where each comes from",
    .run = run,
};
