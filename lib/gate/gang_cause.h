/* gang_cause.h - the card or link that slows down all ranks of a launch
 *
 * The duration of a rank contains its waiting, so all ranks of a fused operator look
 * equally slow. Their computing times and the transfers of each pair of ranks are not
 * coupled in this way. */
#ifndef LIB_GATE_GANG_CAUSE_H
#define LIB_GATE_GANG_CAUSE_H

#include <stdbool.h>

#include "lib/compare/comparison.h"
#include "lib/verdict/cause/ab_cause.h"

/* Metrics that this module reads, as patterns of a comparison. */
#define GANG_CAUSE_METRICS "compute_us|transfer_us_rank_*"

struct gang_cause {
    /* CAUSE_CARD, CAUSE_LINK, CAUSE_NONE, or CAUSE_CODE: the rank is slower on each of
     * its cards, which only placements show */
    enum cause cause;
    double size; /* natural logarithm */
    uint64_t rank, peer;
    /* "": unknown. Those of the peer are only set for a link. They live
     * as long as the rows. */
    const char *serial, *host, *peer_serial, *peer_host;
};

enum { GANG_CAUSE_RANKS_MAX = 1024 };

/* All cells of one point and kernel: of each rank and metric. */
struct launch_rows {
    const struct comparison_row *rows;
    size_t count;
};

/* Returns true and the peer for a metric such as transfer_us_rank_3. */
bool gang_cause_is_transfer(const struct comparison_row *row, uint64_t *peer);

/* `margin` is that of the durations, a natural logarithm. */
struct gang_cause gang_cause_find(struct launch_rows launch, double margin);

/* The same for a job that rotates its ranks over its cards: what is slower on one card,
 * or between two, with each rank is that card or link; a rank that is slower on each
 * card is no fault of a card. `kernel` has all cells of the kernel; the placements of
 * the launch are among them. */
struct gang_cause gang_cause_of_placements(struct launch_rows launch,
                                           struct launch_rows kernel,
                                           double margin);

#endif
