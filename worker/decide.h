/* decide.h - which launches of a run are replayed, and how
 *
 * Launches of kernels whose name matches are counted over all processes of the run: the
 * first `skip` pass, the next `count` are profiled, then nothing is asked any more. */
#ifndef WORKER_DECIDE_H
#define WORKER_DECIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

struct channel_prepare;
union channel_message;

struct decide {
    char pattern[256];   /* of kernel names; "" is all */
    struct text metrics; /* joined by commas */
    uint64_t count;      /* 0: all */
    uint64_t skip;
    uint32_t warmup;
    uint32_t sync_ms; /* 0: what the guest thinks right */
    bool simulated;   /* the card; figures of the other kind are refused */
    /* what happened */
    uint64_t matched;
    uint64_t profiled;
    struct text others; /* kernels that were seen and not meant, a few */
};

void decide_clear(struct decide *decide);

/* Fills the answer in any case: what cannot be planned is passed, with err. */
int decide_answer(struct decide *decide,
                  const struct channel_prepare *asked,
                  union channel_message *message,
                  struct err *err);

#endif
