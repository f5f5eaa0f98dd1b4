#include "inject/device/flush.h"

#include <stdatomic.h>
#include <stdint.h>

#include "inject/base/abi.h"
#include "inject/base/runtime.h"
#include "inject/device/device.h"

enum {
    ALIGN = 512,
    CLAIM_MS = 1000,
    PLENTY = 8, /* times the buffer has to be free beside it */
};

/* What the L2 holds when the runtime does not tell; the largest of its series. */
static size_t l2_bytes_of(const struct device *device)
{
    const size_t mib = 1024 * 1024;

    if (device->l2_bytes > 0 && device->l2_bytes <= 4096 * mib)
        return device->l2_bytes;
    return device->chip == ABI_CHIP_310P ? 16 * mib : 192 * mib;
}

static uint64_t memory_free(void)
{
    uint64_t is_free = 0, total;

    return runtime_memory(&is_free, &total) == 0 ? is_free : 0;
}

/* A block takes somewhat more than its size; how much, only the runtime knows. */
static bool make_buffer(struct device *device, size_t bytes)
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

    if (!device->flush && !make_buffer(device, bytes))
        return;
    half = bytes / 2 & ~(size_t)(ALIGN - 1);
    if (runtime_copy_async((uint8_t *)device->flush + half, device->flush, half,
                           ABI_COPY_DEVICE_TO_DEVICE, stream) == 0)
        runtime_sync_stream(stream, timeout_ms);
}

static void drop(struct device *device)
{
    if (device->flush && runtime_device() == device->visible)
        runtime_free(device->flush);
    device->flush = NULL;
    atomic_store(&device->flush_bytes, 0);
}

/* Libraries allocate by themselves, where we do not see them fail. */
void flush_free_if_scarce(struct device *device)
{
    size_t bytes = atomic_load(&device->flush_bytes);

    if (bytes > 0 && memory_free() / PLENTY < bytes)
        drop(device);
}

bool flush_free_for_program(struct device *device)
{
    if (atomic_load(&device->flush_bytes) == 0 ||
        !device_lock_exclusive_for(device, CLAIM_MS))
        return false;
    drop(device);
    device_unlock_exclusive(device);
    return true;
}

void flush_free_before_reset(struct device *device)
{
    if (atomic_load(&device->flush_bytes) > 0)
        drop(device);
}

size_t flush_buffer_bytes(const struct device *device)
{
    return device ? atomic_load(&device->flush_bytes) : 0;
}
