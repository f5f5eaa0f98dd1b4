/* stream_time.h - the modelled time of a stream, apart from the time that the host
 * needs
 *
 * A task starts when the stream is free and its submission has arrived. Submissions
 * follow each other at a fixed distance, however long the host took between them. Only
 * two things let host time in: the host waited for the device before the submission, or
 * it paused for long. Such a submission is an anchor: it arrives at the host's time,
 * and the times after it count from there. This module has no thread and no clock. */
#ifndef SIM_RUNTIME_STREAM_TIME_H
#define SIM_RUNTIME_STREAM_TIME_H

#include <stdbool.h>
#include <stdint.h>

#define SUBMISSION_NS 1000 /* modelled distance between two submissions */

/* the last submission to a stream; all zeros before the first one */
struct submissions {
    uint64_t host_ns; /* CLOCK_MONOTONIC */
    uint64_t ns;      /* as modelled */
};

struct submission {
    uint64_t ns; /* modelled arrival, in CLOCK_MONOTONIC */
    bool is_anchor;
};

/* The time of a stream: all tasks up to now are done at `now`. */
struct stream_time {
    uint64_t anchor_ns; /* CLOCK_MONOTONIC */
    uint64_t anchor;    /* ticks at the same moment */
    uint64_t now;       /* ticks */
    /* Sum of the ticks by which operations of several ranks moved the stream only
     * because the host of another rank was slower. Differences of times leave them out.
     */
    uint64_t slip;
};

/* host_ns: the time of the call. has_waited: the caller waited for the device since its
 * last submission. pause_ns: a pause from which on the host's time counts; 0: always.
 */
struct submission submissions_add(struct submissions *submissions,
                                  uint64_t host_ns,
                                  bool has_waited,
                                  uint64_t pause_ns);

/* Starts a task. `ticks`: the tick at submission->ns. */
void stream_time_start(struct stream_time *time,
                       const struct submission *submission,
                       uint64_t ticks,
                       uint64_t khz);
/* The stream is not free before this tick. */
void stream_time_follow(struct stream_time *time, uint64_t ticks);
/* Returns the time since the anchor, in ns. */
uint64_t stream_time_since(const struct stream_time *time, uint64_t khz);

#endif
