/* operator.h - what a library with an operator in it is called with
 *
 * `operator: {library: FILE.so, entry: NAME}` calls NAME once for each point, in a
 * process that stays alive from one to the next. The card is set up and is this
 * thread's. Who calls has no claim on what the entry keeps, but card memory that it
 * does not give back makes the process start anew. It returns 0 when all went well and
 * its own outputs are right; what it prints is kept as a program's is. */
#ifndef MUSTER_OPERATOR_H
#define MUSTER_OPERATOR_H

#include <stddef.h>
#include <stdint.h>

struct muster_call {
    size_t size;  /* of this struct; it may grow */
    void *stream; /* aclrtStream, of this point alone */
    int32_t device;
    int32_t count;
    const char *const *words; /* `args` of the job file; a NULL behind the last */
};

typedef int muster_operator_fn(const struct muster_call *call);

#endif
