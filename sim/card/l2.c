#include "sim/card/l2.h"

#include <stdlib.h>
#include <sys/mman.h>

#define GROUP_LINES 64
#define GROUP_BYTES (GROUP_LINES * L2_LINE)
#define NONE        UINT32_MAX

struct group {
    uint64_t block, place;
    uint64_t lines; /* one bit per line */
    uint32_t chain; /* next in the same bucket */
    uint32_t older, newer;
};

struct l2 {
    struct group *groups;
    uint32_t *buckets; /* index of the first group plus 1; 0: empty, untouched pages use
                          no memory */
    uint32_t count, used, bucket_mask;
    uint32_t oldest, newest;
    uint64_t evicted;
};

/* Maps memory instead of calling calloc(): most cards use little of their cache, and
 * untouched pages are not allocated. */
static void *reserve(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return pages == MAP_FAILED ? NULL : pages;
}

struct l2 *l2_create(uint64_t bytes)
{
    struct l2 *l2 = calloc(1, sizeof(*l2));
    uint32_t buckets = 1;

    if (!l2)
        return NULL;
    l2->count = (uint32_t)(bytes / GROUP_BYTES);
    if (l2->count == 0)
        l2->count = 1;
    while (buckets < l2->count)
        buckets *= 2;
    l2->bucket_mask = buckets - 1;
    l2->groups = reserve(l2->count * sizeof(*l2->groups));
    l2->buckets = reserve(buckets * sizeof(*l2->buckets));
    l2->oldest = l2->newest = NONE;
    if (!l2->groups || !l2->buckets) {
        l2_destroy(l2);
        return NULL;
    }
    return l2;
}

void l2_destroy(struct l2 *l2)
{
    if (!l2)
        return;
    if (l2->groups)
        munmap(l2->groups, l2->count * sizeof(*l2->groups));
    if (l2->buckets)
        munmap(l2->buckets, (l2->bucket_mask + 1) * sizeof(*l2->buckets));
    free(l2);
}

static uint32_t *bucket_of(struct l2 *l2, uint64_t block, uint64_t place)
{
    /* adjacent groups get adjacent buckets, so a small block touches few pages */
    uint64_t hash = (block * 0x9E3779B97F4A7C15u >> 32) + place;

    return &l2->buckets[hash & l2->bucket_mask];
}

static uint32_t find(struct l2 *l2, uint64_t block, uint64_t place)
{
    uint32_t at = *bucket_of(l2, block, place) - 1; /* 0 - 1 is NONE */

    while (at != NONE &&
           (l2->groups[at].block != block || l2->groups[at].place != place))
        at = l2->groups[at].chain;
    return at;
}

static void unlink_age(struct l2 *l2, uint32_t at)
{
    struct group *group = &l2->groups[at];

    *(group->older == NONE ? &l2->oldest : &l2->groups[group->older].newer) =
        group->newer;
    *(group->newer == NONE ? &l2->newest : &l2->groups[group->newer].older) =
        group->older;
}

static void make_newest(struct l2 *l2, uint32_t at)
{
    struct group *group = &l2->groups[at];

    group->older = l2->newest;
    group->newer = NONE;
    *(l2->newest == NONE ? &l2->oldest : &l2->groups[l2->newest].newer) = at;
    l2->newest = at;
}

static uint32_t evict_oldest(struct l2 *l2)
{
    uint32_t at = l2->oldest;
    struct group *group = &l2->groups[at];
    uint32_t *bucket = bucket_of(l2, group->block, group->place);
    uint32_t before = *bucket - 1;

    if (before == at) {
        *bucket = group->chain + 1;
    } else {
        while (l2->groups[before].chain != at)
            before = l2->groups[before].chain;
        l2->groups[before].chain = group->chain;
    }
    unlink_age(l2, at);
    l2->evicted += (uint64_t)__builtin_popcountll(group->lines);
    return at;
}

static struct group *bring(struct l2 *l2, uint64_t block, uint64_t place)
{
    uint32_t at = find(l2, block, place);

    if (at == NONE) {
        uint32_t *bucket;

        at = l2->used < l2->count ? l2->used++ : evict_oldest(l2);
        bucket = bucket_of(l2, block, place);
        l2->groups[at].block = block;
        l2->groups[at].place = place;
        l2->groups[at].lines = 0;
        l2->groups[at].chain = *bucket - 1;
        *bucket = at + 1;
    } else {
        unlink_age(l2, at);
    }
    make_newest(l2, at);
    return &l2->groups[at];
}

static uint64_t mask_of(uint64_t first, uint64_t last)
{
    uint64_t up_to_last = last == GROUP_LINES - 1 ? ~0ull : (1ull << (last + 1)) - 1;

    return up_to_last & ~((1ull << first) - 1);
}

/* Returns the lines of the next part of a range that lies within one group, and sets
 * the end of that part. */
static uint64_t piece(uint64_t offset, uint64_t end, uint64_t *place, uint64_t *next)
{
    *place = offset / GROUP_BYTES;
    *next = (*place + 1) * GROUP_BYTES;
    if (*next > end)
        *next = end;
    return mask_of((offset % GROUP_BYTES) / L2_LINE,
                   ((*next - 1) % GROUP_BYTES) / L2_LINE);
}

uint64_t l2_touch(struct l2 *l2, uint64_t block, uint64_t offset, uint64_t bytes)
{
    uint64_t missed = 0, place, next;

    for (uint64_t end = offset + bytes; offset < end; offset = next) {
        uint64_t lines = piece(offset, end, &place, &next);
        struct group *group = bring(l2, block, place);

        missed += (uint64_t)__builtin_popcountll(lines & ~group->lines);
        group->lines |= lines;
    }
    return missed;
}

uint64_t l2_missing(struct l2 *l2, uint64_t block, uint64_t offset, uint64_t bytes)
{
    uint64_t missing = 0, place, next;

    for (uint64_t end = offset + bytes; offset < end; offset = next) {
        uint64_t lines = piece(offset, end, &place, &next);
        uint32_t at = find(l2, block, place);

        if (at != NONE)
            lines &= ~l2->groups[at].lines;
        missing += (uint64_t)__builtin_popcountll(lines);
    }
    return missing;
}

void l2_drop(struct l2 *l2, uint64_t block, uint64_t offset, uint64_t bytes)
{
    uint64_t place, next;

    for (uint64_t end = offset + bytes; offset < end; offset = next) {
        uint64_t lines = piece(offset, end, &place, &next);
        uint32_t at = find(l2, block, place);

        if (at != NONE)
            l2->groups[at].lines &= ~lines;
    }
}

uint64_t l2_evicted_lines(const struct l2 *l2)
{
    return l2->evicted;
}
