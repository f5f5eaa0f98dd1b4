#include "inject/session/record_output.h"

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

static struct ring ring;
static struct private_fd wake = PRIVATE_FD_NONE;
static struct short_lock lock;

int record_output_start(int memory, uint64_t ring_bytes, int wake_fd)
{
    if (wake_fd < 0 || ring_map(&ring, memory, ring_bytes) < 0)
        return -1;
    private_fd_take(&wake, wake_fd);
    return 0;
}

void record_output_reset(void)
{
    short_lock_release(&lock);
    ring_unmap(&ring);
    private_fd_close(&wake);
}

void record_output_stop(void)
{
    short_lock_acquire(&lock);
    ring_unmap(&ring);
    private_fd_close(&wake);
    short_lock_release(&lock);
}

void record_output_count_drop(uint16_t kind)
{
    if (ring.shared)
        ring_count_drop(&ring, kind);
}

static bool
put_at(uint16_t kind, uint64_t time_ns, const struct iovec *pieces, size_t count)
{
    bool put;

    short_lock_acquire(&lock);
    put = ring.shared && ring_put(&ring, kind, time_ns, pieces, count);
    short_lock_release(&lock);
    return put;
}

static bool try_put(uint16_t kind, const struct iovec *pieces, size_t count)
{
    return put_at(kind, thread_now_ns(), pieces, count);
}

static void wake_reader(void)
{
    const uint64_t one = 1;

    if (ring_reader_slept(&ring) && write(private_fd_get(&wake), &one, sizeof(one)) < 0)
        return; /* the reader also checks the ring periodically */
}

static void put(uint16_t kind, const struct iovec *pieces, size_t count)
{
    const struct timespec pause = {.tv_nsec = 500 * 1000};
    uint64_t deadline;

    if (!ring.shared)
        return;
    if (!try_put(kind, pieces, count)) {
        deadline = thread_now_ns() + FULL_WAIT_MS * 1000000ULL;
        do {
            wake_reader();
            nanosleep(&pause, NULL);
            if (try_put(kind, pieces, count))
                break;
            if (thread_now_ns() > deadline) {
                ring_count_drop(&ring, kind);
                return;
            }
        } while (true);
    }
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

    if (!ring.shared)
        return;
    if (!try_put(kind, &piece, 1))
        ring_count_drop(&ring, kind);
    wake_reader();
}

void record_output_quick(uint16_t kind,
                         uint64_t time_ns,
                         const void *record,
                         size_t size)
{
    struct iovec piece = {(void *)record, size};

    if (!ring.shared)
        return;
    if (!put_at(kind, time_ns, &piece, 1))
        ring_count_drop(&ring, kind);
    if (ring_reader_sleeps(&ring))
        wake_reader();
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
