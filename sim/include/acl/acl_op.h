/* acl_op.h - types of operators that are called by their names
 *
 * Such calls need the vendor's operator library: only the types are here. */
#ifndef ACL_OP_H
#define ACL_OP_H

#include "acl_base.h"

typedef struct aclopHandle aclopHandle;
typedef struct aclopAttr aclopAttr;
typedef struct aclopKernelDesc aclopKernelDesc;
typedef struct aclTensorDesc aclTensorDesc;

typedef enum aclEngineType {
    ACL_ENGINE_SYS = 0,
    ACL_ENGINE_AICORE = 1,
    ACL_ENGINE_VECTOR = 2,
} aclopEngineType;

#endif
