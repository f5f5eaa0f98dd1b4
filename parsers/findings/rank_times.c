#include "parsers/findings/rank_times.h"

#include <stdlib.h>

#include "lib/base/mem.h"

enum {
    RANKS_MAX = 1024, /* peers with a higher number get no figures of their own */
    GROUPS_MAX = 8,   /* further communicators count as the last one */
};

struct span {
    uint64_t from, to;
};

struct spans {
    struct span *rows;
    size_t count, room;
};

/* Adds the part of a span that lies within the launch. */
static void
add_span(struct spans *spans, const struct task_durations *launch, struct span span)
{
    if (span.from < launch->start_ticks)
        span.from = launch->start_ticks;
    if (span.to > launch->end_ticks)
        span.to = launch->end_ticks;
    if (span.from >= span.to)
        return;
    if (spans->count == spans->room) {
        spans->room = spans->room ? spans->room * 2 : 64;
        spans->rows = xreallocarray(spans->rows, spans->room, sizeof(*spans->rows));
    }
    spans->rows[spans->count++] = span;
}

static int by_start(const void *a, const void *b)
{
    const struct span *left = a, *right = b;

    return left->from < right->from ? -1 : left->from > right->from;
}

/* Returns the time that the spans cover; time that several cover counts once. */
static uint64_t covered(struct spans *spans)
{
    uint64_t sum = 0, until = 0;

    if (spans->count)
        qsort(spans->rows, spans->count, sizeof(*spans->rows), by_start);
    for (size_t i = 0; i < spans->count; i++) {
        struct span span = spans->rows[i];

        if (span.from < until)
            span.from = until;
        if (span.from >= span.to)
            continue;
        sum += span.to - span.from;
        until = span.to;
    }
    return sum;
}

/* Items of the report that name a wait and a record; all others with bytes are copies.
 */
static bool is_wait(const struct hccl_task *task)
{
    static uint64_t wait;

    if (!wait)
        wait = report_name_hash("Notify_Wait");
    return task->item == wait;
}

/* Returns false for a task of another launch or pass. */
static bool find_span(const struct scheduler_tasks *tasks,
                      const struct task_durations *launch,
                      const struct hccl_task *task,
                      struct span *out)
{
    const struct scheduler_task *row =
        scheduler_tasks_find(tasks, task->stream, task->task);

    if (!row || !row->start_ticks || row->end_ticks < row->start_ticks ||
        row->start_ticks < launch->start_ticks || row->end_ticks > launch->end_ticks)
        return false;
    *out = (struct span){row->start_ticks, row->end_ticks};
    return true;
}

/* The communicators of a launch, by their first transfer. */
struct groups {
    struct {
        uint64_t name, from; /* hash; start of its first task */
    } rows[GROUPS_MAX];
    uint32_t count;
};

static void add_group(struct groups *groups, uint64_t name, uint64_t from)
{
    uint32_t i = 0;

    while (i < groups->count && groups->rows[i].name != name)
        i++;
    if (i == GROUPS_MAX)
        return;
    if (i == groups->count) {
        groups->rows[groups->count++].name = name;
        groups->rows[i].from = from;
    } else if (from < groups->rows[i].from) {
        groups->rows[i].from = from;
    }
}

/* Returns the place of a communicator among those of the launch, from 1. */
static uint32_t group_number(const struct groups *groups, uint64_t name)
{
    uint32_t number = 1, own = 0;

    while (own + 1 < groups->count && groups->rows[own].name != name)
        own++;
    for (uint32_t i = 0; i < groups->count; i++)
        number += groups->rows[i].from < groups->rows[own].from;
    return number;
}

static struct rank_times_peer *
peer_of(struct rank_times *times, uint32_t group, uint32_t rank)
{
    struct rank_times_peer *peer;

    for (size_t i = 0; i < times->peer_count; i++)
        if (times->peers[i].group == group && times->peers[i].rank == rank)
            return &times->peers[i];
    times->peers =
        xreallocarray(times->peers, times->peer_count + 1, sizeof(*times->peers));
    peer = &times->peers[times->peer_count++];
    *peer = (struct rank_times_peer){.group = group, .rank = rank};
    return peer;
}

static int by_group_and_rank(const void *a, const void *b)
{
    const struct rank_times_peer *left = a, *right = b;

    if (left->group != right->group)
        return left->group < right->group ? -1 : 1;
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

/* The tasks of the launch. */
struct source {
    const struct ai_cpu *ai_cpu;
    const struct scheduler_tasks *tasks;
    const struct task_durations *launch;
};

static bool find_peer_span(const struct source *source, size_t i, struct span *out)
{
    const struct hccl_task *task = &source->ai_cpu->tasks[i];

    return task->remote_rank != task->local_rank && task->remote_rank < RANKS_MAX &&
           find_span(source->tasks, source->launch, task, out);
}

/* Adds up the tasks with each peer, and collects the intervals of the copies. */
static void read_peers(struct rank_times *times,
                       struct spans *busy,
                       const struct source *source,
                       double us)
{
    struct groups groups = {0};
    struct span span;

    for (size_t i = 0; i < source->ai_cpu->task_count; i++)
        if (find_peer_span(source, i, &span))
            add_group(&groups, source->ai_cpu->tasks[i].group, span.from);
    times->groups = groups.count;
    for (size_t i = 0; i < source->ai_cpu->task_count; i++) {
        const struct hccl_task *task = &source->ai_cpu->tasks[i];
        struct rank_times_peer *peer;

        if (!find_peer_span(source, i, &span))
            continue;
        peer = peer_of(times, group_number(&groups, task->group), task->remote_rank);
        if (is_wait(task)) {
            peer->wait_us += (double)(span.to - span.from) * us;
        } else if (task->bytes > 0) {
            peer->transfer_us += (double)(span.to - span.from) * us;
            add_span(busy, source->launch, span);
        }
    }
    if (times->peer_count > 0)
        qsort(times->peers, times->peer_count, sizeof(*times->peers),
              by_group_and_rank);
}

void rank_times_read(struct rank_times *times,
                     const struct ai_cpu *ai_cpu,
                     const struct scheduler_tasks *tasks,
                     const struct task_durations *launch,
                     uint32_t ticks_khz)
{
    const struct source source = {ai_cpu, tasks, launch};
    struct spans computes = {0}, busy = {0};
    double us = ticks_khz ? 1000.0 / ticks_khz : 0;
    uint64_t computed, both;

    *times = (struct rank_times){0};
    if (!launch->has_duration || !ticks_khz || !ai_cpu->task_count)
        return;
    read_peers(times, &busy, &source, us);
    for (size_t i = 0; i < ai_cpu->compute_count; i++) {
        struct span span = {ai_cpu->computes[i].start_ticks,
                            ai_cpu->computes[i].end_ticks};

        add_span(&computes, launch, span);
        add_span(&busy, launch, span);
    }
    times->is_known = times->peer_count > 0;
    computed = covered(&computes);
    both = covered(&busy);
    times->compute_us = (double)computed * us;
    times->transfer_us = (double)(both - computed) * us;
    times->wait_us = (double)(launch->end_ticks - launch->start_ticks - both) * us;
    free(computes.rows);
    free(busy.rows);
}

void rank_times_clear(struct rank_times *times)
{
    free(times->peers);
    *times = (struct rank_times){0};
}
