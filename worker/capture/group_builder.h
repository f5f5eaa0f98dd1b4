/* group_builder.h - from the ring of one process to the groups of one shard
 *
 * Checks every frame against its kind: a record that is none is dropped and counted. A
 * group is closed when it is large, when the user flushes, and at the end. */
#ifndef WORKER_CAPTURE_GROUP_BUILDER_H
#define WORKER_CAPTURE_GROUP_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct group_builder;
struct record_run_rank;
struct ring;

/* A group is finished; the bytes are good during the call. */
typedef void
gather_fn(void *arg, uint32_t shard, uint32_t number, const void *bytes, size_t size);

struct group_builder_sums {
    uint64_t groups;
    uint64_t blocks;
    uint64_t launches;   /* that ended */
    uint64_t incomplete; /* of these */
    uint64_t dropped;    /* records */
    bool broken;         /* the ring was written over */
    char reason[128];    /* of the first that was incomplete */
};

/* Takes the ring's mapping. `rank` is the shard's first record. */
struct group_builder *group_builder_create(struct ring *ring,
                                           const struct record_run_rank *rank,
                                           uint32_t shard,
                                           gather_fn *fn,
                                           void *arg);
/* Of a process that drives several cards: each has a rank and a shard of its own, from
 * those of the first on. */
struct group_builder *group_builder_create_lanes(struct ring *ring,
                                                 const struct record_run_rank *rank,
                                                 uint32_t shard,
                                                 const uint32_t *cards,
                                                 size_t count,
                                                 gather_fn *fn,
                                                 void *arg);
void group_builder_destroy(struct group_builder *gather); /* NULL is welcome */

/* The program is started several times, and each start measures a pass (starts.h):
 * before the first record. `starts` is how often. */
void group_builder_expect_starts(struct group_builder *gather, uint32_t starts);
/* Everything of this start's process; then the ring of the next one's, whose mapping is
 * taken. */
void group_builder_pause(struct group_builder *gather);
void group_builder_again(struct group_builder *gather, struct ring *ring);

/* Takes what is there, up to a bound: true when there may be more. */
bool group_builder_drain(struct group_builder *gather);
/* Says that we sleep until the bell; false when something came in between. */
bool group_builder_sleep(struct group_builder *gather);
void group_builder_flush(struct group_builder *gather);
/* Everything to the last frame, and the last group. */
void group_builder_end(struct group_builder *gather);

const struct group_builder_sums *group_builder_sums(const struct group_builder *gather);

#endif
