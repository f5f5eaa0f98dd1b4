/* grouped_mat_mul_all_reduce.c - y = sum over all ranks of (x @ weight + bias), for
 * lists of up to 64 products
 *
 * splitItem 1 and 3 cut one x at the running ends of groupList; 2 and 3 put the results
 * one below the other into one y. One turn multiplies and sums one product. */
#include <aclnnop/aclnn_grouped_mat_mul_all_reduce.h>
#include <stdlib.h>

#include "sim/fused/shared/body.h"
#include "sim/fused/shared/check.h"
#include "sim/fused/shared/linear.h"
#include "sim/fused/shared/number.h"
#include "sim/fused/shared/product_steps.h"
#include "sim/hccl/server.h"

enum {
    CURRENT_X,
    CURRENT_WEIGHT,
    CURRENT_BIAS,
    CURRENT_Y
};                        /* while lists are checked */
enum { TYPE, BIAS_TYPE }; /* indexes of `number` */

/* The product of the current turn. */
struct state {
    uint32_t turn;
    struct mc2_tensor right, bias;
    struct linear linear;
    struct linear_state *rows;
    float *row;
};

static void close_turn(struct state *state)
{
    linear_close(state->rows);
    free(state->row);
    state->rows = NULL;
    state->row = NULL;
}

static struct mc2_tensor matrix_of(const struct mc2_tiling *t,
                                   const struct mc2_product *p)
{
    return (struct mc2_tensor){
        .address = p->weight,
        .type = (int32_t)t->number[TYPE],
        .dims = 2,
        .dim = {p->k, p->n},
        .step = {p->is_transposed ? 1 : p->n, p->is_transposed ? p->k : 1},
    };
}

static void set_linear(struct state *state, const struct mc2_tiling *t, uint32_t turn)
{
    const struct mc2_product *p = &t->product[turn];

    state->right = matrix_of(t, p);
    state->bias = (struct mc2_tensor){.address = p->bias,
                                      .type = (int32_t)t->number[BIAS_TYPE],
                                      .dims = 1,
                                      .dim = {p->n},
                                      .step = {1}};
    state->linear = (struct linear){.n = p->n,
                                    .k = p->k,
                                    .right = &state->right,
                                    .bias = p->bias ? &state->bias : NULL,
                                    .left_type = (int32_t)t->number[TYPE]};
}

static bool open_turn(struct state *state, const struct mc2_tiling *t, uint32_t turn)
{
    if (state->rows && state->turn == turn)
        return true;
    close_turn(state);
    set_linear(state, t, turn);
    state->turn = turn;
    state->rows = linear_open(&state->linear);
    state->row = malloc((t->product[turn].n + 1) * sizeof(*state->row));
    return state->rows && state->row;
}

static void *open_state(const struct body *body)
{
    (void)body;
    return calloc(1, sizeof(struct state));
}

static void close_state(void *state)
{
    close_turn(state);
    free(state);
}

static uint64_t rows(const struct body *body, uint32_t turn)
{
    return body->tiling->product[turn].m;
}

static void compute(const struct body *body, uint32_t turn, uint64_t from, uint64_t to)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_product *p = &t->product[turn];
    struct state *state = body->state;

    if (from == to || !open_turn(state, t, turn))
        return;
    for (uint64_t row = from; row < to; row++) {
        linear_row(state->rows, p->x, row * p->k, 1, row, state->row);
        product_store((int32_t)t->number[TYPE], p->y, row, p->n, state->row);
    }
}

static void message(const struct body *body, struct mc2_message *message)
{
    message->command = NPU_SIM_ALL_REDUCE;
    message->type = product_moved_type((int32_t)body->tiling->number[TYPE]);
    message->op = HCCL_REDUCE_SUM;
    message->element_bytes = 2;
}

static void parts(const struct body *body, uint32_t turn, struct npu_sim_part *parts)
{
    const struct mc2_product *p = &body->tiling->product[turn];

    parts[0].from = parts[0].into = p->y;
    parts[0].from_bytes = parts[0].into_bytes =
        number_bytes((int32_t)body->tiling->number[TYPE], (uint64_t)p->m * p->n);
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    const struct mc2_tiling *t = body->tiling;

    for (uint32_t turn = 0; turn < t->turns; turn++) {
        const struct mc2_product *p = &t->product[turn];
        struct state state;

        set_linear(&state, t, turn);
        linear_cost(&state.linear,
                    body_share(p->m, body->block + 1, body->blocks) -
                        body_share(p->m, body->block, body->blocks),
                    p->x, p->y, &out->cube);
    }
}

static const struct fused_steps steps = {
    .open = open_state,
    .close = close_state,
    .message = message,
    .parts = parts,
    .computes_first = true,
    .rows = rows,
    .compute = compute,
    .cost = cost,
};

FUSED_KERNELS(GroupedMatMulAllReduce, steps, 1);

struct call {
    const aclTensor *const *x, *const *weight, *const *bias, *const *y;
    const int64_t *ends; /* rows of x up to and with a product */
    uint64_t xs, weights, biases, ys, end_count;
    int64_t split;
};

static bool has_one_x(const struct call *call)
{
    return call->split == 1 || call->split == 3;
}

static bool has_one_y(const struct call *call)
{
    return call->split == 2 || call->split == 3;
}

static void check_counts(struct check *check, const struct call *call)
{
    uint64_t count = call->weights;

    check_that(check, call->split >= 0 && call->split <= 3 && count >= 1 &&
                          count <= MC2_PRODUCTS_MAX &&
                          call->xs == (has_one_x(call) ? 1 : count) &&
                          call->ys == (has_one_y(call) ? 1 : count) &&
                          (call->biases == 0 || call->biases == count) &&
                          call->end_count == (has_one_x(call) ? count : 0));
}

/* Returns the rows of product i, which begin at row *first of its x. */
static uint64_t
rows_of(struct check *check, const struct call *call, uint32_t i, uint64_t *first)
{
    uint64_t all = check_at(check, CURRENT_X)->dim[0];
    int64_t from = i ? call->ends ? call->ends[i - 1] : 0 : 0;

    *first = 0;
    if (!has_one_x(call))
        return all;
    check_that(check, from >= 0 && call->ends[i] >= from &&
                          (uint64_t)call->ends[i] <= all &&
                          (i + 1 < call->weights || (uint64_t)call->ends[i] == all));
    if (check->status)
        return 0;
    *first = (uint64_t)from;
    return (uint64_t)(call->ends[i] - from);
}

/* A weight is dense, or the transposed view of a dense one. */
static void check_weight(struct check *check)
{
    struct mc2_tensor *weight = &check->call.tiling.tensor[CURRENT_WEIGHT];

    if (!check->status && weight->dims == 2 && weight->step[0] == 1 &&
        weight->dim[1] > 1)
        check_that(check, weight->step[1] == weight->dim[0]);
    else
        check_dense(check, CURRENT_WEIGHT);
}

static uint32_t limited(struct check *check, uint64_t size)
{
    check_that(check, size <= INT32_MAX);
    return (uint32_t)size;
}

static void
check_tensors(struct check *check, const struct call *call, uint32_t i, uint64_t types)
{
    struct mc2_tiling *t = &check->call.tiling;

    check_tensor(check, CURRENT_X, call->x[has_one_x(call) ? 0 : i], types);
    check_dims2(check, CURRENT_X, CHECK_ANY, CHECK_ANY);
    check_dense(check, CURRENT_X);
    check_tensor(check, CURRENT_WEIGHT, call->weight[i], types);
    check_dims2(check, CURRENT_WEIGHT, t->tensor[CURRENT_X].dim[1], CHECK_ANY);
    check_weight(check);
    check_tensor(check, CURRENT_Y, call->y[has_one_y(call) ? 0 : i], types);
    check_dims2(check, CURRENT_Y, CHECK_ANY, t->tensor[CURRENT_WEIGHT].dim[1]);
    check_dense(check, CURRENT_Y);
    t->tensor[CURRENT_BIAS] = (struct mc2_tensor){0};
    if (call->biases > 0) {
        check_tensor(check, CURRENT_BIAS, call->bias[i],
                     t->tensor[CURRENT_X].type == ACL_BF16 ? CHECK_TYPE(ACL_FLOAT)
                                                           : CHECK_TYPE(ACL_FLOAT16));
        check_count(check, CURRENT_BIAS, t->tensor[CURRENT_WEIGHT].dim[1]);
    }
}

static void
check_one(struct check *check, const struct call *call, uint32_t i, uint64_t *y_row)
{
    struct mc2_tiling *t = &check->call.tiling;
    const struct mc2_tensor *x = &t->tensor[CURRENT_X], *y = &t->tensor[CURRENT_Y];
    uint64_t types = i ? CHECK_TYPE(t->number[TYPE]) : CHECK_HALF, first, m;

    check_tensors(check, call, i, types);
    m = check->status ? 0 : rows_of(check, call, i, &first);
    if (check->status)
        return;
    t->number[TYPE] = x->type;
    t->number[BIAS_TYPE] = t->tensor[CURRENT_BIAS].type;
    if (!has_one_y(call))
        *y_row = 0;
    check_that(check,
               *y_row + m <= y->dim[0] &&
                   (has_one_y(call) ? i + 1 < call->weights || *y_row + m == y->dim[0]
                                    : m == y->dim[0]));
    t->product[i] = (struct mc2_product){
        .x = x->address + number_bytes(x->type, first * x->dim[1]),
        .weight = t->tensor[CURRENT_WEIGHT].address,
        .bias = t->tensor[CURRENT_BIAS].address,
        .y = y->address + number_bytes(y->type, *y_row * y->dim[1]),
        .m = limited(check, m),
        .k = limited(check, x->dim[1]),
        .n = limited(check, y->dim[1]),
        .is_transposed = t->tensor[CURRENT_WEIGHT].step[0] == 1 &&
                         t->tensor[CURRENT_WEIGHT].dim[1] > 1,
    };
    *y_row += m;
}

/* The lists do not fit into the tiling's tensors; `product` has their addresses. */
static void clear_tensors(struct mc2_tiling *t)
{
    for (uint32_t i = CURRENT_X; i <= CURRENT_Y; i++)
        t->tensor[i] = (struct mc2_tensor){0};
}

aclnnStatus
aclnnGroupedMatMulAllReduceGetWorkspaceSize(const aclTensorList *x,
                                            const aclTensorList *weight,
                                            const aclTensorList *bias,
                                            const aclIntArray *groupListOptional,
                                            int64_t splitItem,
                                            const char *group,
                                            const char *reduceOp,
                                            int64_t commTurn,
                                            int64_t streamMode,
                                            const aclTensorList *y,
                                            uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    struct call call = {.split = splitItem};
    uint64_t y_row = 0, most = 0;
    struct check check;

    check_begin(&check, "GroupedMatMulAllReduce");
    check_group(&check, group, reduceOp ? reduceOp : "", commTurn, streamMode);
    if (!x || !weight || !y)
        check_fail(&check, ACLNN_ERR_PARAM_NULLPTR);
    call.x = npu_sim_nn_tensors(x, &call.xs);
    call.weight = npu_sim_nn_tensors(weight, &call.weights);
    call.bias = npu_sim_nn_tensors(bias, &call.biases);
    call.y = npu_sim_nn_tensors(y, &call.ys);
    call.ends = npu_sim_nn_ints(groupListOptional, &call.end_count);
    check_counts(&check, &call);
    check_ranks(&check);
    for (uint32_t i = 0; !check.status && i < call.weights; i++) {
        check_one(&check, &call, i, &y_row);
        if (!check.status && check.call.tiling.product[i].m > most)
            most = check.call.tiling.product[i].m;
    }
    if (check.status)
        return check.status;
    check.call.key = check.call.tiling.number[TYPE] == ACL_BF16;
    check.call.is_empty = most == 0;
    clear_tensors(&check.call.tiling);
    check_turns(&check, (uint32_t)call.weights, most);
    return check_end(&check, workspaceSize, executor);
}

FUSED_RUN(aclnnGroupedMatMulAllReduce);
