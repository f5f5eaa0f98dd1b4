/* shuffle.h - a random permutation of the numbers below n, in constant memory
 *
 * A Feistel network permutes the numbers below the next power of four. It is repeated
 * until the result is below n. */
#ifndef LIB_JOB_SWEEP_SHUFFLE_H
#define LIB_JOB_SWEEP_SHUFFLE_H

#include <stdint.h>

/* Returns the number at position `index` of the permutation; index < n. */
uint64_t shuffle_at(uint64_t index, uint64_t n, uint64_t seed);

#endif
