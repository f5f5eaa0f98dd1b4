/* comparison_judge.c - completes the cells and gives each one its outcome */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/compare/baseline.h"
#include "lib/compare/comparison_internal.h"
#include "lib/compare/method.h"
#include "lib/compare/metric_direction.h"
#include "lib/compare/point_key.h"

/* Returns true when all nights of the base were left out for their method. */
static bool has_only_other_nights(const struct compared *cell)
{
    return cell->other_method && cell->cell.base_count == 0 &&
           cell->left_out[COMPARISON_BASE] == 0;
}

/* Simulated and measured figures cannot be compared, and neither can those of different
 * methods. */
static bool measured_otherwise(const struct comparison *comparison,
                               const struct compared *cell)
{
    const struct repeat_values *base = &cell->sides[COMPARISON_BASE];
    const struct repeat_values *fresh = &cell->sides[COMPARISON_NEW];

    return base->measured != fresh->measured || base->simulated != fresh->simulated ||
           comparison_methods_differ(comparison, cell->methods[COMPARISON_BASE],
                                     cell->methods[COMPARISON_NEW]);
}

static struct comparison_rule rule_of(const struct comparison *comparison,
                                      const struct compared *compared)
{
    const struct comparison_settings *settings = &comparison->settings;
    struct comparison_rule rule = {settings->tolerance,
                                   metric_more_is_better(compared->metric)};

    if (settings->rule)
        settings->rule(&rule, compared->task_point, compared->metric,
                       settings->rule_arg);
    return rule;
}

/* Ends the repeats of one side, or of its nights, and leaves out the disturbed ones. */
static struct disturbed_repeats end_repeats(const struct comparison *comparison,
                                            const struct compared *cell,
                                            struct repeat_values *values,
                                            enum comparison_side side)
{
    const struct disturbed_tasks tasks = {cell->point, cell->card,
                                          side == COMPARISON_NEW};

    repeat_values_end(values);
    return disturbed_leave_out(comparison->disturbed, &tasks, values);
}

/* Adds the disturbed repeats of the side to the reason. */
static void end_side(const struct comparison *comparison,
                     struct compared *cell,
                     enum comparison_side side)
{
    struct disturbed_repeats repeats =
        end_repeats(comparison, cell, &cell->sides[side], side);

    cell->left_out[side] = repeats.left_out;
    if (repeats.left_out == 0)
        return;
    char *before = cell->reason;
    char *reason = disturbed_reason(&repeats, side == COMPARISON_NEW);

    disturbed_repeats_clear(&repeats);
    if (!before) {
        cell->reason = reason;
        return;
    }
    cell->reason = xasprintf("%s; %s", before, reason);
    free(reason);
    free(before);
}

/* Returns the number of nights, and their medians in the cell. */
static size_t end_nights(const struct comparison *comparison, struct compared *cell)
{
    struct repeat_values *nights = &cell->nights;

    if (comparison->settings.baseline) {
        nights = &cell->sides[COMPARISON_BASE];
    } else {
        struct disturbed_repeats left_out =
            end_repeats(comparison, cell, nights, COMPARISON_BASE);

        disturbed_repeats_clear(&left_out);
    }
    return repeat_values_nights(nights, &cell->night_medians);
}

static void fill_cell(const struct comparison *comparison, struct compared *compared)
{
    size_t base_nights = comparison->settings.baseline ? 0 : 1; /* 0: all */

    compared->rule = rule_of(comparison, compared);
    end_side(comparison, compared, COMPARISON_BASE);
    end_side(comparison, compared, COMPARISON_NEW);
    size_t nights = end_nights(comparison, compared);
    compared->cell = (struct cell){
        .base = compared->sides[COMPARISON_BASE].values,
        .fresh = compared->sides[COMPARISON_NEW].values,
        .base_count = compared->sides[COMPARISON_BASE].count,
        .fresh_count = compared->sides[COMPARISON_NEW].count,
        .tolerance = compared->rule.tolerance,
        .tick = metric_tick(compared->metric, compared->unit,
                            fmax(compared->sides[COMPARISON_BASE].tick_ns,
                                 compared->sides[COMPARISON_NEW].tick_ns)),
        .nights = nights > 0
                      ? night_noise_of(compared->night_medians, nights, base_nights)
                      : (struct night_noise){0},
        .measured_otherwise = measured_otherwise(comparison, compared),
    };
}

static bool is_quarantined(const struct compared *cell)
{
    return cell->quarantine[0] != '\0';
}

static int order_by_family(const void *left, const void *right)
{
    const struct compared *a = *(struct compared *const *)left;
    const struct compared *b = *(struct compared *const *)right;
    int order = strcmp(a->metric, b->metric);

    return order ? order : is_quarantined(a) - is_quarantined(b);
}

/* The cells of one metric are one family, whose probabilities are adjusted together.
 * Those in quarantine are another. */
static void
judge_family(struct compared **cells, size_t count, const struct verdict_limits *limits)
{
    struct cell **family = xcalloc(count, sizeof(struct cell *));
    size_t size = 0;

    for (size_t i = 0; i < count; i++)
        if (comparison_has_both(cells[i]))
            family[size++] = &cells[i]->cell;
    family_judge(family, size, cells[0]->rule.more_is_better, limits);
    free(family);
}

static enum comparison_outcome outcome_of(const struct comparison *comparison,
                                          const struct compared *cell)
{
    static const enum comparison_outcome outcomes[] = {
        [VERDICT_INCONCLUSIVE] = OUTCOME_INCONCLUSIVE,
        [VERDICT_SAME] = OUTCOME_SAME,
        [VERDICT_IMPROVED] = OUTCOME_IMPROVED,
        [VERDICT_REGRESSED] = OUTCOME_REGRESSED,
    };
    if (comparison_has_both(cell))
        return outcomes[cell->cell.verdict.kind];
    if (cell->cell.fresh_count == 0 && cell->left_out[COMPARISON_NEW] > 0)
        return OUTCOME_NOT_MEASURED;
    if (has_only_other_nights(cell))
        return OUTCOME_INCONCLUSIVE;
    if (cell->cell.base_count == 0)
        return cell->left_out[COMPARISON_BASE] > 0 ? OUTCOME_NOT_MEASURED
                                                   : OUTCOME_ADDED;
    if (asked_tasks_new(comparison->asked, cell->numbers.task_point) == 0)
        return OUTCOME_GONE;
    return OUTCOME_NOT_MEASURED;
}

/* Returns true when the new job measured the cell's point completely on another card.
 */
static bool has_other_card(const struct comparison *comparison,
                           const struct compared *cell)
{
    const struct cell_identity identity = comparison_without_card(cell);

    return cell->card[0] && cell->left_out[COMPARISON_NEW] == 0 &&
           cell_identities_find(comparison->measured, &identity) != CELL_IDENTITY_NONE;
}

/* Changed cells come first, equal ones last. */
static int rank_of(enum comparison_outcome outcome)
{
    static const int ranks[OUTCOME_COUNT] = {
        [OUTCOME_REGRESSED] = 0,    [OUTCOME_IMPROVED] = 1, [OUTCOME_NOT_MEASURED] = 2,
        [OUTCOME_INCONCLUSIVE] = 3, [OUTCOME_GONE] = 4,     [OUTCOME_ADDED] = 5,
        [OUTCOME_SAME] = 6,
    };

    return ranks[outcome];
}

static int order_by_outcome(const void *left, const void *right)
{
    const struct compared *a = *(struct compared *const *)left;
    const struct compared *b = *(struct compared *const *)right;
    double one = fabs(a->cell.shift.theta), other = fabs(b->cell.shift.theta);
    int order;

    if (is_quarantined(a) != is_quarantined(b))
        return is_quarantined(a) - is_quarantined(b);
    if (a->outcome != b->outcome)
        return rank_of(a->outcome) < rank_of(b->outcome) ? -1 : 1;
    if (comparison_has_both(a) && comparison_has_both(b) && one != other)
        return one > other ? -1 : 1;
    if ((order = text_compare_names(a->point, b->point)) ||
        (order = text_compare_names(a->kernel, b->kernel)) ||
        (order = text_compare_names(a->card, b->card)) ||
        (order = strcmp(a->metric, b->metric)))
        return order;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Returns the reason of the quarantine of a point, or "". */
static const char *quarantine_of(const struct comparison *comparison, const char *point)
{
    const char *reason = comparison->settings.baseline
                             ? baseline_quarantine(comparison->settings.baseline, point)
                             : NULL;

    return reason ? reason : "";
}

static void count_missing(struct comparison *comparison)
{
    for (uint32_t i = 0; i < asked_tasks_end(comparison->asked); i++) {
        size_t missing = asked_tasks_missing(comparison->asked, i);
        bool pinned;
        char *key;

        if (missing == 0)
            continue;
        key = point_key(figure_task_point(comparison->keys, i), &pinned);
        if (!quarantine_of(comparison, key)[0])
            comparison->missing += missing;
        free(key);
    }
}

/* Adds how the methods of both sides differ to the reason. */
static void add_methods(const struct comparison *comparison, struct compared *cell)
{
    bool only_others = has_only_other_nights(cell) && cell->cell.fresh_count > 0;
    uint32_t base = only_others ? cell->other_method : cell->methods[COMPARISON_BASE];
    char *difference =
        cell->cell.measured_otherwise || only_others
            ? method_difference(
                  names_text(comparison->methods, base),
                  names_text(comparison->methods, cell->methods[COMPARISON_NEW]))
            : NULL;

    if (!difference)
        return;
    char *before = cell->reason;
    cell->reason = xasprintf("%s%s%s%s", only_others ? "measured-otherwise; " : "",
                             difference, before ? "; " : "", before ? before : "");
    cell->cell.measured_otherwise = true;
    free(difference);
    free(before);
}

/* Puts the reason of the verdict before the repeats that were left out. */
static void complete_reason(const struct comparison *comparison, struct compared *cell)
{
    const char *reason = verdict_reason_name(cell->cell.verdict.reason);

    add_methods(comparison, cell);
    if (!cell->reason || !comparison_has_both(cell) || !reason[0])
        return;
    char *left_out = cell->reason;
    cell->reason = xasprintf("%s; %s", reason, left_out);
    free(left_out);
}

void comparison_judge(struct comparison *comparison)
{
    struct compared **cells = comparison->cells;
    size_t count = comparison->count;

    for (size_t i = 0; i < count; i++) {
        fill_cell(comparison, cells[i]);
        cells[i]->quarantine = quarantine_of(comparison, cells[i]->point);
    }
    if (count > 0)
        qsort(cells, count, sizeof(*cells), order_by_family);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1;
             end < count && order_by_family(&cells[first], &cells[end]) == 0;)
            end++;
        judge_family(&cells[first], end - first, comparison_limits(comparison));
    }
    for (size_t i = 0; i < count; i++) {
        complete_reason(comparison, cells[i]);
        cells[i]->outcome = outcome_of(comparison, cells[i]);
        cells[i]->missing =
            asked_tasks_missing(comparison->asked, cells[i]->numbers.task_point);
        if (cells[i]->outcome == OUTCOME_NOT_MEASURED && cells[i]->missing == 0 &&
            has_other_card(comparison, cells[i]))
            cells[i]->outcome = OUTCOME_GONE;
        if (is_quarantined(cells[i]))
            comparison->quarantined++;
        else
            comparison->totals[cells[i]->outcome]++;
    }
    count_missing(comparison);
    if (count > 0)
        qsort(cells, count, sizeof(*cells), order_by_outcome);
}
