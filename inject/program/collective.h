/* collective.h - a collective of the program: what it moves, and how to run it again
 *
 * The hooks of HCCL's collectives fill one in and hand it on; inside, the runtime's own
 * launches are at depth 1 and pass. All that `call` points to is the caller's, and good
 * until the hook returns. */
#ifndef INJECT_PROGRAM_COLLECTIVE_H
#define INJECT_PROGRAM_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

struct collective_call {
    const char *name; /* "HcclAllReduce" */
    const void *comm; /* HcclComm: comm_get() knows the rest */
    void *stream;
    const void *from; /* NULL where there is none, or it is a list */
    void *to;
    uint64_t count; /* elements that this rank gives; may differ from rank to rank */
    uint32_t data_type;
    uint32_t reduce_op; /* UINT32_MAX: nothing is reduced */
    uint32_t root;      /* or the peer of a send or receive; UINT32_MAX: nobody */
    bool whole_group;   /* every rank of the communicator calls it */
    bool same_count;    /* `count` is the same on all ranks */
    int (*run)(const void *call);
    const void *call;
};

/* What has to be the same on all ranks of the group. */
uint64_t collective_fingerprint(const struct collective_call *call);

#endif
