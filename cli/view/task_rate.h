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

enum { PACE_MOMENTS = 16 };

struct pace_job {
    uint64_t job_id, ended, tasks;
};

struct pace {
    struct pace_job *now, *before;
    size_t now_count, now_room, before_count, before_room;
    uint64_t ended; /* since the first look, but for what the latest one lacks */
    struct pace_moment {
        uint64_t ms, ended;
    } moments[PACE_MOMENTS]; /* a ring: the last looks */
    size_t looks;
};

void pace_clear(struct pace *pace); /* frees */

void pace_begin(struct pace *pace, uint64_t now_ms);
void pace_add(struct pace *pace, uint64_t job_id, uint64_t ended, uint64_t tasks);
/* False: a second look is needed. */
bool pace_per_second(const struct pace *pace, double *rate);

#endif
