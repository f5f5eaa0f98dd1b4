/* l2.h - the L2 cache of a card: which 128-byte lines are in it
 *
 * Lines are kept by groups of 64 (8 KiB), and groups leave in order of last use. A
 * caller names a line by the block of memory it lies in and its place there, so that
 * the same program sees the same hits wherever the heap lies. Not locked. */
#ifndef SIM_CARD_L2_H
#define SIM_CARD_L2_H

#include <stdint.h>

#define L2_LINE 128

struct l2;

struct l2 *l2_create(uint64_t bytes); /* NULL: out of memory */
void l2_destroy(struct l2 *l2);

/* Brings a range in; returns how many of its lines were not there. */
uint64_t l2_touch(struct l2 *l2, uint64_t block, uint64_t offset, uint64_t bytes);
void l2_drop(struct l2 *l2, uint64_t block, uint64_t offset, uint64_t bytes);
uint64_t l2_evicted_lines(const struct l2 *l2); /* since it was made */

#endif
