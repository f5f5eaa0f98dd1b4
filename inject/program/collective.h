/* collective.h - one call of an HCCL collective: its data, and how to issue it again
 *
 * The hooks of HCCL's collectives fill the struct. The launches that the runtime makes
 * inside the call are at hook depth 1, so inject passes them through. `call` points to
 * data of the caller, valid until the hook returns. */
#ifndef INJECT_PROGRAM_COLLECTIVE_H
#define INJECT_PROGRAM_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

struct collective_call {
    const char *name; /* "HcclAllReduce" */
    const void *comm; /* HcclComm; see comm_get() */
    void *stream;
    const void *from; /* NULL: no single source buffer */
    void *to;
    uint64_t count; /* elements that this rank sends; may differ between ranks */
    uint32_t data_type;
    uint32_t reduce_op; /* UINT32_MAX: no reduction */
    uint32_t root;      /* root, or peer of a send or receive; UINT32_MAX: none */
    bool whole_group;   /* all ranks of the communicator call it */
    bool same_count;    /* `count` is the same on all ranks */
    int (*run)(const void *call);
    const void *call;
};

/* Returns a hash of the properties that must be equal on all ranks. */
uint64_t collective_fingerprint(const struct collective_call *call);

#endif
