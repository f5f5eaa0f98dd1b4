/* calls.h - every function of HCCL, as one table
 *
 * The public libhccl.so has them by their names and calls nameInner of libhcomm.so,
 * where the work is done: inner.h gives the names there. Only HcclBarrier has one name
 * in both. CALL(type, name, parameters, arguments). */
#ifndef SIM_HCCL_CALLS_H
#define SIM_HCCL_CALLS_H

#define HCCL_CALLS(CALL)                                                               \
    CALL(HcclResult, HcclGetRootInfo, (HcclRootInfo * rootInfo), (rootInfo))           \
    CALL(HcclResult, HcclCommInitRootInfo,                                             \
         (uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank,                \
          HcclComm *comm),                                                             \
         (nRanks, rootInfo, rank, comm))                                               \
    CALL(HcclResult, HcclCommInitRootInfoConfig,                                       \
         (uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank,                \
          const HcclCommConfig *config, HcclComm *comm),                               \
         (nRanks, rootInfo, rank, config, comm))                                       \
    CALL(HcclResult, HcclCommInitClusterInfo,                                          \
         (const char *clusterInfo, uint32_t rank, HcclComm *comm),                     \
         (clusterInfo, rank, comm))                                                    \
    CALL(HcclResult, HcclCommInitClusterInfoConfig,                                    \
         (const char *clusterInfo, uint32_t rank, HcclCommConfig *config,              \
          HcclComm *comm),                                                             \
         (clusterInfo, rank, config, comm))                                            \
    CALL(HcclResult, HcclCreateSubCommConfig,                                          \
         (HcclComm * comm, uint32_t rankNum, uint32_t * rankIds, uint64_t subCommId,   \
          uint32_t subCommRankId, HcclCommConfig * config, HcclComm * subComm),        \
         (comm, rankNum, rankIds, subCommId, subCommRankId, config, subComm))          \
    CALL(HcclResult, HcclCommDestroy, (HcclComm comm), (comm))                         \
    CALL(HcclResult, HcclGetCommName, (HcclComm comm, char *commName),                 \
         (comm, commName))                                                             \
    CALL(HcclResult, HcclCommGetHandleWithName,                                        \
         (const char *commName, HcclComm *comm), (commName, comm))                     \
    CALL(HcclResult, HcclGetRankSize, (HcclComm comm, uint32_t * rankSize),            \
         (comm, rankSize))                                                             \
    CALL(HcclResult, HcclGetRankId, (HcclComm comm, uint32_t * rank), (comm, rank))    \
    CALL(HcclResult, HcclGetCommAsyncError, (HcclComm comm, HcclResult * asyncError),  \
         (comm, asyncError))                                                           \
    CALL(const char *, HcclGetErrorString, (HcclResult code), (code))                  \
    CALL(uint32_t, HcclGetCommConfigCapability, (void), ())                            \
    CALL(HcclResult, HcclSetConfig, (HcclConfig config, HcclConfigValue configValue),  \
         (config, configValue))                                                        \
    CALL(HcclResult, HcclGetConfig,                                                    \
         (HcclConfig config, HcclConfigValue * configValue), (config, configValue))    \
    CALL(HcclResult, HcclAllReduce,                                                    \
         (void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType,         \
          HcclReduceOp op, HcclComm comm, aclrtStream stream),                         \
         (sendBuf, recvBuf, count, dataType, op, comm, stream))                        \
    CALL(HcclResult, HcclAllGather,                                                    \
         (void *sendBuf, void *recvBuf, uint64_t sendCount, HcclDataType dataType,     \
          HcclComm comm, aclrtStream stream),                                          \
         (sendBuf, recvBuf, sendCount, dataType, comm, stream))                        \
    CALL(HcclResult, HcclReduceScatter,                                                \
         (void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType,     \
          HcclReduceOp op, HcclComm comm, aclrtStream stream),                         \
         (sendBuf, recvBuf, recvCount, dataType, op, comm, stream))                    \
    CALL(HcclResult, HcclBroadcast,                                                    \
         (void *buf, uint64_t count, HcclDataType dataType, uint32_t root,             \
          HcclComm comm, aclrtStream stream),                                          \
         (buf, count, dataType, root, comm, stream))                                   \
    CALL(HcclResult, HcclReduce,                                                       \
         (void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType,         \
          HcclReduceOp op, uint32_t root, HcclComm comm, aclrtStream stream),          \
         (sendBuf, recvBuf, count, dataType, op, root, comm, stream))                  \
    CALL(HcclResult, HcclScatter,                                                      \
         (void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType,     \
          uint32_t root, HcclComm comm, aclrtStream stream),                           \
         (sendBuf, recvBuf, recvCount, dataType, root, comm, stream))                  \
    CALL(HcclResult, HcclAlltoAll,                                                     \
         (const void *sendBuf, uint64_t sendCount, HcclDataType sendType,              \
          const void *recvBuf, uint64_t recvCount, HcclDataType recvType,              \
          HcclComm comm, aclrtStream stream),                                          \
         (sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, comm, stream))   \
    CALL(HcclResult, HcclAlltoAllV,                                                    \
         (const void *sendBuf, const void *sendCounts, const void *sdispls,            \
          HcclDataType sendType, const void *recvBuf, const void *recvCounts,          \
          const void *rdispls, HcclDataType recvType, HcclComm comm,                   \
          aclrtStream stream),                                                         \
         (sendBuf, sendCounts, sdispls, sendType, recvBuf, recvCounts, rdispls,        \
          recvType, comm, stream))                                                     \
    CALL(HcclResult, HcclAlltoAllVC,                                                   \
         (const void *sendBuf, const void *sendCountMatrix, HcclDataType sendType,     \
          const void *recvBuf, HcclDataType recvType, HcclComm comm,                   \
          aclrtStream stream),                                                         \
         (sendBuf, sendCountMatrix, sendType, recvBuf, recvType, comm, stream))        \
    CALL(                                                                              \
        HcclResult, HcclAllGatherV,                                                    \
        (void *sendBuf, uint64_t sendCount, void *recvBuf, const void *recvCounts,     \
         const void *recvDispls, HcclDataType dataType, HcclComm comm,                 \
         aclrtStream stream),                                                          \
        (sendBuf, sendCount, recvBuf, recvCounts, recvDispls, dataType, comm, stream)) \
    CALL(HcclResult, HcclReduceScatterV,                                               \
         (void *sendBuf, const void *sendCounts, const void *sendDispls,               \
          void *recvBuf, uint64_t recvCount, HcclDataType dataType, HcclReduceOp op,   \
          HcclComm comm, aclrtStream stream),                                          \
         (sendBuf, sendCounts, sendDispls, recvBuf, recvCount, dataType, op, comm,     \
          stream))                                                                     \
    CALL(HcclResult, HcclSend,                                                         \
         (void *sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank,     \
          HcclComm comm, aclrtStream stream),                                          \
         (sendBuf, count, dataType, destRank, comm, stream))                           \
    CALL(HcclResult, HcclRecv,                                                         \
         (void *recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank,      \
          HcclComm comm, aclrtStream stream),                                          \
         (recvBuf, count, dataType, srcRank, comm, stream))                            \
    CALL(HcclResult, HcclBatchSendRecv,                                                \
         (HcclSendRecvItem * sendRecvInfo, uint32_t itemNum, HcclComm comm,            \
          aclrtStream stream),                                                         \
         (sendRecvInfo, itemNum, comm, stream))                                        \
    CALL(HcclResult, HcomGetCommHandleByGroup,                                         \
         (const char *group, HcclComm *commHandle), (group, commHandle))               \
    CALL(HcclResult, HcclAllocComResourceByTiling,                                     \
         (HcclComm comm, void *stream, void *mc2Tiling, void **commContext),           \
         (comm, stream, mc2Tiling, commContext))                                       \
    CALL(HcclResult, HcclGetAicpuOpStreamAndNotify,                                    \
         (HcclComm comm, aclrtStream * opStream, uint8_t notifyCnt, void **notify),    \
         (comm, opStream, notifyCnt, notify))                                          \
    CALL(HcclResult, HcclGetHcclBuffer,                                                \
         (HcclComm comm, void **buffer, uint64_t *size), (comm, buffer, size))         \
    CALL(HcclResult, HcclRankGraphGetLayers,                                           \
         (HcclComm comm, uint32_t * *netLayers, uint32_t * netLayerNum),               \
         (comm, netLayers, netLayerNum))                                               \
    CALL(HcclResult, HcclRankGraphGetRankSizeByLayer,                                  \
         (HcclComm comm, uint32_t netLayer, uint32_t * rankNum),                       \
         (comm, netLayer, rankNum))                                                    \
    CALL(HcclResult, HcclRankGraphGetTopoTypeByLayer,                                  \
         (HcclComm comm, uint32_t netLayer, uint32_t * topoType),                      \
         (comm, netLayer, topoType))                                                   \
    CALL(HcclResult, HcclCommInitAll,                                                  \
         (uint32_t ndev, int32_t * devices, HcclComm * comms), (ndev, devices, comms))

#endif
