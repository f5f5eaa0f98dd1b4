/* acl.h - the functions of the runtime that the runner calls, found by their names
 *
 * Found and not linked: so the runner starts where there is no runtime, and can say
 * that. What a process does to its card is done once: acl_start(). */
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

/* The runtime, with card 0 of those that are visible as this thread's. The second call
 * costs nothing. */
int acl_start(const struct acl **out, struct err *err);

/* -1 with the runtime's words unless `error` is 0. */
int acl_check(const struct acl *acl, aclError error, const char *call, struct err *err);
#define ACL(acl, function, arguments, err)                                             \
    acl_check(acl, (acl)->function arguments, #function, err)

#endif
