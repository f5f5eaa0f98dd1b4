/* local_memory.h - the buffers of a core, one set per thread that runs bodies
 *
 * A body ends before the next one begins, so one set serves all cores that a thread
 * simulates. Each buffer is an allocation of its own, so that valgrind and the
 * sanitizers detect an access beyond its end. */
#ifndef SIM_INSTRUMENT_LOCAL_MEMORY_H
#define SIM_INSTRUMENT_LOCAL_MEMORY_H

#include <npu_sim/recorder.h>
#include <stddef.h>
#include <stdint.h>

/* Returns NULL for GM, and when out of memory. */
void *local_memory(enum npu_sim_memory memory, size_t *bytes);
/* Returns the offset of an address in its buffer. Addresses of GM and unknown ones are
 * returned unchanged. */
uint64_t local_memory_offset(unsigned memory, uint64_t address);

#endif
