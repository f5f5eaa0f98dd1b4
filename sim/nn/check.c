#include "sim/nn/check.h"

#include <hccl/hccl_types.h>
#include <string.h>

#define TILE_BYTES (64u << 10) /* minimum bytes of a turn */
#define TILE_ROWS  16          /* turns end at a multiple of a fractal */
#define ELEMENT    2

void check_fail(struct check *check, aclnnStatus status)
{
    if (!check->status)
        check->status = status;
}

void check_group(struct check *check,
                 const char *group,
                 const char *reduce,
                 int64_t turns,
                 int64_t stream_mode)
{
    if (!group) {
        check_fail(check, ACLNN_ERR_PARAM_NULLPTR);
        return;
    }
    if (!group[0] || strlen(group) >= sizeof(check->call.group) ||
        (reduce && strcmp(reduce, "sum") != 0) || turns != 0 || stream_mode != 1)
        check_fail(check, ACLNN_ERR_PARAM_INVALID);
    else
        strcpy(check->call.group, group);
}

/* Reads the matrix in the last two dimensions; leading dimensions must be contiguous.
 */
static bool as_matrix(const aclTensor *tensor,
                      uint64_t *rows,
                      uint64_t *columns,
                      uint64_t *row_step,
                      uint64_t *column_step)
{
    uint64_t count = tensor->dims_count;

    if (count < 2)
        return false;
    *columns = (uint64_t)tensor->dims[count - 1];
    *column_step = (uint64_t)tensor->strides[count - 1];
    *rows = (uint64_t)tensor->dims[count - 2];
    *row_step = (uint64_t)tensor->strides[count - 2];
    for (uint64_t i = count - 2; i-- > 0;) {
        if ((uint64_t)tensor->strides[i] != *rows * *row_step)
            return false;
        *rows *= (uint64_t)tensor->dims[i];
    }
    return *rows > 0 && *columns > 0;
}

static bool is_dense(const aclTensor *tensor)
{
    int64_t step = 1;

    for (uint64_t i = tensor->dims_count; i-- > 0; step *= tensor->dims[i])
        if (tensor->strides[i] != step && tensor->dims[i] != 1)
            return false;
    return true;
}

static bool is_usable(struct check *check, const aclTensor *tensor)
{
    if (!tensor)
        check_fail(check, ACLNN_ERR_PARAM_NULLPTR);
    else if (!npu_sim_tensor_of(tensor) || tensor->format != ACL_FORMAT_ND ||
             !tensor->data)
        check_fail(check, ACLNN_ERR_PARAM_INVALID);
    return !check->status;
}

static bool fill_type(struct check *check, const aclTensor *x1)
{
    if (x1->type != ACL_FLOAT16 && x1->type != ACL_BF16)
        return false;
    check->call.key = x1->type == ACL_BF16;
    check->call.tiling.type =
        x1->type == ACL_BF16 ? HCCL_DATA_TYPE_BFP16 : HCCL_DATA_TYPE_FP16;
    return true;
}

void check_product(struct check *check,
                   const aclTensor *x1,
                   const aclTensor *x2,
                   const aclTensor *bias)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t k = 0;

    if (!is_usable(check, x1) || !is_usable(check, x2) ||
        (bias && !is_usable(check, bias)))
        return;
    t->magic = MC2_TILING_MAGIC;
    if (!fill_type(check, x1) || x2->type != x1->type || x2->dims_count != 2 ||
        !as_matrix(x1, &t->m, &t->k, &t->x1_row, &t->x1_column) ||
        !as_matrix(x2, &k, &t->n, &t->x2_row, &t->x2_column) || k != t->k)
        check_fail(check, ACLNN_ERR_PARAM_INVALID);
    if (bias)
        check_vector(check, bias, t->n);
    check_input(check, x1);
    check_input(check, x2);
    check_input(check, bias);
    t->has_bias = bias != NULL;
}

void check_dense(struct check *check,
                 const aclTensor *tensor,
                 uint64_t rows,
                 uint64_t columns)
{
    aclDataType type = check->call.key ? ACL_BF16 : ACL_FLOAT16;
    uint64_t has_rows, has_columns, row, column;

    if (!is_usable(check, tensor))
        return;
    if (tensor->type != type || !is_dense(tensor) ||
        !as_matrix(tensor, &has_rows, &has_columns, &row, &column) ||
        has_rows != rows || has_columns != columns)
        check_fail(check, ACLNN_ERR_PARAM_INVALID);
}

void check_vector(struct check *check, const aclTensor *tensor, uint64_t count)
{
    aclDataType type = check->call.key ? ACL_BF16 : ACL_FLOAT16;

    if (is_usable(check, tensor) &&
        (tensor->type != type || tensor->dims_count != 1 ||
         (uint64_t)tensor->dims[0] != count || !is_dense(tensor)))
        check_fail(check, ACLNN_ERR_PARAM_INVALID);
}

static uint64_t address_of(const aclTensor *tensor)
{
    if (!tensor)
        return 0;
    return (uintptr_t)tensor->data +
           (uint64_t)tensor->offset * npu_sim_type_size(tensor->type);
}

uint64_t check_input(struct check *check, const aclTensor *tensor)
{
    return check->call.inputs[check->call.input_count++] = address_of(tensor);
}

uint64_t check_output(struct check *check, const aclTensor *tensor)
{
    return check->call.outputs[check->call.output_count++] = address_of(tensor);
}

void check_cut(struct check *check, uint64_t rows, uint64_t row_bytes)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t tile = row_bytes ? (TILE_BYTES + row_bytes - 1) / row_bytes : rows;
    int64_t cores = 1;
    int32_t device;

    if (check->status)
        return;
    if (tile * MC2_TURNS_MAX < rows)
        tile = (rows + MC2_TURNS_MAX - 1) / MC2_TURNS_MAX;
    tile = (tile + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS;
    t->tile = tile < rows ? tile : rows;
    t->turns = (uint32_t)((rows + t->tile - 1) / t->tile);
    if (aclrtGetDevice(&device) ||
        aclrtGetDeviceInfo((uint32_t)device, ACL_DEV_ATTR_CUBE_CORE_NUM, &cores))
        check_fail(check, ACLNN_ERR_RUNTIME_ERROR);
    check->call.blocks = (uint32_t)((t->tile + TILE_ROWS - 1) / TILE_ROWS);
    if (check->call.blocks > (uint64_t)cores)
        check->call.blocks = (uint32_t)cores;
}

uint32_t check_ranks(struct check *check)
{
    uint32_t ranks = check->status ? 0 : npu_sim_nn_ranks(check->call.group);

    if (!ranks)
        check_fail(check, ACLNN_ERR_PARAM_INVALID);
    return ranks;
}

aclnnStatus check_end(const struct check *check,
                      uint64_t *workspace_bytes,
                      aclOpExecutor **executor)
{
    if (check->status)
        return check->status;
    return npu_sim_nn_prepare(&check->call, workspace_bytes, executor);
}
