#include "sim/hccl/cost.h"

#include <stdlib.h>

#include "sim/card/links.h"

#define ROUND_NS 5000
#define PRIME    0x100000001B3u
#define BASIS    0xCBF29CE484222325u

static struct npu_sim_place place_of(struct group *group, uint32_t rank)
{
    uint64_t place = group_place(group, rank);

    return (struct npu_sim_place){(uint32_t)(place >> 32), (uint32_t)place};
}

static uint64_t bytes_between(struct group *group,
                              const struct cost_way *way,
                              uint64_t longest,
                              uint32_t from,
                              uint32_t to)
{
    if (way->is_spread)
        return way->rounds * longest / group->ranks;
    return group_statement(group, from)->lengths[to];
}

static uint64_t
on_links(struct group *group, const struct cost_way *way, uint64_t longest)
{
    uint32_t ranks = group->ranks;
    struct npu_sim_flow *flows = malloc(ranks * (ranks - 1) * sizeof(*flows));
    size_t count = 0;
    uint64_t ns;

    if (!flows)
        return 0;
    for (uint32_t from = 0; from < ranks; from++)
        for (uint32_t to = 0; to < ranks; to++) {
            uint64_t bytes = bytes_between(group, way, longest, from, to);

            if (from != to && bytes > 0)
                flows[count++] = (struct npu_sim_flow){place_of(group, from),
                                                       place_of(group, to), bytes};
        }
    ns = npu_sim_link_ns(flows, count);
    free(flows);
    return ns;
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

uint64_t
cost_of_exchange(struct group *group, const struct cost_way *way, uint64_t longest)
{
    uint64_t hash;

    if (group->ranks < 2)
        return 0;
    if (longest == 0)
        return way->rounds * (uint64_t)ROUND_NS;
    /* programs repeat the same collective, and 64 ranks have 4032 links */
    hash = hash_of(group, way, longest);
    if (group->costs.hash != hash || !group->costs.known) {
        group->costs.ns = on_links(group, way, longest);
        group->costs.hash = hash;
        group->costs.known = true;
    }
    return way->rounds * (uint64_t)ROUND_NS + group->costs.ns;
}

uint64_t cost_of_messages(struct group *group, const uint64_t *to, const uint64_t *from)
{
    struct npu_sim_place own = place_of(group, group->rank);
    struct npu_sim_flow flows[2 * GROUP_RANKS_MAX];
    size_t count = 0;

    for (uint32_t rank = 0; rank < group->ranks; rank++) {
        struct npu_sim_place other = place_of(group, rank);

        if (rank == group->rank)
            continue;
        if (to[rank])
            flows[count++] = (struct npu_sim_flow){own, other, to[rank]};
        if (from[rank])
            flows[count++] = (struct npu_sim_flow){other, own, from[rank]};
    }
    return ROUND_NS + npu_sim_link_ns(flows, count);
}
