/* flush.h - the L2 cache is emptied of what a kernel needs
 *
 * By copying half of a buffer onto its other half: together more lines than the cache
 * has. The buffer is made once for each device and stays until the device is reset, for
 * making it takes longer than using it; but only where there is so much more memory
 * that nobody misses it. The program does not see it: it is left out of the memory that
 * is told to be used, and given back when the program gets no more. */
#ifndef INJECT_DEVICE_FLUSH_H
#define INJECT_DEVICE_FLUSH_H

#include <stdbool.h>
#include <stddef.h>

struct device;

/* With the device claimed. Without memory for it nothing happens: warm caches are
 * better than no figures. */
void flush_l2(struct device *device, void *stream, int timeout_ms);
/* After a launch, with the device claimed: it goes where memory is short. */
void flush_free_if_scarce(struct device *device);
/* True when there was a buffer and it is given back. Claims the device. */
bool flush_free_for_program(struct device *device);
/* The device is about to be reset, and all of its memory goes. */
void flush_free_before_reset(struct device *device);
/* The bytes that the program would have without us. */
size_t flush_buffer_bytes(const struct device *device);

#endif
