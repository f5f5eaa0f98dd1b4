#include "inject/replay/snapshot.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#include "inject/base/abi.h"
#include "inject/base/runtime.h"
#include "inject/device/device.h"
#include "inject/program/comm.h"

enum {
    STAGING_BYTES = 1024 * 1024,
    COPY_TIMEOUT_MS = 60 * 1000,
    ALIGN = 512,
    SPARE_BLOCKS = 64,
};

static size_t aligned(size_t size)
{
    return (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

static void *map_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

/* Uses at most half of the free host memory, because the program needs it too. */
static void *map_host_copy(size_t size)
{
    struct sysinfo is;

    if (sysinfo(&is) < 0 || size > (size_t)is.freeram * is.mem_unit / 2)
        return NULL;
    return map_memory(size);
}

static int copy_blocks(const struct snapshot *snapshot, bool restore, void *stream)
{
    uint8_t *kept = snapshot->on_device ? snapshot->on_device : snapshot->on_host;
    int result = 0;

    for (size_t i = 0; i < snapshot->block_count && result == 0; i++) {
        void *live = (void *)snapshot->blocks[i].address;
        size_t size = snapshot->blocks[i].size;
        void *to = restore ? live : kept;
        const void *from = restore ? kept : live;

        if (snapshot->on_device)
            result =
                runtime_copy_async(to, from, size, ABI_COPY_DEVICE_TO_DEVICE, stream);
        else
            result = runtime_copy(to, from, size,
                                  restore ? ABI_COPY_HOST_TO_DEVICE
                                          : ABI_COPY_DEVICE_TO_HOST);
        kept += aligned(size);
    }
    return result;
}

static void unmap_blocks(struct snapshot *snapshot)
{
    if (snapshot->blocks)
        munmap(snapshot->blocks, snapshot->block_room * sizeof(struct block));
    snapshot->blocks = NULL;
}

/* Lists all blocks at one time. Other threads may add blocks between two calls. */
static bool
list_blocks(struct snapshot *snapshot, const struct device *device, size_t *count)
{
    blocks_bytes(device, count);
    while (*count > snapshot->block_room) {
        unmap_blocks(snapshot);
        snapshot->block_room = *count + SPARE_BLOCKS;
        snapshot->blocks = map_memory(snapshot->block_room * sizeof(struct block));
        if (!snapshot->blocks)
            return false;
        *count = blocks_copy(device, snapshot->blocks, snapshot->block_room);
    }
    return true;
}

static bool collect_blocks(struct snapshot *snapshot, const struct device *device)
{
    size_t count;

    if (!list_blocks(snapshot, device, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct block *block = &snapshot->blocks[i];

        if (comm_owns_memory(device->visible, block->address, block->size))
            continue;
        snapshot->bytes += aligned(block->size);
        snapshot->blocks[snapshot->block_count++] = *block;
    }
    return true;
}

/* Copies the contents of the listed blocks. */
static enum snapshot_answer save_blocks(struct snapshot *snapshot, void *stream)
{
    if (snapshot->bytes == 0)
        return SNAPSHOT_EMPTY;
    if (runtime_malloc(&snapshot->on_device, snapshot->bytes) != 0) {
        snapshot->on_device = NULL;
        snapshot->on_host = map_host_copy(snapshot->bytes);
        if (!snapshot->on_host)
            return SNAPSHOT_NO_ROOM;
    }
    if (copy_blocks(snapshot, false, stream) != 0 ||
        runtime_sync_stream(stream, COPY_TIMEOUT_MS) != 0)
        return SNAPSHOT_NO_ROOM;
    return SNAPSHOT_GOOD;
}

enum snapshot_answer
snapshot_take(struct snapshot *snapshot, const struct device *device, void *stream)
{
    memset(snapshot, 0, sizeof(*snapshot));
    if (!blocks_are_complete() || !collect_blocks(snapshot, device))
        return SNAPSHOT_NO_ROOM;
    return save_blocks(snapshot, stream);
}

enum snapshot_answer snapshot_take_same_blocks(struct snapshot *snapshot,
                                               const struct snapshot *other,
                                               void *stream)
{
    memset(snapshot, 0, sizeof(*snapshot));
    if (other->block_count > 0) {
        snapshot->blocks = map_memory(other->block_count * sizeof(struct block));
        if (!snapshot->blocks)
            return SNAPSHOT_NO_ROOM;
        memcpy(snapshot->blocks, other->blocks,
               other->block_count * sizeof(struct block));
    }
    snapshot->block_count = snapshot->block_room = other->block_count;
    snapshot->bytes = other->bytes;
    return save_blocks(snapshot, stream);
}

void snapshot_clear(struct snapshot *snapshot)
{
    if (snapshot->on_device)
        runtime_free(snapshot->on_device);
    if (snapshot->on_host)
        munmap(snapshot->on_host, snapshot->bytes);
    if (snapshot->staging)
        munmap(snapshot->staging, STAGING_BYTES);
    unmap_blocks(snapshot);
    memset(snapshot, 0, sizeof(*snapshot));
}

int snapshot_restore(const struct snapshot *snapshot, void *stream, int timeout_ms)
{
    int result = copy_blocks(snapshot, true, stream);

    return result != 0 ? result : runtime_sync_stream(stream, timeout_ms);
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

uint64_t snapshot_hash(uint64_t seed, const void *bytes, size_t size)
{
    uint64_t lanes[4] = {seed, ~seed, seed ^ 0x85ebca6b, seed + size};
    const uint8_t *at = bytes;
    uint64_t words[4];
    size_t left = size;

    for (; left >= sizeof(words); left -= sizeof(words), at += sizeof(words)) {
        memcpy(words, at, sizeof(words));
        for (int i = 0; i < 4; i++)
            lanes[i] = mix(lanes[i], words[i]);
    }
    memset(words, 0, sizeof(words));
    memcpy(words, at, left);
    for (int i = 0; i < 4; i++)
        lanes[i] = mix(lanes[i], words[i]);
    return mix(mix(mix(lanes[0], lanes[1]), lanes[2]), lanes[3]);
}

bool snapshot_covers(const struct snapshot *snapshot, uintptr_t address)
{
    for (size_t i = 0; i < snapshot->block_count; i++)
        if (address - snapshot->blocks[i].address < snapshot->blocks[i].size)
            return true;
    return false;
}

uint64_t snapshot_checksum(struct snapshot *snapshot)
{
    uint64_t hash = 0;

    if (!snapshot->staging)
        snapshot->staging = map_memory(STAGING_BYTES);
    if (!snapshot->staging)
        return 0;
    for (size_t i = 0; i < snapshot->block_count; i++) {
        const uint8_t *at = (const uint8_t *)snapshot->blocks[i].address;
        size_t left = snapshot->blocks[i].size;

        while (left > 0) {
            size_t part = left < STAGING_BYTES ? left : STAGING_BYTES;

            if (runtime_copy(snapshot->staging, at, part, ABI_COPY_DEVICE_TO_HOST) != 0)
                return 0;
            hash = snapshot_hash(hash, snapshot->staging, part);
            at += part;
            left -= part;
        }
    }
    return hash;
}
