#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "parsers/reports/model_internal.h"

/* The items of a list that are sorted, and where each came from. */
struct sorted {
    const void *item;
    size_t from;
};

static int compare_works(const void *left, const void *right)
{
    const struct report_work *a = ((const struct sorted *)left)->item;
    const struct report_work *b = ((const struct sorted *)right)->item;
    int order = strcmp(a->kernel, b->kernel);

    return order ? order : strverscmp(a->shape, b->shape); /* numeric: 8 before 16 */
}

static int compare_cards(const void *left, const void *right)
{
    const struct report_card *a = ((const struct sorted *)left)->item;
    const struct report_card *b = ((const struct sorted *)right)->item;
    int order = strverscmp(a->host, b->host);

    return order ? order : (a->card > b->card) - (a->card < b->card);
}

/* Sorts the list. Returns the new position of each old one; the caller frees it. */
static uint32_t *sort_list(struct report_list *list,
                           int (*compare)(const void *left, const void *right))
{
    struct sorted *order = xcalloc(list->count + 1, sizeof(*order));
    uint32_t *places = xcalloc(list->count + 1, sizeof(*places));
    char *copy = xcalloc(list->count + 1, list->size);

    for (size_t i = 0; i < list->count; i++)
        order[i] = (struct sorted){(char *)list->items + i * list->size, i};
    qsort(order, list->count, sizeof(*order), compare);
    for (size_t i = 0; i < list->count; i++) {
        memcpy(copy + i * list->size, order[i].item, list->size);
        places[order[i].from] = (uint32_t)i;
    }
    free(order);
    free(list->items);
    list->items = copy;
    list->room = list->count + 1;
    return places;
}

/* Sorts works and cards, and gives samples and figures their new positions. */
static void sort_names(struct report *report)
{
    uint32_t *works = sort_list(&report->works, compare_works);
    uint32_t *cards = sort_list(&report->cards, compare_cards);
    struct sample *samples = report->samples.items;
    struct figure *figures = report->figures.items;

    for (size_t i = 0; i < report->samples.count; i++) {
        samples[i].work = works[samples[i].work];
        samples[i].card = cards[samples[i].card];
    }
    for (size_t i = 0; i < report->figures.count; i++) {
        figures[i].work = works[figures[i].work];
        figures[i].card = cards[figures[i].card];
    }
    free(works);
    free(cards);
}

static int compare_samples(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;

    if (a->work != b->work)
        return a->work > b->work ? 1 : -1;
    if (a->card != b->card)
        return a->card > b->card ? 1 : -1;
    return (a->value_us > b->value_us) - (a->value_us < b->value_us);
}

static int compare_figures(const void *left, const void *right)
{
    const struct figure *a = left, *b = right;

    if (a->work != b->work)
        return a->work > b->work ? 1 : -1;
    if (a->measure != b->measure)
        return a->measure > b->measure ? 1 : -1;
    if (a->rank != b->rank)
        return a->rank > b->rank ? 1 : -1;
    return (a->value > b->value) - (a->value < b->value);
}

/* Registers the series as the owner of the files of the launch nearest its median. */
static void keep_launch(struct report *report, struct report_series *series)
{
    size_t position = report->series.count;
    char key[128];

    snprintf(key, sizeof(key), "%" PRIu64 " %" PRIu32 " device%" PRIu32 " %" PRIu64,
             series->run_id, series->rank, series->device, series->launch);
    map_put(report->file_owners, key, (void *)position);
    snprintf(key, sizeof(key), "%" PRIu64, series->run_id);
    if (!map_get(report->file_owners, key))
        map_put(report->file_owners, key, (void *)position);
}

static void add_series(struct report *report,
                       const struct sample *first,
                       size_t count,
                       double work_median)
{
    const struct report_work *work =
        (struct report_work *)report->works.items + first->work;
    const struct sample *middle = &first[(count - 1) / 2];
    struct report_series *series = report_list_add(&report->series);

    *series = (struct report_series){.work = first->work,
                                     .card = first->card,
                                     .shape = work->shape,
                                     .kernel = work->kernel,
                                     .count = count,
                                     .point = middle->point,
                                     .repeat = middle->repeat,
                                     .run_id = middle->run_id,
                                     .launch = middle->launch,
                                     .rank = middle->rank,
                                     .device = middle->device};
    series->values_us = arena_alloc(report->arena, count * sizeof(double));
    for (size_t i = 0; i < count; i++) {
        series->values_us[i] = first[i].value_us;
        series->simulated |= first[i].simulated;
    }
    series->median_us = stats_median(series->values_us, count);
    if (series->median_us > 0)
        series->spread =
            (series->values_us[count - 1] - series->values_us[0]) / series->median_us;
    series->ratio = work_median > 0 ? series->median_us / work_median : 1;
    keep_launch(report, series);
}

static double median_of_samples(const struct sample *samples, size_t count)
{
    double *values = xcalloc(count, sizeof(*values));
    double median;

    for (size_t i = 0; i < count; i++)
        values[i] = samples[i].value_us;
    median = stats_median(values, count);
    free(values);
    return median;
}

/* Makes the series of one work, whose samples are sorted by card and value. */
static void make_work(struct report *report, const struct sample *samples, size_t count)
{
    struct report_work *work =
        (struct report_work *)report->works.items + samples->work;

    work->median_us = median_of_samples(samples, count);
    work->first_series = report->series.count;
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && samples[next].card == samples[i].card;)
            next++;
        add_series(report, samples + i, next - i, work->median_us);
    }
    work->series_count = report->series.count - work->first_series;
}

static void make_series(struct report *report)
{
    const struct sample *samples = report->samples.items;
    size_t count = report->samples.count;

    if (count == 0)
        return;
    qsort(report->samples.items, count, sizeof(*samples), compare_samples);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && samples[next].work == samples[i].work;)
            next++;
        make_work(report, samples + i, next - i);
    }
}

/* Returns the median of figures that are sorted by value. */
static double median_of_figures(const struct figure *figures, size_t count)
{
    return (figures[(count - 1) / 2].value + figures[count / 2].value) / 2;
}

static struct report_rank *find_rank(struct report *report, const struct figure *figure)
{
    struct report_rank *ranks = report->ranks.items;

    for (size_t i = report->ranks.count; i > 0 && ranks[i - 1].work == figure->work;
         i--)
        if (ranks[i - 1].rank == figure->rank)
            return &ranks[i - 1];
    struct report_rank *rank = report_list_add(&report->ranks);
    *rank = (struct report_rank){.work = figure->work,
                                 .rank = figure->rank,
                                 .card = figure->card,
                                 .duration_us = NAN,
                                 .compute_us = NAN,
                                 .transfer_us = NAN,
                                 .wait_us = NAN,
                                 .wait_share = NAN,
                                 .tokens = NAN,
                                 .imbalance = NAN};
    return rank;
}

static void set_rank(struct report *report, const struct figure *figures, size_t count)
{
    struct report_rank *rank = find_rank(report, figures);
    double value = median_of_figures(figures, count);

    double *of_measure[REPORT_MEASURES] = {
        [MEASURE_DURATION] = &rank->duration_us,  [MEASURE_COMPUTE] = &rank->compute_us,
        [MEASURE_TRANSFER] = &rank->transfer_us,  [MEASURE_WAIT] = &rank->wait_us,
        [MEASURE_WAIT_SHARE] = &rank->wait_share, [MEASURE_TOKENS] = &rank->tokens,
        [MEASURE_IMBALANCE] = &rank->imbalance,
    };

    *of_measure[figures->measure] = value;
}

/* Sets a measure of a work from figures that are sorted by rank and value. */
static void
set_measure(struct report *report, const struct figure *figures, size_t count)
{
    struct report_work *work =
        (struct report_work *)report->works.items + figures->work;
    double *values = xcalloc(count, sizeof(*values));

    for (size_t i = 0; i < count; i++)
        values[i] = figures[i].value;
    work->measures[figures->measure] = stats_median(values, count);
    free(values);
    if (work->ranks < 2 || report_measures[figures->measure].group != REPORT_GROUP_RANK)
        return;
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && figures[next].rank == figures[i].rank;)
            next++;
        set_rank(report, figures + i, next - i);
    }
}

static void make_measures(struct report *report)
{
    struct figure *figures = report->figures.items;
    struct report_work *works = report->works.items;
    size_t count = report->figures.count;

    for (size_t i = 0; i < report->works.count; i++)
        for (size_t j = 0; j < REPORT_MEASURES; j++)
            works[i].measures[j] = NAN;
    if (count == 0)
        return;
    qsort(figures, count, sizeof(*figures), compare_figures);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && figures[next].work == figures[i].work &&
                           figures[next].measure == figures[i].measure;)
            next++;
        set_measure(report, figures + i, next - i);
    }
}

static void make_cards(struct report *report)
{
    const struct report_series *series = report->series.items;
    struct report_card *cards = report->cards.items;

    for (size_t i = 0; i < report->series.count; i++) {
        struct report_card *card = &cards[series[i].card];

        card->series_count++;
        card->ratio += series[i].ratio > 0 ? log(series[i].ratio) : 0;
    }
    for (size_t i = 0; i < report->cards.count; i++)
        cards[i].ratio = cards[i].series_count
                             ? exp(cards[i].ratio / (double)cards[i].series_count)
                             : 1;
}

void report_sort(struct report *report)
{
    sort_names(report);
    make_series(report);
    make_measures(report);
    make_cards(report);
}
