#include "cli/view/task_rate.h"

#include <stdlib.h>

#include "lib/base/mem.h"

enum { BACK_MS = 10000 }; /* age limit of the samples in the rate */

void task_rate_clear(struct task_rate *rate)
{
    free(rate->now);
    free(rate->before);
    *rate = (struct task_rate){0};
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

/* Returns the unfinished tasks of jobs that are missing from the latest sample. */
static uint64_t count_gone(const struct task_rate *rate)
{
    uint64_t gone = 0;

    for (size_t i = 0; i < rate->before_count; i++) {
        const struct task_rate_job *before = &rate->before[i];

        if (!find(rate->now, rate->now_count, before->job_id))
            gone += before->tasks - before->ended;
    }
    return gone;
}

void task_rate_begin(struct task_rate *rate, uint64_t now_ms)
{
    struct task_rate_job *jobs = rate->before;
    size_t room = rate->before_room;

    rate->ended += count_gone(rate);
    if (rate->samples)
        rate->moments[(rate->samples - 1) % TASK_RATE_MOMENTS].ended = rate->ended;
    rate->moments[rate->samples++ % TASK_RATE_MOMENTS] =
        (struct task_rate_moment){now_ms, rate->ended};
    rate->before = rate->now;
    rate->before_count = rate->now_count;
    rate->before_room = rate->now_room;
    rate->now = jobs;
    rate->now_room = room;
    rate->now_count = 0;
}

void task_rate_add(struct task_rate *rate,
                   uint64_t job_id,
                   uint64_t ended,
                   uint64_t tasks)
{
    const struct task_rate_job *before = find(rate->before, rate->before_count, job_id);

    if (before && ended > before->ended)
        rate->ended += ended - before->ended;
    if (rate->now_count == rate->now_room) {
        rate->now_room = rate->now_room ? rate->now_room * 2 : 16;
        rate->now = xreallocarray(rate->now, rate->now_room, sizeof(*rate->now));
    }
    rate->now[rate->now_count++] = (struct task_rate_job){job_id, ended, tasks};
}

bool task_rate_per_second(const struct task_rate *rate, double *per_second)
{
    const struct task_rate_moment *last, *first;
    size_t back = 1;

    if (rate->samples < 2)
        return false;
    last = first = &rate->moments[(rate->samples - 1) % TASK_RATE_MOMENTS];
    for (; back < rate->samples && back < TASK_RATE_MOMENTS; back++) {
        const struct task_rate_moment *moment =
            &rate->moments[(rate->samples - 1 - back) % TASK_RATE_MOMENTS];

        if (back > 1 && last->ms - moment->ms > BACK_MS)
            break;
        first = moment;
    }
    if (last->ms <= first->ms)
        return false;
    *per_second = (double)(rate->ended + count_gone(rate) - first->ended) * 1000 /
                  (double)(last->ms - first->ms);
    return true;
}
