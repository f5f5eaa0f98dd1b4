#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/html/page.h"
#include "lib/html/plot.h"
#include "lib/html/table.h"
#include "parsers/reports/html_names.h"
#include "parsers/reports/html_parts.h"
#include "parsers/reports/model.h"

enum { BAR_ROWS_MAX = 128 };

static bool has_parts(const struct report_rank *rank)
{
    return isfinite(rank->transfer_us) || isfinite(rank->wait_us);
}

/* Adds bars for the works with few ranks; the table has all of them. */
static void add_bars(const struct report *report, char **works, struct text *page)
{
    static const char *const parts[] = {"compute", "transfer", "wait"};
    size_t count, shown = 0;
    const struct report_rank *ranks = report_ranks(report, &count);
    char **names = xcalloc(BAR_ROWS_MAX, sizeof(*names));
    double *values = xcalloc(BAR_ROWS_MAX * COUNT(parts), sizeof(*values));

    for (size_t i = 0; i < count && shown < BAR_ROWS_MAX; i++) {
        if (!has_parts(&ranks[i]))
            continue;
        names[shown] = xasprintf("%s rank %u", works[ranks[i].work], ranks[i].rank);
        values[shown * COUNT(parts)] = ranks[i].compute_us;
        values[shown * COUNT(parts) + 1] = ranks[i].transfer_us;
        values[shown * COUNT(parts) + 2] = ranks[i].wait_us;
        shown++;
    }
    if (shown > 0)
        html_plot_bars(page, &(struct html_bars){.id = "rank-bars",
                                                 .label = "parts of the duration of "
                                                          "each rank",
                                                 .unit = "us",
                                                 .decimals = 2,
                                                 .rows = (const char *const *)names,
                                                 .row_count = shown,
                                                 .parts = parts,
                                                 .part_count = COUNT(parts),
                                                 .values = values});
    report_names_free(names, shown);
    free(values);
}

static const struct html_column columns[] = {
    {"kernel and shape", NULL, HTML_COLUMN_TEXT, 0},
    {"rank", NULL, HTML_COLUMN_NUMBER, 0},
    {"card", "of the last repeat", HTML_COLUMN_TEXT, 0},
    {"origin", "measured on a card, or simulated", HTML_COLUMN_WORD, 0},
    {"duration, us", NULL, HTML_COLUMN_NUMBER, 2},
    {"compute, us", "the cores of the rank compute", HTML_COLUMN_NUMBER, 2},
    {"transfer, us", "the rank only copies from or to other ranks", HTML_COLUMN_NUMBER,
     2},
    {"wait, us", "the rest of its duration", HTML_COLUMN_NUMBER, 2},
    {"wait, %",
     "of its duration; for cores that transfer themselves: their vector units and "
     "transfer engines are idle",
     HTML_COLUMN_NUMBER, 1},
    {"tokens", "rows that its experts received", HTML_COLUMN_NUMBER, 0},
    {"imbalance", "rows of its busiest expert over their mean", HTML_COLUMN_NUMBER, 2},
    {"behind the first, us", "duration minus the shortest duration of a rank",
     HTML_COLUMN_NUMBER, 2},
    {"merged timeline", "of all ranks", HTML_COLUMN_LINK, 0},
};

static double
shortest_duration(const struct report_rank *ranks, size_t count, size_t at)
{
    double least = ranks[at].duration_us;

    for (size_t i = at; i > 0 && ranks[i - 1].work == ranks[at].work; i--)
        least = fmin(least, ranks[i - 1].duration_us);
    for (size_t i = at; i < count && ranks[i].work == ranks[at].work; i++)
        least = fmin(least, ranks[i].duration_us);
    return least;
}

static void
add_table(const struct report *report, char **works, char **cards, struct text *page)
{
    size_t count, work_count;
    const struct report_rank *ranks = report_ranks(report, &count);
    const struct report_work *all = report_works(report, &work_count);
    struct html_table table;

    html_table_begin(&table, page, "rank-table", columns, COUNT(columns));
    html_table_fold_by(&table, 0);
    for (size_t i = 0; i < count; i++) {
        const struct report_rank *rank = &ranks[i];
        const struct report_work *work = &all[rank->work];

        html_table_row(&table);
        html_table_text(&table, works[rank->work]);
        html_table_number(&table, rank->rank);
        html_table_text(&table, cards[rank->card]);
        html_table_text(&table, work->simulated ? "simulated" : "measured");
        html_table_number(&table, rank->duration_us);
        html_table_number(&table, rank->compute_us);
        html_table_number(&table, rank->transfer_us);
        html_table_number(&table, rank->wait_us);
        html_table_number(&table, rank->wait_share);
        html_table_number(&table, rank->tokens);
        html_table_number(&table, rank->imbalance);
        html_table_number(&table,
                          rank->duration_us - shortest_duration(ranks, count, i));
        if (work->timeline_path)
            html_table_link(&table, work->timeline_path, "timeline");
        else
            html_table_none(&table);
    }
    html_table_end(&table);
}

/* States how unequal the ranks of a work with tokens are. All ranks but those of shared
 * experts have equally many experts. */
static void add_tokens(const struct report_rank *ranks,
                       size_t count,
                       const char *work,
                       struct text *page)
{
    double sum = 0, most = 0, busiest = 0;

    for (size_t i = 0; i < count; i++) {
        if (!isfinite(ranks[i].tokens))
            return;
        sum += ranks[i].tokens;
        most = fmax(most, ranks[i].tokens);
        if (isfinite(ranks[i].imbalance))
            busiest = fmax(busiest, ranks[i].tokens * ranks[i].imbalance);
    }
    if (sum > 0)
        html_element(
            page, "p", "",
            "%s: the busiest rank received %.2f times the mean rows of a rank, "
            "the busiest expert %.2f times the mean rows of an expert.",
            work, most * (double)count / sum, busiest * (double)count / sum);
}

void report_html_ranks(const struct report *report, struct text *page)
{
    const struct report_rank *ranks;
    size_t count, work_count, card_count;
    char **works = report_work_names(report), **cards = report_card_names(report);

    report_works(report, &work_count);
    report_cards(report, &card_count);
    ranks = report_ranks(report, &count);
    if (count > 0) {
        html_section_begin(page, "ranks", "Ranks: compute, transfer, wait", true);
        for (size_t i = 0, next; i < count; i = next) {
            for (next = i + 1; next < count && ranks[next].work == ranks[i].work;)
                next++;
            add_tokens(ranks + i, next - i, works[ranks[i].work], page);
        }
        add_bars(report, works, page);
        add_table(report, works, cards, page);
        html_section_end(page);
    }
    report_names_free(works, work_count);
    report_names_free(cards, card_count);
}

static const struct html_column step_columns[] = {
    {"shape", NULL, HTML_COLUMN_TEXT, 0},
    {"steps", "with the same sequence of kernels", HTML_COLUMN_TEXT, 0},
    {"rank", NULL, HTML_COLUMN_NUMBER, 0},
    {"number", "of steps", HTML_COLUMN_NUMBER, 0},
    {"service, us", "mean time of a step", HTML_COLUMN_NUMBER, 3},
    {"busy ratio", "part of it in which the device is busy", HTML_COLUMN_NUMBER, 4},
    {"prelaunch, us", "idle before the first kernel", HTML_COLUMN_NUMBER, 3},
    {"internal, us", "idle between kernels", HTML_COLUMN_NUMBER, 3},
    {"tail, us", "idle after the last kernel", HTML_COLUMN_NUMBER, 3},
    {"anomalies", "with the number of steps", HTML_COLUMN_TEXT, 0},
    {"analysis", "of the rank", HTML_COLUMN_LINK, 0},
};

void report_html_steps(const struct report *report, struct text *page)
{
    size_t count;
    const struct report_steps *steps = report_steps(report, &count);
    struct html_table table;

    if (count == 0)
        return;
    html_section_begin(page, "steps", "Steps of the program", true);
    html_table_begin(&table, page, "step-table", step_columns, COUNT(step_columns));
    for (; count; count--, steps++) {
        html_table_row(&table);
        html_table_text(&table, steps->shape);
        html_table_text(&table, steps->kernel);
        html_table_number(&table, steps->rank);
        for (size_t i = 0; i < STEP_MEASURES; i++)
            html_table_number(&table, steps->measures[i]);
        html_table_text(&table, *steps->anomalies ? steps->anomalies : "none");
        if (steps->analysis_path)
            html_table_link(&table, steps->analysis_path, "analysis");
        else
            html_table_none(&table);
    }
    html_table_end(&table);
    html_section_end(page);
}
