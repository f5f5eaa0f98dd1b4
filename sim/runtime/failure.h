/* failure.h - the last error of a thread, in a number and in words */
#ifndef SIM_RUNTIME_FAILURE_H
#define SIM_RUNTIME_FAILURE_H

#include <acl/acl.h>
#include <stdint.h>

struct aclrtExceptionInfo {
    uint32_t task;
    uint32_t stream;
    uint32_t thread;
    uint32_t device;
    uint32_t code;
};

aclError failure_note(const char *call, aclError error); /* returns the error */
/* Tells the program's callback, if it set one, that a kernel failed. */
void failure_report(aclrtExceptionInfo *info);

#endif
