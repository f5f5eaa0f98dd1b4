#include "sim/hccl/times/schedule.h"

#include <stdlib.h>

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Returns the time that the rank computes for the turns before this one. */
static uint64_t before(const struct schedule_input *of, uint32_t turn, uint32_t rank)
{
    uint64_t all = of->compute_ns[rank], turns = of->turns;

    /* all * turn / turns, without an overflow of the product */
    return all / turns * turn + all % turns * turn / turns;
}

static uint64_t *row(uint64_t *rows, const struct schedule *schedule, uint32_t step)
{
    return rows + (uint64_t)step * schedule->of.ranks;
}

uint64_t schedule_posted(const struct schedule *schedule, uint32_t step, uint32_t rank)
{
    return row(schedule->posted, schedule, step)[rank];
}

uint64_t schedule_done(const struct schedule *schedule, uint32_t step, uint32_t rank)
{
    return row(schedule->done, schedule, step)[rank];
}

bool schedule_transfer(const struct schedule *schedule,
                       uint32_t step,
                       uint32_t from,
                       uint32_t to,
                       struct schedule_span *out)
{
    const struct schedule_input *of = &schedule->of;
    uint64_t takes =
        of->transfer_ns(of->arg, step / of->stages, step % of->stages, from, to);

    if (takes == SCHEDULE_NOTHING)
        return false;
    out->from = later(schedule_posted(schedule, step, from),
                      schedule_posted(schedule, step, to));
    out->to = out->from + takes;
    return true;
}

static void post(const struct schedule *schedule, uint32_t step)
{
    const struct schedule_input *of = &schedule->of;
    uint64_t *posted = row(schedule->posted, schedule, step);

    for (uint32_t rank = 0; rank < of->ranks; rank++) {
        posted[rank] = of->start_ns[rank];
        if (of->computes_first)
            posted[rank] += before(of, step / of->stages + 1, rank);
        if (step > 0)
            posted[rank] = later(posted[rank], schedule_done(schedule, step - 1, rank));
    }
}

static void finish(const struct schedule *schedule, uint32_t step)
{
    uint32_t ranks = schedule->of.ranks;
    uint64_t *done = row(schedule->done, schedule, step);
    struct schedule_span span;

    for (uint32_t rank = 0; rank < ranks; rank++)
        done[rank] = schedule_posted(schedule, step, rank);
    for (uint32_t from = 0; from < ranks; from++)
        for (uint32_t to = 0; to < ranks; to++)
            if (from != to && schedule_transfer(schedule, step, from, to, &span)) {
                done[from] = later(done[from], span.to);
                done[to] = later(done[to], span.to);
            }
}

bool schedule_make(struct schedule *schedule, const struct schedule_input *input)
{
    uint32_t steps = input->turns * input->stages;
    size_t count = (size_t)steps * input->ranks;

    *schedule = (struct schedule){.of = *input};
    schedule->posted = calloc(2 * count, sizeof(uint64_t));
    if (!schedule->posted)
        return false;
    schedule->done = schedule->posted + count;
    for (uint32_t step = 0; step < steps; step++) {
        post(schedule, step);
        finish(schedule, step);
    }
    return true;
}

void schedule_clear(struct schedule *schedule)
{
    free(schedule->posted);
    *schedule = (struct schedule){0};
}

struct schedule_span
schedule_computes(const struct schedule *schedule, uint32_t turn, uint32_t rank)
{
    const struct schedule_input *of = &schedule->of;
    struct schedule_span span = {of->start_ns[rank], of->start_ns[rank]};

    if (of->computes_first)
        return (struct schedule_span){span.from + before(of, turn, rank),
                                      span.from + before(of, turn + 1, rank)};
    for (uint32_t i = 0; i <= turn; i++) {
        span.from =
            later(span.to, schedule_done(schedule, (i + 1) * of->stages - 1, rank));
        span.to = span.from + before(of, i + 1, rank) - before(of, i, rank);
    }
    return span;
}

uint64_t schedule_end(const struct schedule *schedule, uint32_t rank)
{
    const struct schedule_input *of = &schedule->of;

    return later(schedule_computes(schedule, of->turns - 1, rank).to,
                 schedule_done(schedule, of->turns * of->stages - 1, rank));
}
