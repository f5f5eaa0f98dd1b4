/* card.h - the runtime's access to a card: its size, its clock, timed launches and
 * copies
 *
 * libruntime.so uses libascend_hal.so only through these functions, memory.h and the
 * public driver calls. `card` is a logical number, which the caller has checked. All
 * functions may be called from any thread.
 *
 * A card's clock never goes back. It follows CLOCK_MONOTONIC, and is ahead of it where
 * the modelled work took longer than the host needed. The caller gives the earliest
 * start of a launch or copy on a stream; the host's time has no other influence on it.
 * A card runs one launch at a time, also when they are on different streams. */
#ifndef SIM_CARD_CARD_H
#define SIM_CARD_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/card/launch.h"
#include "sim/card/memory.h"

#define CARD_REPORT_SIZE 256

struct card_run;

/* the times of such a launch; `anchor` is the common one of its ranks */
struct card_placing {
    uint64_t anchor, anchor_ns;
    uint64_t from;  /* ticks; start of the first block */
    uint64_t until; /* ticks; end of its waits */
    uint64_t slip;  /* of runtime/stream_time.h */
};

/* a launch that waits for other cards, before all of its waits are known */
struct card_work {
    uint64_t anchor, anchor_ns;  /* of card_launch */
    uint64_t first_block;        /* ticks; earliest start of the blocks */
    uint64_t computes;           /* ticks that the blocks compute */
    struct card_placing placing; /* of its earlier transfers; all 0: none */
};

struct card_done {
    struct card_span span;
    uint64_t moved, waited; /* ticks from the start as begun, and of waits */
    uint64_t anchor, anchor_ns, slip;
};

uint32_t npu_sim_card_count(void);
/* Return the versions that the host's software reports. */
const char *npu_sim_host_driver(void);
const char *npu_sim_host_firmware(void);
const char *npu_sim_host_cann(void);
const char *npu_sim_card_soc(uint32_t card); /* works also on a host without cards */
uint32_t npu_sim_card_cores(uint32_t card);
uint32_t npu_sim_card_vectors(uint32_t card); /* all vector cores of the card */
uint64_t npu_sim_card_l2_bytes(uint32_t card);
uint32_t npu_sim_card_dies(uint32_t card); /* chips in the card's package */

uint64_t npu_sim_card_ticks(uint32_t card);
uint64_t npu_sim_ticks_to_ns(uint64_t ticks);
uint64_t npu_sim_ticks_of_ns(uint64_t ns);
/* Returns the tick of all cards of this host at a moment of CLOCK_MONOTONIC. */
uint64_t npu_sim_ticks_at(uint64_t monotonic_ns);
uint64_t npu_sim_monotonic_ns(void);
uint64_t npu_sim_ticks_khz(void);
/* Delays of the host count in steps of this many ns; 0: exactly. */
uint64_t npu_sim_host_step_ns(void);
/* Ranks are late in steps of this: a loaded host keeps a released rank waiting longer
 * than it interrupts the calls of one thread. */
uint64_t npu_sim_rank_step_ns(void);

/* Times a launch and writes its records to the open channels. Returns the times of the
 * launch; both are launch->ready when it cannot be timed. */
struct card_span npu_sim_card_run(uint32_t card, const struct card_launch *launch);

/* Do the same in two steps, for a launch whose bodies wait for other cards: the caller
 * runs the bodies between the steps. NULL: the launch cannot be timed. *launch must
 * stay valid until npu_sim_card_finish() returns. */
struct card_run *npu_sim_card_begin(uint32_t card, const struct card_launch *launch);
struct card_done npu_sim_card_finish(struct card_run *run);
/* Finds a launch between the two steps by the first word of its arguments. Returns
 * false when there is no such launch. */
bool npu_sim_card_waiting(uint32_t card, uint64_t word, struct card_work *out);
/* Gives such a launch its times. Without this call it runs as if it were alone. */
void npu_sim_card_settle(uint32_t card,
                         uint64_t word,
                         const struct card_placing *placing);

/* Writes the start and the end of another task to the task log. */
void npu_sim_card_log_span(uint32_t card,
                           const struct card_task *task,
                           uint64_t start,
                           uint64_t end);
/* Returns true when a profiler reads the AI CPU channel. */
bool npu_sim_card_reports(uint32_t card);
/* Writes an AI CPU report of CARD_REPORT_SIZE bytes to the AI CPU channel. */
void npu_sim_card_report(uint32_t card, const void *report);

/* Times a copy or a fill and updates the L2. Returns its duration in ticks. Either
 * address may be NULL. */
uint64_t
npu_sim_card_copy(uint32_t card, const void *from, const void *to, uint64_t bytes);
uint64_t npu_sim_card_prefetch(uint32_t card, const void *address, uint64_t bytes);
void npu_sim_card_invalidate(uint32_t card, const void *address, uint64_t bytes);

#endif
