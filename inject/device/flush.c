#include "inject/device/flush.h"

#include <stdatomic.h>
#include <stdint.h>

#include "inject/base/abi.h"
#include "inject/base/runtime.h"
#include "inject/device/device.h"

enum {
    ALIGN = 512,
    LOCK_MS = 1000,
    SPARE_FACTOR = 8, /* times the size of the buffer must stay free */
};

/* Returns the size of the L2 cache; without a value from the runtime, the largest of
 * the chip series. */
static size_t l2_bytes_of(const struct device *device)
{
    const size_t mib = 1024 * 1024;

    if (device->l2_bytes > 0 && device->l2_bytes <= 4096 * mib)
        return device->l2_bytes;
    return device->chip == ABI_CHIP_310P ? 16 * mib : 192 * mib;
}

static uint64_t memory_free(void)
{
    uint64_t available = 0, total;

    return runtime_memory(&available, &total) == 0 ? available : 0;
}

/* Stores how much memory the buffer takes: the runtime adds to the size of a block. */
static bool allocate_buffer(struct device *device, size_t bytes)
{
    uint64_t before = memory_free(), after;

    if (runtime_malloc(&device->flush, bytes) != 0) {
        device->flush = NULL;
        return false;
    }
    after = memory_free();
    atomic_store(&device->flush_bytes, after < before ? before - after : bytes);
    return true;
}

void flush_l2(struct device *device, void *stream, int timeout_ms)
{
    size_t bytes = l2_bytes_of(device) / 4 * 5, half;

    if (!device->flush && !allocate_buffer(device, bytes))
        return;
    half = bytes / 2 & ~(size_t)(ALIGN - 1);
    if (runtime_copy_async((uint8_t *)device->flush + half, device->flush, half,
                           ABI_COPY_DEVICE_TO_DEVICE, stream) == 0)
        runtime_sync_stream(stream, timeout_ms);
}

static void free_buffer(struct device *device)
{
    if (device->flush && runtime_device() == device->visible)
        runtime_free(device->flush);
    device->flush = NULL;
    atomic_store(&device->flush_bytes, 0);
}

/* Other libraries allocate device memory too, and inject does not see when they fail.
 */
void flush_free_if_scarce(struct device *device)
{
    size_t bytes = atomic_load(&device->flush_bytes);

    if (bytes > 0 && memory_free() / SPARE_FACTOR < bytes)
        free_buffer(device);
}

bool flush_free_for_program(struct device *device)
{
    if (atomic_load(&device->flush_bytes) == 0 ||
        !device_lock_exclusive_for(device, LOCK_MS))
        return false;
    free_buffer(device);
    device_unlock_exclusive(device);
    return true;
}

void flush_free_before_reset(struct device *device)
{
    if (atomic_load(&device->flush_bytes) > 0)
        free_buffer(device);
}

size_t flush_buffer_bytes(const struct device *device)
{
    return device ? atomic_load(&device->flush_bytes) : 0;
}
