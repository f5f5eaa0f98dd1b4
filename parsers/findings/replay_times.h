/* replay_times.h - duration, arrival and release of each replay of a launch
 *
 * Times are nanoseconds of the monotonic clock of rank 0's host, or of the own host
 * when the ranks did not compare their clocks. */
#ifndef PARSERS_FINDINGS_REPLAY_TIMES_H
#define PARSERS_FINDINGS_REPLAY_TIMES_H

#include <stdbool.h>
#include <stdint.h>

struct source_launch;

struct replay_time {
    uint32_t number; /* of the execution after the first, from 0 */
    /* number of the counter pass, or PLAIN_PASS_NUMBER; 0: another execution */
    uint32_t pass;
    bool has_duration;
    int64_t started_ns; /* by the clock of the card */
    uint64_t duration_ns;
    bool has_barrier; /* the ranks were released together: */
    int64_t arrived_ns, released_ns;
    bool has_uncertainty;
    uint64_t uncertainty_ns; /* of the comparison of the hosts' clocks */
};

typedef void replay_time_fn(const struct replay_time *time, void *arg);

/* Calls fn for each replay with a duration or a barrier, in their order. The bytes of
 * the launch must be loaded. */
void replay_times_each(const struct source_launch *launch,
                       replay_time_fn *fn,
                       void *arg);

#endif
