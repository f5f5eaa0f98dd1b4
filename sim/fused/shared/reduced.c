#include "sim/fused/shared/reduced.h"

#include <math.h>

#include "sim/fused/shared/number.h"
#include "sim/hccl/server.h"

void reduced_check(struct check *check, const struct reduced *reduced)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t bytes;

    check_group(check, reduced->group, reduced->reduce ? reduced->reduce : "",
                reduced->turns, reduced->stream_mode);
    factors_check(check, &reduced->factors);
    factors_check_scales(check, &reduced->factors, t->m);
    if (reduced->output) {
        check_tensor(check, FACTOR_OUTPUT, reduced->output, CHECK_OUT);
        check_count(check, FACTOR_OUTPUT, t->m * t->n);
        check_flatten(check, FACTOR_OUTPUT);
        check_dims2(check, FACTOR_OUTPUT, t->m, t->n);
    }
    if (check_optional(check, REDUCED_X3, reduced->x3, CHECK_OUT)) {
        check_count(check, REDUCED_X3, t->m * t->n);
        check_type(check, REDUCED_X3, check_at(check, FACTOR_OUTPUT)->type);
    }
    check_that(check, !reduced->comm_scale1 == !reduced->comm_scale2);
    if (check_optional(check, REDUCED_COMM_SCALE1, reduced->comm_scale1, CHECK_OUT)) {
        check_tensor(check, REDUCED_COMM_SCALE2, reduced->comm_scale2, CHECK_OUT);
        check_count(check, REDUCED_COMM_SCALE1, t->n);
        check_count(check, REDUCED_COMM_SCALE2, t->n);
    }
    if (check->status)
        return;
    if (!reduced->factors.x1_scale && !reduced->factors.x2_scale && reduced->output)
        check_type(check, FACTOR_OUTPUT, t->tensor[FACTOR_X1].type);
    bytes =
        reduced->output ? number_bytes(t->tensor[FACTOR_OUTPUT].type, t->n) : 2 * t->n;
    if (!reduced->output || reduced->comm_scale1)
        t->workspace_at[REDUCED_SUM_AT] = check_workspace(check, t->m * t->n * 4);
    check->call.is_empty = t->m == 0 || t->n == 0;
    check_cut(check, t->m, bytes);
}

static bool is_coded(const struct mc2_tiling *tiling)
{
    return tiling->tensor[REDUCED_COMM_SCALE1].dims > 0;
}

uint64_t reduced_sums(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;

    return is_coded(t) || !t->tensor[FACTOR_OUTPUT].dims
               ? body->workspace + t->workspace_at[REDUCED_SUM_AT]
               : t->tensor[FACTOR_OUTPUT].address;
}

static int32_t type_of(const struct mc2_tiling *t)
{
    return t->tensor[FACTOR_OUTPUT].type;
}

void reduced_message(const struct body *body, struct mc2_message *message)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t step = t->tile * t->n;

    message->command = NPU_SIM_ALL_REDUCE;
    message->type = is_coded(t) ? HCCL_DATA_TYPE_INT16 : product_moved_type(type_of(t));
    message->op = HCCL_REDUCE_SUM;
    message->from = message->into = reduced_sums(body);
    message->from_step = message->into_step =
        is_coded(t) ? step * 2 : number_bytes(type_of(t), step);
    message->count = step;
    message->last_count = body_turn_rows(t, t->turns - 1) * t->n;
}

static void encode(const struct mc2_tiling *t, uint64_t at, const float *values)
{
    int16_t *out = (int16_t *)(uintptr_t)at;

    for (uint64_t j = 0; j < t->n; j++) {
        float scaled = values[j] / linear_scale(&t->tensor[REDUCED_COMM_SCALE1], j);

        out[j] = (int16_t)fmaxf(-128, fminf(127, rintf(scaled)));
    }
}

void reduced_compute(const struct body *body, uint32_t turn, uint64_t from, uint64_t to)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *x3 = &t->tensor[REDUCED_X3];
    uint64_t first = body_first_row(t, turn), sums = reduced_sums(body);

    for (uint64_t row = first + from; row < first + to; row++) {
        float *values = product_row(body->state, t, row);

        for (uint64_t j = 0; x3->dims && j < t->n; j++)
            values[j] += number_get(x3->type, x3->address, row * t->n + j);
        if (is_coded(t))
            encode(t, sums + row * t->n * 2, values);
        else
            product_store(type_of(t), sums, row, t->n, values);
    }
}

void reduced_after(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *output = &t->tensor[FACTOR_OUTPUT];
    const int16_t *sums = (const int16_t *)(uintptr_t)reduced_sums(body);

    for (uint64_t i = 0; is_coded(t) && i < t->m * t->n; i++) {
        float first = linear_scale(&t->tensor[REDUCED_COMM_SCALE1], i % t->n);
        float second = linear_scale(&t->tensor[REDUCED_COMM_SCALE2], i % t->n);
        float coded = rintf((float)sums[i] * first / second);

        number_put(output->type, output->address, i,
                   fmaxf(-128, fminf(127, coded)) * second);
    }
}

void reduced_cost(const struct body *body, struct npu_sim_block_cost *out)
{
    product_cost(body, body->tiling->m, reduced_sums(body), out);
}
