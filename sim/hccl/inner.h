/* inner.h - renames the functions of HCCL to their names in libhcomm.so
 *
 * The compiler includes this file in front of every file of that library. The ABI
 * headers then declare the inner names, and the sources define them under the public
 * ones. */
#ifndef SIM_HCCL_INNER_H
#define SIM_HCCL_INNER_H

#define HcclGetRootInfo                 HcclGetRootInfoInner
#define HcclCommInitRootInfo            HcclCommInitRootInfoInner
#define HcclCommInitRootInfoConfig      HcclCommInitRootInfoConfigInner
#define HcclCommInitClusterInfo         HcclCommInitClusterInfoInner
#define HcclCommInitClusterInfoConfig   HcclCommInitClusterInfoConfigInner
#define HcclCreateSubCommConfig         HcclCreateSubCommConfigInner
#define HcclCommDestroy                 HcclCommDestroyInner
#define HcclGetCommName                 HcclGetCommNameInner
#define HcclCommGetHandleWithName       HcclCommGetHandleWithNameInner
#define HcclGetRankSize                 HcclGetRankSizeInner
#define HcclGetRankId                   HcclGetRankIdInner
#define HcclGetCommAsyncError           HcclGetCommAsyncErrorInner
#define HcclGetErrorString              HcclGetErrorStringInner
#define HcclGetCommConfigCapability     HcclGetCommConfigCapabilityInner
#define HcclSetConfig                   HcclSetConfigInner
#define HcclGetConfig                   HcclGetConfigInner
#define HcclAllReduce                   HcclAllReduceInner
#define HcclAllGather                   HcclAllGatherInner
#define HcclReduceScatter               HcclReduceScatterInner
#define HcclBroadcast                   HcclBroadcastInner
#define HcclReduce                      HcclReduceInner
#define HcclScatter                     HcclScatterInner
#define HcclAlltoAll                    HcclAlltoAllInner
#define HcclAlltoAllV                   HcclAlltoAllVInner
#define HcclAlltoAllVC                  HcclAlltoAllVCInner
#define HcclAllGatherV                  HcclAllGatherVInner
#define HcclReduceScatterV              HcclReduceScatterVInner
#define HcclSend                        HcclSendInner
#define HcclRecv                        HcclRecvInner
#define HcclBatchSendRecv               HcclBatchSendRecvInner
#define HcomGetCommHandleByGroup        HcomGetCommHandleByGroupInner
#define HcclAllocComResourceByTiling    HcclAllocComResourceByTilingInner
#define HcclGetAicpuOpStreamAndNotify   HcclGetAicpuOpStreamAndNotifyInner
#define HcclGetHcclBuffer               HcclGetHcclBufferInner
#define HcclRankGraphGetLayers          HcclRankGraphGetLayersInner
#define HcclRankGraphGetRankSizeByLayer HcclRankGraphGetRankSizeByLayerInner
#define HcclRankGraphGetTopoTypeByLayer HcclRankGraphGetTopoTypeByLayerInner
#define HcclCommInitAll                 HcclCommInitAllInner

#endif
