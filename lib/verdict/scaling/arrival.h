/* arrival.h - whether a collective is slow because a rank arrives late or because the
 * transfer is slow
 *
 * All times are in one unit, on one clock. The transfer of ranks that arrive together
 * is the calibration: the replays of the same bytes in lock step. */
#ifndef LIB_VERDICT_SCALING_ARRIVAL_H
#define LIB_VERDICT_SCALING_ARRIVAL_H

#include <stdbool.h>
#include <stddef.h>

enum { ARRIVAL_FEWEST = 5 }; /* collectives */

struct arrival {
    double skew;           /* last arrival - first arrival */
    double transfer;       /* median over ranks of end - last arrival */
    double least_duration; /* of a rank: transfer without common clocks */
    double duration;       /* longest of a rank, with its waiting */
    size_t last;           /* rank that arrived last */
};

/* Measures one collective. Returns false, and sets nothing, without a rank, when a time
 * is not finite, or when a rank ends before it arrives. */
bool arrival_measure(struct arrival *arrival,
                     const double *arrivals,
                     const double *ends,
                     size_t ranks);

enum arrival_verdict {
    ARRIVAL_INCONCLUSIVE,
    ARRIVAL_AS_CALIBRATED,
    ARRIVAL_SKEW,     /* a rank arrives late */
    ARRIVAL_TRANSFER, /* the transfer itself is slow */
    ARRIVAL_MIXED,
};

struct arrival_answer {
    enum arrival_verdict verdict;
    struct arrival medians; /* over the collectives; `last` is the most frequent one */
    size_t times_last;      /* collectives in which this rank was last */
    double excess;          /* duration - calibration */
    double skew_share, transfer_share; /* of the excess; 0 without an excess */
};

/* Judges several collectives of the same bytes. `calibration` is the median transfer of
 * ranks that were released together (NaN: none), `uncertainty` that of the clocks, and
 * `tolerance` a share. */
struct arrival_answer arrival_judge(const struct arrival *collectives,
                                    size_t count,
                                    double calibration,
                                    double uncertainty,
                                    double tolerance);

const char *arrival_verdict_name(enum arrival_verdict verdict); /* "arrival-skew" */

#endif
