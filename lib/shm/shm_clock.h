/* shm_clock.h - the clock of all times in shared memory: CLOCK_MONOTONIC in nanoseconds
 */
#ifndef LIB_SHM_SHM_CLOCK_H
#define LIB_SHM_SHM_CLOCK_H

#include <stdint.h>

uint64_t shm_now_ns(void);

#endif
