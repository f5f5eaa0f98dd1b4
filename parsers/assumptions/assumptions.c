#include "parsers/assumptions/assumptions.h"

#include "lib/base/mem.h"
#include "parsers/assumptions/checks.h"

static const struct {
    const char *name;
    check_fn *check;
    const char *assumed, *otherwise;
} rows[] = {
    {"capture", check_whole_capture,
     "every block of a capture arrives whole and no record is dropped",
     "damaged blocks and dropped records are counted and named"},
    {"hooks", check_launches, "a launch passes through a function that inject hooks",
     "a launch that is not seen is not measured; the task ends as nothing-profiled"},
    {"passes", check_passes, "all channels open and every planned pass runs",
     "the launch is incomplete, with the error of the driver"},
    {"counter-bytes", check_counter_bytes,
     "the counter channel (53, on a 310P 43) returns records of 128 bytes of one "
     "launch",
     "bytes that are no records are skipped and counted"},
    {"counter-rows", check_counter_rows,
     "each pass has a counter record for each block and core",
     "figures of the missing blocks stay empty"},
    {"operations", check_operations,
     "the vector events, times their lanes, give the operations of the known kernel",
     "counts of operations have another unit than their columns say"},
    {"core-time", check_core_time,
     "cycles are counted at the reported clock, so no block takes longer than the "
     "kernel",
     "ratios and times of pipes are wrong by the factor of the clocks"},
    {"pass-times", check_task_log,
     "the task log (channel 50, on a 310P 45) has start and end of each pass",
     "the pass has no duration"},
    {"durations", check_durations, "all passes of a launch take about the same time",
     "ratios of different passes do not belong together"},
    {"l2-channel", check_l2, "the L2 channel (47) returns a record for the launch",
     "the table of the L2 cache is missing"},
    {"restore", check_restore, "each execution reads the memory of the first one",
     "a kernel that changes its input gives wrong results; use replay: application"},
    {"clock-pairs", check_clocks,
     "the device clock runs at the reported frequency beside the monotonic clock",
     "durations and timelines are wrong by this factor"},
    {"task-clock", check_task_clock, "the task log uses the clock of the pairs",
     "timelines cannot place a kernel among the calls of the host"},
    {"health", check_health,
     "DCMI returns clock, temperature, power and memory of the card",
     "the states before and after a launch lack these values"},
    {"versions", check_versions,
     "runtime, driver and firmware report chip and versions",
     "comparisons cannot name a changed version"},
    {"barrier", check_barrier,
     "ranks on two cards are released together, at the planned time",
     "the replay of the group is aborted, and the rank that caused it is named"},
};

const char *assumption_verdict_name(enum assumption_verdict verdict)
{
    static const char *const names[] = {"confirmed", "differs", "not-here"};

    return names[verdict];
}

int assumptions_check(const char *capture,
                      const struct assumption_program *program,
                      assumption_fn *found,
                      void *arg,
                      struct err *err)
{
    struct evidence alone, group;
    const struct check_input input = {&alone, &group, program};

    if (evidence_read(&alone, capture, false, err) < 0)
        return -1;
    if (evidence_read(&group, capture, true, err) < 0) {
        evidence_clear(&alone);
        return -1;
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct text seen = {0};
        struct assumption_result result = {
            .name = rows[i].name,
            .assumed = rows[i].assumed,
            .otherwise = rows[i].otherwise,
        };

        result.verdict = rows[i].check(&input, &seen);
        result.seen = text_get(&seen);
        found(&result, arg);
        text_clear(&seen);
    }
    evidence_clear(&alone);
    evidence_clear(&group);
    return 0;
}
