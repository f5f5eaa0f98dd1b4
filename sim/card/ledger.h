/* ledger.h - a text log of the exact counters, for tests that compare a profiler's
 * output
 *
 * NPU_SIM_LEDGER names a file that all processes append lines to:
 *   core CARD KERNEL STREAM NUMBER KIND CORE BLOCK SUB START END CYCLES EVENT=VALUE...
 *   task CARD STREAM TASK KIND start|end TICKS
 * A core line has all modelled events of its kind of core, not only those that the
 * profiler requested. Without an open channel no line is written. */
#ifndef SIM_CARD_LEDGER_H
#define SIM_CARD_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/card/counters.h"
#include "sim/card/launch.h"
#include "sim/card/record.h"

void ledger_core(uint32_t card,
                 uint32_t chip,
                 const struct card_launch *launch,
                 const struct pmu_place *place,
                 const struct counters *counted);
/* Writes what an open channel of a core receives, in cycles of the core:
 *   pipe CARD CHANNEL PIPE START END
 *   mark CARD CHANNEL PIPE CYCLE VALUE
 *   sample CARD CHANNEL PC COUNT... (nine) */
void ledger_pipe(uint32_t card,
                 uint32_t channel,
                 unsigned pipe,
                 uint64_t start,
                 uint64_t end);
void ledger_mark(uint32_t card,
                 uint32_t channel,
                 unsigned pipe,
                 uint64_t cycle,
                 unsigned value);
void ledger_sample(uint32_t card,
                   uint32_t channel,
                   uint64_t pc,
                   const uint64_t counts[9]);
void ledger_task(uint32_t card,
                 const struct card_launch *launch,
                 bool is_end,
                 uint64_t ticks);

#endif
