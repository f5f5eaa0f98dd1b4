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

/* One profiled launch, from the question to the worker to the record launch.end. */
struct replay {
    const struct launch *launch;
    struct device *device;
    const struct control_decision *plan;
    struct snapshot snapshot;
    struct record_launch record;
    struct record_launch_end end;
    struct profiling_channel
        *server; /* records of the AI CPU, from the first counter pass on */
    struct runtime_timing timing;
    uint64_t took_ns;     /* device time of the last warm-up or first execution; or 0 */
    uint32_t part, parts; /* shared passes: own share of all; parts 0: not shared */
    int sync_ms;          /* longest time of one execution */
    bool dirty;           /* an execution was interrupted: the memory is undefined */
};

struct pass {
    struct record_pass record;
    struct profiling_channel *counters, *task_log, *l2;
    bool opened, ran;
};

#endif
