/* snapshot.h - copy of a device's memory before a launch, to restore it between passes
 *
 * It contains all memory that the program allocated, except the windows of
 * communicators: they have state that is shared with other ranks, so one rank must not
 * restore them alone.
 *
 * The copy is in device memory, or in host memory when the device has no room. It
 * exists only during a replay, so the program sees as much free memory as without
 * inject. */
#ifndef INJECT_REPLAY_SNAPSHOT_H
#define INJECT_REPLAY_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;
struct device;

struct snapshot {
    struct block *blocks; /* of the device, by address */
    size_t block_count, block_room;
    size_t bytes;
    void *on_device; /* the copy, or NULL */
    void *on_host;   /* the copy, when the device has no room */
    void *staging;   /* for the checksum */
};

enum snapshot_answer { SNAPSHOT_GOOD, SNAPSHOT_EMPTY, SNAPSHOT_NO_ROOM };

/* Earlier work of the stream must have ended. The caller clears the snapshot, whatever
 * the result. */
enum snapshot_answer
snapshot_take(struct snapshot *snapshot, const struct device *device, void *stream);
/* Copies the present contents of the blocks of another snapshot. */
enum snapshot_answer snapshot_take_same_blocks(struct snapshot *snapshot,
                                               const struct snapshot *other,
                                               void *stream);
void snapshot_clear(struct snapshot *snapshot);

/* Restores the memory and waits for the copies. Returns 0, or the error of the runtime.
 */
int snapshot_restore(const struct snapshot *snapshot, void *stream, int timeout_ms);
/* Returns a checksum of the present contents of the blocks; 0 when reading failed. */
uint64_t snapshot_checksum(struct snapshot *snapshot);

/* Returns true for an address in one of the blocks. */
bool snapshot_covers(const struct snapshot *snapshot, uintptr_t address);

/* Returns a 64-bit hash of the bytes, continued from `seed`. */
uint64_t snapshot_hash(uint64_t seed, const void *bytes, size_t size);

#endif
