/* task_rate.h - how many tasks of all jobs together end in a second, of late
 *
 * Looked at from time to time: each look names the jobs that have not ended, in the
 * order of their numbers. One that is missing the next time has ended with all its
 * tasks. All zero is one that has not looked yet. */
#ifndef CLI_VIEW_TASK_RATE_H
#define CLI_VIEW_TASK_RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TASK_RATE_MOMENTS = 16 };

struct task_rate_job {
    uint64_t job_id, ended, tasks;
};

struct task_rate {
    struct task_rate_job *now, *before;
    size_t now_count, now_room, before_count, before_room;
    uint64_t ended; /* since the first look, but for what the latest one lacks */
    struct task_rate_moment {
        uint64_t ms, ended;
    } moments[TASK_RATE_MOMENTS]; /* a ring: the last looks */
    size_t looks;
};

void task_rate_clear(struct task_rate *pace); /* frees */

void task_rate_begin(struct task_rate *pace, uint64_t now_ms);
void task_rate_add(struct task_rate *pace,
                   uint64_t job_id,
                   uint64_t ended,
                   uint64_t tasks);
/* False: a second look is needed. */
bool task_rate_per_second(const struct task_rate *pace, double *rate);

#endif
