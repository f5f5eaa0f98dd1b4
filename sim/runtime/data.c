/* data.c - data types, their conversions, and data buffers of the program */
#include <stdlib.h>

#include "sim/hccl/element.h"
#include "sim/runtime/calls.h"

struct aclDataBuffer {
    void *data;
    size_t size;
};

size_t sim_aclDataTypeSize(aclDataType dataType)
{
    static const uint8_t sizes[] = {
        [ACL_FLOAT] = 4,         [ACL_FLOAT16] = 2,     [ACL_INT8] = 1,
        [ACL_INT32] = 4,         [ACL_UINT8] = 1,       [ACL_INT16] = 2,
        [ACL_UINT16] = 2,        [ACL_UINT32] = 4,      [ACL_INT64] = 8,
        [ACL_UINT64] = 8,        [ACL_DOUBLE] = 8,      [ACL_BOOL] = 1,
        [ACL_COMPLEX64] = 8,     [ACL_COMPLEX128] = 16, [ACL_BF16] = 2,
        [ACL_COMPLEX32] = 4,     [ACL_HIFLOAT8] = 1,    [ACL_FLOAT8_E5M2] = 1,
        [ACL_FLOAT8_E4M3FN] = 1, [ACL_FLOAT8_E8M0] = 1,
    };

    return (size_t)dataType < sizeof(sizes) ? sizes[dataType] : 0;
}

float sim_aclFloat16ToFloat(aclFloat16 value)
{
    return element_from_half(value);
}

aclFloat16 sim_aclFloatToFloat16(float value)
{
    return element_to_half(value);
}

aclDataBuffer *sim_aclCreateDataBuffer(void *data, size_t size)
{
    aclDataBuffer *buffer = malloc(sizeof(*buffer));

    if (buffer)
        *buffer = (aclDataBuffer){data, size};
    return buffer;
}

aclError sim_aclDestroyDataBuffer(const aclDataBuffer *dataBuffer)
{
    if (!dataBuffer)
        return ACL_ERROR_INVALID_PARAM;
    free((aclDataBuffer *)dataBuffer);
    return 0;
}

void *sim_aclGetDataBufferAddr(const aclDataBuffer *dataBuffer)
{
    return dataBuffer ? dataBuffer->data : NULL;
}

size_t sim_aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer)
{
    return dataBuffer ? dataBuffer->size : 0;
}

aclError sim_aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size)
{
    if (!dataBuffer)
        return ACL_ERROR_INVALID_PARAM;
    *dataBuffer = (aclDataBuffer){data, size};
    return 0;
}
