/* forward.c - libhccl.so: HcclX calls HcclXInner of libhcomm.so
 *
 * Only the barrier is different. As in the vendor's library it finds the function of
 * the same name with dlsym(RTLD_NEXT). A hook of dlsym() must keep the caller's
 * position: called from the hook's library, dlsym() returns this function itself, which
 * then recurses without end. */
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
