/* barrier_fixture.h - a barrier page on one host, and short forms of its functions */
#ifndef TESTS_SUPPORT_BARRIER_FIXTURE_H
#define TESTS_SUPPORT_BARRIER_FIXTURE_H

#include <stdlib.h>
#include <unistd.h>

#include "lib/shm/rank_barrier.h"
#include "tests/support/unit.h"

enum { RANKS_MAX = 64, LIMIT_MS = 20000, SHORT_MS = 150 };

#define KEY 0x1234567

static struct rank_barrier barrier;

static inline void map_barrier_of(uint32_t hosts, uint32_t ranks_here)
{
    int memory = barrier_memory(hosts, hosts * ranks_here, ranks_here);

    assert_true(memory >= 0);
    assert_int_equal(barrier_map(&barrier, memory, -1), 0);
    close(memory);
}

static inline void map_barrier(void)
{
    map_barrier_of(1, RANKS_MAX);
}

static inline struct barrier_place join(uint64_t key, uint32_t rank, uint32_t size)
{
    struct barrier_membership member = {
        .key = key,
        .size = size,
        .rank = rank,
        .world_rank = rank,
        .device = rank,
        .pid = (uint32_t)getpid(),
    };
    struct barrier_place place;

    if (barrier_join(&barrier, &member, &place) < 0)
        abort();
    return place;
}

static inline void wait_at(const struct barrier_place *place,
                           uint64_t stage,
                           enum barrier_reason reason,
                           uint32_t limit_ms,
                           struct barrier_outcome *outcome)
{
    struct barrier_arrival arrival = {
        .stage = stage,
        .fingerprint = 1,
        .reason = reason,
        .what = "MatmulAllReduce",
    };

    barrier_wait(&barrier, place, &arrival, limit_ms, outcome);
}

#endif
