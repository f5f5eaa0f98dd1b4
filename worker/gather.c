#include "worker/gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/kinds.h"
#include "capture/records.h"
#include "capture/writer.h"
#include "inject/channel.h"

enum {
    FLUSH_BYTES = 256 * 1024,
    FRAMES_A_TURN = 256,
    TURNS_AT_END = 4096, /* a full ring has fewer; a writer that never ends has not */
};

struct gather {
    struct ring ring;
    uint32_t shard;
    gather_fn *fn;
    void *arg;
    struct gather_sums sums;
    struct capture_writer writer;
    uint8_t frame[RING_FRAME_MAX];
    uint8_t group[CAPTURE_GROUP_MAX];
};

void gather_flush(struct gather *gather)
{
    uint32_t number = capture_writer_group(&gather->writer);
    uint32_t blocks = capture_writer_blocks(&gather->writer);
    const void *bytes;
    size_t size;

    if (!capture_writer_finish(&gather->writer, &bytes, &size))
        return;
    gather->sums.groups++;
    gather->sums.blocks += blocks;
    gather->fn(gather->arg, gather->shard, number, bytes, size);
}

static void put(struct gather *gather,
                unsigned kind,
                const void *record,
                size_t size,
                uint64_t time_ns)
{
    enum capture_put result = capture_put(&gather->writer, kind, record, size, time_ns);

    if (result == CAPTURE_PUT_FULL) {
        gather_flush(gather);
        result = capture_put(&gather->writer, kind, record, size, time_ns);
    }
    if (result != CAPTURE_PUT_DONE) {
        gather->sums.dropped++;
        capture_writer_dropped(&gather->writer, 1);
    }
    if (capture_writer_bytes(&gather->writer) >= FLUSH_BYTES)
        gather_flush(gather);
}

struct gather *gather_create(struct ring *ring,
                             const struct record_run_rank *rank,
                             uint32_t shard,
                             gather_fn *fn,
                             void *arg)
{
    struct gather *gather = xcalloc(1, sizeof(*gather));

    gather->ring = *ring;
    memset(ring, 0, sizeof(*ring));
    gather->shard = shard;
    gather->fn = fn;
    gather->arg = arg;
    capture_writer_init(&gather->writer, gather->group, sizeof(gather->group),
                        rank->run_id, shard, 0, 0);
    put(gather, RECORD_RUN_RANK, rank, sizeof(*rank), 0);
    return gather;
}

void gather_destroy(struct gather *gather)
{
    if (!gather)
        return;
    ring_unmap(&gather->ring);
    free(gather);
}

static void look_at_end(struct gather *gather, size_t size)
{
    struct record_launch_end end;

    if (size != sizeof(end))
        return;
    memcpy(&end, gather->frame, sizeof(end));
    gather->sums.launches++;
    if (end.complete)
        return;
    if (gather->sums.incomplete++ == 0)
        snprintf(gather->sums.reason, sizeof(gather->sums.reason), "%.127s",
                 end.reason);
}

static void take_frame(struct gather *gather, const struct ring_frame *frame)
{
    if (frame->kind == RECORD_LAUNCH_END)
        look_at_end(gather, frame->length);
    /* run.rank is ours to write */
    if (frame->kind == RECORD_RUN_RANK) {
        gather->sums.dropped++;
        return;
    }
    put(gather, frame->kind, gather->frame, frame->length, frame->time_ns);
}

bool gather_drain(struct gather *gather)
{
    struct ring_frame frame;

    for (int i = 0; i < FRAMES_A_TURN && !gather->sums.broken; i++) {
        switch (ring_take(&gather->ring, &frame, gather->frame)) {
        case RING_EMPTY:
            return false;
        case RING_BROKEN:
            gather->sums.broken = true;
            return false;
        case RING_TAKEN:
            take_frame(gather, &frame);
        }
    }
    return !gather->sums.broken;
}

bool gather_sleep(struct gather *gather)
{
    return gather->sums.broken || ring_sleep(&gather->ring);
}

static void tell_drops(struct gather *gather)
{
    for (unsigned kind = 1; kind < RECORD_KIND_END; kind++) {
        uint64_t count = ring_take_drops(&gather->ring, (uint16_t)kind);
        struct record_drop drop = {kind, DROP_RING_FULL, count};

        if (count == 0)
            continue;
        gather->sums.dropped += count;
        put(gather, RECORD_DROP, &drop, sizeof(drop), 0);
    }
    if (gather->sums.broken) {
        struct record_drop drop = {0, DROP_BAD_RECORD, 1};

        gather->sums.dropped++;
        put(gather, RECORD_DROP, &drop, sizeof(drop), 0);
    }
}

void gather_end(struct gather *gather)
{
    for (int i = 0; i < TURNS_AT_END && gather_drain(gather); i++)
        continue;
    tell_drops(gather);
    capture_writer_mark_last(&gather->writer);
    gather_flush(gather);
}

const struct gather_sums *gather_sums(const struct gather *gather)
{
    return &gather->sums;
}
