/* model.h - how long a core needs for what a kernel declares: a roofline per pipe
 *
 * Each pipe needs its bytes over its bandwidth, or its operations over its width;
 * memory pipes also share the card's memory with the other cores where they miss the
 * L2. The block takes its longest pipe, an eighth of what the others need, and its
 * start-up. Work counters are exact; cycles carry a noise of a few tenths of a percent
 * that depends on the seed only. Pure, but for the L2. */
#ifndef SIM_CARD_MODEL_H
#define SIM_CARD_MODEL_H

#include <npu_sim/kernel.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/card/counters.h"

struct l2;
struct soc;
struct soc_speed;

struct model {
    const struct soc *soc;
    const struct soc_speed *speed;
    struct l2 *l2;
    uint32_t mhz;          /* of the cores, now */
    double slow;           /* cycles are multiplied by it */
    uint32_t active_cores; /* that share the memory */
    double memory_share;   /* of its bandwidth that is there for them */
    uint64_t seed;         /* of this launch */
    bool only_totals;      /* nobody reads what the waits were */
};

/* What one core does in one block. `salt` tells apart the cores of a launch. */
void model_core(const struct model *model,
                enum core_kind kind,
                const struct npu_sim_core_cost *cost,
                uint64_t salt,
                struct counters *out);
/* A mix block: each half waits for the other. */
void model_pair(struct counters *cube, struct counters *vectors, int vector_count);
void model_add(struct counters *sum, const struct counters *more);
uint64_t model_hash(uint64_t a, uint64_t b);

#endif
