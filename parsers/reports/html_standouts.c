/* The sentences compare medians; they do not judge. */
#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/html/page.h"
#include "parsers/reports/html_names.h"
#include "parsers/reports/html_parts.h"
#include "parsers/reports/model.h"

struct names {
    char **works, **cards;
};

static double percent(double ratio)
{
    return (ratio - 1) * 100;
}

static void
add_cards(const struct report *report, const struct names *names, struct text *page)
{
    size_t count, slowest = 0, fastest = 0;
    const struct report_card *cards = report_cards(report, &count);

    for (size_t i = 1; i < count; i++) {
        if (cards[i].ratio > cards[slowest].ratio)
            slowest = i;
        if (cards[i].ratio < cards[fastest].ratio)
            fastest = i;
    }
    if (count > 1)
        html_list_item(page, "",
                       "The slowest card is %s: %+.2f %% against the median of all %zu "
                       "cards. The fastest is %s: %+.2f %%.",
                       names->cards[slowest], percent(cards[slowest].ratio), count,
                       names->cards[fastest], percent(cards[fastest].ratio));
}

static void
add_spread(const struct report *report, const struct names *names, struct text *page)
{
    size_t count;
    const struct report_series *series = report_series(report, &count);
    const struct report_series *widest = series;

    for (size_t i = 1; i < count; i++)
        if (series[i].spread > widest->spread)
            widest = &series[i];
    if (count > 0 && widest->spread > 0)
        html_list_item(
            page, "",
            "The widest spread is that of %s on %s: its repeats differ by %.2f %% "
            "of their median, from %.2f to %.2f us.",
            names->works[widest->work], names->cards[widest->card],
            widest->spread * 100, widest->values_us[0],
            widest->values_us[widest->count - 1]);
}

/* The duration of a rank contains its waiting, so ranks are compared by the time in
 * which they compute, where it is known. */
static double own_time(const struct report_rank *rank)
{
    return isfinite(rank->compute_us) ? rank->compute_us : rank->duration_us;
}

struct worst_rank {
    const struct report_rank *rank;
    double ratio; /* to the median of all ranks of its work */
};

/* Looks for the rank that differs most among the ranks of one work. */
static void
compare_ranks(struct worst_rank *worst, const struct report_rank *ranks, size_t count)
{
    double *times = xcalloc(count, sizeof(*times));

    for (size_t i = 0; i < count; i++)
        times[i] = own_time(&ranks[i]);
    double median = stats_median(times, count);
    free(times);
    for (size_t i = 0; i < count; i++) {
        double ratio = median > 0 ? own_time(&ranks[i]) / median : 0;

        if (ratio > worst->ratio)
            *worst = (struct worst_rank){&ranks[i], ratio};
    }
}

static void
add_ranks(const struct report *report, const struct names *names, struct text *page)
{
    struct worst_rank worst = {0};
    const struct report_rank *waits = NULL;
    size_t count;
    const struct report_rank *ranks = report_ranks(report, &count);

    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && ranks[next].work == ranks[i].work;)
            next++;
        compare_ranks(&worst, ranks + i, next - i);
    }
    for (size_t i = 0; i < count; i++)
        if (ranks[i].wait_us > 0 && ranks[i].duration_us > 0 &&
            (!waits || ranks[i].wait_us / ranks[i].duration_us >
                           waits->wait_us / waits->duration_us))
            waits = &ranks[i];
    if (worst.rank)
        html_list_item(
            page, "",
            "The worst step among ranks is that of rank %u of %s on %s: it %s "
            "%.2f us, %+.2f %% against the median rank.",
            (unsigned)worst.rank->rank, names->works[worst.rank->work],
            names->cards[worst.rank->card],
            isfinite(worst.rank->compute_us) ? "computes for" : "runs for",
            own_time(worst.rank), percent(worst.ratio));
    if (waits)
        html_list_item(
            page, "",
            "The longest wait is that of rank %u of %s on %s: %.1f %% of its "
            "duration.",
            (unsigned)waits->rank, names->works[waits->work], names->cards[waits->card],
            waits->wait_us / waits->duration_us * 100);
}

static void add_failures(const struct report *report, struct text *page)
{
    size_t count;
    const struct report_task *task = report_bad_tasks(report, &count);

    if (count > 0)
        html_list_item(
            page, "bad",
            "%zu of %zu tasks %s no result. The first is %s repeat %llu: %s.", count,
            report_task_count(report), count == 1 ? "has" : "have", task->point_text,
            (unsigned long long)task->repeat,
            *task->reason ? task->reason : task->state);
}

void report_html_standouts(const struct report *report, struct text *page)
{
    struct names names = {report_work_names(report), report_card_names(report)};
    size_t works, cards;

    report_works(report, &works);
    report_cards(report, &cards);
    html_list_begin(page);
    add_failures(report, page);
    add_cards(report, &names, page);
    add_spread(report, &names, page);
    add_ranks(report, &names, page);
    html_list_end(page);
    report_names_free(names.works, works);
    report_names_free(names.cards, cards);
}
