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
    FRAMES_PER_TURN = 256,
    WAITING_MAX = 4096,  /* records */
    TURNS_AT_END = 4096, /* more than a full ring needs; bounds a writer without end */
};

/* The groups of one shard. */
struct shard_writer {
    uint32_t shard;
    bool has_begun;
    struct record_run_rank rank;
    struct capture_writer writer;
    uint8_t *group; /* CAPTURE_GROUP_MAX bytes; NULL before the first record */
};

/* A record whose card is unknown until the record of its launch arrives. */
struct waiting {
    struct waiting *next;
    struct ring_frame frame;
    uint8_t bytes[];
};

struct group_builder {
    struct ring ring;
    group_builder_fn *fn;
    void *arg;
    struct merge_starts *merge; /* NULL: no application replay */
    uint32_t start_count;       /* program starts */
    struct group_builder_totals totals;
    struct shard_writer *shards;
    size_t shard_count;
    struct record_rank *ranks; /* NULL: one card */
    struct waiting *waiting, **waiting_end;
    size_t waiting_count;
    uint8_t frame[RING_FRAME_MAX];
};

static void flush_shard(struct group_builder *builder, struct shard_writer *shard)
{
    uint32_t number = capture_writer_group(&shard->writer);
    uint32_t blocks = capture_writer_blocks(&shard->writer);
    const void *bytes;
    size_t size;

    if (!shard->has_begun || !capture_writer_finish(&shard->writer, &bytes, &size))
        return;
    builder->totals.groups++;
    builder->totals.blocks += blocks;
    builder->fn(builder->arg, shard->shard, number, bytes, size);
}

void group_builder_flush(struct group_builder *builder)
{
    for (size_t i = 0; i < builder->shard_count; i++)
        flush_shard(builder, &builder->shards[i]);
}

static void put(struct group_builder *builder,
                struct shard_writer *shard,
                unsigned kind,
                const void *record,
                size_t size,
                uint64_t time_ns)
{
    enum capture_put result = capture_put(&shard->writer, kind, record, size, time_ns);

    if (result == CAPTURE_PUT_FULL) {
        flush_shard(builder, shard);
        result = capture_put(&shard->writer, kind, record, size, time_ns);
    }
    if (result != CAPTURE_PUT_DONE) {
        builder->totals.dropped++;
        capture_writer_dropped(&shard->writer, 1);
    }
    if (capture_writer_bytes(&shard->writer) >= FLUSH_BYTES)
        flush_shard(builder, shard);
}

/* Writes the rank record, which comes first in a shard. */
static void begin_shard(struct group_builder *builder, struct shard_writer *shard)
{
    if (shard->has_begun)
        return;
    shard->has_begun = true;
    shard->group = xmalloc(CAPTURE_GROUP_MAX);
    capture_writer_init(&shard->writer, shard->group, CAPTURE_GROUP_MAX,
                        shard->rank.run_id, shard->shard, 0, 0);
    put(builder, shard, RECORD_RUN_RANK, &shard->rank, sizeof(shard->rank), 0);
}

static struct group_builder *
create(struct ring *ring, size_t shard_count, group_builder_fn *fn, void *arg)
{
    struct group_builder *builder = xcalloc(1, sizeof(*builder));

    builder->ring = *ring;
    memset(ring, 0, sizeof(*ring));
    builder->fn = fn;
    builder->arg = arg;
    builder->shards = xcalloc(shard_count, sizeof(*builder->shards));
    builder->shard_count = shard_count;
    builder->waiting_end = &builder->waiting;
    return builder;
}

struct group_builder *group_builder_create(struct ring *ring,
                                           const struct record_run_rank *rank,
                                           uint32_t shard,
                                           group_builder_fn *fn,
                                           void *arg)
{
    struct group_builder *builder = create(ring, 1, fn, arg);

    builder->shards[0].rank = *rank;
    builder->shards[0].shard = shard;
    begin_shard(builder, &builder->shards[0]);
    return builder;
}

struct group_builder *group_builder_create_for_cards(struct ring *ring,
                                                     const struct record_run_rank *rank,
                                                     uint32_t shard,
                                                     const uint32_t *cards,
                                                     size_t count,
                                                     group_builder_fn *fn,
                                                     void *arg)
{
    struct group_builder *builder = create(ring, count, fn, arg);

    builder->ranks = record_rank_create(cards, count);
    for (uint32_t i = 0; i < count; i++) {
        struct shard_writer *writer = &builder->shards[i];

        writer->shard = shard + (i << 16);
        writer->rank = *rank;
        writer->rank.rank = rank->rank + i;
        writer->rank.device_visible = i;
        writer->rank.device_logical = writer->rank.device_physical = cards[i];
    }
    begin_shard(builder, &builder->shards[0]);
    return builder;
}

void group_builder_destroy(struct group_builder *builder)
{
    if (!builder)
        return;
    while (builder->waiting) {
        struct waiting *waiting = builder->waiting;

        builder->waiting = waiting->next;
        free(waiting);
    }
    for (size_t i = 0; i < builder->shard_count; i++)
        free(builder->shards[i].group);
    free(builder->shards);
    record_rank_destroy(builder->ranks);
    ring_unmap(&builder->ring);
    merge_starts_destroy(builder->merge);
    free(builder);
}

void group_builder_expect_starts(struct group_builder *builder, uint32_t starts)
{
    builder->merge = merge_starts_create();
    builder->start_count = starts;
}

static void count_end(struct group_builder *builder,
                      const struct record_launch_end *end)
{
    builder->totals.launches++;
    if (end->complete)
        return;
    if (builder->totals.incomplete++ == 0)
        snprintf(builder->totals.reason, sizeof(builder->totals.reason), "%.127s",
                 end->reason);
}

static void count_end_record(struct group_builder *builder, size_t size)
{
    struct record_launch_end end;

    if (size != sizeof(end))
        return;
    memcpy(&end, builder->frame, sizeof(end));
    count_end(builder, &end);
}

/* The writer reports records that it lost for another reason than a full ring. */
static void count_drop_record(struct group_builder *builder, size_t size)
{
    struct record_drop drop;

    if (size != sizeof(drop))
        return;
    memcpy(&drop, builder->frame, sizeof(drop));
    if (drop.reason == DROP_INTERRUPTED)
        builder->totals.dropped += drop.count;
}

/* Finds the shard of a record. Returns false when it is not known yet. */
static bool find_shard(struct group_builder *builder,
                       const struct ring_frame *frame,
                       const void *record,
                       struct shard_writer **out)
{
    int at = builder->ranks
                 ? record_rank_find(builder->ranks, frame->kind, record, frame->length)
                 : 0;

    if (at == RECORD_RANK_UNKNOWN)
        return false;
    *out = &builder->shards[at];
    begin_shard(builder, *out);
    return true;
}

static void keep_waiting(struct group_builder *builder, const struct ring_frame *frame)
{
    struct waiting *waiting;

    if (builder->waiting_count >= WAITING_MAX) {
        put(builder, &builder->shards[0], frame->kind, builder->frame, frame->length,
            frame->time_ns);
        return;
    }
    waiting = xmalloc(sizeof(*waiting) + frame->length);
    waiting->next = NULL;
    waiting->frame = *frame;
    memcpy(waiting->bytes, builder->frame, frame->length);
    *builder->waiting_end = waiting;
    builder->waiting_end = &waiting->next;
    builder->waiting_count++;
}

/* Writes the waiting records whose shard is known now; with `all` the others go to the
 * first shard. */
static void write_waiting(struct group_builder *builder, bool all)
{
    for (struct waiting **at = &builder->waiting; *at;) {
        struct waiting *waiting = *at;
        struct shard_writer *shard = &builder->shards[0];

        if (!find_shard(builder, &waiting->frame, waiting->bytes, &shard) && !all) {
            at = &waiting->next;
            continue;
        }
        put(builder, shard, waiting->frame.kind, waiting->bytes, waiting->frame.length,
            waiting->frame.time_ns);
        *at = waiting->next;
        free(waiting);
        builder->waiting_count--;
    }
    builder->waiting_end = &builder->waiting;
    while (*builder->waiting_end)
        builder->waiting_end = &(*builder->waiting_end)->next;
}

static void take_frame(struct group_builder *builder, const struct ring_frame *frame)
{
    struct shard_writer *shard;

    if (builder->merge &&
        !merge_starts_take(builder->merge, frame->kind, builder->frame, frame->length))
        return;
    if (frame->kind == RECORD_LAUNCH_END)
        count_end_record(builder, frame->length);
    builder->totals.events += frame->kind == RECORD_XPTI_EVENT;
    if (frame->kind == RECORD_DROP)
        count_drop_record(builder, frame->length);
    /* only the worker writes run.rank */
    if (frame->kind == RECORD_RUN_RANK) {
        builder->totals.dropped++;
        return;
    }
    if (find_shard(builder, frame, builder->frame, &shard))
        put(builder, shard, frame->kind, builder->frame, frame->length, frame->time_ns);
    else
        keep_waiting(builder, frame);
    if (builder->waiting && frame->kind == RECORD_LAUNCH)
        write_waiting(builder, false);
}

bool group_builder_drain(struct group_builder *builder)
{
    struct ring_frame frame;

    for (int i = 0; i < FRAMES_PER_TURN && !builder->totals.broken; i++) {
        switch (ring_take(&builder->ring, &frame, builder->frame)) {
        case RING_EMPTY:
            return false;
        case RING_BROKEN:
            builder->totals.broken = true;
            return false;
        case RING_TAKEN:
            take_frame(builder, &frame);
        }
    }
    return !builder->totals.broken;
}

bool group_builder_sleep(struct group_builder *builder)
{
    return builder->totals.broken || ring_sleep(&builder->ring);
}

static void record_drops(struct group_builder *builder)
{
    for (unsigned kind = 1; kind < RECORD_KIND_END; kind++) {
        uint64_t count = ring_take_drops(&builder->ring, (uint16_t)kind);
        struct record_drop drop = {kind, DROP_RING_FULL, count};

        if (count == 0)
            continue;
        builder->totals.dropped += count;
        put(builder, &builder->shards[0], RECORD_DROP, &drop, sizeof(drop), 0);
    }
    if (builder->totals.broken) {
        struct record_drop drop = {0, DROP_BAD_RECORD, 1};

        builder->totals.dropped++;
        put(builder, &builder->shards[0], RECORD_DROP, &drop, sizeof(drop), 0);
    }
}

void group_builder_end_start(struct group_builder *builder)
{
    for (int i = 0; i < TURNS_AT_END && group_builder_drain(builder); i++)
        continue;
    record_drops(builder);
    group_builder_flush(builder);
}

void group_builder_next_start(struct group_builder *builder, struct ring *ring)
{
    ring_unmap(&builder->ring);
    builder->ring = *ring;
    memset(ring, 0, sizeof(*ring));
    merge_starts_next(builder->merge);
}

static struct shard_writer *shard_of_end(struct group_builder *builder,
                                         const struct record_launch_end *end)
{
    const struct ring_frame frame = {.kind = RECORD_LAUNCH_END, .length = sizeof(*end)};
    struct shard_writer *shard = &builder->shards[0];

    find_shard(builder, &frame, end, &shard);
    return shard;
}

/* Writes the end records of all launches, which are known after the last start only. */
static void record_ends(struct group_builder *builder)
{
    for (size_t i = 0; i < merge_starts_launches(builder->merge); i++) {
        struct record_launch_end end;

        merge_starts_end(builder->merge, i, builder->start_count, &end);
        count_end(builder, &end);
        put(builder, shard_of_end(builder, &end), RECORD_LAUNCH_END, &end, sizeof(end),
            end.end_ns);
    }
    builder->totals.dropped += merge_starts_unmatched(builder->merge);
}

void group_builder_end(struct group_builder *builder)
{
    for (int i = 0; i < TURNS_AT_END && group_builder_drain(builder); i++)
        continue;
    write_waiting(builder, true);
    record_drops(builder);
    if (builder->merge)
        record_ends(builder);
    for (size_t i = 0; i < builder->shard_count; i++)
        if (builder->shards[i].has_begun)
            capture_writer_mark_last(&builder->shards[i].writer);
    group_builder_flush(builder);
}

const struct group_builder_totals *
group_builder_totals(const struct group_builder *builder)
{
    return &builder->totals;
}
