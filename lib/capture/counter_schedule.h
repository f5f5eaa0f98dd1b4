/* counter_schedule.h - assigns the events of metrics to passes
 *
 * A core counts 8 events at a time (10 on the A5), so a kernel is replayed once per
 * group of events. The full schedule of a chip has every event of every metric. A plan
 * has the fewest passes for the selected metrics. Events of one group of the full
 * schedule stay together, so that both parts of a ratio come from the same pass. Cubes
 * and vectors have separate lists. */
#ifndef LIB_CAPTURE_COUNTER_SCHEDULE_H
#define LIB_CAPTURE_COUNTER_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

/* Chip numbers of the driver, also stored in struct record_run_clock. */
enum chip {
    CHIP_UNKNOWN = -1,
    CHIP_310P = 4,
    CHIP_A2 = 5, /* 910B and 910_93 */
    CHIP_310B = 7,
    CHIP_A5 = 15, /* 950 */
};

/* Returns the chip for a name of the runtime, such as Ascend910B2, or CHIP_UNKNOWN. */
enum chip chip_of_soc(const char *soc);

/* Metrics that a job may select, as bits. */
enum metric_bits {
    METRIC_PIPE_UTILIZATION = 1 << 0,
    METRIC_ARITHMETIC_UTILIZATION = 1 << 1,
    METRIC_L2_CACHE = 1 << 2,
    METRIC_MEMORY = 1 << 3,
    METRIC_MEMORY_L0 = 1 << 4,
    METRIC_MEMORY_UB = 1 << 5,
    METRIC_RESOURCE_CONFLICT = 1 << 6,
    METRIC_TABLES = (1 << 7) - 1, /* the seven above; "Default" selects them */
    METRIC_OCCUPANCY = 1 << 7,
    METRIC_ROOFLINE = 1 << 8,
    METRIC_BASIC_INFO = 1 << 9,
    /* These two need separate launches of an instrumented kernel. */
    METRIC_MEMORY_DETAIL = 1 << 10,
    METRIC_SOURCE = 1 << 11,
    /* Counts only the part of the kernel that the kernel itself marks. */
    METRIC_KERNEL_SCALE = 1 << 12,
    /* 950: records of each pipe, in a separate launch. The second needs a kernel with
     * marks around its instructions. */
    METRIC_PIPE_TIMELINE = 1 << 13,
    METRIC_INSTR_TIMELINE = 1 << 14,
    /* 950: samples of the program counter of a kernel that runs threads */
    METRIC_PC_SAMPLING = 1 << 15,
    METRIC_TIMELINES = METRIC_PIPE_TIMELINE | METRIC_INSTR_TIMELINE,
    /* The vendor's instruction simulator writes the data of these, without a card. */
    METRIC_TIMELINE_DETAIL = 1 << 16,
    METRIC_PM_SAMPLING = 1 << 17,
    METRIC_OVERHEAD = 1 << 18,
    METRIC_SIMULATED = METRIC_TIMELINE_DETAIL | METRIC_PM_SAMPLING | METRIC_OVERHEAD,
    /* These need no counters; a launch is still timed once. */
    METRIC_NO_COUNTERS = METRIC_BASIC_INFO | METRIC_SOURCE | METRIC_KERNEL_SCALE |
                         METRIC_TIMELINES | METRIC_PC_SAMPLING,
};

/* Reads names separated by commas, in any case. An empty text means Default, and so
 * does KernelScale alone, which has no table of its own. */
int metric_parse(const char *names, unsigned *bits, struct err *err);
/* Fails with the metric that muster cannot collect on this chip. */
int metrics_check(enum chip chip, unsigned metrics, struct err *err);
/* Returns the name with this index, or NULL after the last name. Sets *bits to its
 * metrics. */
const char *metric_name(size_t index, unsigned *bits);

enum {
    COUNTER_SCHEDULE_SLOTS_MAX = 10,
    COUNTER_SCHEDULE_PASSES_MAX = 10,
    COUNTER_SCHEDULE_L2_SLOTS = 8,
};

struct counter_schedule_pass {
    uint16_t
        aic[COUNTER_SCHEDULE_SLOTS_MAX]; /* 0 is padding; on the A5 it counts event 0 */
    uint16_t aiv[COUNTER_SCHEDULE_SLOTS_MAX];
};

struct counter_schedule {
    enum chip chip;
    unsigned metrics; /* enum metric_bits */
    size_t slots;     /* used in each list: 8, or 10 on the A5 */
    size_t pass_count;
    bool l2_pass;     /* an additional pass before the first, for the L2 counters */
    bool l2_in_first; /* the L2 counters run during pass 1 */
    /* An additional pass after the last one measures the duration, because counters may
     * slow a kernel down. False when no pass counts events. */
    bool plain_pass;
    uint16_t l2_events[COUNTER_SCHEDULE_L2_SLOTS];
    struct counter_schedule_pass passes[COUNTER_SCHEDULE_PASSES_MAX];
};

/* Returns all events of the chip, in the order of the vendor's tool. */
int counter_schedule_full(enum chip chip,
                          struct counter_schedule *out,
                          struct err *err);
/* Returns the number of executions: the passes, and those for L2 and the duration. */
size_t counter_schedule_executions(const struct counter_schedule *schedule);
/* Returns the fewest passes for these metrics. BasicInfo alone gives one pass without
 * events. */
int counter_schedule_plan(enum chip chip,
                          const char *names,
                          struct counter_schedule *out,
                          struct err *err);
/* As counter_schedule_plan(), for bits of metric_parse(). */
int counter_schedule_pack(enum chip chip,
                          unsigned metrics,
                          struct counter_schedule *out,
                          struct err *err);

#endif
