/* tensor.c - libop_common.so: tensor functions of all operator libraries */
#include "sim/nn/meta.h"

const aclTensor *npu_sim_tensor_of(const aclTensor *tensor)
{
    return tensor && tensor->magic == TENSOR_MAGIC ? tensor : NULL;
}

uint32_t npu_sim_type_size(aclDataType type)
{
    static const struct {
        aclDataType type;
        uint32_t size;
    } sizes[] = {
        {ACL_FLOAT, 4},       {ACL_FLOAT16, 2},     {ACL_BF16, 2},
        {ACL_DOUBLE, 8},      {ACL_INT8, 1},        {ACL_INT16, 2},
        {ACL_INT32, 4},       {ACL_INT64, 8},       {ACL_UINT8, 1},
        {ACL_UINT16, 2},      {ACL_UINT32, 4},      {ACL_UINT64, 8},
        {ACL_BOOL, 1},        {ACL_COMPLEX64, 8},   {ACL_COMPLEX128, 16},
        {ACL_HIFLOAT8, 1},    {ACL_FLOAT8_E5M2, 1}, {ACL_FLOAT8_E4M3FN, 1},
        {ACL_FLOAT8_E8M0, 1}, {ACL_INT4, 1},        {ACL_FLOAT4_E2M1, 1},
        {ACL_FLOAT4_E1M2, 1}, /* two in a byte */
    };

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        if (sizes[i].type == type)
            return sizes[i].size;
    return 0;
}
