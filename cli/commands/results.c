/* results.c - prints the figures of a job with their origin */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app/command_options.h"
#include "cli/gang/overlap_results.h"
#include "cli/query/advice_list.h"
#include "cli/query/failures.h"
#include "cli/query/result_filter.h"
#include "cli/query/result_rows.h"
#include "cli/query/row_source.h"
#include "cli/view/line_fit.h"
#include "cli/view/message_rows.h"
#include "cli/view/terminal.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"

static const char *const columns_after_axes[] = {
    "repeat", "rank",  "host", "card",  "kernel",    "launch",
    "metric", "value", "unit", "state", "simulated",
};
enum { COLUMNS_MAX = JOB_AXES_MAX + 16 };

const struct command command_results;

struct results {
    struct command_options options;
    struct result_filter filter;
    const char *metric; /* pattern */
    bool wide, advice, notes;

    struct message_rows *rows;
    const char *text_columns[COLUMNS_MAX];
    bool any; /* a row was printed */
};

static void add_row(const struct msg_result_row *row,
                    const char *const *more,
                    const char *const *without,
                    void *arg)
{
    struct results *results = arg;

    message_rows_add_more(results->rows, row, more, without);
    results->any = true;
}

static void create_rows(struct results *results, const struct result_rows *source)
{
    const char **text = results->text_columns;
    const char *const *names;
    size_t count = result_rows_columns(source, &names);

    *text++ = "point";
    for (size_t i = 0; i + 1 < count; i++) /* the last one is `state` */
        *text++ = names[i];
    for (size_t i = 0; i < COUNT(columns_after_axes); i++)
        if (result_rows_has_ended_badly(source) ||
            strcmp(columns_after_axes[i], "state") != 0)
            *text++ = columns_after_axes[i];
    results->rows = message_rows_create(results->options.format, MSG_RESULT_ROW,
                                        results->wide ? NULL : results->text_columns);
    message_rows_set_hint(results->rows, "--wide prints all columns");
    if (results->wide)
        message_rows_set_wide(results->rows);
    for (size_t i = 0; i < count; i++)
        message_rows_add_column(results->rows, names[i]);
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
                      struct result_rows *source,
                      struct row_source *job_source,
                      uint64_t job_id,
                      const char *job_arg,
                      struct err *err)
{
    create_rows(results, source);
    if (result_rows_each(source, add_row, results, err) < 0 ||
        overlap_results_add(source, job_source, job_id, err) < 0 ||
        check_any(results, job_arg, err) < 0)
        return message_rows_destroy(&results->rows);
    return message_rows_finish(&results->rows, err);
}

static void print_advice_of_kernel(const struct advice_item *items,
                                   size_t count,
                                   size_t width,
                                   struct text *out)
{
    char *point = row_output_printable(xstrdup(items->point_text));
    char *kernel = row_output_printable(xstrdup(items->kernel));
    struct text head = {0};

    if (width)
        line_fit_shorten(kernel, width / 2);
    text_printf(&head, "%s%s%s:", point, *point ? ", " : "", kernel);
    line_fit_wrap(out, "", text_get(&head), width);
    for (size_t i = 0; i < count; i++) {
        char *advice = xasprintf("%s (%" PRIu64 " launch%s)", items[i].text,
                                 items[i].launches, items[i].launches == 1 ? "" : "es");

        line_fit_wrap(out, "  - ", row_output_printable(advice), width);
        free(advice);
    }
    text_clear(&head);
    free(point);
    free(kernel);
}

static int print_advice_text(struct advice_list *list, bool wide, struct err *err)
{
    size_t width = wide ? 0 : terminal_line_limit(fileno(stdout));
    struct text out = {0};

    advice_list_sort(list);
    for (size_t i = 0, next; i < list->count; i = next) {
        for (next = i + 1;
             next < list->count && list->items[next].point == list->items[i].point &&
             strcmp(list->items[next].kernel, list->items[i].kernel) == 0;)
            next++;
        print_advice_of_kernel(&list->items[i], next - i, width, &out);
    }
    fputs(list->count                  ? text_get(&out)
          : list->kind == ADVICE_NOTES ? "no notes\n"
                                       : "no advice\n",
          stdout);
    text_clear(&out);
    return fflush(stdout) == EOF ? err_errno(err, "writing the result") : 0;
}

static void add_advice_row(const struct msg_launch_row *row, void *arg)
{
    message_rows_add(arg, row);
}

static int print_advice(struct results *results,
                        struct row_source *source,
                        uint64_t job_id,
                        struct err *err)
{
    bool is_text = results->options.format == ROW_OUTPUT_TEXT;
    struct advice_list list = {.kind =
                                   results->notes ? ADVICE_NOTES : ADVICE_ON_KERNELS};
    struct message_rows *rows =
        is_text ? NULL
                : message_rows_create(results->options.format, MSG_LAUNCH_ROW, NULL);
    int result = advice_each_launch(source, job_id, list.kind, &results->filter,
                                    is_text ? advice_list_add : add_advice_row,
                                    is_text ? (void *)&list : (void *)rows, err);

    if (is_text && result == 0)
        result = print_advice_text(&list, results->wide, err);
    if (rows)
        result =
            result < 0 ? message_rows_destroy(&rows) : message_rows_finish(&rows, err);
    advice_list_clear(&list);
    return result;
}

static int print_figures(struct results *results,
                         struct row_source *source,
                         uint64_t job_id,
                         const char *job_arg,
                         struct err *err)
{
    struct result_rows *rows = NULL;
    int result =
        result_rows_open(&rows, source, job_id, results->metric, &results->filter, err);

    if (result == 0)
        result = print_rows(results, rows, source, job_id, job_arg, err);
    if (result == 0 && result_rows_has_failed(rows))
        failures_print_from_store(source, job_id);
    result_rows_close(rows);
    return result;
}

static int print_results(struct results *results, const char *job_arg, struct err *err)
{
    struct row_source *source;
    uint64_t job_id;

    if (row_source_open(&source, &results->options.client, results->options.out, err) <
        0)
        return -1;
    int result = row_source_find_job(source, job_arg, &job_id, err);
    if (result == 0 && (results->advice || results->notes))
        result = print_advice(results, source, job_id, err);
    else if (result == 0)
        result = print_figures(results, source, job_id, job_arg, err);
    row_source_close(source);
    return result;
}

/* Advice and notes are texts of launches, which figures do not have. */
static int check_options(const struct results *results, struct err *err)
{
    const char *texts = results->notes ? "notes" : "advice";

    if (results->advice && results->notes)
        return err_set(err, ERR_INPUT, "pass only one of --advice and --notes");
    if ((results->advice || results->notes) &&
        (results->filter.card || strcmp(results->metric, "*") != 0))
        return err_set(err, ERR_INPUT,
                       "--%s selects figures; --%s prints none of them, so pass only "
                       "one of the two",
                       results->filter.card ? "card" : "metric", texts);
    return 0;
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
        {"advice", 0, OPTION_FLAG, &results.advice, NULL,
         "Print the advice on the launches instead of their figures", NULL},
        {"notes", 0, OPTION_FLAG, &results.notes, NULL,
         "Print the notes about the launches instead of their figures", NULL},
        {"wide", 0, OPTION_FLAG, &results.wide, NULL,
         "Print all columns and whole names as text; JSON and CSV always have them",
         NULL},
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
        result = check_options(&results, err);
    if (parsed == 0 && result == 0)
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
               "--advice prints what the counters of each kernel suggest, as 'muster "
               "inspect\n"
               "--explain' does for one visualize_data.bin. --notes prints what to "
               "consider when\n"
               "you read the figures, such as metrics that a launch cannot have. As "
               "JSON and CSV\n"
               "both print launches.\n\n"
               "  muster results sweep --metric 'duration*'\n"
               "  muster results sweep --advice --kernel 'Matmul*'\n"
               "  muster results sweep --notes\n"
               "  muster results sweep --where n=65536 --where dtype=fp16 --rank 0\n"
               "  muster results sweep --kernel 'Matmul*' --card node0:3 -o "
               "csv\n\n" COMMAND_JOB_DETAILS,
    .run = run,
};
