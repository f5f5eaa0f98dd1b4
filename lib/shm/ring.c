#include "lib/shm/ring.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    HEAD_BYTES = 4096,
    DROP_KINDS = 32,
    LANE_TURN = 256, /* frames from one lane before the reader turns to the next one */
};

struct lane_shared {
    _Alignas(64) _Atomic uint64_t written; /* total bytes; changed by the writer only */
    _Alignas(64) _Atomic uint64_t read;    /* total bytes; changed by the reader only */
};

struct ring_shared {
    struct lane_shared lanes[RING_LANES_MAX];
    _Alignas(64) _Atomic uint32_t sleeps; /* 1: the reader waits for the eventfd */
    _Alignas(64) _Atomic uint64_t drops[DROP_KINDS];
};

static_assert(sizeof(struct ring_shared) <= HEAD_BYTES, "the head fits into a page");

static uint64_t frame_bytes(uint64_t payload)
{
    return (sizeof(struct ring_frame) + payload + 7) & ~7ULL;
}

static size_t lane_bytes(size_t size, unsigned lane)
{
    return lane == 0 ? size : size / 4;
}

static size_t all_bytes(size_t size, unsigned lane_count)
{
    return size + (lane_count - 1) * lane_bytes(size, 1);
}

static bool sizes_fit(size_t size, unsigned lane_count)
{
    return lane_count > 0 && lane_count <= RING_LANES_MAX && size <= 1UL << 30 &&
           (size & (size - 1)) == 0 && lane_bytes(size, lane_count - 1) >= HEAD_BYTES;
}

int ring_memory(size_t size, unsigned lane_count)
{
    int memory;

    if (!sizes_fit(size, lane_count)) {
        errno = EINVAL;
        return -1;
    }
    memory = memfd_create("muster-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory < 0)
        return -1;
    /* Sealed, because a peer that shrinks the memory would kill the other by SIGBUS. */
    if (ftruncate(memory, (off_t)(HEAD_BYTES + all_bytes(size, lane_count))) < 0 ||
        fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
        close(memory);
        return -1;
    }
    return memory;
}

static bool map_at(uint8_t *place, size_t size, int memory, size_t offset)
{
    return mmap(place, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory,
                (off_t)offset) != MAP_FAILED;
}

static size_t mapped_bytes(size_t size, unsigned lane_count)
{
    return HEAD_BYTES + 2 * all_bytes(size, lane_count);
}

static bool map_lanes(struct ring *ring, uint8_t *place, size_t size, int memory)
{
    size_t offset = HEAD_BYTES;

    for (unsigned lane = 0; lane < ring->lane_count; lane++) {
        const size_t bytes = lane_bytes(size, lane);

        if (!map_at(place, bytes, memory, offset) ||
            !map_at(place + bytes, bytes, memory, offset))
            return false;
        ring->lanes[lane] = (struct ring_lane){.data = place, .size = bytes};
        place += 2 * bytes;
        offset += bytes;
    }
    return true;
}

int ring_map(struct ring *ring, int memory, size_t size, unsigned lane_count)
{
    uint8_t *place;

    memset(ring, 0, sizeof(*ring));
    if (!sizes_fit(size, lane_count)) {
        errno = EINVAL;
        return -1;
    }
    place = mmap(NULL, mapped_bytes(size, lane_count), PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED)
        return -1;
    ring->lane_count = lane_count;
    if (!map_at(place, HEAD_BYTES, memory, 0) ||
        !map_lanes(ring, place + HEAD_BYTES, size, memory)) {
        munmap(place, mapped_bytes(size, lane_count));
        memset(ring, 0, sizeof(*ring));
        return -1;
    }
    ring->shared = (struct ring_shared *)place;
    return 0;
}

void ring_unmap(struct ring *ring)
{
    if (ring->shared)
        munmap(ring->shared, mapped_bytes(ring->lanes[0].size, ring->lane_count));
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
              unsigned lane,
              uint16_t kind,
              uint64_t time_ns,
              const struct iovec *pieces,
              size_t count)
{
    struct lane_shared *shared = &ring->shared->lanes[lane];
    const uint64_t size = ring->lanes[lane].size;
    uint64_t written = atomic_load_explicit(&shared->written, memory_order_relaxed);
    uint64_t read = atomic_load_explicit(&shared->read, memory_order_acquire);
    size_t payload = pieces_bytes(pieces, count);
    uint64_t need = frame_bytes(payload);
    uint8_t *at = ring->lanes[lane].data + (written & (size - 1));
    struct ring_frame frame = {
        .length = (uint32_t)payload,
        .kind = kind,
        .time_ns = time_ns,
    };

    if (payload > RING_FRAME_MAX || written - read > size ||
        need > size - (written - read))
        return false;

    memcpy(at, &frame, sizeof(frame));
    at += sizeof(frame);
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].iov_len > 0)
            memcpy(at, pieces[i].iov_base, pieces[i].iov_len);
        at += pieces[i].iov_len;
    }
    atomic_store_explicit(&shared->written, written + need, memory_order_release);
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

static uint64_t available_bytes(const struct ring *ring, unsigned lane)
{
    return atomic_load_explicit(&ring->shared->lanes[lane].written,
                                memory_order_acquire) -
           ring->lanes[lane].consumed;
}

static enum ring_take take_from(struct ring *ring,
                                unsigned at_lane,
                                struct ring_frame *frame,
                                uint8_t payload[RING_FRAME_MAX])
{
    struct ring_lane *lane = &ring->lanes[at_lane];
    const uint64_t available = available_bytes(ring, at_lane);
    const uint8_t *at = lane->data + (lane->consumed & (lane->size - 1));

    if (available == 0)
        return RING_EMPTY;
    if (available > lane->size || available < sizeof(*frame))
        return RING_BROKEN;
    memcpy(frame, at, sizeof(*frame));
    if (frame->length > RING_FRAME_MAX || frame_bytes(frame->length) > available)
        return RING_BROKEN;

    memcpy(payload, at + sizeof(*frame), frame->length);
    lane->consumed += frame_bytes(frame->length);
    atomic_store_explicit(&ring->shared->lanes[at_lane].read, lane->consumed,
                          memory_order_release);
    return RING_TAKEN;
}

static void turn_to_next_lane(struct ring *ring)
{
    ring->next = ring->next + 1 < ring->lane_count ? ring->next + 1 : 0;
    ring->taken = 0;
}

enum ring_take
ring_take(struct ring *ring, struct ring_frame *frame, uint8_t payload[RING_FRAME_MAX])
{
    for (unsigned tried = 0; tried < ring->lane_count; tried++) {
        enum ring_take result = take_from(ring, ring->next, frame, payload);

        if (result == RING_EMPTY || ++ring->taken == LANE_TURN)
            turn_to_next_lane(ring);
        if (result != RING_EMPTY)
            return result;
    }
    return RING_EMPTY;
}

bool ring_sleep(struct ring *ring)
{
    bool is_empty = true;

    atomic_store(&ring->shared->sleeps, 1);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with ring_reader_slept() */
    for (unsigned lane = 0; lane < ring->lane_count; lane++)
        is_empty &= available_bytes(ring, lane) == 0;
    if (!is_empty)
        atomic_store(&ring->shared->sleeps, 0);
    return is_empty;
}

uint64_t ring_take_drops(struct ring *ring, uint16_t kind)
{
    return kind < DROP_KINDS ? atomic_exchange(&ring->shared->drops[kind], 0) : 0;
}
