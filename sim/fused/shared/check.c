#include "sim/fused/shared/check.h"

#include <hccl/hccl_types.h>
#include <string.h>

#include "sim/fused/shared/number.h"
#include "sim/fused/shared/table.h"

#define TILE_BYTES   (64u << 10) /* minimum bytes of a turn */
#define TILE_ROWS    16          /* turns end at a multiple of a fractal */
#define TURNS_MAX    32
#define ALIGN        512
#define ELEMENTS_MAX (1ull << 48) /* of a tensor; more than any card has */

void check_begin(struct check *check, const char *op)
{
    *check = (struct check){.call = {.op = op}};
    check->call.tiling.magic = MC2_TILING_MAGIC;
    check->call.tiling.way = table_way(op);
    check->call.key = 2;
    check_that(check, check->call.tiling.way != MC2_NOWHERE);
}

void check_fail(struct check *check, aclnnStatus status)
{
    if (!check->status)
        check->status = status;
}

void check_that(struct check *check, bool condition)
{
    if (!condition)
        check_fail(check, ACLNN_ERR_PARAM_INVALID);
}

static bool is_name(const char *group)
{
    return group[0] && strlen(group) < COMM_NAME_MAX_LENGTH;
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
    if (!is_name(group) || (reduce && strcmp(reduce, "sum") != 0) || turns != 0 ||
        stream_mode != 1)
        check_fail(check, ACLNN_ERR_PARAM_INVALID);
    else
        strcpy(check->call.group[check->call.groups++], group);
}

void check_named_group(struct check *check, const char *group)
{
    if (!group || !is_name(group))
        check_fail(check, ACLNN_ERR_PARAM_NULLPTR);
    else
        strcpy(check->call.group[check->call.groups++], group);
}

void check_comm_mode(struct check *check, const char *mode)
{
    bool is_server = check->call.tiling.way == MC2_SERVER;

    if (!mode)
        check_fail(check, ACLNN_ERR_PARAM_NULLPTR);
    else if (strcmp(mode, "aiv") != 0)
        check_that(check,
                   is_server && (!strcmp(mode, "ai_cpu") || !strcmp(mode, "ccu")));
    else
        check_that(check, !is_server);
}

/* By tensor or row and by column; or of neighbours along k, which both factors have. */
void check_quant_modes(struct check *check, int64_t x1, int64_t x2, int64_t group_size)
{
    const bool is_mx = x1 == CHECK_MODE_MX && x2 == CHECK_MODE_MX;

    check_that(check, is_mx || (x2 == CHECK_MODE_CHANNEL &&
                                (x1 == CHECK_MODE_TOKEN || x1 == CHECK_MODE_DYNAMIC)));
    check_that(check, group_size == 0 || (is_mx && group_size == CHECK_GROUP_MX));
}

uint32_t check_ranks(struct check *check)
{
    struct npu_sim_nn_place place;

    if (check->status)
        return 0;
    if (!npu_sim_nn_place(check->call.group[0], &place)) {
        check_fail(check, ACLNN_ERR_PARAM_INVALID);
        return 0;
    }
    check->ranks = place.ranks;
    check->rank = place.rank;
    return place.ranks;
}

static uint64_t address_of(const aclTensor *tensor)
{
    if (!tensor->data)
        return 0;
    return (uintptr_t)tensor->data +
           number_bytes((int32_t)tensor->type, (uint64_t)tensor->offset);
}

/* Returns false for a tensor of so many elements that products of sizes overflow. */
static bool has_possible_size(const struct mc2_tensor *tensor)
{
    uint64_t count = 1;

    for (uint32_t i = 0; i < tensor->dims; i++) {
        if (tensor->dim[i] == 0)
            return true;
        if (tensor->dim[i] > ELEMENTS_MAX / count)
            count = ELEMENTS_MAX + 1; /* a later dimension can be 0 */
        else
            count *= tensor->dim[i];
    }
    return count <= ELEMENTS_MAX;
}

void check_tensor(struct check *check,
                  uint32_t slot,
                  const aclTensor *tensor,
                  uint64_t types)
{
    struct mc2_tensor *into = &check->call.tiling.tensor[slot];

    if (check->status)
        return;
    if (!tensor) {
        check_fail(check, ACLNN_ERR_PARAM_NULLPTR);
        return;
    }
    if (!npu_sim_tensor_of(tensor) || tensor->format != ACL_FORMAT_ND ||
        tensor->dims_count > MC2_DIMS_MAX || (int)tensor->type < 0 ||
        (int)tensor->type > 63 || !(CHECK_TYPE(tensor->type) & types)) {
        check_fail(check, ACLNN_ERR_PARAM_INVALID);
        return;
    }
    into->type = (int32_t)tensor->type;
    into->address = address_of(tensor);
    into->dims = (uint32_t)tensor->dims_count;
    for (uint32_t i = 0; i < into->dims; i++) {
        into->dim[i] = (uint64_t)tensor->dims[i];
        into->step[i] = (uint64_t)tensor->strides[i];
    }
    if (into->dims == 0) {
        into->dims = 1;
        into->dim[0] = into->step[0] = 1;
    }
    check_that(check, has_possible_size(into));
    check_that(check, into->address || check_elements(check, slot) == 0);
}

bool check_optional(struct check *check,
                    uint32_t slot,
                    const aclTensor *tensor,
                    uint64_t types)
{
    if (tensor)
        check_tensor(check, slot, tensor, types);
    return tensor && !check->status;
}

const struct mc2_tensor *check_at(const struct check *check, uint32_t slot)
{
    return &check->call.tiling.tensor[slot];
}

uint64_t check_elements(const struct check *check, uint32_t slot)
{
    const struct mc2_tensor *tensor = check_at(check, slot);
    uint64_t count = 1;

    for (uint32_t i = 0; i < tensor->dims; i++)
        count *= tensor->dim[i];
    return count;
}

static bool is_size(uint64_t size, uint64_t wanted)
{
    return wanted == CHECK_ANY || size == wanted;
}

void check_dims2(struct check *check, uint32_t slot, uint64_t rows, uint64_t columns)
{
    const struct mc2_tensor *tensor = check_at(check, slot);

    if (!check->status)
        check_that(check, tensor->dims == 2 && is_size(tensor->dim[0], rows) &&
                              is_size(tensor->dim[1], columns));
}

void check_dims3(struct check *check, uint32_t slot, uint64_t a, uint64_t b, uint64_t c)
{
    const struct mc2_tensor *tensor = check_at(check, slot);

    if (!check->status)
        check_that(check, tensor->dims == 3 && is_size(tensor->dim[0], a) &&
                              is_size(tensor->dim[1], b) && is_size(tensor->dim[2], c));
}

void check_count(struct check *check, uint32_t slot, uint64_t count)
{
    if (check->status || !check_at(check, slot)->dims)
        return;
    check_that(check, check_elements(check, slot) == count);
    check_dense(check, slot);
}

void check_one_or(struct check *check, uint32_t slot, uint64_t count)
{
    if (!check->status && check_at(check, slot)->dims)
        check_count(check, slot, check_elements(check, slot) == 1 ? 1 : count);
}

void check_dense(struct check *check, uint32_t slot)
{
    const struct mc2_tensor *tensor = check_at(check, slot);
    uint64_t step = 1;

    for (uint32_t i = tensor->dims; !check->status && i-- > 0; step *= tensor->dim[i])
        check_that(check, tensor->step[i] == step || tensor->dim[i] <= 1 ||
                              check_elements(check, slot) == 0);
}

void check_flatten(struct check *check, uint32_t slot)
{
    struct mc2_tensor *tensor = &check->call.tiling.tensor[slot];

    if (check->status)
        return;
    check_that(check, tensor->dims >= 2);
    while (!check->status && tensor->dims > 2) {
        uint32_t last = tensor->dims - 1;

        /* the first two dimensions become one: they must be contiguous */
        check_that(check, tensor->step[0] == tensor->dim[1] * tensor->step[1] ||
                              tensor->dim[0] <= 1);
        tensor->dim[1] *= tensor->dim[0];
        for (uint32_t i = 0; i < last; i++) {
            tensor->dim[i] = tensor->dim[i + 1];
            tensor->step[i] = tensor->step[i + 1];
        }
        tensor->dims--;
    }
}

void check_type(struct check *check, uint32_t slot, int32_t type)
{
    if (!check->status && check_at(check, slot)->dims)
        check_that(check, check_at(check, slot)->type == type);
}

void check_absent(struct check *check, const void *pointer)
{
    check_that(check, !pointer);
}

void check_axes(struct check *check,
                const aclIntArray *axes,
                int64_t first,
                int64_t second)
{
    uint64_t count;
    const int64_t *values = npu_sim_nn_ints(axes, &count);

    check_that(check,
               !axes || (count == 2 && values[0] == first && values[1] == second));
}

void check_transpose(struct check *check, uint32_t slot)
{
    struct mc2_tensor *tensor = &check->call.tiling.tensor[slot];
    uint32_t last = tensor->dims - 1;
    uint64_t size, step;

    check_that(check, check->status || tensor->dims >= 2);
    if (check->status)
        return;
    size = tensor->dim[last];
    step = tensor->step[last];
    tensor->dim[last] = tensor->dim[last - 1];
    tensor->step[last] = tensor->step[last - 1];
    tensor->dim[last - 1] = size;
    tensor->step[last - 1] = step;
}

void check_product(struct check *check,
                   const aclTensor *x1,
                   const aclTensor *x2,
                   uint64_t left_types,
                   uint64_t right_types)
{
    struct mc2_tiling *t = &check->call.tiling;

    check_tensor(check, 0, x1, left_types);
    check_tensor(check, 1, x2, right_types);
    if (check->is_x2_transposed)
        check_transpose(check, 1);
    check_flatten(check, 0);
    check_dims2(check, 1, t->tensor[0].dim[1], CHECK_ANY);
    if (check->status)
        return;
    t->m = t->tensor[0].dim[0];
    t->k = t->tensor[0].dim[1];
    t->n = t->tensor[1].dim[1];
    check->call.key = t->tensor[0].type == ACL_FLOAT16 ? 0
                      : t->tensor[0].type == ACL_BF16  ? 1
                                                       : 2;
}

uint64_t check_workspace(struct check *check, uint64_t bytes)
{
    uint64_t at = check->call.workspace_bytes;

    check->call.workspace_bytes += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return at;
}

static void set_blocks(struct check *check, uint64_t rows)
{
    int64_t cores = 1;
    int32_t device;

    if (aclrtGetDevice(&device) ||
        aclrtGetDeviceInfo((uint32_t)device, ACL_DEV_ATTR_CUBE_CORE_NUM, &cores))
        check_fail(check, ACLNN_ERR_RUNTIME_ERROR);
    check->call.blocks = (uint32_t)((rows + TILE_ROWS - 1) / TILE_ROWS);
    if (check->call.blocks > (uint64_t)cores || rows / TILE_ROWS >= (uint64_t)cores)
        check->call.blocks = (uint32_t)cores;
    if (check->call.blocks == 0)
        check->call.blocks = 1;
}

void check_cut(struct check *check, uint64_t rows, uint64_t row_bytes)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t tile = row_bytes ? (TILE_BYTES + row_bytes - 1) / row_bytes : rows;

    if (check->status)
        return;
    if (tile * TURNS_MAX < rows)
        tile = (rows + TURNS_MAX - 1) / TURNS_MAX;
    tile = (tile + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS;
    t->rows = rows;
    t->tile = tile < rows ? tile : rows;
    t->turns = t->tile ? (uint32_t)((rows + t->tile - 1) / t->tile) : 1;
    set_blocks(check, t->tile);
}

void check_turns(struct check *check, uint32_t turns, uint64_t rows)
{
    check_that(check, turns <= MC2_TURNS_MAX);
    if (check->status)
        return;
    check->call.tiling.turns = turns;
    set_blocks(check, rows);
}

aclnnStatus
check_end(struct check *check, uint64_t *workspace_bytes, aclOpExecutor **executor)
{
    if (!workspace_bytes || !executor)
        check_fail(check, ACLNN_ERR_PARAM_NULLPTR);
    if (check->status)
        return check->status;
    if (check->call.skips_without_workspace && check->call.workspace_bytes == 0)
        check_workspace(check, ALIGN);
    return npu_sim_nn_prepare(&check->call, workspace_bytes, executor);
}
