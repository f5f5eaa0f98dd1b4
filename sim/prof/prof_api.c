/* prof_api.c - passes profiling reports from the libraries to the profiler
 *
 * A report goes to the callback that is registered for its type. Without a callback the
 * report is dropped. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <toolchain/prof_api.h>

#define MODULES_MAX  128
#define TYPES_MAX    17
#define STRINGS_MAX  65536
#define FAILED       (-1)
#define BATCH_MAX    131072
#define TYPE_COMPACT 4
#define TYPE_ADDED   5
#define TYPE_API     9
#define TYPE_EVENT   10

typedef int32_t report_fn(uint32_t flag, const void *data, uint32_t length);
typedef int32_t report_api_fn(uint32_t flag, const struct MsprofApi *api);
typedef int32_t report_event_fn(uint32_t flag, const struct MsprofEvent *event);

struct string {
    uint64_t id;
    char *text;
    struct string *next;
};

static ProfCommandHandle handles[MODULES_MAX];
static void *callbacks[TYPES_MAX];
static struct string *strings[256];
static size_t string_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int32_t MsprofInit(uint32_t dataType, void *data, uint32_t dataLen)
{
    (void)dataType;
    (void)data;
    (void)dataLen;
    return 0;
}

int32_t MsprofFinalize(void)
{
    return 0;
}

int32_t MsprofRegisterCallback(uint32_t moduleId, ProfCommandHandle handle)
{
    if (moduleId >= MODULES_MAX || !handle)
        return FAILED;
    __atomic_store_n(&handles[moduleId], handle, __ATOMIC_RELEASE);
    return 0;
}

int32_t
MsprofRegisterProfileCallback(int32_t callbackType, void *callback, uint32_t len)
{
    (void)len;
    if (callbackType < 0 || callbackType >= TYPES_MAX || !callback)
        return FAILED;
    __atomic_store_n(&callbacks[callbackType], callback, __ATOMIC_RELEASE);
    return 0;
}

int32_t MsprofNotifySetDevice(uint32_t chipId, uint32_t deviceId, bool isOpen)
{
    (void)chipId;
    (void)deviceId;
    (void)isOpen;
    return 0;
}

int32_t profSetProfCommand(void *command, uint32_t len)
{
    if (!command || len == 0)
        return FAILED;
    for (uint32_t i = 0; i < MODULES_MAX; i++) {
        ProfCommandHandle handle = __atomic_load_n(&handles[i], __ATOMIC_ACQUIRE);

        if (handle)
            handle(PROF_CTRL_SWITCH, command, len);
    }
    return 0;
}

int32_t
profSetStepInfo(const uint64_t indexId, const uint16_t tagId, void *const stream)
{
    (void)indexId;
    (void)tagId;
    (void)stream;
    return 0;
}

static void *listener(int type)
{
    return __atomic_load_n(&callbacks[type], __ATOMIC_ACQUIRE);
}

int32_t MsprofReportApi(uint32_t nonPersistantFlag, const struct MsprofApi *api)
{
    report_api_fn *fn = (report_api_fn *)listener(TYPE_API);

    if (!api)
        return FAILED;
    return fn ? fn(nonPersistantFlag, api) : 0;
}

int32_t MsprofReportEvent(uint32_t nonPersistantFlag, const struct MsprofEvent *event)
{
    report_event_fn *fn = (report_event_fn *)listener(TYPE_EVENT);

    if (!event)
        return FAILED;
    return fn ? fn(nonPersistantFlag, event) : 0;
}

static int32_t report(int type, uint32_t flag, const void *data, uint32_t length)
{
    report_fn *fn = (report_fn *)listener(type);

    if (!data || length == 0)
        return FAILED;
    return fn ? fn(flag, data, length) : 0;
}

int32_t
MsprofReportCompactInfo(uint32_t nonPersistantFlag, const void *data, uint32_t length)
{
    return report(TYPE_COMPACT, nonPersistantFlag, data, length);
}

int32_t MsprofReportAdditionalInfo(uint32_t nonPersistantFlag,
                                   const void *data,
                                   uint32_t length)
{
    return report(TYPE_ADDED, nonPersistantFlag, data, length);
}

int32_t MsprofReportBatchAdditionalInfo(uint32_t nonPersistantFlag,
                                        const void *data,
                                        uint32_t length)
{
    return report(TYPE_ADDED, nonPersistantFlag, data, length);
}

int32_t MsprofReportData(uint32_t moduleId, uint32_t type, void *data, uint32_t len)
{
    (void)moduleId;
    (void)type;
    return data && len > 0 ? 0 : FAILED;
}

size_t MsprofGetBatchReportMaxSize(uint32_t type)
{
    (void)type;
    return BATCH_MAX;
}

int32_t MsprofRegTypeInfo(uint16_t level, uint32_t typeId, const char *typeName)
{
    (void)level;
    (void)typeId;
    return typeName ? 0 : FAILED;
}

int32_t MsprofRegDataFormat(uint16_t level, uint32_t typeId, const char *dataFormat)
{
    (void)level;
    (void)typeId;
    return dataFormat ? 0 : FAILED;
}

static struct string *find(uint64_t id)
{
    struct string *at = strings[id & 255];

    while (at && at->id != id)
        at = at->next;
    return at;
}

static void keep(uint64_t id, const char *text, size_t length)
{
    struct string *string;

    pthread_mutex_lock(&mutex);
    if (!find(id) && string_count < STRINGS_MAX &&
        (string = malloc(sizeof(*string) + length + 1))) {
        string->id = id;
        string->text = (char *)(string + 1);
        memcpy(string->text, text, length);
        string->text[length] = '\0';
        string->next = strings[id & 255];
        strings[id & 255] = string;
        string_count++;
    }
    pthread_mutex_unlock(&mutex);
}

uint64_t MsprofGetHashId(const char *hashInfo, size_t length)
{
    uint32_t high = 0, low = 0;
    uint64_t hash;

    if (!hashInfo || length == 0)
        return UINT64_MAX;
    /* reports of the cards contain the same hash of a name */
    for (size_t i = 0; i < length; i++) {
        high = high * 29 + (uint32_t)(signed char)hashInfo[i];
        low = low * 131 + (uint32_t)(signed char)hashInfo[i];
    }
    hash = (uint64_t)high << 32 | low;
    keep(hash, hashInfo, length);
    return hash;
}

uint64_t MsprofStr2Id(const char *hashInfo, size_t length)
{
    return MsprofGetHashId(hashInfo, length);
}

char *MsprofId2Str(const uint64_t hashId)
{
    struct string *string;

    pthread_mutex_lock(&mutex);
    string = find(hashId);
    pthread_mutex_unlock(&mutex);
    return string ? string->text : NULL;
}

uint64_t MsprofSysCycleTime(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool MsprofCheckOpSwitch(uint32_t type, const char *name, size_t length)
{
    (void)type;
    (void)name;
    (void)length;
    return false;
}

int32_t MsprofSetDeviceIdByGeModelIdx(const uint32_t geModelIdx,
                                      const uint32_t deviceId)
{
    (void)geModelIdx;
    (void)deviceId;
    return 0;
}

int32_t MsprofUnsetDeviceIdByGeModelIdx(const uint32_t geModelIdx,
                                        const uint32_t deviceId)
{
    (void)geModelIdx;
    (void)deviceId;
    return 0;
}
