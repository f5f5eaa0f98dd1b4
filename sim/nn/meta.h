/* meta.h - the structure behind aclTensor, for both aclnn libraries */
#ifndef SIM_NN_META_H
#define SIM_NN_META_H

#include <aclnn/aclnn_base.h>
#include <stdbool.h>
#include <stdint.h>

#define TENSOR_MAGIC    0x54454e31u
#define TENSOR_DIMS_MAX 8
#define LIST_MAX        65536

struct aclTensor {
    uint32_t magic;
    aclDataType type;
    aclFormat format;
    uint64_t dims_count;
    int64_t dims[TENSOR_DIMS_MAX];
    int64_t strides[TENSOR_DIMS_MAX]; /* elements */
    int64_t offset;                   /* elements */
    int64_t storage_elements;         /* 0: not given */
    void *data;
};

const aclTensor *npu_sim_tensor_of(const aclTensor *tensor); /* NULL: invalid handle */
uint32_t npu_sim_type_size(aclDataType type); /* bytes; 0: no such type */

/* Return the elements of an argument, borrowed; NULL with a count of 0 for none. */
const int64_t *npu_sim_nn_ints(const aclIntArray *array, uint64_t *count);
const aclTensor *const *npu_sim_nn_tensors(const aclTensorList *list, uint64_t *count);

#endif
