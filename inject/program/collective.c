#include "inject/program/collective.h"

#include <string.h>

#include "inject/program/comm.h"

uint64_t collective_fingerprint(const struct collective_call *call)
{
    uint64_t shared[4] = {
        call->data_type,
        call->reduce_op,
        call->whole_group ? call->root : UINT32_MAX,
        call->same_count ? call->count : 0,
    };
    uint64_t hash = comm_hash(0, call->name, strlen(call->name));

    return comm_hash(hash, shared, sizeof(shared));
}
