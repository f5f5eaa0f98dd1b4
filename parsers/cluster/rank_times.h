/* rank_times.h - the parts of the time of a step of a rank
 *
 * The times of the device come from the analyses of the ranks; the waits for other
 * ranks come from the collectives that all ranks of a group have. */
#ifndef PARSERS_CLUSTER_RANK_TIMES_H
#define PARSERS_CLUSTER_RANK_TIMES_H

#include <stdbool.h>
#include <stdint.h>

enum rank_time {
    TIME_STEP,
    TIME_COMPUTING,
    TIME_COMM_ALONE, /* communication that no computation hides */
    TIME_OVERLAPPED, /* both */
    TIME_COMM,
    TIME_FREE,     /* without computation, communication and copies */
    TIME_WAIT,     /* in collectives, for the rank that comes last */
    TIME_TRANSMIT, /* the rest of the time in collectives */
    TIME_COPY,
    TIME_COPY_ALONE, /* copies outside of computation and communication */
    TIME_COUNT,
};

enum { STEP_BYTES = 64 };

/* One step of a rank. */
struct rank_times {
    int64_t rank;
    char step[STEP_BYTES]; /* number in the marker; a longer one is cut */
    bool is_whole;         /* the capture has no steps: this is all of it */
    double us[TIME_COUNT]; /* NaN: unknown */
};

#endif
