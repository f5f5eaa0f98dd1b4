/* launch_decision.h - decides which launches of a rank are replayed, and with which
 * passes
 *
 * Launches of matching kernels are counted over all processes of the rank: the first
 * `skip` launches pass through, the next `count` are profiled, and then inject sends
 * no more requests. Operations of a communicator are counted per communicator by their
 * sequence number, so that the workers of all ranks decide the same in any order of
 * requests. Plain collectives and messages are profiled only when the patterns
 * select them; without a pattern they are not. Launches outside the requested ranges
 * pass through and are not counted. Each entry of a list of ranges has its own `skip`
 * and `count` (launch_ranges.h).
 *
 * In range replay the ranges are counted in place of launches. All segments of a range
 * are profiled, or none. */
#ifndef WORKER_CAPTURE_LAUNCH_DECISION_H
#define WORKER_CAPTURE_LAUNCH_DECISION_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/text.h"
#include "worker/capture/launch_ranges.h"

enum { LAUNCH_DECISION_COMMUNICATORS_MAX = 256 };

struct control_prepare;
union control_message;

/* The operations of one communicator that were decided so far. */
struct communicator_progress {
    uint64_t key;
    uint64_t decided; /* sequence number of the last request */
    struct operations_of_range {
        uint64_t matched;     /* operations whose kernel matched */
        uint64_t first, last; /* sequence numbers of the profiled ones; 0: none yet */
    } in[LAUNCH_RANGES_MAX];
};

/* The launches of one entry of the list of ranges. */
struct range_progress {
    uint64_t matched;        /* without a communicator */
    uint64_t profiled_alone; /* of these */
    uint64_t profiled;       /* also with a communicator */
};

struct launch_decision {
    char pattern[256]; /* of kernel names, divided by |; "": see above */
    /* patterns of marked ranges, one per line; "": everywhere */
    char ranges[LAUNCH_RANGES_MAX * LAUNCH_RANGE_BYTES_MAX];
    struct text metrics; /* joined by commas */
    uint64_t count;      /* in each range; 0: all */
    uint64_t skip;
    uint32_t warmup;
    uint32_t sync_ms;    /* 0: the default of inject */
    uint32_t barrier_ms; /* longest wait of a rank for others; 0: the default */
    /* Allowed time difference of ranks that share passes; 0: no sharing. */
    uint32_t share_permille;
    /* Application replay: number of the program start, from 1; else 0. */
    uint32_t start;
    /* The card is simulated. Requests from a real NPU are then refused, and vice versa.
     */
    bool simulated;
    struct range_progress in[LAUNCH_RANGES_MAX];
    /* Names of some kernels that did not match, for the result. */
    struct text other_kernels;
    struct communicator_progress *communicators;
    size_t communicator_count;
};

void launch_decision_clear(struct launch_decision *decision);

/* Returns true when too few launches were profiled, and the numbers of the first range
 * with too few. Each range of a list needs a launch also when `count` is 0. `range` is
 * "" without a list. */
bool launch_decision_is_short(const struct launch_decision *decision,
                              uint64_t *found,
                              uint64_t *wanted,
                              char range[LAUNCH_RANGE_BYTES_MAX]);

/* Computes the number of program starts of an application replay. It depends on the
 * model of the card only, so that all ranks agree before the first one starts. */
int launch_decision_count_starts(uint32_t *starts,
                                 const char *model,
                                 const char *metrics,
                                 struct err *err);
/* Resets the counts for the next program start, which selects the same launches. */
void launch_decision_next_start(struct launch_decision *decision);

/* Writes the answer to a request. On failure the answer is to pass the launch through.
 */
int launch_decision_answer(struct launch_decision *decision,
                           const struct control_prepare *request,
                           union control_message *message,
                           struct err *err);

#endif
