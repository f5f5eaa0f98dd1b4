#include "parsers/findings/rank_times.h"

#include <stdlib.h>

#include "lib/base/mem.h"

enum { RANKS_MAX = 1024 }; /* peers with a higher number get no figures of their own */

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

/* Adds up the tasks with each peer, and collects the intervals of the copies. Peers are
 * indexed by their rank. Returns the number of tasks. */
static size_t read_peers(struct rank_times_peer *peers,
                         struct spans *busy,
                         const struct ai_cpu *ai_cpu,
                         const struct scheduler_tasks *tasks,
                         const struct task_durations *launch,
                         double us)
{
    size_t count = 0;

    for (size_t i = 0; i < ai_cpu->task_count; i++) {
        const struct hccl_task *task = &ai_cpu->tasks[i];
        struct rank_times_peer *peer;
        struct span span;

        if (task->remote_rank == task->local_rank || task->remote_rank >= RANKS_MAX ||
            !find_span(tasks, launch, task, &span))
            continue;
        peer = &peers[task->remote_rank];
        peer->has_tasks = true;
        count++;
        if (is_wait(task)) {
            peer->wait_us += (double)(span.to - span.from) * us;
        } else if (task->bytes > 0) {
            peer->transfer_us += (double)(span.to - span.from) * us;
            add_span(busy, launch, span);
        }
    }
    return count;
}

static void
keep_peers(struct rank_times *times, const struct rank_times_peer *peers, size_t count)
{
    times->peers = xcalloc(count, sizeof(*times->peers));
    for (uint32_t rank = 0; rank < RANKS_MAX; rank++)
        if (peers[rank].has_tasks) {
            times->peers[times->peer_count] = peers[rank];
            times->peers[times->peer_count++].rank = rank;
        }
}

void rank_times_read(struct rank_times *times,
                     const struct ai_cpu *ai_cpu,
                     const struct scheduler_tasks *tasks,
                     const struct task_durations *launch,
                     uint32_t ticks_khz)
{
    struct rank_times_peer *peers;
    struct spans computes = {0}, busy = {0};
    double us = ticks_khz ? 1000.0 / ticks_khz : 0;
    uint64_t computed, both;
    size_t count;

    *times = (struct rank_times){0};
    if (!launch->has_duration || !ticks_khz || !ai_cpu->task_count)
        return;
    peers = xcalloc(RANKS_MAX, sizeof(*peers));
    count = read_peers(peers, &busy, ai_cpu, tasks, launch, us);
    if (count > 0)
        keep_peers(times, peers, count < RANKS_MAX ? count : RANKS_MAX);
    free(peers);
    for (size_t i = 0; i < ai_cpu->compute_count; i++) {
        struct span span = {ai_cpu->computes[i].start_ticks,
                            ai_cpu->computes[i].end_ticks};

        add_span(&computes, launch, span);
        add_span(&busy, launch, span);
    }
    times->is_known = count > 0;
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
