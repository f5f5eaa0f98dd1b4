/* expand.c - prints the points or the forecast of a job file and runs nothing */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app/command_options.h"
#include "cli/app/forecast.h"
#include "cli/app/job_file.h"
#include "cli/query/client.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"

const struct command command_expand;

struct expand_options {
    struct command_options common;
    uint64_t limit, cards;
    bool forecast;
};

/* The columns are point, one per variable of the sweep, and command. */
static struct row_output_column *make_columns(const struct job *job, size_t count)
{
    struct row_output_column *columns = xcalloc(count, sizeof(*columns));

    columns[0] = (struct row_output_column){"point", CELL_U64};
    for (size_t i = 0; i + 2 < count; i++)
        columns[i + 1] =
            (struct row_output_column){job_variable_name(job, i), CELL_TEXT};
    columns[count - 1] = (struct row_output_column){"command", CELL_TEXT};
    return columns;
}

static bool needs_quotes(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-./=:,+@%";

    return word[0] == '\0' || word[strspn(word, plain)] != '\0';
}

/* Joins the words of a command line, quoted for a shell where necessary. */
static void join(struct text *out, const struct job_list *words)
{
    text_reset(out);
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];

        if (i)
            text_add_char(out, ' ');
        if (!needs_quotes(word)) {
            text_add(out, word);
            continue;
        }
        text_add_char(out, '\'');
        for (; *word; word++)
            if (*word == '\'')
                text_add(out, "'\\''");
            else
                text_add_char(out, *word);
        text_add_char(out, '\'');
    }
}

static void print_points(const struct job *job,
                         struct row_output *output,
                         size_t count,
                         uint64_t limit)
{
    struct cell *cells = xcalloc(count, sizeof(*cells));
    struct job_points *points = job_points_create(job);
    struct job_point point;
    struct text command = {0};

    while (limit-- > 0 && job_points_next(points, &point)) {
        join(&command, &point.command);
        cells[0] = (struct cell){.kind = CELL_U64, .u64 = point.index};
        for (size_t i = 0; i + 2 < count; i++)
            cells[i + 1] = (struct cell){.kind = CELL_TEXT, .text = point.values[i]};
        cells[count - 1] = (struct cell){.kind = CELL_TEXT, .text = text_get(&command)};
        row_output_row(output, cells);
    }
    text_clear(&command);
    job_points_destroy(points);
    free(cells);
}

static int print_forecast(const struct job *job,
                          const struct expand_options *options,
                          struct err *err)
{
    static const struct row_output_column columns[] = {
        {"points", CELL_U64},     {"tasks", CELL_U64},    {"cards_per_task", CELL_U64},
        {"passes", CELL_U64},     {"launches", CELL_U64}, {"chip", CELL_TEXT},
        {"cards", CELL_U64},      {"time_ms", CELL_U64},  {"most_ms", CELL_U64},
        {"disk_bytes", CELL_U64}, {"basis", CELL_TEXT},
    };
    const struct client_options *client = &options->common.client;
    const struct job_forecast *all;
    struct forecast forecast;
    uint64_t cards = options->cards;

    if (!cards && !client_is_named(client)) /* a private run starts these */
        cards = job_file_default_cards(job);
    if (forecast_make(&forecast, job, client, options->common.out, cards, NULL, err) <
        0)
        return -1;
    if (options->common.format == ROW_OUTPUT_TEXT) {
        forecast_print(&forecast, stdout);
        return 0;
    }
    all = &forecast.job;
    const struct cell cells[COUNT(columns)] = {
        {.kind = CELL_U64, .u64 = all->points},
        {.kind = CELL_U64, .u64 = all->tasks},
        {.kind = CELL_U64, .u64 = forecast.ranks},
        {.kind = CELL_U64, .u64 = all->passes},
        {.kind = CELL_U64, .u64 = all->launches},
        {.kind = CELL_TEXT, .text = all->chip},
        {.kind = CELL_U64, .u64 = forecast.cards},
        {.kind = CELL_U64, .u64 = forecast.time_ms, .none = forecast.time_ms == 0},
        {.kind = CELL_U64, .u64 = forecast.most_ms, .none = forecast.most_ms == 0},
        {.kind = CELL_U64, .u64 = forecast.disk_bytes},
        {.kind = CELL_TEXT, .text = forecast.basis, .none = !*forecast.basis},
    };
    struct row_output *output =
        row_output_create((enum row_output_format)options->common.format,
                          "muster.forecast.v1", columns, COUNT(columns), stdout);
    row_output_row(output, cells);
    return row_output_finish(&output, err);
}

static int
print_all(const struct job *job, const struct expand_options *options, struct err *err)
{
    size_t count = job_variable_count(job) + 2;
    struct row_output_column *columns = make_columns(job, count);
    struct row_output *output =
        row_output_create((enum row_output_format)options->common.format,
                          "muster.points.v1", columns, count, stdout);

    print_points(job, output, count, options->limit);
    int result = row_output_finish(&output, err);
    free(columns);
    return result;
}

static int
expand(const char *path, const struct expand_options *options, struct err *err)
{
    struct problems problems = {0};
    struct job *job;

    if (job_parse_file(&job, path, &problems, err) < 0) {
        if (!problems.count)
            return -1;
        job_file_print_problems(&problems, path);
        problems_clear(&problems);
        return EXIT_USAGE;
    }
    int result = options->forecast ? print_forecast(job, options, err)
                                   : print_all(job, options, err);
    job_destroy(job);
    return result < 0 ? -1 : EXIT_GOOD;
}

static const struct command_mode modes[] = {
    {"points", "limit"},
    {"--forecast", "cards out coordinator key server-key"},
    {NULL, NULL}};

static int run(int argc, char **argv, struct err *err)
{
    struct expand_options options = {.common = COMMAND_OPTIONS_INIT,
                                     .limit = UINT64_MAX};
    char **args;
    const struct option_row rows[] = {
        {"limit", 'n', OPTION_COUNT, &options.limit, "N",
         "Print only the first N points (default: all)", NULL},
        {"forecast", 0, OPTION_FLAG, &options.forecast, NULL,
         "Print tasks, passes, time and disk of the job instead of its points", NULL},
        {"cards", 0, OPTION_COUNT, &options.cards, "N",
         "Forecast for N cards (default: the connected cards, or those that muster run "
         "starts)",
         NULL},
        COMMAND_OPTIONS_OUT_ROW(options.common),
        COMMAND_OPTIONS_CLIENT_ROWS(options.common),
        COMMAND_OPTIONS_OUTPUT_ROW(options.common),
        COMMAND_OPTIONS_HELP_ROW(options.common),
        {0},
    };

    int parsed = command_options_parse(&command_expand, rows, &options.common, argc,
                                       argv, &args, 1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (command_options_check_mode(modes, options.forecast ? "--forecast" : "points",
                                   err) < 0)
        return -1;
    return expand(args[0], &options, err);
}

const struct command command_expand = {
    .name = "expand",
    .args = "[OPTIONS] FILE",
    .summary =
        "List the points of a job file or forecast its time and disk; run nothing",
    .examples = "  muster expand --limit 10 job.yaml\n"
                "  muster expand --forecast --cards 8 job.yaml",
    .run = run,
};
