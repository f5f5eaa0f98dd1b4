#include "parsers/reports/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/stats.h"

struct list {
    void *items;
    size_t count, room, size;
};

struct report {
    struct arena *arena;
    struct report_job job;
    struct list bad;     /* struct report_task */
    struct list samples; /* struct sample */
    struct list series;  /* struct report_series */
    struct list cards;   /* struct report_card */
    size_t task_count, good_count;
    bool simulated, measured;
    uint64_t last_wall_ms;
    char verdict[96];
};

struct sample {
    const char *shape;
    const char *kernel;
    const char *host;
    const char *model;
    uint64_t card;
    double value_us;
};

static void *list_add(struct list *list)
{
    if (list->count == list->room) {
        list->room = list->room ? list->room * 2 : 64;
        list->items = xreallocarray(list->items, list->room, list->size);
    }
    return memset((char *)list->items + list->count++ * list->size, 0, list->size);
}

struct report *report_create(const struct report_job *job)
{
    struct report *report = xcalloc(1, sizeof(*report));

    report->arena = arena_create(64 * 1024);
    report->job = *job;
    report->job.key = arena_strdup(report->arena, job->key);
    report->job.name = arena_strdup(report->arena, job->name);
    report->job.file_name = arena_strdup(report->arena, job->file_name);
    report->job.user = arena_strdup(report->arena, job->user);
    report->job.state = arena_strdup(report->arena, job->state);
    report->job.reason = arena_strdup(report->arena, job->reason);
    report->bad.size = sizeof(struct report_task);
    report->samples.size = sizeof(struct sample);
    report->series.size = sizeof(struct report_series);
    report->cards.size = sizeof(struct report_card);
    return report;
}

void report_destroy(struct report *report)
{
    if (!report)
        return;
    free(report->bad.items);
    free(report->samples.items);
    free(report->series.items);
    free(report->cards.items);
    arena_destroy(report->arena);
    free(report);
}

void report_add_good(struct report *report, size_t count)
{
    report->task_count += count;
    report->good_count += count;
}

void report_add_bad(struct report *report, const struct report_task *task)
{
    struct report_task *bad = list_add(&report->bad);

    report->task_count++;
    *bad = *task;
    bad->point_text = arena_strdup(report->arena, task->point_text);
    bad->state = arena_strdup(report->arena, task->state);
    bad->reason = arena_strdup(report->arena, task->reason);
}

/* Returns the text of a point without its `card=N`. */
static char *shape_of(struct arena *arena, const char *point_text)
{
    char *shape = arena_strdup(arena, point_text);
    char *out = shape;

    for (const char *word = point_text; *word;) {
        size_t length = strcspn(word, " ");

        if (length && strncmp(word, "card=", 5) != 0) {
            if (out != shape)
                *out++ = ' ';
            memcpy(out, word, length);
            out += length;
        }
        word += length;
        word += strspn(word, " ");
    }
    *out = '\0';
    return shape;
}

void report_add_duration(struct report *report, const struct report_duration *row)
{
    struct sample *sample = list_add(&report->samples);

    *sample = (struct sample){.shape = shape_of(report->arena, row->point_text),
                              .kernel = arena_strdup(report->arena, row->kernel),
                              .host = arena_strdup(report->arena, row->host),
                              .model = arena_strdup(report->arena, row->model),
                              .card = row->card,
                              .value_us = row->value_us};
    if (row->simulated)
        report->simulated = true;
    else
        report->measured = true;
}

void report_set_last(struct report *report, uint64_t wall_ms)
{
    struct report_job *job = &report->job;

    report->last_wall_ms = wall_ms;
    if (job->has_ended && !job->ended_wall_ms)
        job->ended_wall_ms = wall_ms ? wall_ms : job->submitted_wall_ms;
}

uint64_t report_last_wall_ms(const struct report *report)
{
    return report->last_wall_ms;
}

static int compare_work(const struct sample *a, const struct sample *b)
{
    int order = strcmp(a->kernel, b->kernel);

    return order ? order : strverscmp(a->shape, b->shape); /* numeric: 8 before 16 */
}

static int compare_cards(const struct sample *a, const struct sample *b)
{
    int order = strcmp(a->host, b->host);

    return order ? order : (a->card > b->card) - (a->card < b->card);
}

static int compare_samples(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;
    int order = compare_work(a, b);

    if (order == 0)
        order = compare_cards(a, b);
    return order ? order : (a->value_us > b->value_us) - (a->value_us < b->value_us);
}

/* Returns the median of `first` and the samples after it that have the same kernel and
 * shape. */
static double
median_of_work(struct arena *arena, const struct sample *first, size_t left)
{
    size_t count = 0;

    while (count < left && compare_work(first, first + count) == 0)
        count++;
    double *values = arena_alloc(arena, count * sizeof(*values));
    for (size_t i = 0; i < count; i++)
        values[i] = first[i].value_us;
    return stats_median(values, count);
}

static void add_series(struct report *report,
                       const struct sample *first,
                       size_t count,
                       double work_median)
{
    struct report_series *series = list_add(&report->series);

    *series = (struct report_series){.shape = first->shape,
                                     .kernel = first->kernel,
                                     .host = first->host,
                                     .model = first->model,
                                     .card = first->card,
                                     .count = count};
    series->values_us = arena_alloc(report->arena, count * sizeof(double));
    for (size_t i = 0; i < count; i++)
        series->values_us[i] = first[i].value_us;
    series->median_us = stats_median(series->values_us, count);
    if (series->median_us > 0)
        series->spread =
            (series->values_us[count - 1] - series->values_us[0]) / series->median_us;
    series->ratio = work_median > 0 ? series->median_us / work_median : 1;
}

static void make_series(struct report *report)
{
    struct sample *samples = report->samples.items;
    size_t count = report->samples.count;
    double work_median = 0;

    if (count == 0)
        return;
    qsort(samples, count, sizeof(*samples), compare_samples);
    for (size_t i = 0, next; i < count; i = next) {
        if (i == 0 || compare_work(&samples[i - 1], &samples[i]) != 0)
            work_median = median_of_work(report->arena, samples + i, count - i);
        for (next = i + 1; next < count; next++)
            if (compare_work(&samples[i], &samples[next]) != 0 ||
                compare_cards(&samples[i], &samples[next]) != 0)
                break;
        add_series(report, samples + i, next - i, work_median);
    }
}

static int compare_report_cards(const void *left, const void *right)
{
    const struct report_card *a = left, *b = right;
    int order = strcmp(a->host, b->host);

    return order ? order : (a->card > b->card) - (a->card < b->card);
}

static void make_cards(struct report *report)
{
    const struct report_series *series = report->series.items;
    struct map *seen = map_create(); /* "host card" -> position + 1 */

    for (size_t i = 0; i < report->series.count; i++) {
        char key[320];

        snprintf(key, sizeof(key), "%s %llu", series[i].host,
                 (unsigned long long)series[i].card);
        uintptr_t position = (uintptr_t)map_get(seen, key);
        if (position == 0) {
            struct report_card *added = list_add(&report->cards);

            *added = (struct report_card){.host = series[i].host,
                                          .model = series[i].model,
                                          .card = series[i].card};
            position = report->cards.count;
            map_put(seen, key, (void *)position);
        }
        struct report_card *card =
            (struct report_card *)report->cards.items + (position - 1);
        card->series_count++;
        card->ratio += series[i].ratio > 0 ? log(series[i].ratio) : 0;
    }
    map_destroy(seen);

    struct report_card *cards = report->cards.items;
    for (size_t i = 0; i < report->cards.count; i++)
        cards[i].ratio = exp(cards[i].ratio / (double)cards[i].series_count);
    if (report->cards.count)
        qsort(cards, report->cards.count, sizeof(*cards), compare_report_cards);
}

static int compare_tasks(const void *left, const void *right)
{
    const struct report_task *a = left, *b = right;

    if (a->point != b->point)
        return a->point > b->point ? 1 : -1;
    return (a->repeat > b->repeat) - (a->repeat < b->repeat);
}

void report_finish(struct report *report)
{
    make_series(report);
    make_cards(report);
    if (report->bad.count)
        qsort(report->bad.items, report->bad.count, sizeof(struct report_task),
              compare_tasks);
    snprintf(report->verdict, sizeof(report->verdict), "%s, %zu of %zu tasks",
             report->task_count == 0                                ? "no tasks"
             : report_is_complete(report)                           ? "complete"
             : report->good_count == 0 && report->series.count == 0 ? "no results"
                                                                    : "incomplete",
             report->good_count, report->task_count);
}

const struct report_job *report_job(const struct report *report)
{
    return &report->job;
}

size_t report_task_count(const struct report *report)
{
    return report->task_count;
}

size_t report_good_count(const struct report *report)
{
    return report->good_count;
}

bool report_is_complete(const struct report *report)
{
    return report->task_count > 0 && report->good_count == report->task_count;
}

bool report_has_simulated(const struct report *report)
{
    return report->simulated;
}

bool report_has_measured(const struct report *report)
{
    return report->measured;
}

const struct report_task *report_bad_tasks(const struct report *report, size_t *count)
{
    *count = report->bad.count;
    return report->bad.items;
}

const struct report_series *report_series(const struct report *report, size_t *count)
{
    *count = report->series.count;
    return report->series.items;
}

const struct report_card *report_cards(const struct report *report, size_t *count)
{
    *count = report->cards.count;
    return report->cards.items;
}

const char *report_verdict(const struct report *report)
{
    return report->verdict;
}
