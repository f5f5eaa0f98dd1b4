/* ring.h - records on their way out of the operator: a ring in shared memory
 *
 * One process writes, any of its threads; the worker reads. The memory belongs to a
 * memfd that the worker made, so what was committed before a SIGKILL is kept. A frame
 * is committed by moving `written`, after all its bytes are there: a reader never sees
 * half of one. The data is mapped twice, back to back: no frame has a seam in the
 * middle.
 *
 * The reader trusts nothing that it reads: the writer's memory belongs to a program
 * that may write anywhere. */
#ifndef LIB_SHM_RING_H
#define LIB_SHM_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum {
    RING_BYTES = 4 * 1024 * 1024,
    RING_FRAME_MAX = 64 * 1024 + 256, /* a channel.bytes record with its heads */
};

struct ring_frame {
    uint32_t length; /* of the payload; frames start at multiples of 8 */
    uint16_t kind;   /* enum record_kind */
    uint16_t reserved;
    uint64_t time_ns; /* monotonic */
};

struct ring_shared; /* what both sides see */

struct ring {
    struct ring_shared *shared;
    uint8_t *data;
    uint64_t size;
    uint64_t seen; /* the reader's own count: the shared one is only told */
};

/* Anonymous memory with an empty ring of `size` bytes, a power of two of whole pages.
 * A descriptor, or -1 with errno. */
int ring_memory(size_t size);
/* 0 or -1 with errno; the descriptor may be closed afterwards. */
int ring_map(struct ring *ring, int memory, size_t size);
void ring_unmap(struct ring *ring); /* an empty one is welcome */

/* Writer, one thread at a time. The pieces together are the payload. Puts nothing and
 * says false when there is no room now, or never will be. */
bool ring_put(struct ring *ring,
              uint16_t kind,
              uint64_t time_ns,
              const struct iovec *pieces,
              size_t count);
/* True once after the reader said that it sleeps: somebody must ring the bell. */
bool ring_reader_slept(struct ring *ring);
/* A glance: may miss one that lies down just now. */
bool ring_reader_sleeps(const struct ring *ring);
/* What was given up, told to the reader when there is room again or the end has come.
 */
void ring_count_drop(struct ring *ring, uint16_t kind);

enum ring_take { RING_EMPTY, RING_TAKEN, RING_BROKEN };

/* Reader. Copies the next frame's payload, at most RING_FRAME_MAX bytes, and frees its
 * place. RING_BROKEN: what is there cannot be a ring's; nothing more will come. */
enum ring_take
ring_take(struct ring *ring, struct ring_frame *frame, uint8_t payload[RING_FRAME_MAX]);
/* Says that the reader sleeps; false when frames came in between. */
bool ring_sleep(struct ring *ring);
/* Drops of `kind` since the last question. */
uint64_t ring_take_drops(struct ring *ring, uint16_t kind);

#endif
