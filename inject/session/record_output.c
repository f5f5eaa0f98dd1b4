#include "inject/session/record_output.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inject/base/private_fd.h"
#include "inject/base/short_lock.h"
#include "inject/base/thread.h"
#include "lib/capture/format/records.h"
#include "lib/shm/ring.h"

enum { FULL_WAIT_MS = 2000 };

enum put_result { PUT_DONE, PUT_FULL, PUT_ENDED };

struct lane {
    _Alignas(64) struct short_lock lock; /* a cache line of its own */
};

static struct ring ring;
static struct private_fd wake = PRIVATE_FD_NONE;
static struct lane lanes[RING_LANES_MAX];
static unsigned lane_count = 1;
static atomic_uint threads; /* that have taken a lane */
/* A wait of record_output_frequent() was in vain, and no record fitted since. */
static atomic_bool is_stuck;
/* 0: the thread has taken no lane yet; else its number + 1. */
static __thread unsigned own_lane __attribute__((tls_model("initial-exec")));

int record_output_start(int memory,
                        uint64_t ring_bytes,
                        unsigned ring_lanes,
                        int wake_fd)
{
    if (wake_fd < 0 || ring_map(&ring, memory, ring_bytes, ring_lanes) < 0)
        return -1;
    lane_count = ring_lanes;
    private_fd_take(&wake, wake_fd);
    return 0;
}

void record_output_reset(void)
{
    for (unsigned i = 0; i < RING_LANES_MAX; i++)
        short_lock_release(&lanes[i].lock);
    ring_unmap(&ring);
    private_fd_close(&wake);
    atomic_store(&threads, 0);
    atomic_store(&is_stuck, false);
    own_lane = 0;
}

/* `wake` stays open: another thread may be about to write into it. */
void record_output_stop(void)
{
    for (unsigned i = 0; i < RING_LANES_MAX; i++)
        short_lock_acquire(&lanes[i].lock);
    ring_unmap(&ring);
    for (unsigned i = 0; i < RING_LANES_MAX; i++)
        short_lock_release(&lanes[i].lock);
}

void record_output_count_drop(uint16_t kind)
{
    short_lock_acquire(&lanes[0].lock);
    if (ring.shared)
        ring_count_drop(&ring, kind);
    short_lock_release(&lanes[0].lock);
}

static enum put_result put_at(unsigned lane,
                              uint16_t kind,
                              uint64_t time_ns,
                              const struct iovec *pieces,
                              size_t count)
{
    enum put_result result = PUT_ENDED;

    short_lock_acquire(&lanes[lane].lock);
    if (ring.shared)
        result =
            ring_put(&ring, lane, kind, time_ns, pieces, count) ? PUT_DONE : PUT_FULL;
    short_lock_release(&lanes[lane].lock);
    return result;
}

static enum put_result try_put(uint16_t kind, const struct iovec *pieces, size_t count)
{
    return put_at(0, kind, thread_now_ns(), pieces, count);
}

static void wake_reader(void)
{
    const uint64_t one = 1;
    const int saved = errno;
    bool slept;

    short_lock_acquire(&lanes[0].lock);
    slept = ring.shared && ring_reader_slept(&ring);
    short_lock_release(&lanes[0].lock);
    /* without the wake the reader also checks the ring periodically */
    if (slept && write(private_fd_get(&wake), &one, sizeof(one)) < 0)
        errno = saved;
}

/* Repeats a record that did not fit until there is room, for at most FULL_WAIT_MS. */
static enum put_result
wait_for_room(uint16_t kind, const struct iovec *pieces, size_t count)
{
    const struct timespec pause = {.tv_nsec = 500 * 1000};
    const uint64_t deadline = thread_now_ns() + FULL_WAIT_MS * 1000000ULL;
    enum put_result result = PUT_FULL;

    while (result == PUT_FULL && thread_now_ns() <= deadline) {
        wake_reader();
        nanosleep(&pause, NULL);
        result = try_put(kind, pieces, count);
    }
    return result;
}

static void put(uint16_t kind, const struct iovec *pieces, size_t count)
{
    enum put_result result = try_put(kind, pieces, count);

    if (result == PUT_FULL)
        result = wait_for_room(kind, pieces, count);
    if (result == PUT_FULL)
        record_output_count_drop(kind);
    else if (result == PUT_DONE)
        wake_reader();
}

void record_output_record(uint16_t kind, const void *record, size_t size)
{
    struct iovec piece = {(void *)record, size};

    put(kind, &piece, 1);
}

void record_output_if_room(uint16_t kind, const void *record, size_t size)
{
    struct iovec piece = {(void *)record, size};

    if (try_put(kind, &piece, 1) == PUT_FULL)
        record_output_count_drop(kind);
    wake_reader();
}

/* Threads take the lanes in turn, so more threads than lanes share them evenly. */
static unsigned take_lane(void)
{
    own_lane = atomic_fetch_add(&threads, 1) % lane_count + 1;
    return own_lane - 1;
}

/* Writes into the lane. Returns PUT_FULL without a change when there is no room. */
static enum put_result
put_quick(unsigned lane, uint16_t kind, uint64_t time_ns, const struct iovec *piece)
{
    enum put_result result = PUT_ENDED;
    bool reader_sleeps = false;

    short_lock_acquire(&lanes[lane].lock);
    if (ring.shared) {
        result = ring_put(&ring, lane, kind, time_ns, piece, 1) ? PUT_DONE : PUT_FULL;
        reader_sleeps = ring_reader_sleeps(&ring);
    }
    short_lock_release(&lanes[lane].lock);
    if (reader_sleeps)
        wake_reader();
    return result;
}

void record_output_quick(uint16_t kind,
                         uint64_t time_ns,
                         const void *record,
                         size_t size)
{
    struct iovec piece = {(void *)record, size};
    const unsigned lane = own_lane ? own_lane - 1 : take_lane();

    if (put_quick(lane, kind, time_ns, &piece) == PUT_FULL)
        record_output_count_drop(kind);
}

void record_output_frequent(uint16_t kind,
                            uint64_t time_ns,
                            const void *record,
                            size_t size)
{
    struct iovec piece = {(void *)record, size};
    enum put_result result = put_quick(0, kind, time_ns, &piece);

    if (result == PUT_FULL && !atomic_load(&is_stuck))
        result = wait_for_room(kind, &piece, 1);
    else if (result == PUT_DONE &&
             !atomic_load_explicit(&is_stuck, memory_order_relaxed))
        return;
    atomic_store(&is_stuck, result == PUT_FULL);
    if (result == PUT_FULL)
        record_output_count_drop(kind);
}

void record_output_with_bytes(uint16_t kind,
                              void *head,
                              size_t head_bytes,
                              const void *bytes,
                              uint32_t size)
{
    static const uint8_t zeros[8];
    uint32_t padding = -size & 7;
    uint32_t length = (uint32_t)head_bytes + size + padding;
    struct iovec pieces[3] = {
        {head, head_bytes},
        {(void *)bytes, size},
        {(void *)zeros, padding},
    };

    memcpy(head, &length, sizeof(length));
    put(kind, pieces, 3);
}

void record_output_bytes(struct record_channel_bytes *head,
                         const void *bytes,
                         uint32_t size)
{
    head->bytes = size;
    record_output_with_bytes(RECORD_CHANNEL_BYTES, head, sizeof(*head), bytes, size);
}
