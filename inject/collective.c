#include "inject/collective.h"

#include <errno.h>
#include <string.h>

#include "inject/comm.h"
#include "inject/device.h"

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

int collective_launch(const struct collective_call *call)
{
    int saved = errno, result;
    struct device *turn = device_share(device_current());

    errno = saved;
    result = call->run(call->call);
    saved = errno;
    device_unshare(turn);
    errno = saved;
    return result;
}
