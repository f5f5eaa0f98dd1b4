/* acl.h - functions of the NPU runtime that the runner calls, found by name
 *
 * The runner does not link the runtime, so that it can start without one and report the
 * missing runtime. acl_start() initialises the card once per process. */
#ifndef RUNNER_ACL_H
#define RUNNER_ACL_H

#include <acl/acl.h>

#include "lib/base/err.h"

#define ACL_FUNCTIONS(X)                                                               \
    X(aclInit)                                                                         \
    X(aclrtSetDevice)                                                                  \
    X(aclrtCreateStream)                                                               \
    X(aclrtDestroyStream)                                                              \
    X(aclrtSynchronizeStream)                                                          \
    X(aclrtGetMemInfo)                                                                 \
    X(aclrtMalloc)                                                                     \
    X(aclrtFree)                                                                       \
    X(aclrtMemcpy)                                                                     \
    X(aclrtBinaryLoadFromFile)                                                         \
    X(aclrtBinaryUnLoad)                                                               \
    X(aclrtBinaryGetFunction)                                                          \
    X(aclrtKernelArgsInit)                                                             \
    X(aclrtKernelArgsAppend)                                                           \
    X(aclrtKernelArgsAppendPlaceHolder)                                                \
    X(aclrtKernelArgsGetPlaceHolderBuffer)                                             \
    X(aclrtKernelArgsFinalize)                                                         \
    X(aclrtLaunchKernelWithConfig)                                                     \
    X(aclGetRecentErrMsg)

struct acl {
#define X(name) __typeof__(&name) name;
    ACL_FUNCTIONS(X)
#undef X
};

/* Loads the runtime and selects visible device 0 for this thread. Later calls return
 * the same table. */
int acl_start(const struct acl **out, struct err *err);

/* Returns 0 if `error` is 0, else -1 with the last error text of the runtime. */
int acl_check(const struct acl *acl, aclError error, const char *call, struct err *err);
#define ACL(acl, function, arguments, err)                                             \
    acl_check(acl, (acl)->function arguments, #function, err)

#endif
