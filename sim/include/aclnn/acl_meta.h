/* acl_meta.h - tensors and other arguments of aclnn operators
 *
 * A tensor describes memory of the program and does not own it: it must outlive the
 * operator that uses it. */
#ifndef ACL_META_H
#define ACL_META_H

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t aclnnStatus;

typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;
typedef struct aclOpExecutor aclOpExecutor;

/* stride: NULL for rows one behind the other; offset: elements from tensorData. */
aclTensor *aclCreateTensor(const int64_t *viewDims,
                           uint64_t viewDimsNum,
                           aclDataType dataType,
                           const int64_t *stride,
                           int64_t offset,
                           aclFormat format,
                           const int64_t *storageDims,
                           uint64_t storageDimsNum,
                           void *tensorData);
aclnnStatus aclDestroyTensor(const aclTensor *tensor);
/* *viewDims is the caller's to delete; aclnn programs use free(). */
aclnnStatus
aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum);
aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr);

/* The list owns its tensors from then on. */
aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size);
aclnnStatus aclDestroyTensorList(const aclTensorList *array);

aclScalar *aclCreateScalar(void *value, aclDataType dataType);
aclnnStatus aclDestroyScalar(const aclScalar *scalar);

aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size);
aclnnStatus aclDestroyIntArray(const aclIntArray *array);

#ifdef __cplusplus
}
#endif

#endif
