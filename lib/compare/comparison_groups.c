#include "lib/compare/comparison_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/base/text.h"
#include "lib/verdict/margin.h"
#include "lib/verdict/night_noise.h"
#include "lib/verdict/shift.h"
#include "lib/verdict/statistics/false_discovery.h"
#include "lib/verdict/verdict.h"

/* A group while it is judged. `rows` are its cells. */
struct group {
    const struct comparison_row *rows;
    size_t count;
    bool is_small; /* too few cells for the signed-rank test */
    enum comparison_outcome
        common; /* outcome of all compared cells, else OUTCOME_COUNT */
    struct shift shift;
    struct night_noise nights; /* medians over the cells, when all of them have it */
    struct comparison_group result;
};

static bool is_pinned(const struct comparison_row *row)
{
    return row->card[0] != '\0';
}

static bool is_grouped(const struct comparison_row *row, enum comparison_level level)
{
    bool by_card = level == LEVEL_CARD || level == LEVEL_HOST;

    return row->outcome != OUTCOME_GONE && row->outcome != OUTCOME_ADDED &&
           (!by_card || is_pinned(row)) && !row->quarantine[0];
}

/* Returns true when both sides of the cell were measured, and in the same way. */
static bool is_compared(const struct comparison_row *row)
{
    return row->base_median > 0 && row->new_median > 0 && isfinite(row->shift) &&
           !row->measured_otherwise;
}

static int order_of_group(const struct comparison_row *a,
                          const struct comparison_row *b,
                          enum comparison_level level)
{
    int order = strcmp(a->metric, b->metric);

    switch (level) {
    case LEVEL_POINT:
        order = order ? order : text_compare_names(a->point, b->point);
        return order ? order : text_compare_names(a->kernel, b->kernel);
    case LEVEL_CARD:
        return order ? order : text_compare_names(a->card, b->card);
    case LEVEL_HOST:
        return order ? order : text_compare_names(a->host, b->host);
    case LEVEL_FLEET:
        break;
    }
    return order;
}

static int by_group(const void *left, const void *right, void *arg)
{
    return order_of_group(left, right, *(const enum comparison_level *)arg);
}

/* Returns the change of a cell: of its medians, so that each cell counts once. */
static double change_of(const struct comparison_row *row)
{
    double change = log(row->new_median / row->base_median);

    return row->more_is_better ? -change : change;
}

/* A few cells prove together what each of them proves: the probability of the group is
 * the largest of its cells. */
static void measure_small_group(struct group *group)
{
    struct shift *shift = &group->shift;
    bool single = group->result.cells == 1;

    group->is_small = true;
    shift->p_worse = shift->p_better = group->result.cells ? 0 : NAN;
    for (size_t i = 0; i < group->count; i++) {
        const struct comparison_row *row = &group->rows[i];

        if (!is_compared(row))
            continue;
        shift->p_worse = fmax(shift->p_worse, row->p_worse);
        shift->p_better = fmax(shift->p_better, row->p_better);
        if (single) {
            shift->theta = row->shift;
            shift->low = row->low;
            shift->high = row->high;
            group->result.reason = row->reason;
            group->result.leaning = row->leaning;
        }
    }
}

/* Sets the night noise of the group. A night can change all cells of a card, a host or
 * the fleet alike, so many cells do not make it smaller than that of one. */
static void measure_nights(struct group *group)
{
    double *h = xreallocarray(NULL, group->count, 2 * sizeof(double));
    double *w = h + group->count;
    size_t count = 0;

    for (size_t i = 0; i < group->count; i++) {
        const struct comparison_row *row = &group->rows[i];

        if (!is_compared(row) || row->nights < COMPARISON_NIGHTS_FEWEST)
            continue;
        h[count] = row->night_noise;
        w[count++] = row->usual_night_noise;
    }
    if (count > 0 && count == group->result.cells) {
        group->nights.known = true;
        group->nights.h = stats_median(h, count);
        group->nights.w = stats_median(w, count);
    }
    free(h);
}

static void measure_group(struct group *group, enum comparison_level level)
{
    double *changes = xreallocarray(NULL, group->count, 2 * sizeof(double));
    double *margins = changes + group->count;
    const struct comparison_row *first = group->rows;
    struct comparison_group *result = &group->result;

    *result = (struct comparison_group){
        .metric = first->metric,
        .point = level == LEVEL_POINT ? first->point : "",
        .kernel = level == LEVEL_POINT ? first->kernel : "",
        .card = level == LEVEL_CARD ? first->card : "",
        .host = level == LEVEL_CARD || level == LEVEL_HOST ? first->host : "",
        .reason = "",
        .leaning = "",
    };
    for (size_t i = 0; i < group->count; i++) {
        const struct comparison_row *row = &group->rows[i];

        result->missing += row->outcome == OUTCOME_NOT_MEASURED;
        result->simulated |= row->simulated;
        if (!is_compared(row))
            continue;
        changes[result->cells] = change_of(row);
        if (result->cells == 0)
            group->common = row->outcome;
        else if (group->common != row->outcome)
            group->common = OUTCOME_COUNT;
        margins[result->cells++] = row->margin;
    }
    group->shift = shift_of_pairs(changes, result->cells);
    result->margin = stats_median(margins, result->cells);
    measure_nights(group);
    if (isnan(group->shift.low))
        measure_small_group(group);
    result->shift = group->shift.theta;
    result->low = group->shift.low;
    result->high = group->shift.high;
    result->p_worse = group->shift.p_worse;
    result->p_better = group->shift.p_better;
    free(changes);
}

static void judge_group(struct group *group, const struct verdict_limits *limits)
{
    static const enum comparison_outcome outcomes[] = {
        [VERDICT_INCONCLUSIVE] = OUTCOME_INCONCLUSIVE,
        [VERDICT_SAME] = OUTCOME_SAME,
        [VERDICT_IMPROVED] = OUTCOME_IMPROVED,
        [VERDICT_REGRESSED] = OUTCOME_REGRESSED,
    };
    struct comparison_group *result = &group->result;

    if (result->cells == 0) {
        result->outcome =
            result->missing > 0 ? OUTCOME_NOT_MEASURED : OUTCOME_INCONCLUSIVE;
        result->reason = result->missing > 0 ? "" : group->rows[0].reason;
        return;
    }
    if (group->is_small &&
        (result->cells == 1 || group->common < OUTCOME_INCONCLUSIVE)) {
        result->outcome = group->common;
        return;
    }
    struct margin margin = margin_of(expm1(result->margin), 0, 0, &group->nights);
    struct verdict verdict =
        verdict_judge(&group->shift, &margin, limits, result->p_worse_adjusted,
                      result->p_better_adjusted);
    result->outcome = outcomes[verdict.kind];
    result->reason = verdict_reason_name(verdict.reason);
    result->leaning = verdict_side_name(verdict.leaning);
}

/* Adjusts and judges the groups of one metric. */
static void
judge_family(struct group *groups, size_t count, const struct verdict_limits *limits)
{
    double *worse = xreallocarray(NULL, count, 2 * sizeof(double));
    double *better = worse + count;

    for (size_t i = 0; i < count; i++) {
        worse[i] = groups[i].shift.p_worse;
        better[i] = groups[i].shift.p_better;
    }
    false_discovery_adjust(worse, count, worse);
    false_discovery_adjust(better, count, better);
    for (size_t i = 0; i < count; i++) {
        groups[i].result.p_worse_adjusted = worse[i];
        groups[i].result.p_better_adjusted = better[i];
        judge_group(&groups[i], limits);
    }
    free(worse);
}

static int by_outcome(const void *left, const void *right)
{
    const struct comparison_group *a = left, *b = right;
    double one = fabs(a->shift), other = fabs(b->shift);
    int order;

    if (a->outcome != b->outcome)
        return a->outcome < b->outcome ? -1 : 1;
    if (one > other || one < other)
        return one > other ? -1 : 1;
    if ((order = strcmp(a->metric, b->metric)) ||
        (order = text_compare_names(a->point, b->point)) ||
        (order = text_compare_names(a->kernel, b->kernel)) ||
        (order = text_compare_names(a->card, b->card)))
        return order;
    return text_compare_names(a->host, b->host);
}

/* Returns the cells that belong to a group, sorted by group. */
static struct comparison_row *sorted_rows(const struct comparison *comparison,
                                          enum comparison_level level,
                                          size_t *count)
{
    size_t total = comparison_count(comparison);
    struct comparison_row *rows = xreallocarray(NULL, total + 1, sizeof(*rows));

    *count = 0;
    for (size_t i = 0; i < total; i++) {
        rows[*count] = comparison_row(comparison, i);
        *count += is_grouped(&rows[*count], level);
    }
    qsort_r(rows, *count, sizeof(*rows), by_group, &level);
    return rows;
}

struct comparison_group *comparison_groups(const struct comparison *comparison,
                                           enum comparison_level level,
                                           size_t *count)
{
    size_t row_count, found = 0;
    struct comparison_row *rows = sorted_rows(comparison, level, &row_count);
    struct group *groups = xcalloc(row_count + 1, sizeof(*groups));

    for (size_t first = 0, end; first < row_count; first = end) {
        for (end = first + 1;
             end < row_count && order_of_group(&rows[first], &rows[end], level) == 0;)
            end++;
        groups[found] = (struct group){.rows = &rows[first], .count = end - first};
        measure_group(&groups[found++], level);
    }
    for (size_t first = 0, end; first < found; first = end) {
        for (end = first + 1; end < found && strcmp(groups[first].result.metric,
                                                    groups[end].result.metric) == 0;)
            end++;
        judge_family(&groups[first], end - first, comparison_limits(comparison));
    }
    struct comparison_group *results = xcalloc(found + 1, sizeof(*results));
    for (size_t i = 0; i < found; i++)
        results[i] = groups[i].result;
    qsort(results, found, sizeof(*results), by_outcome);
    free(groups);
    free(rows);
    *count = found;
    return results;
}
