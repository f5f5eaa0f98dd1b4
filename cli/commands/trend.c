/* trend.c - shows how the figures of a job changed over many nights */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app/command_options.h"
#include "cli/compare/asked_metrics.h"
#include "cli/compare/share_option.h"
#include "cli/query/row_source.h"
#include "cli/trend/trend_nights.h"
#include "cli/trend/trend_page.h"
#include "cli/trend/trend_rows.h"
#include "cli/trend/trend_sentences.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"

enum { LAST_DEFAULT = 90, LAST_MOST = TREND_MOST, SENTENCES_MOST = 5 };

const struct command command_trend;

struct trend_options {
    struct command_options shared;
    const char *against, *anchor, *points, *cards, *metric, *least, *to;
    char *gate_anchor; /* of the newest night; NULL: none, or there is --anchor */
    uint64_t last;
    int level;
};

static const char *const level_names[] = {"point", "card", "cell", NULL};

/* Prints the series that became worse, the first ones in full. */
static void print_verdict(const struct night_trends *trends,
                          const struct trend_nights *nights)
{
    struct trend_sentences sentences;

    trend_sentences_init(&sentences, trends, nights, SENTENCES_MOST);
    for (size_t i = 0; i < sentences.count; i++)
        printf("%s%s\n", i > 0 ? "also: " : "", sentences.texts[i]);
    if (sentences.total > sentences.count)
        printf("also: %zu more series are worse\n", sentences.total - sentences.count);
    if (sentences.total == 0)
        puts("nothing became worse");
    trend_sentences_clear(&sentences);
}

/* Counts the series with a change, with a drift only, and with neither. */
static void print_summary(const struct night_trends *trends,
                          const struct trend_nights *nights,
                          const struct trend_options *options)
{
    size_t worse = 0, better = 0, drifts = 0, count = night_trends_count(trends);

    for (size_t i = 0; i < count; i++) {
        const struct night_trend *row = night_trends_row(trends, i);
        double change = night_trend_last_change(row);

        worse += change > 0;
        better += change < 0;
        drifts += night_trend_drifts(row);
    }
    if (count > 0 && nights->count >= TREND_FEWEST)
        print_verdict(trends, nights);
    printf("%s%s: %zu nights from %s to %s, metric %s\n",
           nights->baseline.rule ? "baseline " : "", nights->name, nights->count,
           nights->nights[0].key, nights->nights[nights->count - 1].key,
           options->metric);
    if (options->gate_anchor)
        printf("anchor: %s, from gate.anchor of %s\n", options->gate_anchor,
               nights->nights[nights->count - 1].key);
    printf("%zu series: %zu worse and %zu better at the last change, %zu drift\n",
           count, worse, better, drifts);
    for (size_t i = 0; i < nights->count; i++)
        if (nights->nights[i].environment_change)
            printf("environment changed at %s: %s\n", nights->nights[i].key,
                   nights->nights[i].environment_change);
    if (night_trends_is_simulated(trends))
        puts("the figures are simulated");
    if (count == 0)
        printf(options->level == TREND_OF_CARDS
                   ? "no series of a card: no figure matches, or the jobs do not list "
                     "cards.ids\n"
                   : "no figure matches\n");
    if (nights->count < TREND_FEWEST)
        printf("changes are searched in %d nights or more\n", TREND_FEWEST);
}

static int print(const struct night_trends *trends,
                 const struct trend_nights *nights,
                 const struct trend_options *options,
                 struct err *err)
{
    enum row_output_format format = (enum row_output_format)options->shared.format;

    if (format == ROW_OUTPUT_TEXT)
        print_summary(trends, nights, options);
    if ((format != ROW_OUTPUT_TEXT || night_trends_count(trends) > 0) &&
        trend_rows_print(trends, nights, format, err) < 0)
        return -1;
    if (options->to && trend_page_write(trends, nights, options->to, err) < 0)
        return -1;
    return night_trends_count(trends) > 0 ? EXIT_GOOD : EXIT_UNDECIDED;
}

static int read_anchor(struct night_trends *trends,
                       struct row_source *source,
                       const struct trend_options *options,
                       const char *name,
                       struct err *err)
{
    static const struct compared_job none = {0};
    struct compared_base anchor;
    int result = compared_base_find(&anchor, source, name, &none, err);

    if (result == 0)
        result = trend_nights_read_anchor(&anchor, trends, source, options->points,
                                          options->cards, err);
    compared_base_clear(&anchor);
    return result;
}

/* Reads the key gate.anchor of a job, for the caller to free; NULL: it has none. The
 * file of a job of an older version may not be valid any more. */
static int find_gate_anchor(char **name,
                            struct row_source *source,
                            uint64_t job_id,
                            struct err *err)
{
    struct problems problems = {0};
    struct job *job = NULL;
    char *yaml;

    *name = NULL;
    if (row_source_job_file(source, job_id, &yaml, err) < 0)
        return -1;
    if (job_parse(&job, yaml, strlen(yaml), &problems) == 0 &&
        job_settings(job)->gate.anchor[0])
        *name = xstrdup(job_settings(job)->gate.anchor);
    problems_clear(&problems);
    job_destroy(job);
    free(yaml);
    return 0;
}

/* Compares with the anchor of the newest night. A gate may name an anchor before it
 * exists, so a missing one is no error. */
static int read_gate_anchor(struct night_trends *trends,
                            const struct trend_nights *nights,
                            struct row_source *source,
                            struct trend_options *options,
                            struct err *err)
{
    const struct trend_night *newest = &nights->nights[nights->count - 1];

    if (find_gate_anchor(&options->gate_anchor, source, newest->job_id, err) < 0)
        return -1;
    if (!options->gate_anchor ||
        read_anchor(trends, source, options, options->gate_anchor, err) == 0)
        return 0;
    if (err->code != ERR_NOT_FOUND)
        return -1;
    fprintf(stderr, "muster trend: no anchor: gate.anchor of %s: %s\n", newest->key,
            err->text);
    free(options->gate_anchor);
    options->gate_anchor = NULL;
    return 0;
}

static const char *metric_of_series(const void *arg, size_t index)
{
    const struct night_trends *trends = arg;

    return index < night_trends_count(trends) ? night_trends_row(trends, index)->metric
                                              : NULL;
}

static int check_metrics(const struct night_trends *trends,
                         const struct trend_nights *nights,
                         struct row_source *source,
                         const char *metric,
                         struct err *err)
{
    uint64_t *ids = xcalloc(nights->count, sizeof(*ids));
    char *jobs = xasprintf("the nights of %s", nights->name);

    for (size_t i = 0; i < nights->count; i++)
        ids[i] = nights->nights[i].job_id;
    int result =
        asked_metrics_check(&(struct asked_metrics){.patterns = metric,
                                                    .found = metric_of_series,
                                                    .found_arg = trends,
                                                    .jobs = jobs,
                                                    .job_ids = ids,
                                                    .job_count = nights->count},
                            source, err);
    free(jobs);
    free(ids);
    return result;
}

static int show_trend(struct row_source *source,
                      struct trend_options *options,
                      const struct night_trends_settings *settings,
                      struct err *err)
{
    struct trend_nights nights;
    int result;

    if (trend_nights_find(&nights, source, options->against, options->last, err) < 0)
        return -1;
    struct night_trends *trends = night_trends_create(settings);
    result = trend_nights_read(&nights, trends, source, options->points, options->cards,
                               err);
    if (result == 0 && !options->anchor)
        result = read_gate_anchor(trends, &nights, source, options, err);
    else if (result == 0 && options->anchor[0] &&
             read_anchor(trends, source, options, options->anchor, err) < 0)
        result = err_wrap(err, "--anchor");
    if (result == 0) {
        night_trends_judge(trends, nights.baseline.rule);
        result = check_metrics(trends, &nights, source, options->metric, err);
    }
    if (result == 0)
        result = print(trends, &nights, options, err);
    night_trends_destroy(trends);
    trend_nights_clear(&nights);
    free(options->gate_anchor);
    return result;
}

static int trend(struct trend_options *options, struct err *err)
{
    struct night_trends_settings settings = {
        .level = (enum night_trends_level)options->level,
        .metric = options->metric,
        .tolerance = 0.02,
    };
    struct row_source *source;

    if (options->last == 0 || options->last > LAST_MOST)
        return err_set(err, ERR_INPUT, "--last: expected 1 to %d nights, found %llu",
                       LAST_MOST, (unsigned long long)options->last);
    if (share_option_read("--min", options->least, &settings.least_change, err) < 0 ||
        row_source_open(&source, &options->shared.client, options->shared.out, err) < 0)
        return -1;
    int result = show_trend(source, options, &settings, err);
    row_source_close(source);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct trend_options options = {.shared = COMMAND_OPTIONS_INIT,
                                    .points = "*",
                                    .cards = "*",
                                    .metric = "duration_us",
                                    .least = "1%",
                                    .last = LAST_DEFAULT};
    char **args;
    const struct option_row rows[] = {
        {"against", 0, OPTION_TEXT, &options.against, "NAME",
         "Nights of this baseline, or jobs of this name (default: the baseline of the "
         "newest job, else the jobs of its name)",
         NULL},
        {"anchor", 0, OPTION_TEXT, &options.anchor, "NAME",
         "Also compare the last five nights with this baseline, best a frozen one, or "
         "with this job; '' for none (default: gate.anchor of the newest night's job "
         "file, else none)",
         NULL},
        {"points", 0, OPTION_TEXT, &options.points, "PATTERN",
         "Only points that match, such as '*m=1024*' (default: all)", NULL},
        {"cards", 0, OPTION_TEXT, &options.cards, "PATTERN",
         "Only cards whose HOST, HOST:CARD or serial number matches (default: all)",
         NULL},
        {"metric", 'm', OPTION_TEXT, &options.metric, "PATTERN",
         "Metrics to show, such as 'duration*' (default: duration_us)", NULL},
        {"by", 0, OPTION_CHOICE, &options.level, "LEVEL",
         "A series for each point over its cards, each card over its points, or each "
         "cell (default: point)",
         level_names},
        {"last", 0, OPTION_U64, &options.last, "N",
         "Newest nights to show, at most 10000 (default: 90)", NULL},
        {"min", 0, OPTION_TEXT, &options.least, "SHARE",
         "Smallest change to show (default: 1%)", NULL},
        {"to", 0, OPTION_TEXT, &options.to, "DIR",
         "Also write DIR/trend.html with a plot of each series (default: none)", NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(options.shared),
        COMMAND_OPTIONS_OUT_ROW(options.shared),
        COMMAND_OPTIONS_CLIENT_ROWS(options.shared),
        COMMAND_OPTIONS_HELP_ROW(options.shared),
        {0},
    };

    int parsed = command_options_parse(&command_trend, rows, &options.shared, argc,
                                       argv, &args, 0, 0, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    return trend(&options, err);
}

const struct command command_trend = {
    .name = "trend",
    .args = "[OPTIONS]",
    .summary = "Show how figures changed over many nights",
    .details =
        "A night is a job. Each row is a series: one value per night, the median. A\n"
        "change is a new level of at least three nights: confirmed with five nights\n"
        "on both sides, else provisional (its night may be off by one or two), or\n"
        "known from 'muster baseline split'. A spike is a single night that differs\n"
        "from both sides. drift_percent is the steady change over the last level.\n"
        "The noise is that of a single night. A series of fewer than ten nights gets\n"
        "no changes. anchor_percent is the change of the last five nights against\n"
        "the --anchor. A series also drifts when 'muster compare' would call this\n"
        "change regressed or improved.\n"
        "Exit code 5: no figure matches.",
    .examples = "  muster trend --against nightly --last 30\n"
                "  muster trend --against nightly --anchor release-8.3\n"
                "  muster trend --against nightly --metric duration_us --to trend",
    .run = run,
};
