/* compare.c - compares the figures of a job with those of an earlier job */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app/command_options.h"
#include "cli/compare/asked_metrics.h"
#include "cli/compare/cell_rows.h"
#include "cli/compare/compare_page.h"
#include "cli/compare/compared_jobs.h"
#include "cli/compare/environments_read.h"
#include "cli/compare/group_rows.h"
#include "cli/compare/group_summary.h"
#include "cli/compare/share_option.h"
#include "cli/compare/verdict_filter.h"
#include "cli/query/row_source.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/compare/comparison.h"

/* Above this share of inconclusive cells the comparison itself is undecided. */
static const double undecided_share = 0.05;
enum { NIGHTS_DEFAULT = 10, NIGHTS_MAX = 400 };

const struct command command_compare;

struct compare_options {
    struct command_options shared;
    const char *metric, *tolerance, *points, *cards, *only, *to;
    uint64_t nights;              /* UINT64_MAX: not given */
    const struct group_level *by; /* NULL: cells */
};

/* The two sides of the comparison and its settings. */
struct compared {
    struct compared_base base;
    struct compared_job fresh;
    struct comparison_settings settings;
    struct compared_environments environments;
    bool is_stale; /* the baseline got no night for too long */
};

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

/* `regressed`: many cells regressed together. */
static int exit_code(const struct comparison *comparison,
                     const struct totals *totals,
                     bool regressed,
                     bool is_stale)
{
    const size_t *outcomes = totals->outcomes;
    size_t inconclusive = outcomes[OUTCOME_INCONCLUSIVE];
    size_t judged = outcomes[OUTCOME_REGRESSED] + outcomes[OUTCOME_IMPROVED] +
                    outcomes[OUTCOME_SAME] + inconclusive;

    if (regressed || outcomes[OUTCOME_REGRESSED] > 0)
        return EXIT_REGRESSION;
    if (is_stale || judged == 0 || comparison_missing(comparison) > 0 ||
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

/* "2 regressed, 1 improved, 5 same": the outcomes that occur. The caller frees it. */
static char *counts_text(const struct comparison *comparison,
                         const struct totals *totals)
{
    size_t quarantined = comparison_quarantined(comparison);
    struct text counts = {0};

    for (enum comparison_outcome i = 0; i < OUTCOME_COUNT; i++)
        if (totals->outcomes[i] > 0)
            text_printf(&counts, "%s%zu %s", text_get(&counts)[0] ? ", " : "",
                        totals->outcomes[i], comparison_outcome_name(i));
    if (quarantined > 0)
        text_printf(&counts, "%s%zu in quarantine", text_get(&counts)[0] ? ", " : "",
                    quarantined);
    if (comparison_count(comparison) == 0)
        text_add(&counts, "no figure matches");
    else if (totals->rows == 0)
        text_add(&counts, "no cell has a card, because the jobs do not list cards.ids");
    return text_take(&counts);
}

/* Adds why the result of a comparison with a baseline is uncertain. */
static void add_baseline_state(struct text *notes, const struct compared *compared)
{
    const struct stored_baseline *baseline = &compared->base.baseline;
    const char *key = compared->fresh.key;
    uint64_t before = compared->fresh.job_id;
    bool any = false;

    for (size_t i = 0; i < baseline_night_count(baseline->rule); i++)
        any |= baseline_may_use(baseline->rule,
                                baseline_night(baseline->rule, i)->job_id, before);
    if (!any)
        text_printf(notes, "no night of baseline %s that passed is older than %s\n",
                    baseline->name, key);
    else if (compared->is_stale)
        text_printf(notes,
                    "baseline %s is stale: no night had passed for %d days before %s\n",
                    baseline->name, BASELINE_EXPIRY_DAYS, key);
}

/* Returns lines about what makes the result uncertain. The caller frees the text. */
static char *notes_text(const struct comparison *comparison,
                        const struct compared *compared)
{
    const struct stored_baseline *baseline = &compared->base.baseline;
    const char *name = compared_base_name(&compared->base), *key = compared->fresh.key;
    struct text notes = {0};

    text_add(&notes, "");
    if (baseline->rule)
        add_baseline_state(&notes, compared);
    if (has_unknown_nights(comparison))
        text_printf(&notes,
                    "fewer than %d %s %s show how much nights differ; measure again "
                    "before you act on a change\n",
                    COMPARISON_NIGHTS_FEWEST,
                    baseline->rule ? "nights of baseline" : "jobs up to", name);
    if (compared->environments.change)
        text_printf(&notes, "environment changed: %s\n", compared->environments.change);
    if (comparison_missing(comparison) > 0)
        text_printf(&notes, "%zu repeat%s of %s %s no result; see 'muster show %s'\n",
                    comparison_missing(comparison),
                    comparison_missing(comparison) == 1 ? "" : "s", key,
                    comparison_missing(comparison) == 1 ? "has" : "have", key);
    return text_take(&notes);
}

/* `together` is what many cells show together, in lines. */
static void print_summary(const struct comparison *comparison,
                          const struct totals *totals,
                          const char *together,
                          const struct compared *compared)
{
    const char *name = compared_base_name(&compared->base);
    char *counts = counts_text(comparison, totals);
    char *notes = notes_text(comparison, compared);

    printf("%s against %s%s: %s (metric %s, tolerance %g %%)\n%s%s",
           compared->fresh.key, compared->base.baseline.rule ? "baseline " : "", name,
           counts, compared->settings.metric, compared->settings.tolerance * 100,
           together, notes);
    if (comparison_is_simulated(comparison))
        puts("the figures are simulated");
    free(counts);
    free(notes);
}

/* Writes compare.html. The page counts cells, whatever level is printed. */
static int write_page(const struct comparison *comparison,
                      const char *folder,
                      const struct compared *compared,
                      struct err *err)
{
    struct totals totals = totals_of_cells(comparison);
    char *counts = counts_text(comparison, &totals);
    char *notes = notes_text(comparison, compared);
    const struct compare_page page = {.base = compared_base_name(&compared->base),
                                      .fresh = compared->fresh.key,
                                      .counts = counts,
                                      .notes = notes,
                                      .settings = &compared->settings,
                                      .comparison = comparison};
    int result = compare_page_write(&page, folder, err);

    free(counts);
    free(notes);
    return result;
}

/* Prints the cells or the groups. Returns the exit code, or -1. */
static int print(const struct comparison *comparison,
                 const struct compare_options *options,
                 const struct compared *compared,
                 struct err *err)
{
    enum row_output_format format = (enum row_output_format)options->shared.format;
    struct comparison_group *groups = NULL;
    struct group_summary summary = {0};
    size_t group_count = 0;
    int result = 0;

    if (options->to && write_page(comparison, options->to, compared, err) < 0)
        return -1;
    if (options->by)
        groups = comparison_groups(comparison, options->by->level, &group_count);
    else
        group_summary_init(&summary, comparison);
    struct totals totals = options->by ? totals_of_groups(groups, group_count)
                                       : totals_of_cells(comparison);
    if (format == ROW_OUTPUT_TEXT)
        print_summary(comparison, &totals, summary.text ? summary.text : "", compared);
    if (format != ROW_OUTPUT_TEXT || totals.rows > 0)
        result = options->by ? group_rows_print(options->by, groups, group_count,
                                                format, options->only, err)
                             : cell_rows_print(comparison, &compared->environments,
                                               format, options->only, err);
    int code = exit_code(comparison, &totals, summary.regressed, compared->is_stale);
    group_summary_clear(&summary);
    free(groups);
    return result < 0 ? -1 : code;
}

static int set_settings(struct compared *compared,
                        const struct compare_options *options,
                        struct err *err)
{
    const struct compared_job *fresh = &compared->fresh;
    const struct baseline *baseline = compared->base.baseline.rule;
    struct comparison_settings *settings = &compared->settings;

    *settings = (struct comparison_settings){
        .metric = fresh->metric[0] ? fresh->metric : "duration_us",
        .tolerance = fresh->metric[0] ? fresh->tolerance : 0.02,
        .baseline = baseline,
        .new_job_id = fresh->job_id,
    };
    compared->is_stale = baseline && baseline_is_stale(baseline, fresh->job_id,
                                                       fresh->submitted_wall_ns);
    if (options->metric)
        settings->metric = options->metric;
    return options->tolerance ? share_option_read("--tolerance", options->tolerance,
                                                  &settings->tolerance, err)
                              : 0;
}

static int check_nights(const struct compared *compared,
                        const struct compare_options *options,
                        struct err *err)
{
    if (compared->base.baseline.rule && options->nights != UINT64_MAX)
        return err_set(err, ERR_INPUT,
                       "--nights is for a job as the base; baseline %s uses the nights "
                       "of its own rule, see 'muster baseline show %s'",
                       compared->base.baseline.name, compared->base.baseline.name);
    return 0;
}

static int compare_jobs(struct row_source *source,
                        const struct compare_options *options,
                        struct compared *compared,
                        struct err *err)
{
    uint64_t nights = options->nights == UINT64_MAX ? NIGHTS_DEFAULT : options->nights;
    struct comparison *comparison;
    int result;

    if (check_nights(compared, options, err) < 0 ||
        set_settings(compared, options, err) < 0)
        return -1;
    comparison = comparison_create(&compared->settings);
    result = compared_jobs_read(
        comparison, source, &compared->base, &compared->fresh,
        &(struct compared_part){options->points, options->cards}, nights, err);
    if (result == 0)
        result = asked_metrics_check_comparison(compared->settings.metric, comparison,
                                                source, &compared->base,
                                                &compared->fresh, err);
    if (result == 0)
        result = compared_environments_read(
            &compared->environments, source,
            compared_base_newest(&compared->base, &compared->fresh),
            compared->fresh.job_id, err);
    if (result == 0) {
        comparison_judge(comparison);
        result = print(comparison, options, compared, err);
    }
    comparison_destroy(comparison);
    return result;
}

static int compare(const struct compare_options *options,
                   char *const *args,
                   size_t count,
                   struct err *err)
{
    struct compared compared = {0};
    struct row_source *source;
    int result;

    if (options->nights != UINT64_MAX && options->nights > NIGHTS_MAX)
        return err_set(err, ERR_INPUT, "--nights: at most %d, found %llu", NIGHTS_MAX,
                       (unsigned long long)options->nights);
    if (verdict_filter_check(options->only, err) < 0 ||
        row_source_open(&source, &options->shared.client, options->shared.out, err) < 0)
        return -1;
    result = compared_job_find(&compared.fresh, source, args[count - 1], err);
    if (result == 0)
        result = compared_base_find(&compared.base, source, count == 2 ? args[0] : NULL,
                                    &compared.fresh, err);
    if (result == 0)
        result = compare_jobs(source, options, &compared, err);
    compared_environments_clear(&compared.environments);
    compared_base_clear(&compared.base);
    compared_job_clear(&compared.fresh);
    row_source_close(source);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct compare_options options = {.shared = COMMAND_OPTIONS_INIT,
                                      .points = "*",
                                      .cards = "*",
                                      .only = "",
                                      .nights = UINT64_MAX};
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
        {"cards", 0, OPTION_TEXT, &options.cards, "PATTERN",
         "Only cards whose HOST, HOST:CARD or serial number matches (default: all)",
         NULL},
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
        {"to", 0, OPTION_TEXT, &options.to, "DIR",
         "Write the page compare.html with all levels to this folder as well (default: "
         "no page)",
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
        "BASE is a baseline (see 'muster baseline') or a job. Without BASE the key\n"
        "compare.against in the job file of NEW names it: a baseline, or the newest\n"
        "job of that name that is done and older than NEW.\n"
        "A cell is one metric of one kernel at one point; on one card, when the job\n"
        "lists cards.ids. The verdicts are regressed, improved, same (proved to be\n"
        "within the tolerance), inconclusive (with the reason), not-measured, gone\n"
        "and added.\n"
        "The changes of many cells are judged together too, by fleet, host, card and\n"
        "point: a line names those that changed, and --by prints them all. A group of\n"
        "fewer than five cells has a verdict only when all of them have it; a group\n"
        "of seven can show a change that no cell shows alone.\n"
        "Exit code 4: a cell regressed, or a group of cells. 5: something was not\n"
        "measured, more than 5 % of the cells are inconclusive, nothing could be\n"
        "compared, or the baseline is stale. Points in quarantine do not count.\n"
        "A job is a number, a key such as sweep-1, or a name: its newest job.",
    .examples = "  muster compare nightly sweep-7\n"
                "  muster compare --metric duration_us --tolerance 2% sweep-6 sweep-7",
    .run = run,
};
