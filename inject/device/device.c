#include "inject/device/device.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "inject/base/abi.h"
#include "inject/base/runtime.h"
#include "inject/base/short_lock.h"

enum {
    PLACES = 1 << 16,         /* of the table, which is kept at most half full */
    TURN_WAIT_MS = 60 * 1000, /* longer than a replay should take */
};

static struct device devices[ABI_DEVICES_MAX];
static struct block *blocks; /* open addressing by address */
static size_t block_count;
static atomic_bool missed;
static struct short_lock latch; /* of the table, and of who uses which device */

int devices_start(void)
{
    void *memory;

    if (blocks) /* of the talk before (again.h) */
        return 0;
    memory = mmap(NULL, PLACES * sizeof(struct block), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return -1;
    for (int i = 0; i < ABI_DEVICES_MAX; i++) {
        devices[i].visible = i;
        pthread_rwlock_init(&devices[i].turn, NULL);
        pthread_mutex_init(&devices[i].ask, NULL);
    }
    blocks = memory;
    return 0;
}

void devices_reset(void)
{
    if (blocks)
        munmap(blocks, PLACES * sizeof(struct block));
    blocks = NULL;
    block_count = 0;
    atomic_store(&missed, false);
    memset(devices, 0, sizeof(devices));
    short_lock_release(&latch);
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

static struct timespec turn_deadline(uint32_t ms)
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

    if (!device || pthread_rwlock_tryrdlock(&device->turn) == 0)
        return device;
    deadline = turn_deadline(TURN_WAIT_MS);
    if (pthread_rwlock_clockrdlock(&device->turn, CLOCK_MONOTONIC, &deadline) == 0)
        return device;
    atomic_store(&device->disturbed, true);
    return NULL;
}

void device_unlock_shared(struct device *device)
{
    if (device)
        pthread_rwlock_unlock(&device->turn);
}

bool device_lock_exclusive(struct device *device)
{
    return device_lock_exclusive_for(device, TURN_WAIT_MS);
}

bool device_lock_exclusive_for(struct device *device, uint32_t ms)
{
    struct timespec deadline = turn_deadline(ms);

    if (pthread_rwlock_clockwrlock(&device->turn, CLOCK_MONOTONIC, &deadline) != 0)
        return false;
    atomic_store(&device->disturbed, false);
    return true;
}

void device_unlock_exclusive(struct device *device)
{
    pthread_rwlock_unlock(&device->turn);
}

void device_set(int visible)
{
    struct device *device = device_at(visible);

    if (!device)
        return;
    short_lock_acquire(&latch);
    device->users++;
    short_lock_release(&latch);
}

static size_t place_of(uintptr_t address)
{
    return (size_t)((address >> 5) * 0x9e3779b97f4a7c15u >> 40) & (PLACES - 1);
}

static size_t find_place(uintptr_t address)
{
    size_t at = place_of(address);

    while (blocks[at].address != 0 && blocks[at].address != address)
        at = (at + 1) & (PLACES - 1);
    return at;
}

/* What stands behind the hole and could not have been put before it moves up. */
static void close_hole(size_t hole)
{
    size_t at = hole;

    blocks[hole].address = 0;
    for (;;) {
        at = (at + 1) & (PLACES - 1);
        if (blocks[at].address == 0)
            return;
        size_t wish = place_of(blocks[at].address);
        bool stays = hole < at ? wish > hole && wish <= at : wish > hole || wish <= at;

        if (!stays) {
            blocks[hole] = blocks[at];
            blocks[at].address = 0;
            hole = at;
        }
    }
}

static void take_out(size_t at)
{
    struct device *device = &devices[blocks[at].device];

    device->held_bytes -= blocks[at].size;
    device->held_blocks--;
    block_count--;
    close_hole(at);
}

static void forget_blocks_of(int visible)
{
    for (size_t at = 0; at < PLACES && devices[visible].held_blocks > 0;) {
        if (blocks[at].address != 0 && blocks[at].device == visible)
            take_out(at);
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
    short_lock_acquire(&latch);
    last = force || device->users <= 1;
    short_lock_release(&latch);
    return last;
}

void device_reset(int visible, bool force)
{
    struct device *device = device_at(visible);

    if (!device)
        return;
    short_lock_acquire(&latch);
    if (device->users > 0)
        device->users--;
    if (force || device->users == 0) {
        device->users = 0;
        forget_blocks_of(visible);
        atomic_store(&device->shared, false);
    }
    short_lock_release(&latch);
}

int block_add(const void *address, size_t size)
{
    int visible = runtime_device();
    size_t at;

    if (!address || !device_at(visible))
        return visible;
    short_lock_acquire(&latch);
    at = find_place((uintptr_t)address);
    if (blocks[at].address != 0) { /* freed in a way that we do not see */
        take_out(at);
        at = find_place((uintptr_t)address);
    }
    if (block_count < PLACES / 2) {
        blocks[at] = (struct block){(uintptr_t)address, size, visible};
        devices[visible].held_bytes += size;
        devices[visible].held_blocks++;
        block_count++;
    } else {
        atomic_store(&missed, true);
    }
    short_lock_release(&latch);
    return visible;
}

struct device *block_remove(const void *address)
{
    struct device *device = NULL;
    size_t at;

    if (!address || !blocks)
        return NULL;
    short_lock_acquire(&latch);
    at = find_place((uintptr_t)address);
    if (blocks[at].address != 0) {
        device = device_at(blocks[at].device);
        take_out(at);
    }
    short_lock_release(&latch);
    return device;
}

struct device *device_of_block(const void *address)
{
    struct device *device = NULL;
    size_t at;

    if (!address || !blocks)
        return NULL;
    short_lock_acquire(&latch);
    at = find_place((uintptr_t)address);
    if (blocks[at].address != 0)
        device = device_at(blocks[at].device);
    short_lock_release(&latch);
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
    return !atomic_load(&missed);
}

size_t blocks_bytes(const struct device *device, size_t *count)
{
    size_t bytes;

    short_lock_acquire(&latch);
    bytes = device->held_bytes;
    *count = device->held_blocks;
    short_lock_release(&latch);
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

    short_lock_acquire(&latch);
    if (device->held_blocks > room) {
        count = device->held_blocks;
        short_lock_release(&latch);
        return count;
    }
    for (size_t at = 0; at < PLACES && count < device->held_blocks; at++)
        if (blocks[at].address != 0 && blocks[at].device == device->visible)
            out[count++] = blocks[at];
    short_lock_release(&latch);
    qsort(out, count, sizeof(*out), by_address);
    return count;
}
