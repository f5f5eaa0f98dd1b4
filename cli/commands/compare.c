/* compare.c - compares the figures of a job with those of an earlier job */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app/command_options.h"
#include "cli/commands/group_rows.h"
#include "cli/commands/verdict_filter.h"
#include "cli/query/row_source.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/compare/comparison.h"

/* Above this share of inconclusive cells the comparison itself is undecided. */
static const double undecided_share = 0.05;
enum { NIGHTS_MAX = 400 };

const struct command command_compare;

struct compare_options {
    struct command_options shared;
    const char *metric, *tolerance, *points, *only;
    uint64_t nights;
    const struct group_level *by; /* NULL: cells */
};

/* One side of the comparison, from its MSG_JOB_ROW. */
struct compared_job {
    uint64_t job_id;
    char *key, *state, *against, *metric;
    double tolerance;
};

struct reader {
    const struct compare_options *options;
    struct comparison *comparison;
    enum comparison_side side;
    bool is_night; /* the figures belong to a night */
};

struct job_search {
    uint64_t job_id; /* the job to find; 0: the newest with this name */
    uint64_t before; /* only older jobs; 0: all */
    const char *name;
    struct compared_job found;
};

static void compared_job_clear(struct compared_job *job)
{
    free(job->key);
    free(job->state);
    free(job->against);
    free(job->metric);
    *job = (struct compared_job){0};
}

/* A key is NAME-NUMBER. */
static bool has_name(const char *key, const char *name)
{
    const char *end = strrchr(key, '-');

    return strcmp(key, name) == 0 || (end && (size_t)(end - key) == strlen(name) &&
                                      memcmp(key, name, strlen(name)) == 0);
}

static void keep_job(const void *row, void *arg)
{
    const struct msg_job_row *job = row;
    struct job_search *search = arg;

    if (search->job_id
            ? job->job_id != search->job_id
            : job->job_id >= search->before || job->job_id <= search->found.job_id ||
                  strcmp(job->state, "done") != 0 ||
                  !has_name(job->job_key, search->name))
        return;
    compared_job_clear(&search->found);
    search->found = (struct compared_job){
        .job_id = job->job_id,
        .key = xstrdup(job->job_key),
        .state = xstrdup(job->state),
        .against = xstrdup(job->compare_against ? job->compare_against : ""),
        .metric = xstrdup(job->compare_metric ? job->compare_metric : ""),
        .tolerance = job->compare_tolerance,
    };
}

static int find_job(struct compared_job *job,
                    struct row_source *source,
                    const char *job_arg,
                    struct err *err)
{
    struct job_search search = {0};

    if (row_source_find_job(source, job_arg, &search.job_id, err) < 0 ||
        row_source_each(source, MSG_JOB_ROW, 0, keep_job, &search, err) < 0)
        return -1;
    if (!search.found.key)
        return err_set(err, ERR_NOT_FOUND, "there is no job %s", job_arg);
    *job = search.found;
    return 0;
}

/* Finds the job that compare.against of the new job names: the newest one before it. */
static int find_base(struct compared_job *base,
                     struct row_source *source,
                     const struct compared_job *fresh,
                     struct err *err)
{
    struct job_search search = {.before = fresh->job_id, .name = fresh->against};

    if (!fresh->against[0])
        return err_set(err, ERR_INPUT,
                       "job %s has no key compare.against; name both jobs: "
                       "muster compare BASE %s",
                       fresh->key, fresh->key);
    if (row_source_each(source, MSG_JOB_ROW, 0, keep_job, &search, err) < 0)
        return -1;
    if (!search.found.key)
        return err_set(err, ERR_NOT_FOUND,
                       "compare.against of job %s: no job '%s' before it is done; run "
                       "one, or name both jobs: muster compare BASE %s",
                       fresh->key, fresh->against, fresh->key);
    *base = search.found;
    return 0;
}

static void add_task(const void *row, void *arg)
{
    const struct msg_task_row *task = row;
    const struct reader *reader = arg;

    if (text_matches(task->point_text, reader->options->points))
        comparison_add_task(
            reader->comparison, reader->side,
            &(struct comparison_task){.point = task->point_text,
                                      .done = strcmp(task->state, "done") == 0});
}

static void add_figure(const void *row, void *arg)
{
    const struct msg_result_row *result = row;
    const struct reader *reader = arg;

    const struct comparison_figure figure = {
        .point = result->point_text,
        .repeat = result->repeat,
        .rank = result->rank,
        .host = result->host,
        .serial = result->serial ? result->serial : "",
        .card = result->card,
        .kernel = result->kernel,
        .metric = result->metric,
        .unit = result->unit,
        .value = result->value,
        .simulated = result->simulated,
    };

    if (!text_matches(result->point_text, reader->options->points))
        return;
    if (reader->is_night)
        comparison_add_night(reader->comparison, &figure);
    else
        comparison_add_figure(reader->comparison, reader->side, &figure);
}

static int read_side(struct reader *reader,
                     struct row_source *source,
                     enum comparison_side side,
                     const struct compared_job *job,
                     struct err *err)
{
    reader->side = side;
    return row_source_each(source, MSG_TASK_ROW, job->job_id, add_task, reader, err) <
                       0 ||
                   row_source_each(source, MSG_RESULT_ROW, job->job_id, add_figure,
                                   reader, err) < 0
               ? -1
               : 0;
}

/* The jobs of the base's name, newest first: the base itself and older ones. */
struct night_list {
    const struct compared_job *base;
    char *name;
    uint64_t *job_ids;
    size_t count, most;
};

static void keep_night(const void *row, void *arg)
{
    const struct msg_job_row *job = row;
    struct night_list *list = arg;
    size_t at;

    if (job->job_id > list->base->job_id || strcmp(job->state, "done") != 0 ||
        !has_name(job->job_key, list->name))
        return;
    for (at = list->count; at > 0 && list->job_ids[at - 1] < job->job_id; at--)
        list->job_ids[at] = list->job_ids[at - 1]; /* the array has `most` + 1 places */
    if (at < list->most)
        list->job_ids[at] = job->job_id;
    if (list->count < list->most)
        list->count++;
}

static int read_nights(struct reader *reader,
                       struct row_source *source,
                       const struct compared_job *base,
                       struct err *err)
{
    struct night_list list = {.base = base, .most = reader->options->nights};
    const char *end = strrchr(base->key, '-');
    int result;

    list.job_ids = xcalloc(list.most + 1, sizeof(*list.job_ids));
    list.name =
        xstrndup(base->key, end ? (size_t)(end - base->key) : strlen(base->key));
    result = row_source_each(source, MSG_JOB_ROW, 0, keep_night, &list, err);
    reader->is_night = true;
    for (size_t i = 0; result == 0 && i < list.count; i++) {
        comparison_begin_night(reader->comparison);
        result = row_source_each(source, MSG_RESULT_ROW, list.job_ids[i], add_figure,
                                 reader, err);
    }
    reader->is_night = false;
    free(list.job_ids);
    free(list.name);
    return result;
}

enum {
    COLUMN_VERDICT,
    COLUMN_POINT,
    COLUMN_KERNEL,
    COLUMN_RANK,
    COLUMN_CARD,
    COLUMN_METRIC,
    COLUMN_BASE,
    COLUMN_NEW,
    COLUMN_UNIT,
    COLUMN_CHANGE,
    COLUMN_LOW,
    COLUMN_HIGH,
    COLUMN_P,
    COLUMN_P_ADJUSTED,
    COLUMN_BASE_COUNT,
    COLUMN_NEW_COUNT,
    COLUMN_MISSING,
    COLUMN_REASON,
    COLUMN_LEANING,
    COLUMN_MORE,
    COLUMN_NIGHTS,
    COLUMN_NIGHT_NOISE,
    COLUMN_COUNT,
};

static const struct row_output_column columns[COLUMN_COUNT] = {
    [COLUMN_VERDICT] = {"verdict", CELL_TEXT},
    [COLUMN_POINT] = {"point", CELL_TEXT},
    [COLUMN_KERNEL] = {"kernel", CELL_TEXT},
    [COLUMN_RANK] = {"rank", CELL_U64},
    [COLUMN_CARD] = {"card", CELL_TEXT},
    [COLUMN_METRIC] = {"metric", CELL_TEXT},
    [COLUMN_BASE] = {"base", CELL_F64},
    [COLUMN_NEW] = {"new", CELL_F64},
    [COLUMN_UNIT] = {"unit", CELL_TEXT},
    [COLUMN_CHANGE] = {"change_percent", CELL_F64},
    [COLUMN_LOW] = {"low_percent", CELL_F64},
    [COLUMN_HIGH] = {"high_percent", CELL_F64},
    [COLUMN_P] = {"p", CELL_F64},
    [COLUMN_P_ADJUSTED] = {"p_adjusted", CELL_F64},
    [COLUMN_BASE_COUNT] = {"n_base", CELL_U64},
    [COLUMN_NEW_COUNT] = {"n_new", CELL_U64},
    [COLUMN_MISSING] = {"missing", CELL_U64},
    [COLUMN_REASON] = {"reason", CELL_TEXT},
    [COLUMN_LEANING] = {"leaning", CELL_TEXT},
    [COLUMN_MORE] = {"more_repeats", CELL_U64},
    [COLUMN_NIGHTS] = {"nights", CELL_U64},
    [COLUMN_NIGHT_NOISE] = {"night_noise_percent", CELL_F64},
};

/* The text format leaves out what a person finds with -o csv when it matters. */
static const int text_columns[] = {
    COLUMN_VERDICT, COLUMN_POINT, COLUMN_KERNEL, COLUMN_RANK,   COLUMN_CARD,
    COLUMN_BASE,    COLUMN_NEW,   COLUMN_UNIT,   COLUMN_CHANGE, COLUMN_LOW,
    COLUMN_HIGH,    COLUMN_P,     COLUMN_REASON, COLUMN_MORE,
};

/* The columns of one format, and the output that has them. */
struct table {
    struct row_output *output;
    struct row_output_column columns[COLUMN_COUNT];
    int numbers[COLUMN_COUNT];
    size_t count;
};

static void table_create(struct table *table, enum row_output_format format)
{
    bool is_text = format == ROW_OUTPUT_TEXT;

    table->count = is_text ? COUNT(text_columns) : COLUMN_COUNT;
    for (size_t i = 0; i < table->count; i++) {
        table->numbers[i] = is_text ? text_columns[i] : (int)i;
        table->columns[i] = columns[table->numbers[i]];
    }
    table->output = row_output_create(format, "muster.compare.v1", table->columns,
                                      table->count, stdout);
}

static void table_row(struct table *table, const struct cell *cells)
{
    struct cell chosen[COLUMN_COUNT];

    for (size_t i = 0; i < table->count; i++)
        chosen[i] = cells[table->numbers[i]];
    row_output_row(table->output, chosen);
}

static struct cell text_cell(const char *text)
{
    return (struct cell){.kind = CELL_TEXT, .none = !text[0], .text = text};
}

static struct cell count_cell(uint64_t count)
{
    return (struct cell){.kind = CELL_U64, .u64 = count};
}

/* Rounded: more digits than the measurement has would only hide the change. */
static struct cell number_cell(double value, double step)
{
    return (struct cell){.kind = CELL_F64,
                         .none = !isfinite(value),
                         .f64 = step > 0 ? round(value / step) * step : value};
}

static struct cell percent_cell(double shift)
{
    return number_cell(100 * expm1(shift), 0.001);
}

static void print_row(struct table *table, const struct comparison_row *row)
{
    bool worse = !(row->p_better < row->p_worse);
    struct cell cells[COLUMN_COUNT] = {
        [COLUMN_VERDICT] = text_cell(comparison_outcome_name(row->outcome)),
        [COLUMN_POINT] = text_cell(row->point),
        [COLUMN_KERNEL] = text_cell(row->kernel),
        [COLUMN_RANK] = count_cell(row->rank),
        [COLUMN_CARD] = text_cell(row->card),
        [COLUMN_METRIC] = text_cell(row->metric),
        [COLUMN_BASE] = number_cell(row->base_median, 0),
        [COLUMN_NEW] = number_cell(row->new_median, 0),
        [COLUMN_UNIT] = text_cell(row->unit),
        [COLUMN_CHANGE] = percent_cell(row->shift),
        [COLUMN_LOW] = percent_cell(row->low),
        [COLUMN_HIGH] = percent_cell(row->high),
        [COLUMN_P] = number_cell(worse ? row->p_worse : row->p_better, 0),
        [COLUMN_P_ADJUSTED] =
            number_cell(worse ? row->p_worse_adjusted : row->p_better_adjusted, 0),
        [COLUMN_BASE_COUNT] = count_cell(row->base_count),
        [COLUMN_NEW_COUNT] = count_cell(row->new_count),
        [COLUMN_MISSING] = count_cell(row->missing),
        [COLUMN_REASON] = text_cell(row->reason),
        [COLUMN_LEANING] = text_cell(row->leaning),
        [COLUMN_MORE] = count_cell(row->more),
        [COLUMN_NIGHTS] = count_cell(row->nights),
        [COLUMN_NIGHT_NOISE] = percent_cell(row->night_noise),
    };

    cells[COLUMN_MORE].none = row->more == 0;
    cells[COLUMN_NIGHT_NOISE].none = row->nights < COMPARISON_NIGHTS_FEWEST;
    table_row(table, cells);
}

/* Accepts 2% and 0.02. */
static int read_tolerance(const char *text, double *share, struct err *err)
{
    size_t length = strlen(text);
    bool percent = length > 0 && text[length - 1] == '%';
    char *number = xstrndup(text, length - percent);
    bool good = num_parse_double(number, share);

    free(number);
    if (good && percent)
        *share /= 100;
    if (!good || !(*share >= 0 && *share <= 10))
        return err_set(err, ERR_INPUT,
                       "--tolerance: expected a share from 0%% to 1000%%, such as 2%%, "
                       "found '%s'",
                       text);
    return 0;
}

/* Outcomes of the printed level: cells or groups. */
struct totals {
    size_t outcomes[OUTCOME_COUNT];
    size_t rows;
};

static struct totals totals_of_cells(const struct comparison *comparison)
{
    struct totals totals = {.rows = comparison_count(comparison)};

    for (enum comparison_outcome i = 0; i < OUTCOME_COUNT; i++)
        totals.outcomes[i] = comparison_total(comparison, i);
    return totals;
}

static struct totals totals_of_groups(const struct comparison_group *groups,
                                      size_t count)
{
    struct totals totals = {.rows = count};

    for (size_t i = 0; i < count; i++)
        totals.outcomes[groups[i].outcome]++;
    return totals;
}

static int exit_code(const struct comparison *comparison, const struct totals *totals)
{
    const size_t *outcomes = totals->outcomes;
    size_t inconclusive = outcomes[OUTCOME_INCONCLUSIVE];
    size_t judged = outcomes[OUTCOME_REGRESSED] + outcomes[OUTCOME_IMPROVED] +
                    outcomes[OUTCOME_SAME] + inconclusive;

    if (outcomes[OUTCOME_REGRESSED] > 0)
        return EXIT_REGRESSION;
    if (judged == 0 || comparison_missing(comparison) > 0 ||
        comparison_total(comparison, OUTCOME_NOT_MEASURED) > 0 ||
        (double)inconclusive > undecided_share * (double)judged)
        return EXIT_UNDECIDED;
    return EXIT_GOOD;
}

static bool has_unknown_nights(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison_count(comparison); i++) {
        struct comparison_row row = comparison_row(comparison, i);

        if (row.outcome <= OUTCOME_IMPROVED && row.nights_unknown)
            return true;
    }
    return false;
}

/* "2 regressed, 1 improved, 5 same": the outcomes that occur. */
static void print_summary(const struct comparison *comparison,
                          const struct totals *totals,
                          const struct compared_job *base,
                          const struct compared_job *fresh,
                          const struct comparison_settings *settings)
{
    struct text counts = {0};

    for (enum comparison_outcome i = 0; i < OUTCOME_COUNT; i++)
        if (totals->outcomes[i] > 0)
            text_printf(&counts, "%s%zu %s", text_get(&counts)[0] ? ", " : "",
                        totals->outcomes[i], comparison_outcome_name(i));
    if (comparison_count(comparison) == 0)
        text_add(&counts, "no figure matches");
    else if (totals->rows == 0)
        text_add(&counts, "no cell has a card, because the jobs do not list cards.ids");
    printf("%s against %s: %s (metric %s, tolerance %g %%)\n", fresh->key, base->key,
           text_get(&counts), settings->metric, settings->tolerance * 100);
    if (has_unknown_nights(comparison))
        printf("fewer than %d jobs up to %s show how much nights differ; measure again "
               "before you act on a change\n",
               COMPARISON_NIGHTS_FEWEST, base->key);
    if (comparison_missing(comparison) > 0)
        printf("%zu repeats of %s have no result; see 'muster show %s'\n",
               comparison_missing(comparison), fresh->key, fresh->key);
    text_clear(&counts);
}

static int print_cells(const struct comparison *comparison,
                       const struct compare_options *options,
                       struct err *err)
{
    struct table table;

    table_create(&table, (enum row_output_format)options->shared.format);
    for (size_t i = 0; i < comparison_count(comparison); i++) {
        struct comparison_row row = comparison_row(comparison, i);

        if (verdict_filter_matches(options->only, row.outcome))
            print_row(&table, &row);
    }
    return row_output_finish(&table.output, err);
}

/* Prints the cells or the groups. Returns the exit code, or -1. */
static int print(const struct comparison *comparison,
                 const struct compare_options *options,
                 const struct compared_job *base,
                 const struct compared_job *fresh,
                 const struct comparison_settings *settings,
                 struct err *err)
{
    enum row_output_format format = (enum row_output_format)options->shared.format;
    struct comparison_group *groups = NULL;
    size_t group_count = 0;
    int result = 0;

    if (options->by)
        groups = comparison_groups(comparison, options->by->level, &group_count);
    struct totals totals = options->by ? totals_of_groups(groups, group_count)
                                       : totals_of_cells(comparison);
    if (format == ROW_OUTPUT_TEXT)
        print_summary(comparison, &totals, base, fresh, settings);
    if (format != ROW_OUTPUT_TEXT || totals.rows > 0)
        result = options->by ? group_rows_print(options->by, groups, group_count,
                                                format, options->only, err)
                             : print_cells(comparison, options, err);
    free(groups);
    return result < 0 ? -1 : exit_code(comparison, &totals);
}

static int compare_jobs(struct row_source *source,
                        const struct compare_options *options,
                        const struct compared_job *base,
                        const struct compared_job *fresh,
                        struct err *err)
{
    struct comparison_settings settings = {.metric = "duration_us", .tolerance = 0.02};
    struct reader reader = {.options = options};
    int result;

    if (fresh->metric[0])
        settings = (struct comparison_settings){fresh->metric, fresh->tolerance};
    if (options->metric)
        settings.metric = options->metric;
    if (options->tolerance &&
        read_tolerance(options->tolerance, &settings.tolerance, err) < 0)
        return -1;
    reader.comparison = comparison_create(&settings);
    result = read_side(&reader, source, COMPARISON_BASE, base, err);
    if (result == 0)
        result = read_side(&reader, source, COMPARISON_NEW, fresh, err);
    if (result == 0 && options->nights > 0)
        result = read_nights(&reader, source, base, err);
    if (result == 0) {
        comparison_judge(reader.comparison);
        result = print(reader.comparison, options, base, fresh, &settings, err);
    }
    comparison_destroy(reader.comparison);
    return result;
}

static int compare(const struct compare_options *options,
                   char *const *args,
                   size_t count,
                   struct err *err)
{
    struct compared_job base = {0}, fresh = {0};
    struct row_source *source;
    int result;

    if (options->nights > NIGHTS_MAX)
        return err_set(err, ERR_INPUT, "--nights: at most %d, found %llu", NIGHTS_MAX,
                       (unsigned long long)options->nights);
    if (verdict_filter_check(options->only, err) < 0 ||
        row_source_open(&source, &options->shared.client, options->shared.out, err) < 0)
        return -1;
    result = find_job(&fresh, source, args[count - 1], err);
    if (result == 0)
        result = count == 2 ? find_job(&base, source, args[0], err)
                            : find_base(&base, source, &fresh, err);
    if (result == 0 && base.job_id == fresh.job_id)
        result =
            err_set(err, ERR_INPUT, "job %s cannot be compared with itself", fresh.key);
    if (result == 0)
        result = compare_jobs(source, options, &base, &fresh, err);
    compared_job_clear(&base);
    compared_job_clear(&fresh);
    row_source_close(source);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct compare_options options = {
        .shared = COMMAND_OPTIONS_INIT, .points = "*", .only = "", .nights = 10};
    const char *by = "cell";
    char **args;
    const struct option_row rows[] = {
        {"metric", 'm', OPTION_TEXT, &options.metric, "PATTERN",
         "Metrics to compare, such as 'duration*' (default: compare.metric of the job "
         "file, or duration_us)",
         NULL},
        {"tolerance", 't', OPTION_TEXT, &options.tolerance, "SHARE",
         "Smallest change that counts (default: compare.tolerance of the job file, or "
         "2%)",
         NULL},
        {"points", 0, OPTION_TEXT, &options.points, "PATTERN",
         "Only points that match, such as '*m=1024*' (default: all)", NULL},
        {"by", 0, OPTION_TEXT, &by, "LEVEL",
         "Judge cells, or their changes together by point, card, host or fleet "
         "(default: cell)",
         NULL},
        {"only", 0, OPTION_TEXT, &options.only, "VERDICTS",
         "Only these verdicts, such as regressed,improved (default: all)", NULL},
        {"nights", 0, OPTION_U64, &options.nights, "N",
         "Newest jobs of the base's name that show the noise between nights, at most "
         "400; 0: none (default: 10)",
         NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(options.shared),
        COMMAND_OPTIONS_OUT_ROW(options.shared),
        COMMAND_OPTIONS_CLIENT_ROWS(options.shared),
        COMMAND_OPTIONS_HELP_ROW(options.shared),
        {0},
    };

    int parsed = command_options_parse(&command_compare, rows, &options.shared, argc,
                                       argv, &args, 1, 2, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (strcmp(by, "cell") != 0 && !(options.by = group_level_find(by)))
        return err_set(err, ERR_INPUT,
                       "--by: expected cell, point, card, host or fleet, found '%s'",
                       by);
    size_t count = 1;
    while (count < 2 && args[count])
        count++;
    return compare(&options, args, count, err);
}

const struct command command_compare = {
    .name = "compare",
    .args = "[BASE] NEW",
    .summary = "Compare the figures of a job with those of an earlier job",
    .details =
        "Without BASE, compare.against of the job file of NEW names it: the newest "
        "job\n"
        "of that name before NEW that is done. A cell is one metric of one kernel at "
        "one\n"
        "point, on one card when the job lists cards.ids. The verdicts are regressed,\n"
        "improved, same (proved to be within the tolerance), inconclusive (with the\n"
        "reason), not-measured, gone and added. --by judges the changes of many cells\n"
        "together. With fewer than five cells it needs the same verdict of each; "
        "seven\n"
        "show a change.\n"
        "Exit code 4: at least one cell regressed. 5: something was not measured, "
        "more\n"
        "than 5 % of the cells are inconclusive, or nothing could be compared.\n"
        "BASE and NEW: " COMMAND_JOB_DETAILS,
    .run = run,
};
