/* snapshot.h - a device's memory as it was before the launch, to be put back
 *
 * All that the program allocated, but for the windows of communicators: what stands
 * there is agreed with the other ranks, and must not be put back on one of them alone.
 *
 * Kept on the device where it fits, else in host memory, else not at all. Only while a
 * launch is replayed: the program finds as much free memory as it would alone. */
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
    void *on_device; /* one of these two, or none when there is nothing */
    void *on_host;
    void *staging; /* for the checksum */
};

enum snapshot_answer { SNAPSHOT_GOOD, SNAPSHOT_EMPTY, SNAPSHOT_NO_ROOM };

/* The stream's earlier work must be done. Clear it in any case. */
enum snapshot_answer
snapshot_take(struct snapshot *snapshot, const struct device *device, void *stream);
/* The same blocks as another one has, as they are now. */
enum snapshot_answer snapshot_take_same_blocks(struct snapshot *snapshot,
                                               const struct snapshot *other,
                                               void *stream);
void snapshot_clear(struct snapshot *snapshot);

/* Puts it back, and waits until it is. 0 or the runtime's error. */
int snapshot_restore(const struct snapshot *snapshot, void *stream, int timeout_ms);
/* Of all that stands in the memory now; 0 when it could not be read. */
uint64_t snapshot_checksum(struct snapshot *snapshot);

/* True for an address in one of its blocks. */
bool snapshot_covers(const struct snapshot *snapshot, uintptr_t address);

/* 64 bits of `size` bytes, going on from `seed`. */
uint64_t snapshot_hash(uint64_t seed, const void *bytes, size_t size);

#endif
