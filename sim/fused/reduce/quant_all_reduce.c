/* quant_all_reduce.c - the sum over all ranks of quantised data, or this rank's rows of
 * it
 *
 * Each rank gets the scales and the data of all ranks, or their rows of its own part.
 * It adds them in the order of the ranks from itself on, so the last bits may differ
 * between ranks. A scale belongs to 128 neighbours, or to 32 for mx scales. */
#include <aclnnop/aclnn_quant_all_reduce.h>
#include <aclnnop/aclnn_quant_reduce_scatter.h>

#include "sim/fused/shared/body.h"
#include "sim/fused/shared/check.h"
#include "sim/fused/shared/number.h"

enum { X, SCALES, OUT };
enum { RECEIVED_X, RECEIVED_SCALES }; /* indexes of workspace_at */
enum { WIDTH, SCALES_OF_ROW, IS_SCATTERED };

/* The first turn moves the scales, the second one the data. */
static void parts(const struct body *body, uint32_t turn, struct npu_sim_part *parts)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *tensor = &t->tensor[turn == 0 ? SCALES : X];
    uint64_t row = number_bytes(tensor->type,
                                (uint64_t)t->number[turn == 0 ? SCALES_OF_ROW : WIDTH]);
    uint64_t into =
        body->workspace + t->workspace_at[turn == 0 ? RECEIVED_SCALES : RECEIVED_X];

    for (uint32_t rank = 0; rank < body->context->ranks; rank++) {
        uint64_t first = t->number[IS_SCATTERED] ? rank * t->m : 0;

        parts[rank] = (struct npu_sim_part){tensor->address + first * row, t->m * row,
                                            into + rank * t->m * row, t->m * row};
    }
}

static float
value_at(const struct body *body, uint32_t rank, uint64_t row, uint64_t column)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t width = (uint64_t)t->number[WIDTH], at = rank * t->m + row;
    uint64_t scales = (uint64_t)t->number[SCALES_OF_ROW];

    return number_get(t->tensor[X].type, body->workspace + t->workspace_at[RECEIVED_X],
                      at * width + column) *
           number_get(t->tensor[SCALES].type,
                      body->workspace + t->workspace_at[RECEIVED_SCALES],
                      at * scales + column / (width / scales));
}

static void add(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *out = &t->tensor[OUT];
    uint32_t ranks = body->context->ranks;
    uint64_t width = (uint64_t)t->number[WIDTH];

    for (uint64_t i = 0; i < t->m * width; i++) {
        float sum = 0;

        for (uint32_t step = 0; step < ranks; step++)
            sum += value_at(body, (body->context->rank + step) % ranks, i / width,
                            i % width);
        number_put(out->type, out->address, i, sum);
    }
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t bytes = t->m * (uint64_t)t->number[WIDTH];

    body_vector_cost(body, body->workspace, bytes * body->context->ranks, bytes * 2,
                     out);
}

static const struct fused_steps steps = {.parts = parts, .after = add, .cost = cost};

FUSED_KERNELS(QuantAllReduce, steps, 1);
FUSED_KERNELS(QuantReduceScatter, steps, 1);

static void check_scales(struct check *check, uint64_t rows)
{
    struct mc2_tiling *t = &check->call.tiling;
    bool is_mx = t->tensor[SCALES].type == ACL_FLOAT8_E8M0;

    t->number[SCALES_OF_ROW] = t->number[WIDTH] / (is_mx ? 32 : 128);
    check_count(check, SCALES, rows * (uint64_t)t->number[SCALES_OF_ROW]);
}

static aclnnStatus prepare(const char *op,
                           const aclTensor *x,
                           const aclTensor *scales,
                           const char *group,
                           const char *reduce,
                           const aclTensor *output,
                           bool is_scattered,
                           uint64_t *size,
                           aclOpExecutor **executor)
{
    struct mc2_tiling *t;
    struct check check;
    uint64_t rows;

    check_begin(&check, op);
    t = &check.call.tiling;
    check_group(&check, group, reduce ? reduce : "", 0, 1);
    check_tensor(&check, X, x, CHECK_TYPE(ACL_INT8) | CHECK_FLOAT8);
    check_flatten(&check, X);
    check_dense(&check, X);
    check_tensor(&check, SCALES, scales,
                 CHECK_TYPE(ACL_FLOAT) | CHECK_TYPE(ACL_FLOAT8_E8M0));
    check_tensor(&check, OUT, output, CHECK_OUT);
    if (check.status || !check_ranks(&check))
        return check.status;
    rows = t->tensor[X].dim[0];
    t->number[WIDTH] = (int64_t)t->tensor[X].dim[1];
    check_that(&check, t->number[WIDTH] >= 1024 && t->number[WIDTH] <= 8192 &&
                           t->number[WIDTH] % 128 == 0 &&
                           (!is_scattered || rows % check.ranks == 0));
    t->number[IS_SCATTERED] = is_scattered;
    t->m = is_scattered ? rows / check.ranks : rows;
    check_scales(&check, rows);
    check_count(&check, OUT, t->m * t->tensor[X].dim[1]);
    check.call.is_empty = rows == 0;
    check_turns(&check, 2, t->m);
    t->workspace_at[RECEIVED_X] =
        check_workspace(&check, check.ranks * t->m * t->tensor[X].dim[1]);
    t->workspace_at[RECEIVED_SCALES] = check_workspace(
        &check, check.ranks * t->m * (uint64_t)t->number[SCALES_OF_ROW] * 4);
    return check_end(&check, size, executor);
}

aclnnStatus aclnnQuantAllReduceGetWorkspaceSize(const aclTensor *x,
                                                const aclTensor *scales,
                                                const char *group,
                                                const char *reduceOp,
                                                aclTensor *output,
                                                uint64_t *workspaceSize,
                                                aclOpExecutor **executor)
{
    return prepare("QuantAllReduce", x, scales, group, reduceOp, output, false,
                   workspaceSize, executor);
}

aclnnStatus aclnnQuantReduceScatterGetWorkspaceSize(const aclTensor *x,
                                                    const aclTensor *scales,
                                                    const char *group,
                                                    const char *reduceOp,
                                                    aclTensor *output,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor)
{
    return prepare("QuantReduceScatter", x, scales, group, reduceOp, output, true,
                   workspaceSize, executor);
}

FUSED_RUN(aclnnQuantAllReduce);
FUSED_RUN(aclnnQuantReduceScatter);
