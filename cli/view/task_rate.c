#include "cli/view/task_rate.h"

#include <stdlib.h>

#include "lib/base/mem.h"

enum { BACK_MS = 10000 }; /* older looks tell nothing of late */

void task_rate_clear(struct task_rate *pace)
{
    free(pace->now);
    free(pace->before);
    *pace = (struct task_rate){0};
}

static int by_number(const void *left, const void *right)
{
    const struct task_rate_job *one = left, *other = right;

    return (one->job_id > other->job_id) - (one->job_id < other->job_id);
}

static const struct task_rate_job *
find(const struct task_rate_job *jobs, size_t count, uint64_t job_id)
{
    const struct task_rate_job key = {.job_id = job_id};

    return count ? bsearch(&key, jobs, count, sizeof(*jobs), by_number) : NULL;
}

/* What the jobs had left that were there the last time and are not now. */
static uint64_t count_gone(const struct task_rate *pace)
{
    uint64_t gone = 0;

    for (size_t i = 0; i < pace->before_count; i++) {
        const struct task_rate_job *before = &pace->before[i];

        if (!find(pace->now, pace->now_count, before->job_id))
            gone += before->tasks - before->ended;
    }
    return gone;
}

void task_rate_begin(struct task_rate *pace, uint64_t now_ms)
{
    struct task_rate_job *jobs = pace->before;
    size_t room = pace->before_room;

    pace->ended += count_gone(pace);
    if (pace->looks)
        pace->moments[(pace->looks - 1) % TASK_RATE_MOMENTS].ended = pace->ended;
    pace->moments[pace->looks++ % TASK_RATE_MOMENTS] =
        (struct task_rate_moment){now_ms, pace->ended};
    pace->before = pace->now;
    pace->before_count = pace->now_count;
    pace->before_room = pace->now_room;
    pace->now = jobs;
    pace->now_room = room;
    pace->now_count = 0;
}

void task_rate_add(struct task_rate *pace,
                   uint64_t job_id,
                   uint64_t ended,
                   uint64_t tasks)
{
    const struct task_rate_job *before = find(pace->before, pace->before_count, job_id);

    if (before && ended > before->ended)
        pace->ended += ended - before->ended;
    if (pace->now_count == pace->now_room) {
        pace->now_room = pace->now_room ? pace->now_room * 2 : 16;
        pace->now = xreallocarray(pace->now, pace->now_room, sizeof(*pace->now));
    }
    pace->now[pace->now_count++] = (struct task_rate_job){job_id, ended, tasks};
}

bool task_rate_per_second(const struct task_rate *pace, double *rate)
{
    const struct task_rate_moment *last, *first;
    size_t back = 1;

    if (pace->looks < 2)
        return false;
    last = first = &pace->moments[(pace->looks - 1) % TASK_RATE_MOMENTS];
    for (; back < pace->looks && back < TASK_RATE_MOMENTS; back++) {
        const struct task_rate_moment *moment =
            &pace->moments[(pace->looks - 1 - back) % TASK_RATE_MOMENTS];

        if (back > 1 && last->ms - moment->ms > BACK_MS)
            break;
        first = moment;
    }
    if (last->ms <= first->ms)
        return false;
    *rate = (double)(pace->ended + count_gone(pace) - first->ended) * 1000 /
            (double)(last->ms - first->ms);
    return true;
}
