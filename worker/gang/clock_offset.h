/* clock_offset.h - how far the coordinator's clock is from ours, and how well we know
 *
 * Of each question and its answer we know that the answer was given between the two:
 * the shorter the way there and back, the better. What counts is the shortest of a
 * window that slides on, since clocks drift. Pure: whoever asks hands the times in. */
#ifndef WORKER_GANG_CLOCK_OFFSET_H
#define WORKER_GANG_CLOCK_OFFSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLOCK_OFFSET_WINDOW = 16 };

struct clock_offset {
    struct {
        int64_t offset_ns; /* root's less ours */
        uint64_t round_ns;
    } samples[CLOCK_OFFSET_WINDOW];
    size_t count; /* of all that came */
};

/* Asked at `sent_ns`, answered by the root at `root_ns`, heard at `heard_ns`. */
void clock_offset_add(struct clock_offset *clock,
                      uint64_t sent_ns,
                      uint64_t root_ns,
                      uint64_t heard_ns);
/* False as long as there was no answer. */
bool clock_offset_get(const struct clock_offset *clock,
                      int64_t *offset_ns,
                      uint64_t *uncertainty_ns);
/* The shortest way there and back of the window; 0: not known. */
uint64_t clock_offset_round(const struct clock_offset *clock);
/* An instant of the root's clock, on ours; now when nothing is known. */
uint64_t
clock_offset_here(const struct clock_offset *clock, uint64_t root_ns, uint64_t now_ns);

#endif
