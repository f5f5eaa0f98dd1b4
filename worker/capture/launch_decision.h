/* launch_decision.h - which launches of a run are replayed, and how
 *
 * Launches of kernels whose name matches are counted over all processes of the run: the
 * first `skip` pass, the next `count` are profiled, then nothing is asked any more.
 * Operations of a group of ranks are counted in their group, by their number there: so
 * the workers of all its ranks decision alike, whoever asks first. Plain collectives
 * are profiled where the pattern names them, not where it means everything. What is
 * launched outside of the wanted ranges passes, and is not counted. */
#ifndef WORKER_CAPTURE_LAUNCH_DECISION_H
#define WORKER_CAPTURE_LAUNCH_DECISION_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/text.h"

enum { LAUNCH_DECISION_GROUPS_MAX = 256 };

struct control_prepare;
union control_message;

/* One group of ranks: which of its operations were taken so far. */
struct launch_decision_group {
    uint64_t key;
    uint64_t matched;     /* operations whose kernel matched */
    uint64_t decided;     /* the number of the last one that was asked for */
    uint64_t first, last; /* numbers of those that are profiled; 0: none yet */
};

struct launch_decision {
    char pattern[256]; /* of kernel names; "" is all */
    char range[256];   /* pattern of marked ranges: only in one of them; "": anywhere */
    struct text metrics; /* joined by commas */
    uint64_t count;      /* 0: all */
    uint64_t skip;
    uint32_t warmup;
    uint32_t sync_ms;    /* 0: what the guest thinks right */
    uint32_t barrier_ms; /* the longest that a rank waits for others; 0: the same */
    uint32_t
        share_permille; /* by which the times of like ranks may differ; 0: none is */
    uint32_t start;     /* application replay: of the program, from 1; else 0 */
    bool simulated;     /* the card; figures of the other kind are refused */
    /* what happened */
    uint64_t matched;
    uint64_t profiled;
    uint64_t profiled_alone; /* of these, not of a group */
    struct text others;      /* kernels that were seen and not meant, a few */
    struct launch_decision_group *groups;
    size_t group_count;
};

void launch_decision_clear(struct launch_decision *decision);

/* How often the program starts when each start measures one pass; from the card's
 * model, so that all ranks agree before one of them runs. */
int launch_decision_starts(uint32_t *starts,
                           const char *model,
                           const char *metrics,
                           struct err *err);
/* The program starts again, and the same launches are meant. */
void launch_decision_again(struct launch_decision *decision);

/* Fills the answer in any case: what cannot be planned is passed, with err. */
int launch_decision_answer(struct launch_decision *decision,
                           const struct control_prepare *asked,
                           union control_message *message,
                           struct err *err);

#endif
