/* results.c - prints the figures of a job with their origin */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app/command_options.h"
#include "cli/query/failed_tasks.h"
#include "cli/query/failures.h"
#include "cli/query/point_axes.h"
#include "cli/query/result_filter.h"
#include "cli/query/row_source.h"
#include "cli/view/message_rows.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"

static const char *const columns_after_axes[] = {
    "repeat", "rank",  "host", "card",  "kernel",    "launch",
    "metric", "value", "unit", "state", "simulated",
};
/* fields that a task without figures does not have; a task that never ran does not have
 * the first three either */
static const char *const without_figures[] = {
    "attempt", "run_id", "host",  "rank", "device", "simulated", "launch",
    "kernel",  "metric", "value", "unit", "serial", "tick_ns",   NULL,
};

enum { COLUMNS_MAX = JOB_AXES_MAX + 16 };

const struct command command_results;

struct results {
    struct command_options options;
    struct result_filter filter;
    const char *metric; /* pattern */
    bool wide;

    struct point_axes *axes;
    struct failed_tasks failed;
    struct message_rows *rows;
    size_t axis_columns[COLUMNS_MAX]; /* axes that have a column */
    char *axis_names[COLUMNS_MAX];    /* names of their columns */
    const char *text_columns[COLUMNS_MAX];
    size_t axis_count;
    bool any; /* a row was printed */
};

/* Adds a row with the values of the axes and the state of its task. */
static void add_row(struct results *results,
                    const struct msg_result_row *row,
                    const char *state,
                    const char *const *without)
{
    const char *const *values = point_axes_values(results->axes, row->point);
    const char *more[COLUMNS_MAX] = {0};

    for (size_t i = 0; values && i < results->axis_count; i++)
        more[i] = values[results->axis_columns[i]];
    more[results->axis_count] = state;
    message_rows_add_more(results->rows, row, more, without);
    results->any = true;
}

static void add_figure(const void *message, void *arg)
{
    const struct msg_result_row *row = message;
    struct results *results = arg;

    if (!text_matches(row->metric, results->metric) ||
        !result_filter_has_figure(&results->filter, row) ||
        !result_filter_has_point(&results->filter, results->axes, row->point))
        return;
    struct failed_task *failed =
        failed_tasks_find(&results->failed, row->point, row->repeat);
    if (failed)
        failed->has_figures = true;
    add_row(results, row, failed ? failed->row.state : "done", NULL);
}

static void add_tasks_without_figures(struct results *results)
{
    for (size_t i = 0; i < results->failed.count; i++) {
        const struct failed_task *failed = &results->failed.items[i];
        const struct msg_task_row *task = &failed->row;
        const struct msg_result_row row = {
            .job_id = task->job_id,
            .point = task->point,
            .repeat = task->repeat,
            .point_text = task->point_text,
            .attempt = task->attempt,
            .run_id = task->run_id,
            .host = task->host,
            .card = task->attempt ? (int64_t)task->card : -1,
        };

        if (!failed->has_figures && result_filter_has_task(&results->filter, task) &&
            result_filter_has_point(&results->filter, results->axes, task->point))
            add_row(results, &row, task->state,
                    without_figures + (task->attempt ? 3 : 0));
    }
}

/* Returns whether a column of all jobs has this name. */
static bool is_taken(const char *name)
{
    const struct field *field = message_find(MSG_RESULT_ROW)->fields;

    while (field->type != FIELD_END && strcmp(field->name, name) != 0)
        field++;
    return field->type != FIELD_END || strcmp(name, "state") == 0;
}

/* The axis `card` has no column of its own, because each row has its card. */
static void name_axis_columns(struct results *results)
{
    for (size_t i = 0; i < point_axes_count(results->axes); i++) {
        const char *axis = point_axes_name(results->axes, i);

        if (strcmp(axis, "card") == 0)
            continue;
        results->axis_names[results->axis_count] =
            xasprintf("%s%s", is_taken(axis) ? "axis." : "", axis);
        results->axis_columns[results->axis_count++] = i;
    }
}

static void create_rows(struct results *results)
{
    const char **text = results->text_columns;

    name_axis_columns(results);
    *text++ = "point";
    for (size_t i = 0; i < results->axis_count; i++)
        *text++ = results->axis_names[i];
    for (size_t i = 0; i < COUNT(columns_after_axes); i++)
        if (results->failed.count || strcmp(columns_after_axes[i], "state") != 0)
            *text++ = columns_after_axes[i];
    results->rows = message_rows_create(results->options.format, "muster.results.v3",
                                        MSG_RESULT_ROW,
                                        results->wide ? NULL : results->text_columns);
    for (size_t i = 0; i < results->axis_count; i++)
        message_rows_add_column(results->rows, results->axis_names[i]);
    message_rows_add_column(results->rows, "state");
}

static bool has_filter(const struct results *results)
{
    const struct result_filter *filter = &results->filter;

    return filter->where.count || filter->kernel || filter->card || filter->rank;
}

/* A filter that selects nothing is more often a mistake than an answer. */
static int check_any(const struct results *results, const char *job, struct err *err)
{
    if (results->any)
        return 0;
    if (has_filter(results))
        return err_set(err, ERR_NOT_FOUND,
                       "job %s has no figure that all filters select; 'muster results' "
                       "without filters lists all",
                       job);
    if (strcmp(results->metric, "*") != 0)
        return err_set(err, ERR_NOT_FOUND,
                       "job %s has no figure that matches '%s'; 'muster results' "
                       "without --metric lists all",
                       job, results->metric);
    return 0;
}

static int print_rows(struct results *results,
                      struct row_source *source,
                      uint64_t job_id,
                      const char *job_arg,
                      struct err *err)
{
    if (point_axes_read(&results->axes, source, job_id, err) < 0 ||
        result_filter_compile(&results->filter, results->axes, err) < 0 ||
        failed_tasks_read(&results->failed, source, job_id, err) < 0)
        return -1;
    create_rows(results);
    if (row_source_results(source, job_id, results->metric, add_figure, results, err) <
        0)
        return message_rows_destroy(&results->rows);
    add_tasks_without_figures(results);
    if (check_any(results, job_arg, err) < 0)
        return message_rows_destroy(&results->rows);
    if (message_rows_finish(&results->rows, err) < 0)
        return -1;
    if (results->failed.any_failed)
        failures_print_from_store(source, job_id);
    return 0;
}

static int print_results(struct results *results, const char *job_arg, struct err *err)
{
    struct row_source *source;
    uint64_t job_id;

    if (row_source_open(&source, &results->options.client, results->options.out, err) <
        0)
        return -1;
    int result = row_source_find_job(source, job_arg, &job_id, err);
    if (result == 0)
        result = print_rows(results, source, job_id, job_arg, err);
    for (size_t i = 0; i < results->axis_count; i++)
        free(results->axis_names[i]);
    failed_tasks_clear(&results->failed);
    point_axes_destroy(results->axes);
    row_source_close(source);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct results results = {.options = COMMAND_OPTIONS_INIT, .metric = "*"};
    char **args;
    const struct option_row rows[] = {
        {"metric", 'm', OPTION_TEXT, &results.metric, "PATTERN",
         "Only metrics that match, such as 'duration*' (default: all)", NULL},
        {"where", 0, OPTION_TEXTS, &results.filter.where, "AXIS=VALUE",
         "Only points with this value, such as n=65536 or 'dtype=fp*'; several values "
         "of an axis are alternatives (default: all)",
         NULL},
        {"kernel", 'k', OPTION_TEXT, &results.filter.kernel, "PATTERN",
         "Only kernels that match, such as 'Matmul*' (default: all)", NULL},
        {"card", 0, OPTION_TEXT, &results.filter.card, "CARD",
         "Only this card, such as 3 or node0:3 (default: all)", NULL},
        {"rank", 0, OPTION_TEXT, &results.filter.rank, "N",
         "Only this rank (default: all)", NULL},
        {"wide", 0, OPTION_FLAG, &results.wide, NULL,
         "Print all columns as text; JSON and CSV always have all", NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(results.options),
        COMMAND_OPTIONS_OUT_ROW(results.options),
        COMMAND_OPTIONS_CLIENT_ROWS(results.options),
        COMMAND_OPTIONS_HELP_ROW(results.options),
        {0},
    };

    int parsed = command_options_parse(&command_results, rows, &results.options, argc,
                                       argv, &args, 1, 1, err);
    int result = parsed < 0 ? -1 : EXIT_GOOD;
    if (parsed == 0)
        result = print_results(&results, args[0], err);
    result_filter_clear(&results.filter);
    return result;
}

const struct command command_results = {
    .name = "results",
    .args = "JOB",
    .summary = "Print the figures of a job: axes, rank, kernel, metric and value",
    .details = "Each axis of the sweep is a column. A task that failed or was "
               "cancelled without\n"
               "figures has a row with its state; the reasons of failed tasks go to "
               "stderr. A\n"
               "value that does not apply is '-', null in JSON and empty in CSV.\n\n"
               "  muster results sweep --metric 'duration*'\n"
               "  muster results sweep --where n=65536 --where dtype=fp16 --rank 0\n"
               "  muster results sweep --kernel 'Matmul*' --card node0:3 -o "
               "csv\n\n" COMMAND_JOB_DETAILS,
    .run = run,
};
