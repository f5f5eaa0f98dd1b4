#include "worker/capture/group_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/kinds.h"
#include "lib/capture/format/records.h"
#include "lib/capture/format/writer.h"
#include "lib/shm/control_channel.h"
#include "worker/capture/merge_starts.h"
#include "worker/capture/record_rank.h"

enum {
    FLUSH_BYTES = 256 * 1024,
    FRAMES_A_TURN = 256,
    WAITING_MAX = 4096,
    TURNS_AT_END = 4096, /* a full ring has fewer; a writer that never ends has not */
};

/* What goes into one shard. */
struct lane {
    uint32_t shard;
    bool has_begun;
    struct record_run_rank rank;
    struct capture_writer writer;
    uint8_t *group; /* CAPTURE_GROUP_MAX bytes, once it has begun */
};

/* A record of which nobody knows yet whose it is. */
struct waiting {
    struct waiting *next;
    struct ring_frame frame;
    uint8_t bytes[];
};

struct group_builder {
    struct ring ring;
    gather_fn *fn;
    void *arg;
    struct merge_starts *starts; /* NULL: the program starts once */
    uint32_t wanted;             /* starts */
    struct group_builder_sums sums;
    struct lane *lanes;
    size_t lane_count;
    struct record_rank *whose; /* NULL: there is one lane */
    struct waiting *waiting, **waiting_end;
    size_t waiting_count;
    uint8_t frame[RING_FRAME_MAX];
};

static void flush_lane(struct group_builder *gather, struct lane *lane)
{
    uint32_t number = capture_writer_group(&lane->writer);
    uint32_t blocks = capture_writer_blocks(&lane->writer);
    const void *bytes;
    size_t size;

    if (!lane->has_begun || !capture_writer_finish(&lane->writer, &bytes, &size))
        return;
    gather->sums.groups++;
    gather->sums.blocks += blocks;
    gather->fn(gather->arg, lane->shard, number, bytes, size);
}

void group_builder_flush(struct group_builder *gather)
{
    for (size_t i = 0; i < gather->lane_count; i++)
        flush_lane(gather, &gather->lanes[i]);
}

static void put(struct group_builder *gather,
                struct lane *lane,
                unsigned kind,
                const void *record,
                size_t size,
                uint64_t time_ns)
{
    enum capture_put result = capture_put(&lane->writer, kind, record, size, time_ns);

    if (result == CAPTURE_PUT_FULL) {
        flush_lane(gather, lane);
        result = capture_put(&lane->writer, kind, record, size, time_ns);
    }
    if (result != CAPTURE_PUT_DONE) {
        gather->sums.dropped++;
        capture_writer_dropped(&lane->writer, 1);
    }
    if (capture_writer_bytes(&lane->writer) >= FLUSH_BYTES)
        flush_lane(gather, lane);
}

/* Its rank comes first. */
static void begin_lane(struct group_builder *gather, struct lane *lane)
{
    if (lane->has_begun)
        return;
    lane->has_begun = true;
    lane->group = xmalloc(CAPTURE_GROUP_MAX);
    capture_writer_init(&lane->writer, lane->group, CAPTURE_GROUP_MAX,
                        lane->rank.run_id, lane->shard, 0, 0);
    put(gather, lane, RECORD_RUN_RANK, &lane->rank, sizeof(lane->rank), 0);
}

static struct group_builder *
create(struct ring *ring, size_t lane_count, gather_fn *fn, void *arg)
{
    struct group_builder *gather = xcalloc(1, sizeof(*gather));

    gather->ring = *ring;
    memset(ring, 0, sizeof(*ring));
    gather->fn = fn;
    gather->arg = arg;
    gather->lanes = xcalloc(lane_count, sizeof(*gather->lanes));
    gather->lane_count = lane_count;
    gather->waiting_end = &gather->waiting;
    return gather;
}

struct group_builder *group_builder_create(struct ring *ring,
                                           const struct record_run_rank *rank,
                                           uint32_t shard,
                                           gather_fn *fn,
                                           void *arg)
{
    struct group_builder *gather = create(ring, 1, fn, arg);

    gather->lanes[0].rank = *rank;
    gather->lanes[0].shard = shard;
    begin_lane(gather, &gather->lanes[0]);
    return gather;
}

struct group_builder *group_builder_create_lanes(struct ring *ring,
                                                 const struct record_run_rank *rank,
                                                 uint32_t shard,
                                                 const uint32_t *cards,
                                                 size_t count,
                                                 gather_fn *fn,
                                                 void *arg)
{
    struct group_builder *gather = create(ring, count, fn, arg);

    gather->whose = record_rank_create(cards, count);
    for (uint32_t i = 0; i < count; i++) {
        struct lane *lane = &gather->lanes[i];

        lane->shard = shard + (i << 16);
        lane->rank = *rank;
        lane->rank.rank = rank->rank + i;
        lane->rank.device_visible = i;
        lane->rank.device_logical = lane->rank.device_physical = cards[i];
    }
    begin_lane(gather, &gather->lanes[0]);
    return gather;
}

void group_builder_destroy(struct group_builder *gather)
{
    if (!gather)
        return;
    while (gather->waiting) {
        struct waiting *waiting = gather->waiting;

        gather->waiting = waiting->next;
        free(waiting);
    }
    for (size_t i = 0; i < gather->lane_count; i++)
        free(gather->lanes[i].group);
    free(gather->lanes);
    record_rank_destroy(gather->whose);
    ring_unmap(&gather->ring);
    merge_starts_destroy(gather->starts);
    free(gather);
}

void group_builder_expect_starts(struct group_builder *gather, uint32_t starts)
{
    gather->starts = merge_starts_create();
    gather->wanted = starts;
}

static void count_end(struct group_builder *gather, const struct record_launch_end *end)
{
    gather->sums.launches++;
    if (end->complete)
        return;
    if (gather->sums.incomplete++ == 0)
        snprintf(gather->sums.reason, sizeof(gather->sums.reason), "%.127s",
                 end->reason);
}

static void look_at_end(struct group_builder *gather, size_t size)
{
    struct record_launch_end end;

    if (size != sizeof(end))
        return;
    memcpy(&end, gather->frame, sizeof(end));
    count_end(gather, &end);
}

/* False: nobody knows yet. */
static bool find_lane(struct group_builder *gather,
                      const struct ring_frame *frame,
                      const void *record,
                      struct lane **out)
{
    int at = gather->whose
                 ? record_rank_find(gather->whose, frame->kind, record, frame->length)
                 : 0;

    if (at == RECORD_RANK_LATER)
        return false;
    *out = &gather->lanes[at];
    begin_lane(gather, *out);
    return true;
}

static void keep_waiting(struct group_builder *gather, const struct ring_frame *frame)
{
    struct waiting *waiting;

    if (gather->waiting_count >= WAITING_MAX) {
        put(gather, &gather->lanes[0], frame->kind, gather->frame, frame->length,
            frame->time_ns);
        return;
    }
    waiting = xmalloc(sizeof(*waiting) + frame->length);
    waiting->next = NULL;
    waiting->frame = *frame;
    memcpy(waiting->bytes, gather->frame, frame->length);
    *gather->waiting_end = waiting;
    gather->waiting_end = &waiting->next;
    gather->waiting_count++;
}

/* Those of whom it is known now; in the end the rest is the process's. */
static void serve_waiting(struct group_builder *gather, bool all)
{
    for (struct waiting **at = &gather->waiting; *at;) {
        struct waiting *waiting = *at;
        struct lane *lane = &gather->lanes[0];

        if (!find_lane(gather, &waiting->frame, waiting->bytes, &lane) && !all) {
            at = &waiting->next;
            continue;
        }
        put(gather, lane, waiting->frame.kind, waiting->bytes, waiting->frame.length,
            waiting->frame.time_ns);
        *at = waiting->next;
        free(waiting);
        gather->waiting_count--;
    }
    gather->waiting_end = &gather->waiting;
    while (*gather->waiting_end)
        gather->waiting_end = &(*gather->waiting_end)->next;
}

static void take_frame(struct group_builder *gather, const struct ring_frame *frame)
{
    struct lane *lane;

    if (gather->starts &&
        !merge_starts_take(gather->starts, frame->kind, gather->frame, frame->length))
        return;
    if (frame->kind == RECORD_LAUNCH_END)
        look_at_end(gather, frame->length);
    /* run.rank is ours to write */
    if (frame->kind == RECORD_RUN_RANK) {
        gather->sums.dropped++;
        return;
    }
    if (find_lane(gather, frame, gather->frame, &lane))
        put(gather, lane, frame->kind, gather->frame, frame->length, frame->time_ns);
    else
        keep_waiting(gather, frame);
    if (gather->waiting && frame->kind == RECORD_LAUNCH)
        serve_waiting(gather, false);
}

bool group_builder_drain(struct group_builder *gather)
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

bool group_builder_sleep(struct group_builder *gather)
{
    return gather->sums.broken || ring_sleep(&gather->ring);
}

static void tell_drops(struct group_builder *gather)
{
    for (unsigned kind = 1; kind < RECORD_KIND_END; kind++) {
        uint64_t count = ring_take_drops(&gather->ring, (uint16_t)kind);
        struct record_drop drop = {kind, DROP_RING_FULL, count};

        if (count == 0)
            continue;
        gather->sums.dropped += count;
        put(gather, &gather->lanes[0], RECORD_DROP, &drop, sizeof(drop), 0);
    }
    if (gather->sums.broken) {
        struct record_drop drop = {0, DROP_BAD_RECORD, 1};

        gather->sums.dropped++;
        put(gather, &gather->lanes[0], RECORD_DROP, &drop, sizeof(drop), 0);
    }
}

void group_builder_pause(struct group_builder *gather)
{
    for (int i = 0; i < TURNS_AT_END && group_builder_drain(gather); i++)
        continue;
    tell_drops(gather);
    group_builder_flush(gather);
}

void group_builder_again(struct group_builder *gather, struct ring *ring)
{
    ring_unmap(&gather->ring);
    gather->ring = *ring;
    memset(ring, 0, sizeof(*ring));
    merge_starts_next(gather->starts);
}

static struct lane *lane_of_end(struct group_builder *gather,
                                const struct record_launch_end *end)
{
    const struct ring_frame frame = {.kind = RECORD_LAUNCH_END, .length = sizeof(*end)};
    struct lane *lane = &gather->lanes[0];

    find_lane(gather, &frame, end, &lane);
    return lane;
}

/* What became of each launch is known only now. */
static void tell_ends(struct group_builder *gather)
{
    for (size_t i = 0; i < merge_starts_launches(gather->starts); i++) {
        struct record_launch_end end;

        merge_starts_end(gather->starts, i, gather->wanted, &end);
        count_end(gather, &end);
        put(gather, lane_of_end(gather, &end), RECORD_LAUNCH_END, &end, sizeof(end),
            end.end_ns);
    }
    gather->sums.dropped += merge_starts_strangers(gather->starts);
}

void group_builder_end(struct group_builder *gather)
{
    for (int i = 0; i < TURNS_AT_END && group_builder_drain(gather); i++)
        continue;
    serve_waiting(gather, true);
    tell_drops(gather);
    if (gather->starts)
        tell_ends(gather);
    for (size_t i = 0; i < gather->lane_count; i++)
        if (gather->lanes[i].has_begun)
            capture_writer_mark_last(&gather->lanes[i].writer);
    group_builder_flush(gather);
}

const struct group_builder_sums *group_builder_sums(const struct group_builder *gather)
{
    return &gather->sums;
}
