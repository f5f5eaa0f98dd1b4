/* operator.h - interface of an operator that is a function in a shared library
 *
 * With `operator: {library: FILE.so, entry: NAME}` muster-runner calls NAME once per
 * point. The process stays alive between points. The device is initialised and selected
 * for the calling thread. The function returns 0 on success, when its outputs are
 * correct. It may keep state between calls, but device memory that it does not free
 * makes muster replace the process. Its output is stored like that of a program. */
#ifndef MUSTER_OPERATOR_H
#define MUSTER_OPERATOR_H

#include <stddef.h>
#include <stdint.h>

struct muster_call {
    size_t size;  /* of this struct; later releases may add members */
    void *stream; /* aclrtStream for this point */
    int32_t device;
    int32_t count;
    const char *const *words; /* `args` of the job file; NULL-terminated */
};

typedef int muster_operator_fn(const struct muster_call *call);

#endif
