#include "lib/compare/night_trends.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/base/text.h"
#include "lib/compare/baseline.h"
#include "lib/compare/cell_values.h"
#include "lib/compare/metric_direction.h"

/* A cell, or a series that is made of cells. */
struct series {
    char *point, *kernel, *card, *metric, *unit;
    uint64_t rank;
    double *values; /* one per night */
    size_t room;
    struct repeat_values present; /* of the present night */
    size_t present_night;         /* its number, from 1 */
    double tick_ns;
    bool simulated; /* a value is */
    struct night_trend row;
};

struct series_list {
    struct series **all;
    size_t count, room;
    struct map *index;
};

struct night_trends {
    struct night_trends_settings settings;
    char *metric;
    uint64_t *job_ids;
    size_t night_count, night_room;
    struct figure_keys *keys;
    struct series_list cells;
    struct series_list groups; /* points or cards, made by night_trends_judge() */
};

struct night_trends *night_trends_create(const struct night_trends_settings *settings)
{
    struct night_trends *trends = xcalloc(1, sizeof(*trends));

    trends->settings = *settings;
    trends->metric = xstrdup(settings->metric);
    trends->keys = figure_keys_create();
    trends->cells.index = map_create();
    trends->groups.index = map_create();
    return trends;
}

static void list_clear(struct series_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct series *series = list->all[i];

        trend_clear(&series->row.trend);
        repeat_values_clear(&series->present);
        free(series->point);
        free(series->kernel);
        free(series->card);
        free(series->metric);
        free(series->unit);
        free(series->values);
        free(series);
    }
    free(list->all);
    map_destroy(list->index);
}

void night_trends_destroy(struct night_trends *trends)
{
    if (!trends)
        return;
    list_clear(&trends->cells);
    list_clear(&trends->groups);
    figure_keys_destroy(trends->keys);
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

static struct series *add_series(struct series_list *list,
                                 const char *key,
                                 const char *point,
                                 const char *kernel,
                                 const char *card,
                                 const char *metric,
                                 const char *unit)
{
    struct series *series = xcalloc(1, sizeof(*series));

    series->point = xstrdup(point);
    series->kernel = xstrdup(kernel);
    series->card = xstrdup(card);
    series->metric = xstrdup(metric);
    series->unit = xstrdup(unit);
    if (list->count == list->room) {
        list->room = list->room ? list->room * 2 : 64;
        list->all = xreallocarray(list->all, list->room, sizeof(struct series *));
    }
    list->all[list->count++] = series;
    map_put(list->index, key, series);
    return series;
}

/* Sets the value of a night, counted from 0. Nights in between have none. */
static void set_value(struct series *series, size_t night, double value)
{
    if (night >= series->room) {
        size_t room = series->room ? series->room * 2 : 16;

        while (room <= night)
            room *= 2;
        series->values = xreallocarray(series->values, room, sizeof(double));
        for (size_t i = series->room; i < room; i++)
            series->values[i] = NAN;
        series->room = room;
    }
    series->values[night] = value;
}

/* Ends the present night of a cell: its value is the median of its repeats. */
static void end_night(struct series *cell)
{
    struct repeat_values *present = &cell->present;

    repeat_values_end(present);
    if (present->count > 0)
        set_value(cell, cell->present_night - 1,
                  stats_median(present->values, present->count));
    present->count = 0;
}

void night_trends_add(struct night_trends *trends,
                      const struct comparison_figure *figure)
{
    const struct launch_value value = {figure->value, figure->simulated,
                                       figure->tick_ns};

    if (trends->night_count == 0 || !text_matches_any(figure->metric, trends->metric))
        return;
    struct figure_identity identity = figure_identity_of(trends->keys, figure);
    struct series *cell = map_get(trends->cells.index, identity.key);
    if (!cell) {
        cell = add_series(&trends->cells, identity.key, identity.point, figure->kernel,
                          identity.card, figure->metric, figure->unit);
        cell->rank = figure->rank;
    }
    if (cell->present_night != trends->night_count)
        end_night(cell);
    cell->present_night = trends->night_count;
    cell->tick_ns = fmax(cell->tick_ns, figure->tick_ns);
    cell->simulated |= figure->simulated;
    repeat_values_add(&cell->present, figure->repeat, &value);
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
        (order = strcmp(a->point, b->point)) || (order = strcmp(a->kernel, b->kernel)))
        return order;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static int order_of_cards(const void *left, const void *right)
{
    const struct series *a = *(struct series *const *)left;
    const struct series *b = *(struct series *const *)right;
    int order = strcmp(a->metric, b->metric);

    return order ? order : strcmp(a->card, b->card);
}

/* Returns the usual value of a cell: the median of its nights. */
static double usual_value(const struct series *cell, double *space)
{
    size_t count = 0;

    for (size_t night = 0; night < cell->room; night++)
        if (isfinite(cell->values[night]))
            space[count++] = cell->values[night];
    return stats_median(space, count);
}

/* Fills the group with the median of the cells, each divided by its scale. */
static void fill_group(struct series *group,
                       struct series *const *cells,
                       const double *scales,
                       size_t count,
                       size_t nights)
{
    double *values = xreallocarray(NULL, count, sizeof(*values));

    for (size_t night = 0; night < nights; night++) {
        size_t found = 0;

        for (size_t i = 0; i < count; i++)
            if (night < cells[i]->room && isfinite(cells[i]->values[night]))
                values[found++] = cells[i]->values[night] / scales[i];
        if (found > 0)
            set_value(group, night, stats_median(values, found));
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
    struct series *group = add_series(
        &trends->groups, key, is_card ? "" : first->point, is_card ? "" : first->kernel,
        is_card ? first->card : "", first->metric, is_card ? "" : first->unit);
    group->rank = is_card ? 0 : first->rank;
    for (size_t i = 0; i < count; i++) {
        scales[i] = is_card ? usual_value(cells[i], space) : 1;
        group->simulated |= cells[i]->simulated;
        if (!is_card)
            group->tick_ns = fmax(group->tick_ns, cells[i]->tick_ns);
    }
    fill_group(group, cells, scales, count, nights);
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
        if (isfinite(series->values[i]))
            values[count++] = series->values[i];
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

    set_value(series, nights - 1,
              nights <= series->room ? series->values[nights - 1] : NAN);
    *row = (struct night_trend){
        .point = series->point,
        .kernel = series->kernel,
        .card = series->card,
        .metric = series->metric,
        .unit = series->unit,
        .rank = series->rank,
        .values = series->values,
        .more_is_better = metric_more_is_better(series->metric),
        .simulated = series->simulated,
    };
    for (size_t i = 0; i < nights; i++)
        row->value_count += isfinite(series->values[i]);
    trend_init(&row->trend, series->values, nights, forced,
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

double night_trend_last_change(const struct night_trend *row)
{
    const struct trend *trend = &row->trend;
    double change =
        trend->boundary_count ? trend->boundaries[trend->boundary_count - 1].change : 0;

    return row->more_is_better ? -change : change;
}

/* 0: worse, 1: better, 2: drifts, 3: quiet */
static int class_of(const struct night_trend *row)
{
    double change = night_trend_last_change(row);

    return change > 0 ? 0 : change < 0 ? 1 : row->trend.drifts ? 2 : 3;
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
    return order ? order : strcmp(a->card, b->card);
}

static const struct series_list *judged(const struct night_trends *trends)
{
    return trends->settings.level == TREND_OF_CELLS ? &trends->cells : &trends->groups;
}

void night_trends_judge(struct night_trends *trends, const struct baseline *baseline)
{
    for (size_t i = 0; i < trends->cells.count; i++)
        end_night(trends->cells.all[i]);
    if (trends->settings.level != TREND_OF_CELLS)
        make_groups(trends);
    const struct series_list *list = judged(trends);
    for (size_t i = 0; i < list->count; i++)
        judge_series(trends, list->all[i], baseline);
    if (list->count > 0)
        qsort(list->all, list->count, sizeof(*list->all), order_of_rows);
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
