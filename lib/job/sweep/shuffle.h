/* shuffle.h - the numbers below n in an order that a seed decides, without a list
 *
 * A permutation, in constant memory: a Feistel network over the next power of four,
 * walked until it falls below n. */
#ifndef LIB_JOB_SWEEP_SHUFFLE_H
#define LIB_JOB_SWEEP_SHUFFLE_H

#include <stdint.h>

/* Where `index` goes; index < n. */
uint64_t shuffle_at(uint64_t index, uint64_t n, uint64_t seed);

#endif
