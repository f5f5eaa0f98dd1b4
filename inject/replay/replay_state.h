/* replay_state.h - state of one replay, and of one pass in it */
#ifndef INJECT_REPLAY_REPLAY_STATE_H
#define INJECT_REPLAY_REPLAY_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "inject/base/runtime.h"
#include "inject/replay/snapshot.h"
#include "lib/capture/format/records.h"

struct control_decision;
struct device;
struct launch;
struct profiling_channel;

/* One profiled launch, from PREPARE to launch.end. */
struct replay {
    const struct launch *launch;
    struct device *device;
    const struct control_decision *plan;
    struct snapshot snapshot;
    struct record_launch record;
    struct record_launch_end end;
    struct profiling_channel
        *server; /* the AI CPU's records, from the first counter pass on */
    struct runtime_timing timing;
    uint64_t took_ns; /* the last execution that does not count, by the device; or 0 */
    uint32_t part, parts; /* shared passes (share.h): which one is ours; 0: all are */
    int sync_ms;          /* the longest that one execution may take */
    bool dirty;           /* the memory may be something half-way */
};

struct pass {
    struct record_pass record;
    struct profiling_channel *counters, *task_log, *l2;
    bool opened, ran;
};

#endif
