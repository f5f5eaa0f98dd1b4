/* local_memory.h - the buffers of a core: one set a thread that runs bodies
 *
 * A body runs to its end before the next one begins, so the set serves all the cores
 * that a thread stands for. Each buffer is a block of its own: what runs over its end
 * is seen by valgrind and the sanitizers. */
#ifndef SIM_INSTRUMENT_LOCAL_MEMORY_H
#define SIM_INSTRUMENT_LOCAL_MEMORY_H

#include <npu_sim/recorder.h>
#include <stddef.h>
#include <stdint.h>

/* NULL for GM, and when there is no memory. */
void *local_memory(enum npu_sim_memory memory, size_t *bytes);
/* Where in its buffer an address lies; addresses of GM, and strange ones, stay. */
uint64_t local_memory_offset(unsigned memory, uint64_t address);

#endif
