#include "worker/gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/kinds.h"
#include "capture/records.h"
#include "capture/writer.h"
#include "inject/channel.h"
#include "worker/starts.h"

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
    struct starts *starts; /* NULL: the program starts once */
    uint32_t wanted;       /* starts */
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
    starts_destroy(gather->starts);
    free(gather);
}

void gather_expect_starts(struct gather *gather, uint32_t starts)
{
    gather->starts = starts_create();
    gather->wanted = starts;
}

static void count_end(struct gather *gather, const struct record_launch_end *end)
{
    gather->sums.launches++;
    if (end->complete)
        return;
    if (gather->sums.incomplete++ == 0)
        snprintf(gather->sums.reason, sizeof(gather->sums.reason), "%.127s",
                 end->reason);
}

static void look_at_end(struct gather *gather, size_t size)
{
    struct record_launch_end end;

    if (size != sizeof(end))
        return;
    memcpy(&end, gather->frame, sizeof(end));
    count_end(gather, &end);
}

static void take_frame(struct gather *gather, const struct ring_frame *frame)
{
    if (gather->starts &&
        !starts_take(gather->starts, frame->kind, gather->frame, frame->length))
        return;
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

void gather_pause(struct gather *gather)
{
    for (int i = 0; i < TURNS_AT_END && gather_drain(gather); i++)
        continue;
    tell_drops(gather);
    gather_flush(gather);
}

void gather_again(struct gather *gather, struct ring *ring)
{
    ring_unmap(&gather->ring);
    gather->ring = *ring;
    memset(ring, 0, sizeof(*ring));
    starts_next(gather->starts);
}

/* What became of each launch is known only now. */
static void tell_ends(struct gather *gather)
{
    for (size_t i = 0; i < starts_launches(gather->starts); i++) {
        struct record_launch_end end;

        starts_end(gather->starts, i, gather->wanted, &end);
        count_end(gather, &end);
        put(gather, RECORD_LAUNCH_END, &end, sizeof(end), end.end_ns);
    }
    gather->sums.dropped += starts_strangers(gather->starts);
}

void gather_end(struct gather *gather)
{
    for (int i = 0; i < TURNS_AT_END && gather_drain(gather); i++)
        continue;
    tell_drops(gather);
    if (gather->starts)
        tell_ends(gather);
    capture_writer_mark_last(&gather->writer);
    gather_flush(gather);
}

const struct gather_sums *gather_sums(const struct gather *gather)
{
    return &gather->sums;
}
