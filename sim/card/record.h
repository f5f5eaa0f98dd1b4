/* record.h - the bytes of the channels: counters and task log as the hardware lays them
 * out
 *
 * A2 and A3: a 128-byte record a core and block (channel 53), a 64-byte record at the
 * start and the end of a task (50). 310P: one 128-byte record a launch (43), 64 bytes
 * for the log (45). Both: 72 bytes of L2 counters (47). 950: 128 bytes with ten slots,
 * and 32 bytes for the log, on the channels of A2. Little endian. */
#ifndef SIM_CARD_RECORD_H
#define SIM_CARD_RECORD_H

#include <ascend_hal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/card/card.h"
#include "sim/card/counters.h"

#define RECORD_PMU_SIZE 128
#define RECORD_LOG_SIZE 64
#define RECORD_L2_SIZE  72
#define PMU_SLOTS       8
#define PMU_SLOTS_A5    10

struct soc;

/* what the counter channel of a card was started with */
struct pmu_setup {
    uint32_t chip;
    uint32_t mode; /* 1 AIC, 2 AIV, 3 both */
    /* by kind of core */
    bool blocks[2]; /* a record a block */
    bool tasks[2];  /* a record a task: sub-task on A2, whole task on the 950 */
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

/* False when the counter channel of the card is closed. */
bool record_setup(struct pmu_setup *setup, const struct soc *soc, uint32_t card);
/* Is a core looked at, and are its blocks to be told. */
bool record_wants(const struct pmu_setup *setup, enum core_kind kind, uint32_t core);
bool record_wants_tasks(const struct pmu_setup *setup, enum core_kind kind);
/* A configuration that is not simulated: samples by time. */
bool record_refuses(uint32_t chip, uint32_t channel, const void *config, size_t size);
/* False when no log of tasks is asked for; else the channel that it goes to. */
bool record_log_channel(const struct soc *soc, uint32_t card, uint32_t *id);

void record_pmu(uint8_t *out,
                const struct pmu_setup *setup,
                const struct card_launch *launch,
                const struct pmu_place *place,
                const struct counters *counters);
/* All blocks of a kind of core in one: `place` from the first start to the last end. */
void record_task(uint8_t *out,
                 const struct pmu_setup *setup,
                 const struct card_launch *launch,
                 const struct pmu_place *place,
                 const struct counters *sum);
void record_pmu_of_one_core(uint8_t *out,
                            const struct pmu_setup *setup,
                            const struct counters *counters);
/* Returns its size. */
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
