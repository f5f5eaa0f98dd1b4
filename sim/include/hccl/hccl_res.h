/* hccl_res.h - resources of a communicator on its card */
#ifndef HCCL_RES_H
#define HCCL_RES_H

#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The rank's own buffer: HCCL_BUFFSIZE for what comes in, then as much for what goes
 * out. It is the communicator's, and goes with it. */
HcclResult HcclGetHcclBuffer(HcclComm comm, void **buffer, uint64_t *size);

#ifdef __cplusplus
}
#endif

#endif
