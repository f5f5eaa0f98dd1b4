/* batch.h - the common part of operators with an expert group and a tensor group
 *
 * ep x tp ranks; E experts, g = E / ep of them on each rank. A turn moves and
 * multiplies the rows of one local expert: ep x C rows, C from each place of the expert
 * group. */
#ifndef SIM_FUSED_TWOGROUPS_BATCH_H
#define SIM_FUSED_TWOGROUPS_BATCH_H

#include "sim/fused/shared/body.h"
#include "sim/fused/shared/check.h"
#include "sim/fused/shared/linear.h"

enum { BATCH_X, BATCH_WEIGHT, BATCH_BIAS, BATCH_OWN }; /* tensors */
enum { BATCH_EP, BATCH_TP };                           /* groups */

/* Indexes of `number`. */
enum {
    BATCH_SHARD_TYPE, /* 0: the tensor group divides columns, 1: rows */
    BATCH_EPS,
    BATCH_TPS,
    BATCH_ROWS, /* C */
    BATCH_OWN_NUMBER,
};

struct batch_call {
    const aclTensor *x, *weight, *bias;
    const char *group_ep, *group_tp;
    int64_t eps, tps, shard_type;
};

/* Checks both groups, the sizes and types of x and the weight, each of which has three
 * dimensions, and sets k and n from the weight. */
void batch_check(struct check *check, const struct batch_call *call);
/* Checks the bias: one for each expert and each of `columns` columns. */
void batch_check_bias(struct check *check, const aclTensor *bias, uint64_t columns);
/* Sets a turn for each expert. */
void batch_check_turns(struct check *check);

/* The state of a block: the product of an expert. */
struct batch {
    uint32_t expert;
    struct mc2_tensor bias;
    struct linear linear;
    struct linear_state *rows;
    float *row; /* of n floats */
};

void *batch_open(const struct body *body);
void batch_close(void *state);
/* Selects the expert, with its bias if the operator adds it to the products. Returns
 * false when out of memory. */
bool batch_select(struct batch *batch,
                  const struct mc2_tiling *tiling,
                  uint32_t expert,
                  bool adds_bias);
void batch_cost(const struct body *body, struct npu_sim_block_cost *out);

uint64_t batch_bytes(const struct mc2_tiling *tiling, uint64_t elements);
uint32_t batch_type(const struct mc2_tiling *tiling); /* of the transfers */
/* Returns the address of an operator's own part of the workspace. */
uint64_t batch_part(const struct body *body, uint32_t part);

#endif
