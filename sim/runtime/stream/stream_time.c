#include "sim/runtime/stream/stream_time.h"

struct submission submissions_add(struct submissions *submissions,
                                  uint64_t host_ns,
                                  bool has_waited,
                                  uint64_t step_ns)
{
    uint64_t next_ns = submissions->ns + SUBMISSION_NS, behind_ns = 0;
    bool is_anchor = has_waited || submissions->host_ns == 0 ||
                     host_ns - submissions->host_ns >= step_ns / 2;

    if (!is_anchor && host_ns > next_ns &&
        host_ns - next_ns >= step_ns / STREAM_BEHIND_PARTS)
        behind_ns = host_ns - next_ns;
    submissions->ns = is_anchor ? host_ns : next_ns + behind_ns;
    submissions->host_ns = host_ns;
    return (struct submission){submissions->ns, is_anchor, behind_ns};
}

static uint64_t ticks_of(uint64_t ns, uint64_t khz)
{
    return ns / 1000000 * khz + ns % 1000000 * khz / 1000000;
}

static uint64_t ns_of(uint64_t ticks, uint64_t khz)
{
    return ticks / khz * 1000000 + ticks % khz * 1000000 / khz;
}

/* Moves all times of the stream, unless it is still busy at the tick `until`. */
static void
move_idle(struct stream_time *time, uint64_t ns, uint64_t until, uint64_t khz)
{
    uint64_t ticks = ticks_of(ns, khz);

    if (time->now >= until)
        return;
    time->anchor_ns += ns;
    time->anchor += ticks;
    time->now += ticks;
    time->slip += ticks;
}

void stream_time_start(struct stream_time *time,
                       const struct submission *submission,
                       uint64_t ticks,
                       uint64_t khz)
{
    if (submission->is_anchor) {
        /* a stream that is still busy reaches its anchor when it becomes free */
        uint64_t late = time->now > ticks ? time->now - ticks : 0;

        time->now = time->anchor = ticks + late;
        time->anchor_ns = submission->ns + ns_of(late, khz);
        return;
    }
    if (submission->behind_ns > 0)
        move_idle(time, submission->behind_ns, ticks, khz);
    /* relative to the anchor, so that equal distances are equal in ticks */
    if (submission->ns > time->anchor_ns)
        stream_time_follow(time, time->anchor +
                                     ticks_of(submission->ns - time->anchor_ns, khz));
}

void stream_time_follow(struct stream_time *time, uint64_t ticks)
{
    if (ticks > time->now)
        time->now = ticks;
}

uint64_t stream_time_since(const struct stream_time *time, uint64_t khz)
{
    return ns_of(time->now - time->anchor, khz);
}
