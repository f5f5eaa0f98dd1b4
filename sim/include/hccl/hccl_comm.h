/* hccl_comm.h - communicators: how the ranks of a group come together and part */
#ifndef HCCL_COMM_H
#define HCCL_COMM_H

#include <string.h>

#include "hccl_launch.h"
#include "hccl_res.h"
#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo);
HcclResult HcclCommInitRootInfo(uint32_t nRanks,
                                const HcclRootInfo *rootInfo,
                                uint32_t rank,
                                HcclComm *comm);
HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks,
                                      const HcclRootInfo *rootInfo,
                                      uint32_t rank,
                                      const HcclCommConfig *config,
                                      HcclComm *comm);
HcclResult
HcclCommInitClusterInfo(const char *clusterInfo, uint32_t rank, HcclComm *comm);
HcclResult HcclCommInitClusterInfoConfig(const char *clusterInfo,
                                         uint32_t rank,
                                         HcclCommConfig *config,
                                         HcclComm *comm);
HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices, HcclComm *comms);
HcclResult HcclCreateSubCommConfig(HcclComm *comm,
                                   uint32_t rankNum,
                                   uint32_t *rankIds,
                                   uint64_t subCommId,
                                   uint32_t subCommRankId,
                                   HcclCommConfig *config,
                                   HcclComm *subComm);
HcclResult HcclCommDestroy(HcclComm comm);

HcclResult HcclGetCommName(HcclComm comm, char *commName); /* 128 bytes */
HcclResult HcclCommGetHandleWithName(const char *commName, HcclComm *comm);
HcclResult HcclGetRankSize(HcclComm comm, uint32_t *rankSize);
HcclResult HcclGetRankId(HcclComm comm, uint32_t *rank);
HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult *asyncError);
const char *HcclGetErrorString(HcclResult code);
uint32_t HcclGetCommConfigCapability(void);
HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue);
HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue *configValue);

static inline void HcclCommConfigInit(HcclCommConfig *config)
{
    size_t size = sizeof(*config);
    uint32_t magic = HCCL_COMM_CONFIG_MAGIC_WORD;
    uint32_t version = HCCL_COMM_CONFIG_VERSION;

    if (!config)
        return;
    memset(config, 0, sizeof(*config));
    memcpy(config->reserved, &size, sizeof(size));
    memcpy(config->reserved + 8, &magic, sizeof(magic));
    memcpy(config->reserved + 12, &version, sizeof(version));
    config->hcclBufferSize = HCCL_COMM_CONFIG_NOT_SET;
    config->hcclDeterministic = HCCL_COMM_CONFIG_NOT_SET;
    config->hcclRdmaTrafficClass = HCCL_COMM_CONFIG_NOT_SET;
    config->hcclRdmaServiceLevel = HCCL_COMM_CONFIG_NOT_SET;
    config->hcclExecTimeOut = -1;
    config->hcclQos = HCCL_COMM_CONFIG_NOT_SET;
}

#ifdef __cplusplus
}
#endif

#endif
