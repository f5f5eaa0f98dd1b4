/* gang_times.h - how long the tasks of a job took on all their ranks together
 *
 * The time of a launch is the median over its replays of the longest duration of a rank
 * in the replay, since all ranks are released together. The time of a task is the sum
 * over its launches; a marked range counts as one launch. */
#ifndef LIB_GANG_GANG_TIMES_H
#define LIB_GANG_GANG_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/gang/gang_figures.h"

/* One task. Points and repeats without a complete task have no entry. */
struct gang_time {
    uint64_t point, repeat;
    double time_us;     /* of all ranks */
    double *rank_us;    /* of each rank */
    const char **cards; /* of each rank */
    size_t ranks;
    double tick_us;
    bool simulated;
};

struct gang_times {
    struct gang_time *items; /* by point and repeat */
    size_t count;
};

void gang_times_read(struct gang_times *times, const struct gang_figures *figures);
void gang_times_clear(struct gang_times *times);

/* Returns the time of a launch whose ranks are complete. */
double gang_launch_us(const struct gang_launch *launch);

/* Returns the first task of the point, and sets the number of its tasks. */
const struct gang_time *
gang_times_of_point(const struct gang_times *times, uint64_t point, size_t *count);
/* Returns the median over the tasks of a point; NaN: none. */
double gang_times_median(const struct gang_times *times, uint64_t point);
/* Returns whether both tasks ran on the same cards, in any order of ranks. */
bool gang_time_has_cards_of(const struct gang_time *a, const struct gang_time *b);

#endif
