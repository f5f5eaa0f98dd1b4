#include "lib/compare/trends/night_trends.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/base/text.h"
#include "lib/compare/baseline.h"
#include "lib/compare/cell_values.h"
#include "lib/compare/disturbed.h"
#include "lib/compare/metric_direction.h"
#include "lib/compare/trends/anchor_change.h"
#include "lib/compare/trends/night_series.h"

enum { REPEATS_MOST = 10000 }; /* of a job; more cannot be stored */

struct night_trends {
    struct night_trends_settings settings;
    char *metric;
    uint64_t *job_ids;
    size_t night_count, night_room;
    struct figure_keys *keys;
    struct disturbed *disturbed;
    struct series_list cells;
    struct series_list groups; /* points or cards, made by night_trends_judge() */
    bool in_anchor;            /* figures belong to the anchor */
    const struct baseline *anchor_rule;
    uint64_t anchor_job_id;
    size_t anchor_jobs, anchor_first, anchor_slots; /* slots: repeats of its jobs */
};

struct night_trends *night_trends_create(const struct night_trends_settings *settings)
{
    struct night_trends *trends = xcalloc(1, sizeof(*trends));

    trends->settings = *settings;
    trends->metric = xstrdup(settings->metric);
    trends->keys = figure_keys_create();
    trends->disturbed = disturbed_create();
    series_list_init(&trends->cells);
    series_list_init(&trends->groups);
    return trends;
}

void night_trends_destroy(struct night_trends *trends)
{
    if (!trends)
        return;
    series_list_clear(&trends->cells);
    series_list_clear(&trends->groups);
    figure_keys_destroy(trends->keys);
    disturbed_destroy(trends->disturbed);
    free(trends->job_ids);
    free(trends->metric);
    free(trends);
}

void night_trends_begin_night(struct night_trends *trends, uint64_t job_id)
{
    if (trends->night_count == trends->night_room) {
        trends->night_room = trends->night_room ? trends->night_room * 2 : 64;
        trends->job_ids = xreallocarray(trends->job_ids, trends->night_room,
                                        sizeof(*trends->job_ids));
    }
    trends->job_ids[trends->night_count++] = job_id;
}

void night_trends_begin_anchor_job(struct night_trends *trends,
                                   uint64_t job_id,
                                   const struct baseline *rule)
{
    trends->in_anchor = true;
    trends->anchor_rule = rule;
    trends->anchor_job_id = job_id;
    trends->anchor_jobs++;
    trends->anchor_first = trends->anchor_slots;
}

/* Numbers the repeats of all nights, and those of all jobs of the anchor. */
static uint64_t repeat_in_trend(struct night_trends *trends, uint64_t repeat)
{
    size_t slot = trends->anchor_first + (size_t)repeat;

    if (!trends->in_anchor)
        return repeat_of_night(trends->night_count, repeat);
    if (slot >= trends->anchor_slots)
        trends->anchor_slots = slot + 1;
    return slot;
}

/* Returns false when the figure has a series: it describes no disturbance. */
static bool add_disturbance(struct night_trends *trends,
                            const struct comparison_figure *figure)
{
    if (!disturbance_has_metric(figure->metric))
        return false;
    if (strcmp(figure->metric, disturbed_metric) != 0 || figure->repeat >= REPEATS_MOST)
        return true;
    struct figure_identity identity = figure_identity_of(trends->keys, figure);
    disturbed_add(
        trends->disturbed,
        &(struct disturbed_tasks){identity.point, identity.card, !trends->in_anchor},
        repeat_in_trend(trends, figure->repeat), figure_card_name(trends->keys, figure),
        figure->value);
    return true;
}

/* Adds a repeat of the anchor to a cell that has nights. */
static void add_to_anchor(struct night_trends *trends,
                          const struct comparison_figure *figure,
                          const struct figure_identity *identity,
                          const struct launch_value *value)
{
    struct series *cell = series_list_find(&trends->cells, identity->key);

    if (!cell || figure->repeat >= REPEATS_MOST ||
        (trends->anchor_rule && !baseline_uses(trends->anchor_rule, identity->point,
                                               trends->anchor_job_id, 0)))
        return;
    repeat_values_add(&cell->anchor_repeats, repeat_in_trend(trends, figure->repeat),
                      value);
}

void night_trends_add(struct night_trends *trends,
                      const struct comparison_figure *figure)
{
    const struct launch_value value = {figure->value, figure->simulated,
                                       figure->tick_ns};

    if (trends->night_count == 0 || add_disturbance(trends, figure) ||
        !text_matches_any(figure->metric, trends->metric))
        return;
    struct figure_identity identity = figure_identity_of(trends->keys, figure);
    if (trends->in_anchor) {
        add_to_anchor(trends, figure, &identity, &value);
        return;
    }
    struct series *cell = series_list_find(&trends->cells, identity.key);
    if (!cell) {
        cell = series_list_add(&trends->cells, identity.key, identity.point,
                               figure->kernel, identity.card, figure->metric,
                               figure->unit);
        cell->rank = figure->rank;
    }
    cell->tick_ns = fmax(cell->tick_ns, figure->tick_ns);
    cell->simulated |= figure->simulated;
    series_add(cell, trends->night_count - 1, repeat_in_trend(trends, figure->repeat),
               &value, trends->disturbed);
}

/* The cells of a point or of a card, next to each other. */

static bool is_in_level(const struct series *cell, enum night_trends_level level)
{
    return level == TREND_OF_POINTS || cell->card[0];
}

static int order_of_points(const void *left, const void *right)
{
    const struct series *a = *(struct series *const *)left;
    const struct series *b = *(struct series *const *)right;
    int order;

    if ((order = strcmp(a->metric, b->metric)) ||
        (order = text_compare_names(a->point, b->point)) ||
        (order = text_compare_names(a->kernel, b->kernel)))
        return order;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static int order_of_cards(const void *left, const void *right)
{
    const struct series *a = *(struct series *const *)left;
    const struct series *b = *(struct series *const *)right;
    int order = strcmp(a->metric, b->metric);

    return order ? order : text_compare_names(a->card, b->card);
}

/* Returns the usual value of a cell: the median of its nights. */
static double usual_value(const struct series *cell, double *space)
{
    size_t count = 0;

    for (size_t night = 0; night < cell->nights.room; night++)
        if (isfinite(cell->nights.values[night]))
            space[count++] = cell->nights.values[night];
    return stats_median(space, count);
}

static struct value_slots *slots_of(struct series *series, bool of_anchor)
{
    return of_anchor ? &series->anchor : &series->nights;
}

/* Fills the group with the median of the cells, each divided by its scale. */
static void fill_group(struct series *group,
                       struct series *const *cells,
                       const double *scales,
                       size_t count,
                       bool of_anchor,
                       size_t numbers)
{
    double *values = xreallocarray(NULL, count, sizeof(*values));

    for (size_t number = 0; number < numbers; number++) {
        size_t found = 0;

        for (size_t i = 0; i < count; i++) {
            double value = value_slots_get(slots_of(cells[i], of_anchor), number);

            if (isfinite(value))
                values[found++] = value / scales[i];
        }
        if (found > 0)
            value_slots_set(slots_of(group, of_anchor), number,
                            stats_median(values, found));
    }
    free(values);
}

static void
make_group(struct night_trends *trends, struct series *const *cells, size_t count)
{
    bool is_card = trends->settings.level == TREND_OF_CARDS;
    size_t nights = trends->night_count;
    double *scales = xreallocarray(NULL, count, sizeof(*scales));
    double *space = xreallocarray(NULL, nights * 2 + 16, sizeof(*space));
    const struct series *first = cells[0];
    char key[24];

    snprintf(key, sizeof(key), "%zu", trends->groups.count);
    struct series *group = series_list_add(
        &trends->groups, key, is_card ? "" : first->point, is_card ? "" : first->kernel,
        is_card ? first->card : "", first->metric, is_card ? "" : first->unit);
    group->rank = is_card ? 0 : first->rank;
    for (size_t i = 0; i < count; i++) {
        scales[i] = is_card ? usual_value(cells[i], space) : 1;
        group->simulated |= cells[i]->simulated;
        if (!is_card)
            group->tick_ns = fmax(group->tick_ns, cells[i]->tick_ns);
    }
    fill_group(group, cells, scales, count, false, nights);
    fill_group(group, cells, scales, count, true, trends->anchor_slots);
    free(space);
    free(scales);
}

static void make_groups(struct night_trends *trends)
{
    bool is_card = trends->settings.level == TREND_OF_CARDS;
    int (*order)(const void *, const void *) =
        is_card ? order_of_cards : order_of_points;
    struct series_list *cells = &trends->cells;
    struct series **sorted = xreallocarray(NULL, cells->count + 1, sizeof(*sorted));
    size_t count = 0;

    for (size_t i = 0; i < cells->count; i++)
        if (is_in_level(cells->all[i], trends->settings.level))
            sorted[count++] = cells->all[i];
    if (count > 0)
        qsort(sorted, count, sizeof(*sorted), order);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && order(&sorted[first], &sorted[end]) == 0;)
            end++;
        make_group(trends, &sorted[first], end - first);
    }
    free(sorted);
}

/* Writes the indices of the nights that begin a level of this point. Returns their
 * number. */
static size_t known_changes(const struct night_trends *trends,
                            const struct series *series,
                            const struct baseline *baseline,
                            size_t *nights)
{
    const char *point = trends->settings.level == TREND_OF_CARDS ? "" : series->point;
    size_t count = 0;

    for (size_t i = 1; baseline && i < trends->night_count; i++)
        if (baseline_level(baseline, point, trends->job_ids[i] + 1) !=
            baseline_level(baseline, point, trends->job_ids[i - 1] + 1))
            nights[count++] = i;
    return count;
}

/* The median of the nights since the last boundary. */
static double last_level(const struct series *series, size_t nights)
{
    const struct trend *trend = &series->row.trend;
    size_t start =
        trend->boundary_count ? trend->boundaries[trend->boundary_count - 1].night : 0;
    double *values = xreallocarray(NULL, nights + 1, sizeof(*values));
    size_t count = 0;

    for (size_t i = start; i < nights; i++)
        if (isfinite(series->nights.values[i]))
            values[count++] = series->nights.values[i];
    double level = count ? stats_median(values, count) : NAN;
    free(values);
    return level;
}

static void judge_series(struct night_trends *trends,
                         struct series *series,
                         const struct baseline *baseline)
{
    size_t nights = trends->night_count;
    size_t *forced = xreallocarray(NULL, nights, sizeof(*forced));
    const struct trend_rule rule = {
        .tolerance = trends->settings.tolerance,
        .smallest = trends->settings.least_change,
        .tick = series->unit[0]
                    ? metric_tick(series->metric, series->unit, series->tick_ns)
                    : 0,
    };
    struct night_trend *row = &series->row;

    value_slots_set(&series->nights, nights - 1,
                    value_slots_get(&series->nights, nights - 1));
    *row = (struct night_trend){
        .point = series->point,
        .kernel = series->kernel,
        .card = series->card,
        .metric = series->metric,
        .unit = series->unit,
        .rank = series->rank,
        .values = series->nights.values,
        .more_is_better = metric_more_is_better(series->metric),
        .simulated = series->simulated,
    };
    for (size_t i = 0; i < nights; i++)
        row->value_count += isfinite(series->nights.values[i]);
    trend_init(&row->trend, series->nights.values, nights, forced,
               known_changes(trends, series, baseline, forced), &rule);
    row->level = last_level(series, nights);
    free(forced);
}

bool night_trends_is_simulated(const struct night_trends *trends)
{
    for (size_t i = 0; i < night_trends_count(trends); i++)
        if (night_trends_row(trends, i)->simulated)
            return true;
    return false;
}

/* 0: worse, 1: better, 2: drifts, 3: quiet */
static int class_of(const struct night_trend *row)
{
    double change = night_trend_last_change(row);

    return change > 0 ? 0 : change < 0 ? 1 : night_trend_drifts(row) ? 2 : 3;
}

static int order_of_rows(const void *left, const void *right)
{
    const struct series *a = *(struct series *const *)left;
    const struct series *b = *(struct series *const *)right;
    double one = fabs(night_trend_last_change(&a->row));
    double other = fabs(night_trend_last_change(&b->row));
    int order = class_of(&a->row) - class_of(&b->row);

    if (order)
        return order;
    if (one != other)
        return one > other ? -1 : 1;
    order = order_of_points(left, right);
    return order ? order : text_compare_names(a->card, b->card);
}

static const struct series_list *judged(const struct night_trends *trends)
{
    return trends->settings.level == TREND_OF_CELLS ? &trends->cells : &trends->groups;
}

/* Compares the series of each metric, which are a family, with their anchor. */
static void judge_anchor(const struct night_trends *trends,
                         const struct series_list *list)
{
    struct series **all = list->all;

    qsort(all, list->count, sizeof(*all), order_of_points);
    for (size_t first = 0, end; first < list->count; first = end) {
        for (end = first + 1;
             end < list->count && strcmp(all[first]->metric, all[end]->metric) == 0;)
            end++;
        anchor_change_judge(&all[first], end - first, trends->anchor_jobs,
                            trends->settings.tolerance);
    }
}

void night_trends_judge(struct night_trends *trends, const struct baseline *baseline)
{
    for (size_t i = 0; i < trends->cells.count; i++)
        series_end(trends->cells.all[i], trends->disturbed);
    if (trends->settings.level != TREND_OF_CELLS)
        make_groups(trends);
    const struct series_list *list = judged(trends);
    for (size_t i = 0; i < list->count; i++)
        judge_series(trends, list->all[i], baseline);
    if (list->count == 0)
        return;
    if (trends->in_anchor)
        judge_anchor(trends, list);
    qsort(list->all, list->count, sizeof(*list->all), order_of_rows);
}

const char *night_trends_metric(const struct night_trends *trends)
{
    return trends->metric;
}

size_t night_trends_night_count(const struct night_trends *trends)
{
    return trends->night_count;
}

uint64_t night_trends_job_id(const struct night_trends *trends, size_t night)
{
    return trends->job_ids[night];
}

size_t night_trends_count(const struct night_trends *trends)
{
    return judged(trends)->count;
}

const struct night_trend *night_trends_row(const struct night_trends *trends,
                                           size_t index)
{
    return &judged(trends)->all[index]->row;
}
