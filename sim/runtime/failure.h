/* failure.h - the last error of a thread, as a number and as text */
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

aclError failure_note(const char *call,
                      aclError error); /* stores and returns the error */
/* Calls the exception callback of the program, if one is set. */
void failure_report(aclrtExceptionInfo *info);

#endif
