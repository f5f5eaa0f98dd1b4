/* hccl_mc2.h - functions of a communicator for operators that communicate */
#ifndef HCCL_MC2_H
#define HCCL_MC2_H

#include "acl/acl.h"
#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The address of the communication context, in the card's memory: the operator's first
 * argument. The same one at each call. */
HcclResult HcclAllocComResourceByTiling(HcclComm comm,
                                        void *stream,
                                        void *mc2Tiling,
                                        void **commContext);
/* The stream that the operator's AI CPU half runs on, and notifies to order it against
 * the main stream. They are the communicator's. */
HcclResult HcclGetAicpuOpStreamAndNotify(HcclComm comm,
                                         aclrtStream *opStream,
                                         uint8_t notifyCnt,
                                         void **notify);

#ifdef __cplusplus
}
#endif

#endif
