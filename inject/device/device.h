/* device.h - devices of this process, and the memory that the program allocated on them
 *
 * The visible number identifies a device, as in the program; `logical` is the driver's
 * number. Each hook that changes device memory locks the device shared. A replay locks
 * it exclusively, from the snapshot to the last pass. Both wait with a time limit. A
 * hook that does not get the lock continues without it and sets `disturbed`; the replay
 * reports that. */
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
    atomic_bool known;     /* `logical` and the driver's facts are filled */
    atomic_bool disturbed; /* a hook continued without the lock */
    atomic_bool shared;    /* another process may write into its memory */
    pthread_rwlock_t use_lock;
    pthread_mutex_t fill_lock; /* held while the driver's facts are filled */
    int users;                 /* calls of SetDevice minus calls of ResetDevice */
    size_t held_bytes, held_blocks;
    void *flush; /* buffer of flush.h; needs the exclusive lock */
    atomic_size_t flush_bytes;
    /* facts from the driver and the runtime */
    uint32_t chip, core_count, ticks_khz, rated_mhz;
    uint64_t l2_bytes;
    char soc[32];
    atomic_bool described; /* the environment record is written */
};

struct block {
    uintptr_t address; /* 0: a free entry */
    size_t size;
    int32_t device; /* visible */
};

int devices_start(void); /* 0 or -1 */
void devices_reset(void);

/* Returns the device of the calling thread, or NULL. */
struct device *device_current(void);
struct device *device_of_block(const void *address);

/* Returns the device, or NULL when the lock was not free in time. NULL is allowed. */
struct device *device_lock_shared(struct device *device);
void device_unlock_shared(struct device *device);
bool device_lock_exclusive(struct device *device);
bool device_lock_exclusive_for(struct device *device, uint32_t ms);
void device_unlock_exclusive(struct device *device);

void device_set(int visible);
void device_reset(int visible, bool force);
struct device *device_find(int visible); /* or NULL */
/* Returns true when this reset ends the use of the device in this process. */
bool device_is_last(int visible, bool force);

/* Adds a block of the calling thread's device and returns its visible number. */
int block_add(const void *address, size_t size);
/* Returns the device of the removed block, or NULL. */
struct device *block_remove(const void *address);
void block_mark_shared(const void *address); /* NULL: memory of the current device */
/* Returns false when the table was full once, so that a snapshot would lack blocks. */
bool blocks_are_complete(void);
size_t blocks_bytes(const struct device *device, size_t *count);
/* Copies the blocks of the device, sorted by address, when `room` is large enough.
 * Returns their number, which other threads may change between two calls. */
size_t blocks_copy(const struct device *device, struct block *out, size_t room);

#endif
