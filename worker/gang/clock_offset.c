#include "worker/gang/clock_offset.h"

/* Returns the index of the sample with the shortest round trip. */
static size_t find_best(const struct clock_offset *clock)
{
    size_t known =
        clock->count < CLOCK_OFFSET_WINDOW ? clock->count : CLOCK_OFFSET_WINDOW;
    size_t best = 0;

    for (size_t i = 1; i < known; i++)
        if (clock->samples[i].round_ns < clock->samples[best].round_ns)
            best = i;
    return best;
}

void clock_offset_add(struct clock_offset *clock,
                      uint64_t sent_ns,
                      uint64_t root_ns,
                      uint64_t received_ns)
{
    size_t at = clock->count % CLOCK_OFFSET_WINDOW;

    if (received_ns < sent_ns)
        return; /* not an answer to a ping of this process */
    clock->samples[at].round_ns = received_ns - sent_ns;
    clock->samples[at].offset_ns =
        (int64_t)(root_ns - (sent_ns + (received_ns - sent_ns) / 2));
    clock->count++;
}

bool clock_offset_get(const struct clock_offset *clock,
                      int64_t *offset_ns,
                      uint64_t *uncertainty_ns)
{
    size_t best = find_best(clock);

    if (clock->count == 0)
        return false;
    *offset_ns = clock->samples[best].offset_ns;
    *uncertainty_ns = clock->samples[best].round_ns / 2 + 1;
    return true;
}

uint64_t clock_offset_round(const struct clock_offset *clock)
{
    return clock->count == 0 ? 0 : clock->samples[find_best(clock)].round_ns;
}

uint64_t
clock_offset_here(const struct clock_offset *clock, uint64_t root_ns, uint64_t now_ns)
{
    int64_t offset_ns;
    uint64_t uncertainty_ns;

    if (!clock_offset_get(clock, &offset_ns, &uncertainty_ns))
        return now_ns;
    return root_ns - (uint64_t)offset_ns;
}
