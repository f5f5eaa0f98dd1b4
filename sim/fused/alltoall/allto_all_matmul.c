/* allto_all_matmul.c - rows of x1 go to the ranks, which multiply the gathered columns
 * with x2
 *
 * Rank r gets its part of the rows from each rank; the parts lie side by side and form
 * its left factor. In quantised calls the cores find a scale for each row of it, or the
 * scales of the rows are transferred in a turn of their own, before the rows. */
#include <aclnnop/aclnn_allto_all_matmul.h>
#include <aclnnop/aclnn_allto_all_matmul_v2.h>
#include <aclnnop/aclnn_allto_all_quant_matmul.h>
#include <aclnnop/aclnn_allto_all_quant_matmul_v2.h>
#include <math.h>
#include <stdlib.h>

#include "sim/fused/shared/number.h"
#include "sim/fused/shared/product_steps.h"

enum { GATHERED = FACTOR_OWN };
enum { RECEIVED_AT, SCALES_AT }; /* indexes of workspace_at */
enum {
    SCALE_TURNS = FACTOR_OWN_NUMBER, /* 1: the first turn moves scales of rows */
    SCALES_OF_ROW,                   /* number of scales that a row of x1 has */
    QUANTISED_TYPE, /* the cores quantise rows to this type; -1: none */
    WIDTH,          /* columns of x1 */
};

static uint64_t received_at(const struct body *body)
{
    return body->workspace + body->tiling->workspace_at[RECEIVED_AT];
}

static uint64_t scales_at(const struct body *body)
{
    return body->workspace + body->tiling->workspace_at[SCALES_AT];
}

static void parts(const struct body *body, uint32_t turn, struct npu_sim_part *parts)
{
    const struct mc2_tiling *t = body->tiling;
    bool has_scales = turn < t->number[SCALE_TURNS];
    uint32_t tile = turn - (uint32_t)t->number[SCALE_TURNS];
    const struct mc2_tensor *tensor =
        &t->tensor[has_scales ? FACTOR_X1_SCALE : FACTOR_X1];
    uint64_t row = number_bytes(
        tensor->type, (uint64_t)t->number[has_scales ? SCALES_OF_ROW : WIDTH]);
    uint64_t first = has_scales ? 0 : body_first_row(t, tile) * row;
    uint64_t bytes = (has_scales ? t->rows : body_turn_rows(t, tile)) * row;
    uint64_t into = has_scales ? scales_at(body) : received_at(body);

    for (uint32_t rank = 0; rank < body->context->ranks; rank++)
        parts[rank] =
            (struct npu_sim_part){tensor->address + rank * t->rows * row + first, bytes,
                                  into + rank * t->rows * row + first, bytes};
}

static uint64_t rows(const struct body *body, uint32_t turn)
{
    uint32_t scale_turns = (uint32_t)body->tiling->number[SCALE_TURNS];

    return turn < scale_turns ? 0 : body_turn_rows(body->tiling, turn - scale_turns);
}

/* Reads a row of the left factor, and applies the scales that came with it. */
static void load_row(const struct body *body, uint64_t row, float *left)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *gathered = &t->tensor[GATHERED];
    const struct mc2_tensor *scale = &t->tensor[FACTOR_X1_SCALE];
    uint64_t width = (uint64_t)t->number[WIDTH];
    uint64_t scales = (uint64_t)t->number[SCALES_OF_ROW];
    uint64_t neighbours = scales > 1 ? 32 : width; /* with one scale */

    for (uint32_t rank = 0; rank < body->context->ranks; rank++) {
        uint64_t from = (rank * t->rows + row) * width;

        numbers_get(t->tensor[FACTOR_X1].type, received_at(body), from, 1, width,
                    left + rank * width);
        for (uint64_t i = 0; gathered->address && i < width; i++)
            number_put(gathered->type, gathered->address, row * t->k + rank * width + i,
                       left[rank * width + i]);
        for (uint64_t i = 0; scales > 0 && i < width; i++)
            left[rank * width + i] *=
                number_get(scale->type, scales_at(body),
                           (rank * t->rows + row) * scales + i / neighbours);
    }
}

static float largest_of(int32_t type)
{
    return type == ACL_FLOAT8_E5M2 ? 57344 : type == ACL_FLOAT8_E4M3FN ? 448 : 127;
}

/* Quantises a row and returns its scale. */
static float quantise(const struct mc2_tiling *t, float *left)
{
    const struct mc2_tensor *smooth = &t->tensor[FACTOR_X1_SCALE];
    int32_t type = (int32_t)t->number[QUANTISED_TYPE];
    float most = 0, scale;

    for (uint64_t l = 0; l < t->k; l++) {
        if (smooth->dims)
            left[l] *= number_get(smooth->type, smooth->address, l);
        most = fmaxf(most, fabsf(left[l]));
    }
    scale = most > 0 ? most / largest_of(type) : 1;
    for (uint64_t l = 0; l < t->k; l++)
        left[l] = number_round(type, left[l] / scale);
    return scale;
}

static void scale_row(const struct mc2_tiling *t, float factor, float *values)
{
    const struct mc2_tensor *bias = &t->tensor[FACTOR_BIAS];
    const struct mc2_tensor *scale = &t->tensor[FACTOR_X2_SCALE];
    bool has_scale = scale->dims > 0 && scale->dims < 3;
    bool is_first = !t->number[FACTOR_IS_SCALED_FIRST];

    for (uint64_t j = 0; j < t->n; j++) {
        float add = bias->dims ? number_get(bias->type, bias->address, j) : 0;
        float column = has_scale ? linear_scale(scale, j) : 1;

        values[j] = is_first ? (values[j] + add) * column * factor
                             : values[j] * column * factor + add;
    }
}

static void compute(const struct body *body, uint32_t turn, uint64_t from, uint64_t to)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *output = &t->tensor[FACTOR_OUTPUT];
    struct product *product = body->state;
    uint64_t first = body_first_row(t, turn - (uint32_t)t->number[SCALE_TURNS]);
    float *left = malloc((t->k + 1) * sizeof(float));

    for (uint64_t row = first + from; left && row < first + to; row++) {
        float factor = 1;

        load_row(body, row, left);
        if (t->number[QUANTISED_TYPE] >= 0)
            factor = quantise(t, left);
        linear_row_of(product->rows, left, row, product->row);
        scale_row(t, factor, product->row);
        product_store(output->type, output->address, row, t->n, product->row);
    }
    free(left);
}

/* The bias and the scales are applied here, not by the product. */
static void *open(const struct body *body)
{
    struct product *product = product_open(body);
    bool is_mx = body->tiling->tensor[FACTOR_X2_SCALE].dims == 3;

    if (!product)
        return NULL;
    linear_close(product->rows);
    product->linear.bias = NULL;
    product->linear.row_scale = product->linear.column_scale = NULL;
    product->linear.left_groups.scale = NULL;
    if (!is_mx)
        product->linear.right_groups.scale = NULL;
    if (body->tiling->number[SCALES_OF_ROW] > 0)
        product->linear.left_type = ACL_FLOAT;
    if (body->tiling->number[QUANTISED_TYPE] >= 0)
        product->linear.left_type = (int32_t)body->tiling->number[QUANTISED_TYPE];
    product->rows = linear_open(&product->linear);
    if (product->rows)
        return product;
    product_close(product);
    return NULL;
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    const struct mc2_tiling *t = body->tiling;

    product_cost(body, t->rows, t->tensor[FACTOR_OUTPUT].address, out);
    if (t->number[QUANTISED_TYPE] >= 0)
        body_vector_cost(body, received_at(body), t->rows * t->k * 2, t->rows * t->k,
                         out);
}

static const struct fused_steps steps = {
    .open = open,
    .close = product_close,
    .parts = parts,
    .rows = rows,
    .compute = compute,
    .cost = cost,
};

FUSED_KERNELS(AlltoAllMatmul, steps, 1);

struct call {
    struct factors factors;
    const char *group;
    const aclIntArray *axes;
    bool transposes_x1, transposes_x2;
    const aclTensor *output, *gathered;
    int32_t quantised_type; /* -1: none */
};

/* Checks the factors. The left one has ranks times the columns of x1. */
static void check_factors(struct check *check, const struct call *call)
{
    struct mc2_tiling *t = &check->call.tiling;
    const struct factors *factors = &call->factors;

    check_tensor(check, FACTOR_X1, factors->x1, factors->left_types);
    check_tensor(check, FACTOR_X2, factors->x2, factors->right_types);
    if (call->transposes_x2)
        check_transpose(check, FACTOR_X2);
    check_dims2(check, FACTOR_X1, CHECK_ANY, CHECK_ANY);
    check_dense(check, FACTOR_X1);
    if (check->status)
        return;
    t->number[WIDTH] = (int64_t)t->tensor[FACTOR_X1].dim[1];
    t->m = t->tensor[FACTOR_X1].dim[0];
    t->k = t->tensor[FACTOR_X1].dim[1] * check->ranks;
    check_dims2(check, FACTOR_X2, t->k, CHECK_ANY);
    check_that(check, t->m % check->ranks == 0 &&
                          t->tensor[FACTOR_X1].dim[1] *
                                  number_bits(t->tensor[FACTOR_X1].type) % 8 ==
                              0);
    t->n = t->tensor[FACTOR_X2].dim[1];
    t->rows = t->m / check->ranks;
    check->call.key = t->tensor[FACTOR_X1].type == ACL_FLOAT16 ? 0
                      : t->tensor[FACTOR_X1].type == ACL_BF16  ? 1
                                                               : 2;
    check_optional(check, FACTOR_BIAS, factors->bias, CHECK_OUT);
    check_count(check, FACTOR_BIAS, t->n);
    t->number[FACTOR_IS_SCALED_FIRST] = factors->scales_first;
}

/* Checks the scales: a smoothing vector, one for each row, or mx scales. */
static void check_scales(struct check *check, const struct call *call)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t pairs = ((uint64_t)t->number[WIDTH] + 63) / 64;
    bool is_given =
        check_optional(check, FACTOR_X1_SCALE, call->factors.x1_scale, CHECK_SCALE);

    check_optional(check, FACTOR_X2_SCALE, call->factors.x2_scale, CHECK_SCALE);
    if (check->status || !call->factors.x2_scale)
        return;
    if (call->quantised_type >= 0) {
        check_one_or(check, FACTOR_X2_SCALE, t->n);
        check_count(check, FACTOR_X1_SCALE, t->k);
        return;
    }
    check_that(check, is_given);
    if (check_at(check, FACTOR_X1_SCALE)->dims == 3) {
        check_dims3(check, FACTOR_X1_SCALE, t->m, pairs, 2);
        check_dims3(check, FACTOR_X2_SCALE, t->n, (t->k + 63) / 64, 2);
        check_that(check, t->number[WIDTH] % 64 == 0);
        t->number[SCALES_OF_ROW] = (int64_t)(2 * pairs);
    } else {
        check_type(check, FACTOR_X1_SCALE, ACL_FLOAT);
        check_count(check, FACTOR_X1_SCALE, t->m);
        check_one_or(check, FACTOR_X2_SCALE, t->n);
        t->number[SCALES_OF_ROW] = 1;
    }
    t->number[SCALE_TURNS] = 1;
}

static void prepare(struct check *check, const struct call *call)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t row;

    check_that(check, !call->transposes_x1);
    check_axes(check, call->axes, -2, -1);
    if (!check_ranks(check))
        return;
    t->number[QUANTISED_TYPE] = call->quantised_type;
    check_factors(check, call);
    check_scales(check, call);
    check_tensor(check, FACTOR_OUTPUT, call->output, CHECK_OUT);
    check_dims2(check, FACTOR_OUTPUT, t->rows, t->n);
    check_dense(check, FACTOR_OUTPUT);
    if (check_optional(check, GATHERED, call->gathered, call->factors.left_types)) {
        check_type(check, GATHERED, t->tensor[FACTOR_X1].type);
        check_dims2(check, GATHERED, t->rows, t->k);
        check_dense(check, GATHERED);
    }
    if (!call->factors.x2_scale) {
        check_type(check, FACTOR_X2, t->tensor[FACTOR_X1].type);
        check_type(check, FACTOR_OUTPUT, t->tensor[FACTOR_X1].type);
    }
    if (check->status)
        return;
    product_is_empty(check);
    row = number_bytes(t->tensor[FACTOR_X1].type, (uint64_t)t->number[WIDTH]);
    t->workspace_at[RECEIVED_AT] = check_workspace(check, t->m * row);
    t->workspace_at[SCALES_AT] =
        check_workspace(check, (uint64_t)t->number[SCALES_OF_ROW] * t->m * 4);
    check_cut(check, t->rows, row * check->ranks);
    t->turns += (uint32_t)t->number[SCALE_TURNS];
}

static void begin(struct check *check, const char *group)
{
    check_begin(check, "AlltoAllMatmul");
    check_group(check, group, NULL, 0, 1);
}

#define COMMON                                                                         \
    .axes = alltoAllAxesOptional, .transposes_x1 = transposeX1,                        \
    .transposes_x2 = transposeX2, .output = output, .gathered = alltoAllOutOptional
#define PLAIN                                                                          \
    &(const struct call)                                                               \
    {                                                                                  \
        .factors = {.x1 = x1,                                                          \
                    .x2 = x2,                                                          \
                    .bias = biasOptional,                                              \
                    .left_types = CHECK_HALF,                                          \
                    .right_types = CHECK_HALF},                                        \
        .quantised_type = -1, COMMON                                                   \
    }
#define QUANT                                                                          \
    &(const struct call)                                                               \
    {                                                                                  \
        .factors = {.x1 = x1,                                                          \
                    .x2 = x2,                                                          \
                    .bias = biasOptional,                                              \
                    .x1_scale = x1ScaleOptional,                                       \
                    .x2_scale = x2Scale,                                               \
                    .scales_first = is_scaled_first(x2),                               \
                    .left_types =                                                      \
                        CHECK_HALF | CHECK_SMALL_INT | CHECK_FLOAT8 | CHECK_FLOAT4,    \
                    .right_types = CHECK_SMALL_INT | CHECK_FLOAT8 | CHECK_FLOAT4},     \
        .quantised_type = quantised_type(x1, x1QuantDtype), COMMON                     \
    }

static bool is_scaled_first(const aclTensor *x2)
{
    return npu_sim_tensor_of(x2) && number_is_int((int32_t)x2->type);
}

/* A left factor of 16 bits is quantised by the cores, to INT8 if no type is given. */
static int32_t quantised_type(const aclTensor *x1, int64_t given)
{
    if (!npu_sim_tensor_of(x1) || (x1->type != ACL_FLOAT16 && x1->type != ACL_BF16))
        return -1;
    return given == ACL_FLOAT8_E5M2 || given == ACL_FLOAT8_E4M3FN ? (int32_t)given
                                                                  : ACL_INT8;
}

static void begin_quant(struct check *check,
                        const aclTensor *const *absent,
                        const aclTensor *x2_scale,
                        int64_t mode,
                        int64_t type)
{
    for (int i = 0; i < 3; i++)
        check_absent(check, absent[i]);
    if (!x2_scale)
        check_fail(check, ACLNN_ERR_PARAM_NULLPTR);
    check_that(check, mode == 0 && type == -1);
}

aclnnStatus aclnnAlltoAllMatmulGetWorkspaceSize(const aclTensor *x1,
                                                const aclTensor *x2,
                                                const aclTensor *biasOptional,
                                                const aclIntArray *alltoAllAxesOptional,
                                                const char *group,
                                                bool transposeX1,
                                                bool transposeX2,
                                                const aclTensor *output,
                                                const aclTensor *alltoAllOutOptional,
                                                uint64_t *workspaceSize,
                                                aclOpExecutor **executor)
{
    struct check check;

    begin(&check, group);
    prepare(&check, PLAIN);
    return check_end(&check, workspaceSize, executor);
}

aclnnStatus
aclnnAlltoAllMatmulV2GetWorkspaceSize(const aclTensor *x1,
                                      const aclTensor *x2,
                                      const aclTensor *biasOptional,
                                      const aclIntArray *alltoAllAxesOptional,
                                      const char *group,
                                      const char *commMode,
                                      bool transposeX1,
                                      bool transposeX2,
                                      const aclTensor *output,
                                      const aclTensor *alltoAllOutOptional,
                                      uint64_t *workspaceSize,
                                      aclOpExecutor **executor)
{
    struct check check;

    begin(&check, group);
    check_comm_mode(&check, commMode);
    prepare(&check, PLAIN);
    return check_end(&check, workspaceSize, executor);
}

aclnnStatus
aclnnAlltoAllQuantMatmulGetWorkspaceSize(const aclTensor *x1,
                                         const aclTensor *x2,
                                         const aclTensor *biasOptional,
                                         const aclTensor *x1ScaleOptional,
                                         const aclTensor *x2Scale,
                                         const aclTensor *commScaleOptional,
                                         const aclTensor *x1OffsetOptional,
                                         const aclTensor *x2OffsetOptional,
                                         const char *group,
                                         const aclIntArray *alltoAllAxesOptional,
                                         int64_t x1QuantMode,
                                         int64_t x2QuantMode,
                                         int64_t commQuantMode,
                                         int64_t commQuantDtype,
                                         int64_t x1QuantDtype,
                                         int64_t groupSize,
                                         bool transposeX1,
                                         bool transposeX2,
                                         const aclTensor *output,
                                         const aclTensor *alltoAllOutOptional,
                                         uint64_t *workspaceSize,
                                         aclOpExecutor **executor)
{
    const aclTensor *const absent[] = {commScaleOptional, x1OffsetOptional,
                                       x2OffsetOptional};
    struct check check;

    begin(&check, group);
    check_quant_modes(&check, x1QuantMode, x2QuantMode, groupSize);
    begin_quant(&check, absent, x2Scale, commQuantMode, commQuantDtype);
    prepare(&check, QUANT);
    return check_end(&check, workspaceSize, executor);
}

aclnnStatus
aclnnAlltoAllQuantMatmulV2GetWorkspaceSize(const aclTensor *x1,
                                           const aclTensor *x2,
                                           const aclTensor *biasOptional,
                                           const aclTensor *x1ScaleOptional,
                                           const aclTensor *x2Scale,
                                           const aclTensor *commScaleOptional,
                                           const aclTensor *x1OffsetOptional,
                                           const aclTensor *x2OffsetOptional,
                                           const char *group,
                                           const char *commMode,
                                           const aclIntArray *alltoAllAxesOptional,
                                           int64_t x1QuantMode,
                                           int64_t x2QuantMode,
                                           int64_t commQuantMode,
                                           int64_t commQuantDtype,
                                           int64_t x1QuantDtype,
                                           int64_t groupSize,
                                           bool transposeX1,
                                           bool transposeX2,
                                           const aclTensor *output,
                                           const aclTensor *alltoAllOutOptional,
                                           uint64_t *workspaceSize,
                                           aclOpExecutor **executor)
{
    const aclTensor *const absent[] = {commScaleOptional, x1OffsetOptional,
                                       x2OffsetOptional};
    struct check check;

    begin(&check, group);
    check_comm_mode(&check, commMode);
    check_quant_modes(&check, x1QuantMode, x2QuantMode, groupSize);
    begin_quant(&check, absent, x2Scale, commQuantMode, commQuantDtype);
    prepare(&check, QUANT);
    return check_end(&check, workspaceSize, executor);
}

FUSED_RUN(aclnnAlltoAllMatmul);
FUSED_RUN(aclnnAlltoAllMatmulV2);
FUSED_RUN(aclnnAlltoAllQuantMatmul);
FUSED_RUN(aclnnAlltoAllQuantMatmulV2);
