/* torch_like_api.h - the functions that torch_like finds by dlsym
 *
 * The program is linked to none of the vendor's libraries. It opens them by their file
 * names at first use, like the adapters of frameworks. */
#ifndef SIM_OPS_TORCH_LIKE_API_H
#define SIM_OPS_TORCH_LIKE_API_H

#include <acl/acl.h>
#include <aclnnop/aclnn_matmul_all_reduce.h>
#include <hccl/hccl.h>

#define TORCH_LIKE_CALLS(CALL)                                                         \
    CALL("libascendcl.so", aclInit)                                                    \
    CALL("libascendcl.so", aclFinalize)                                                \
    CALL("libascendcl.so", aclGetRecentErrMsg)                                         \
    CALL("libascendcl.so", aclrtGetDeviceCount)                                        \
    CALL("libascendcl.so", aclrtSetDevice)                                             \
    CALL("libascendcl.so", aclrtResetDevice)                                           \
    CALL("libascendcl.so", aclrtCreateStream)                                          \
    CALL("libascendcl.so", aclrtDestroyStream)                                         \
    CALL("libascendcl.so", aclrtSynchronizeStream)                                     \
    CALL("libascendcl.so", aclrtCreateEventExWithFlag)                                 \
    CALL("libascendcl.so", aclrtDestroyEvent)                                          \
    CALL("libascendcl.so", aclrtRecordEvent)                                           \
    CALL("libascendcl.so", aclrtStreamWaitEvent)                                       \
    CALL("libascendcl.so", aclrtMalloc)                                                \
    CALL("libascendcl.so", aclrtFree)                                                  \
    CALL("libascendcl.so", aclrtMemcpy)                                                \
    CALL("libascendcl.so", aclrtBinaryLoadFromFile)                                    \
    CALL("libascendcl.so", aclrtBinaryGetFunction)                                     \
    CALL("libascendcl.so", aclrtBinaryUnLoad)                                          \
    CALL("libascendcl.so", aclrtLaunchKernelWithHostArgs)                              \
    CALL("libhccl.so", HcclGetRootInfo)                                                \
    CALL("libhccl.so", HcclCommInitRootInfo)                                           \
    CALL("libhccl.so", HcclGetCommName)                                                \
    CALL("libhccl.so", HcclAllReduce)                                                  \
    CALL("libhccl.so", HcclCommDestroy)                                                \
    CALL("libnnopbase.so", aclCreateTensor)                                            \
    CALL("libnnopbase.so", aclDestroyTensor)                                           \
    CALL("libopapi.so", aclnnMatmulAllReduceGetWorkspaceSize)                          \
    CALL("libopapi.so", aclnnMatmulAllReduce)

#define FIELD(library, name) __typeof__(name) *name;
struct torch_like_api {
    TORCH_LIKE_CALLS(FIELD)
};
#undef FIELD

/* Returns NULL and prints a line on stderr when a function is missing. */
const struct torch_like_api *torch_like_api(void);

#endif
