/* forward.c - libhccl.so: HcclX calls HcclXInner of libhcomm.so
 *
 * Nothing more, but for the barrier. As in the original it looks for the older one of
 * the same name in what was loaded behind it: who stands in front of dlsym() and calls
 * the real one in its own name makes this find itself, and call itself without end. */
#include <dlfcn.h>
#include <hccl/hccl.h>
#include <hccl/hccl_mc2.h>
#include <hccl/hccl_rank_graph.h>
#include <hccl/hccl_res.h>
#include <hccl/hcom.h>

#include "sim/hccl/calls.h"

#define EXPORTED __attribute__((visibility("default")))

#define DEFINE(type, name, parameters, arguments)                                      \
    EXPORTED type name##Inner parameters;                                              \
    EXPORTED type name parameters                                                      \
    {                                                                                  \
        return name##Inner arguments;                                                  \
    }

HCCL_CALLS(DEFINE)

EXPORTED HcclResult HcclBarrier(HcclComm comm, aclrtStream stream)
{
    HcclResult (*next)(HcclComm comm, aclrtStream stream) =
        (HcclResult(*)(HcclComm, aclrtStream))dlsym(RTLD_NEXT, "HcclBarrier");

    return next ? next(comm, stream) : HCCL_E_INTERNAL;
}
