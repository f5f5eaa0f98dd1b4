/* flush.h - removes the data of a kernel from the L2 cache
 *
 * Copies one half of a buffer to the other half; the buffer is larger than the cache.
 * The buffer is allocated once per device, because that takes longer than the copy. It
 * stays until the device is reset, as long as much more memory is free. The program
 * does not see the buffer: hooks subtract it from the used memory, and free it when an
 * allocation of the program fails. */
#ifndef INJECT_DEVICE_FLUSH_H
#define INJECT_DEVICE_FLUSH_H

#include <stdbool.h>
#include <stddef.h>

struct device;

/* Needs the exclusive lock of the device. Does nothing without memory for the buffer:
 * measured values with a warm cache are better than none. */
void flush_l2(struct device *device, void *stream, int timeout_ms);
/* Frees the buffer when memory is scarce. Needs the exclusive lock. */
void flush_free_if_scarce(struct device *device);
/* Locks the device and frees the buffer. Returns false when there is none. */
bool flush_free_for_program(struct device *device);
/* Frees the buffer before the device is reset. */
void flush_free_before_reset(struct device *device);
/* Returns the bytes of the buffer, which the program must not see as used. */
size_t flush_buffer_bytes(const struct device *device);

#endif
