#include "lib/job/sweep/shuffle.h"

enum { ROUNDS = 6 };

/* The finalizer of SplitMix64: every input bit affects every output bit. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t permute(uint64_t value, unsigned half, uint64_t seed)
{
    uint64_t mask = ((uint64_t)1 << half) - 1;
    uint64_t left = value >> half, right = value & mask;

    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t key = mix(seed + (round + 1) * 0x9e3779b97f4a7c15u);
        uint64_t next = left ^ (mix(right + key) & mask);

        left = right;
        right = next;
    }
    return left << half | right;
}

uint64_t shuffle_at(uint64_t index, uint64_t n, uint64_t seed)
{
    unsigned half = 1;

    while (half < 32 && ((uint64_t)1 << (2 * half)) < n)
        half++;
    do /* ends: the cycle of an index below n returns to it */
        index = permute(index, half, seed);
    while (index >= n);
    return index;
}
