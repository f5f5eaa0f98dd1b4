/* card.h - what the runtime asks of a card: memory, a clock, and to time its work
 *
 * The only way from libruntime.so into libascend_hal.so besides the public driver
 * calls. `card` is a logical number, checked by the caller. All of it may be called
 * from any thread. A card's clock never goes back: it follows CLOCK_MONOTONIC, and runs
 * ahead of it where the model says that the work took longer than the host needed. One
 * thing runs on a card at a time, whatever the streams. */
#ifndef SIM_CARD_CARD_H
#define SIM_CARD_CARD_H

#include <npu_sim/kernel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* the kinds of tasks in the task log, as the cards number them */
enum card_task_kind {
    CARD_TASK_KERNEL = 0,
    CARD_TASK_AI_CPU = 1,
    CARD_TASK_NOTIFY_RECORD = 6,
    CARD_TASK_NOTIFY_WAIT = 7,
    CARD_TASK_SDMA = 11,
};

/* a task that is no launch */
struct card_task {
    uint16_t stream, task;
    enum card_task_kind kind;
};

#define CARD_REPORT_SIZE 256

/* when a core ran its part of a block, in ticks */
struct card_span {
    uint64_t start, end;
    uint32_t core; /* of its kind */
};

struct card_run;

struct card_launch {
    const char *kernel;
    const struct npu_sim_kernel *info; /* NULL: a vector kernel of no declared work */
    uint32_t blocks;
    uint16_t stream;
    uint16_t task;
    enum card_task_kind task_kind;
    uint64_t number; /* n-th kernel of its stream: what the noise depends on */
    const void *args;
    size_t args_size;
    struct card_span *spans; /* to fill in, three a block: the cube and the vectors of
                                a mix, else the first; NULL: not wanted */
};

struct card_memory {
    uint32_t card;
    uint64_t base;
    uint64_t bytes;
    uint64_t
        serial; /* n-th block of its card: an address that does not change by run */
};

uint32_t npu_sim_card_count(void);
const char *npu_sim_card_soc(uint32_t card); /* also of a host without cards */
uint32_t npu_sim_card_cores(uint32_t card);
uint32_t npu_sim_card_vectors(uint32_t card);                 /* vector cores in all */
uint64_t npu_sim_card_memory(uint32_t card, uint64_t *total); /* free bytes */
uint64_t npu_sim_card_l2_bytes(uint32_t card);
uint32_t npu_sim_card_dies(uint32_t card); /* chips of its package */

/* NULL when the card is full. The memory holds a pattern, not zeros. */
void *npu_sim_memory_alloc(uint32_t card, size_t bytes);
bool npu_sim_memory_free(void *address);
/* As memmove(): both sides lie in blocks of device memory. */
void npu_sim_memory_move(void *to, const void *from, uint64_t bytes);
/* Which block an address lies in; false for memory of the host. */
bool npu_sim_memory_find(const void *address, struct card_memory *out);
/* Counts what was mapped by other ways. False when the card is full. */
bool npu_sim_memory_take(uint32_t card, uint64_t bytes);
void npu_sim_memory_give(uint32_t card, uint64_t bytes);
bool npu_sim_memory_enter(uint32_t card, void *address, uint64_t bytes);
/* With a serial of the caller's, which depends on no order of calls. */
bool npu_sim_memory_enter_as(uint32_t card,
                             void *address,
                             uint64_t bytes,
                             uint64_t serial);
void npu_sim_memory_leave(void *address);

uint64_t npu_sim_card_ticks(uint32_t card);
uint64_t npu_sim_ticks_to_ns(uint64_t ticks);
uint64_t npu_sim_ticks_of_ns(uint64_t ns);
/* Times a launch, writes its records to the open channels; returns how many
 * ticks it took. */
uint64_t npu_sim_card_run(uint32_t card, const struct card_launch *launch);
/* The same in two steps, for a launch whose bodies wait for other cards: the bodies run
 * between them. NULL: it is not timed. The launch is read until the end. */
struct card_run *npu_sim_card_begin(uint32_t card, const struct card_launch *launch);
uint64_t npu_sim_card_finish(struct card_run *run, uint64_t *waited);
/* A launch between the steps, by the first word of its arguments: from when to when it
 * runs without its waits. False: there is none. */
bool npu_sim_card_waiting(uint32_t card, uint64_t word, struct card_span *out);
void npu_sim_card_waits_until(uint32_t card, uint64_t word, uint64_t ticks);
/* The start or the end of another task, ns after now, in the task log. */
void npu_sim_card_log(uint32_t card,
                      const struct card_task *task,
                      bool is_end,
                      uint64_t ns);
void npu_sim_card_log_span(uint32_t card,
                           const struct card_task *task,
                           uint64_t start,
                           uint64_t end);
/* A report of CARD_REPORT_SIZE bytes of the AI CPU, into its channel. */
void npu_sim_card_report(uint32_t card, const void *report);
/* A copy or a fill through the L2. Either address may be NULL. */
void npu_sim_card_copy(uint32_t card, const void *from, const void *to, uint64_t bytes);
void npu_sim_card_prefetch(uint32_t card, const void *address, uint64_t bytes);
void npu_sim_card_invalidate(uint32_t card, const void *address, uint64_t bytes);

#endif
