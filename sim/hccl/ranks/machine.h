/* machine.h - identifies the machine that this process runs on */
#ifndef SIM_HCCL_RANKS_MACHINE_H
#define SIM_HCCL_RANKS_MACHINE_H

#include <stdint.h>

/* Returns a number that two processes share only when their CLOCK_MONOTONIC is the
 * same.
 */
uint64_t machine_id(void);

#endif
