#include "sim/hccl/times/cost.h"

#include <stdlib.h>

#include "sim/fleet/links.h"
#include "sim/hccl/times/schedule.h"

#define NOTIFY_NS 5000
#define PRIME     0x100000001B3u
#define BASIS     0xCBF29CE484222325u

static struct npu_sim_place place_of(struct group *group, uint32_t rank)
{
    uint64_t place = group_place(group, rank);

    return (struct npu_sim_place){(uint32_t)(place >> 32), (uint32_t)place};
}

uint64_t cost_bytes(struct group *group,
                    const struct cost_way *way,
                    uint64_t longest,
                    uint32_t from,
                    uint32_t to)
{
    if (way->is_spread)
        return longest / group->ranks;
    return group_statement(group, from)->lengths[to];
}

static void fill(struct group *group,
                 const struct cost_way *way,
                 uint64_t longest,
                 struct npu_sim_flow *flows,
                 uint64_t *times)
{
    uint32_t ranks = group->ranks;
    size_t count = 0;

    for (uint32_t from = 0; from < ranks; from++)
        for (uint32_t to = 0; to < ranks; to++) {
            uint64_t bytes = cost_bytes(group, way, longest, from, to);

            if (from != to && bytes > 0)
                flows[count++] = (struct npu_sim_flow){place_of(group, from),
                                                       place_of(group, to), bytes};
        }
    npu_sim_link_each_ns(flows, count, times);
    /* the times are packed at the front: spread them to their places, last first */
    for (uint32_t at = ranks * ranks; at-- > 0;) {
        uint32_t from = at / ranks, to = at % ranks;

        if (from != to && cost_bytes(group, way, longest, from, to) > 0)
            times[at] = times[--count] + NOTIFY_NS;
        else /* without any data the ranks only notify each other */
            times[at] = from != to && longest == 0 ? NOTIFY_NS : SCHEDULE_NOTHING;
    }
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * PRIME;
    return hash ^ hash >> 31;
}

/* Returns a hash that differs when the cost differs. */
static uint64_t
hash_of(struct group *group, const struct cost_way *way, uint64_t longest)
{
    uint64_t hash = mix(mix(BASIS, way->rounds), longest << 1 | way->is_spread);

    for (uint32_t rank = 0; rank < group->ranks && !way->is_spread; rank++)
        for (uint32_t to = 0; to < group->ranks; to++)
            hash = mix(hash, group_statement(group, rank)->lengths[to]);
    return hash;
}

const uint64_t *
cost_of_stage(struct group *group, const struct cost_way *way, uint64_t longest)
{
    size_t pairs = (size_t)group->ranks * group->ranks;
    /* programs repeat the same collective, and 64 ranks have 4032 links */
    uint64_t hash = hash_of(group, way, longest);
    struct npu_sim_flow *flows;

    if (group->costs.times && group->costs.hash == hash)
        return group->costs.times;
    flows = malloc(pairs * sizeof(*flows));
    if (!group->costs.times)
        group->costs.times = malloc(pairs * sizeof(*group->costs.times));
    if (flows && group->costs.times) {
        fill(group, way, longest, flows, group->costs.times);
        group->costs.hash = hash;
    } else {
        free(group->costs.times);
        group->costs.times = NULL;
    }
    free(flows);
    return group->costs.times;
}

void cost_of_messages(struct group *group,
                      const uint64_t *to,
                      const uint64_t *from,
                      uint64_t *to_ns,
                      uint64_t *from_ns)
{
    struct npu_sim_place own = place_of(group, group->rank);
    struct npu_sim_flow flows[2 * GROUP_RANKS_MAX];
    uint64_t times[2 * GROUP_RANKS_MAX];

    for (uint32_t rank = 0; rank < group->ranks; rank++) {
        struct npu_sim_place other = place_of(group, rank);

        flows[2 * rank] = (struct npu_sim_flow){own, other, to[rank]};
        flows[2 * rank + 1] = (struct npu_sim_flow){other, own, from[rank]};
    }
    npu_sim_link_each_ns(flows, 2 * (size_t)group->ranks, times);
    for (uint32_t rank = 0; rank < group->ranks; rank++) {
        to_ns[rank] = NOTIFY_NS + times[2 * rank];
        from_ns[rank] = NOTIFY_NS + times[2 * rank + 1];
    }
}
