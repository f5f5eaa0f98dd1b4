#include "lib/shm/ring.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HEAD_BYTES = 4096, DROP_KINDS = 32 };

struct ring_shared {
    _Alignas(64) _Atomic uint64_t written; /* total bytes; changed by the writer only */
    _Alignas(64) _Atomic uint64_t read;    /* total bytes; changed by the reader only */
    _Alignas(64) _Atomic uint32_t sleeps;  /* 1: the reader waits for the eventfd */
    _Atomic uint64_t drops[DROP_KINDS];
};

static_assert(sizeof(struct ring_shared) <= HEAD_BYTES, "the head fits into a page");

static uint64_t frame_bytes(uint64_t payload)
{
    return (sizeof(struct ring_frame) + payload + 7) & ~7ULL;
}

int ring_memory(size_t size)
{
    int memory = memfd_create("muster-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (memory < 0)
        return -1;
    /* Sealed, because a peer that shrinks the memory would kill the other by SIGBUS. */
    if (ftruncate(memory, (off_t)(HEAD_BYTES + size)) < 0 ||
        fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
        close(memory);
        return -1;
    }
    return memory;
}

int ring_map(struct ring *ring, int memory, size_t size)
{
    size_t whole = HEAD_BYTES + 2 * size;
    uint8_t *place;

    memset(ring, 0, sizeof(*ring));
    if (size < HEAD_BYTES || (size & (size - 1)) != 0 || size > (1UL << 30)) {
        errno = EINVAL;
        return -1;
    }
    place = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
    if (place == MAP_FAILED)
        return -1;
    if (mmap(place, HEAD_BYTES + size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             memory, 0) == MAP_FAILED ||
        mmap(place + HEAD_BYTES + size, size, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED, memory, HEAD_BYTES) == MAP_FAILED) {
        munmap(place, whole);
        return -1;
    }
    ring->shared = (struct ring_shared *)place;
    ring->data = place + HEAD_BYTES;
    ring->size = size;
    return 0;
}

void ring_unmap(struct ring *ring)
{
    if (ring->shared)
        munmap(ring->shared, HEAD_BYTES + 2 * ring->size);
    memset(ring, 0, sizeof(*ring));
}

static size_t pieces_bytes(const struct iovec *pieces, size_t count)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += pieces[i].iov_len;
    return bytes;
}

bool ring_put(struct ring *ring,
              uint16_t kind,
              uint64_t time_ns,
              const struct iovec *pieces,
              size_t count)
{
    uint64_t written =
        atomic_load_explicit(&ring->shared->written, memory_order_relaxed);
    uint64_t read = atomic_load_explicit(&ring->shared->read, memory_order_acquire);
    size_t payload = pieces_bytes(pieces, count);
    uint64_t need = frame_bytes(payload);
    uint8_t *at = ring->data + (written & (ring->size - 1));
    struct ring_frame frame = {
        .length = (uint32_t)payload,
        .kind = kind,
        .time_ns = time_ns,
    };

    if (payload > RING_FRAME_MAX || written - read > ring->size ||
        need > ring->size - (written - read))
        return false;

    memcpy(at, &frame, sizeof(frame));
    at += sizeof(frame);
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].iov_len > 0)
            memcpy(at, pieces[i].iov_base, pieces[i].iov_len);
        at += pieces[i].iov_len;
    }
    atomic_store_explicit(&ring->shared->written, written + need, memory_order_release);
    return true;
}

bool ring_reader_slept(struct ring *ring)
{
    atomic_thread_fence(memory_order_seq_cst); /* pairs with ring_sleep() */
    return atomic_load_explicit(&ring->shared->sleeps, memory_order_relaxed) != 0 &&
           atomic_exchange(&ring->shared->sleeps, 0) != 0;
}

bool ring_reader_sleeps(const struct ring *ring)
{
    return atomic_load_explicit(&ring->shared->sleeps, memory_order_relaxed) != 0;
}

void ring_count_drop(struct ring *ring, uint16_t kind)
{
    if (kind < DROP_KINDS)
        atomic_fetch_add(&ring->shared->drops[kind], 1);
}

enum ring_take
ring_take(struct ring *ring, struct ring_frame *frame, uint8_t payload[RING_FRAME_MAX])
{
    uint64_t written =
        atomic_load_explicit(&ring->shared->written, memory_order_acquire);
    uint64_t available = written - ring->consumed;
    const uint8_t *at = ring->data + (ring->consumed & (ring->size - 1));

    if (available == 0)
        return RING_EMPTY;
    if (available > ring->size || available < sizeof(*frame))
        return RING_BROKEN;
    memcpy(frame, at, sizeof(*frame));
    if (frame->length > RING_FRAME_MAX || frame_bytes(frame->length) > available)
        return RING_BROKEN;

    memcpy(payload, at + sizeof(*frame), frame->length);
    ring->consumed += frame_bytes(frame->length);
    atomic_store_explicit(&ring->shared->read, ring->consumed, memory_order_release);
    return RING_TAKEN;
}

bool ring_sleep(struct ring *ring)
{
    atomic_store(&ring->shared->sleeps, 1);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with ring_reader_slept() */
    if (atomic_load(&ring->shared->written) == ring->consumed)
        return true;
    atomic_store(&ring->shared->sleeps, 0);
    return false;
}

uint64_t ring_take_drops(struct ring *ring, uint16_t kind)
{
    return kind < DROP_KINDS ? atomic_exchange(&ring->shared->drops[kind], 0) : 0;
}
