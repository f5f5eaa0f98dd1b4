/* check.h - what the fused operators have in common: their arguments, and how they are
 * cut into turns */
#ifndef SIM_NN_CHECK_H
#define SIM_NN_CHECK_H

#include "sim/nn/executor.h"
#include "sim/nn/meta.h"

/* How one operator is called; status stops it. */
struct check {
    aclnnStatus status;
    struct nn_call call;
};

void check_fail(struct check *check, aclnnStatus status);
/* The group, its reduction ("sum", or NULL where there is none), turns and stream mode.
 */
void check_group(struct check *check,
                 const char *group,
                 const char *reduce,
                 int64_t turns,
                 int64_t stream_mode);
/* x1 (m x k, or more dimensions in front) and x2 (k x n) of one 16-bit type. */
void check_product(struct check *check,
                   const aclTensor *x1,
                   const aclTensor *x2,
                   const aclTensor *bias);
/* A tensor without gaps of rows x columns, in the type of the product. */
void check_dense(struct check *check,
                 const aclTensor *tensor,
                 uint64_t rows,
                 uint64_t columns);
/* One dimension of so many elements, without gaps, in the type of the product. */
void check_vector(struct check *check, const aclTensor *tensor, uint64_t count);
uint64_t check_input(struct check *check, const aclTensor *tensor);
uint64_t check_output(struct check *check, const aclTensor *tensor);
/* Turns over `rows` rows of `row_bytes`, and blocks for them. */
void check_cut(struct check *check, uint64_t rows, uint64_t row_bytes);
/* The ranks of the group; 0 and a status where there is no such group. */
uint32_t check_ranks(struct check *check);
aclnnStatus check_end(const struct check *check,
                      uint64_t *workspace_bytes,
                      aclOpExecutor **executor);

#endif
