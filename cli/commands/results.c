/* results.c - prints the figures of a job with their origin */
#include <stdbool.h>
#include <string.h>

#include "cli/app/command_options.h"
#include "cli/query/failures.h"
#include "cli/query/row_source.h"
#include "cli/view/message_rows.h"
#include "lib/base/text.h"

static const char *const columns[] = {
    "point",  "repeat", "point_text", "host", "device",    "kernel",
    "launch", "metric", "value",      "unit", "simulated", NULL,
};

const struct command command_results;

struct metric_filter {
    struct message_rows *rows;
    const char *metric; /* pattern */
    bool any;           /* a row matched */
};

static void add(const void *row, void *arg)
{
    const struct msg_result_row *result = row;
    struct metric_filter *filter = arg;

    if (!text_matches(result->metric, filter->metric))
        return;
    filter->any = true;
    message_rows_add(filter->rows, row);
}

static int results(const struct command_options *options,
                   const char *metric,
                   const char *job_arg,
                   struct err *err)
{
    struct row_source *source;
    uint64_t job_id;

    if (row_source_open(&source, &options->client, options->out, err) < 0)
        return -1;
    int result = row_source_find_job(source, job_arg, &job_id, err);
    if (result == 0) {
        struct metric_filter filter = {
            .rows = message_rows_create(options->format, "muster.results.v2",
                                        MSG_RESULT_ROW, columns),
            .metric = metric,
        };

        result = row_source_results(source, job_id, metric, add, &filter, err);
        if (result == 0 && !filter.any && strcmp(metric, "*") != 0)
            result = err_set(
                err, ERR_NOT_FOUND,
                "job %s has no figure that matches '%s'; 'muster results' without "
                "--metric lists all",
                job_arg, metric);
        result = result < 0 ? message_rows_destroy(&filter.rows)
                            : message_rows_finish(&filter.rows, err);
        if (result == 0)
            failures_print_from_store(source, job_id); /* their figures are missing */
    }
    row_source_close(source);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = COMMAND_OPTIONS_INIT;
    const char *metric = "*";
    char **args;
    const struct option_row rows[] = {
        {"metric", 'm', OPTION_TEXT, &metric, "PATTERN",
         "Only metrics that match, such as 'duration*' (default: all)", NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(options),
        COMMAND_OPTIONS_OUT_ROW(options),
        COMMAND_OPTIONS_CLIENT_ROWS(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_results, rows, &options, argc, argv,
                                       &args, 1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    return results(&options, metric, args[0], err);
}

const struct command command_results = {
    .name = "results",
    .args = "JOB",
    .summary = "Print the figures of a job: point, kernel, launch, metric and value",
    .details = "The reasons of failed tasks, whose figures are missing or incomplete, "
               "go to\nstderr.\n" COMMAND_JOB_DETAILS,
    .run = run,
};
