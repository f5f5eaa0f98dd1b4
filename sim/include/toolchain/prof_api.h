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
