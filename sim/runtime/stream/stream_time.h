/* stream_time.h - the modelled time of a stream, apart from the time that the host
 * needs
 *
 * A task starts when the stream is free and its submission has arrived. Submissions
 * follow each other at a fixed distance, however long the host took between them. Only
 * two things let host time in: the host waited for the device before the submission, or
 * it paused for long. Such a submission is an anchor: it arrives at the host's time,
 * and the times after it count from there. When the host falls behind by less, the
 * whole stream moves, and its times keep their distances. This module has no thread and
 * no clock. */
#ifndef SIM_RUNTIME_STREAM_STREAM_TIME_H
#define SIM_RUNTIME_STREAM_STREAM_TIME_H

#include <stdbool.h>
#include <stdint.h>

#define SUBMISSION_NS 1000 /* modelled distance between two submissions */
/* A stream moves when its host is behind by this part of a step. */
#define STREAM_BEHIND_PARTS 10

/* the last submission to a stream; all zeros before the first one */
struct submissions {
    uint64_t host_ns; /* CLOCK_MONOTONIC */
    uint64_t ns;      /* as modelled */
};

struct submission {
    uint64_t ns; /* modelled arrival, in CLOCK_MONOTONIC */
    bool is_anchor;
    uint64_t behind_ns; /* an idle stream moves by this time */
};

/* The time of a stream: all tasks up to now are done at `now`. */
struct stream_time {
    uint64_t anchor_ns; /* CLOCK_MONOTONIC */
    uint64_t anchor;    /* ticks at the same moment */
    uint64_t now;       /* ticks */
    /* Sum of the ticks by which the stream moved only because a host was slow, this one
     * or that of another rank. Differences of times leave them out. */
    uint64_t slip;
};

/* host_ns: the time of the call. has_waited: the caller waited for the device since its
 * last submission. step_ns: a pause of half of it makes an anchor; 0: always. */
struct submission submissions_add(struct submissions *submissions,
                                  uint64_t host_ns,
                                  bool has_waited,
                                  uint64_t step_ns);

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
