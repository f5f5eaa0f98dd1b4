/* record.h - packs counters and task log entries in the hardware's record layouts
 *
 * A2 and A3: a 128-byte record per core and block (channel 53), and a 64-byte record at
 * the start and at the end of a task (channel 50). 310P: one 128-byte record per launch
 * (channel 43), and 64-byte log records (channel 45). Both: a 72-byte record of L2
 * counters (channel 47). 950: 128-byte records with ten slots and 32-byte log records,
 * on the channels of A2. All records are little endian. */
#ifndef SIM_CARD_RECORD_H
#define SIM_CARD_RECORD_H

#include <ascend_hal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/card/counters.h"
#include "sim/card/launch.h"

#define RECORD_PMU_SIZE 128
#define RECORD_LOG_SIZE 64
#define RECORD_L2_SIZE  72
#define PMU_SLOTS       8
#define PMU_SLOTS_A5    10

struct soc;

/* the configuration that the counter channel of a card was started with */
struct pmu_setup {
    uint32_t chip;
    uint32_t mode; /* 1 AIC, 2 AIV, 3 both */
    bool partial;  /* only the marked part of a kernel is counted */
    /* indexed by enum core_kind */
    bool blocks[2]; /* true: one record per block */
    bool tasks[2];  /* true: one record per task; A2: of a sub-task, 950: of a task */
    uint32_t core_mask[2];
    struct counter_view view[2][PMU_SLOTS_A5];
};

struct pmu_place {
    enum core_kind kind;
    enum npu_sim_kind task_kind;
    uint32_t core;
    uint16_t block;
    uint16_t sub_block;
    uint64_t start, end;
};

/* Returns false when the counter channel of the card is closed. */
bool record_setup(struct pmu_setup *setup, const struct soc *soc, uint32_t card);
/* Returns true when the profiler requested records of this core. */
bool record_wants(const struct pmu_setup *setup, enum core_kind kind, uint32_t core);
bool record_wants_tasks(const struct pmu_setup *setup, enum core_kind kind);
/* Sets *id to the channel of the task log. Returns false when that channel is closed.
 */
bool record_log_channel(const struct soc *soc, uint32_t card, uint32_t *id);

void record_pmu(uint8_t *out,
                const struct pmu_setup *setup,
                const struct card_launch *launch,
                const struct pmu_place *place,
                const struct counters *counters);
/* Packs one record for all blocks of a kind of core. `place` is the time from the first
 * start to the last end. */
void record_task(uint8_t *out,
                 const struct pmu_setup *setup,
                 const struct card_launch *launch,
                 const struct pmu_place *place,
                 const struct counters *sum);
void record_pmu_of_one_core(uint8_t *out,
                            const struct pmu_setup *setup,
                            const struct counters *counters);
/* Returns the size of the record in bytes. */
size_t record_log(uint8_t *out,
                  const struct soc *soc,
                  const struct card_launch *launch,
                  bool is_end,
                  uint64_t ticks);
void record_l2(uint8_t *out,
               const struct soc *soc,
               const prof_l2_config_t *config,
               uint64_t evicted_lines,
               const struct counters *sum);

#endif
