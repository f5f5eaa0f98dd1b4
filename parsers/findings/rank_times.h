/* rank_times.h - how a launch of several ranks spent its time on this rank
 *
 * The AI CPU reports each task of a transfer with its peer, and the task log has the
 * start and end of that task. The cores compute in the intervals that the AI CPU
 * reported. The three times of the launch add up to its duration: it computes, or else
 * transfers, or else waits. A transfer that the computation hides counts as
 * computation there, but not in the times of the peer. */
#ifndef PARSERS_FINDINGS_RANK_TIMES_H
#define PARSERS_FINDINGS_RANK_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/records/ai_cpu.h"
#include "parsers/records/scheduler_tasks.h"
#include "parsers/records/task_log.h"

struct rank_times_peer {
    uint32_t group; /* 1: the communicator of the first transfer, 2: the next one ... */
    uint32_t rank;  /* in that communicator */
    double transfer_us; /* copies from the peer, or to it where none comes back */
    double wait_us;     /* until the peer was ready for the copies */
};

struct rank_times {
    bool is_known; /* false: the launch has no tasks with peers */
    double compute_us, transfer_us, wait_us;
    uint32_t groups;               /* communicators of the launch */
    struct rank_times_peer *peers; /* in the order of groups and ranks */
    size_t peer_count;
};

/* ticks_khz: ticks of the card in a millisecond; 0: unknown, so nothing is. */
void rank_times_read(struct rank_times *times,
                     const struct ai_cpu *ai_cpu,
                     const struct scheduler_tasks *tasks,
                     const struct task_durations *launch,
                     uint32_t ticks_khz);
void rank_times_clear(struct rank_times *times);

#endif
