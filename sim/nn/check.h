/* check.h - checks the arguments of fused operators and divides their work into turns
 */
#ifndef SIM_NN_CHECK_H
#define SIM_NN_CHECK_H

#include "sim/nn/executor.h"
#include "sim/nn/meta.h"

/* State of the checks of one call; a status other than 0 skips the rest. */
struct check {
    aclnnStatus status;
    struct nn_call call;
};

void check_fail(struct check *check, aclnnStatus status);
/* Checks the group, its reduction ("sum", or NULL for none), turns and stream mode. */
void check_group(struct check *check,
                 const char *group,
                 const char *reduce,
                 int64_t turns,
                 int64_t stream_mode);
/* Checks x1 (m x k, or more leading dimensions) and x2 (k x n), both of one 16-bit
 * type. */
void check_product(struct check *check,
                   const aclTensor *x1,
                   const aclTensor *x2,
                   const aclTensor *bias);
/* Checks a contiguous tensor of rows x columns in the type of the product. */
void check_dense(struct check *check,
                 const aclTensor *tensor,
                 uint64_t rows,
                 uint64_t columns);
/* Checks a contiguous vector of `count` elements in the type of the product. */
void check_vector(struct check *check, const aclTensor *tensor, uint64_t count);
uint64_t check_input(struct check *check, const aclTensor *tensor);
uint64_t check_output(struct check *check, const aclTensor *tensor);
/* Sets turns over `rows` rows of `row_bytes`, and the number of blocks. */
void check_cut(struct check *check, uint64_t rows, uint64_t row_bytes);
/* Returns the number of ranks of the group; 0, and sets the status, when the group does
 * not exist. */
uint32_t check_ranks(struct check *check);
aclnnStatus check_end(const struct check *check,
                      uint64_t *workspace_bytes,
                      aclOpExecutor **executor);

#endif
