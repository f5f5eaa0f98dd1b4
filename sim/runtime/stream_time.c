#include "sim/runtime/stream_time.h"

struct submission submissions_add(struct submissions *submissions,
                                  uint64_t host_ns,
                                  bool has_waited,
                                  uint64_t pause_ns)
{
    bool is_anchor = has_waited || submissions->host_ns == 0 ||
                     host_ns - submissions->host_ns >= pause_ns;

    submissions->ns = is_anchor ? host_ns : submissions->ns + SUBMISSION_NS;
    submissions->host_ns = host_ns;
    return (struct submission){submissions->ns, is_anchor};
}

static uint64_t ticks_of(uint64_t ns, uint64_t khz)
{
    return ns / 1000000 * khz + ns % 1000000 * khz / 1000000;
}

static uint64_t ns_of(uint64_t ticks, uint64_t khz)
{
    return ticks / khz * 1000000 + ticks % khz * 1000000 / khz;
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
    } else if (submission->ns > time->anchor_ns) {
        /* relative to the anchor, so that equal distances are equal in ticks */
        stream_time_follow(time, time->anchor +
                                     ticks_of(submission->ns - time->anchor_ns, khz));
    }
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
