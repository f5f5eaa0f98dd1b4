/* device.h - the devices of this process, and what the program allocated on them
 *
 * A device is named by its visible number, as the program does; the driver's number
 * stands beside it. What changes memory on a device holds its turn shared; a replay
 * holds it alone, from the snapshot to the last launch. A turn is waited for with a
 * limit: who does not get it goes on, and a replay that may have been disturbed so
 * says. */
#ifndef INJECT_DEVICE_DEVICE_H
#define INJECT_DEVICE_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device {
    int visible;
    int logical;
    atomic_bool known;     /* logical and the rest are filled */
    atomic_bool disturbed; /* somebody went on without a turn */
    atomic_bool shared;    /* another process may write into its memory */
    pthread_rwlock_t turn;
    pthread_mutex_t ask; /* for the first questions to the driver */
    int users;           /* set minus reset */
    size_t held_bytes, held_blocks;
    void *flush; /* of flush.h, whoever claims the device */
    atomic_size_t flush_bytes;
    /* what the driver and the runtime said */
    uint32_t chip, core_count, ticks_khz, rated_mhz;
    uint64_t l2_bytes;
    char soc[32];
};

struct block {
    uintptr_t address; /* 0: a free place */
    size_t size;
    int32_t device; /* visible */
};

int devices_start(void); /* 0 or -1 */
void devices_reset(void);

/* The device of the calling thread, or NULL. */
struct device *device_current(void);
struct device *device_of_block(const void *address);

/* NULL in, NULL out; NULL too when the turn did not come. */
struct device *device_lock_shared(struct device *device);
void device_unlock_shared(struct device *device);
bool device_lock_exclusive(struct device *device);
bool device_lock_exclusive_for(struct device *device, uint32_t ms);
void device_unlock_exclusive(struct device *device);

void device_set(int visible);
void device_reset(int visible, bool force);
struct device *device_find(int visible); /* or NULL */
/* Nobody of this process uses it once this reset, or a forced one, is through. */
bool device_is_last(int visible, bool force);

/* The visible number of the device that it is on: the calling thread's. */
int block_add(const void *address, size_t size);
/* Whose it was, or NULL. */
struct device *block_remove(const void *address);
void block_mark_shared(const void *address); /* NULL: the current device's memory */
/* False when blocks were missed, so that a snapshot would not be whole. */
bool blocks_are_complete(void);
size_t blocks_bytes(const struct device *device, size_t *count);
/* Copies the blocks of the device, in the order of their addresses, if there is room
 * for all of them. How many there are: others take memory meanwhile. */
size_t blocks_copy(const struct device *device, struct block *out, size_t room);

#endif
