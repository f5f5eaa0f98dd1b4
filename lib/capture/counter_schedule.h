/* counter_schedule.h - which counters run in which pass
 *
 * A core counts 8 events at a time (10 on the A5), so a kernel is replayed once per
 * group. The full schedule of a chip has every event of every metric; a plan has the
 * fewest passes that hold what was asked for. Events that stand in one group of the
 * full schedule stay together, so that both sides of a ratio come from one run. Cubes
 * and vectors have lists of their own. */
#ifndef LIB_CAPTURE_COUNTER_SCHEDULE_H
#define LIB_CAPTURE_COUNTER_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

/* As the driver numbers them; struct record_run_clock holds this number. */
enum chip {
    CHIP_UNKNOWN = -1,
    CHIP_310P = 4,
    CHIP_A2 = 5, /* 910B and 910_93 */
    CHIP_310B = 7,
    CHIP_A5 = 15, /* 950 */
};

/* By the name that the runtime gives, such as Ascend910B2; CHIP_UNKNOWN for others. */
enum chip chip_of_soc(const char *soc);

/* What can be asked for, as bits. */
enum metric_bits {
    METRIC_PIPE_UTILIZATION = 1 << 0,
    METRIC_ARITHMETIC_UTILIZATION = 1 << 1,
    METRIC_L2_CACHE = 1 << 2,
    METRIC_MEMORY = 1 << 3,
    METRIC_MEMORY_L0 = 1 << 4,
    METRIC_MEMORY_UB = 1 << 5,
    METRIC_RESOURCE_CONFLICT = 1 << 6,
    METRIC_TABLES = (1 << 7) - 1, /* the seven above: what Default means */
    METRIC_OCCUPANCY = 1 << 7,
    METRIC_ROOFLINE = 1 << 8,
    METRIC_BASIC_INFO = 1 << 9,
    METRIC_MEMORY_DETAIL = 1 << 10, /* these two: launches of their own, */
    METRIC_SOURCE = 1 << 11,        /* in which the kernel writes down what it does */
};

/* Names joined by commas, in any case; nothing at all is Default. */
int metric_parse(const char *names, unsigned *bits, struct err *err);
/* Returns the name with this index, or NULL behind the last name. Sets *bits to its
 * metrics: 0 for a name of the vendor's tool that this version does not collect. */
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
    bool l2_pass;     /* one more pass before the first, for the L2 counters alone */
    bool l2_in_first; /* the L2 counters run beside pass 1 */
    uint16_t l2_events[COUNTER_SCHEDULE_L2_SLOTS];
    struct counter_schedule_pass passes[COUNTER_SCHEDULE_PASSES_MAX];
};

/* All events of the chip, in the order of the vendor's tool. */
int counter_schedule_full(enum chip chip,
                          struct counter_schedule *out,
                          struct err *err);
/* The fewest passes for these metrics. BasicInfo alone is one pass without events. */
int counter_schedule_plan(enum chip chip,
                          const char *names,
                          struct counter_schedule *out,
                          struct err *err);
/* The same for bits that were parsed before. */
int counter_schedule_pack(enum chip chip,
                          unsigned metrics,
                          struct counter_schedule *out,
                          struct err *err);

#endif
