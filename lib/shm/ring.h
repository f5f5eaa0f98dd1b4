/* ring.h - ring buffer in shared memory that carries records from inject to the worker
 *
 * The threads of one process write; the worker reads. The worker creates the memory
 * (memfd), so the worker can still read all committed frames after the process was
 * killed. The writer copies all bytes of a frame and then advances `written`, so the
 * reader never sees a part of a frame.
 *
 * A ring has one or several lanes, each with a buffer of its own. One thread at a time
 * writes into a lane. Frames of one lane are read in the order of writing; frames of
 * different lanes have no order. Lane 0 has the whole size, the others a quarter of it.
 * The data of each lane is mapped twice, back to back, so each frame is contiguous in
 * memory.
 *
 * The program may overwrite the ring. The reader therefore checks every value. */
#ifndef LIB_SHM_RING_H
#define LIB_SHM_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum {
    RING_BYTES = 4 * 1024 * 1024,
    RING_FRAME_MAX = 64 * 1024 + 256, /* the largest channel.bytes record */
    RING_LANES_MAX = 16,
};

struct ring_frame {
    uint32_t length; /* of the payload; frames start at multiples of 8 */
    uint16_t kind;   /* enum record_kind */
    uint16_t reserved;
    uint64_t time_ns; /* monotonic */
};

struct ring_shared; /* the part that both processes map */

struct ring_lane {
    uint8_t *data;
    uint64_t size;
    uint64_t consumed; /* bytes that the reader took; only written to shared memory */
};

struct ring {
    struct ring_shared *shared;
    struct ring_lane lanes[RING_LANES_MAX];
    unsigned lane_count;
    unsigned next;  /* lane from which the reader takes the next frame */
    unsigned taken; /* frames that the reader took from it in succession */
};

/* Creates an empty ring. `size`: bytes of lane 0, a power of two, at least a page, and
 * four pages with several lanes. Returns a descriptor, or -1 with errno. */
int ring_memory(size_t size, unsigned lane_count);
/* Returns 0, or -1 with errno. The caller may close `memory` afterwards. */
int ring_map(struct ring *ring, int memory, size_t size, unsigned lane_count);
void ring_unmap(struct ring *ring); /* an empty ring is allowed */

/* For the writer, one thread at a time in each lane. Writes one frame; its payload is
 * all pieces, one after the other. Returns false without a change when the frame does
 * not fit. */
bool ring_put(struct ring *ring,
              unsigned lane,
              uint16_t kind,
              uint64_t time_ns,
              const struct iovec *pieces,
              size_t count);
/* Returns true once after ring_sleep(); the writer must then wake the reader. */
bool ring_reader_slept(struct ring *ring);
/* A cheaper check without a memory fence. It may miss a reader that starts to sleep at
 * the same time. */
bool ring_reader_sleeps(const struct ring *ring);
/* Counts a record that did not fit. The reader reads the counts. */
void ring_count_drop(struct ring *ring, uint16_t kind);

enum ring_take { RING_EMPTY, RING_TAKEN, RING_BROKEN };

/* For the reader. Copies the payload of the next frame, at most RING_FRAME_MAX bytes,
 * and frees the frame. RING_BROKEN: the ring has impossible values; read no further. */
enum ring_take
ring_take(struct ring *ring, struct ring_frame *frame, uint8_t payload[RING_FRAME_MAX]);
/* Announces that the reader sleeps. Returns false when a frame has arrived meanwhile.
 */
bool ring_sleep(struct ring *ring);
/* Returns the drops of `kind` since the last call. */
uint64_t ring_take_drops(struct ring *ring, uint16_t kind);

#endif
