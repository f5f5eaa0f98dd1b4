/* hccl.h - collectives, each a task of the stream it is given
 *
 * Buffers are device memory; counts are elements, displacements too. The arrays of
 * counts are host memory, copied before the call returns. */
#ifndef HCCL_H
#define HCCL_H

#include <acl/acl.h>

#include "hccl_comm.h"
#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

HcclResult HcclAllReduce(void *sendBuf,
                         void *recvBuf,
                         uint64_t count,
                         HcclDataType dataType,
                         HcclReduceOp op,
                         HcclComm comm,
                         aclrtStream stream);
HcclResult HcclBroadcast(void *buf,
                         uint64_t count,
                         HcclDataType dataType,
                         uint32_t root,
                         HcclComm comm,
                         aclrtStream stream);
HcclResult HcclReduceScatter(void *sendBuf,
                             void *recvBuf,
                             uint64_t recvCount,
                             HcclDataType dataType,
                             HcclReduceOp op,
                             HcclComm comm,
                             aclrtStream stream);
HcclResult HcclReduceScatterV(void *sendBuf,
                              const void *sendCounts,
                              const void *sendDispls,
                              void *recvBuf,
                              uint64_t recvCount,
                              HcclDataType dataType,
                              HcclReduceOp op,
                              HcclComm comm,
                              aclrtStream stream);
HcclResult HcclScatter(void *sendBuf,
                       void *recvBuf,
                       uint64_t recvCount,
                       HcclDataType dataType,
                       uint32_t root,
                       HcclComm comm,
                       aclrtStream stream);
HcclResult HcclAllGather(void *sendBuf,
                         void *recvBuf,
                         uint64_t sendCount,
                         HcclDataType dataType,
                         HcclComm comm,
                         aclrtStream stream);
HcclResult HcclAllGatherV(void *sendBuf,
                          uint64_t sendCount,
                          void *recvBuf,
                          const void *recvCounts,
                          const void *recvDispls,
                          HcclDataType dataType,
                          HcclComm comm,
                          aclrtStream stream);
HcclResult HcclSend(void *sendBuf,
                    uint64_t count,
                    HcclDataType dataType,
                    uint32_t destRank,
                    HcclComm comm,
                    aclrtStream stream);
HcclResult HcclRecv(void *recvBuf,
                    uint64_t count,
                    HcclDataType dataType,
                    uint32_t srcRank,
                    HcclComm comm,
                    aclrtStream stream);
HcclResult HcclAlltoAll(const void *sendBuf,
                        uint64_t sendCount,
                        HcclDataType sendType,
                        const void *recvBuf,
                        uint64_t recvCount,
                        HcclDataType recvType,
                        HcclComm comm,
                        aclrtStream stream);
HcclResult HcclAlltoAllV(const void *sendBuf,
                         const void *sendCounts,
                         const void *sdispls,
                         HcclDataType sendType,
                         const void *recvBuf,
                         const void *recvCounts,
                         const void *rdispls,
                         HcclDataType recvType,
                         HcclComm comm,
                         aclrtStream stream);
HcclResult HcclAlltoAllVC(const void *sendBuf,
                          const void *sendCountMatrix,
                          HcclDataType sendType,
                          const void *recvBuf,
                          HcclDataType recvType,
                          HcclComm comm,
                          aclrtStream stream);
HcclResult HcclReduce(void *sendBuf,
                      void *recvBuf,
                      uint64_t count,
                      HcclDataType dataType,
                      HcclReduceOp op,
                      uint32_t root,
                      HcclComm comm,
                      aclrtStream stream);
HcclResult HcclBatchSendRecv(HcclSendRecvItem *sendRecvInfo,
                             uint32_t itemNum,
                             HcclComm comm,
                             aclrtStream stream);
HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
