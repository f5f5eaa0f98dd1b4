/* ledger.h - what the cards did, written down beside their channels: for tests that
 * hold against it what a profiler made of the channels
 *
 * NPU_SIM_LEDGER names a file that all processes append lines to:
 *   core CARD KERNEL STREAM NUMBER KIND CORE BLOCK SUB START END CYCLES EVENT=VALUE...
 *   task CARD STREAM TASK KIND start|end TICKS
 * Events are all that the model knows of that kind of core, whatever a profiler asked
 * for. Nothing is written where no profiler looks. */
#ifndef SIM_CARD_LEDGER_H
#define SIM_CARD_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/card/card.h"
#include "sim/card/counters.h"
#include "sim/card/record.h"

void ledger_core(uint32_t card,
                 uint32_t chip,
                 const struct card_launch *launch,
                 const struct pmu_place *place,
                 const struct counters *counted);
void ledger_task(uint32_t card,
                 const struct card_launch *launch,
                 bool is_end,
                 uint64_t ticks);

#endif
