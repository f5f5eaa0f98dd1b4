/* memory.h - the blocks of device memory, and how much memory of each card is in use
 *
 * All functions may be called from any thread. */
#ifndef SIM_CARD_MEMORY_H
#define SIM_CARD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct card_memory {
    uint32_t card;
    uint64_t base;
    uint64_t bytes;
    uint64_t serial; /* index of the block on its card; equal in every run */
};

/* Returns the free bytes of a card. */
uint64_t npu_sim_card_memory(uint32_t card, uint64_t *total);

/* Returns NULL when the card is full. The memory holds a pattern, not zeros. */
void *npu_sim_memory_alloc(uint32_t card, size_t bytes);
bool npu_sim_memory_free(void *address);
/* Works like memmove(); both sides lie in blocks of device memory. */
void npu_sim_memory_move(void *to, const void *from, uint64_t bytes);
/* Finds the block that contains an address. Returns false for host memory. */
bool npu_sim_memory_find(const void *address, struct card_memory *out);
/* Counts memory that the caller mapped itself. Returns false when the card is full. */
bool npu_sim_memory_take(uint32_t card, uint64_t bytes);
void npu_sim_memory_give(uint32_t card, uint64_t bytes);
bool npu_sim_memory_enter(uint32_t card, void *address, uint64_t bytes);
/* Uses the caller's serial, which does not depend on the order of calls. */
bool npu_sim_memory_enter_as(uint32_t card,
                             void *address,
                             uint64_t bytes,
                             uint64_t serial);
void npu_sim_memory_leave(void *address);

#endif
