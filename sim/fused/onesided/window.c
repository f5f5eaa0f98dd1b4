#include "sim/fused/onesided/window.h"

#define TABLE_ALIGN 512
#define KEPT_BYTES                                                                     \
    4096 /* the end of a window belongs to the flags of other operators */

const int64_t *
window_shape(struct check *check, const aclIntArray *array, uint64_t count)
{
    uint64_t given;
    const int64_t *sizes = npu_sim_nn_ints(array, &given);

    if (!array)
        check_fail(check, ACLNN_ERR_PARAM_NULLPTR);
    check_that(check, check->status || given == count);
    for (uint64_t i = 0; !check->status && i < count; i++)
        check_that(check, sizes[i] > 0 && sizes[i] <= INT32_MAX);
    return check->status ? NULL : sizes;
}

uint64_t window_rows_at(uint64_t table_numbers)
{
    uint64_t bytes = table_numbers * sizeof(int32_t);

    return (bytes + TABLE_ALIGN - 1) / TABLE_ALIGN * TABLE_ALIGN;
}

bool window_has_room(const struct body *body, uint64_t bytes)
{
    return body->context->window_bytes >= KEPT_BYTES &&
           bytes <= body->context->window_bytes - KEPT_BYTES;
}

int64_t window_int(const struct mc2_tensor *tensor, uint64_t at)
{
    const void *values = (const void *)(uintptr_t)tensor->address;

    return tensor->type == ACL_INT64 ? ((const int64_t *)values)[at]
                                     : ((const int32_t *)values)[at];
}

void *window_of(const struct body *body, int64_t rank, uint64_t offset)
{
    return (char *)(uintptr_t)body->context->windows_in[rank] + offset;
}

void window_set(const struct body *body, int64_t rank, uint64_t number, int64_t value)
{
    uint32_t *table = window_of(body, rank, 0);

    npu_sim_comm_set(body->context, &table[number], (uint32_t)value);
}
