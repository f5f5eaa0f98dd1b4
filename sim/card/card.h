/* card.h - the runtime's access to a card: its size, its clock, timed launches and
 * copies
 *
 * libruntime.so uses libascend_hal.so only through these functions, memory.h and the
 * public driver calls. `card` is a logical number, which the caller has checked. All
 * functions may be called from any thread.
 *
 * A card's clock never goes back. It follows CLOCK_MONOTONIC, and is ahead of it where
 * the modelled work took longer than the host needed. A card runs one launch or copy at
 * a time, also when they are on different streams. */
#ifndef SIM_CARD_CARD_H
#define SIM_CARD_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/card/launch.h"
#include "sim/card/memory.h"

#define CARD_REPORT_SIZE 256

struct card_run;

uint32_t npu_sim_card_count(void);
const char *npu_sim_card_soc(uint32_t card); /* works also on a host without cards */
uint32_t npu_sim_card_cores(uint32_t card);
uint32_t npu_sim_card_vectors(uint32_t card); /* all vector cores of the card */
uint64_t npu_sim_card_l2_bytes(uint32_t card);
uint32_t npu_sim_card_dies(uint32_t card); /* chips in the card's package */

uint64_t npu_sim_card_ticks(uint32_t card);
uint64_t npu_sim_ticks_to_ns(uint64_t ticks);
uint64_t npu_sim_ticks_of_ns(uint64_t ns);

/* Times a launch and writes its records to the open channels. Returns the duration in
 * ticks. */
uint64_t npu_sim_card_run(uint32_t card, const struct card_launch *launch);

/* Do the same in two steps, for a launch whose bodies wait for other cards: the caller
 * runs the bodies between the steps. NULL: the launch cannot be timed. *launch must
 * stay valid until npu_sim_card_finish() returns. */
struct card_run *npu_sim_card_begin(uint32_t card, const struct card_launch *launch);
uint64_t npu_sim_card_finish(struct card_run *run, uint64_t *waited);
/* Finds a launch between the two steps by the first word of its arguments. *out is its
 * time without waits. Returns false when there is no such launch. */
bool npu_sim_card_waiting(uint32_t card, uint64_t word, struct card_span *out);
void npu_sim_card_waits_until(uint32_t card, uint64_t word, uint64_t ticks);

/* Writes the start or the end of another task to the task log, ns after now. */
void npu_sim_card_log(uint32_t card,
                      const struct card_task *task,
                      bool is_end,
                      uint64_t ns);
void npu_sim_card_log_span(uint32_t card,
                           const struct card_task *task,
                           uint64_t start,
                           uint64_t end);
/* Writes an AI CPU report of CARD_REPORT_SIZE bytes to the AI CPU channel. */
void npu_sim_card_report(uint32_t card, const void *report);

/* Times a copy or a fill and updates the L2. Either address may be NULL. */
void npu_sim_card_copy(uint32_t card, const void *from, const void *to, uint64_t bytes);
void npu_sim_card_prefetch(uint32_t card, const void *address, uint64_t bytes);
void npu_sim_card_invalidate(uint32_t card, const void *address, uint64_t bytes);

#endif
