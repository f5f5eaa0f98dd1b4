/* model_tasks.c - the tasks of a report and the time that each took */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "parsers/reports/model_internal.h"

bool report_task_is_good(const struct report_task *task)
{
    return strcmp(task->state, "done") == 0;
}

enum { TASK_KEY_ROOM = 48 };

static const char *task_key(char out[TASK_KEY_ROOM], uint64_t point, uint64_t repeat)
{
    snprintf(out, TASK_KEY_ROOM, "%" PRIu64 " %" PRIu64, point, repeat);
    return out;
}

bool report_has_result(const struct report *report, uint64_t point, uint64_t repeat)
{
    char key[TASK_KEY_ROOM];

    return !map_get(report->bad_tasks, task_key(key, point, repeat));
}

struct gang_figures *report_gang(const struct report *report)
{
    return report->gang;
}

void report_add_task(struct report *report, const struct report_task *task)
{
    struct report_task *added = report_list_add(&report->tasks);

    *added = *task;
    added->point_text = arena_strdup(report->arena, task->point_text);
    added->state = arena_strdup(report->arena, task->state);
    added->reason = arena_strdup(report->arena, task->reason);
    report->good_count += report_task_is_good(task);
    if (report->gang && !report_task_is_good(task)) {
        char key[TASK_KEY_ROOM];

        map_put(report->bad_tasks, task_key(key, task->point, task->repeat), report);
    }
}

void report_add_rank_time(struct report *report, const struct report_rank_time *time)
{
    *(struct report_rank_time *)report_list_add(&report->rank_times) = *time;
}

static int compare_places(uint64_t point, uint64_t repeat, uint64_t p, uint64_t r)
{
    if (point != p)
        return point > p ? 1 : -1;
    return (repeat > r) - (repeat < r);
}

static int compare_tasks(const void *left, const void *right)
{
    const struct report_task *a = left, *b = right;

    return compare_places(a->point, a->repeat, b->point, b->repeat);
}

/* Tasks without a result come first. */
static int compare_tasks_by_result(const void *left, const void *right)
{
    bool a = report_task_is_good(left), b = report_task_is_good(right);

    return a != b ? a - b : compare_tasks(left, right);
}

static int compare_times(const void *left, const void *right)
{
    const struct report_rank_time *a = left, *b = right;
    int places = compare_places(a->point, a->repeat, b->point, b->repeat);

    if (places)
        return places;
    return (a->attempt > b->attempt) - (a->attempt < b->attempt);
}

/* Items mostly come in order, which costs one comparison each. */
static void sort(struct report_list *list, int (*compare)(const void *, const void *))
{
    const char *items = list->items;
    size_t ordered = 1;

    while (ordered < list->count && compare(items + (ordered - 1) * list->size,
                                            items + ordered * list->size) <= 0)
        ordered++;
    if (ordered < list->count)
        qsort(list->items, list->count, list->size, compare);
}

/* Returns the time from the first start to the last end of the ranks of the newest
 * attempt. `times` to `end` are those of one task, sorted by attempt. */
static double newest_attempt_seconds(const struct report_rank_time *times,
                                     const struct report_rank_time *end)
{
    const struct report_rank_time *last = end - 1;
    uint64_t from = last->started_wall_ns, to = last->ended_wall_ns;

    for (; times < end; times++) {
        if (times->attempt != last->attempt)
            continue;
        if (times->started_wall_ns < from)
            from = times->started_wall_ns;
        if (times->ended_wall_ns > to)
            to = times->ended_wall_ns;
    }
    return from && to > from ? (double)(to - from) / 1e9 : 0; /* 0: never started */
}

void report_sort_tasks(struct report *report)
{
    struct report_task *task = report->tasks.items;
    const struct report_rank_time *time, *end;

    sort(&report->tasks, compare_tasks);
    sort(&report->rank_times, compare_times);
    time = report->rank_times.items;
    end = time ? time + report->rank_times.count : NULL;
    for (size_t i = 0; i < report->tasks.count; i++, task++) {
        const struct report_rank_time *first;

        while (time < end &&
               compare_places(time->point, time->repeat, task->point, task->repeat) < 0)
            time++;
        for (first = time;
             time < end && time->point == task->point && time->repeat == task->repeat;)
            time++;
        if (time > first)
            task->seconds = newest_attempt_seconds(first, time);
    }
    sort(&report->tasks, compare_tasks_by_result);
}

size_t report_task_count(const struct report *report)
{
    return report->tasks.count;
}

size_t report_good_count(const struct report *report)
{
    return report->good_count;
}

bool report_is_complete(const struct report *report)
{
    return report->tasks.count > 0 && report->good_count == report->tasks.count;
}

const struct report_task *report_tasks(const struct report *report, size_t *count)
{
    *count = report->tasks.count;
    return report->tasks.items;
}

const struct report_task *report_bad_tasks(const struct report *report, size_t *count)
{
    *count = report->tasks.count - report->good_count;
    return report->tasks.items;
}
