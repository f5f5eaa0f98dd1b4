/* rt.h - the runtime below acl: what launch helpers and older programs call directly */
#ifndef RUNTIME_RT_H
#define RUNTIME_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t rtError_t;
typedef void *rtContext_t;
typedef void *rtStream_t;
typedef void *rtEvent_t;
typedef void *rtNotify_t;
typedef void *rtModel_t;
typedef void *rtBinHandle;
typedef void *rtFuncHandle;
typedef void *rtLaunchArgsHandle;
typedef void *rtDrvMemHandle;
typedef uint32_t rtMemType_t;

#define RT_ERROR_NONE 0

#define RT_DEV_BINARY_MAGIC_ELF        0x43554245u
#define RT_DEV_BINARY_MAGIC_ELF_AIVEC  0x41415246u
#define RT_DEV_BINARY_MAGIC_ELF_AICUBE 0x41494343u
#define RT_DEV_BINARY_MAGIC_ELF_AICPU  0x41415243u

#define RT_MEMORY_DEFAULT 0x0u
#define RT_MEMORY_HBM     0x2u
#define RT_MEMORY_DDR     0x4u
#define RT_MEMORY_SPM     0x8u
#define RT_MEMORY_P2P_HBM 0x10u
#define RT_MEMORY_P2P_DDR 0x11u
#define RT_MEMORY_DDR_NC  0x20u
#define RT_MEMORY_TS      0x40u
#define RT_MEMORY_HOST    0x81u
#define RT_MEMORY_SVM     0x90u

#define RT_MEMORY_POLICY_HUGE_PAGE_FIRST       0x400u
#define RT_MEMORY_POLICY_HUGE_PAGE_ONLY        0x800u
#define RT_MEMORY_POLICY_DEFAULT_PAGE_ONLY     0x1000u
#define RT_MEMORY_POLICY_HUGE_PAGE_FIRST_P2P   0x2000u
#define RT_MEMORY_POLICY_HUGE_PAGE_ONLY_P2P    0x4000u
#define RT_MEMORY_POLICY_DEFAULT_PAGE_ONLY_P2P 0x8000u
#define RT_MEMORY_POLICY_HUGE1G_PAGE_ONLY      0x10000u
#define RT_MEMORY_POLICY_HUGE1G_PAGE_ONLY_P2P  0x20000u

#define RT_MEMORY_RESERVED 0xFFFFFFFFu

#define RT_MODULE_APP 33u /* the allocating module: the program, through acl */

typedef enum rtMemcpyKind {
    RT_MEMCPY_HOST_TO_HOST = 0,
    RT_MEMCPY_HOST_TO_DEVICE = 1,
    RT_MEMCPY_DEVICE_TO_HOST = 2,
    RT_MEMCPY_DEVICE_TO_DEVICE = 3,
    RT_MEMCPY_DEFAULT = 4,
} rtMemcpyKind_t;

typedef enum tagRtDeviceMode {
    RT_DEVICE_MODE_SINGLE_DIE = 0,
    RT_DEVICE_MODE_MULTI_DIE = 1,
    RT_DEVICE_MODE_RESERVED = 2,
} rtDeviceMode;

typedef enum tagRtDeviceStatus {
    RT_DEVICE_STATUS_NORMAL = 0,
    RT_DEVICE_STATUS_ABNORMAL = 1,
    RT_DEVICE_STATUS_END = 0xFFFF,
} rtDeviceStatus;

typedef struct tagRtDevBinary {
    uint32_t magic;
    uint32_t version;
    const void *data;
    uint64_t length;
} rtDevBinary_t;

typedef struct tagRtHostInputInfo {
    uint32_t addrOffset;
    uint32_t dataOffset;
} rtHostInputInfo_t;

typedef struct tagRtArgsEx {
    void *args;
    rtHostInputInfo_t *hostInputInfoPtr;
    uint32_t argsSize;
    uint32_t tilingAddrOffset;
    uint32_t tilingDataOffset;
    uint16_t hostInputInfoNum;
    uint8_t hasTiling;
    uint8_t isNoNeedH2DCopy;
    uint8_t reserved[4];
} rtArgsEx_t;

typedef struct tagRtTaskCfgInfo {
    uint8_t qos;
    uint8_t partId;
    uint8_t schemMode;
    bool d2dCrossFlag;
    uint32_t blockDimOffset;
    uint8_t dumpflag;
    uint8_t neverTimeout;
    uint8_t enableProfiling;
    uint8_t rev;
    uint32_t localMemorySize;
} rtTaskCfgInfo_t;

/* Names are strings inside args. Releases before the one with aclrtSetDeviceImpl had 40
 * bytes: 16-bit offsets of the names at 32 and 34, isNoNeedH2DCopy at 36. */
typedef struct tagRtAicpuArgsEx {
    void *args;
    rtHostInputInfo_t *hostInputInfoPtr;
    rtHostInputInfo_t *kernelOffsetInfoPtr;
    uint32_t argsSize;
    uint16_t hostInputInfoNum;
    uint16_t kernelOffsetInfoNum;
    uint32_t soNameAddrOffset;
    uint32_t kernelNameAddrOffset;
    bool isNoNeedH2DCopy;
    uint16_t timeout; /* seconds, with RT_KERNEL_USE_SPECIAL_TIMEOUT; 0: no limit */
    uint32_t reserved;
} rtAicpuArgsEx_t;

typedef struct tagRtKernelLaunchNames {
    const char *soName;
    const char *kernelName;
    const char *opName;
} rtKernelLaunchNames_t;

#define KERNEL_TYPE_CCE          0u
#define KERNEL_TYPE_FWK          1u
#define KERNEL_TYPE_AICPU        2u
#define KERNEL_TYPE_AICPU_CUSTOM 4u
#define KERNEL_TYPE_AICPU_KFC    5u
#define KERNEL_TYPE_CUSTOM_KFC   6u
#define KERNEL_TYPE_HWTS         10u

#define RT_KERNEL_DUMPFLAG            0x02u
#define RT_KERNEL_CUSTOM_AICPU        0x08u
#define RT_KERNEL_CMDLIST_NOT_FREE    0x40u
#define RT_KERNEL_USE_SPECIAL_TIMEOUT 0x100u

typedef rtHostInputInfo_t rtPlaceHolderInfo_t;

/* The same as acl's, where attrs is an array of aclrtLaunchKernelAttr. */
typedef struct tagRtKernelLaunchCfg {
    void *attrs;
    size_t numAttrs;
} rtKernelLaunchCfg_t;

typedef struct tagRtArgsSizeInfo {
    void *infoAddr;
    uint32_t atomicIndex;
} rtArgsSizeInfo_t;

/* packed: 64 bytes */
#pragma pack(push, 1)
typedef struct tagRtFftsPlusDumpInfo {
    const void *loadDumpInfo;
    const void *unloadDumpInfo;
    uint32_t loadDumpInfoLen;
    uint32_t unloadDumpInfoLen;
} rtFftsPlusDumpInfo_t;

typedef struct tagRtFftsPlusTaskInfo {
    const void *fftsPlusSqe;
    const void *descBuf;
    size_t descBufLen;
    rtFftsPlusDumpInfo_t fftsPlusDumpInfo;
    uint32_t descAddrType; /* 0: of the host, 1: of the device */
    uint32_t argsHandleInfoNum;
    void **argsHandleInfoPtr;
} rtFftsPlusTaskInfo_t;
#pragma pack(pop)

typedef struct tagRtAicpuArgs {
    uint16_t kfcArgsFmtOffset;
    uint16_t soNameAddrOffset;
    uint16_t kernelNameAddrOffset;
    uint16_t rev;
} rtAicpuArgs_t;

typedef struct tagRtFusionArgsEx {
    void *args;
    rtHostInputInfo_t *hostInputInfoPtr;
    uint32_t argsSize;
    uint16_t hostInputInfoNum;
    uint8_t aicpuNum;
    uint8_t isNoNeedH2DCopy;
    rtAicpuArgs_t aicpuArgs[1];
} rtFusionArgsEx_t;

typedef struct tagRtCcuTaskInfo {
    uint8_t dieId;
    uint8_t missionId;
    uint16_t timeout;
    uint16_t instStartId;
    uint16_t instCnt;
    uint32_t key;
    uint32_t argSize;
    uint64_t args[13];
} rtCcuTaskInfo_t;

/* an L2 descriptor: always NULL in practice, and refused when it is not */
typedef struct tagRtSmData {
    uint64_t L2_mirror_addr;
    uint32_t L2_data_section_size;
    uint8_t L2_preload;
    uint8_t modified;
    uint8_t priority;
    int8_t prev_L2_page_offset_base;
    uint8_t L2_page_offset_base;
    uint8_t L2_load_to_ddr;
    uint8_t reserved[2];
} rtSmData_t;

typedef struct tagRtSmCtrl {
    rtSmData_t data[8];
    uint64_t size;
    uint8_t remap[64];
    uint8_t l2_in_main;
    uint8_t reserved[3];
} rtSmDesc_t;

rtError_t rtSetDevice(int32_t devId);
rtError_t rtSetDeviceEx(int32_t devId);
rtError_t rtSetDeviceV2(int32_t devId, rtDeviceMode deviceMode);
rtError_t rtGetDevice(int32_t *devId);
rtError_t rtDeviceReset(int32_t devId);
rtError_t rtDeviceResetEx(int32_t devId);
rtError_t rtDeviceResetForce(int32_t devId);
rtError_t rtDeviceSynchronize(void);
rtError_t rtDeviceStatusQuery(const uint32_t devId, rtDeviceStatus *deviceStatus);
rtError_t rtGetDeviceCount(int32_t *cnt);
rtError_t
rtGetDeviceInfo(uint32_t deviceId, int32_t moduleType, int32_t infoType, int64_t *val);
rtError_t rtGetSocVersion(char *ver, const uint32_t maxLen);
rtError_t rtGetAiCoreCount(uint32_t *aiCoreCnt);
rtError_t rtGetVisibleDeviceIdByLogicDeviceId(const int32_t logicDeviceId,
                                              int32_t *const visibleDeviceId);
rtError_t rtGetC2cCtrlAddr(uint64_t *addr, uint32_t *len);

rtError_t rtCtxCreate(rtContext_t *ctx, uint32_t flags, int32_t devId);
rtError_t rtCtxCreateEx(rtContext_t *ctx, uint32_t flags, int32_t devId);
rtError_t
rtCtxCreateV2(rtContext_t *ctx, uint32_t flags, int32_t devId, rtDeviceMode deviceMode);
rtError_t rtCtxDestroy(rtContext_t ctx);
rtError_t rtCtxGetCurrent(rtContext_t *currentCtx);
rtError_t rtCtxSetCurrent(rtContext_t ctx);
rtError_t rtCtxGetCurrentDefaultStream(rtStream_t *stm);

rtError_t rtStreamCreate(rtStream_t *stm, int32_t priority);
rtError_t rtStreamCreateWithFlags(rtStream_t *stm, int32_t priority, uint32_t flags);
rtError_t rtStreamDestroy(rtStream_t stm);
rtError_t rtStreamSynchronize(rtStream_t stm);
rtError_t rtStreamSynchronizeWithTimeout(rtStream_t stm, int32_t timeout);
rtError_t rtStreamQuery(rtStream_t stm);
rtError_t rtStreamWaitEvent(rtStream_t stm, rtEvent_t evt);
rtError_t rtStreamAddToModel(rtStream_t stm, rtModel_t mdl);
rtError_t rtGetStreamId(rtStream_t stm, int32_t *streamId);

rtError_t rtEventCreate(rtEvent_t *evt);
rtError_t rtEventCreateWithFlag(rtEvent_t *evt, uint32_t flag);
rtError_t rtEventDestroy(rtEvent_t evt);
rtError_t rtEventRecord(rtEvent_t evt, rtStream_t stm);
rtError_t rtEventReset(rtEvent_t evt, rtStream_t stm);
rtError_t rtEventSynchronize(rtEvent_t evt);
rtError_t
rtEventElapsedTime(float *timeInterval, rtEvent_t startEvent, rtEvent_t endEvent);

rtError_t rtNotifyCreate(int32_t deviceId, rtNotify_t *notify);
rtError_t rtNotifyDestroy(rtNotify_t notify);
rtError_t rtNotifyRecord(rtNotify_t notify, rtStream_t stm);
rtError_t rtNotifyWait(rtNotify_t notify, rtStream_t stm);
rtError_t rtNotifyWaitWithTimeOut(rtNotify_t notify, rtStream_t stm, uint32_t timeOut);

rtError_t
rtMalloc(void **devPtr, uint64_t size, rtMemType_t type, const uint16_t moduleId);
rtError_t rtFree(void *devPtr);
rtError_t rtMallocHost(void **hostPtr, uint64_t size, const uint16_t moduleId);
rtError_t rtFreeHost(void *hostPtr);
rtError_t rtMemcpy(void *dst,
                   uint64_t destMax,
                   const void *src,
                   uint64_t cnt,
                   rtMemcpyKind_t kind);
rtError_t rtMemcpyAsync(void *dst,
                        uint64_t destMax,
                        const void *src,
                        uint64_t cnt,
                        rtMemcpyKind_t kind,
                        rtStream_t stm);
rtError_t rtMemset(void *devPtr, uint64_t destMax, uint32_t val, uint64_t cnt);
rtError_t
rtMemsetAsync(void *ptr, uint64_t destMax, uint32_t val, uint64_t cnt, rtStream_t stm);
rtError_t rtMemGetInfo(size_t *freeSize, size_t *totalSize);
rtError_t rtMapMem(void *devPtr,
                   size_t size,
                   size_t offset,
                   rtDrvMemHandle handle,
                   uint64_t flags);
rtError_t rtUnmapMem(void *devPtr);

rtError_t rtDevBinaryRegister(const rtDevBinary_t *bin, void **hdl);
rtError_t rtDevBinaryUnRegister(void *hdl);
rtError_t rtRegisterAllKernel(const rtDevBinary_t *bin, void **hdl);
rtError_t rtFunctionRegister(void *binHandle,
                             const void *stubFunc,
                             const char *stubName,
                             const void *kernelInfoExt,
                             uint32_t funcMode);
rtError_t rtRegisterFuncSymbol(void *binHandle,
                               const void *symbol,
                               const char *kernelName,
                               void *reserve);

rtError_t rtRegisterVariable(void *binHandle,
                             const void *hostVar,
                             const char *deviceVarName,
                             size_t size,
                             uint32_t flags,
                             void *reserve);

rtError_t rtKernelLaunch(const void *stubFunc,
                         uint32_t numBlocks,
                         void *args,
                         uint32_t argsSize,
                         rtSmDesc_t *smDesc,
                         rtStream_t stm);
rtError_t rtKernelLaunchWithFlag(const void *stubFunc,
                                 uint32_t numBlocks,
                                 rtArgsEx_t *argsInfo,
                                 rtSmDesc_t *smDesc,
                                 rtStream_t stm,
                                 uint32_t flags);
rtError_t rtKernelLaunchWithFlagV2(const void *stubFunc,
                                   uint32_t numBlocks,
                                   rtArgsEx_t *argsInfo,
                                   rtSmDesc_t *smDesc,
                                   rtStream_t stm,
                                   uint32_t flags,
                                   const rtTaskCfgInfo_t *cfgInfo);
rtError_t rtKernelLaunchWithHandle(void *hdl,
                                   const uint64_t tilingKey,
                                   uint32_t numBlocks,
                                   rtArgsEx_t *argsInfo,
                                   rtSmDesc_t *smDesc,
                                   rtStream_t stm,
                                   const void *kernelInfo);
rtError_t rtKernelLaunchWithHandleV2(void *hdl,
                                     const uint64_t tilingKey,
                                     uint32_t numBlocks,
                                     rtArgsEx_t *argsInfo,
                                     rtSmDesc_t *smDesc,
                                     rtStream_t stm,
                                     const rtTaskCfgInfo_t *cfgInfo);
rtError_t rtLaunchKernelByFuncHandle(rtFuncHandle funcHandle,
                                     uint32_t numBlocks,
                                     rtLaunchArgsHandle argsHandle,
                                     rtStream_t stm);
rtError_t rtLaunchKernelByFuncHandleV2(rtFuncHandle funcHandle,
                                       uint32_t numBlocks,
                                       rtLaunchArgsHandle argsHandle,
                                       rtStream_t stm,
                                       const rtTaskCfgInfo_t *cfgInfo);
rtError_t rtLaunchKernelByFuncHandleV3(rtFuncHandle funcHandle,
                                       uint32_t numBlocks,
                                       const rtArgsEx_t *argsInfo,
                                       rtStream_t stm,
                                       const rtTaskCfgInfo_t *cfgInfo);

rtError_t rtAicpuKernelLaunchExWithArgs(const uint32_t kernelType,
                                        const char *opName,
                                        const uint32_t numBlocks,
                                        const rtAicpuArgsEx_t *argsInfo,
                                        rtSmDesc_t *smDesc,
                                        const rtStream_t stm,
                                        const uint32_t flags);
rtError_t rtCpuKernelLaunchWithFlag(const void *soName,
                                    const void *kernelName,
                                    uint32_t numBlocks,
                                    const rtArgsEx_t *argsInfo,
                                    rtSmDesc_t *smDesc,
                                    rtStream_t stm,
                                    uint32_t flags);
rtError_t rtAicpuKernelLaunchWithFlag(const rtKernelLaunchNames_t *launchNames,
                                      uint32_t numBlocks,
                                      const rtArgsEx_t *argsInfo,
                                      rtSmDesc_t *smDesc,
                                      rtStream_t stm,
                                      uint32_t flags);

rtError_t rtVectorCoreKernelLaunch(const void *stubFunc,
                                   uint32_t numBlocks,
                                   rtArgsEx_t *argsInfo,
                                   rtSmDesc_t *smDesc,
                                   rtStream_t stm,
                                   uint32_t flags,
                                   const rtTaskCfgInfo_t *cfgInfo);
rtError_t rtVectorCoreKernelLaunchWithHandle(void *hdl,
                                             const uint64_t tilingKey,
                                             uint32_t numBlocks,
                                             rtArgsEx_t *argsInfo,
                                             rtSmDesc_t *smDesc,
                                             rtStream_t stm,
                                             const rtTaskCfgInfo_t *cfgInfo);
rtError_t rtsLaunchKernelWithDevArgs(rtFuncHandle funcHandle,
                                     uint32_t numBlocks,
                                     rtStream_t stm,
                                     rtKernelLaunchCfg_t *cfg,
                                     const void *args,
                                     uint32_t argsSize,
                                     void *reserve);
rtError_t rtsLaunchKernelWithConfig(rtFuncHandle funcHandle,
                                    uint32_t numBlocks,
                                    rtStream_t stm,
                                    rtKernelLaunchCfg_t *cfg,
                                    rtLaunchArgsHandle argsHandle,
                                    void *reserve);
rtError_t rtsLaunchKernelWithHostArgs(rtFuncHandle funcHandle,
                                      uint32_t numBlocks,
                                      rtStream_t stm,
                                      rtKernelLaunchCfg_t *cfg,
                                      void *hostArgs,
                                      uint32_t argsSize,
                                      rtPlaceHolderInfo_t *placeHolderArray,
                                      uint32_t placeHolderNum);
rtError_t rtSetExceptionExtInfo(const rtArgsSizeInfo_t *const sizeInfo);
rtError_t rtFftsPlusTaskLaunch(rtFftsPlusTaskInfo_t *info, rtStream_t stm);
rtError_t
rtFftsPlusTaskLaunchWithFlag(rtFftsPlusTaskInfo_t *info, rtStream_t stm, uint32_t flag);
rtError_t rtFusionLaunch(void *fusionInfo, rtStream_t stm, rtFusionArgsEx_t *argsInfo);
rtError_t rtCCULaunch(rtCcuTaskInfo_t *taskInfo, rtStream_t stm);

/* Not the vendor's: only the simulator has this function. Returns its version. */
const char *npu_sim_version(void);

#ifdef __cplusplus
}
#endif

#endif
