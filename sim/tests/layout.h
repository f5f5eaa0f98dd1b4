/* layout.h - sizes and offsets of the ABI, checked at compile time */
#ifndef SIM_TESTS_LAYOUT_H
#define SIM_TESTS_LAYOUT_H

#include <acl/acl.h>
#include <acl/acl_dump.h>
#include <acl/acl_prof.h>
#include <acl/acl_rt_api.h>
#include <ascend_hal.h>
#include <assert.h>
#include <hccl/hccl.h>
#include <mstx/ms_tools_ext.h>
#include <runtime/rt.h>
#include <stddef.h>
#include <toolchain/prof_api.h>

#define SIZE(type, size) static_assert(sizeof(type) == (size), #type)
#define AT(type, field, at)                                                            \
    static_assert(offsetof(type, field) == (at), #type "." #field)

SIZE(aclCANNPackageVersion, 512);
AT(aclCANNPackageVersion, majorVersion, 128);
SIZE(rtDevBinary_t, 24);
SIZE(rtHostInputInfo_t, 8);
SIZE(rtArgsEx_t, 40);
AT(rtArgsEx_t, argsSize, 16);
AT(rtArgsEx_t, hostInputInfoNum, 28);
AT(rtArgsEx_t, hasTiling, 30);
SIZE(rtTaskCfgInfo_t, 16);
SIZE(rtAicpuArgsEx_t, 48);
AT(rtAicpuArgsEx_t, argsSize, 24);
AT(rtAicpuArgsEx_t, hostInputInfoNum, 28);
AT(rtAicpuArgsEx_t, soNameAddrOffset, 32);
AT(rtAicpuArgsEx_t, kernelNameAddrOffset, 36);
AT(rtAicpuArgsEx_t, isNoNeedH2DCopy, 40);
AT(rtAicpuArgsEx_t, timeout, 42);
SIZE(rtAicpuArgsEx_t, 48);
AT(rtAicpuArgsEx_t, argsSize, 24);
AT(rtAicpuArgsEx_t, hostInputInfoNum, 28);
AT(rtAicpuArgsEx_t, soNameAddrOffset, 32);
AT(rtAicpuArgsEx_t, kernelNameAddrOffset, 36);
AT(rtAicpuArgsEx_t, isNoNeedH2DCopy, 40);
AT(rtAicpuArgsEx_t, timeout, 42);
SIZE(rtAicpuArgs_t, 8);
SIZE(rtFusionArgsEx_t, 32);
SIZE(rtFftsPlusTaskInfo_t, 64);
SIZE(rtSmData_t, 24);
SIZE(rtSmDesc_t, 272);
SIZE(rtKernelLaunchCfg_t, 16);
SIZE(dim3, 12);
SIZE(aclrtPlaceHolderInfo, 8);
SIZE(aclrtLaunchKernelCfg, 16);
SIZE(aclrtLaunchKernelAttr, 20);
SIZE(aclrtBinaryLoadOption, 20);
SIZE(aclrtMallocAttribute, 12);
SIZE(struct MsprofAdditionalInfo, 256);
SIZE(struct MsprofCompactInfo, 64);
SIZE(struct MsprofAicTimeStampInfo, 24);
SIZE(struct MsprofNodeBasicInfo, 28);
SIZE(struct MsprofRuntimeTrack, 40);
SIZE(struct AicpuKfcProfCommTurn, 80);
SIZE(struct AicpuKfcProfComputeTurn, 48);
SIZE(struct MsprofAicpuMC2HcclInfo, 128);
SIZE(struct ProfilingDeviceCommResInfo, 64);
SIZE(struct MsprofApi, 40);
SIZE(struct MsprofEvent, 40);
SIZE(struct MsprofCommandHandle, 5424);
AT(struct MsprofCommandHandle, devIdList, 20);
AT(struct MsprofCommandHandle, modelId, 276);
AT(struct MsprofCommandHandle, type, 280);
AT(struct MsprofCommandHandle, params, 288);
SIZE(channel_list_t, 6408);
SIZE(struct prof_start_para, 32);
AT(struct prof_start_para, user_data, 16);
SIZE(struct prof_poll_info, 8);
SIZE(prof_ffts_config_t, 72);
AT(prof_ffts_config_t, tag, 68);
SIZE(prof_ffts_config_a5_t, 88);
AT(prof_ffts_config_a5_t, tag, 76);
SIZE(prof_aicore_config_t, 56);
SIZE(prof_l2_config_t, 36);

SIZE(HcclRootInfo, 4108);
SIZE(HcclSendRecvItem, 32);
SIZE(HcclCommConfig, 2240);
AT(HcclCommConfig, hcclBufferSize, 24);
AT(HcclCommConfig, hcclCommName, 32);
AT(HcclCommConfig, hcclUdi, 160);
AT(HcclCommConfig, hcclOpExpansionMode, 288);
AT(HcclCommConfig, hcclWorldRankID, 300);
AT(HcclCommConfig, hcclJobID, 304);
AT(HcclCommConfig, aclGraphZeroCopyEnable, 312);
AT(HcclCommConfig, hcclExecTimeOut, 316);
AT(HcclCommConfig, hcclAlgo, 320);

static_assert(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT == 507046, "error code");
static_assert(ACL_ERROR_RT_CONTEXT_NULL == 107002, "error code");
static_assert(ACL_DEV_ATTR_NPU_ARCH == 601, "enumeration");
static_assert(ACL_MEMCPY_DEVICE_TO_DEVICE == 3, "enumeration");
static_assert(HCCL_E_REMOTE == 21 && HCCL_E_IN_STATUS == 1041, "error code");
static_assert(HCCL_DATA_TYPE_BFP16 == 11 && HCCL_REDUCE_MIN == 3, "enumeration");

#endif
