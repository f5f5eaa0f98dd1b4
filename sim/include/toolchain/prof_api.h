/* prof_api.h - how runtime and operator libraries report to a profiler */
#ifndef TOOLCHAIN_PROF_API_H
#define TOOLCHAIN_PROF_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MSPROF_REPORT_DATA_MAGIC_NUM 0x5A5Au
#define MSPROF_MAX_DEV_NUM           64

#define PROF_CTRL_SWITCH 1

typedef int32_t (*ProfCommandHandle)(uint32_t type, void *data, uint32_t len);

struct MsprofCommandHandleParams {
    uint32_t pathLen;
    uint32_t storageLimit;
    uint32_t profDataLen;
    char path[1024];
    char profData[4096];
};

struct MsprofCommandHandle {
    uint64_t profSwitch;
    uint64_t profSwitchHi;
    uint32_t devNums;
    uint32_t devIdList[MSPROF_MAX_DEV_NUM];
    uint32_t modelId;
    uint32_t type;
    uint32_t cacheFlag;
    struct MsprofCommandHandleParams params;
};

struct MsprofAdditionalInfo {
    uint16_t magicNumber;
    uint16_t level;
    uint32_t type;
    uint32_t threadId;
    uint32_t dataLen;
    uint64_t timeStamp;
    uint8_t data[232];
};

struct MsprofCompactInfo {
    uint16_t magicNumber;
    uint16_t level;
    uint32_t type;
    uint32_t threadId;
    uint32_t dataLen;
    uint64_t timeStamp;
    uint8_t data[40];
};

struct MsprofApi {
    uint16_t magicNumber;
    uint16_t level;
    uint32_t type;
    uint32_t threadId;
    uint32_t reserve;
    uint64_t beginTime;
    uint64_t endTime;
    uint64_t itemId;
};

struct MsprofEvent {
    uint16_t magicNumber;
    uint16_t level;
    uint32_t type;
    uint32_t threadId;
    uint32_t requestId;
    uint64_t timeStamp;
    uint64_t eventFlag;
    uint64_t itemId;
};

/* The data of reports, by level and type. */
struct MsprofAicTimeStampInfo {
    uint64_t syscyc;
    uint32_t blockId;
    uint32_t descId;
    uint64_t curPc;
};

#pragma pack(push, 1)
struct MsprofNodeBasicInfo {
    uint64_t opName;
    uint32_t taskType;
    uint64_t opType;
    uint32_t blockDim;
    uint32_t opFlag;
};
#pragma pack(pop)

struct MsprofRuntimeTrack {
    uint16_t deviceId;
    uint16_t streamId;
    uint32_t taskId;
    uint64_t taskType;
    uint64_t kernelName;
    union {
        struct {
            uint16_t numBlocks;
            uint16_t argsSize;
        } kernel;
        uint8_t reserved[16];
    } info;
};

#pragma pack(push, 4)
struct AicpuKfcProfCommTurn {
    uint64_t serverStartTime;
    uint64_t waitMsgStartTime;
    uint64_t kfcAlgExeStartTime;
    uint64_t sendTaskStartTime;
    uint64_t sendSqeFinishTime;
    uint64_t rtsqExeEndTime;
    uint64_t serverEndTime;
    uint64_t dataLen;
    uint32_t deviceId;
    uint16_t streamId;
    uint16_t taskId;
    uint8_t version;
    uint8_t commTurn;
    uint8_t currentTurn;
    uint8_t reserve[5];
};

struct AicpuKfcProfComputeTurn {
    uint64_t waitComputeStartTime;
    uint64_t computeStartTime;
    uint64_t computeExeEndTime;
    uint64_t dataLen;
    uint32_t deviceId;
    uint16_t streamId;
    uint16_t taskId;
    uint8_t version;
    uint8_t computeTurn;
    uint8_t currentTurn;
    uint8_t reserve[5];
};

struct MsprofAicpuMC2HcclInfo {
    uint64_t itemId;
    uint64_t cclTag;
    uint64_t groupName;
    uint32_t localRank;
    uint32_t remoteRank;
    uint32_t rankSize;
    uint32_t workFlowMode;
    uint32_t planeID;
    uint32_t ctxId;
    uint64_t notifyID;
    uint32_t stage;
    uint32_t role;
    double durationEstimated;
    uint64_t srcAddr;
    uint64_t dstAddr;
    uint64_t dataSize;
    uint32_t opType;
    uint32_t dataType;
    uint32_t linkType;
    uint32_t transportType;
    uint32_t rdmaType;
    uint32_t taskId;
    uint16_t streamId;
    uint16_t reserve[3];
};

struct ProfilingDeviceCommResInfo {
    uint64_t groupName;
    uint32_t rankSize;
    uint32_t rankId;
    uint32_t usrRankId;
    uint32_t aicpuKfcStreamId;
    uint32_t commStreamSize;
    uint32_t commStreamIds[8];
    uint32_t reserve;
};
#pragma pack(pop)

int32_t MsprofInit(uint32_t dataType, void *data, uint32_t dataLen);
int32_t MsprofFinalize(void);
int32_t MsprofRegisterCallback(uint32_t moduleId, ProfCommandHandle handle);
int32_t
MsprofRegisterProfileCallback(int32_t callbackType, void *callback, uint32_t len);
int32_t MsprofNotifySetDevice(uint32_t chipId, uint32_t deviceId, bool isOpen);
int32_t profSetProfCommand(void *command, uint32_t len);
int32_t
profSetStepInfo(const uint64_t indexId, const uint16_t tagId, void *const stream);

int32_t MsprofReportApi(uint32_t nonPersistantFlag, const struct MsprofApi *api);
int32_t MsprofReportEvent(uint32_t nonPersistantFlag, const struct MsprofEvent *event);
int32_t
MsprofReportCompactInfo(uint32_t nonPersistantFlag, const void *data, uint32_t length);
int32_t MsprofReportAdditionalInfo(uint32_t nonPersistantFlag,
                                   const void *data,
                                   uint32_t length);
int32_t MsprofReportBatchAdditionalInfo(uint32_t nonPersistantFlag,
                                        const void *data,
                                        uint32_t length);
int32_t MsprofReportData(uint32_t moduleId, uint32_t type, void *data, uint32_t len);
size_t MsprofGetBatchReportMaxSize(uint32_t type);

int32_t MsprofRegTypeInfo(uint16_t level, uint32_t typeId, const char *typeName);
int32_t MsprofRegDataFormat(uint16_t level, uint32_t typeId, const char *dataFormat);
uint64_t MsprofGetHashId(const char *hashInfo, size_t length);
uint64_t MsprofStr2Id(const char *hashInfo, size_t length);
char *MsprofId2Str(const uint64_t hashId);
uint64_t MsprofSysCycleTime(void);
bool MsprofCheckOpSwitch(uint32_t type, const char *name, size_t length);
int32_t MsprofSetDeviceIdByGeModelIdx(const uint32_t geModelIdx,
                                      const uint32_t deviceId);
int32_t MsprofUnsetDeviceIdByGeModelIdx(const uint32_t geModelIdx,
                                        const uint32_t deviceId);

#ifdef __cplusplus
}
#endif

#endif
