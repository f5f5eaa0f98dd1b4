/* clock_offset.h - offset of the coordinator's clock, with its uncertainty
 *
 * The coordinator's answer was given between the send and the receive time of a ping,
 * so a shorter round trip gives a smaller uncertainty. The sample with the shortest
 * round trip of a sliding window counts, because clocks drift. The module is pure: the
 * caller passes all times. */
#ifndef WORKER_GANG_CLOCK_OFFSET_H
#define WORKER_GANG_CLOCK_OFFSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLOCK_OFFSET_WINDOW = 16 };

struct clock_offset {
    struct {
        int64_t offset_ns; /* coordinator's clock minus this host's clock */
        uint64_t round_ns;
    } samples[CLOCK_OFFSET_WINDOW];
    size_t count; /* of all samples so far */
};

/* Adds a sample: sent at `sent_ns`, answered at `root_ns` of the coordinator's clock,
 * received at `received_ns`. */
void clock_offset_add(struct clock_offset *clock,
                      uint64_t sent_ns,
                      uint64_t root_ns,
                      uint64_t received_ns);
/* Returns false before the first sample. */
bool clock_offset_get(const struct clock_offset *clock,
                      int64_t *offset_ns,
                      uint64_t *uncertainty_ns);
/* Returns the shortest round trip of the window; 0: unknown. */
uint64_t clock_offset_round(const struct clock_offset *clock);
/* Converts an instant of the coordinator's clock to this host's clock. Returns `now_ns`
 * before the first sample. */
uint64_t
clock_offset_here(const struct clock_offset *clock, uint64_t root_ns, uint64_t now_ns);

#endif
