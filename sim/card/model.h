/* model.h - the cycles of a core for the work that a kernel declares: a roofline per
 * pipe
 *
 * A pipe needs its bytes divided by its bandwidth, or its operations divided by its
 * width. Transfers that miss the L2 also share the card's memory bandwidth with the
 * other active cores. The time of a block is the sum of its longest pipe, an eighth of
 * the other pipes, and its start-up. Work counters are exact. Cycles have a noise of a
 * few tenths of a percent, which depends only on the seed. Only the L2 keeps state. */
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
    uint32_t mhz;          /* current clock of the cores */
    double slow;           /* factor on cycles */
    uint32_t active_cores; /* cores that share the memory bandwidth */
    double memory_share;   /* share of the memory bandwidth for these cores */
    uint64_t seed;         /* seed of the noise of this launch */
    double noise;          /* factor on the noise; 0: none */
    bool only_totals;      /* the wait counters are not needed */
    bool is_part;          /* a part of a block: no start-up, and the L2 is only read */
};

/* Computes the counters of one core for one block. `salt` must differ between the cores
 * and blocks of a launch. */
void model_core(const struct model *model,
                enum core_kind kind,
                const struct npu_sim_core_cost *cost,
                uint64_t salt,
                struct counters *out);
/* Adds the mutual waits of the cube core and the vector cores of a mix block. */
void model_pair(struct counters *cube, struct counters *vectors, int vector_count);
void model_add(struct counters *sum, const struct counters *more);
uint64_t model_hash(uint64_t a, uint64_t b);

#endif
