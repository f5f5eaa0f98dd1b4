/* group_builder.h - builds the groups of one shard from the ring of one process
 *
 * Checks the size of each record against its kind; a wrong record is dropped and
 * counted. A group is finished when it has 256 KiB, on a flush, and at the end. */
#ifndef WORKER_CAPTURE_GROUP_BUILDER_H
#define WORKER_CAPTURE_GROUP_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct group_builder;
struct record_run_rank;
struct ring;

/* Called with each finished group; the bytes are valid during the call. */
typedef void group_builder_fn(void *arg,
                              uint32_t shard,
                              uint32_t number,
                              const void *bytes,
                              size_t size);

struct group_builder_totals {
    uint64_t groups;
    uint64_t blocks;
    uint64_t launches;   /* launches that ended */
    uint64_t incomplete; /* launches that ended incomplete */
    uint64_t dropped;    /* records */
    uint64_t events;     /* XPTI trace events */
    bool broken;         /* the content of the ring is invalid */
    char reason[128];    /* of the first incomplete launch */
};

/* Takes ownership of the mapped ring. `rank` becomes the first record of the shard. */
struct group_builder *group_builder_create(struct ring *ring,
                                           const struct record_run_rank *rank,
                                           uint32_t shard,
                                           group_builder_fn *fn,
                                           void *arg);
/* The same for a process that uses several cards. Each card has its own rank and shard;
 * `rank` and `shard` are those of the first card. */
struct group_builder *group_builder_create_for_cards(struct ring *ring,
                                                     const struct record_run_rank *rank,
                                                     uint32_t shard,
                                                     const uint32_t *cards,
                                                     size_t count,
                                                     group_builder_fn *fn,
                                                     void *arg);
void group_builder_destroy(struct group_builder *builder); /* NULL is allowed */

/* Announces an application replay: the operator is started `starts` times, and each
 * start measures one pass (merge_starts.h). Call it before the first record. */
void group_builder_expect_starts(struct group_builder *builder, uint32_t starts);
/* Reads the rest of the ring after one start. Then group_builder_next_start() takes
 * ownership of the ring of the next start's process. */
void group_builder_end_start(struct group_builder *builder);
void group_builder_next_start(struct group_builder *builder, struct ring *ring);

/* Reads available records, at most 256. Returns true when there may be more. */
bool group_builder_drain(struct group_builder *builder);
/* Marks the reader as sleeping, so that the writer rings the bell. Returns false when
 * records arrived in between. */
bool group_builder_sleep(struct group_builder *builder);
void group_builder_flush(struct group_builder *builder);
/* Reads the rest of the ring and finishes the last group. */
void group_builder_end(struct group_builder *builder);

const struct group_builder_totals *
group_builder_totals(const struct group_builder *builder);

#endif
