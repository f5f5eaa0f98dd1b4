/* meta.c - aclTensor and the other argument types of operators */
#include "sim/nn/meta.h"

#include <stdlib.h>
#include <string.h>

struct aclTensorList {
    uint64_t count;
    const aclTensor *tensors[];
};

struct aclScalar {
    aclDataType type;
    unsigned char value[16]; /* size of the widest type */
};

struct aclIntArray {
    uint64_t count;
    int64_t values[];
};

/* Returns false when the number of elements exceeds 63 bits. */
static bool fill_strides(aclTensor *tensor, const int64_t *given)
{
    int64_t step = 1;

    for (uint64_t i = tensor->dims_count; i-- > 0;) {
        tensor->strides[i] = given ? given[i] : step;
        if (tensor->strides[i] < 0 ||
            __builtin_mul_overflow(step, tensor->dims[i] ? tensor->dims[i] : 1, &step))
            return false;
    }
    return true;
}

aclTensor *aclCreateTensor(const int64_t *viewDims,
                           uint64_t viewDimsNum,
                           aclDataType dataType,
                           const int64_t *stride,
                           int64_t offset,
                           aclFormat format,
                           const int64_t *storageDims,
                           uint64_t storageDimsNum,
                           void *tensorData)
{
    aclTensor *tensor;

    if (viewDimsNum > TENSOR_DIMS_MAX || storageDimsNum > TENSOR_DIMS_MAX ||
        (viewDimsNum > 0 && !viewDims) || (storageDimsNum > 0 && !storageDims) ||
        offset < 0 || npu_sim_type_size(dataType) == 0)
        return NULL;
    tensor = calloc(1, sizeof(*tensor));
    if (!tensor)
        return NULL;
    tensor->magic = TENSOR_MAGIC;
    tensor->type = dataType;
    tensor->format = format;
    tensor->dims_count = viewDimsNum;
    for (uint64_t i = 0; i < viewDimsNum; i++)
        tensor->dims[i] = viewDims[i];
    tensor->storage_elements = storageDimsNum > 0;
    for (uint64_t i = 0; i < storageDimsNum; i++)
        if (storageDims[i] < 0 ||
            __builtin_mul_overflow(tensor->storage_elements, storageDims[i],
                                   &tensor->storage_elements))
            tensor->storage_elements = -1;
    tensor->offset = offset;
    tensor->data = tensorData;
    for (uint64_t i = 0; i < viewDimsNum; i++)
        if (viewDims[i] < 0)
            tensor->storage_elements = -1;
    if (tensor->storage_elements < 0 || !fill_strides(tensor, stride)) {
        free(tensor);
        return NULL;
    }
    return tensor;
}

aclnnStatus aclDestroyTensor(const aclTensor *tensor)
{
    if (!tensor)
        return ACLNN_ERR_PARAM_NULLPTR;
    if (!npu_sim_tensor_of(tensor))
        return ACLNN_ERR_PARAM_INVALID;
    ((aclTensor *)tensor)->magic = 0;
    free((aclTensor *)tensor);
    return ACLNN_SUCCESS;
}

aclnnStatus
aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum)
{
    if (!tensor || !viewDims || !viewDimsNum)
        return ACLNN_ERR_PARAM_NULLPTR;
    if (!npu_sim_tensor_of(tensor))
        return ACLNN_ERR_PARAM_INVALID;
    *viewDims = malloc((tensor->dims_count + 1) * sizeof(**viewDims));
    if (!*viewDims)
        return ACLNN_ERR_INNER;
    memcpy(*viewDims, tensor->dims, tensor->dims_count * sizeof(**viewDims));
    *viewDimsNum = tensor->dims_count;
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr)
{
    if (!tensor || !addr)
        return ACLNN_ERR_PARAM_NULLPTR;
    if (!npu_sim_tensor_of(tensor))
        return ACLNN_ERR_PARAM_INVALID;
    *addr = tensor->data;
    return ACLNN_SUCCESS;
}

aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size)
{
    aclTensorList *list;

    if ((size > 0 && !value) || size > LIST_MAX)
        return NULL;
    list = malloc(sizeof(*list) + size * sizeof(list->tensors[0]));
    if (!list)
        return NULL;
    list->count = size;
    for (uint64_t i = 0; i < size; i++)
        list->tensors[i] = value[i];
    return list;
}

aclnnStatus aclDestroyTensorList(const aclTensorList *array)
{
    if (!array)
        return ACLNN_ERR_PARAM_NULLPTR;
    for (uint64_t i = 0; i < array->count; i++)
        aclDestroyTensor(array->tensors[i]);
    free((aclTensorList *)array);
    return ACLNN_SUCCESS;
}

aclScalar *aclCreateScalar(void *value, aclDataType dataType)
{
    uint32_t size = npu_sim_type_size(dataType);
    aclScalar *scalar = value && size > 0 ? calloc(1, sizeof(*scalar)) : NULL;

    if (!scalar)
        return NULL;
    scalar->type = dataType;
    memcpy(scalar->value, value, size);
    return scalar;
}

aclnnStatus aclDestroyScalar(const aclScalar *scalar)
{
    free((aclScalar *)scalar);
    return scalar ? ACLNN_SUCCESS : ACLNN_ERR_PARAM_NULLPTR;
}

aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size)
{
    aclIntArray *array;

    if ((size > 0 && !value) || size > LIST_MAX)
        return NULL;
    array = malloc(sizeof(*array) + size * sizeof(array->values[0]));
    if (!array)
        return NULL;
    array->count = size;
    for (uint64_t i = 0; i < size; i++)
        array->values[i] = value[i];
    return array;
}

aclnnStatus aclDestroyIntArray(const aclIntArray *array)
{
    free((aclIntArray *)array);
    return array ? ACLNN_SUCCESS : ACLNN_ERR_PARAM_NULLPTR;
}

const int64_t *npu_sim_nn_ints(const aclIntArray *array, uint64_t *count)
{
    *count = array ? array->count : 0;
    return array ? array->values : NULL;
}

const aclTensor *const *npu_sim_nn_tensors(const aclTensorList *list, uint64_t *count)
{
    *count = list ? list->count : 0;
    return list ? list->tensors : NULL;
}
