/* task_rate.h - finished tasks per second of all jobs, over the last 10 seconds
 *
 * A sample lists all jobs that have not ended, in the order of their numbers. A job
 * that is missing from the next sample has ended, and all its tasks count as finished.
 * A struct of zero bytes has no sample yet. */
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
    uint64_t ended; /* since the first sample, without jobs missing from the latest */
    struct task_rate_moment {
        uint64_t ms, ended;
    } moments[TASK_RATE_MOMENTS]; /* a ring of the last samples */
    size_t samples;
};

void task_rate_clear(struct task_rate *rate); /* frees its memory and resets it */

/* Begins a sample; then add the jobs. */
void task_rate_begin(struct task_rate *rate, uint64_t now_ms);
void task_rate_add(struct task_rate *rate,
                   uint64_t job_id,
                   uint64_t ended,
                   uint64_t tasks);
/* Returns false as long as there are fewer than two samples. */
bool task_rate_per_second(const struct task_rate *rate, double *per_second);

#endif
