/* gang_cause.h - the card or link that slows down all ranks of a launch
 *
 * The duration of a rank contains its waiting, so all ranks of a fused operator look
 * equally slow. Their computing times and the transfers of each pair of ranks are not
 * coupled in this way. */
#ifndef LIB_GATE_GANG_CAUSE_H
#define LIB_GATE_GANG_CAUSE_H

#include "lib/compare/comparison.h"
#include "lib/verdict/cause/ab_cause.h"

/* Metrics that this module reads, as patterns of a comparison. */
#define GANG_CAUSE_METRICS "compute_us|transfer_us_rank_*"

struct gang_cause {
    enum cause cause; /* CAUSE_CARD, CAUSE_LINK, or CAUSE_NONE */
    double size;      /* natural logarithm */
    uint64_t rank, peer;
    /* "": unknown. Those of the peer are only set for a link. They live
     * as long as the rows. */
    const char *serial, *host, *peer_serial, *peer_host;
};

/* All cells of one point and kernel: of each rank and metric. */
struct launch_rows {
    const struct comparison_row *rows;
    size_t count;
};

/* `margin` is that of the durations, a natural logarithm. */
struct gang_cause gang_cause_find(struct launch_rows launch, double margin);

#endif
