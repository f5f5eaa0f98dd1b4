/* reduced.h - x1 x x2 on each rank, and the sum of the products over all ranks
 *
 * Each rank rounds its own product to the type of the output; the server sums these. A
 * call with commQuantScale sends the products as whole numbers of few bits: each rank
 * divides by scale 1, the sums are multiplied with scale 1 / scale 2, and rounded
 * again. The simulated transfer has 16 bits for each. */
#ifndef SIM_FUSED_SHARED_REDUCED_H
#define SIM_FUSED_SHARED_REDUCED_H

#include "sim/fused/shared/product_steps.h"

enum {
    REDUCED_X3 = FACTOR_OWN,
    REDUCED_COMM_SCALE1,
    REDUCED_COMM_SCALE2,
    REDUCED_OWN, /* the operator's own tensors begin here */
};

enum { REDUCED_SUM_AT }; /* index of workspace_at: the products, without an output */

struct reduced {
    struct factors factors;
    const aclTensor *x3, *comm_scale1, *comm_scale2;
    const aclTensor *output; /* NULL: 16-bit sums in the workspace */
    const char *group, *reduce;
    int64_t turns, stream_mode;
};

/* Checks everything of an all-reduce up to check_cut(). */
void reduced_check(struct check *check, const struct reduced *reduced);

/* Steps. */
void reduced_message(const struct body *body, struct mc2_message *message);
void reduced_compute(const struct body *body,
                     uint32_t turn,
                     uint64_t from,
                     uint64_t to);
void reduced_after(const struct body *body);
void reduced_cost(const struct body *body, struct npu_sim_block_cost *out);
uint64_t reduced_sums(const struct body *body); /* address of the sums */

#endif
