/* check.h - checks the arguments of fused operators and divides their work into turns
 *
 * Order of calls: check_begin(), the checks, check_cut() or check_turns(), check_end().
 * A status other than 0 skips the rest. Codes: 161001 for a missing pointer, 161002 for
 * a type, shape, attribute or chip that is not supported. */
#ifndef SIM_FUSED_SHARED_CHECK_H
#define SIM_FUSED_SHARED_CHECK_H

#include "sim/nn/executor.h"
#include "sim/nn/meta.h"

struct check {
    aclnnStatus status;
    uint32_t ranks, rank;  /* after check_ranks() */
    bool is_x2_transposed; /* x2 has the shape (n, k); set it before check_product() */
    struct nn_call call;
};

/* Sets of types. */
#define CHECK_TYPE(type) (1ull << (type))
#define CHECK_HALF       (CHECK_TYPE(ACL_FLOAT16) | CHECK_TYPE(ACL_BF16))
#define CHECK_OUT        (CHECK_HALF | CHECK_TYPE(ACL_FLOAT))
#define CHECK_SMALL_INT  (CHECK_TYPE(ACL_INT8) | CHECK_TYPE(ACL_INT4))
#define CHECK_FLOAT8                                                                   \
    (CHECK_TYPE(ACL_FLOAT8_E5M2) | CHECK_TYPE(ACL_FLOAT8_E4M3FN) |                     \
     CHECK_TYPE(ACL_HIFLOAT8))
#define CHECK_FLOAT4 (CHECK_TYPE(ACL_FLOAT4_E2M1) | CHECK_TYPE(ACL_FLOAT4_E1M2))
#define CHECK_SCALE                                                                    \
    (CHECK_OUT | CHECK_TYPE(ACL_INT64) | CHECK_TYPE(ACL_UINT64) |                      \
     CHECK_TYPE(ACL_FLOAT8_E8M0))
#define CHECK_BIAS (CHECK_OUT | CHECK_TYPE(ACL_INT32))

/* Modes of quantisation, and the group size of mx scales: 32 elements along k. */
enum {
    CHECK_MODE_CHANNEL = 2,
    CHECK_MODE_TOKEN = 3,
    CHECK_MODE_MX = 6,
    CHECK_MODE_DYNAMIC = 7
};
#define CHECK_GROUP_MX (32 | 1ll << 16 | 1ll << 32)

#define CHECK_ANY UINT64_MAX /* a dimension of any size */

void check_begin(struct check *check, const char *op);
void check_fail(struct check *check, aclnnStatus status);
/* Fails with 161002 when the condition is false. */
void check_that(struct check *check, bool condition);
/* Checks the group, its reduction ("sum", or NULL for none), turns and stream mode. */
void check_group(struct check *check,
                 const char *group,
                 const char *reduce,
                 int64_t turns,
                 int64_t stream_mode);
/* Adds a group whose name must be given; a missing or bad name is 161001. */
void check_named_group(struct check *check, const char *group);
/* Checks "ai_cpu", "ccu" or "aiv", as far as the chip has it. */
void check_comm_mode(struct check *check, const char *mode);
/* Checks the modes of a product with an all-to-all, and its group size. */
void check_quant_modes(struct check *check, int64_t x1, int64_t x2, int64_t group_size);
/* Finds the number of ranks of the first group; fails when the group does not exist. */
uint32_t check_ranks(struct check *check);

/* Copies the tensor into the tiling at index `slot`. */
void check_tensor(struct check *check,
                  uint32_t slot,
                  const aclTensor *tensor,
                  uint64_t types);
/* Does the same unless the tensor is NULL; returns true when it is given. */
bool check_optional(struct check *check,
                    uint32_t slot,
                    const aclTensor *tensor,
                    uint64_t types);
const struct mc2_tensor *check_at(const struct check *check, uint32_t slot);
/* Checks the dimensions; those behind the given ones must not exist. */
void check_dims2(struct check *check, uint32_t slot, uint64_t rows, uint64_t columns);
void check_dims3(struct check *check,
                 uint32_t slot,
                 uint64_t a,
                 uint64_t b,
                 uint64_t c);
/* Checks the number of elements, in any dimensions. */
void check_count(struct check *check, uint32_t slot, uint64_t count);
/* Checks for a number of elements of 1 or `count`. */
void check_one_or(struct check *check, uint32_t slot, uint64_t count);
/* Joins all dimensions but the last one, so that the tensor has two. */
void check_flatten(struct check *check, uint32_t slot);
void check_dense(struct check *check, uint32_t slot);
void check_type(struct check *check, uint32_t slot, int32_t type);
/* Fails when something is given that the operator does not support. */
void check_absent(struct check *check, const void *pointer);
uint64_t check_elements(const struct check *check, uint32_t slot);

/* Checks x1 (m, k) or (b, s, k) in slot 0, and x2 (k, n) in slot 1, and sets m, n, k.
 */
void check_product(struct check *check,
                   const aclTensor *x1,
                   const aclTensor *x2,
                   uint64_t left_types,
                   uint64_t right_types);

/* Checks for NULL or the two axes of an all-to-all. */
void check_axes(struct check *check,
                const aclIntArray *axes,
                int64_t first,
                int64_t second);
/* Exchanges the last two dimensions of a tensor. */
void check_transpose(struct check *check, uint32_t slot);

/* Adds bytes to the workspace; returns where they begin. */
uint64_t check_workspace(struct check *check, uint64_t bytes);
/* Sets turns over `rows` rows of `row_bytes`, and the number of blocks. */
void check_cut(struct check *check, uint64_t rows, uint64_t row_bytes);
/* Sets this number of turns, and blocks for `rows` rows of each. */
void check_turns(struct check *check, uint32_t turns, uint64_t rows);
aclnnStatus
check_end(struct check *check, uint64_t *workspace_bytes, aclOpExecutor **executor);

/* Defines the second function of an operator. */
#define FUSED_RUN(name)                                                                \
    aclnnStatus name(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, \
                     aclrtStream stream)                                               \
    {                                                                                  \
        return npu_sim_nn_run(workspace, workspaceSize, executor, stream);             \
    }                                                                                  \
    aclnnStatus name(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, \
                     aclrtStream stream)

#endif
