#include "cli/query/failed_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "cli/query/row_source.h"
#include "lib/base/mem.h"

static void add(const void *message, void *arg)
{
    const struct msg_task_row *row = message;
    struct failed_tasks *tasks = arg;
    bool failed = strcmp(row->state, "failed") == 0;

    if (!failed && strcmp(row->state, "cancelled") != 0)
        return;
    tasks->any_failed = tasks->any_failed || failed;
    if (tasks->count == tasks->room) {
        tasks->room = tasks->room ? tasks->room * 2 : 16;
        tasks->items = xreallocarray(tasks->items, tasks->room, sizeof(*tasks->items));
    }
    struct failed_task *task = &tasks->items[tasks->count++];
    *task = (struct failed_task){.row = *row};
    task->row.point_text = xstrdup(row->point_text ? row->point_text : "");
    task->row.state = failed ? "failed" : "cancelled";
    task->row.host = xstrdup(row->host ? row->host : "");
    task->row.status = "";
    task->row.reason = "";
}

static int order(const void *left, const void *right)
{
    const struct failed_task *a = left, *b = right;

    if (a->row.point != b->row.point)
        return a->row.point < b->row.point ? -1 : 1;
    return (a->row.repeat > b->row.repeat) - (a->row.repeat < b->row.repeat);
}

int failed_tasks_read(struct failed_tasks *tasks,
                      struct row_source *source,
                      uint64_t job_id,
                      struct err *err)
{
    if (row_source_each(source, MSG_TASK_ROW, job_id, add, tasks, err) < 0)
        return -1;
    if (tasks->count)
        qsort(tasks->items, tasks->count, sizeof(*tasks->items), order);
    return 0;
}

void failed_tasks_clear(struct failed_tasks *tasks)
{
    for (size_t i = 0; i < tasks->count; i++) {
        free((char *)tasks->items[i].row.point_text);
        free((char *)tasks->items[i].row.host);
    }
    free(tasks->items);
    *tasks = (struct failed_tasks){0};
}

struct failed_task *
failed_tasks_find(const struct failed_tasks *tasks, uint64_t point, uint64_t repeat)
{
    const struct failed_task key = {.row = {.point = point, .repeat = repeat}};

    return tasks->count
               ? bsearch(&key, tasks->items, tasks->count, sizeof(*tasks->items), order)
               : NULL;
}
