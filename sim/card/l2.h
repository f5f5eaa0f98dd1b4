/* l2.h - the L2 cache of a card: the set of 128-byte lines that it holds
 *
 * The cache evicts groups of 64 lines (8 KiB), the least recently used first. A caller
 * identifies a line by its memory block and its offset there. Hits therefore do not
 * depend on heap addresses. The module has no lock: the caller holds the card's mutex.
 */
#ifndef SIM_CARD_L2_H
#define SIM_CARD_L2_H

#include <stdint.h>

#define L2_LINE 128

struct l2;

struct l2 *l2_create(uint64_t bytes); /* NULL: out of memory */
void l2_destroy(struct l2 *l2);

/* Loads a range and returns the number of its lines that missed. */
uint64_t l2_touch(struct l2 *l2, uint64_t block, uint64_t offset, uint64_t bytes);
/* Returns the lines of a range that the cache does not hold, and loads none. */
uint64_t l2_missing(struct l2 *l2, uint64_t block, uint64_t offset, uint64_t bytes);
void l2_drop(struct l2 *l2, uint64_t block, uint64_t offset, uint64_t bytes);
uint64_t l2_evicted_lines(const struct l2 *l2); /* since l2_create() */

#endif
