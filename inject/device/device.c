#include "inject/device/device.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "inject/base/abi.h"
#include "inject/base/runtime.h"
#include "inject/base/short_lock.h"

enum {
    ENTRIES = 1 << 16,        /* of the table; at most half of them are used */
    LOCK_WAIT_MS = 60 * 1000, /* longer than a replay should take */
};

static struct device devices[ABI_DEVICES_MAX];
static struct block *blocks; /* open addressing by address */
static size_t block_count;
static atomic_bool table_was_full;
static struct short_lock lock; /* for the table and the users of each device */

int devices_start(void)
{
    void *memory;

    if (blocks) /* from an earlier run (lifecycle.h) */
        return 0;
    memory = mmap(NULL, ENTRIES * sizeof(struct block), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return -1;
    for (int i = 0; i < ABI_DEVICES_MAX; i++) {
        devices[i].visible = i;
        pthread_rwlock_init(&devices[i].use_lock, NULL);
        pthread_mutex_init(&devices[i].fill_lock, NULL);
    }
    blocks = memory;
    return 0;
}

void devices_reset(void)
{
    if (blocks)
        munmap(blocks, ENTRIES * sizeof(struct block));
    blocks = NULL;
    block_count = 0;
    atomic_store(&table_was_full, false);
    memset(devices, 0, sizeof(devices));
    short_lock_release(&lock);
}

static struct device *device_at(int visible)
{
    return visible >= 0 && visible < ABI_DEVICES_MAX && blocks ? &devices[visible]
                                                               : NULL;
}

struct device *device_current(void)
{
    return device_at(runtime_device());
}

static struct timespec lock_deadline(uint32_t ms)
{
    struct timespec deadline;
    long ns;

    clock_gettime(CLOCK_MONOTONIC, &deadline);
    ns = deadline.tv_nsec + (long)(ms % 1000) * 1000000;
    deadline.tv_sec += ms / 1000 + ns / 1000000000;
    deadline.tv_nsec = ns % 1000000000;
    return deadline;
}

struct device *device_lock_shared(struct device *device)
{
    struct timespec deadline;

    if (!device || pthread_rwlock_tryrdlock(&device->use_lock) == 0)
        return device;
    deadline = lock_deadline(LOCK_WAIT_MS);
    if (pthread_rwlock_clockrdlock(&device->use_lock, CLOCK_MONOTONIC, &deadline) == 0)
        return device;
    atomic_store(&device->disturbed, true);
    return NULL;
}

void device_unlock_shared(struct device *device)
{
    if (device)
        pthread_rwlock_unlock(&device->use_lock);
}

bool device_lock_exclusive(struct device *device)
{
    return device_lock_exclusive_for(device, LOCK_WAIT_MS);
}

bool device_lock_exclusive_for(struct device *device, uint32_t ms)
{
    struct timespec deadline = lock_deadline(ms);

    if (pthread_rwlock_clockwrlock(&device->use_lock, CLOCK_MONOTONIC, &deadline) != 0)
        return false;
    atomic_store(&device->disturbed, false);
    return true;
}

void device_unlock_exclusive(struct device *device)
{
    pthread_rwlock_unlock(&device->use_lock);
}

void device_set(int visible)
{
    struct device *device = device_at(visible);

    if (!device)
        return;
    short_lock_acquire(&lock);
    device->users++;
    short_lock_release(&lock);
}

static size_t first_entry(uintptr_t address)
{
    return (size_t)((address >> 5) * 0x9e3779b97f4a7c15u >> 40) & (ENTRIES - 1);
}

static size_t find_entry(uintptr_t address)
{
    size_t at = first_entry(address);

    while (blocks[at].address != 0 && blocks[at].address != address)
        at = (at + 1) & (ENTRIES - 1);
    return at;
}

/* Empties an entry. Later entries move up when their search path crosses it. */
static void close_gap(size_t gap)
{
    size_t at = gap;

    blocks[gap].address = 0;
    for (;;) {
        at = (at + 1) & (ENTRIES - 1);
        if (blocks[at].address == 0)
            return;
        size_t first = first_entry(blocks[at].address);
        bool stays = gap < at ? first > gap && first <= at : first > gap || first <= at;

        if (!stays) {
            blocks[gap] = blocks[at];
            blocks[at].address = 0;
            gap = at;
        }
    }
}

static void remove_entry(size_t at)
{
    struct device *device = &devices[blocks[at].device];

    device->held_bytes -= blocks[at].size;
    device->held_blocks--;
    block_count--;
    close_gap(at);
}

static void remove_blocks_of(int visible)
{
    for (size_t at = 0; at < ENTRIES && devices[visible].held_blocks > 0;) {
        if (blocks[at].address != 0 && blocks[at].device == visible)
            remove_entry(at);
        else
            at++;
    }
}

struct device *device_find(int visible)
{
    return device_at(visible);
}

bool device_is_last(int visible, bool force)
{
    struct device *device = device_at(visible);
    bool last;

    if (!device)
        return false;
    short_lock_acquire(&lock);
    last = force || device->users <= 1;
    short_lock_release(&lock);
    return last;
}

void device_reset(int visible, bool force)
{
    struct device *device = device_at(visible);

    if (!device)
        return;
    short_lock_acquire(&lock);
    if (device->users > 0)
        device->users--;
    if (force || device->users == 0) {
        device->users = 0;
        remove_blocks_of(visible);
        atomic_store(&device->shared, false);
    }
    short_lock_release(&lock);
}

int block_add(const void *address, size_t size)
{
    int visible = runtime_device();
    size_t at;

    if (!address || !device_at(visible))
        return visible;
    short_lock_acquire(&lock);
    at = find_entry((uintptr_t)address);
    if (blocks[at].address != 0) { /* the program freed it without a hooked call */
        remove_entry(at);
        at = find_entry((uintptr_t)address);
    }
    if (block_count < ENTRIES / 2) {
        blocks[at] = (struct block){(uintptr_t)address, size, visible};
        devices[visible].held_bytes += size;
        devices[visible].held_blocks++;
        block_count++;
    } else {
        atomic_store(&table_was_full, true);
    }
    short_lock_release(&lock);
    return visible;
}

struct device *block_remove(const void *address)
{
    struct device *device = NULL;
    size_t at;

    if (!address || !blocks)
        return NULL;
    short_lock_acquire(&lock);
    at = find_entry((uintptr_t)address);
    if (blocks[at].address != 0) {
        device = device_at(blocks[at].device);
        remove_entry(at);
    }
    short_lock_release(&lock);
    return device;
}

struct device *device_of_block(const void *address)
{
    struct device *device = NULL;
    size_t at;

    if (!address || !blocks)
        return NULL;
    short_lock_acquire(&lock);
    at = find_entry((uintptr_t)address);
    if (blocks[at].address != 0)
        device = device_at(blocks[at].device);
    short_lock_release(&lock);
    return device;
}

void block_mark_shared(const void *address)
{
    struct device *device = device_of_block(address);

    if (!device)
        device = device_current();
    if (device)
        atomic_store(&device->shared, true);
}

bool blocks_are_complete(void)
{
    return !atomic_load(&table_was_full);
}

size_t blocks_bytes(const struct device *device, size_t *count)
{
    size_t bytes;

    short_lock_acquire(&lock);
    bytes = device->held_bytes;
    *count = device->held_blocks;
    short_lock_release(&lock);
    return bytes;
}

static int by_address(const void *a, const void *b)
{
    uintptr_t left = ((const struct block *)a)->address;
    uintptr_t right = ((const struct block *)b)->address;

    return left < right ? -1 : left > right;
}

size_t blocks_copy(const struct device *device, struct block *out, size_t room)
{
    size_t count = 0;

    short_lock_acquire(&lock);
    if (device->held_blocks > room) {
        count = device->held_blocks;
        short_lock_release(&lock);
        return count;
    }
    for (size_t at = 0; at < ENTRIES && count < device->held_blocks; at++)
        if (blocks[at].address != 0 && blocks[at].device == device->visible)
            out[count++] = blocks[at];
    short_lock_release(&lock);
    qsort(out, count, sizeof(*out), by_address);
    return count;
}
